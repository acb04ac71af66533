//! Prints the output of `show apiserver`, `show cache` and `show requests`, and the output of `recv` for Kubernetes
//! clients.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use crate::base::json::Json;
use crate::client::kube::controller::Controller;
use crate::kube::object::short_uid;
use crate::kube::{KubeResponse, KubeWatchEvent};
use crate::observe::kube_log::{Heard, StepTime};
use crate::shell::print::kubectl::refusal;
use crate::trace::{Container, KubeNotice};
use crate::world::World;

use crate::view::cache::savings::Savings;
use crate::view::cache::{CacheQuery, CacheReady, CacheView, PathKind, RequestRow};
use crate::view::node_state;
use crate::view::node_state::NodeState;

use super::number;

/// Prints one line for each API server, with its caches below it.
pub fn apiservers(view_of: &dyn Fn(&CacheQuery) -> CacheView, world: &World) -> String {
    let view = view_of(&CacheQuery {
        only_places: true,
        ..CacheQuery::default()
    });
    if view.servers.is_empty() {
        return "no API servers\n".into();
    }
    let mut text = String::new();
    for server in &view.servers {
        let found = world.apiserver_named(&server.name);
        let state = match found.map(|(node, _)| node_state::of(world, node)) {
            Some(NodeState::Paused) => "paused",
            Some(NodeState::Stopped) => "stopped",
            Some(NodeState::Disconnected) => "disconnected",
            Some(NodeState::Held) => "held",
            Some(NodeState::Normal | NodeState::Slow(_)) | None => "running",
        };
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            text,
            "{}  {}  policy {}  {state}  progress requests {}  etcd watches {}  client watches {}",
            server.name,
            server.version,
            server.policy,
            if server.progress_supported {
                "supported"
            } else {
                "not supported"
            },
            server.etcd_watches,
            server.client_watches,
        );
        if !server.gates.is_empty() {
            let _ = writeln!(text, "    {}", server.gates.join(" "));
        }
        for row in &server.lists {
            let (total, second) = (row.total, row.second);
            let _ = writeln!(
                text,
                "    lists from {}: {}, {} returned, {} examined, {} bytes examined; \
                 in the last second: {}, {}, {}, {}",
                row.source,
                number(total.lists, "list", "lists"),
                number(total.returned, "object", "objects"),
                total.objects,
                total.bytes,
                second.lists,
                second.returned,
                second.objects,
                second.bytes,
            );
        }
        for storage in found.iter().flat_map(|(_, s)| s.storages()) {
            if storage.cacher().is_some() {
                let query = CacheQuery {
                    resource: storage.resource().name.into(),
                    only_places: true,
                    ..CacheQuery::default()
                };
                let view = view_of(&query);
                for row in view.caches.iter().filter(|row| row.server == server.name) {
                    let _ = writeln!(text, "    {}  {}", view.resource, cache_line(row));
                }
            }
        }
    }
    text
}

fn cache_line(row: &crate::view::cache::CacheRow) -> String {
    let ready = match row.ready {
        CacheReady::Off => "no cache",
        CacheReady::Pending => "pending",
        CacheReady::Ready => "ready",
        CacheReady::Stopped => "stopped",
    };
    let oldest = row.window.oldest.map_or("-".into(), |rv| rv.to_string());
    let (word, distance) = match row.ahead {
        0 => ("behind", row.behind),
        ahead => ("ahead", ahead),
    };
    format!(
        "{ready}  revision {}  {word} {distance}  objects {}  window {}/{} from {oldest}  snapshots {}",
        row.revision, row.objects, row.window.used, row.window.capacity, row.snapshots
    )
}

/// Prints the details of all caches of one resource.
pub fn cache(view: &CacheView, savings: &dyn Fn(&str) -> Option<Savings>) -> String {
    let mut text = format!("{}: etcd is at revision {}\n", view.resource, view.head);
    for row in &view.caches {
        let _ = writeln!(text, "{}  {}", row.server, cache_line(row));
        let (with, without) = (row.decodes, row.decodes_without_cache);
        let _ = writeln!(
            text,
            "    etcd watches {}  client watches {}  decoded {with}, without a cache {without}  progress requests {}",
            row.etcd_watches, row.client_watches, row.progress_requests
        );
        if let Some(s) = savings(&row.server) {
            if s.consistent > 0 {
                let _ = writeln!(
                    text,
                    "    consistent reads {}  revision requests to etcd {}",
                    s.consistent, s.questions
                );
            }
            if s.relists > 0 {
                let (lists, listed) = s.lists;
                let _ = writeln!(
                    text,
                    "    relists {}  watches ended by relists {}  EtcdResyncs {} with {}\n    \
                     lists served {lists} with {}  watches requested {}",
                    s.relists,
                    s.ended,
                    s.resyncs,
                    number(s.resynced, "object", "objects"),
                    number(listed, "object", "objects"),
                    s.watches
                );
            }
        }
        for watcher in &row.watchers {
            let state = if watcher.replaying {
                "replaying"
            } else {
                "live"
            };
            let (input, result) = watcher.queued;
            let selects = match &*watcher.selects {
                "" => "everything",
                selects => selects,
            };
            let _ = writeln!(
                text,
                "    {}  {}  by {}  at {}  {state}  queued {input}+{result} of {}",
                watcher.client, selects, watcher.registered, watcher.revision, watcher.channel
            );
        }
        for waiting in &row.waiting {
            let needed = waiting
                .needed
                .map_or("etcd's revision".into(), |rv| rv.to_string());
            let _ = writeln!(text, "    {} waits for {needed}", waiting.client);
        }
    }
    text
}

/// Prints the newest requests to API servers, one per line.
pub fn requests(view: &CacheView, last: u64) -> String {
    if view.requests.is_empty() {
        return "no requests\n".into();
    }
    let last = usize::try_from(last)
        .unwrap_or(usize::MAX)
        .min(view.requests.len());
    let lines = view.requests[..last].iter().rev().map(request);
    lines.collect()
}

/// Prints a request, with the source of the response, the reason why this source served the request, and the latency by
/// cause.
pub fn request(row: &RequestRow) -> String {
    let path = match row.path {
        PathKind::Open => "no response",
        PathKind::Cache => "cache",
        PathKind::Snapshot => "snapshot",
        PathKind::Etcd => "etcd",
        PathKind::Refused if row.code >= 500 => "failed",
        PathKind::Refused => "refused",
    };
    let revision = row.revision.map_or("-".into(), |rv| rv.to_string());
    let span = |us: u64| crate::base::time::SimDuration(us);
    let split = row.split;
    let fell = if row.fell_back {
        ", because the wait for the cache timed out"
    } else {
        ""
    };
    let mut text = format!(
        "{} {}: {} {}\n    {path}{fell}: {}\n    revision {revision}  objects {}  examined {}{}\n    \
         {} = link {} + etcd's revision {} + wait {} + etcd {} + API server {}{}\n",
        row.server,
        row.client,
        row.verb,
        row.what,
        row.reason,
        row.items,
        row.fetched,
        if row.index.is_empty() {
            String::new()
        } else {
            format!("  index {}", row.index)
        },
        span(split.total_us),
        span(split.link_us),
        span(split.revision_us),
        span(split.wait_us),
        span(split.etcd_us),
        span(split.other_us),
        match split.convert_us + split.collect_us {
            0 => String::new(),
            _ => format!(
                " (conversion {}, garbage collection {})",
                span(split.convert_us),
                span(split.collect_us)
            ),
        },
    );
    if row.seats > 0 {
        let queue = span(row.queue_us);
        let _ = writeln!(text, "    seats {}  wait for seats {queue}", row.seats);
    }
    if row.code >= 400 {
        let _ = writeln!(text, "    {} {}", row.code, row.message);
    }
    text
}

/// Prints the events that a watch received, one per line. For an informer, prints the calls of the informer's event
/// handlers instead of the events.
pub fn heard(all: &[(StepTime, Heard)], is_informer: bool) -> String {
    let mut text = String::new();
    for (_, what) in all {
        match what {
            Heard::Event(
                KubeWatchEvent::Added(_) | KubeWatchEvent::Modified(_) | KubeWatchEvent::Deleted(_),
            ) if is_informer => {}
            Heard::Answer(answer) if is_informer && answer.is_ok() => {}
            Heard::Answer(answer) => match &**answer {
                Ok(KubeResponse::List(list)) => {
                    for object in &list.items {
                        let _ = writeln!(text, "{:<9} {object}", "LISTED");
                    }
                    if list.not_kept > 0 {
                        let objects = number(list.not_kept, "object", "objects");
                        let _ = writeln!(text, "LISTED    {objects}, not kept");
                    }
                    let _ = writeln!(
                        text,
                        "{:<9} resourceVersion {}",
                        "LIST", list.resource_version
                    );
                }
                Ok(_) => {}
                Err(error) => {
                    let _ = writeln!(text, "{}", refusal(error));
                }
            },
            Heard::Event(event) => event_line(&mut text, event),
            Heard::End(true) if is_informer => text.push_str("the server ended the stream\n"),
            // kubectl ends without a message and with exit code 0.
            Heard::End(true) => {}
            Heard::End(false) => text.push_str("the connection broke\n"),
            Heard::Replaced(objects, revision) => {
                let objects = number(*objects, "object", "objects");
                let _ = writeln!(text, "Replace   {objects} at {revision}");
            }
            Heard::Notice(notice) => notice_line(&mut text, notice),
            Heard::BacksOff(delay, why) => {
                let _ = writeln!(text, "waits {delay}: {why}");
            }
        }
    }
    text
}

fn event_line(text: &mut String, event: &KubeWatchEvent) {
    let kind = event.type_name();
    let _ = match event {
        KubeWatchEvent::Added(o) | KubeWatchEvent::Modified(o) | KubeWatchEvent::Deleted(o) => {
            writeln!(text, "{kind:<9} {o}")
        }
        KubeWatchEvent::Bookmark {
            resource_version,
            initial_events_end,
        } => {
            let end = if *initial_events_end {
                " initial-events-end"
            } else {
                ""
            };
            writeln!(text, "{kind:<9} {resource_version}{end}")
        }
        KubeWatchEvent::Resync {
            items,
            resource_version,
        } => {
            let objects = number(items.len() as u64, "object", "objects");
            writeln!(text, "{kind} {objects} at {resource_version}")
        }
        KubeWatchEvent::Error(error) => {
            writeln!(
                text,
                "{kind:<9} {} {}: {error}",
                error.code(),
                error.reason()
            )
        }
    };
}

fn notice_line(text: &mut String, notice: &KubeNotice) {
    let _ = match notice {
        KubeNotice::Add { object, is_initial } => {
            let initial = if *is_initial { " (initial list)" } else { "" };
            writeln!(text, "OnAdd     {object}{initial}")
        }
        KubeNotice::Update { old, new } => {
            let recreated = if old.uid == new.uid {
                ""
            } else {
                ", another UID"
            };
            writeln!(
                text,
                "OnUpdate  {new}, was {}{recreated}",
                old.resource_version
            )
        }
        KubeNotice::Delete {
            object,
            is_final_state_unknown,
        } => {
            let unknown = if *is_final_state_unknown {
                " DeletedFinalStateUnknown"
            } else {
                ""
            };
            writeln!(text, "OnDelete  {object}{unknown}")
        }
    };
}

/// Returns the running containers of all kubelets, each with the name of its node.
fn running_containers(world: &World) -> impl Iterator<Item = (&str, &Container)> {
    let controllers = world
        .kube_clients()
        .filter_map(|(_, client)| client.controller());
    let kubelets = controllers.filter_map(|controller| match controller {
        Controller::Kubelet(containers) => Some(containers),
        _ => None,
    });
    kubelets.flat_map(|kubelet| {
        kubelet
            .running()
            .map(|container| (&**kubelet.node(), container))
    })
}

/// Returns true if a pod name has several running containers: two containers with one identity.
pub fn has_two_containers(world: &World) -> bool {
    let mut pods = BTreeSet::new();
    running_containers(world).any(|(_, container)| !pods.insert(&container.pod))
}

/// Prints one line for each running container, and one line for each pod name with several containers.
pub fn containers(world: &World) -> String {
    let mut text = String::new();
    let mut by_pod: BTreeMap<Arc<str>, Vec<String>> = BTreeMap::new();
    for (node, container) in running_containers(world) {
        let uid = short_uid(container.uid);
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{node}  {}  uid {uid}", container.pod);
        let places = by_pod.entry(container.pod.clone()).or_default();
        places.push(format!("{node} (uid {uid})"));
    }
    if text.is_empty() {
        text.push_str("no containers\n");
    }
    for (pod, places) in by_pod.iter().filter(|(_, places)| places.len() > 1) {
        let places = places.join(" and on ");
        let _ = writeln!(
            text,
            "{pod} runs on {places}: two containers with one identity"
        );
    }
    text
}

/// Appends the caches of all API servers as a JSON array.
pub fn push_caches(out: &mut String, world: &World) {
    let mut array = Json::array(out);
    for (_, server) in world.apiservers() {
        for cacher in server.storages().filter_map(|storage| storage.cacher()) {
            let cache = cacher.cache();
            let ring = cache.ring();
            let mut object = Json::object(array.item());
            object.string("server", server.name());
            object.string("resource", cacher.resource().name);
            object.value("ready", cacher.ready().check(world.now()).is_ok());
            object.value("revision", cache.cache_rv());
            object.value("list_revision", cache.list_rv());
            object.value("objects", cache.store().len());
            object.value("capacity", ring.capacity());
            object.value("events", ring.len());
            // A watch from revision x starts with the events after x.
            object.value("oldest", cache.oldest_deliverable().map_or(0, |rv| rv - 1));
            object.value("watches", cacher.dispatcher().registered());
            object.value("waiting", cacher.freshness().waiting());
        }
    }
}
