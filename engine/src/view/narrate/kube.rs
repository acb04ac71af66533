//! Writes sentences about API servers, their caches and their clients.

use crate::base::ids::NodeId;
use crate::kube::object::short_uid;
use crate::kube::{KubeResponse, KubeWatchEvent, ServedBy};
use crate::observe::Past;
use crate::trace::{Answered, ContainerChange, Event, KubeNotice, KubeTrace, TraceEvent};

use super::message_kube;
use super::watch::number;

/// The maximum number of sentences for one step.
const SENTENCES_MAX: usize = 4;

/// Describes the Kubernetes events of a step. Returns `None` if there are none.
pub(in crate::view) fn quiet(events: &[Event], past: Past<'_>) -> Option<String> {
    let mut kube = events.iter().filter_map(|event| match &event.what {
        TraceEvent::Kube(what) => Some(what),
        _ => None,
    });
    let first = kube.by_ref().take(SENTENCES_MAX);
    let mut sentences: Vec<String> = first.map(|what| one(what, past)).collect();
    if sentences.is_empty() {
        return None;
    }
    let more = kube.count();
    if more > 0 {
        sentences.push(format!("{more} more events follow."));
    }
    Some(sentences.join(" "))
}

fn one(what: &KubeTrace, past: Past<'_>) -> String {
    let name = |node: &NodeId| past.world.node_name(*node);
    match what {
        KubeTrace::Lists {
            server,
            resource,
            ended,
        } => {
            let server = name(server);
            match ended {
                0 => format!("{server} lists all {resource} for its cache."),
                n => format!(
                    "{server} closes {} of {resource} and lists all {resource} again.",
                    number(u64::from(*n), "client watch", "client watches")
                ),
            }
        }
        KubeTrace::Listed {
            server,
            resource,
            revision,
            objects,
        } => format!(
            "The {resource} cache of {} has {} at revision {revision}: the cache is ready and \
             watches from revision {}.",
            name(server),
            number(*objects, "object", "objects"),
            revision + 1
        ),
        KubeTrace::CacheMoved {
            server,
            resource,
            from,
            to,
            by_progress,
            evicted,
            resized,
        } => {
            let cache = format!("The {resource} cache of {}", name(server));
            let mut text = match (by_progress, from == to) {
                (true, true) => format!(
                    "{cache} receives a progress notification: still nothing is \
                    missing up to {to}."
                ),
                (true, false) => {
                    format!(
                        "{cache} receives a progress notification and moves from revision {from} to {to}."
                    )
                }
                (false, _) => {
                    format!("{cache} receives an event and moves from revision {from} to {to}.")
                }
            };
            if let Some((before, after)) = resized {
                text.push_str(&format!(
                    " Its window changes from {before} to {after} events."
                ));
            }
            if *evicted > 0 {
                text.push_str(" The oldest event leaves its window.");
            }
            text
        }
        KubeTrace::CacheLost {
            server,
            resource,
            why,
        } => format!(
            "The {resource} cache of {} lost its watch: {why}. The cache is not ready until it has \
             relisted.",
            name(server)
        ),
        KubeTrace::ProgressAsked {
            server,
            resource,
            waiting,
        } => format!(
            "{} asks etcd for progress on its {resource} watch; {}.",
            name(server),
            number(u64::from(*waiting), "read is waiting", "reads are waiting")
        ),
        KubeTrace::Asked {
            server,
            client,
            request,
            reason,
            ..
        } => format!(
            "{} asks {}: {}. {}",
            name(client),
            name(server),
            message_kube::asked(request),
            reason.sentence()
        ),
        KubeTrace::Waits {
            server,
            needed,
            cache_revision,
            ..
        } => format!(
            "The read needs revision {needed}, and the cache of {} is at {cache_revision}: the read waits.",
            name(server)
        ),
        KubeTrace::FallsBack { server, .. } => format!(
            "The read waited too long; {} reads from etcd instead.",
            name(server)
        ),
        KubeTrace::Answered { server, how, .. } => answered(&name(server), how),
        KubeTrace::WatchBegan {
            from, with_state, ..
        } => match with_state {
            true => "The watch starts with all existing objects.".into(),
            false => format!("The watch starts after revision {from}."),
        },
        KubeTrace::WatchEnded { server, why, .. } => {
            format!("{} closes a client's watch: {why}.", name(server))
        }
        KubeTrace::BookmarkSent {
            server, revision, ..
        } => {
            format!("{} sends a bookmark at revision {revision}.", name(server))
        }
        KubeTrace::Sends {
            client,
            server,
            request,
            ..
        } => format!(
            "{} asks {}: {}.",
            name(client),
            name(server),
            message_kube::asked(request)
        ),
        KubeTrace::Hears { client, answer, .. } => match &**answer {
            Ok(KubeResponse::List(list)) => format!(
                "{} receives {}, as of revision {}.",
                name(client),
                number(list.count(), "object", "objects"),
                list.resource_version
            ),
            Ok(KubeResponse::Object(object)) => {
                format!("{} receives {object}.", name(client))
            }
            Ok(KubeResponse::WatchBegun) => format!("The watch of {} is confirmed.", name(client)),
            Err(error) => format!(
                "{} receives an error: {} {error}.",
                name(client),
                error.code()
            ),
        },
        KubeTrace::Events { client, events, .. } => match events.as_slice() {
            [one] => format!("{} receives {}.", name(client), message_kube::event(one)),
            many => {
                let errors = many.iter().any(|e| matches!(e, KubeWatchEvent::Error(_)));
                let n = number(many.len() as u64, "event", "events");
                let tail = if errors { ", one of them an error" } else { "" };
                format!("{} receives {n}{tail}.", name(client))
            }
        },
        KubeTrace::StreamEnds { client, clean, .. } => match clean {
            true => format!("The stream of {} closed without an error.", name(client)),
            false => format!("The stream of {} broke.", name(client)),
        },
        KubeTrace::Replaced {
            client,
            revision,
            objects,
            gone,
        } => {
            let n = number(*objects, "object", "objects");
            let mut text = format!("{} holds {n}, as of revision {revision}.", name(client));
            if !gone.is_empty() {
                let missed = number(gone.len() as u64, "delete", "deletes");
                text.push_str(&format!(" It discovers {missed} that it missed."));
            }
            text
        }
        KubeTrace::BacksOff { client, delay, why } => {
            format!("{} waits {delay}: {why}.", name(client))
        }
        KubeTrace::EventsEtcd { server, is_own } => format!(
            "{} stores events in {}.",
            name(server),
            match is_own {
                true => "a second etcd, etcd-events",
                false => "the etcd of all other resources",
            }
        ),
        KubeTrace::Container { client, change } => match change {
            ContainerChange::Started(container) => format!(
                "{} starts the container of {} (uid {}).",
                name(client),
                container.pod,
                short_uid(container.uid)
            ),
            ContainerChange::Stopped(container) => format!(
                "{} stops the container of {} (uid {}).",
                name(client),
                container.pod,
                short_uid(container.uid)
            ),
        },
        KubeTrace::Notified { client, what } => {
            let client = name(client);
            match what {
                KubeNotice::Add { object, .. } => format!("{client} adds {object}."),
                KubeNotice::Update { new, .. } => format!("{client} updates {new}."),
                KubeNotice::Delete { object, .. } => format!("{client} deletes {object}."),
            }
        }
    }
}

fn answered(server: &str, how: &Answered) -> String {
    if how.code >= 400 {
        return format!("{server} refuses: {} {}.", how.code, how.message);
    }
    let from = match how.by {
        ServedBy::Cache => "from its cache",
        ServedBy::Snapshot => "from a snapshot",
        ServedBy::Etcd => "from etcd",
        ServedBy::Nobody => "immediately",
    };
    let revision = how
        .revision
        .map_or(String::new(), |rv| format!(" at revision {rv}"));
    let waited = match how.wait_took.0 {
        0 => String::new(),
        _ => format!(" after waiting {}", how.wait_took),
    };
    format!("{server} responds {from}{revision}{waited}.")
}
