//! Random worlds: writers, watchers, a bad network and failures, all from one seed.
//!
//! The seed alone determines the world, so that a failure can be reproduced from its seed. At the end, every paused or
//! disconnected node is released, and then every active watch must receive every event.

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

/// The minimum and maximum number of actions in one world.
const ACTIONS: (u64, u64) = (20, 70);

/// The maximum time for a world to come to rest. On a bad link, the last of eight attempts to send a message happens 51
/// s after the first attempt, and later messages wait behind that message.
const REST_MAX: SimDuration = SimDuration::from_millis(600_000);

const REST_LOOK: SimDuration = SimDuration::from_millis(500);

/// A number of steps that a correct world never reaches. If a world reaches this number, the test fails.
const STEPS_MAX: u64 = 200_000;

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

struct Done {
    /// The number of steps of the world before the action.
    step: u64,
    /// The client that the action affected; `None` if it affected no client.
    client: Option<String>,
    text: String,
}

pub(crate) struct Outcome {
    /// The observer of all guarantees, at the end of the run.
    pub(crate) guard: Guard,
    /// The watches that had not received all events at the end, although nothing delayed them.
    pub(crate) restless: Vec<Arc<str>>,
}

/// Returns the profile for a seed: 3.4 for every fourth seed, otherwise 3.6.
pub(crate) fn profile_of(seed: u64) -> Profile {
    match seed % 4 {
        0 => Profile::V3_7,
        1 => Profile::V3_6,
        2 => Profile::V3_5,
        _ => Profile::V3_4,
    }
}

/// Runs the random world that a seed determines, until the world is at rest. `prepare` can plant a fault in the world.
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

    /// Releases everything that is paused or held, and waits until every message has arrived.
    fn come_to_rest(&mut self) {
        // Lets the last action take effect.
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
            // A resumed node may need a step.
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

    /// Executes an operation if it is possible now; returns true if it was executed.
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
        // Only a retold world needs the texts.
        if self.log.is_some() {
            let step = self.world.steps();
            self.done.push(Done { step, client, text });
        }
    }

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
