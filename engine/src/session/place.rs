//! Where a command runs: at the end of the run, or in a copy of the world at an earlier step.

use std::sync::Arc;

use crate::api::{Reply, Request};
use crate::sim::outbox::{KubectlReply, RequestId};
use crate::view::EntryKind;
use crate::world::{Destination, Kubectl, World};

use super::run::Run;

/// The world of a command.
#[derive(Debug)]
pub(super) enum Place {
    /// The newest world of the run. The steps of the command become steps of the run.
    Run,
    /// A copy of the world at an earlier step. The command reads this world, and the run does not change.
    Aside(Box<World>),
}

impl Place {
    pub(super) fn is_run(&self) -> bool {
        matches!(self, Self::Run)
    }

    pub(super) fn world<'a>(&'a self, run: &'a Run) -> &'a World {
        match self {
            Self::Run => run.head(),
            Self::Aside(world) => world,
        }
    }

    /// Returns the copy of the world, if the command runs in one.
    pub(super) fn aside(&mut self) -> Option<&mut World> {
        match self {
            Self::Run => None,
            Self::Aside(world) => Some(world),
        }
    }

    pub(super) fn entry_kind(&self) -> EntryKind {
        match self {
            Self::Run => EntryKind::Step,
            Self::Aside(_) => EntryKind::Peek,
        }
    }

    pub(super) fn submit(
        &mut self,
        run: &mut Run,
        to: Destination,
        request: Arc<Request>,
    ) -> RequestId {
        match self {
            Self::Run => run.submit(to, request),
            Self::Aside(world) => world.submit_to(to, request),
        }
    }

    pub(super) fn take_reply(&mut self, run: &mut Run, id: RequestId) -> Option<Reply> {
        match self {
            Self::Run => run.take_reply(id),
            Self::Aside(world) => world.take_reply(id),
        }
    }

    pub(super) fn submit_kubectl(&mut self, run: &mut Run, request: Kubectl) -> RequestId {
        match self {
            Self::Run => run.submit_kubectl(request),
            Self::Aside(world) => world.kubectl(Arc::new(request)),
        }
    }

    pub(super) fn take_kubectl_reply(
        &mut self,
        run: &mut Run,
        id: RequestId,
    ) -> Option<KubectlReply> {
        match self {
            Self::Run => run.take_kubectl_reply(id),
            Self::Aside(world) => world.take_kubectl_reply(id),
        }
    }
}
