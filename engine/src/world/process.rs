//! The member's process: it ends, its store is put back, it begins again.
//!
//! While it does not run nothing reaches it: what is typed waits as long as etcdctl would try, and
//! everybody else is cut off. Left out: how long clients wait before they try to connect again, which
//! for gRPC's is a second at first; here they are there when the member is.

use std::sync::Arc;

use crate::api::message::Body;
use crate::base::ids::NodeId;
use crate::sim::Outbox;
use crate::trace::{ClientTrace, Event, EventId, TraceEvent};

use super::life::LifeChange;
use super::{What, World};

type Cause = Option<EventId>;
type Trace<'a> = &'a mut dyn FnMut(Event);

impl World {
    /// Whether the member's process runs.
    pub fn etcd_runs(&self) -> bool {
        self.etcd_stopped.is_none()
    }

    /// The names of the snapshots that were kept.
    pub fn backups(&self) -> impl Iterator<Item = &Arc<str>> {
        self.backups.keys()
    }

    pub(super) fn stop_etcd(&mut self, cause: Cause, trace: Trace<'_>) {
        let told = ClientTrace::Stopped {
            node: NodeId::FIRST_MEMBER,
        };
        let cause = self.tell(cause, TraceEvent::Client(told), trace);
        let clients = self.clients().filter(|(_, client)| client.is_connected());
        let servers = self.apiservers().filter(|(_, s)| s.is_connected());
        let cut: Vec<NodeId> = clients.map(|(node, _)| node).collect();
        let cut = cut.into_iter().chain(servers.map(|(node, _)| node));
        let cut: Vec<NodeId> = cut.collect();
        for node in &cut {
            self.change_life(cause, *node, LifeChange::Disconnect, trace);
        }
        self.due
            .retain(|due| due.what.timer_of() != Some(NodeId::FIRST_MEMBER));
        self.etcd_stopped = Some(cut);
    }

    pub(super) fn start_etcd(&mut self, cause: Cause, trace: Trace<'_>) {
        let cut = self.etcd_stopped.take().unwrap_or_default();
        let told = ClientTrace::Started {
            node: NodeId::FIRST_MEMBER,
        };
        let cause = self.tell(cause, TraceEvent::Client(told), trace);
        let mut out = Outbox::default();
        let now = self.local_now(NodeId::FIRST_MEMBER);
        self.etcd.restart(now, &mut out);
        self.follow_etcd(cause, out, trace);
        // Who was cut off connects again, and so does who came while nobody was there.
        let clients = self.clients().filter(|(node, client)| {
            client.is_running() && (cut.contains(node) || client.is_connected())
        });
        let clients: Vec<NodeId> = clients.map(|(node, _)| node).collect();
        let servers = self.apiservers().filter(|(node, server)| {
            server.is_running() && (cut.contains(node) || server.is_connected())
        });
        let servers: Vec<NodeId> = servers.map(|(node, _)| node).collect();
        for node in clients.into_iter().chain(servers) {
            self.change_life(cause, node, LifeChange::Connect, trace);
        }
        for (_, due) in self
            .waiting
            .remove(&NodeId::FIRST_MEMBER)
            .unwrap_or_default()
        {
            let is_tried = match &due.what {
                What::Arrive(flight) => match &*flight.body {
                    Body::Call { call, .. } if flight.from == NodeId::Etcdctl => {
                        self.etcdctl.waits_for(*call)
                    }
                    _ => false,
                },
                _ => false,
            };
            if is_tried {
                self.due.add(self.now, due);
            }
        }
    }

    pub(super) fn keep_backup(&mut self, cause: Cause, name: &str, trace: Trace<'_>) {
        let backup = self.etcd.backup();
        let what = format!("a snapshot of revision {} is {name}", backup.revision());
        self.backups.insert(name.into(), Arc::new(backup));
        let node = Some(NodeId::FIRST_MEMBER);
        let what = what.into();
        self.tell(
            cause,
            TraceEvent::Client(ClientTrace::Changed { node, what }),
            trace,
        );
    }

    pub(super) fn restore_backup(
        &mut self,
        cause: Cause,
        (name, bump, mark_compacted): (&str, u64, bool),
        trace: Trace<'_>,
    ) {
        let backup = self.backups[name].clone();
        let mut out = Outbox::default();
        self.etcd.restore(&backup, bump, mark_compacted, &mut out);
        self.follow_etcd(cause, out, trace);
    }

    /// Whether the member can be stopped, started, or given another store.
    pub(super) fn check_etcd(&self, must_run: bool) -> Result<(), String> {
        match (self.etcd_runs(), must_run) {
            (true, false) => Err("etcd runs; `stop etcd` first".into()),
            (false, true) => Err("etcd has ended; `start etcd` begins it again".into()),
            _ if self.is_paused(NodeId::FIRST_MEMBER) => {
                Err("etcd is paused; `resume etcd` first".into())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn check_backup(&self, name: &str) -> Result<(), String> {
        if self.backups.contains_key(name) {
            return Ok(());
        }
        let known: Vec<&str> = self.backups().map(|name| &**name).collect();
        Err(if known.is_empty() {
            format!("there is no snapshot {name}; `snapshot save {name}` makes one")
        } else {
            format!(
                "there is no snapshot {name}; there are {}",
                known.join(", ")
            )
        })
    }
}
