//! Draws the commands of a nemesis: writes, reads, watches and faults that fit the state of the simulated system.
//!
//! Each attempt draws first which kinds of commands it uses (swarm testing, Groce et al. 2012): an attempt with few
//! kinds reaches states that a mixture of all kinds reaches rarely.

use crate::base::bytes::{KeyRange, prefix_end};
use crate::base::ids::NodeId;
use crate::base::rng::Rng;
use crate::world::World;

/// The minimum number of commands of an attempt, without the commands that end the faults, and the maximum.
const COMMANDS: (u64, u64) = (6, 36);

/// The maximum number of watches, or of informers, that an attempt starts.
const WATCHES: u32 = 4;

/// The maximum number of pods among which a command chooses one.
const PODS_MAX: i64 = 100;

const KEYS: [&str; 2] = ["/a", "/b"];
const NODES: [&str; 2] = ["node-1", "node-2"];

/// The prefix of the keys of pods in the namespace `default`.
const PODS: &str = "/registry/pods/default/";

/// The kinds of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Put,
    PutMany,
    Delete,
    /// A transaction with a put and a read of an older revision.
    Txn,
    Get,
    Compact,
    Watch,
    /// A watch on the stream of another watch.
    SharedWatch,
    Progress,
    /// Small channels between etcd and its clients.
    SmallChannels,
    ShortWait,
    LongWait,
    Pause,
    Resume,
    Disconnect,
    Connect,
    /// A slow link, or a link that holds all messages.
    Link,
    Release,
    Stop,
    Start,
    Partition,
    Heal,
    /// A member that is behind soon needs a snapshot of the leader.
    ShortLog,
    CreatePod,
    CreatePods,
    DeletePod,
    ListPods,
    Informer,
    /// A client of API servers restarts, and connects to another server.
    Move,
}

impl Kind {
    const STORE: [Self; 21] = [
        Self::Put,
        Self::Put,
        Self::PutMany,
        Self::Delete,
        Self::Txn,
        Self::Get,
        Self::Compact,
        Self::Watch,
        Self::Watch,
        Self::SharedWatch,
        Self::Progress,
        Self::SmallChannels,
        Self::ShortWait,
        Self::ShortWait,
        Self::LongWait,
        Self::Pause,
        Self::Resume,
        Self::Disconnect,
        Self::Connect,
        Self::Link,
        Self::Release,
    ];
    const CLUSTER: [Self; 5] = [
        Self::Stop,
        Self::Start,
        Self::Partition,
        Self::Heal,
        Self::ShortLog,
    ];
    const KUBERNETES: [Self; 16] = [
        Self::CreatePod,
        Self::CreatePods,
        Self::DeletePod,
        Self::ListPods,
        Self::Informer,
        Self::Move,
        Self::SmallChannels,
        Self::ShortWait,
        Self::ShortWait,
        Self::LongWait,
        Self::Pause,
        Self::Resume,
        Self::Link,
        Self::Release,
        Self::Stop,
        Self::Start,
    ];
}

/// The commands of an attempt, one by one.
#[derive(Debug)]
pub(super) struct Draw {
    rng: Rng,
    /// The kinds of this attempt, some of them several times.
    kinds: Vec<Kind>,
    /// The number of commands that are left before the faults end.
    left: u64,
    /// The number of the last value or pod.
    number: u32,
    watches: u32,
    /// The nodes whose links were changed.
    slow: Vec<String>,
    /// The commands at the end of the attempt, the last one first; `None` before the end.
    end: Option<Vec<String>>,
}

impl Draw {
    pub(super) fn new(seed: u64, world: &World) -> Self {
        let mut rng = Rng::stream(seed, "nemesis");
        let all: Vec<Kind> = match world.apiservers().next() {
            Some(_) => Kind::KUBERNETES.to_vec(),
            None if world.is_cluster() => [&Kind::STORE[..], &Kind::CLUSTER].concat(),
            None => Kind::STORE.to_vec(),
        };
        let mut kinds: Vec<Kind> = Vec::new();
        for kind in &all {
            if kinds.contains(kind) || rng.chance(2, 5) {
                kinds.push(*kind);
            }
        }
        if kinds.is_empty() {
            kinds = all;
        }
        let left = COMMANDS.0 + rng.below(COMMANDS.1 - COMMANDS.0);
        Self {
            rng,
            kinds,
            left,
            number: 0,
            watches: 0,
            slow: Vec::new(),
            end: None,
        }
    }

    /// Returns the next command; `None` at the end of the attempt.
    pub(super) fn next(&mut self, world: &World) -> Option<String> {
        while self.left > 0 {
            self.left -= 1;
            let kind = self.kinds[self.rng.below(self.kinds.len() as u64) as usize];
            if let Some(command) = self.command(kind, world) {
                return Some(command);
            }
        }
        let mut end = match self.end.take() {
            Some(end) => end,
            None => self.ending(world),
        };
        let next = end.pop();
        self.end = Some(end);
        next
    }

    /// Returns a command of a kind, if the state of the system allows one.
    fn command(&mut self, kind: Kind, world: &World) -> Option<String> {
        let key = self.pick(&KEYS)?;
        Some(match kind {
            Kind::Put => format!("put {key} {}{}", self.number(), self.endpoints(world)),
            Kind::PutMany => {
                let (number, count) = (self.number(), self.pick(&[3, 15])?);
                let endpoints = self.endpoints(world);
                format!("for i in {{1..{count}}}; do put {key} {number}-$i{endpoints}; done")
            }
            Kind::Delete => format!("del {key}{}", self.endpoints(world)),
            Kind::Txn => {
                let (number, revision) = (self.number(), self.revision(world));
                let endpoints = self.endpoints(world);
                format!("txn{endpoints}\n\nput {key} {number}\nget /b --rev={revision}\n\n\n")
            }
            Kind::Get => format!("get {key}{}", self.endpoints(world)),
            Kind::Compact => format!("compact {}", self.revision(world)),
            Kind::Watch | Kind::SharedWatch => {
                if self.watches == WATCHES {
                    return None;
                }
                let stream = match kind {
                    Kind::SharedWatch => [" on ", &self.pick(&names_of_clients(world))?].concat(),
                    _ => self.endpoints(world),
                };
                self.watches += 1;
                let from = match self.rng.below(8) {
                    0..=1 => String::new(),
                    2..=4 => format!(" --rev={}", self.revision(world)),
                    5..=6 => format!(" --rev={}", self.revision(world) + 50),
                    _ => " --rev=-1".into(),
                };
                let name = world.free_watch_name();
                format!("watch {key}{from} as {name}{stream}")
            }
            Kind::Progress => ["progress ", &self.pick(&names_of_clients(world))?].concat(),
            Kind::SmallChannels => "set stream-window 0; set watch-channel 1".into(),
            Kind::ShortWait => format!("run {}", self.pick(&["10ms", "50ms", "200ms"])?),
            Kind::LongWait => format!("run {}", self.pick(&["1s", "3s"])?),
            Kind::Pause => {
                let name = self.node(world, |node| !world.is_paused(node))?;
                ["pause ", &name].concat()
            }
            Kind::Resume => {
                let name = self.node(world, |node| world.is_paused(node))?;
                ["resume ", &name].concat()
            }
            Kind::Disconnect => ["disconnect ", &self.pick(&names_of_clients(world))?].concat(),
            Kind::Connect => ["connect ", &self.pick(&names_of_clients(world))?].concat(),
            Kind::Link => {
                let name = self.node(world, |_| true)?;
                let way = self.pick(&["", " up", " down"])?;
                let change = self.pick(&["hold", "delay 20ms", "delay 300ms"])?;
                self.slow.push(name.clone());
                format!("net {name}{way} {change}")
            }
            Kind::Release => {
                let name = self.slow.pop()?;
                format!("net {name} release; net {name} delay 500us")
            }
            Kind::Stop => {
                let name = self.node(world, |node| world.is_running(node))?;
                ["stop ", &name].concat()
            }
            Kind::Start => {
                let name = self.node(world, |node| !world.is_running(node))?;
                ["start ", &name].concat()
            }
            Kind::Partition => {
                let members: Vec<NodeId> = world.members().map(|(node, _)| node).collect();
                let alone = members[self.rng.below(members.len() as u64) as usize];
                let name = world.node_name(alone);
                let others = members.iter().filter(|member| **member != alone);
                let others: Vec<String> = others.map(|member| world.node_name(*member)).collect();
                format!("fault partition {name} | {}", others.join(" "))
            }
            Kind::Heal => "heal".into(),
            Kind::ShortLog => "set snapshot-count 10; set snapshot-catchup-entries 2".into(),
            Kind::CreatePod => {
                let (pod, node) = (self.number(), self.pick(&NODES)?);
                let server = self.server(world);
                format!("kubectl create pod p-{pod} --node={node}{server}")
            }
            Kind::CreatePods => {
                let (number, server) = (self.number(), self.server(world));
                format!("for i in {{1..4}}; do kubectl create pod p-{number}-$i{server}; done")
            }
            Kind::DeletePod => {
                let name = self.pick(&names_of_pods(world))?;
                format!("kubectl delete pod {name}{}", self.server(world))
            }
            Kind::ListPods => ["kubectl get pods -o name", &self.server(world)].concat(),
            Kind::Informer => {
                if self.watches == WATCHES {
                    return None;
                }
                self.watches += 1;
                format!(
                    "informer pods as {}{}",
                    world.free_watch_name(),
                    self.server(world)
                )
            }
            Kind::Move => {
                let servers: Vec<String> = names_of_servers(world);
                let server = self.pick(&servers)?;
                let clients = world.kube_clients();
                let names: Vec<String> = clients.map(|(node, _)| world.node_name(node)).collect();
                let name = self.pick(&names)?;
                format!("stop {name}; move {name} {server}; start {name}")
            }
        })
    }

    /// Returns the commands that end all faults and write each key once more, the last command first.
    fn ending(&mut self, world: &World) -> Vec<String> {
        let mut commands = Vec::new();
        if world.is_cluster() {
            commands.push("heal".to_owned());
        }
        let slow = std::mem::take(&mut self.slow).into_iter();
        commands.extend(slow.map(|name| format!("net {name} release; net {name} delay 500us")));
        for (node, name) in nodes(world) {
            if !world.is_running(node) {
                commands.push(["start ", &name].concat());
            }
            if world.is_paused(node) {
                commands.push(["resume ", &name].concat());
            }
        }
        commands.push("run 3s".into());
        match world.apiservers().next() {
            Some(_) => commands.push("kubectl get pods -o name".into()),
            None => commands.extend(KEYS.map(|key| format!("put {key} end"))),
        }
        commands.push("run 2s".into());
        commands.reverse();
        commands
    }

    /// Draws one of the values; returns `None` if there are none.
    fn pick<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        let number = all.len().checked_sub(1)? as u64;
        Some(all[self.rng.below(number + 1) as usize].clone())
    }

    /// Returns a new number, so that all values and pods of an attempt differ.
    fn number(&mut self) -> u32 {
        self.number += 1;
        self.number
    }

    /// Draws a revision from 1 to the next revision of the store, and often one of the last.
    fn revision(&mut self, world: &World) -> i64 {
        let next = world.at_endpoint().store().current_rev() as u64 + 1;
        let first = match self.rng.chance(1, 2) {
            true => next.saturating_sub(2).max(1),
            false => 1,
        };
        (first + self.rng.below(next + 1 - first)) as i64
    }

    /// Draws the name of a node that a fault can concern.
    fn node(&mut self, world: &World, allows: impl Fn(NodeId) -> bool) -> Option<String> {
        let nodes = nodes(world).into_iter();
        let names: Vec<String> = nodes
            .filter(|(node, _)| allows(*node))
            .map(|(_, name)| name)
            .collect();
        self.pick(&names)
    }

    /// Draws the members to which a request is sent; an empty text for the default.
    fn endpoints(&mut self, world: &World) -> String {
        if !world.is_cluster() || self.rng.chance(1, 4) {
            return String::new();
        }
        let members: Vec<NodeId> = world.members().map(|(node, _)| node).collect();
        let first = self.rng.below(members.len() as u64) as usize;
        let count = 1 + self.rng.below(2) as usize;
        let names: Vec<String> = (first..first + count)
            .map(|n| world.node_name(members[n % members.len()]))
            .collect();
        [" --endpoints=", &names.join(",")].concat()
    }

    /// Draws the API server to which a request is sent; an empty text for the default.
    fn server(&mut self, world: &World) -> String {
        let servers: Vec<String> = names_of_servers(world);
        match self.pick(&servers) {
            Some(name) if servers.len() > 1 => [" --server=", &name].concat(),
            _ => String::new(),
        }
    }
}

fn names_of_clients(world: &World) -> Vec<String> {
    let clients = world.clients();
    clients.map(|(node, _)| world.node_name(node)).collect()
}

fn names_of_servers(world: &World) -> Vec<String> {
    let servers = world.apiservers();
    servers.map(|(node, _)| world.node_name(node)).collect()
}

fn names_of_pods(world: &World) -> Vec<String> {
    let range = KeyRange::Between(PODS.into(), prefix_end(PODS.as_bytes()));
    let found = world.at_endpoint().store().range(&range, 0, PODS_MAX);
    let pods = found.map_or_else(|_| Vec::new(), |found| found.kvs);
    let keys = pods.iter().map(|pod| pod.key.to_string());
    keys.filter_map(|key| Some(key.strip_prefix(PODS)?.to_owned()))
        .collect()
}

/// Returns the nodes that faults concern: clients, API servers and their clients, and the members of a cluster.
fn nodes(world: &World) -> Vec<(NodeId, String)> {
    let members = world.members().map(|(node, _)| node);
    let members = members.filter(|_| world.is_cluster());
    let clients = world.clients().map(|(node, _)| node);
    let servers = world.apiservers().map(|(node, _)| node);
    let kube_clients = world.kube_clients().map(|(node, _)| node);
    let all = members.chain(clients).chain(servers).chain(kube_clients);
    all.map(|node| (node, world.node_name(node))).collect()
}
