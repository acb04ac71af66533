//! Notes about commands without output. A note is one line that states the effect of the command and suggests a next
//! command.

use crate::api::{EtcdError, Reply, Response, WatchCreateRequest};
use crate::base::bytes::{escape, prefix_end};
use crate::base::time::SimTime;
use crate::client::kube::controller::ControllerSpec;
use crate::mvcc::kv_store::FIRST_REVISION;
use crate::observe::{History, LeaseEnd};
use crate::shell::{Output, Verb};
use crate::sim::cost::CostPreset;
use crate::words::notes as words;
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
            words::watches(name, &keys, from)
        }
        WorldOp::Crowd {
            name,
            watches,
            create,
            ..
        } => words::many_watches(name, *watches, &keys_of(create)),
        WorldOp::KubeWatch(watch) => words::kube_watch(&watch.name, watch.request.resource.name),
        WorldOp::ListWatch { name, prefix, .. } => words::list_watch(name, escape(prefix)),
        WorldOp::Poll { name, spec } => words::poll(name, escape(&spec.prefix), spec.every),
        WorldOp::Informer(start) => match &start.controller {
            None => words::informer(&start.name, start.resource.name),
            Some(ControllerSpec::Kubelet { node, .. }) => words::kubelet(&start.name, node),
            Some(ControllerSpec::StatefulSet(set)) => words::stateful_set(&start.name, &set.name),
        },
        WorldOp::KeepAlive { name, .. } => words::keep_alive(name),
        WorldOp::Process(start) => {
            let (_, client) = world.client_named(&start.name)?;
            let process = client.process()?;
            match process {
                _ if process.has_ended() => return None,
                _ if process.waits_for_others() => words::process_waits(&start.name),
                _ => words::process(&start.name),
            }
        }
        WorldOp::Monitor { name, .. } => words::monitor(name),
        WorldOp::GrpcProxy { port, .. } => words::grpc_proxy(*port),
        WorldOp::ApiServer { name, .. } => words::api_server(name),
        WorldOp::Kubelets(kubelets) => words::kubelets(&kubelets.name),
        WorldOp::Load { name, .. } | WorldOp::EtcdLoad { name, .. } => words::load(name),
        WorldOp::Pause(node) => words::paused(name_of(node)),
        WorldOp::Slow {
            client,
            per_response,
        } => words::slow(client, *per_response),
        WorldOp::Cost(change) => match change.preset {
            Some(CostPreset::Free) => words::WORK_IS_FREE.to_owned(),
            _ => words::WORK_TAKES_TIME.to_owned(),
        },
        WorldOp::Disconnect { client } => words::disconnected(client),
        WorldOp::Stop { client } if is_client(world, client) => words::client_stopped(client),
        WorldOp::Stop { client } => words::stopped(client),
        WorldOp::Drain { server } => words::draining(server),
        WorldOp::StopEtcd => words::ETCD_STOPPED.to_owned(),
        WorldOp::Crash(name) => words::crashed(name),
        WorldOp::Partition(_) => words::LINKS_CUT.to_owned(),
        WorldOp::FillDisk(name) => words::disk_full(name),
        WorldOp::Heal => words::HEALED.to_owned(),
        WorldOp::Reseed(_) => words::RESEEDED.to_owned(),
        WorldOp::Delay { .. } => words::MESSAGE_DELAYED.to_owned(),
        WorldOp::StartEtcd => words::ETCD_STARTS.to_owned(),
        WorldOp::OpenSnapshot { name } => words::snapshot_open(name),
        WorldOp::Link { client, change, .. } => match change {
            LinkChange::Hold => words::link_holds(client),
            _ => words::link_changed(client),
        },
        WorldOp::Unwatch { .. }
        | WorldOp::Interrupt { .. }
        | WorldOp::Progress { .. }
        | WorldOp::Resume(_)
        | WorldOp::Connect { .. }
        | WorldOp::Start { .. }
        | WorldOp::SaveSnapshot { .. }
        | WorldOp::CloseSnapshot { .. }
        | WorldOp::RestoreSnapshot { .. }
        | WorldOp::EditFile { .. }
        | WorldOp::Clock { .. }
        | WorldOp::Populate(_)
        | WorldOp::Move { .. }
        | WorldOp::Mirror(_)
        | WorldOp::Set { .. } => return None,
    })
}

/// Returns the note about a request; `None` for requests without a note. `output` is the output of the command.
pub(super) fn note_of_request(verb: &Verb, reply: &Reply, output: &Output) -> Option<String> {
    let note = match (verb, reply) {
        // A member that lags can respond to a serializable read with an old revision.
        (Verb::Get { request, .. }, Ok(Response::Range(response)))
            if response.header.revision == FIRST_REVISION
                && !request.serializable
                && output.stdout.is_empty() =>
        {
            words::EMPTY_STORE
        }
        (_, Err(EtcdError::Interrupted)) => words::INTERRUPTED,
        (Verb::LeaseGrant(_), Ok(_)) => words::LEASE_GRANTED,
        (Verb::Qos(_), Err(EtcdError::UnknownService)) => words::QOS_OFF,
        _ => return None,
    };
    Some(note.to_owned())
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
    let mut notes = vec![words::time_passed(now - began, now)];
    let ends = history.lease_ends_after(began_at);
    let expired: Vec<_> = ends.filter(|end| end.expired).collect();
    let listed = expired.iter().take(LISTED_MAX);
    notes.extend(listed.map(|end| note_of_lease(history, end)));
    let more = expired.len().saturating_sub(LISTED_MAX);
    if more > 0 {
        notes.push(words::more_leases(more));
    }
    notes.join(" ")
}

/// Returns the note about an expired lease and the keys that etcd deleted.
fn note_of_lease(history: &History, end: &LeaseEnd) -> String {
    let Some(main) = end.main else {
        return words::lease_without_keys(end.id);
    };
    let changes = history.changes_from(main);
    let keys = changes.take_while(|(_, change)| change.main == main);
    let keys: Vec<String> = keys.map(|(key, _)| key.to_text()).collect();
    let more = keys.len().saturating_sub(LISTED_MAX);
    words::lease_with_keys(end.id, &keys[..keys.len() - more], more)
}

/// Returns true if the node with this name is a client of etcd or of an API server.
fn is_client(world: &World, name: &str) -> bool {
    world.client_named(name).is_some() || world.kube_client_named(name).is_some()
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
        b"\0" if create.key.as_ref() == b"\0" => words::ALL_KEYS.to_owned(),
        b"\0" => words::keys_from(key),
        end if *end == *prefix_end(&create.key) => words::keys_with_prefix(key),
        end => words::keys_between(key, escape(end)),
    }
}

/// Returns the first revision of a watch; `None` if the revision is not known yet.
fn revision_of(world: &World, create: &WatchCreateRequest) -> Option<i64> {
    match create.start_revision {
        0 if world.runs(world.endpoint()) => Some(world.at_endpoint().store().current_rev() + 1),
        0 => None,
        revision => Some(revision),
    }
}
