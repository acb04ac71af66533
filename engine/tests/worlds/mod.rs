//! Random worlds: writers, watchers, a bad network and bad luck, all from one number.
//!
//! A world is made from its seed alone, so that a failure is a number to type. In the end
//! everything that stands still is let go, and whoever still watches must hear of everything.

#![allow(
    dead_code,
    reason = "two programs have this module, and each uses a part of it"
)]

mod actions;
mod draw;
pub(crate) mod retell;

use std::sync::Arc;

use watchglass_engine::api::{Profile, Request};
use watchglass_engine::base::ids::NodeId;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::observe::{Guard, WatchLog};
use watchglass_engine::sim::network::Delay;
use watchglass_engine::trace::Event;
use watchglass_engine::world::op::{LinkChange, NodeName, Way, WorldOp};
use watchglass_engine::world::{Config, World};

/// What a person does in one world.
const ACTIONS: (u64, u64) = (20, 70);

/// How long a world may take to come to rest: the last of eight tries to send a message over a bad
/// link leaves 51 s after the first, and whatever is behind it waits.
const REST_MAX: SimDuration = SimDuration::from_millis(600_000);

/// How often it is looked whether it has.
const REST_LOOK: SimDuration = SimDuration::from_millis(500);

/// Steps that no world needs.
const STEPS_MAX: u64 = 200_000;

/// A world with those who look at it.
pub(crate) struct RandomWorld {
    seed: u64,
    rng: Rng,
    world: World,
    guard: Guard,
    log: Option<WatchLog>,
    done: Vec<Done>,
    clients: Vec<String>,
    watches: Vec<String>,
    values: u64,
    large_values: bool,
}

/// Something that was done.
struct Done {
    /// After which step.
    step: u64,
    /// To which client, if it was done to one.
    client: Option<String>,
    text: String,
}

/// What came of it.
pub(crate) struct Outcome {
    /// Who looked at it to the end.
    pub(crate) guard: Guard,
    /// Watches that were still waiting for something when nothing could hold it up any more.
    pub(crate) restless: Vec<Arc<str>>,
}

/// Which etcd a seed is about: every fourth is the old one.
pub(crate) fn profile_of(seed: u64) -> Profile {
    match seed % 4 {
        3 => Profile::V3_4,
        _ => Profile::V3_6,
    }
}

/// Runs the world of a seed to its rest. The fault is planted by whoever prepares it.
pub(crate) fn run(seed: u64, prepare: impl FnOnce(World) -> World) -> Outcome {
    let mut world = RandomWorld::new(seed, prepare, false);
    world.live();
    world.outcome()
}

impl RandomWorld {
    fn new(seed: u64, prepare: impl FnOnce(World) -> World, log: bool) -> Self {
        let profile = profile_of(seed);
        let world = World::new(Config {
            profile,
            seed,
            ..Config::default()
        });
        let mut rng = Rng::stream(seed, "random world");
        Self {
            seed,
            large_values: rng.chance(1, 40),
            rng,
            world: prepare(world),
            guard: Guard::new(NodeId::Member(1), profile),
            log: log.then(WatchLog::default),
            done: Vec::new(),
            clients: Vec::new(),
            watches: Vec::new(),
            values: 0,
        }
    }

    fn live(&mut self) {
        self.begin();
        let actions = self.between(ACTIONS.0, ACTIONS.1);
        for _ in 0..actions {
            self.act();
            self.wait_a_little();
        }
        self.come_to_rest();
        self.guard.finish(&self.world);
    }

    fn outcome(self) -> Outcome {
        let restless = self.restless();
        Outcome {
            restless,
            guard: self.guard,
        }
    }

    /// Lets go of everything that stands still, and waits until all has arrived.
    fn come_to_rest(&mut self) {
        // So that what was done last has happened.
        self.pass(SimDuration::from_millis(2));
        self.op(WorldOp::Resume(NodeName::Etcd));
        for client in self.clients.clone() {
            self.op(WorldOp::Resume(NodeName::Client(client.clone())));
            self.link(&client, Way::Both, LinkChange::Release);
            self.link(&client, Way::Both, LinkChange::LossOneIn(0));
            self.link(
                &client,
                Way::Both,
                LinkChange::Delay(Delay::Fixed(SimDuration::from_millis(1))),
            );
            self.op(WorldOp::Start {
                client: client.clone(),
            });
            // What was just let go of may take a step.
            self.pass(SimDuration::from_millis(2));
            self.op(WorldOp::Connect { client });
        }
        let until = self.world.now() + REST_MAX;
        while self.world.now() < until {
            self.pass(REST_LOOK);
            if self.restless().is_empty() {
                return;
            }
        }
    }

    fn restless(&self) -> Vec<Arc<str>> {
        let live = self.guard.live();
        live.filter(|name| !self.world.is_settled(name))
            .cloned()
            .collect()
    }

    /// Does something, if it can be done now.
    fn op(&mut self, op: WorldOp) -> bool {
        if self.world.check(&op).is_err() {
            return false;
        }
        self.note(self.client_of(&op), format!("{op:?}"));
        self.world.do_op(Arc::new(op));
        true
    }

    fn link(&mut self, client: &str, way: Way, change: LinkChange) {
        self.op(WorldOp::Link {
            client: client.into(),
            way,
            change,
        });
    }

    fn request(&mut self, text: String, request: Request) {
        self.note(None, text);
        self.world.submit(Arc::new(request));
    }

    fn note(&mut self, client: Option<String>, text: String) {
        // Only who tells the story again wants to know.
        if self.log.is_some() {
            let step = self.world.steps();
            self.done.push(Done { step, client, text });
        }
    }

    /// Whom something is done to.
    fn client_of(&self, op: &WorldOp) -> Option<String> {
        match op {
            WorldOp::Watch(start) => start.client.clone(),
            WorldOp::Unwatch { name } | WorldOp::Progress { name } => {
                let (_, client) = self.world.holder(name)?;
                Some(client.name().to_string())
            }
            WorldOp::ListWatch { name, .. } | WorldOp::Crowd { name, .. } => Some(name.clone()),
            WorldOp::Pause(NodeName::Client(client))
            | WorldOp::Resume(NodeName::Client(client))
            | WorldOp::Slow { client, .. }
            | WorldOp::Disconnect { client }
            | WorldOp::Connect { client }
            | WorldOp::Stop { client }
            | WorldOp::Start { client }
            | WorldOp::Link { client, .. } => Some(client.clone()),
            _ => None,
        }
    }

    /// Lets time pass.
    fn pass(&mut self, span: SimDuration) {
        let until = self.world.now() + span;
        self.world.sleep(span);
        while self.world.next_at().is_some_and(|at| at <= until) {
            self.step();
        }
    }

    fn step(&mut self) {
        assert!(
            self.world.steps() < STEPS_MAX,
            "the world of seed {} goes on for ever",
            self.seed
        );
        let (guard, log) = (&mut self.guard, &mut self.log);
        self.world.step(&mut |event: Event| {
            guard.observe(&event);
            if let Some(log) = log {
                log.observe(&event);
            }
        });
    }

    fn is_connected(&self, client: &str) -> bool {
        let found = self.world.client_named(client);
        found.is_some_and(|(_, client)| client.is_connected())
    }
}
