//! Writes sentences about API servers, their caches and their clients.

use crate::base::ids::NodeId;
use crate::kube::object::short_uid;
use crate::kube::{KubeResponse, KubeWatchEvent, ServedBy};
use crate::observe::Past;
use crate::trace::{
    Answered, BackOffReason, ContainerChange, Event, KubeNotice, KubeTrace, TraceEvent, WatchEnd,
};
use crate::words::narrate_kube as words;

use super::message_kube;

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
        sentences.push(words::more_events(more));
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
        } => match ended {
            0 => words::cache_lists(&name(server), resource),
            n => words::cache_relists(&name(server), resource, *n),
        },
        KubeTrace::Listed {
            server,
            resource,
            revision,
            objects,
        } => words::cache_ready(&name(server), resource, *objects, *revision),
        KubeTrace::CacheMoved {
            server,
            resource,
            from,
            to,
            by_progress,
            evicted,
            resized,
        } => {
            let server = name(server);
            let mut text = match (by_progress, from == to) {
                (true, true) => words::cache_unchanged(&server, resource, *to),
                (true, false) => words::cache_moved_by_progress(&server, resource, *from, *to),
                (false, _) => words::cache_moved_by_event(&server, resource, *from, *to),
            };
            if let Some((before, after)) = resized {
                text.push(' ');
                text.push_str(&words::window_resized(*before, *after));
            }
            if *evicted > 0 {
                text.push(' ');
                text.push_str(words::OLDEST_EVENT_LEAVES);
            }
            text
        }
        KubeTrace::CacheLost {
            server,
            resource,
            why,
        } => words::cache_lost(&name(server), resource, why),
        KubeTrace::Checked {
            server,
            resource,
            is_consistent,
        } => words::cache_checked(&name(server), resource, *is_consistent),
        KubeTrace::ProgressAsked {
            server,
            resource,
            waiting,
        } => words::progress_request(&name(server), resource, *waiting),
        KubeTrace::Asked {
            server,
            client,
            request,
            reason,
            ..
        } => {
            let request = message_kube::asked(request);
            let asked = words::request(&name(client), &name(server), &request);
            format!("{asked} {}", reason.sentence())
        }
        KubeTrace::Waits {
            server,
            needed,
            cache_revision,
            ..
        } => words::read_waits(&name(server), *needed, *cache_revision),
        KubeTrace::FallsBack { server, .. } => words::read_falls_back(&name(server)),
        KubeTrace::Answered { server, how, .. } => answered(&name(server), how),
        KubeTrace::WatchBegan {
            from, with_state, ..
        } => match with_state {
            true => words::WATCH_STARTS_WITH_OBJECTS.into(),
            false => words::watch_starts_after(*from),
        },
        KubeTrace::WatchEnded { server, why, .. } => watch_ended(&name(server), *why),
        KubeTrace::BookmarkSent {
            server, revision, ..
        } => words::bookmark(&name(server), *revision),
        KubeTrace::Sends {
            client,
            server,
            request,
            ..
        } => words::request(&name(client), &name(server), &message_kube::asked(request)),
        KubeTrace::Hears { client, answer, .. } => {
            let client = name(client);
            match &**answer {
                Ok(KubeResponse::List(list)) => {
                    words::objects_received(&client, list.count(), list.resource_version)
                }
                Ok(KubeResponse::Object(object)) => words::received(&client, object),
                Ok(KubeResponse::WatchBegun) => words::watch_confirmed(&client),
                Ok(KubeResponse::Text(text)) => match text.trim_end().lines().count() {
                    0 | 1 => words::received(&client, text.trim_end()),
                    lines => words::lines_received(&client, lines as u64),
                },
                Err(error) => words::error_received(&client, error.code(), error),
            }
        }
        KubeTrace::Events { client, events, .. } => {
            let client = name(client);
            match events.as_slice() {
                [one] => words::received(&client, message_kube::event(one)),
                many if many.iter().any(is_error) => {
                    words::events_and_error_received(&client, many.len())
                }
                many => words::events_received(&client, many.len()),
            }
        }
        KubeTrace::StreamEnds { client, clean, .. } => match clean {
            true => words::stream_closed(&name(client)),
            false => words::stream_broken(&name(client)),
        },
        KubeTrace::Replaced {
            client,
            revision,
            objects,
            gone,
        } => {
            let replaced = words::replaced(&name(client), *objects, *revision);
            match gone.len() {
                0 => replaced,
                n => format!("{replaced} {}", words::missed_deletes(&name(client), n)),
            }
        }
        KubeTrace::BacksOff { client, delay, why } => {
            let client = name(client);
            match why {
                BackOffReason::NoConnection => words::back_off_without_connection(&client, *delay),
                BackOffReason::StreamEnded => words::back_off_after_stream(&client, *delay),
                BackOffReason::Error(error) => words::back_off_after_error(&client, *delay, error),
            }
        }
        KubeTrace::EventsEtcd { server, is_own } => match is_own {
            true => words::events_in_own_etcd(&name(server)),
            false => words::events_in_shared_etcd(&name(server)),
        },
        KubeTrace::Container { client, change } => match change {
            ContainerChange::Started(container) => {
                let uid = short_uid(container.uid);
                words::container_started(&name(client), &container.pod, uid)
            }
            ContainerChange::Stopped(container) => {
                let uid = short_uid(container.uid);
                words::container_stopped(&name(client), &container.pod, uid)
            }
        },
        KubeTrace::Notified { client, what } => {
            let client = name(client);
            match what {
                KubeNotice::Add { object, .. } => words::added(&client, object),
                KubeNotice::Update { new, .. } => words::updated(&client, new),
                KubeNotice::Delete { object, .. } => words::deleted(&client, object),
            }
        }
    }
}

fn watch_ended(server: &str, why: WatchEnd) -> String {
    let sentence = match why {
        WatchEnd::ClientGone => words::watch_of_lost_client,
        WatchEnd::TooSlow => words::watch_of_slow_client,
        WatchEnd::EventLost => words::watch_behind_history,
        WatchEnd::CacheLost => words::watch_of_lost_cache,
        WatchEnd::EtcdEnded => words::watch_ended_by_etcd,
        WatchEnd::NoPreviousObject => words::watch_without_previous_object,
        WatchEnd::TimedOut => words::watch_timed_out,
    };
    sentence(server)
}

fn is_error(event: &KubeWatchEvent) -> bool {
    matches!(event, KubeWatchEvent::Error(_))
}

fn answered(server: &str, how: &Answered) -> String {
    if how.code >= 400 {
        return words::refused(server, how.code, &how.message);
    }
    let response = match how.by {
        ServedBy::Cache => words::response_from_cache,
        ServedBy::Snapshot => words::response_from_snapshot,
        ServedBy::Etcd => words::response_from_etcd,
        ServedBy::Nobody => words::immediate_response,
    };
    let waited = (how.wait_took.0 > 0).then_some(how.wait_took);
    response(server, how.revision, waited)
}
