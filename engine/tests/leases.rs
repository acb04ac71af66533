//! Leases in simulated time, too long for a behaviour file: many leases that expire together, and random leases
//! compared with a naive model. A key must exist until its lease has expired, and must be deleted after the next check.
//! Mirrors `server/lease/lessor.go`.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::PROFILES;
use watchglass_engine::api::{
    DeleteRangeRequest, LeaseGrantRequest, LeaseKeepAliveRequest, LeaseRevokeRequest, PutRequest,
    Request, Response,
};
use watchglass_engine::base::Bytes;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::session::{Config, Session};
use watchglass_engine::world::World;

/// The interval between two checks for expired leases, in microseconds.
const LOOK: u64 = 500_000;

fn grant(id: i64, ttl: i64) -> Request {
    Request::LeaseGrant(LeaseGrantRequest { ttl, id })
}

fn put(key: &str, lease: i64) -> Request {
    Request::Put(PutRequest {
        key: key.into(),
        lease,
        ..PutRequest::default()
    })
}

/// Sends a request. Returns the response, or `None` if the request failed.
fn ask(world: &mut World, request: Request) -> Option<Response> {
    let id = world.submit(request.into());
    while world.reply(id).is_none() {
        assert!(world.step(&mut |_| {}), "it is answered");
    }
    world.take_reply(id).and_then(Result::ok)
}

fn sleep(world: &mut World, duration: SimDuration) {
    let until = world.now() + duration;
    world.sleep(duration);
    while world.next_at().is_some_and(|at| at <= until) {
        world.step(&mut |_| {});
    }
}

/// After a pause, 1,600 leases have expired, and a check revokes at most 500 of them. The remaining time of a lease
/// that waits for its revocation is negative, as a real etcd 3.6.10 prints it.
#[test]
fn the_remaining_time_of_an_expired_lease_is_negative() {
    let mut session = Session::default();
    let mut exec = |line: &str| session.exec(line).stdout;
    exec("for i in {1..1600}; do lease grant 10; done");
    let granted = exec("lease grant 10");
    let id = granted.split(' ').nth(1).expect("the id").to_owned();
    for line in ["pause etcd", "run 20s", "resume etcd"] {
        exec(line);
    }
    let ask = format!("lease timetolive {id}");
    let text = |seconds| format!("lease {id} granted with TTL(10s), remaining({seconds}s)\n");
    assert_eq!(exec(&ask), text(-10));
    exec("run 1s");
    assert_eq!(exec(&ask), text(-11));
}

#[test]
fn each_look_takes_what_has_expired_since_the_last() {
    for profile in PROFILES {
        let mut world = World::new(Config {
            profile,
            ..Config::default()
        });
        for id in 1..=1200 {
            ask(&mut world, grant(id, 10));
            ask(&mut world, put(&format!("k{id}"), id));
        }
        // The last lease is granted at 2.399 s. Fewer than 500 leases expire before 11 s.
        let expired_before = |at_ms: i64| (at_ms - 10_000 + 1) / 2;
        sleep(&mut world, SimDuration::from_millis(11_000 - 2_400));
        let left = world.at_endpoint().lessor().len() as i64;
        assert_eq!(left, 1200 - expired_before(11_000));
        sleep(&mut world, SimDuration::from_millis(400));
        assert_eq!(world.at_endpoint().lessor().len() as i64, left);
        // Each check finds the 250 leases that expired in the last half second, and no expired lease remains.
        sleep(&mut world, SimDuration::from_millis(1_100));
        assert_eq!(world.at_endpoint().lessor().len(), 0);
        assert_eq!(world.at_endpoint().store().live_keys(), 0);
        // Each expiry has a revision of its own.
        assert_eq!(world.at_endpoint().store().current_rev(), 1 + 1200 + 1200);
    }
}

#[test]
fn what_one_look_cannot_take_waits_for_the_next() {
    for profile in PROFILES {
        let mut world = World::new(Config {
            profile,
            command_pace: SimDuration(100),
            ..Config::default()
        });
        for id in 1..=1200 {
            ask(&mut world, grant(id, 2));
        }
        // All leases are granted within 0.12 s and expire before the check at 2.5 s.
        let mut left = Vec::new();
        for until_ms in [2_400, 2_600, 3_100, 3_600] {
            let now_ms = world.now().0 / 1000;
            sleep(&mut world, SimDuration::from_millis(until_ms - now_ms));
            left.push(world.at_endpoint().lessor().len());
        }
        assert_eq!(left, [1200, 700, 200, 0]);
        let first = world.at_endpoint().lessor().leases().next();
        assert!(first.is_none() && world.next_at().is_none(), "all is quiet");
    }
}

/// The expected leases and keys, computed without queues and timers.
#[derive(Default)]
struct Model {
    /// The leases by ID, each with its expiry time in microseconds and its TTL in seconds.
    leases: BTreeMap<i64, (u64, i64)>,
    keys: BTreeMap<String, i64>,
    revision: i64,
}

impl Model {
    fn keys_of(&self, lease: i64) -> BTreeSet<Bytes> {
        let of = self.keys.iter().filter(|(_, l)| **l == lease);
        of.map(|(key, _)| key.as_str().into()).collect()
    }

    fn revoke(&mut self, id: i64) -> bool {
        let there = self.leases.remove(&id).is_some();
        let before = self.keys.len();
        self.keys.retain(|_, lease| *lease != id);
        self.revision += i64::from(self.keys.len() < before);
        there
    }

    /// Removes the leases that a check at or before `now` must have found expired, and removes their keys.
    fn pass(&mut self, now: u64) {
        let found = |expiry: u64| expiry.next_multiple_of(LOOK) <= now;
        let gone: Vec<i64> = self
            .leases
            .iter()
            .filter(|(_, (expiry, _))| found(*expiry))
            .map(|(id, _)| *id)
            .collect();
        for id in gone {
            self.revoke(id);
        }
    }

    fn check(&self, world: &World) {
        let etcd = world.at_endpoint();
        assert_eq!(etcd.store().current_rev(), self.revision);
        assert_eq!(etcd.store().live_keys(), self.keys.len() as i64);
        assert_eq!(etcd.lessor().len(), self.leases.len() as u64);
        for lease in etcd.lessor().leases() {
            assert_eq!(
                self.leases.get(&lease.id),
                Some(&(lease.expiry.0, lease.ttl_s))
            );
            let keys: BTreeSet<Bytes> = lease.keys.iter().cloned().collect();
            assert_eq!(keys, self.keys_of(lease.id));
        }
    }
}

#[test]
fn random_leases_are_as_the_model_says() {
    for (seed, profile) in (0..40).flat_map(|seed| PROFILES.map(|p| (seed, p))) {
        let mut rng = Rng::stream(seed, "leases");
        let mut world = World::new(Config {
            profile,
            ..Config::default()
        });
        // Avoids requests at the exact moment of a check.
        sleep(&mut world, SimDuration(137));
        let mut model = Model {
            revision: 1,
            ..Model::default()
        };
        for _ in 0..300 {
            random_step(&mut rng, &mut world, &mut model);
            model.pass(world.now().0);
            model.check(&world);
        }
        sleep(&mut world, SimDuration::from_millis(60_000));
        model.pass(world.now().0);
        model.check(&world);
        assert!(model.leases.is_empty() && model.keys.values().all(|lease| *lease == 0));
    }
}

fn random_step(rng: &mut Rng, world: &mut World, model: &mut Model) {
    let id = 1 + rng.below(6) as i64;
    let key = format!("k{}", rng.below(8));
    // An immediate response arrives a millisecond later.
    let now = world.now().0 + 1000;
    match rng.below(7) {
        0 => {
            let ttl = rng.below(20) as i64;
            let granted = ask(world, grant(id, ttl)).is_some();
            model.pass(now);
            let ttl = ttl.max(2);
            let expiry = now + ttl as u64 * 1_000_000;
            let free = !model.leases.contains_key(&id);
            assert_eq!(granted, free);
            model.leases.entry(id).or_insert((expiry, ttl));
        }
        1 | 2 => {
            let lease = if rng.chance(1, 3) { 0 } else { id };
            let done = ask(world, put(&key, lease)).is_some();
            model.pass(now);
            assert_eq!(done, lease == 0 || model.leases.contains_key(&lease));
            if done {
                model.keys.insert(key, lease);
                model.revision += 1;
            }
        }
        3 => {
            let delete = DeleteRangeRequest {
                key: key.as_str().into(),
                ..DeleteRangeRequest::default()
            };
            ask(world, Request::DeleteRange(delete));
            model.pass(now);
            model.revision += i64::from(model.keys.remove(&key).is_some());
        }
        4 => {
            let revoke = Request::LeaseRevoke(LeaseRevokeRequest { id });
            let revoked = ask(world, revoke).is_some();
            model.pass(now);
            assert_eq!(revoked, model.revoke(id));
        }
        5 => {
            let renew = Request::LeaseKeepAlive(LeaseKeepAliveRequest { id });
            let Some(Response::LeaseKeepAlive(renewed)) = ask(world, renew) else {
                panic!("a renewal is always answered");
            };
            model.pass(now);
            match model.leases.get_mut(&id) {
                Some((expiry, ttl)) if *expiry > now => {
                    assert_eq!(renewed.ttl, *ttl);
                    *expiry = now + *ttl as u64 * 1_000_000;
                }
                Some((expiry, _)) => {
                    assert_eq!(renewed.ttl, 0);
                    assert_eq!(world.now().0, expiry.next_multiple_of(LOOK));
                }
                None => assert_eq!((renewed.ttl, world.now().0), (0, now)),
            }
        }
        _ => sleep(world, SimDuration::from_millis(rng.below(3000))),
    }
}
