//! The external inputs of a run, and replays of these inputs.

use std::sync::Arc;

use crate::api::{PutRequest, Request};
use crate::base::Bytes;
use crate::base::shared_list::{ListIter, SharedList};
use crate::base::time::SimDuration;
use crate::observe::History;
use crate::trace::Event;
use crate::world::op::WorldOp;
use crate::world::{Destination, Kubectl, World};

/// A callback that receives each event, together with the world after the event's step.
pub(super) type Trace<'a> = &'a mut dyn FnMut(Event, &World);

/// The inputs of a run, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs(SharedList<Input>);

/// An external input, and the number of the step before the input.
#[derive(Clone, Debug)]
struct Input {
    after_step: u64,
    what: InputKind,
}

#[derive(Clone, Debug)]
pub(super) enum InputKind {
    /// A put of a key and a value. Most inputs of a long run are puts, and this variant needs much less memory than a
    /// request.
    Put(Bytes, Bytes),
    /// A request to the member that etcdctl uses by default.
    Request(Arc<Request>),
    /// A request to members other than the default endpoint, or with another timeout than the default.
    RequestTo(Arc<Destination>, Arc<Request>),
    Kubectl(Arc<Kubectl>),
    Sleep(SimDuration),
    Op(Arc<WorldOp>),
    /// Removes the requests that were submitted but have not been delivered to the world.
    Cancel,
}

impl InputKind {
    /// Creates the input for a request to etcd. To save memory, the input for a put shares the bytes of the key with
    /// `past`.
    pub(super) fn request(request: &Arc<Request>, past: &History) -> Self {
        match &**request {
            Request::Put(put) if *put == plain_put(&put.key, &put.value) => {
                let key = past.lane(&put.key).map_or(&put.key, |lane| &lane.key);
                Self::Put(key.clone(), put.value.clone())
            }
            _ => Self::Request(request.clone()),
        }
    }

    pub(super) fn apply(&self, world: &mut World) {
        match self {
            Self::Put(key, value) => {
                world.submit(Request::Put(plain_put(key, value)).into());
            }
            Self::Request(request) => {
                world.submit(request.clone());
            }
            Self::RequestTo(to, request) => {
                world.submit_to(Destination::clone(to), request.clone());
            }
            Self::Sleep(duration) => world.sleep(*duration),
            Self::Op(op) => world.do_op(op.clone()),
            Self::Kubectl(request) => {
                world.kubectl(request.clone());
            }
            Self::Cancel => {
                world.drop_undelivered();
            }
        }
    }
}

fn plain_put(key: &Bytes, value: &Bytes) -> PutRequest {
    PutRequest {
        key: key.clone(),
        value: value.clone(),
        ..PutRequest::default()
    }
}

impl Inputs {
    pub(super) fn add(&mut self, after_step: u64, what: InputKind) {
        self.0.push(Input { after_step, what });
    }

    /// Returns the input with this number, counted from 0, and the number of the step before the input. The step comes
    /// first.
    pub(super) fn get(&self, number: usize) -> Option<(u64, &InputKind)> {
        let input = self.0.get(number)?;
        Some((input.after_step, &input.what))
    }

    /// Returns the inputs before a step, for a fork of the run.
    pub(super) fn before(&self, step: u64) -> Self {
        Self(self.0.first(self.place(step)))
    }

    /// Returns true if the run has an input, other than a wait, after the end of step `after` and before the end of
    /// step `before`.
    pub(super) fn has_actions(&self, after: u64, before: u64) -> bool {
        let mut inputs = self.0.range(self.place(after)..self.place(before));
        inputs.any(|input| !matches!(input.what, InputKind::Sleep(_)))
    }

    fn place(&self, step: u64) -> usize {
        self.0.partition_point(|input| input.after_step < step)
    }

    /// Returns the inputs that `world` has not received yet. `world` must be at the start of the run or directly after
    /// a step.
    fn since(&self, world: &World) -> ListIter<'_, Input> {
        self.0.range(self.place(world.steps())..self.0.len())
    }

    /// Applies the inputs after the last step of the run to a world at the end of the run.
    pub(super) fn apply_rest(&self, world: &mut World) {
        for input in self.since(world) {
            input.what.apply(world);
        }
    }

    /// Replays the steps of a world up to step `upto`. `trace`, if any, receives the events.
    ///
    /// # Panics
    /// Panics if the world does not belong to this run.
    pub(super) fn replay(&self, world: &mut World, upto: u64, mut trace: Option<Trace<'_>>) {
        let mut inputs = self.since(world).peekable();
        let mut events = Vec::new();
        while world.steps() < upto {
            while let Some(input) = inputs.next_if(|i| i.after_step == world.steps()) {
                input.what.apply(world);
            }
            let stepped = match &mut trace {
                None => world.step_untraced(),
                Some(trace) => {
                    let stepped = world.step(&mut |event| events.push(event));
                    for event in events.drain(..) {
                        trace(event, world);
                    }
                    stepped
                }
            };
            assert!(stepped, "a replay must have the same steps as the run");
        }
    }
}

/// A replay in progress: a world and its target step.
#[derive(Clone, Debug)]
pub struct Replay {
    world: Box<World>,
    to: u64,
}

impl Replay {
    pub(super) fn new(world: World, to: u64) -> Self {
        let world = Box::new(world);
        Self { world, to }
    }

    /// Replays at most `steps` further steps; returns true once the world is at the target step.
    pub(super) fn advance(&mut self, inputs: &Inputs, steps: u64) -> bool {
        let upto = self.world.steps().saturating_add(steps).min(self.to);
        inputs.replay(&mut self.world, upto, None);
        self.world.steps() == self.to
    }

    /// Returns the step at which the replay ends.
    pub fn to(&self) -> u64 {
        self.to
    }

    /// Returns the number of steps until the replay ends.
    pub fn left(&self) -> u64 {
        self.to - self.world.steps()
    }

    /// Returns the world at the current step of the replay.
    pub fn world(&self) -> &World {
        &self.world
    }

    pub fn into_world(self) -> World {
        *self.world
    }
}
