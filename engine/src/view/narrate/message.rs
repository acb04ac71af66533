//! Describes messages, with a short label for the arrow and with all fields for the detail view.

use crate::api::log_entry::PeerMessage;
use crate::raft::RaftPayload;
use serde::{Deserialize, Serialize};

use crate::api::message::{Body, EtcdMessage};
use crate::api::{
    AlarmAction, EventKind, LeaderNeed, QosContent, Reply, Request, Response, WatchCreateRequest,
    WatchEvent, WatchRequest, WatchResponse,
};
use crate::base::bytes::KeyRange;
use crate::base::ids::{NodeId, StreamKey};
use crate::client::etcd::client;
use crate::observe::Past;
use crate::observe::traffic::Message;

use super::message_kube;
use super::name;
use crate::view::names::range;

/// The kind of a message. The kind determines the colour and the line style of the arrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArrowKind {
    /// A request.
    #[default]
    Request,
    /// The response to a request.
    Answer,
    /// A request about a watch: create, cancel, or a progress notification.
    WatchControl,
    /// A watch response without events: the watch was created or canceled, or a progress notification.
    WatchAnswer,
    /// A response with events.
    WatchEvents,
}

/// The maximum number of events in the detail view of a message.
const EVENTS_LISTED: usize = 8;

/// Returns the kind of a message.
pub(in crate::view) fn kind(message: &Message) -> ArrowKind {
    let body = &message.body;
    match &**body {
        Body::Etcd(EtcdMessage::Call { .. }) => ArrowKind::Request,
        Body::Etcd(EtcdMessage::Answer { .. }) => ArrowKind::Answer,
        Body::Etcd(EtcdMessage::Peer(_)) => ArrowKind::Request,
        Body::Etcd(EtcdMessage::Watch { .. }) => ArrowKind::WatchControl,
        Body::Etcd(EtcdMessage::WatchAnswer { response, .. }) if response.events.is_empty() => {
            ArrowKind::WatchAnswer
        }
        Body::Etcd(EtcdMessage::WatchAnswer { .. }) => ArrowKind::WatchEvents,
        Body::Kube(message) => message_kube::kind(message),
    }
}

/// Returns the short label of a message.
pub(in crate::view) fn label(past: Past<'_>, message: &Message) -> String {
    let Message { from, to, body, .. } = message;
    match &**body {
        Body::Etcd(EtcdMessage::Call { request: asked, .. }) => request(asked),
        Body::Etcd(EtcdMessage::Answer { reply, .. }) => answer(reply),
        Body::Etcd(EtcdMessage::Peer(message)) => peer(message).into(),
        Body::Etcd(EtcdMessage::Watch { stream, request }) => {
            let key = stream_key(*from, *stream);
            match request {
                WatchRequest::Create(create) => watch(create),
                WatchRequest::Cancel { watch_id } => {
                    format!("cancel {}", watch_name(past, key, *watch_id))
                }
                WatchRequest::Progress { .. } => "progress request".into(),
            }
        }
        Body::Etcd(EtcdMessage::WatchAnswer { stream, response }) => {
            watch_answer(past, stream_key(*to, *stream), response)
        }
        Body::Kube(message) => message_kube::label(message),
    }
}

fn stream_key(client: NodeId, stream: u32) -> StreamKey {
    StreamKey { client, stream }
}

/// Returns the name of a watch on a stream.
fn watch_name(past: Past<'_>, key: StreamKey, watch_id: i64) -> String {
    let known = past.watch_log.name_at(key, watch_id);
    match known.or_else(|| past.world.watch_name(key, watch_id)) {
        Some(name) => name.to_string(),
        None => format!("watch {watch_id}"),
    }
}

fn request(asked: &Request) -> String {
    match asked {
        Request::Range(r) => {
            let what = range(&KeyRange::new(&r.key, &r.range_end));
            match r.revision {
                0 => format!("Range {what}"),
                revision => format!("Range {what} at {revision}"),
            }
        }
        Request::Put(r) => format!("PUT {}", name(&r.key)),
        Request::DeleteRange(r) => {
            format!("DELETE {}", range(&KeyRange::new(&r.key, &r.range_end)))
        }
        Request::Txn(r) => match r.compare.len() {
            0 => "Txn".into(),
            1 => "Txn, 1 compare".into(),
            n => format!("Txn, {n} compares"),
        },
        Request::Compact(r) => format!("Compact {}", r.revision),
        Request::HashKv(_) => "HashKV".into(),
        Request::Status(_) => "Status".into(),
        Request::LeaseGrant(r) => format!("LeaseGrant {} s", r.ttl),
        Request::LeaseRevoke(r) => format!("LeaseRevoke {:x}", r.id),
        Request::LeaseKeepAlive(r) => format!("LeaseKeepAlive {:x}", r.id),
        Request::LeaseTimeToLive(r) => format!("LeaseTimeToLive {:x}", r.id),
        Request::LeaseLeases(_) => "LeaseLeases".into(),
        Request::Alarm(r) => match r.action {
            AlarmAction::Get => "Alarm list".into(),
            AlarmAction::Activate => "Alarm NOSPACE".into(),
            AlarmAction::Deactivate => "Alarm disarm".into(),
        },
        Request::Defragment(_) => "Defragment".into(),
        Request::MoveLeader(r) => format!("MoveLeader {:x}", r.target_id),
        Request::Authenticate(r) => format!("Authenticate {}", r.name),
        Request::Qos(r) => r.method().into(),
        Request::As(r) => request(&r.request),
    }
}

fn keys(count: i64) -> String {
    match count {
        1 => "1 key".into(),
        n => format!("{n} keys"),
    }
}

fn answer(reply: &Reply) -> String {
    match reply {
        Ok(Response::Range(r)) => format!("{} at {}", keys(r.count), r.header.revision),
        Ok(Response::Put(r)) => format!("OK at {}", r.header.revision),
        Ok(Response::DeleteRange(r)) => format!("OK at {}", r.header.revision),
        Ok(Response::Txn(r)) => format!("OK at {}", r.header.revision),
        Ok(Response::Qos(r)) => match &r.content {
            QosContent::Request(row) => format!("monitored {}", row.kind.name()),
            _ => "OK".into(),
        },
        Ok(_) => "OK".into(),
        Err(_) => "refused".into(),
    }
}

fn watch(create: &WatchCreateRequest) -> String {
    let what = range(&client::watched(create));
    match create.start_revision {
        0 => format!("watch {what} from now"),
        revision => format!("watch {what} from {revision}"),
    }
}

fn watch_answer(past: Past<'_>, key: StreamKey, r: &WatchResponse) -> String {
    let who = || watch_name(past, key, r.watch_id);
    match (r.created, r.canceled) {
        (true, true) => "not created".into(),
        (true, false) => format!("created {}", who()),
        (false, true) if r.compact_revision != 0 => {
            format!("canceled {}, compacted {}", who(), r.compact_revision)
        }
        (false, true) => format!("canceled {}", who()),
        (false, false) => match r.events.as_slice() {
            [] => format!("progress {}", r.header.revision),
            [one] => event(one),
            many => {
                let (from, to) = (
                    many[0].kv.mod_revision,
                    many[many.len() - 1].kv.mod_revision,
                );
                let part = if r.fragment { "part: " } else { "" };
                match from == to {
                    true => format!("{part}{} events at {from}", many.len()),
                    false => format!("{part}{} events, {from} to {to}", many.len()),
                }
            }
        },
    }
}

fn event(e: &WatchEvent) -> String {
    let what = match e.kind {
        EventKind::Put => "PUT",
        EventKind::Delete => "DELETE",
    };
    format!("{what} {} at {}", name(&e.kv.key), e.kv.mod_revision)
}

/// Returns the name of a message between members.
fn peer(message: &PeerMessage) -> &'static str {
    match &message.payload {
        RaftPayload::Vote { pre: true, .. } => "pre-vote",
        RaftPayload::Vote { pre: false, .. } => "vote",
        RaftPayload::VoteReply { granted: true, .. } => "vote granted",
        RaftPayload::VoteReply { granted: false, .. } => "vote refused",
        RaftPayload::Append { .. } => "append",
        RaftPayload::Appended { .. } => "appended",
        RaftPayload::AppendRejected { .. } => "append rejected",
        RaftPayload::Heartbeat { .. } => "heartbeat",
        RaftPayload::HeartbeatReply { .. } => "heartbeat reply",
        RaftPayload::Snapshot(_) => "snapshot",
        RaftPayload::TimeoutNow => "take over",
        RaftPayload::Propose(_) => "proposal",
        RaftPayload::ReadIndex(_) => "read index",
        RaftPayload::ReadIndexReply { .. } => "read index reply",
        RaftPayload::TransferLeader { .. } => "transfer leader",
    }
}

/// Returns the fields of a message, each as a name and a value.
pub(in crate::view) fn fields(past: Past<'_>, message: &Message) -> Vec<(String, String)> {
    let mut fields: Vec<(&str, String)> = Vec::new();
    let Message { from, to, body, .. } = message;
    match &**body {
        Body::Etcd(EtcdMessage::Call { request: asked, .. }) => {
            fields.push(("request", request(asked)))
        }
        Body::Etcd(EtcdMessage::Answer { reply, .. }) => match &**reply {
            Ok(_) => fields.push(("answer", answer(reply))),
            Err(error) => fields.push(("error", error.to_string())),
        },
        Body::Etcd(EtcdMessage::Peer(message)) => {
            fields.push(("message", peer(message).into()));
            fields.push(("term", message.term.to_string()));
        }
        Body::Etcd(EtcdMessage::Watch { stream, request }) => {
            fields.push(("stream", stream.to_string()));
            watch_request(past, stream_key(*from, *stream), request, &mut fields);
        }
        Body::Etcd(EtcdMessage::WatchAnswer { stream, response }) => {
            fields.push(("stream", stream.to_string()));
            watch_response(past, stream_key(*to, *stream), response, &mut fields);
        }
        Body::Kube(message) => message_kube::fields(message, &mut fields),
    }
    let owned = fields.into_iter();
    owned.map(|(name, text)| (name.to_owned(), text)).collect()
}

fn watch_request(
    past: Past<'_>,
    key: StreamKey,
    request: &WatchRequest,
    fields: &mut Vec<(&str, String)>,
) {
    match request {
        WatchRequest::Create(r) => {
            fields.push(("request", "WatchCreateRequest".into()));
            fields.push(("range", range(&client::watched(r))));
            fields.push(("start_revision", r.start_revision.to_string()));
            let options = [
                (r.no_put, "NOPUT"),
                (r.no_delete, "NODELETE"),
                (r.prev_kv, "prev_kv"),
                (r.progress_notify, "progress_notify"),
                (r.fragment, "fragment"),
                (
                    r.leader == LeaderNeed::Required && past.world.members().count() > 1,
                    "requires a leader",
                ),
            ];
            let on = options.into_iter().filter(|(on, _)| *on);
            let on: Vec<&str> = on.map(|(_, name)| name).collect();
            if !on.is_empty() {
                fields.push(("options", on.join(", ")));
            }
        }
        WatchRequest::Cancel { watch_id } => {
            fields.push(("request", "WatchCancelRequest".into()));
            fields.push(("watch_id", watch_id.to_string()));
            fields.push(("watch", watch_name(past, key, *watch_id)));
        }
        WatchRequest::Progress { echo } => {
            fields.push(("request", "WatchProgressRequest".into()));
            if let Some(id) = echo {
                fields.push(("id to send back", id.to_string()));
            }
        }
    }
}

fn watch_response(
    past: Past<'_>,
    key: StreamKey,
    r: &WatchResponse,
    fields: &mut Vec<(&str, String)>,
) {
    fields.push(("watch_id", r.watch_id.to_string()));
    if r.watch_id >= 0 {
        fields.push(("watch", watch_name(past, key, r.watch_id)));
    }
    fields.push(("header.revision", r.header.revision.to_string()));
    for (on, name) in [
        (r.created, "created"),
        (r.canceled, "canceled"),
        (r.fragment, "fragment"),
    ] {
        if on {
            fields.push((name, "true".into()));
        }
    }
    if r.compact_revision != 0 {
        fields.push(("compact_revision", r.compact_revision.to_string()));
    }
    if !r.cancel_reason.is_empty() {
        fields.push(("cancel_reason", r.cancel_reason.clone()));
    }
    if !r.events.is_empty() {
        fields.push(("events", r.events.len().to_string()));
    }
    for e in r.events.iter().take(EVENTS_LISTED) {
        fields.push(("event", event(e)));
    }
    if let Some(more) = r.events.len().checked_sub(EVENTS_LISTED + 1) {
        fields.push(("", format!("and {} more", more + 1)));
    }
}
