//! Resolves the operations of the user: checks whether an operation is possible in the current world, and replaces the
//! names in it by nodes. The error message of an impossible operation contains the reason and a remedy.

use std::sync::Arc;

use crate::apiserver::ApiServer;
use crate::base::ids::NodeId;
use crate::base::time::SimDuration;
use crate::client::etcd::client::{Client, ClientTimer};
use crate::client::etcd::list_watch::{ListWatch, Memory};
use crate::client::etcd::load::{EtcdLoad, EtcdLoadSpec};
use crate::client::etcd::poll::Poller;
use crate::client::etcd::process::ProcessSpec;
use crate::client::kube::client::{KubeApp, KubeClient};
use crate::client::kube::load::{self, Load};
use crate::sim::Outbox;
use crate::words::changes as words;

use super::etcdctl::ETCDCTL;
use super::life::LifeChange;
use super::node::NodeKind;
use super::op::{NodeName, WorldOp};
use super::{Cause, FIRST_MEMBER, Trace, World};

/// The maximum number of watches that one `watch --many` command starts. The number of streams has the same maximum,
/// because the command starts at most one stream per watch.
const CROWD_MAX: u32 = 20_000;

/// The minimum interval between two polls of one client.
const POLL_INTERVAL_MIN: SimDuration = SimDuration::from_millis(1);

/// An operation that is possible in the world that resolved it. The call applies the operation.
pub(super) type ResolvedOp<'a> = Box<dyn FnOnce(&mut World, Cause, Trace<'_>) + 'a>;

pub(super) fn resolved<'a>(
    apply: impl FnOnce(&mut World, Cause, Trace<'_>) + 'a,
) -> Result<ResolvedOp<'a>, String> {
    Ok(Box::new(apply))
}

/// Resolves an operation that changes one node of kind `K`.
fn on<'a, K: NodeKind>(
    node: NodeId,
    act: impl FnOnce(&mut K, &mut Outbox<K::Timer>) + 'a,
) -> Result<ResolvedOp<'a>, String> {
    resolved(move |world, cause, trace| world.with(node, cause, trace, act))
}

impl World {
    /// Checks whether an operation is possible now.
    ///
    /// # Errors
    /// Returns a sentence for the user with the reason why the operation is impossible.
    pub fn check(&self, op: &WorldOp) -> Result<(), String> {
        self.resolve(op).map(drop)
    }

    /// Applies an operation, unless it has become impossible since the user typed it.
    pub(super) fn apply(&mut self, cause: Cause, op: &WorldOp, trace: Trace<'_>) {
        let Ok(apply) = self.resolve(op) else {
            return;
        };
        apply(self, cause, trace);
        while self.free_name(&self.free_watch_name()).is_err() {
            self.free_watch_number += 1;
        }
    }

    fn resolve<'a>(&self, op: &'a WorldOp) -> Result<ResolvedOp<'a>, String> {
        match op {
            WorldOp::Watch(start) => self.resolve_watch(start),
            WorldOp::Unwatch { name } => on(self.live_watch(name)?, |c: &mut Client, out| {
                c.unwatch(name, out);
            }),
            WorldOp::Progress { name } => on(self.held_watch(name)?, |c: &mut Client, out| {
                c.progress(name, out);
            }),
            WorldOp::ListWatch {
                name,
                prefix,
                memory,
            } => {
                self.free_watch(name)?;
                self.free_client(name)?;
                resolved(|world, cause, trace| {
                    let app = ListWatch::new(prefix.clone(), *memory);
                    let (node, cause) = world.add_list_watch(cause, name, app, trace);
                    world.with(node, cause, trace, |c: &mut Client, out| c.start(out));
                })
            }
            WorldOp::Poll { name, spec } => {
                refuse(spec.every < POLL_INTERVAL_MIN, || {
                    format!("--every must be at least {POLL_INTERVAL_MIN}")
                })?;
                self.free_client(name)?;
                resolved(|world, cause, trace| {
                    let (node, cause) = if *spec.through_cache {
                        let copy = ListWatch::new(spec.prefix.clone(), Memory::Stateless);
                        world.add_list_watch(cause, name, copy.with_progress(), trace)
                    } else {
                        world.add_client(cause, &name.as_str().into(), FIRST_MEMBER, trace)
                    };
                    let poller = Poller::new(spec.clone());
                    world.with(node, cause, trace, |c: &mut Client, out| {
                        c.poll(poller, out);
                    });
                })
            }
            WorldOp::KeepAlive { name, lease } => {
                self.resolve_client(name, FIRST_MEMBER, |c, out| c.keep_alive(*lease, out))
            }
            WorldOp::Monitor {
                name,
                query,
                endpoint,
            } => {
                let member = self.stream_member(endpoint.as_deref())?;
                self.resolve_client(name, member, |c, out| c.monitor(*query, out))
            }
            WorldOp::Process(start) => {
                let member = self.stream_member(start.endpoint.as_deref())?;
                let destination = self.stream_member(start.destination.as_deref())?;
                self.resolve_client(&start.name, member, move |c, out| {
                    let mut spec = start.spec.clone();
                    if let ProcessSpec::Mirror(mirror) = &mut spec {
                        mirror.destination = destination;
                    }
                    c.log_in_as(start.login.clone());
                    c.run(spec, out);
                })
            }
            WorldOp::Interrupt { client } => match self.client_named(client) {
                Some((node, process)) if process.process().is_some_and(|p| !p.has_ended()) => {
                    on(node, |c: &mut Client, out| c.interrupt(out))
                }
                _ => Err(format!("{client} has ended")),
            },
            WorldOp::Crowd {
                name,
                watches,
                streams,
                create,
            } => {
                if *watches == 0 || *watches > CROWD_MAX {
                    return Err(format!("--many accepts 1 to {CROWD_MAX} watches"));
                }
                if *streams == 0 || streams > watches {
                    return Err(format!(
                        "--streams accepts 1 to {watches}, at most one stream per watch"
                    ));
                }
                self.free_client(name)?;
                resolved(|world, cause, trace| {
                    world.start_crowd(cause, name, (*watches, *streams), create, trace);
                })
            }
            WorldOp::StopEtcd => {
                self.check_etcd(FIRST_MEMBER, true)?;
                resolved(|world, cause, trace| world.stop_etcd(cause, FIRST_MEMBER, trace))
            }
            WorldOp::StartEtcd => {
                self.check_etcd(FIRST_MEMBER, false)?;
                resolved(|world, cause, trace| world.start_etcd(cause, FIRST_MEMBER, trace))
            }
            WorldOp::Crash(name) => {
                let node = self.node(name)?;
                refuse(!node.is_member(), || {
                    format!("{name} has no disk, so it cannot crash; type `stop {name}` to stop it")
                })?;
                self.check_etcd(node, true)?;
                resolved(move |world, cause, trace| world.crash_etcd(cause, node, trace))
            }
            WorldOp::Partition(partition) => self.resolve_partition(partition),
            WorldOp::Heal => {
                let is_partitioned = self.network.is_partitioned();
                refuse(!is_partitioned && !self.is_any_disk_full(), || {
                    "no link is cut and no disk is full; type `fault partition NODE | NODE` to cut links".into()
                })?;
                resolved(move |world, cause, trace| {
                    if is_partitioned {
                        world.heal(cause, trace);
                    }
                    world.free_disks(cause, trace);
                })
            }
            WorldOp::FillDisk(name) => {
                let node = self.node(name)?;
                refuse(!node.is_member(), || format!("{name} has no disk"))?;
                refuse(self.has_full_disk(node), || {
                    format!("the disk of {name} is already full; type `heal` to free space")
                })?;
                resolved(move |world, cause, trace| world.fill_disk(cause, node, trace))
            }
            WorldOp::Delay { message, by } => {
                refuse(self.flight(*message).is_none(), || {
                    format!(
                        "message {} is not on its way; the Messages view shows the numbers of messages",
                        message.0
                    )
                })?;
                resolved(|world, cause, trace| world.delay(cause, *message, *by, trace))
            }
            WorldOp::Mirror(op) => {
                self.check_etcd(FIRST_MEMBER, true)?;
                refuse(self.is_cluster(), || {
                    "a copy of another etcd has one member; type `world` to start such a store"
                        .into()
                })?;
                self.at_endpoint().check_mirror(op)?;
                resolved(|world, cause, trace| world.mirror(cause, op, trace))
            }
            WorldOp::Reseed(seed) => {
                resolved(|world, cause, trace| world.reseed(cause, *seed, trace))
            }
            WorldOp::EditFile { data_dir, edit } => {
                let node = self.member_of_directory(data_dir);
                self.check_etcd(node, false)?;
                resolved(move |world, cause, trace| {
                    world.with_member(node, cause, trace, |member, out| {
                        member.edit_file(*edit, out);
                    });
                })
            }
            WorldOp::SaveSnapshot { name, login } => {
                self.check_save(name, login.as_ref())?;
                resolved(|world, cause, trace| {
                    let user = login.as_ref().map(|login| login.user().0);
                    world.keep_backup(cause, name, user, trace);
                })
            }
            WorldOp::OpenSnapshot { name } => {
                self.check_save(name, None)?;
                resolved(|world, cause, trace| world.open_backup(cause, name, trace))
            }
            WorldOp::CloseSnapshot { name } => {
                self.check_etcd(FIRST_MEMBER, true)?;
                refuse(!self.is_open_backup(name), || {
                    format!(
                        "no snapshot {name} is open; type `snapshot save {name} --open` to open one"
                    )
                })?;
                resolved(|world, cause, trace| world.close_backup(cause, name, trace))
            }
            WorldOp::RestoreSnapshot {
                name,
                bump,
                mark_compacted,
            } => self.resolve_restore(name, *bump, *mark_compacted),
            WorldOp::Pause(name) => {
                let node = self.node(name)?;
                if node.is_member() && !self.runs(node) {
                    self.check_etcd(node, true)?;
                }
                refuse(self.is_paused(node), || format!("{name} is already paused"))?;
                resolved(move |world, cause, trace| world.pause(cause, node, trace))
            }
            WorldOp::Resume(name) => {
                let node = self.node(name)?;
                refuse(!self.is_paused(node), || format!("{name} is not paused"))?;
                resolved(move |world, cause, trace| world.resume(cause, node, trace))
            }
            WorldOp::Slow {
                client,
                per_response,
            } => self.resolve_slow(client, *per_response),
            WorldOp::Cost(change) => {
                resolved(|world, cause, trace| world.set_cost(cause, change, trace))
            }
            WorldOp::Link {
                client,
                way,
                change,
            } => {
                let node = self.link_end(client)?;
                resolved(move |world, cause, trace| {
                    world.change_link(cause, node, *way, *change, trace);
                })
            }
            WorldOp::GrpcProxy { endpoint, port } => self.resolve_proxy(endpoint, *port),
            WorldOp::ApiServer { name, config } => self.resolve_apiserver(name, config),
            WorldOp::KubeWatch(watch) => {
                let server = self.server_for(watch.server.as_deref())?;
                self.free_name(&watch.name)?;
                resolved(move |world, cause, trace| {
                    let app = KubeApp::Watch {
                        request: Box::new(watch.request.clone()),
                        lists: watch.lists,
                    };
                    world.start_kube_client(cause, &watch.name, server, app, trace);
                })
            }
            WorldOp::Informer(start) => {
                let server = self.server_for(start.server.as_deref())?;
                self.free_name(&start.name)?;
                resolved(move |world, cause, trace| {
                    world.start_informer(cause, start, server, trace);
                })
            }
            WorldOp::Load {
                name,
                clients,
                server,
                spec,
            } => {
                let server = self.server_for(server.as_deref())?;
                let names = self.free_names(name, *clients)?;
                resolved(move |world, cause, trace| {
                    for name in names {
                        let app = KubeApp::Load(Box::new(Load::new((**spec).clone())));
                        world.start_kube_client(cause, &name, server, app, trace);
                    }
                })
            }
            WorldOp::EtcdLoad {
                name,
                clients,
                spec,
            } => self.resolve_etcd_load(name, *clients, spec),
            WorldOp::Populate(pods) => {
                self.check_populate(pods)?;
                resolved(|world, cause, trace| world.populate(cause, (*pods, 0), trace))
            }
            WorldOp::Kubelets(start) => self.resolve_kubelets(start),
            WorldOp::Move { client, server } => self.resolve_move(client, server),
            WorldOp::Disconnect { client } => self.resolve_life(client, LifeChange::Disconnect),
            WorldOp::Connect { client } => {
                let is_of_kube = matches!(self.kube_node(client), Some(NodeId::KubeClient(_)));
                if !self.runs(FIRST_MEMBER) && !is_of_kube {
                    self.check_etcd(FIRST_MEMBER, true)?;
                }
                self.resolve_life(client, LifeChange::Connect)
            }
            WorldOp::Stop { client } => self.resolve_life(client, LifeChange::Stop),
            WorldOp::Drain { server } => {
                let node = self.named(server)?;
                let Some(running) = self.apiserver(node) else {
                    return Err(format!(
                        "{server} is no API server; type `stop {server}` to stop it"
                    ));
                };
                refuse(running.is_draining(), || {
                    format!("{server} has already received SIGTERM")
                })?;
                self.check_life(node, LifeChange::Stop)?;
                resolved(move |world, cause, trace| world.drain(cause, node, trace))
            }
            WorldOp::Start { client } => self.resolve_life(client, LifeChange::Start),
            WorldOp::Clock {
                node,
                offset_us,
                drift_ppm,
            } => {
                let node = self.node(node)?;
                refuse(drift_ppm.abs() > 500_000, || {
                    "a clock can drift by at most 500000 ppm, which is 50 %".into()
                })?;
                resolved(move |world, cause, trace| {
                    let clock = world.clock(node);
                    let clock = clock.changed(world.now, *offset_us, *drift_ppm);
                    world.clocks.insert(node, clock);
                    let sentence = words::clock(&world.node_name(node), *offset_us, *drift_ppm);
                    world.changed(cause, Some(node), sentence, trace);
                })
            }
            WorldOp::Set { setting, value } => {
                setting.check(*value, self)?;
                resolved(|world, cause, trace| world.change_setting(cause, setting, *value, trace))
            }
        }
    }

    /// Resolves the start of a new client of a member.
    fn resolve_client<'a>(
        &self,
        name: &'a str,
        member: NodeId,
        start: impl FnOnce(&mut Client, &mut Outbox<ClientTimer>) + 'a,
    ) -> Result<ResolvedOp<'a>, String> {
        self.free_client(name)?;
        resolved(move |world, cause, trace| {
            let (node, cause) = world.add_client(cause, &name.into(), member, trace);
            world.with(node, cause, trace, |client: &mut Client, out| {
                start(client, out);
            });
        })
    }

    fn resolve_slow(&self, name: &str, span: SimDuration) -> Result<ResolvedOp<'static>, String> {
        let node = self.named(name)?;
        refuse(node.is_member(), || {
            format!("{name} is a member; type `cost` to change the costs of its work")
        })?;
        refuse(node == NodeId::Proxy, || {
            format!("the work of {name} takes no time; type `net {name} delay 5ms`")
        })?;
        resolved(move |world, cause, trace| {
            let sentence = words::processing_time(&world.node_name(node), span);
            let cause = world.changed(cause, Some(node), sentence, trace);
            world.with(node, cause, trace, |c: &mut Client, out| c.slow(span, out));
            world.with(node, cause, trace, |c: &mut KubeClient, out| {
                c.slow(span, out);
            });
            world.with(node, cause, trace, |server: &mut ApiServer, out| {
                server.slow(span, out);
            });
        })
    }

    fn resolve_etcd_load<'a>(
        &self,
        name: &str,
        clients: u32,
        spec: &'a EtcdLoadSpec,
    ) -> Result<ResolvedOp<'a>, String> {
        let members = spec.endpoints.iter().map(|at| self.listener_at(at));
        let members: Vec<NodeId> = members.collect::<Result<_, _>>()?;
        let names = self.free_names(name, clients)?;
        let stopped = members.iter().filter(|member| !self.is_running(**member));
        let stopped: Vec<NodeId> = stopped.copied().collect();
        // A stopped proxy refuses the requests of a load that has no other endpoint.
        let is_proxied = members.contains(&NodeId::Proxy);
        let etcd = if is_proxied {
            NodeId::Proxy
        } else {
            FIRST_MEMBER
        };
        resolved(move |world, cause, trace| {
            for name in names {
                let load = EtcdLoad::new(spec.clone(), &name, world.seed());
                let (node, cause) = world.add_client(cause, &name, etcd, trace);
                world.with(node, cause, trace, |c: &mut Client, out| {
                    c.distribute(members.clone());
                    for member in &stopped {
                        c.member_stopped(*member, out);
                    }
                    c.log_in_as(spec.login());
                    c.generate(load, out);
                });
            }
        })
    }

    fn free_names(&self, name: &str, clients: u32) -> Result<Vec<Arc<str>>, String> {
        let names: Vec<Arc<str>> = load::names(name, clients).collect();
        names.iter().try_for_each(|name| self.free_name(name))?;
        Ok(names)
    }

    pub(super) fn node(&self, name: &NodeName) -> Result<NodeId, String> {
        match name {
            NodeName::Etcd => Ok(FIRST_MEMBER),
            NodeName::Client(name) => self.named(name),
        }
    }

    /// Returns the node whose link to its member or API server has this name. The terminal has a link, too.
    fn link_end(&self, name: &str) -> Result<NodeId, String> {
        match self.named(name) {
            Err(_) if name == ETCDCTL => Ok(NodeId::Etcdctl),
            found => found,
        }
    }

    pub(super) fn known_client(&self, name: &str) -> Result<NodeId, String> {
        if let Some((node, _)) = self.client_named(name) {
            return Ok(node);
        }
        if name == super::proxy::NAME {
            return Err(format!(
                "{name} does not exist; type `etcd {name} start` to create it"
            ));
        }
        let clients = self.names.iter();
        let clients = clients.filter(|(_, node)| matches!(node, NodeId::Client(_)));
        let known: Vec<&str> = clients.take(12).map(|(name, _)| &**name).collect();
        let hint = format!("watch KEY as {name}");
        Err(no_such(["client", "clients"], name, &known, &hint))
    }

    /// Returns the client with this name, to which a watch can be added; `None` if the watch creates the client.
    pub(super) fn usable_client(&self, name: &str) -> Result<Option<NodeId>, String> {
        let Some((node, client)) = self.client_named(name) else {
            return Ok(None);
        };
        refuse(!client.is_running(), || format!("{name} is stopped"))?;
        refuse(client.app().is_some(), || {
            format!("{name} manages its own watches; choose another client")
        })?;
        refuse(self.is_paused(node), || {
            format!("{name} is paused; type `resume {name}` first")
        })?;
        Ok(Some(node))
    }

    pub(super) fn free_watch(&self, name: &str) -> Result<(), String> {
        self.free_of_kube(name)?;
        // A client that lists and watches opens its watch again and again.
        let is_used =
            |(_, client): (NodeId, &Client)| client.has_watch(name) || client.app().is_some();
        let is_over = !self.holder(name).is_some_and(is_used);
        refuse(self.watches.contains_key(name), || match is_over {
            true => format!("{name} is the name of a watch that has ended; choose another name"),
            false => format!("a watch {name} already exists; choose another name"),
        })
    }

    pub(super) fn free_client(&self, name: &str) -> Result<(), String> {
        self.free_of_kube(name)?;
        refuse(self.client_named(name).is_some(), || {
            format!("a client {name} already exists; choose another name")
        })
    }

    fn free_of_kube(&self, name: &str) -> Result<(), String> {
        let is_proxy = self.names.get(name) == Some(&NodeId::Proxy);
        refuse(is_proxy || self.kube_node(name).is_some(), || {
            format!("{name} already exists; choose another name")
        })
    }

    /// Returns the client of the watch with this name.
    fn live_watch(&self, name: &str) -> Result<NodeId, String> {
        let node = self.held_watch(name)?;
        refuse(!self.has_watch(name), || {
            format!("the watch {name} has ended")
        })?;
        Ok(node)
    }

    /// Returns the client that has the watch with this name, even if the watch has ended.
    fn held_watch(&self, name: &str) -> Result<NodeId, String> {
        let Some((node, client)) = self.holder(name) else {
            let known: Vec<&str> = self.watches.keys().take(12).map(|name| &**name).collect();
            let hint = format!("watch KEY as {name}");
            return Err(no_such(["watch", "watches"], name, &known, &hint));
        };
        refuse(self.is_paused(node), || {
            format!(
                "the client of the watch is paused; type `resume {}` first",
                client.name()
            )
        })?;
        Ok(node)
    }
}

pub(super) fn refuse(bad: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if bad { Err(why()) } else { Ok(()) }
}

/// Returns the error message for a name that does not exist: the known names, or else the command that creates the
/// first. `noun` is in the singular and in the plural.
pub(super) fn no_such(noun: [&str; 2], name: &str, known: &[&str], creates: &str) -> String {
    let [one, many] = noun;
    if known.is_empty() {
        format!("{one} {name} does not exist; type `{creates}` to create it")
    } else {
        let known = known.join(", ");
        format!("{one} {name} does not exist; the {many} are: {known}")
    }
}
