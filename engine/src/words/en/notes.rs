//! The notes about commands without output. A note states the effect of the command and suggests a next command.

use std::fmt::Display;

use crate::base::time::{SimDuration, SimTime};

/// The notes whose text is fixed, because they contain no names or numbers.
pub const WORK_IS_FREE: &str = "Processing takes no time, and links have no bandwidth limit.";
pub const WORK_TAKES_TIME: &str = "Processing takes time in etcd and in API servers, and transfers take time on \
    links. `show cost` prints the costs.";
pub const ETCD_STOPPED: &str = "etcd is down. `start etcd` starts the member.";
pub const ETCD_STARTS: &str = "etcd is starting. `run 1s` lets its clients reconnect.";
pub const LINKS_CUT: &str =
    "The links are cut. `run 2s` lets the members detect the cut. `heal` repairs the links.";
pub const RESEEDED: &str =
    "Delays that vary, losses, election timeouts and timers are drawn anew from now on.";
pub const MESSAGE_DELAYED: &str = "`run 1s` lets time pass until the message has arrived.";
pub const HEALED: &str = "Links and disks work again. `run 2s` lets time pass. Members catch up once they have a \
    leader.";
pub const EMPTY_STORE: &str = "The store has no keys yet. `put greeting hello` writes a key.";
pub const INTERRUPTED: &str = "This command has no time limit: `--command-timeout` has no effect on it. It was stopped \
    after 15 minutes, as with Ctrl-C.";
pub const LEASE_GRANTED: &str = "The TTL counts simulated time. `run 10s` lets time pass.";
pub const QOS_OFF: &str = "etcd QoS is a proposal. `set experimental-enable-qos 1` turns QoS on.";

pub const ALL_KEYS: &str = "all keys";

/// Returns the phrase for a watch of all keys from this key on.
pub fn keys_from(key: impl Display) -> String {
    format!("all keys from {key} on")
}

pub fn keys_with_prefix(prefix: impl Display) -> String {
    format!("keys with the prefix {prefix}")
}

pub fn keys_between(key: impl Display, end: impl Display) -> String {
    format!("keys from {key} up to {end}")
}

/// Returns the note about a watch. `from` is the first revision, or `None` for new events only.
pub fn watches(name: &str, keys: &str, from: Option<i64>) -> String {
    match from {
        Some(revision) => format!(
            "{name} watches {keys} from revision {revision}. `recv {name}` prints its events; `unwatch {name}` ends \
             the watch."
        ),
        None => format!(
            "{name} watches {keys} for new events. `recv {name}` prints its events; `unwatch {name}` ends the watch."
        ),
    }
}

/// Returns the note about many watches of the same keys.
pub fn many_watches(name: &str, watches: u32, keys: &str) -> String {
    format!("{name}-1, {name}-2, … are {watches} watches of {keys}. `show watchers` lists them.")
}

/// Returns the note about a watch of Kubernetes objects.
pub fn kube_watch(name: &str, resource: &str) -> String {
    format!(
        "{name} watches {resource}. `recv {name}` prints its events; `stop {name}` ends the watch."
    )
}

/// Returns the note about a client that lists and watches.
pub fn list_watch(name: &str, prefix: impl Display) -> String {
    format!(
        "{name} lists keys with the prefix {prefix}, then watches them. `recv {name}` prints its events."
    )
}

/// Returns the note about a client that reads regularly.
pub fn poll(name: &str, prefix: impl Display, every: SimDuration) -> String {
    format!(
        "{name} reads keys with the prefix {prefix} every {every}. `show clients` counts its reads."
    )
}

pub fn informer(name: &str, resource: &str) -> String {
    format!("{name} lists all {resource}, then watches them. `recv {name}` prints its events.")
}

pub fn kubelet(name: &str, node: impl Display) -> String {
    format!("{name} runs the containers of the pods on {node}. `show containers` prints them.")
}

/// Returns the note about the controller of a StatefulSet.
pub fn stateful_set(name: &str, set: impl Display) -> String {
    format!("{name} creates the missing pods of {set} while time passes.")
}

/// Returns the note about a client that keeps a lease alive.
pub fn keep_alive(name: &str) -> String {
    format!("{name} keeps the lease alive while time passes. `run 10s` lets time pass.")
}

/// Returns the note about a command of etcdctl that runs until it is ended.
pub fn process(name: &str) -> String {
    format!(
        "{name} continues. `recv {name}` prints its further output; `unwatch {name}` or Ctrl+C ends the command."
    )
}

/// Returns the note about a session that waits for a lock or for its election.
pub fn process_waits(name: &str) -> String {
    format!(
        "{name} waits for the end of another session. `recv {name}` prints its output; `unwatch {name}` or Ctrl+C \
         ends the command."
    )
}

/// Returns the note about a monitor of requests.
pub fn monitor(name: &str) -> String {
    format!(
        "{name} receives a report of each request above the threshold. `recv {name}` prints the reports. \
         `unwatch {name}` ends the stream."
    )
}

pub fn api_server(name: &str) -> String {
    format!("{name} starts. `show apiserver` shows its caches. `kubectl get pods` sends a request.")
}

pub fn grpc_proxy(port: u32) -> String {
    format!(
        "The proxy starts as `grpc-proxy`. Commands with `--endpoints=127.0.0.1:{port}` go through it."
    )
}

/// Returns the note about many kubelets.
pub fn kubelets(name: &str) -> String {
    format!("{name} starts. `run 1s` advances the time by one second.")
}

/// Returns the note about a load, which is a client that sends requests at a fixed rate.
pub fn load(name: &str) -> String {
    format!("{name} sends requests while time passes, for example with `run 1s`.")
}

pub fn paused(node: &str) -> String {
    format!("{node} is paused. `resume {node}` resumes the node.")
}

/// Returns the note about a slow client.
pub fn slow(client: &str, per_response: SimDuration) -> String {
    format!("{client} needs {per_response} for each response.")
}

pub fn disconnected(client: &str) -> String {
    format!("{client} is disconnected. `connect {client}` restores the connection.")
}

pub fn stopped(node: &str) -> String {
    format!("{node} is stopped. `start {node}` starts the node.")
}

/// Returns the note about a stopped client.
pub fn draining(name: &str) -> String {
    format!("{name} has received SIGTERM: it refuses new requests and ends in a minute.")
}

pub fn client_stopped(client: &str) -> String {
    format!("{client} is stopped. `start {client}` starts the client again.")
}

/// Returns the note about a member whose machine lost power.
pub fn crashed(member: impl Display) -> String {
    format!("{member} is down. `start {member}` starts the member.")
}

pub fn disk_full(member: impl Display) -> String {
    format!("The database file of {member} cannot grow. `heal` frees space on the disk.")
}

/// Returns the note about a snapshot whose read transaction stays open.
pub fn snapshot_open(name: &str) -> String {
    format!("The snapshot stays open. `snapshot close {name}` closes the snapshot.")
}

pub fn link_holds(client: &str) -> String {
    format!("Messages of {client} wait at its link. `net {client} release` delivers them.")
}

/// Returns the note about a link whose settings changed.
pub fn link_changed(client: &str) -> String {
    format!("The link of {client} has changed. The Messages view shows its messages.")
}

pub fn time_passed(passed: SimDuration, now: SimTime) -> String {
    format!("{passed} passed. The clock is at {}.", SimDuration(now.0))
}

/// Returns the note about an expired lease without keys.
pub fn lease_without_keys(id: i64) -> String {
    format!("Lease {id:x} expired; no key was attached.")
}

/// Returns the note about an expired lease. `keys` are the keys to name, and `more` is the number of the other deleted
/// keys.
pub fn lease_with_keys(id: i64, keys: &[String], more: usize) -> String {
    let keys = keys.join(", ");
    match more {
        0 => format!("Lease {id:x} expired, so etcd deleted {keys}."),
        1 => format!("Lease {id:x} expired, so etcd deleted {keys} and one more key."),
        more => format!("Lease {id:x} expired, so etcd deleted {keys} and {more} more keys."),
    }
}

/// Returns the note about the remaining expired leases, for which no separate note is shown.
pub fn more_leases(leases: usize) -> String {
    match leases {
        1 => "One more lease expired.".to_owned(),
        leases => format!("{leases} more leases expired."),
    }
}
