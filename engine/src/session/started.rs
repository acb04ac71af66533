//! Notes about commands without output. A note is one line that states the effect of the command and suggests a next
//! command.

use crate::api::WatchCreateRequest;
use crate::base::bytes::{escape, prefix_end};
use crate::base::time::{SimDuration, SimTime};
use crate::client::kube::controller::ControllerSpec;
use crate::observe::{History, LeaseEnd};
use crate::shell::Verb;
use crate::sim::cost::CostPreset;
use crate::world::World;
use crate::world::op::{LinkChange, NodeName, WorldOp};

/// Returns the note about a finished operation; `None` for operations without a note.
pub(super) fn note_of_op(world: &World, op: &WorldOp, is_interactive: bool) -> Option<String> {
    Some(match op {
        WorldOp::Watch(watch) => {
            let keys = keys_of(&watch.create);
            let from = revision_of(world, &watch.create);
            // `recv` reads all watches of an interactive process by the name of the process.
            let name = match watch.name.rsplit_once('.') {
                Some((name, _)) if is_interactive => name,
                _ => &watch.name,
            };
            format!("{name} watches {keys}{from}. `recv {name}` prints its events.")
        }
        WorldOp::Crowd {
            name,
            watches,
            create,
            ..
        } => format!(
            "{watches} watches, {name}-1, {name}-2, …, watch {}. `show watchers` lists them.",
            keys_of(create)
        ),
        WorldOp::KubeWatch(watch) => {
            let (name, resource) = (&watch.name, &watch.request.resource.name);
            format!("{name} watches {resource}. `recv {name}` prints its events.")
        }
        WorldOp::ListWatch { name, prefix, .. } => format!(
            "{name} lists keys with the prefix {}, then watches them. `recv {name}` prints its events.",
            escape(prefix)
        ),
        WorldOp::Poll { name, spec } => format!(
            "{name} reads keys with the prefix {} every {}. `show clients` counts its reads.",
            escape(&spec.prefix),
            spec.every
        ),
        WorldOp::Informer(start) => {
            let (name, resource) = (&start.name, start.resource.name);
            match &start.controller {
                None => format!(
                    "{name} lists all {resource}, then watches them. `recv {name}` prints its events."
                ),
                Some(ControllerSpec::Kubelet(node)) => format!(
                    "{name} runs the containers of the pods on {node}. `show containers` prints them."
                ),
                Some(ControllerSpec::StatefulSet(set)) => format!(
                    "{name} creates the missing pods of {} while time passes.",
                    set.name
                ),
            }
        }
        WorldOp::KeepAlive { name, .. } => {
            format!("{name} keeps the lease alive while time passes. `run 10s` lets time pass.")
        }
        WorldOp::Monitor { name, .. } => format!(
            "{name} receives the requests above the threshold. `recv {name}` prints the requests. `unwatch {name}` \
             ends the stream."
        ),
        WorldOp::ApiServer { name, .. } => {
            format!(
                "{name} starts. `show apiserver` shows its caches. `kubectl get pods` sends a request."
            )
        }
        WorldOp::Kubelets(kubelets) => {
            format!(
                "{} starts. `run 1s` advances the time by one second.",
                kubelets.name
            )
        }
        WorldOp::Load { name, .. } | WorldOp::EtcdLoad { name, .. } => {
            format!("{name} sends requests while time passes, for example with `run 1s`.")
        }
        WorldOp::Pause(node) => {
            let name = name_of(node);
            format!("{name} is paused. `resume {name}` resumes the node.")
        }
        WorldOp::Slow {
            client,
            per_response,
        } => {
            format!("{client} needs {per_response} for each response.")
        }
        WorldOp::Cost(change) => match change.preset {
            Some(CostPreset::Free) => "Work takes no time.".to_owned(),
            _ => "Work takes time in etcd, in API servers and on links. `show cost` prints the prices.".to_owned(),
        },
        WorldOp::Disconnect { client } => {
            format!("{client} is disconnected. `connect {client}` restores the connection.")
        }
        WorldOp::Stop { client } => {
            format!("{client} is stopped. `start {client}` starts the node.")
        }
        WorldOp::StopEtcd => "etcd is down. `start etcd` starts the member.".to_owned(),
        WorldOp::Crash(name) => format!("{name} is down. `start {name}` starts the member."),
        WorldOp::Partition(_) => {
            "The links are cut. `run 2s` lets the members detect the cut. `heal` repairs the links.".to_owned()
        }
        WorldOp::FillDisk(name) => {
            format!("The database file of {name} cannot grow. `heal` frees space on the disk.")
        }
        WorldOp::Heal => {
            "Links and disks work again. `run 2s` lets time pass. Members catch up once they have a leader.".to_owned()
        }
        WorldOp::StartEtcd => "etcd is starting. `run 1s` lets its clients reconnect.".to_owned(),
        WorldOp::OpenSnapshot { name } => {
            format!("The snapshot stays open. `snapshot close {name}` closes the snapshot.")
        }
        WorldOp::Link { client, change, .. } => match change {
            LinkChange::Hold => {
                format!(
                    "Messages of {client} wait at its link. `net {client} release` delivers them."
                )
            }
            _ => {
                format!("The link of {client} has changed. The Messages view shows its messages.")
            }
        },
        WorldOp::Unwatch { .. }
        | WorldOp::Progress { .. }
        | WorldOp::Resume(_)
        | WorldOp::Connect { .. }
        | WorldOp::Start { .. }
        | WorldOp::SaveSnapshot { .. }
        | WorldOp::CloseSnapshot { .. }
        | WorldOp::RestoreSnapshot { .. }
        | WorldOp::Clock { .. }
        | WorldOp::Populate(_)
        | WorldOp::Move { .. }
        | WorldOp::Set { .. } => return None,
    })
}

/// Returns the note about a request; `None` for requests without a note.
pub(super) fn note_of_request(verb: &Verb) -> Option<String> {
    match verb {
        Verb::LeaseGrant(_) => {
            Some("The TTL counts simulated time. `run 10s` lets time pass.".to_owned())
        }
        _ => None,
    }
}

/// The maximum number of expired leases, and of keys of a lease, in a note.
const LISTED_MAX: usize = 3;

/// Returns the note about a finished sleep, with the leases that expired after the step `began_at`.
pub(super) fn note_of_sleep(
    began: SimTime,
    now: SimTime,
    history: &History,
    began_at: u64,
) -> String {
    let passed = now - began;
    let mut note = format!("{passed} passed. The clock is at {}.", SimDuration(now.0));
    let ends = history.lease_ends_after(began_at);
    let expired: Vec<_> = ends.filter(|end| end.expired).collect();
    for end in expired.iter().take(LISTED_MAX) {
        let keys = deleted_keys(history, end);
        note.push_str(&format!(" Lease {:x} expired{keys}.", end.id));
    }
    match expired.len().saturating_sub(LISTED_MAX) {
        0 => {}
        1 => note.push_str(" One more lease expired."),
        more => note.push_str(&format!(" {more} more leases expired.")),
    }
    note
}

/// Returns the clause about the keys that the end of a lease deleted.
fn deleted_keys(history: &History, end: &LeaseEnd) -> String {
    let Some(main) = end.main else {
        return "; no key was attached".to_owned();
    };
    let changes = history.changes_from(main);
    let keys = changes.take_while(|(_, change)| change.main == main);
    let keys: Vec<String> = keys.map(|(key, _)| key.to_text()).collect();
    let more = keys.len().saturating_sub(LISTED_MAX);
    let listed = keys[..keys.len() - more].join(", ");
    match more {
        0 => format!(", so etcd deleted {listed}"),
        1 => format!(", so etcd deleted {listed} and one more key"),
        more => format!(", so etcd deleted {listed} and {more} more keys"),
    }
}

fn name_of(node: &NodeName) -> &str {
    match node {
        NodeName::Etcd => "etcd",
        NodeName::Client(name) => name,
    }
}

fn keys_of(create: &WatchCreateRequest) -> String {
    let key = escape(&create.key);
    match create.range_end.as_ref() {
        b"" => key,
        b"\0" if create.key.as_ref() == b"\0" => "all keys".to_owned(),
        b"\0" => format!("all keys from {key} on"),
        end if *end == *prefix_end(&create.key) => format!("keys with the prefix {key}"),
        end => format!("keys from {key} up to {}", escape(end)),
    }
}

fn revision_of(world: &World, create: &WatchCreateRequest) -> String {
    match create.start_revision {
        0 if world.runs(world.endpoint()) => {
            let next = world.at_endpoint().store().current_rev() + 1;
            format!(" from revision {next}")
        }
        0 => " for new events".to_owned(),
        revision => format!(" from revision {revision}"),
    }
}
