//! Sentences about API servers, their caches, and those who ask them.

use crate::base::ids::NodeId;
use crate::kube::{KubeResponse, KubeWatchEvent, ServedBy};
use crate::observe::Past;
use crate::trace::{Answered, Event, KubeNotice, KubeTrace, TraceEvent};

use super::message_kube;
use super::watch::number;

/// Sentences of one step.
const SENTENCES_MAX: usize = 4;

/// What a step was on Kubernetes' side, if it was anything there.
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
        sentences.push(format!("And {more} more."));
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
                    "{server} ends {} of {resource} and lists all of them again.",
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
            "The {resource} cache of {} has {} at revision {revision}: it is ready, and watches from {}.",
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
                (true, true) => format!("{cache} hears again that nothing is missing up to {to}."),
                (true, false) => {
                    format!("{cache} hears that nothing is missing up to {to}; it was at {from}.")
                }
                (false, _) => format!("{cache} takes in an event: {from} to {to}."),
            };
            if let Some((before, after)) = resized {
                text.push_str(&format!(
                    " Its window grows or shrinks: {before} to {after} events."
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
            "The {resource} cache of {} lost its watch: {why}. It is not ready until it has listed again.",
            name(server)
        ),
        KubeTrace::ProgressAsked {
            server,
            resource,
            waiting,
        } => format!(
            "{} asks etcd how far its watch of {resource} has come; {} for it.",
            name(server),
            number(u64::from(*waiting), "read waits", "reads wait")
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
            "The read needs revision {needed}, and the cache of {} is at {cache_revision}: it waits.",
            name(server)
        ),
        KubeTrace::FallsBack { server, .. } => format!(
            "The read has waited too long; {} asks etcd instead.",
            name(server)
        ),
        KubeTrace::Answered { server, how, .. } => answered(&name(server), how),
        KubeTrace::WatchBegan {
            from, with_state, ..
        } => match with_state {
            true => "The watch begins with everything that is there.".into(),
            false => format!("The watch begins after revision {from}."),
        },
        KubeTrace::WatchEnded { server, why, .. } => {
            format!("{} ends a client's watch: {why}.", name(server))
        }
        KubeTrace::BookmarkSent {
            server, revision, ..
        } => {
            format!("{} sends a bookmark: {revision}.", name(server))
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
                "{} has its list: {} at revision {}.",
                name(client),
                number(list.count(), "object", "objects"),
                list.resource_version
            ),
            Ok(KubeResponse::Object(object)) => {
                format!("{} has its answer: {object}.", name(client))
            }
            Ok(KubeResponse::WatchBegun) => format!("{} hears that its watch began.", name(client)),
            Err(error) => format!("{} is refused: {} {error}.", name(client), error.code()),
        },
        KubeTrace::Events { client, events, .. } => match events.as_slice() {
            [one] => format!("{} hears {}.", name(client), message_kube::event(one)),
            many => {
                let errors = many.iter().any(|e| matches!(e, KubeWatchEvent::Error(_)));
                let n = number(many.len() as u64, "event", "events");
                let tail = if errors { ", one of them an error" } else { "" };
                format!("{} hears {n}{tail}.", name(client))
            }
        },
        KubeTrace::StreamEnds { client, clean, .. } => match clean {
            true => format!("The stream of {} is over; nothing says why.", name(client)),
            false => format!("The stream of {} broke.", name(client)),
        },
        KubeTrace::Replaced {
            client,
            revision,
            objects,
            gone,
        } => {
            let n = number(*objects, "object", "objects");
            let mut text = format!("{} has {n} at revision {revision}.", name(client));
            if !gone.is_empty() {
                let missed = number(gone.len() as u64, "delete", "deletes");
                text.push_str(&format!(
                    " It finds out about {missed} that it was not told of."
                ));
            }
            text
        }
        KubeTrace::BacksOff { client, delay, why } => {
            format!("{} waits {delay}: {why}.", name(client))
        }
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
        ServedBy::Nobody => "at once",
    };
    let revision = how
        .revision
        .map_or(String::new(), |rv| format!(" at revision {rv}"));
    let waited = match how.wait_took.0 {
        0 => String::new(),
        _ => format!(" after waiting {}", how.wait_took),
    };
    format!("{server} answers {from}{revision}{waited}.")
}
