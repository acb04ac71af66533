//! Where the cursor stands in a world with clients, and what is known of the run up to there.

use crate::base::ids::NodeId;
use crate::etcd::EtcdServer;
use crate::observe::{WatcherLog, WatcherMark};
use crate::trace::{Event, EventId};
use crate::world::World;

use super::narrate::Past;

/// A moment of a run, for pictures of watchers and messages.
#[derive(Clone, Copy, Debug)]
pub struct WorldMoment<'a> {
    /// The world there.
    pub world: &'a World,
    /// The member whose store and watchers are shown.
    pub member: NodeId,
    /// The step.
    pub step: u64,
    /// What happened in the step.
    pub here: &'a [Event],
    /// What was written, what was sent, and what clients heard.
    pub past: Past<'a>,
    /// Where to find what happened to a watcher.
    pub watcher_log: &'a WatcherLog,
}

impl<'a> WorldMoment<'a> {
    /// The member that is shown.
    ///
    /// # Panics
    /// When the world has no such member.
    pub fn etcd(&self) -> &'a EtcdServer {
        let found = self.world.member(self.member);
        found.expect("a member that there is can be shown")
    }

    /// An event by its number.
    pub(super) fn event(&self, id: EventId) -> Option<Event> {
        self.past.recorded.event(id)
    }

    /// The event that a mark stands for, unless that is a response.
    pub(super) fn marked(&self, mark: &WatcherMark) -> Option<&'a Event> {
        self.watcher_log.event(mark)
    }

    /// The store's revision.
    pub(super) fn head(&self) -> i64 {
        self.world.at_endpoint().store().current_rev()
    }
}
