//! Everything that is simulated, and the step that moves it.
//!
//! Only the world knows all kinds of nodes. [`World::step`] takes the one thing that is due next,
//! hands it to its node, and turns what the node wants done into things due later.

pub mod config;
pub mod op;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::{Reply, Request};
use crate::base::digest::Digest;
use crate::base::time::{SimDuration, SimTime};
use crate::etcd::{self, EtcdServer};
use crate::sim::outbox::RequestId;
use crate::sim::{Outbox, Schedule};
use crate::trace::{Event, EventId, TraceEvent};

pub use config::Config;

/// A world: one member, the things due, and the time.
///
/// Cloning one is cheap (rows and index are shared), which is what keyframes are made of.
///
/// ```
/// use watchglass_engine::api::{PutRequest, Request};
/// use watchglass_engine::world::{Config, World};
/// let mut world = World::new(Config::default());
/// let put = PutRequest { key: "a".into(), value: "1".into(), ..PutRequest::default() };
/// let id = world.submit(Request::Put(put).into());
/// let mut trace = Vec::new();
/// while world.reply(id).is_none() {
///     world.step(&mut |event| trace.push(event));
/// }
/// assert_eq!(world.etcd().store().current_rev(), 2);
/// assert!(!trace.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct World {
    config: Config,
    now: SimTime,
    steps: u64,
    events: u64,
    requests: u64,
    due: Schedule<Due>,
    etcd: EtcdServer,
    replies: BTreeMap<RequestId, Reply>,
}

/// How long a run can last: a hundred years. Far from where microseconds would overflow.
const TIME_MAX: SimTime = SimTime(100 * 365 * 24 * 3600 * 1_000_000);

/// Something due, and the event that made it so.
#[derive(Clone, Debug)]
struct Due {
    cause: Option<EventId>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// A request reaches the member.
    Deliver {
        id: RequestId,
        request: Arc<Request>,
    },
    /// One of the member's timers fires.
    Etcd(etcd::Timer),
    /// Somebody wanted time to pass, and now it has.
    Woken { slept: SimDuration },
}

impl World {
    /// A world before anything has happened.
    pub fn new(config: Config) -> Self {
        Self {
            now: SimTime(0),
            steps: 0,
            events: 0,
            requests: 0,
            due: Schedule::default(),
            etcd: EtcdServer::new(config.profile),
            replies: BTreeMap::new(),
            config,
        }
    }

    /// What it was made from.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The present.
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Steps made so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The member.
    pub fn etcd(&self) -> &EtcdServer {
        &self.etcd
    }

    /// When the next thing is due.
    pub fn next_at(&self) -> Option<SimTime> {
        self.due.next_at()
    }

    /// Sends a request to the member; it arrives after the config's pace.
    pub fn submit(&mut self, request: Arc<Request>) -> RequestId {
        self.requests += 1;
        let id = RequestId(self.requests);
        let at = self.now + self.config.command_pace;
        self.due.add(
            at,
            Due {
                cause: None,
                what: What::Deliver { id, request },
            },
        );
        id
    }

    /// Lets at least `duration` pass: a step that is due then.
    pub fn sleep(&mut self, duration: SimDuration) {
        let what = What::Woken { slept: duration };
        self.due.add(self.now + duration, Due { cause: None, what });
    }

    /// Whether time can still run on for so long.
    pub fn can_sleep(&self, duration: SimDuration) -> bool {
        self.now.0.saturating_add(duration.0) <= TIME_MAX.0
    }

    /// Takes back what was sent and has not arrived, and sleeps that have not ended. Says how many
    /// there were.
    pub fn drop_undelivered(&mut self) -> u64 {
        self.due.retain(|due| matches!(due.what, What::Etcd(_)))
    }

    /// The answer to a request, once it is there.
    pub fn reply(&self, id: RequestId) -> Option<&Reply> {
        self.replies.get(&id)
    }

    /// Takes the answer away, so that it is not kept for ever.
    pub fn take_reply(&mut self, id: RequestId) -> Option<Reply> {
        self.replies.remove(&id)
    }

    /// Does the next thing that is due and tells `trace` what happened. False when nothing is due.
    pub fn step(&mut self, trace: &mut dyn FnMut(Event)) -> bool {
        let Some((at, due)) = self.due.pop() else {
            return false;
        };
        assert!(
            at >= self.now,
            "time runs forward: {at} is due at {}",
            self.now
        );
        self.now = at;
        self.steps += 1;
        let mut out = Outbox::default();
        match due.what {
            What::Deliver { id, request } => self.etcd.handle(at, id, &request, &mut out),
            What::Etcd(timer) => self.etcd.wake(at, timer, &mut out),
            What::Woken { slept } => out.trace(TraceEvent::TimePassed {
                duration_us: slept.0,
            }),
        }
        let last = self.record(due.cause, &mut out, trace);
        for (after, timer) in out.timers {
            self.due.add(
                at + after,
                Due {
                    cause: last,
                    what: What::Etcd(timer),
                },
            );
        }
        self.replies.extend(out.replies);
        true
    }

    /// Numbers the events of a step, each caused by the one before it, and hands them on. Numbers
    /// are given whether anybody listens or not, so that tracing changes nothing.
    fn record(
        &mut self,
        cause: Option<EventId>,
        out: &mut Outbox<etcd::Timer>,
        trace: &mut dyn FnMut(Event),
    ) -> Option<EventId> {
        let mut cause = cause;
        for what in out.trace.drain(..) {
            self.events += 1;
            let id = EventId(self.events);
            trace(Event {
                id,
                at: self.now,
                step: self.steps,
                cause,
                what,
            });
            cause = Some(id);
        }
        cause
    }

    /// A hash of the state: equal for equal config and inputs, natively and in wasm. Of what is on
    /// its way only when and in which order it is due; of answers nothing.
    pub fn digest(&self) -> u64 {
        let mut d = Digest::new();
        self.config.digest(&mut d);
        d.u64(self.now.0);
        d.u64(self.steps);
        d.u64(self.events);
        d.u64(self.requests);
        for (at, seq) in self.due.slots() {
            d.u64(at.0);
            d.u64(seq);
        }
        self.etcd.digest(&mut d);
        d.finish()
    }
}
