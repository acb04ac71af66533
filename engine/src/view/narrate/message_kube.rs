//! Describes messages between API servers and clients, with a short label for the arrow and with all fields for the
//! detail view.

use crate::api::message::KubeMessage;
use crate::kube::{KubeRequest, KubeResponse, KubeVerb, KubeWatchEvent};
use crate::words::narrate_message as words;

use super::message::ArrowKind;

/// The maximum number of events in the detail view of a message.
const EVENTS_LISTED: usize = 8;

pub(in crate::view) fn kind(message: &KubeMessage) -> ArrowKind {
    match message {
        KubeMessage::Call { request, .. } => match &request.verb {
            KubeVerb::Watch { .. } => ArrowKind::WatchControl,
            _ => ArrowKind::Request,
        },
        KubeMessage::Answer { answer, .. } => match &**answer {
            Ok(KubeResponse::WatchBegun) => ArrowKind::WatchAnswer,
            _ => ArrowKind::Answer,
        },
        KubeMessage::Events { .. } => ArrowKind::WatchEvents,
        KubeMessage::End { .. } => ArrowKind::WatchAnswer,
    }
}

pub(in crate::view) fn label(message: &KubeMessage) -> String {
    match message {
        KubeMessage::Call { request, .. } => asked(request),
        KubeMessage::Answer { answer, .. } => match &**answer {
            Ok(KubeResponse::Object(object)) => object.to_string(),
            Ok(KubeResponse::List(list)) => words::objects_at(list.count(), list.resource_version),
            Ok(KubeResponse::WatchBegun) => words::WATCH_BEGUN.into(),
            Ok(KubeResponse::Text(text)) => text.to_string(),
            Err(error) => format!("{} {}", error.code(), error.reason()),
        },
        KubeMessage::Events { events, .. } => match events.as_slice() {
            [one] => event(one),
            many => words::kube_events(many.len()),
        },
        KubeMessage::End { .. } => words::END_OF_STREAM.into(),
    }
}

/// Returns a short description of a request, such as `LIST pods rv=0`.
pub(in crate::view) fn asked(request: &KubeRequest) -> String {
    let what = what(request);
    format!("{} {what}", request.verb.name())
}

/// Describes the target of a request: the resource, names and options.
pub(in crate::view) fn what(request: &KubeRequest) -> String {
    let mut text = request.resource.name.to_owned();
    let mut add = |part: &str| text.push_str(part);
    match &request.verb {
        KubeVerb::Get {
            namespace, name, ..
        }
        | KubeVerb::Patch {
            namespace, name, ..
        }
        | KubeVerb::Delete {
            namespace, name, ..
        } => {
            add("/");
            add(&path(namespace, name));
        }
        KubeVerb::Raw(path) => add(path),
        KubeVerb::Create(object) | KubeVerb::Update { object, .. } => {
            add("/");
            add(&path(&object.namespace, &object.name));
        }
        KubeVerb::List { target, .. } | KubeVerb::Watch { target, .. } => {
            if !target.namespace.is_empty() {
                add(" -n ");
                add(&target.namespace);
            }
            if !target.name.is_empty() {
                add(" ");
                add(&target.name);
            }
            let fields = target.predicate.fields.to_string();
            let labels = target.predicate.labels.to_string();
            for (flag, selector) in [(" --field-selector=", fields), (" -l ", labels)] {
                if !selector.is_empty() {
                    add(flag);
                    add(&selector);
                }
            }
        }
    }
    if let Some(options) = request.verb.options() {
        let rv = options.resource_version.to_string();
        if rv != "unset" {
            add(" rv=");
            add(&rv);
        }
        if let Some(how) = &options.resource_version_match {
            add(" ");
            add(how.name());
        }
        if options.limit > 0 {
            add(&format!(" limit={}", options.limit));
        }
        if options.continue_token.is_some() {
            add(" continue");
        }
    }
    text
}

fn path(namespace: &str, name: &str) -> String {
    match namespace {
        "" => name.to_owned(),
        namespace => format!("{namespace}/{name}"),
    }
}

/// Returns a short description of an event.
pub(in crate::view) fn event(event: &KubeWatchEvent) -> String {
    match event {
        KubeWatchEvent::Added(o) | KubeWatchEvent::Modified(o) | KubeWatchEvent::Deleted(o) => {
            format!("{} {o}", event.type_name())
        }
        KubeWatchEvent::Resync {
            items,
            resource_version,
        } => words::resync("EtcdResync", *resource_version, items.len()),
        KubeWatchEvent::Bookmark {
            resource_version,
            initial_events_end,
        } => match initial_events_end {
            true => words::end_of_initial_events("BOOKMARK", *resource_version),
            false => format!("BOOKMARK {resource_version}"),
        },
        KubeWatchEvent::Error(error) => format!("ERROR {}: {error}", error.code()),
    }
}

/// Appends the fields of a message, each as a name and a value.
pub(in crate::view) fn fields(message: &KubeMessage, fields: &mut Vec<(&str, String)>) {
    match message {
        KubeMessage::Call { request, .. } => fields.push((words::REQUEST, asked(request))),
        KubeMessage::Answer { answer, .. } => match &**answer {
            Ok(KubeResponse::List(list)) => {
                fields.push((words::ANSWER, label(message)));
                fields.push(("resourceVersion", list.resource_version.to_string()));
                if let Some(token) = &list.continue_token {
                    fields.push(("continue", token.clone()));
                }
                if let Some(remaining) = list.remaining {
                    fields.push(("remainingItemCount", remaining.to_string()));
                }
            }
            Ok(_) => fields.push((words::ANSWER, label(message))),
            Err(error) => {
                fields.push(("code", format!("{} {}", error.code(), error.reason())));
                fields.push(("message", error.to_string()));
                if let Some(seconds) = error.retry_after_s() {
                    fields.push(("Retry-After", format!("{seconds} s")));
                }
            }
        },
        KubeMessage::Events { events, .. } => {
            fields.push((words::EVENTS, events.len().to_string()));
            for one in events.iter().take(EVENTS_LISTED) {
                fields.push((words::EVENT, event(one)));
            }
            if let Some(more) = events.len().checked_sub(EVENTS_LISTED + 1) {
                fields.push(("", words::more_events(more + 1)));
            }
        }
        KubeMessage::End { .. } => fields.push((words::MESSAGE, label(message))),
    }
}
