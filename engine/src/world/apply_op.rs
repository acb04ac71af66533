//! Applies the user's typed operations to the world.

use std::sync::Arc;

use crate::api::LeaderNeed;
use crate::apiserver::ApiServer;
use crate::base::digest::Sparse;
use crate::base::ids::NodeId;
use crate::base::time::{SimDuration, SimTime};
use crate::client::etcd::client::Client;
use crate::client::etcd::list_watch::{ListWatch, Memory};
use crate::client::etcd::load::EtcdLoad;
use crate::client::etcd::poll::Poller;
use crate::client::etcd::process::ProcessSpec;
use crate::client::kube::client::KubeClient;
use crate::client::kube::load;
use crate::etcd::server::QUOTA_BYTES;
use crate::etcd::{self, AutoCompaction, EtcdServer, QuotaBasis, WatchServerLimits};
use crate::mvcc::{CompactionLimits, WatchLimits};
use crate::qos::{Estimator, tracker};
use crate::sim::Outbox;
use crate::trace::{ClientTrace, NetTrace, TraceEvent};
use crate::words::changes as words;

use super::life::LifeChange;
use super::node::Node;
use super::op::{CostChange, LinkChange, NodeName, SETTINGS, Setting, StartWatch, Way, WorldOp};
use super::{Cause, FIRST_MEMBER, InFlightMessage, Trace, World, WorldEvent, WorldEventKind};

impl World {
    pub(super) fn apply(&mut self, cause: Cause, op: &WorldOp, trace: Trace<'_>) {
        // The operation may have become impossible since the user typed it.
        if self.check(op).is_err() {
            return;
        }
        self.apply_checked(cause, op, trace);
        while self.free_name(&self.free_watch_name()).is_err() {
            self.free_watch_number += 1;
        }
    }

    fn apply_checked(&mut self, cause: Cause, op: &WorldOp, trace: Trace<'_>) {
        match op {
            WorldOp::Watch(start) => self.start_watch(cause, start, trace),
            WorldOp::Unwatch { name } => {
                self.with_holder(name, cause, trace, |c, out| c.unwatch(name, out));
            }
            WorldOp::Progress { name } => {
                self.with_holder(name, cause, trace, |c, out| c.progress(name, out));
            }
            WorldOp::ListWatch {
                name,
                prefix,
                memory,
            } => {
                let name: Arc<str> = name.as_str().into();
                let app = ListWatch::new(prefix.clone(), *memory);
                let (node, cause) = self.add_client(cause, &name, Some(app), trace);
                self.watches.insert(name, node);
                self.with(node, cause, trace, |c: &mut Client, _, out| c.start(out));
            }
            WorldOp::Poll { name, spec } => {
                let name: Arc<str> = name.as_str().into();
                let copy = ListWatch::new(spec.prefix.clone(), Memory::Stateless);
                let copy = (*spec.through_cache).then(|| copy.with_progress());
                let is_copied = copy.is_some();
                let (node, cause) = self.add_client(cause, &name, copy, trace);
                if is_copied {
                    self.watches.insert(name, node);
                }
                let poller = Poller::new(spec.clone());
                self.with(node, cause, trace, |c: &mut Client, _, out| {
                    c.poll(poller, out);
                });
            }
            WorldOp::KeepAlive { name, lease } => {
                let name: Arc<str> = name.as_str().into();
                let (node, cause) = self.add_client(cause, &name, None, trace);
                self.with(node, cause, trace, |c: &mut Client, _, out| {
                    c.keep_alive(*lease, out);
                });
            }
            WorldOp::Monitor {
                name,
                query,
                endpoint,
            } => {
                let name: Arc<str> = name.as_str().into();
                let member = self.member_of_client(endpoint.as_deref());
                let (node, cause) = self.add_client_of(cause, &name, member, trace);
                self.with(node, cause, trace, |c: &mut Client, _, out| {
                    c.monitor(*query, out);
                });
            }
            WorldOp::Process(start) => {
                let name: Arc<str> = start.name.as_str().into();
                let member = self.member_of_client(start.endpoint.as_deref());
                let mut spec = start.spec.clone();
                if let ProcessSpec::Mirror(mirror) = &mut spec {
                    mirror.destination = self.member_of_client(start.destination.as_deref());
                }
                let (node, cause) = self.add_client_of(cause, &name, member, trace);
                let login = start.login.clone();
                self.with(node, cause, trace, |c: &mut Client, _, out| {
                    c.log_in_as(login);
                    c.run(spec, out);
                });
            }
            WorldOp::Interrupt { client } => {
                let node = self.named(client).expect("the operation was checked");
                self.with(node, cause, trace, |c: &mut Client, _, out| {
                    c.interrupt(out);
                });
            }
            WorldOp::Crowd {
                name,
                watches,
                streams,
                create,
            } => self.start_crowd(cause, name, (*watches, *streams), create, trace),
            WorldOp::Pause(node) => self.pause(cause, node, trace),
            WorldOp::Resume(node) => self.resume(cause, node, trace),
            WorldOp::Slow {
                client,
                per_response,
            } => {
                let node = self.named(client).expect("the operation was checked");
                let sentence = words::processing_time(&self.node_name(node), *per_response);
                let cause = self.changed(cause, Some(node), sentence, trace);
                let span = *per_response;
                match node {
                    NodeId::Client(_) => {
                        self.with(node, cause, trace, |client: &mut Client, _, out| {
                            client.slow(span, out);
                        });
                    }
                    NodeId::KubeClient(_) => {
                        self.with(node, cause, trace, |client: &mut KubeClient, now, out| {
                            client.slow(now, span, out);
                        });
                    }
                    NodeId::ApiServer(_) => {
                        self.with(node, cause, trace, |server: &mut ApiServer, now, out| {
                            server.slow(now, span, out);
                        });
                    }
                    NodeId::Member(_) | NodeId::Etcdctl | NodeId::Proxy => {}
                }
            }
            WorldOp::Cost(change) => self.set_cost(cause, change, trace),
            WorldOp::Disconnect { client } => {
                let node = self.named(client).expect("the operation was checked");
                self.change_life(cause, node, LifeChange::Disconnect, trace);
            }
            WorldOp::Connect { client } => {
                let node = self.named(client).expect("the operation was checked");
                self.change_life(cause, node, LifeChange::Connect, trace);
            }
            WorldOp::Stop { client } => {
                let node = self.named(client).expect("the operation was checked");
                if node.is_member() {
                    return self.stop_etcd(cause, node, trace);
                }
                self.change_life(cause, node, LifeChange::Stop, trace);
            }
            WorldOp::Drain { server } => {
                let node = self.named(server).expect("the operation was checked");
                self.drain(cause, node, trace);
            }
            WorldOp::Start { client } if self.can_join(client) => {
                self.join_member(cause, client, trace);
            }
            WorldOp::Start { client } => {
                let node = self.named(client).expect("the operation was checked");
                if node.is_member() {
                    return self.start_etcd(cause, node, trace);
                }
                self.forget_restart(node);
                self.change_life(cause, node, LifeChange::Start, trace);
            }
            WorldOp::StopEtcd => self.stop_etcd(cause, FIRST_MEMBER, trace),
            WorldOp::Crash(node) => {
                let node = self.node(node).expect("the operation was checked");
                self.crash_etcd(cause, node, trace);
            }
            WorldOp::StartEtcd => self.start_etcd(cause, FIRST_MEMBER, trace),
            WorldOp::Partition(partition) => self.partition(cause, partition, trace),
            WorldOp::Heal => {
                if self.network.is_partitioned() {
                    self.heal(cause, trace);
                }
                self.free_disks(cause, trace);
            }
            WorldOp::FillDisk(node) => {
                let node = self.node(node).expect("the operation was checked");
                self.fill_disk(cause, node, trace);
            }
            WorldOp::EditFile { data_dir, edit } => {
                let (node, edit) = (self.member_of_directory(data_dir), *edit);
                self.with_member(node, cause, trace, |member, _, out| {
                    member.edit_file(edit, out);
                });
            }
            WorldOp::SaveSnapshot { name, login } => {
                let user = login.as_ref().map(|login| login.user().0);
                self.keep_backup(cause, name, user, trace);
            }
            WorldOp::OpenSnapshot { name } => self.open_backup(cause, name, trace),
            WorldOp::CloseSnapshot { name } => self.close_backup(cause, name, trace),
            WorldOp::RestoreSnapshot {
                name,
                bump,
                mark_compacted,
            } => self.restore_backup(cause, (name, *bump, *mark_compacted), trace),
            WorldOp::Link {
                client,
                way,
                change,
            } => self.change_link(cause, client, *way, *change, trace),
            WorldOp::Clock {
                node,
                offset_us,
                drift_ppm,
            } => {
                let id = self.node(node).expect("the operation was checked");
                let clock = self.clock(id).changed(self.now, *offset_us, *drift_ppm);
                self.clocks.insert(id, clock);
                let sentence = words::clock(&self.node_name(id), *offset_us, *drift_ppm);
                self.changed(cause, Some(id), sentence, trace);
            }
            WorldOp::GrpcProxy { endpoint, port } => {
                self.add_proxy(cause, (endpoint, *port), trace);
            }
            WorldOp::ApiServer { name, config } => self.add_apiserver(cause, name, config, trace),
            WorldOp::KubeWatch(watch) => self.start_kube_watch(cause, watch, trace),
            WorldOp::Informer(start) => self.start_informer(cause, start, trace),
            WorldOp::Load {
                name,
                clients,
                server,
                spec,
            } => self.start_load(cause, (name, *clients), server.as_deref(), spec, trace),
            WorldOp::EtcdLoad {
                name,
                clients,
                spec,
            } => {
                let members = spec.endpoints.iter().map(|at| self.member_at(at));
                let members: Result<Vec<NodeId>, String> = members.collect();
                let members = members.expect("the operation was checked");
                let stopped = members.iter().filter(|member| !self.is_running(**member));
                let stopped: Vec<NodeId> = stopped.copied().collect();
                // A stopped proxy refuses the requests of a load that has no other endpoint.
                let is_proxied = members.contains(&NodeId::Proxy);
                let etcd = if is_proxied {
                    NodeId::Proxy
                } else {
                    FIRST_MEMBER
                };
                for name in load::names(name, *clients) {
                    let load = EtcdLoad::new((**spec).clone(), &name, self.config.seed);
                    let (node, cause) = self.add_client_of(cause, &name, etcd, trace);
                    self.with(node, cause, trace, |c: &mut Client, now, out| {
                        c.distribute(members.clone());
                        for member in &stopped {
                            c.member_stopped(now, *member, out);
                        }
                        c.log_in_as(spec.login());
                        c.generate(load, out);
                    });
                }
            }
            WorldOp::Populate(pods) => self.populate(cause, (*pods, 0), trace),
            WorldOp::Kubelets(kubelets) => self.start_kubelets(cause, kubelets, trace),
            WorldOp::Move { client, server } => self.move_client(cause, (client, server), trace),
            WorldOp::Set { setting, value } => {
                let info = SETTINGS.iter().find(|info| info.setting == *setting);
                let info = info.expect("every setting has a description");
                let (now, default) = (info.value(*value), info.value(info.default));
                let sentence = words::setting_changed(info.name, now, default);
                let cause = self.changed(cause, None, sentence, trace);
                let members: Vec<NodeId> = self.etcds().map(|(node, _)| node).collect();
                for member in members {
                    self.with_member(member, cause, trace, |etcd, now, out| {
                        set(etcd, *setting, *value, now, out);
                    });
                }
            }
        }
    }

    /// Reports that a node changed, or that the whole world changed if `node` is `None`.
    pub(super) fn changed(
        &mut self,
        cause: Cause,
        node: Option<NodeId>,
        sentence: impl Into<Arc<str>>,
        trace: Trace<'_>,
    ) -> Cause {
        let sentence = sentence.into();
        let event = TraceEvent::Client(ClientTrace::Changed { node, sentence });
        self.tell(node, cause, event, trace)
    }

    // Clients and watches.

    /// Adds a node to the world and registers its name.
    pub(super) fn add_node(
        &mut self,
        cause: Cause,
        id: NodeId,
        (name, node): (Arc<str>, Node),
        trace: Trace<'_>,
    ) -> Cause {
        self.nodes.insert(id, node);
        self.names.insert(name.clone(), id);
        let event = TraceEvent::Client(ClientTrace::Opened { node: id, name });
        self.tell(id, cause, event, trace)
    }

    /// Adds a client of the first member.
    pub(super) fn add_client(
        &mut self,
        cause: Cause,
        name: &Arc<str>,
        app: Option<ListWatch>,
        trace: Trace<'_>,
    ) -> (NodeId, Cause) {
        match app {
            None => self.add_client_of(cause, name, FIRST_MEMBER, trace),
            Some(app) => {
                let node = self.next_client();
                let client = Client::list_watch(node, name.clone(), FIRST_MEMBER, app);
                self.add_client_node(cause, node, client, trace)
            }
        }
    }

    /// Returns the member with the address `endpoint`. Without an address, returns the first member.
    fn member_of_client(&self, endpoint: Option<&str>) -> NodeId {
        let member = endpoint.map(|endpoint| self.member_at(endpoint));
        let member = member.map(|member| member.expect("the operation was checked"));
        member.unwrap_or(FIRST_MEMBER)
    }

    /// Adds a client of a member.
    fn add_client_of(
        &mut self,
        cause: Cause,
        name: &Arc<str>,
        member: NodeId,
        trace: Trace<'_>,
    ) -> (NodeId, Cause) {
        let node = self.next_client();
        let client = Client::new(node, name.clone(), member);
        self.add_client_node(cause, node, client, trace)
    }

    fn next_client(&self) -> NodeId {
        NodeId::Client(self.clients().count() as u32 + 1)
    }

    fn add_client_node(
        &mut self,
        cause: Cause,
        node: NodeId,
        client: Client,
        trace: Trace<'_>,
    ) -> (NodeId, Cause) {
        let name = client.name().clone();
        let client = client
            .with_profile(self.config.profile)
            .planted(self.planted);
        let client = Node::Client(Arc::new(client));
        let cause = self.add_node(cause, node, (name, client), trace);
        (node, cause)
    }

    fn start_watch(&mut self, cause: Cause, start: &StartWatch, trace: Trace<'_>) {
        let name: Arc<str> = start.name.as_str().into();
        let on: Arc<str> = start.client.as_deref().unwrap_or(&start.name).into();
        let (node, cause) = match self.client_named(&on) {
            Some((node, _)) => (node, cause),
            None => {
                let member = self.member_of_client(start.endpoint.as_deref());
                self.add_client_of(cause, &on, member, trace)
            }
        };
        self.watches.insert(name.clone(), node);
        let (create, runs) = (start.create.clone(), start.runs.clone());
        let login = start.login.0.clone();
        // Watches that require a leader and watches that do not use separate streams.
        let place = u32::from(create.leader == LeaderNeed::NotRequired);
        self.with(node, cause, trace, |client: &mut Client, _, out| {
            if let Some(request) = runs {
                client.run_for_events(name.clone(), request);
            }
            if login.is_some() {
                client.log_in_as(login);
            }
            client.watch(name, place, create, out);
        });
    }

    fn with_holder(
        &mut self,
        watch: &str,
        cause: Cause,
        trace: Trace<'_>,
        act: impl FnOnce(&mut Client, &mut Outbox<crate::client::etcd::client::ClientTimer>),
    ) {
        let node = self.watches[watch];
        self.with(node, cause, trace, |client: &mut Client, _, out| {
            act(client, out)
        });
    }

    // Nodes, links, settings.

    fn pause(&mut self, cause: Cause, node: &NodeName, trace: Trace<'_>) {
        let node = self.node(node).expect("the operation was checked");
        self.paused.insert(node);
        let timers = self.due.extract(|due| due.timer_of() == Some(node));
        self.waiting
            .get_or_insert_with(node, Vec::new)
            .extend(timers);
        let event = TraceEvent::Client(ClientTrace::Paused { node });
        self.tell(node, cause, event, trace);
    }

    fn resume(&mut self, cause: Cause, node: &NodeName, trace: Trace<'_>) {
        let node = self.node(node).expect("the operation was checked");
        self.paused.remove(&node);
        let waiting = self.waiting.remove(&node).unwrap_or_default();
        let event = TraceEvent::Client(ClientTrace::Resumed {
            node,
            waiting: waiting.len() as u32,
        });
        self.tell(node, cause, event, trace);
        for (at, due) in waiting {
            self.due.add(at.max(self.now), due);
        }
    }

    fn change_link(
        &mut self,
        cause: Cause,
        client: &str,
        way: Way,
        change: LinkChange,
        trace: Trace<'_>,
    ) {
        let node = self.link_end(client).expect("the operation was checked");
        let sentence = change.sentence(way, &self.node_name(node));
        let cause = self.changed(cause, Some(node), sentence, trace);
        let peers = match node {
            NodeId::Member(_) => self.members().map(|(peer, _)| peer).collect(),
            _ => self.peers_of(node),
        };
        let ways = peers.into_iter().filter(|peer| *peer != node);
        let ways = ways.flat_map(|peer| {
            let (up, down) = ((node, peer), (peer, node));
            match way {
                Way::Up => vec![up],
                Way::Down | Way::Watches => vec![down],
                Way::Both => vec![up, down],
            }
        });
        for (from, to) in ways.collect::<Vec<_>>() {
            let of_watches = way == Way::Watches;
            let link = match of_watches {
                true => self.network.watch_lane(from, to),
                false => self.network.link(from, to),
            };
            match change {
                LinkChange::Delay(delay) => link.delay = delay,
                LinkChange::Bandwidth(bytes) => {
                    self.network.limit_link(self.now, (from, to), bytes);
                }
                LinkChange::LossOneIn(n) => link.loss_one_in = n,
                LinkChange::DuplicateOneIn(n) => link.duplicate_one_in = n,
                LinkChange::Hold => link.held = true,
                LinkChange::Release if of_watches => {
                    let released = self.network.release_watches(self.now, from, to);
                    self.send_released(cause, from, released, trace);
                }
                LinkChange::Release => self.release(cause, from, to, trace),
            }
        }
    }

    /// Changes the prices of work. The change applies to all existing machines and links, and to those that are added
    /// later.
    fn set_cost(&mut self, cause: Cause, change: &CostChange, trace: Trace<'_>) {
        let sentence = match change.preset {
            Some(preset) => words::prices_of_preset(preset.name()),
            None => words::PRICES_CHANGED.to_owned(),
        };
        let cause = self.changed(cause, None, sentence, trace);
        let mut model = change.apply(self.cost);
        if !self.config.format.commits_cost() {
            (model.random_write_ps, model.sequential_write_ps) = (0, 0);
        }
        self.cost = model;
        self.network.limit_bandwidth(self.now, model.bandwidth);
        self.network.set_tls(model.tls_handshake.alone_ps > 0);
        let members: Vec<NodeId> = self.etcds().map(|(node, _)| node).collect();
        for member in members {
            self.with_member(member, cause, trace, |member, now, out| {
                member.set_cost(now, model, out);
            });
        }
        let servers: Vec<NodeId> = self.apiservers().map(|(node, _)| node).collect();
        for server in servers {
            self.with(server, cause, trace, |server: &mut ApiServer, now, out| {
                server.set_cost(now, model, out);
            });
        }
    }

    pub(super) fn release(&mut self, cause: Cause, from: NodeId, to: NodeId, trace: Trace<'_>) {
        let released = self.network.release(self.now, from, to);
        self.send_released(cause, from, released, trace);
    }

    fn send_released(
        &mut self,
        cause: Cause,
        from: NodeId,
        released: Vec<(SimTime, InFlightMessage)>,
        trace: Trace<'_>,
    ) {
        for (arrives, flight) in released {
            let message = flight.message;
            let event = TraceEvent::Net(NetTrace::Released { message, arrives });
            let cause = self.tell(from, cause, event, trace);
            let what = WorldEventKind::Arrive(flight);
            self.due.add(arrives, WorldEvent { cause, what });
        }
    }

    /// Returns the current value of a setting, in the setting's unit.
    pub fn setting(&self, setting: Setting) -> u64 {
        setting_of(self.at_endpoint(), setting)
    }
}

/// Returns the current value of a setting of a member, in the setting's unit.
pub(super) fn setting_of(etcd: &EtcdServer, setting: Setting) -> u64 {
    let watch = etcd.watchable().limits();
    let server = etcd.watch_limits();
    let compaction = etcd.store().limits();
    match setting {
        Setting::WatchChannel => watch.channel.into(),
        Setting::WatchersPerSync => watch.watchers_per_sync.into(),
        Setting::WatchBatchRevs => watch.batch_revs.into(),
        Setting::WatchResync => watch.resync_period.0,
        Setting::WatchVictimRetry => watch.victim_retry.0,
        Setting::WatchProgressInterval => server.progress_interval.0,
        Setting::StreamWindow => server.window,
        Setting::CompactionBatch => compaction.batch_rows.into(),
        Setting::CompactionSleep => compaction.sleep.0,
        Setting::LeaseCheckpoint => etcd.lessor().checkpoint_interval().0,
        Setting::QuotaBackend => etcd.quota_bytes(),
        Setting::AutoCompactionPeriodic => match etcd.auto_compaction() {
            AutoCompaction::Periodic(retention) => retention.0,
            AutoCompaction::Off | AutoCompaction::Revision(_) => 0,
        },
        Setting::AutoCompactionRevision => match etcd.auto_compaction() {
            AutoCompaction::Revision(retention) => retention,
            AutoCompaction::Off | AutoCompaction::Periodic(_) => 0,
        },
        Setting::PageCache => etcd.store().backend().page_cache_bytes(),
        Setting::Auth => etcd.has_auth().into(),
        Setting::EnableQos => etcd.qos().is_some().into(),
        Setting::QosEstimator => {
            let estimator = etcd.qos().map(|qos| qos.state().estimator());
            (estimator == Some(Estimator::Lru)).into()
        }
        Setting::QosLruSize => etcd
            .qos()
            .map_or(tracker::ENTRIES, |qos| qos.state().tracker().size()),
        Setting::QosSample => etcd.qos().map_or(1, |qos| qos.state().keys().one_in()),
        Setting::QosQuotaBasis => {
            let basis = etcd.qos().map(|qos| qos.basis());
            (basis == Some(QuotaBasis::FileSize)).into()
        }
        Setting::QosAutoLimit => etcd
            .qos()
            .is_some_and(|qos| qos.limits_automatically())
            .into(),
        Setting::SnapshotCount => etcd.snapshot_count(),
        Setting::SnapshotCatchUp => etcd.catch_up_entries(),
        Setting::ProgressRequests => (!*server.ignores_progress).into(),
    }
}

/// Changes a setting of a member.
pub(super) fn set(
    etcd: &mut EtcdServer,
    setting: Setting,
    value: u64,
    now: SimTime,
    out: &mut Outbox<etcd::MemberTimer>,
) {
    let count = u32::try_from(value).unwrap_or(u32::MAX);
    let span = SimDuration(value);
    let watch: WatchLimits = etcd.watchable().limits();
    let server: WatchServerLimits = etcd.watch_limits();
    let compaction: CompactionLimits = etcd.store().limits();
    match setting {
        Setting::WatchChannel => etcd.set_store_watch_limits(WatchLimits {
            channel: count,
            ..watch
        }),
        Setting::WatchersPerSync => etcd.set_store_watch_limits(WatchLimits {
            watchers_per_sync: count,
            ..watch
        }),
        Setting::WatchBatchRevs => etcd.set_store_watch_limits(WatchLimits {
            batch_revs: count,
            ..watch
        }),
        Setting::WatchResync => etcd.set_store_watch_limits(WatchLimits {
            resync_period: span,
            ..watch
        }),
        Setting::WatchVictimRetry => etcd.set_store_watch_limits(WatchLimits {
            victim_retry: span,
            ..watch
        }),
        Setting::WatchProgressInterval => etcd.set_watch_limits(WatchServerLimits {
            progress_interval: span,
            ..server
        }),
        Setting::StreamWindow => etcd.set_watch_limits(WatchServerLimits {
            window: value,
            ..server
        }),
        Setting::CompactionBatch => etcd.set_compaction_limits(CompactionLimits {
            batch_rows: count,
            ..compaction
        }),
        Setting::CompactionSleep => etcd.set_compaction_limits(CompactionLimits {
            sleep: span,
            ..compaction
        }),
        Setting::LeaseCheckpoint => {
            etcd.checkpoint_leases_every(span, now, out);
        }
        Setting::QuotaBackend => etcd.set_quota_bytes(match value {
            0 => QUOTA_BYTES,
            bytes => bytes,
        }),
        Setting::PageCache => etcd.set_page_cache(value),
        Setting::Auth => etcd.set_auth(value == 1),
        Setting::EnableQos => etcd.enable_qos(value == 1, now, out),
        Setting::QosEstimator => etcd.set_qos_estimator(match value {
            0 => Estimator::Index,
            _ => Estimator::Lru,
        }),
        Setting::QosLruSize => etcd.set_qos_lru_size(value),
        Setting::QosSample => etcd.set_qos_sample(value),
        Setting::QosQuotaBasis => etcd.set_qos_quota_basis(match value {
            0 => QuotaBasis::InUse,
            _ => QuotaBasis::FileSize,
        }),
        Setting::QosAutoLimit => etcd.limit_automatically(value == 1),
        Setting::SnapshotCount => etcd.set_snapshot_count(value),
        Setting::SnapshotCatchUp => etcd.set_catch_up_entries(value),
        Setting::ProgressRequests => etcd.set_watch_limits(WatchServerLimits {
            ignores_progress: Sparse(value == 0),
            ..server
        }),
        Setting::AutoCompactionPeriodic | Setting::AutoCompactionRevision => {
            let mode = match (setting, value) {
                // Turning off one mode of automatic compaction does not turn off the other mode.
                (Setting::AutoCompactionPeriodic, 0)
                    if matches!(etcd.auto_compaction(), AutoCompaction::Revision(_)) =>
                {
                    return;
                }
                (Setting::AutoCompactionRevision, 0)
                    if matches!(etcd.auto_compaction(), AutoCompaction::Periodic(_)) =>
                {
                    return;
                }
                (_, 0) => AutoCompaction::Off,
                (Setting::AutoCompactionPeriodic, _) => AutoCompaction::Periodic(span),
                _ => AutoCompaction::Revision(value),
            };
            etcd.compact_automatically(mode, now, out);
        }
    }
}
