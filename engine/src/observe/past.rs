//! The data of a run up to one step: the input of the views, of the narration and of the checks of lessons.

use std::sync::Arc;

use crate::api::{Profile, Reply, Request};
use crate::base::Bytes;
use crate::base::ids::NodeId;
use crate::etcd::EtcdServer;
use crate::mvcc::KvStore;
use crate::trace::{Event, EventId};
use crate::words::names as words;
use crate::world::World;

use super::{
    ClientLog, History, KubeLog, MetricHistory, Recorded, WatchLog, WatcherLog, WatcherMark,
};

/// A request that a person typed at an earlier step of the run, with its reply. The request changed nothing.
#[derive(Clone, Copy, Debug)]
pub struct AsideRequest<'a> {
    pub command: &'a str,
    pub request: &'a Request,
    pub reply: &'a Reply,
}

/// The data of a run up to one step.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// The world after the step.
    pub world: &'a World,
    /// The displayed member: the member whose store and watchers the views show.
    pub member: NodeId,
    pub step: u64,
    /// The command line of the step.
    pub command: &'a str,
    /// The trace events of the step; empty if the command at the cursor made no step.
    pub events: &'a [Event],
    /// Whether the command at the cursor made no step. The changes of the step then belong to an earlier command, so no
    /// view marks them as new.
    pub makes_no_step: bool,
    /// The command at the cursor, if a person typed it at an earlier step and it is a request to etcd.
    pub aside: Option<AsideRequest<'a>>,
    /// The key, watcher or node that the beat at the cursor highlights.
    pub focus: Option<&'a str>,
    /// All written changes, including changes after the step.
    pub history: &'a History,
    /// The store's revision at the end of the run.
    pub end_revision: i64,
    /// The watch requests of clients, and the responses that the clients received.
    pub watch_log: &'a WatchLog,
    /// The trace events of each watcher, watch and node.
    pub watcher_log: &'a WatcherLog,
    /// The requests to API servers, and their responses.
    pub kube_log: &'a KubeLog,
    /// The operations of clients on single keys of a cluster.
    pub client_log: &'a ClientLog,
    pub metrics: &'a MetricHistory,
    /// The events, messages and times of the run, for lookups by step or number.
    pub recorded: &'a dyn Recorded,
}

impl<'a> Past<'a> {
    /// Returns the displayed member.
    ///
    /// # Panics
    /// Panics if the world has no such member.
    pub fn etcd(&self) -> &'a EtcdServer {
        let found = self.world.member(self.member);
        found.expect("the displayed member exists")
    }

    /// Returns the store of the displayed member.
    pub fn store(&self) -> &'a KvStore {
        self.etcd().store()
    }

    /// Returns true if the views mark the changes of a step as new.
    pub fn is_new(&self, step: u64) -> bool {
        step == self.step && !self.makes_no_step
    }

    pub fn profile(&self) -> Profile {
        self.world.config().profile
    }

    /// Returns a node's name. The name of a client is known even if the client no longer exists.
    pub fn node_name(&self, node: NodeId) -> Arc<str> {
        match node {
            NodeId::Member(_) => self.world.node_name(node).into(),
            _ => self.watch_log.node_name(node),
        }
    }

    pub fn event(&self, id: EventId) -> Option<Event> {
        self.recorded.event(id)
    }

    /// Returns the trace event of an entry of the watcher log; `None` if the entry is a response, which the trace does
    /// not store.
    pub fn marked(&self, mark: &WatcherMark) -> Option<&'a Event> {
        self.watcher_log.event(mark)
    }

    /// Returns the revision of the displayed member's store.
    pub fn head(&self) -> i64 {
        self.store().current_rev()
    }

    /// Returns the name of a watcher. Before the created response reaches the client, the name is only in the client's
    /// own data.
    pub fn name_of(&self, watcher: u64) -> String {
        let named = self.watch_log.watcher_name(watcher);
        let asked = || {
            let (stream, watch_id) = self.watch_log.place_of(watcher)?;
            self.world.watch_name(stream, watch_id)
        };
        match named.or_else(asked) {
            Some(name) => name.to_string(),
            None => words::watcher(watcher),
        }
    }

    /// Returns true if the change at this revision recreated the key after a delete.
    pub fn came_back(&self, key: &Bytes, main: i64) -> bool {
        let change = self.history.lane(key).and_then(|lane| {
            let at = lane.changes.partition_point(|c| c.main < main);
            lane.changes.get(at)
        });
        change.is_some_and(|c| c.life > 0)
    }
}
