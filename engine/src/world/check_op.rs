//! Checks whether an operation is possible in the current world. The error message of an impossible operation contains
//! the reason and a remedy.

use crate::api::EtcdError;
use crate::apiserver::{EVENTS_ETCD_NAME, EventsEtcd};
use crate::base::ids::NodeId;
use crate::base::time::SimDuration;
use crate::client::etcd::login::Login;

use crate::client::kube::load;

use super::etcdctl::ETCDCTL;
use super::life::LifeChange;
use super::op::{NodeName, SETTINGS, Setting, WorldOp};
use super::{FIRST_MEMBER, World};

/// The maximum number of API servers in a world.
const APISERVERS_MAX: usize = 16;

/// The maximum number of watches that one `watch --many` command starts. The number of streams has the same maximum,
/// because the command starts at most one stream per watch.
const CROWD_MAX: u32 = 20_000;

/// The maximum number of kubelets that one client simulates.
const KUBELETS_MAX: u32 = 15_000;

/// The minimum interval between two consecutive lists that one client sends for its kubelets.
const LIST_INTERVAL_MIN: SimDuration = SimDuration(1_000_000 / load::RATE_MAX);

/// The minimum interval between two polls of one client.
const POLL_INTERVAL_MIN: SimDuration = SimDuration::from_millis(1);

/// The minimum retention for periodic compaction. The compactor takes ten samples within the retention.
const AUTO_COMPACTION_MIN: SimDuration = SimDuration::from_millis(1_000);

impl World {
    /// Checks whether an operation is possible now.
    ///
    /// # Errors
    /// Returns a sentence for the user with the reason why the operation is impossible.
    pub fn check(&self, op: &WorldOp) -> Result<(), String> {
        match op {
            WorldOp::Watch(start) => {
                self.free_watch(&start.name)?;
                if let Some(endpoint) = &start.endpoint {
                    self.check_stream(endpoint)?;
                }
                match &start.client {
                    Some(client) => self.usable_client(client),
                    None => self.free_client(&start.name),
                }
            }
            WorldOp::Unwatch { name } => self.live_watch(name),
            WorldOp::Progress { name } => self.held_watch(name).map(|_| ()),
            WorldOp::ListWatch { name, .. } => {
                self.free_watch(name)?;
                self.free_client(name)
            }
            WorldOp::Poll { name, spec } => {
                refuse(spec.every < POLL_INTERVAL_MIN, || {
                    format!("--every must be at least {POLL_INTERVAL_MIN}")
                })?;
                self.free_client(name)
            }
            WorldOp::KeepAlive { name, .. } => self.free_client(name),
            WorldOp::Monitor { name, endpoint, .. } => {
                if let Some(endpoint) = endpoint {
                    self.check_stream(endpoint)?;
                }
                self.free_client(name)
            }
            WorldOp::Process(start) => {
                let addresses = [&start.endpoint, &start.destination];
                for address in addresses.into_iter().flatten() {
                    self.check_stream(address)?;
                }
                self.free_client(&start.name)
            }
            WorldOp::Interrupt { client } => match self.client_named(client) {
                Some((_, process)) if process.process().is_some_and(|p| !p.has_ended()) => Ok(()),
                _ => Err(format!("{client} has ended")),
            },
            WorldOp::Crowd {
                name,
                watches,
                streams,
                ..
            } => {
                if *watches == 0 || *watches > CROWD_MAX {
                    return Err(format!("--many accepts 1 to {CROWD_MAX} watches"));
                }
                if *streams == 0 || streams > watches {
                    return Err(format!(
                        "--streams accepts 1 to {watches}, at most one stream per watch"
                    ));
                }
                self.free_client(name)
            }
            WorldOp::StopEtcd => self.check_etcd(FIRST_MEMBER, true),
            WorldOp::Crash(name) => match self.node(name)? {
                node if node.is_member() => self.check_etcd(node, true),
                _ => Err(format!(
                    "{name} has no disk, so it cannot crash; type `stop {name}` to stop it"
                )),
            },
            WorldOp::StartEtcd => self.check_etcd(FIRST_MEMBER, false),
            WorldOp::Partition(partition) => self.check_partition(partition),
            WorldOp::Heal => {
                let is_healed = !self.network.is_partitioned() && !self.is_any_disk_full();
                refuse(is_healed, || {
                    "no link is cut and no disk is full; type `fault partition NODE | NODE` to cut links".into()
                })
            }
            WorldOp::FillDisk(name) => {
                let node = self.node(name)?;
                refuse(!node.is_member(), || format!("{name} has no disk"))?;
                refuse(self.has_full_disk(node), || {
                    format!("the disk of {name} is already full; type `heal` to free space")
                })
            }
            WorldOp::EditFile { data_dir, .. } => {
                self.check_etcd(self.member_of_directory(data_dir), false)
            }
            WorldOp::SaveSnapshot { name, .. } | WorldOp::OpenSnapshot { name } => {
                self.check_etcd(FIRST_MEMBER, true)?;
                let user = match op {
                    WorldOp::SaveSnapshot { login, .. } => login.as_ref().map(Login::user),
                    _ => None,
                };
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
                let is_open = self.open_backups().any(|open| **open == **name);
                refuse(is_open, || {
                    format!(
                        "the snapshot {name} is still open; type `snapshot close {name}` to close it"
                    )
                })
            }
            WorldOp::CloseSnapshot { name } => {
                self.check_etcd(FIRST_MEMBER, true)?;
                let is_open = self.open_backups().any(|open| **open == **name);
                refuse(!is_open, || {
                    format!(
                        "no snapshot {name} is open; type `snapshot save {name} --open` to open one"
                    )
                })
            }
            WorldOp::RestoreSnapshot { name, .. } => {
                self.check_etcd(FIRST_MEMBER, false)?;
                self.check_backup(name)
            }
            WorldOp::Connect { client }
                if !self.runs(FIRST_MEMBER) && self.reaches_etcd(client) =>
            {
                self.check_etcd(FIRST_MEMBER, true)
            }
            WorldOp::Pause(node) => {
                let id = self.node(node)?;
                if id.is_member() && !self.runs(id) {
                    return self.check_etcd(id, true);
                }
                let paused = self.is_paused(id);
                refuse(paused, || format!("{node} is already paused"))
            }
            WorldOp::Resume(node) => {
                let id = self.node(node)?;
                let running = !self.is_paused(id);
                refuse(running, || format!("{node} is not paused"))
            }
            WorldOp::Slow { client, .. } => {
                let node = self.named(client)?;
                refuse(node.is_member(), || {
                    format!("{client} is a member; type `cost` to change the costs of its work")
                })?;
                refuse(node == NodeId::Proxy, || {
                    format!("the work of {client} takes no time; type `net {client} delay 5ms`")
                })
            }
            WorldOp::Cost(_) => Ok(()),
            WorldOp::Link { client, .. } => self.link_end(client).map(|_| ()),
            WorldOp::GrpcProxy { endpoint, .. } => self.check_proxy(endpoint),
            WorldOp::ApiServer { name, config } => {
                for etcd in config.etcd_servers.members() {
                    refuse(self.member(etcd).is_none(), || {
                        let name = self.node_name(etcd);
                        format!(
                            "there is no member {name}; `--etcd-servers` must name members of this run"
                        )
                    })?;
                }
                let is_new = self.member(NodeId::EVENTS_ETCD).is_none();
                if config.events_etcd == EventsEtcd::Own && is_new {
                    self.free_name(EVENTS_ETCD_NAME)?;
                }
                // A stopped API server starts again with new flags.
                let known = self.apiserver_named(name);
                if known.is_some_and(|(_, server)| !server.is_running()) {
                    return Ok(());
                }
                let many = self.apiservers().count() >= APISERVERS_MAX;
                refuse(many, || {
                    format!("a world can have at most {APISERVERS_MAX} API servers")
                })?;
                self.free_name(name)
            }
            WorldOp::KubeWatch(watch) => {
                self.server_for(watch.server.as_deref())?;
                self.free_name(&watch.name)
            }
            WorldOp::Informer(start) => {
                self.server_for(start.server.as_deref())?;
                self.free_name(&start.name)
            }
            WorldOp::Load {
                name,
                clients,
                server,
                ..
            } => {
                self.server_for(server.as_deref())?;
                let mut names = load::names(name, *clients);
                names.try_for_each(|name| self.free_name(&name))
            }
            WorldOp::EtcdLoad {
                name,
                clients,
                spec,
            } => {
                for endpoint in spec.endpoints.iter() {
                    self.check_listens(endpoint)?;
                }
                let mut names = load::names(name, *clients);
                names.try_for_each(|name| self.free_name(&name))
            }
            WorldOp::Populate(pods) => self.check_populate(pods),
            WorldOp::Kubelets(kubelets) => {
                self.server_for(kubelets.server.as_deref())?;
                let spec = &kubelets.spec;
                if spec.nodes == 0 || spec.nodes > KUBELETS_MAX {
                    return Err(format!("`kubelets` accepts 1 to {KUBELETS_MAX} nodes"));
                }
                if spec.interval() < LIST_INTERVAL_MIN {
                    let least = SimDuration(LIST_INTERVAL_MIN.0 * u64::from(spec.nodes));
                    return Err(format!(
                        "--every must be at least {least} for {} nodes, because all kubelets together can list at \
                         most {} times per second",
                        spec.nodes,
                        1_000_000 / LIST_INTERVAL_MIN.0
                    ));
                }
                self.free_name(&kubelets.name)
            }
            WorldOp::Move { client, server } => {
                self.server_for(Some(server))?;
                let Some((_, known)) = self.kube_client_named(client) else {
                    return Err(format!("no client of API servers is named {client}"));
                };
                let there = self.server_for(Some(server)) == Ok(known.server());
                refuse(there, || {
                    format!("{client} is already connected to {server}")
                })
            }
            WorldOp::Disconnect { client } => self.check_life(client, LifeChange::Disconnect),
            WorldOp::Connect { client } => self.check_life(client, LifeChange::Connect),
            WorldOp::Stop { client } => self.check_life(client, LifeChange::Stop),
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
                self.check_life(server, LifeChange::Stop)
            }
            WorldOp::Start { client } => self.check_life(client, LifeChange::Start),
            WorldOp::Clock {
                node, drift_ppm, ..
            } => {
                self.node(node)?;
                let wild = drift_ppm.abs() > 500_000;
                refuse(wild, || {
                    "a clock can drift by at most 500000 ppm, which is 50 %".into()
                })
            }
            WorldOp::Set { setting, value } => {
                let info = SETTINGS.iter().find(|info| info.setting == *setting);
                let info = info.expect("every setting has a description");
                let (least, most) = info.range;
                let is_short = *setting == Setting::AutoCompactionPeriodic
                    && (1..AUTO_COMPACTION_MIN.0).contains(value);
                refuse(is_short, || {
                    format!("{} must be at least {AUTO_COMPACTION_MIN}, or 0", info.name)
                })?;
                let is_of_qos = matches!(
                    setting,
                    Setting::QosEstimator
                        | Setting::QosLruSize
                        | Setting::QosSample
                        | Setting::QosQuotaBasis
                        | Setting::QosAutoLimit
                );
                refuse(is_of_qos && self.at_endpoint().qos().is_none(), || {
                    "QoS is off; type `set experimental-enable-qos 1` to turn it on".into()
                })?;
                let is_of_cluster =
                    matches!(setting, Setting::SnapshotCount | Setting::SnapshotCatchUp);
                refuse(is_of_cluster && !self.is_cluster(), || {
                    "a single member has no followers; type `world members=3` to start a cluster"
                        .into()
                })?;
                refuse(!(least..=most).contains(value), || {
                    format!("{} must be between {least} and {most}", info.name)
                })
            }
        }
    }

    /// Returns true if the node with this name is not a client of API servers.
    fn reaches_etcd(&self, client: &str) -> bool {
        !matches!(self.kube_node(client), Some(NodeId::KubeClient(_)))
    }

    /// Returns the node with this name.
    pub(super) fn node(&self, name: &NodeName) -> Result<NodeId, String> {
        match name {
            NodeName::Etcd => Ok(FIRST_MEMBER),
            NodeName::Client(name) => self.named(name),
        }
    }

    /// Returns the node whose link to its member or API server has this name. The terminal has a link, too.
    pub(super) fn link_end(&self, name: &str) -> Result<NodeId, String> {
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
        Err(if known.is_empty() {
            format!("client {name} does not exist; type `watch KEY as {name}` to create it")
        } else {
            format!(
                "client {name} does not exist; the clients are: {}",
                known.join(", ")
            )
        })
    }

    fn usable_client(&self, name: &str) -> Result<(), String> {
        let Some((node, client)) = self.client_named(name) else {
            return Ok(()); // The operation creates the client.
        };
        refuse(!client.is_running(), || format!("{name} is stopped"))?;
        refuse(client.app().is_some(), || {
            format!("{name} manages its own watches; choose another client")
        })?;
        refuse(self.is_paused(node), || {
            format!("{name} is paused; type `resume {name}` first")
        })
    }

    fn free_watch(&self, name: &str) -> Result<(), String> {
        self.free_of_kube(name)?;
        refuse(self.watches.contains_key(name), || {
            format!("a watch {name} already exists; choose another name")
        })
    }

    fn free_client(&self, name: &str) -> Result<(), String> {
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

    fn live_watch(&self, name: &str) -> Result<(), String> {
        self.held_watch(name)?;
        refuse(!self.has_watch(name), || {
            format!("the watch {name} has ended")
        })
    }

    /// Returns the client that has the watch with this name, even if the watch has ended.
    fn held_watch(&self, name: &str) -> Result<NodeId, String> {
        let Some((node, client)) = self.holder(name) else {
            let known: Vec<&str> = self.watches.keys().take(12).map(|name| &**name).collect();
            return Err(if known.is_empty() {
                format!("watch {name} does not exist; type `watch KEY as {name}` to create it")
            } else {
                format!(
                    "watch {name} does not exist; the watches are: {}",
                    known.join(", ")
                )
            });
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
