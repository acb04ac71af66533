//! The end of a process that uses too much memory.
//!
//! Mirrors the OOM killer of Linux, which kills a process above the memory limit of its cgroup. The kubelet restarts
//! the process ten seconds later (the first delay of `CrashLoopBackOff`). Only responses count as memory: responses
//! that the process works on, and responses that wait until their link is free. An API server that encodes lists piece
//! by piece (since 1.33) needs no memory for responses that are encoded. Left out: the memory of the store, of caches
//! and of the page cache, and later delays of `CrashLoopBackOff`.

use crate::apiserver::ApiServer;
use crate::base::ids::NodeId;
use crate::base::time::SimDuration;
use crate::client::etcd::client::Client;
use crate::client::kube::client::KubeClient;
use crate::etcd::GrpcProxy;
use crate::words::changes as words;

use super::life::LifeChange;
use super::node::{Member, Node};
use super::{Cause, Trace, World, WorldEvent, WorldEventKind};

/// The time between the end of a killed process and its restart.
const RESTART_DELAY: SimDuration = SimDuration::from_millis(10_000);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProcessMemory {
    /// The memory of all responses that are not sent yet, in bytes.
    pub used: u64,
    /// The limit in bytes; 0 for no limit.
    pub limit: u64,
    /// The number of times that the operating system killed the process.
    pub kills: u64,
}

impl ProcessMemory {
    fn is_over(self) -> bool {
        self.limit > 0 && self.used > self.limit
    }
}

impl World {
    /// Returns the memory of the process of a member or an API server.
    pub fn memory_of(&self, node: NodeId) -> Option<ProcessMemory> {
        match self.nodes.get(&node)? {
            Node::Member(member) => Some(ProcessMemory {
                used: member.server.processor().memory() + self.network.backlog(self.now, node),
                limit: member.server.cost().etcd_memory,
                kills: member.kills,
            }),
            Node::ApiServer(server) => Some(ProcessMemory {
                used: server.memory()
                    + match server.streams_lists() {
                        true => 0,
                        false => self.network.backlog(self.now, node),
                    },
                limit: server.cost().server_memory,
                kills: server.kills(),
            }),
            Node::Etcdctl(_) | Node::Client(_) | Node::KubeClient(_) | Node::Proxy(_) => None,
        }
    }

    /// Schedules the end of a process by the OOM killer if the process uses too much memory.
    pub(super) fn check_memory(&mut self, node: NodeId, cause: Cause) {
        let is_over = self.memory_of(node).is_some_and(ProcessMemory::is_over);
        if is_over && self.is_running(node) {
            let what = WorldEventKind::OutOfMemory(node);
            self.due.add(self.now, WorldEvent { cause, what });
        }
    }

    pub(super) fn kill(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        let memory = self.memory_of(node).filter(|memory| memory.is_over());
        let Some(memory) = memory.filter(|_| self.is_running(node)) else {
            return; // Another event already ended the process.
        };
        let name = self.node_name(node);
        let sentence = words::out_of_memory(&name, memory.used, memory.limit);
        let cause = self.changed(cause, Some(node), sentence, trace);
        match node {
            NodeId::Member(_) => self.stop_etcd(cause, node, trace),
            _ => self.change_life(cause, node, LifeChange::Stop, trace),
        }
        // A new process is not paused, even if the killed process was.
        self.paused.remove(&node);
        for (at, due) in self.waiting.remove(&node).unwrap_or_default() {
            if due.timer_of() != Some(node) {
                self.due.add(at.max(self.now), due);
            }
        }
        if let Some(member) = self.state::<Member>(node) {
            member.kills += 1;
        }
        if let Some(server) = self.state::<ApiServer>(node) {
            server.count_kill();
        }
        let what = WorldEventKind::Restart(node);
        self.due
            .add(self.now + RESTART_DELAY, WorldEvent { cause, what });
    }

    /// Starts a killed process, unless the user has started the process already.
    pub(super) fn restart(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        match node {
            _ if self.is_running(node) => {}
            NodeId::Member(_) => self.start_etcd(cause, node, trace),
            _ => self.change_life(cause, node, LifeChange::Start, trace),
        }
    }

    /// Returns true if the process of a node is running. The terminal always runs.
    pub fn is_running(&self, node: NodeId) -> bool {
        match node {
            NodeId::Member(_) => self.runs(node),
            NodeId::Etcdctl => true,
            NodeId::Client(_) => self.client(node).is_some_and(Client::is_running),
            NodeId::ApiServer(_) => self.apiserver(node).is_some_and(ApiServer::is_running),
            NodeId::KubeClient(_) => self.kube_client(node).is_some_and(KubeClient::is_running),
            NodeId::Proxy => self.proxy().is_some_and(GrpcProxy::is_running),
        }
    }

    /// Removes the scheduled restart of a process, because the user starts the process.
    pub(super) fn forget_restart(&mut self, node: NodeId) {
        self.due
            .retain(|due| !matches!(due.what, WorldEventKind::Restart(of) if of == node));
    }
}
