//! The member's process: stops, restarts, power failures and snapshots.
//!
//! A stopped member receives no messages. Requests from etcdctl wait until they time out, and all other clients are
//! disconnected. Clients reconnect as soon as the member starts. Not simulated: the delay before clients reconnect,
//! which gRPC sets to one second at first.

use std::sync::Arc;

use crate::api::EtcdError;
use crate::api::message::{Body, EtcdMessage};
use crate::apiserver::ApiServer;
use crate::backend::Backend;
use crate::base::ids::NodeId;
use crate::base::rng::Rng;
use crate::base::time::SimTime;
use crate::bbolt::Crash;
use crate::client::etcd::client::Client;
use crate::client::etcd::login::Login;
use crate::etcd::{Backup, EtcdServer, Recovery};
use crate::trace::{ClientTrace, TraceEvent};
use crate::words::changes as words;

use super::life::LifeChange;
use super::node::{Member, Node};
use super::resolve::{ResolvedOp, no_such, refuse, resolved};
use super::{Cause, FIRST_MEMBER, Trace, World, WorldEventKind};

impl World {
    pub fn runs(&self, member: NodeId) -> bool {
        match self.nodes.get(&member) {
            Some(Node::Member(member)) => member.cut_off.is_none(),
            _ => false,
        }
    }

    /// Returns the names of all saved snapshots.
    pub fn backups(&self) -> impl Iterator<Item = &Arc<str>> {
        self.backups.keys()
    }

    pub fn backup(&self, name: &str) -> Option<&Backup> {
        self.backups.get(name).map(|backup| &**backup)
    }

    /// A member's backend at the current time. If a periodic commit is due, the returned backend has already committed.
    pub fn backend(&self, member: NodeId) -> Option<Backend> {
        let backend = self.member(member)?.store().backend();
        Some(match self.is_paused(member) {
            true => backend.clone(),
            false => backend.at(self.local_now(member)),
        })
    }

    /// Returns the time on the monotonic clock of a node.
    pub fn time_of(&self, node: NodeId) -> SimTime {
        self.local_now(node)
    }

    pub(super) fn stop_etcd(&mut self, cause: Cause, etcd: NodeId, trace: Trace<'_>) {
        let event = ClientTrace::Stopped { node: etcd };
        let cause = self.tell(etcd, cause, TraceEvent::Client(event), trace);
        let is_cut = |to: NodeId, is_connected| to == etcd && is_connected;
        let clients = self.clients().filter(|(_, c)| !c.distributes());
        let clients = clients.filter(|(_, c)| is_cut(c.etcd(), c.is_connected()));
        let mut cut: Vec<NodeId> = clients.map(|(node, _)| node).collect();
        self.disconnect_distributors(cause, etcd, trace);
        self.cut_off_proxy(cause, etcd, trace);
        for (node, is_only_member) in self.servers_of(etcd) {
            if !is_only_member {
                self.cut_streams_to(cause, node, etcd, trace);
                self.with(node, cause, trace, |server: &mut ApiServer, out| {
                    server.member_stopped(etcd, out);
                });
            } else if self.apiserver(node).is_some_and(ApiServer::is_connected) {
                cut.push(node);
            }
        }
        for node in &cut {
            self.change_life(cause, *node, LifeChange::Disconnect, trace);
        }
        self.network.drop_backlog(self.now, etcd, NodeId::Etcdctl);
        self.due.retain(|due| due.timer_of() != Some(etcd));
        let now = self.local_now(etcd);
        if let Some(member) = self.state::<Member>(etcd) {
            member.server.stop(now);
            member.cut_off = Some(cut);
        }
        self.break_typed(cause, etcd, trace);
    }

    /// Simulates a power failure of the member's machine, which also stops the process.
    pub(super) fn crash_etcd(&mut self, cause: Cause, etcd: NodeId, trace: Trace<'_>) {
        let (now, planted) = (self.local_now(etcd), self.planted);
        let mut rng = Rng::stream(self.seed(), &format!("crash after step {}", self.steps));
        let Some(member) = self.state::<Member>(etcd) else {
            return;
        };
        let crash = member.server.crash(now, planted, &mut rng);
        let crash = crash.expect("one of the two meta pages is valid");
        let sentence = crash_sentence(&self.node_name(etcd), crash);
        let cause = self.changed(cause, Some(etcd), sentence, trace);
        self.stop_etcd(cause, etcd, trace);
    }

    pub(super) fn start_etcd(&mut self, cause: Cause, etcd: NodeId, trace: Trace<'_>) {
        self.forget_restart(etcd);
        let member = self.state::<Member>(etcd);
        let cut = member.and_then(|member| member.cut_off.take());
        let cut = cut.unwrap_or_default();
        let event = ClientTrace::Started { node: etcd };
        let cause = self.tell(etcd, cause, TraceEvent::Client(event), trace);
        let mut recovery = None;
        self.with_member(etcd, cause, trace, |member, out| {
            recovery = Some(member.restart(out));
        });
        if let Some(recovery) = recovery {
            let sentence = recovery_sentence(&self.node_name(etcd), recovery);
            self.changed(cause, Some(etcd), sentence, trace);
        }
        // All disconnected clients reconnect, including clients that were added while the member was stopped.
        let clients = self.clients().filter(|(node, client)| {
            client.is_running()
                && !client.distributes()
                && (cut.contains(node) || client.etcd() == etcd && client.is_connected())
        });
        let clients: Vec<NodeId> = clients.map(|(node, _)| node).collect();
        for node in clients {
            self.change_life(cause, node, LifeChange::Connect, trace);
        }
        self.connect_distributors(etcd);
        for (node, is_only_member) in self.servers_of(etcd) {
            let server = self.apiserver(node).filter(|server| server.is_running());
            let is_connected = server.is_some_and(ApiServer::is_connected);
            if !is_only_member {
                self.with(node, cause, trace, |server: &mut ApiServer, out| {
                    server.member_started(etcd, out);
                });
            } else if is_connected || server.is_some() && cut.contains(&node) {
                self.change_life(cause, node, LifeChange::Connect, trace);
            }
        }
        self.deliver_unsent(etcd);
    }

    /// Delivers the requests of etcdctl that waited for the start of a process.
    pub(super) fn deliver_unsent(&mut self, node: NodeId) {
        for (_, due) in self.waiting.remove(&node).unwrap_or_default() {
            let is_tried = match &due.what {
                WorldEventKind::Arrive(flight) => match &*flight.body {
                    Body::Etcd(EtcdMessage::Call { call, .. })
                        if flight.from == NodeId::Etcdctl =>
                    {
                        self.etcdctl().waits_for(*call)
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

    /// Returns the clients that distribute their requests among several members, one of which is this member.
    fn distributors_of(&self, etcd: NodeId) -> Vec<NodeId> {
        let clients = self.clients();
        let clients = clients.filter(|(_, c)| c.distributes() && c.members().contains(&etcd));
        clients.map(|(node, _)| node).collect()
    }

    /// Disconnects these clients from a member or a proxy that stopped.
    pub(super) fn disconnect_distributors(
        &mut self,
        cause: Cause,
        stopped: NodeId,
        trace: Trace<'_>,
    ) {
        for node in self.distributors_of(stopped) {
            self.cut_streams_to(cause, node, stopped, trace);
            self.with(node, cause, trace, |client: &mut Client, out| {
                client.member_stopped(stopped, out);
            });
        }
    }

    /// Connects these clients to a member or a proxy that started.
    pub(super) fn connect_distributors(&mut self, started: NodeId) {
        for node in self.distributors_of(started) {
            if let Some(client) = self.state::<Client>(node) {
                client.member_started(started);
            }
        }
    }

    /// Returns the API servers that connect to a member, each with a flag that is true if the server connects to no
    /// other member.
    fn servers_of(&self, etcd: NodeId) -> Vec<(NodeId, bool)> {
        let servers = self.apiservers().filter_map(|(node, server)| {
            let peers = server.peers();
            let uses = peers.contains(&etcd);
            uses.then_some((node, peers.len() == 1))
        });
        servers.collect()
    }

    /// Checks whether a user can save a snapshot now.
    pub(super) fn check_save(&self, name: &str, user: Option<&Login>) -> Result<(), String> {
        self.check_etcd(FIRST_MEMBER, true)?;
        let user = user.map(Login::user);
        let member = self.member(FIRST_MEMBER);
        let checked = member.map_or(Ok(()), |member| member.authorize_snapshot(user));
        checked.map_err(|error| error.to_string())?;
        // The member charges the snapshot when the operation is applied.
        let user = user.map(|(name, _)| name);
        let mut member = member.cloned();
        let limiting = member
            .as_mut()
            .and_then(|member| member.limit_snapshot(self.time_of(FIRST_MEMBER), user));
        if let Some(rule) = limiting {
            return Err(EtcdError::LimitRequest { rule }.to_string());
        }
        refuse(self.is_open_backup(name), || {
            format!("the snapshot {name} is still open; type `snapshot close {name}` to close it")
        })
    }

    pub(super) fn keep_backup(
        &mut self,
        cause: Cause,
        name: &str,
        user: Option<&str>,
        trace: Trace<'_>,
    ) {
        let now = self.local_now(FIRST_MEMBER);
        let Some(member) = self.state::<Member>(FIRST_MEMBER) else {
            return;
        };
        member.server.limit_snapshot(now, user);
        let backup = member.server.backup(now);
        let revision = backup.revision();
        self.backups.insert(name.into(), Arc::new(backup));
        let sentence = words::snapshot_saved(&self.node_name(FIRST_MEMBER), name, revision);
        self.changed(cause, Some(FIRST_MEMBER), sentence, trace);
    }

    /// Returns the names of the snapshots with an open read transaction.
    pub fn open_backups(&self) -> impl Iterator<Item = &Arc<str>> {
        let members = self.member(FIRST_MEMBER).into_iter();
        members.flat_map(EtcdServer::open_snapshots)
    }

    pub(super) fn is_open_backup(&self, name: &str) -> bool {
        self.open_backups().any(|open| **open == *name)
    }

    pub(super) fn open_backup(&mut self, cause: Cause, name: &str, trace: Trace<'_>) {
        let now = self.local_now(FIRST_MEMBER);
        let Some(member) = self.state::<Member>(FIRST_MEMBER) else {
            return;
        };
        member.server.limit_snapshot(now, None);
        let backup = member.server.open_snapshot(name.into(), now);
        let revision = backup.revision();
        let sentence = words::snapshot_opened(&self.node_name(FIRST_MEMBER), name, revision);
        self.changed(cause, Some(FIRST_MEMBER), sentence, trace);
    }

    pub(super) fn close_backup(&mut self, cause: Cause, name: &str, trace: Trace<'_>) {
        let mut closed = None;
        self.with_member(FIRST_MEMBER, cause, trace, |member, out| {
            closed = member.close_snapshot(name, out);
        });
        if let Some(backup) = closed {
            self.backups.insert(name.into(), backup);
            let sentence = words::snapshot_closed(&self.node_name(FIRST_MEMBER), name);
            self.changed(cause, Some(FIRST_MEMBER), sentence, trace);
        }
    }

    /// The process must be running if `must_run` is true, and stopped if `must_run` is false.
    pub(super) fn check_etcd(&self, etcd: NodeId, must_run: bool) -> Result<(), String> {
        let name = self.node_name(etcd);
        refuse(self.is_removed(etcd), || {
            format!(
                "{name} was removed from the cluster; type `member add {name} --peer-urls=http://{name}:2380` to add a \
                 new member"
            )
        })?;
        match (self.runs(etcd), must_run) {
            (true, false) => Err(format!("{name} is running; type `stop {name}` first")),
            (false, true) => Err(format!(
                "{name} is stopped; type `start {name}` to start it"
            )),
            _ if self.is_paused(etcd) => {
                Err(format!("{name} is paused; type `resume {name}` first"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the member with this data directory. etcd's default directory is the name of the member with `.etcd`.
    pub(super) fn member_of_directory(&self, data_dir: &str) -> NodeId {
        let path = data_dir.trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = name.strip_suffix(".etcd").unwrap_or(name);
        let named = self.names.get(name).filter(|node| node.is_member());
        named.copied().unwrap_or(FIRST_MEMBER)
    }

    pub(super) fn resolve_restore(
        &self,
        name: &str,
        bump: u64,
        mark_compacted: bool,
    ) -> Result<ResolvedOp<'static>, String> {
        self.check_etcd(FIRST_MEMBER, false)?;
        let Some(backup) = self.backups.get(name).cloned() else {
            let known: Vec<&str> = self.backups().map(|name| &**name).collect();
            let hint = format!("snapshot save {name}");
            return Err(no_such(["snapshot", "snapshots"], name, &known, &hint));
        };
        resolved(move |world, cause, trace| {
            world.with_member(FIRST_MEMBER, cause, trace, |member, out| {
                member.restore(&backup, bump, mark_compacted, out);
            });
        })
    }
}

/// Describes how a power failure affected the writes of a commit.
fn crash_sentence(node: &str, crash: Crash) -> String {
    let Crash {
        not_begun,
        kept,
        lost,
        torn,
    } = crash;
    match crash {
        _ if crash == Crash::default() => words::power_failed_outside_commit(node),
        _ if kept + torn + lost == 0 => words::power_failed_before_first_page(node),
        _ => words::power_failed_during_commit(node, kept, torn, lost, not_begun),
    }
}

/// Describes the data that the member read from the file and from the log when it started.
fn recovery_sentence(node: &str, recovery: Recovery) -> String {
    let Recovery {
        txid,
        index_in_file,
        index,
    } = recovery;
    let more_entries = index.saturating_sub(index_in_file);
    words::recovered(node, txid, index_in_file, more_entries)
}
