//! Describes messages, with a short label for the arrow and with all fields for the detail view.

use crate::api::log_entry::PeerMessage;
use crate::raft::RaftPayload;
use serde::{Deserialize, Serialize};

use crate::api::message::{Body, EtcdMessage};
use crate::api::{
    AlarmAction, EventKind, LeaderNeed, QosContent, RangeResponse, Reply, Request, Response,
    WatchCreateRequest, WatchEvent, WatchRequest, WatchResponse,
};
use crate::base::bytes::KeyRange;
use crate::base::ids::{NodeId, StreamKey};
use crate::client::etcd::client;
use crate::observe::Past;
use crate::observe::traffic::Message;
use crate::words::narrate_message as words;

use super::message_kube;
use super::name;
use crate::view::names::range;

/// The kind of a message. The kind determines the colour and the line style of the arrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArrowKind {
    #[default]
    Request,
    /// The response to a request.
    Answer,
    /// A request to create a watch, to cancel a watch, or to send a progress notification.
    WatchControl,
    /// A watch response without events: the watch was created or canceled, or a progress notification.
    WatchAnswer,
    WatchEvents,
}

/// The maximum number of events in the detail view of a message.
const EVENTS_LISTED: usize = 8;

pub(in crate::view) fn kind(message: &Message) -> ArrowKind {
    let body = &message.body;
    match &**body {
        Body::Etcd(EtcdMessage::Call { .. }) => ArrowKind::Request,
        Body::Etcd(EtcdMessage::Answer { .. }) => ArrowKind::Answer,
        Body::Etcd(EtcdMessage::Peer(_) | EtcdMessage::PeerRemoved) => ArrowKind::Request,
        Body::Etcd(EtcdMessage::Watch { .. }) => ArrowKind::WatchControl,
        Body::Etcd(EtcdMessage::WatchAnswer { response, .. }) if response.events.is_empty() => {
            ArrowKind::WatchAnswer
        }
        Body::Etcd(EtcdMessage::WatchAnswer { .. }) => ArrowKind::WatchEvents,
        Body::Kube(message) => message_kube::kind(message),
    }
}

pub(in crate::view) fn label(past: Past<'_>, message: &Message) -> String {
    let label = content(past, message);
    match message.is_after_handshake {
        true => words::after_handshake(&label),
        false => label,
    }
}

fn content(past: Past<'_>, message: &Message) -> String {
    let Message { from, to, body, .. } = message;
    match &**body {
        Body::Etcd(EtcdMessage::Call { request: asked, .. }) => request(asked),
        Body::Etcd(EtcdMessage::Answer { reply, .. }) => answer(reply),
        Body::Etcd(EtcdMessage::Peer(message)) => peer(message).into(),
        Body::Etcd(EtcdMessage::PeerRemoved) => words::PEER_REMOVED.into(),
        Body::Etcd(EtcdMessage::Watch { stream, request }) => {
            let key = stream_key(*from, *stream);
            match request {
                WatchRequest::Create(create) => watch(create),
                WatchRequest::Cancel { watch_id } => {
                    words::cancel(&watch_name(past, key, *watch_id))
                }
                WatchRequest::Progress { .. } => words::PROGRESS_REQUEST.into(),
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

fn watch_name(past: Past<'_>, key: StreamKey, watch_id: i64) -> String {
    let known = past.watch_log.name_at(key, watch_id);
    match known.or_else(|| past.world.watch_name(key, watch_id)) {
        Some(name) => name.to_string(),
        None => words::watch_without_name(watch_id),
    }
}

fn request(asked: &Request) -> String {
    match asked {
        Request::Range(r) | Request::RangeStream(r) => {
            let method = match asked {
                Request::RangeStream(_) => "RangeStream",
                _ => "Range",
            };
            let keys = range(&KeyRange::new(&r.key, &r.range_end));
            let read = format!("{method} {keys}");
            match r.revision {
                0 => read,
                revision => words::at_revision(&read, revision),
            }
        }
        Request::Put(r) => format!("PUT {}", name(&r.key)),
        Request::DeleteRange(r) => {
            format!("DELETE {}", range(&KeyRange::new(&r.key, &r.range_end)))
        }
        Request::Txn(r) => match r.compare.len() {
            0 => "Txn".into(),
            n => words::with_compares("Txn", n),
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
        Request::MemberList(_) => "MemberList".into(),
        Request::MemberChange(r) => r.method().into(),
        Request::Authenticate(r) => format!("Authenticate {}", r.name),
        Request::Qos(r) => r.method().into(),
        Request::Auth(r) => r.method().into(),
        Request::As(r) => request(&r.request),
    }
}

fn answer(reply: &Reply) -> String {
    match reply {
        Ok(Response::Range(r)) => words::keys_at(r.count, r.header.revision),
        Ok(Response::RangeStream(r)) => match r.header.revision {
            0 => words::chunk(r.kvs.len()),
            revision => words::last_chunk(r.kvs.len(), r.count, revision),
        },
        Ok(Response::Put(r)) => words::at_revision("OK", r.header.revision),
        Ok(Response::DeleteRange(r)) => words::at_revision("OK", r.header.revision),
        Ok(Response::Txn(r)) => words::at_revision("OK", r.header.revision),
        Ok(Response::Qos(r)) => match &r.content {
            QosContent::Request(row) => words::monitored(row.name),
            _ => "OK".into(),
        },
        Ok(_) => "OK".into(),
        Err(_) => words::REFUSED.into(),
    }
}

fn watch(create: &WatchCreateRequest) -> String {
    let what = range(&client::watched(create));
    match create.start_revision {
        0 => words::watch_from_now(&what),
        revision => words::watch_from(&what, revision),
    }
}

fn watch_answer(past: Past<'_>, key: StreamKey, r: &WatchResponse) -> String {
    let who = || watch_name(past, key, r.watch_id);
    match (r.created, r.canceled) {
        (true, true) => words::REFUSED.into(),
        (true, false) => words::created(&who()),
        (false, true) if r.compact_revision != 0 => words::compacted(&who(), r.compact_revision),
        (false, true) => words::canceled(&who()),
        (false, false) => match r.events.as_slice() {
            [] => words::progress(r.header.revision),
            [one] => event(one),
            [first, .., last] => {
                let (from, to) = (first.kv.mod_revision, last.kv.mod_revision);
                match r.fragment {
                    true => words::events_in_part(r.events.len(), from, to),
                    false => words::events(r.events.len(), from, to),
                }
            }
        },
    }
}

fn event(e: &WatchEvent) -> String {
    let kind = match e.kind {
        EventKind::Put => "PUT",
        EventKind::Delete => "DELETE",
    };
    words::at_revision(&format!("{kind} {}", name(&e.kv.key)), e.kv.mod_revision)
}

/// Returns the name of the kind of a message between members.
fn peer(message: &PeerMessage) -> &'static str {
    match &message.payload {
        RaftPayload::Vote { pre: true, .. } => words::PRE_VOTE,
        RaftPayload::Vote { pre: false, .. } => words::VOTE,
        RaftPayload::VoteReply { granted: true, .. } => words::VOTE_GRANTED,
        RaftPayload::VoteReply { granted: false, .. } => words::VOTE_REFUSED,
        RaftPayload::Append { .. } => words::APPEND,
        RaftPayload::Appended { .. } => words::APPENDED,
        RaftPayload::AppendRejected { .. } => words::APPEND_REJECTED,
        RaftPayload::Heartbeat { .. } => words::HEARTBEAT,
        RaftPayload::HeartbeatReply { .. } => words::HEARTBEAT_REPLY,
        RaftPayload::Snapshot(_) => words::SNAPSHOT,
        RaftPayload::TimeoutNow => words::TIMEOUT_NOW,
        RaftPayload::Propose(_) => words::PROPOSAL,
        RaftPayload::ReadIndex(_) => words::READ_INDEX,
        RaftPayload::ReadIndexReply { .. } => words::READ_INDEX_REPLY,
        RaftPayload::TransferLeader { .. } => words::TRANSFER_LEADER,
    }
}

pub(in crate::view) fn fields(past: Past<'_>, message: &Message) -> Vec<(String, String)> {
    let mut fields: Vec<(&str, String)> = Vec::new();
    let Message { from, to, body, .. } = message;
    match &**body {
        Body::Etcd(EtcdMessage::Call { request: asked, .. }) => {
            fields.push((words::REQUEST, request(asked)))
        }
        Body::Etcd(EtcdMessage::Answer { reply, .. }) => match &**reply {
            Ok(response) => {
                fields.push((words::ANSWER, answer(reply)));
                if let Response::RangeStream(chunk) = response {
                    stream_fields(chunk, &mut fields);
                }
            }
            Err(error) => fields.push((words::ERROR, error.to_string())),
        },
        Body::Etcd(EtcdMessage::Peer(message)) => {
            fields.push((words::MESSAGE, peer(message).into()));
            fields.push((words::TERM, message.term.to_string()));
        }
        Body::Etcd(EtcdMessage::PeerRemoved) => {
            fields.push((
                words::ERROR,
                "the member has been permanently removed from the cluster".into(),
            ));
        }
        Body::Etcd(EtcdMessage::Watch { stream, request }) => {
            fields.push((words::STREAM, stream.to_string()));
            watch_request(past, stream_key(*from, *stream), request, &mut fields);
        }
        Body::Etcd(EtcdMessage::WatchAnswer { stream, response }) => {
            fields.push((words::STREAM, stream.to_string()));
            watch_response(past, stream_key(*to, *stream), response, &mut fields);
        }
        Body::Kube(message) => message_kube::fields(message, &mut fields),
    }
    let owned = fields.into_iter();
    owned.map(|(name, text)| (name.to_owned(), text)).collect()
}

/// Adds the fields that only the last message of a streamed range has.
fn stream_fields(chunk: &RangeResponse, fields: &mut Vec<(&str, String)>) {
    match chunk.header.revision {
        0 => fields.push(("header", words::WITHOUT_HEADER.into())),
        revision => {
            fields.push(("header.revision", revision.to_string()));
            fields.push(("more", chunk.more.to_string()));
            fields.push(("count", chunk.count.to_string()));
        }
    }
}

fn watch_request(
    past: Past<'_>,
    key: StreamKey,
    request: &WatchRequest,
    fields: &mut Vec<(&str, String)>,
) {
    match request {
        WatchRequest::Create(r) => {
            fields.push((words::REQUEST, "WatchCreateRequest".into()));
            fields.push((words::RANGE, range(&client::watched(r))));
            fields.push(("start_revision", r.start_revision.to_string()));
            let options = [
                (r.no_put, "NOPUT"),
                (r.no_delete, "NODELETE"),
                (r.prev_kv, "prev_kv"),
                (r.progress_notify, "progress_notify"),
                (r.fragment, "fragment"),
                (
                    r.leader == LeaderNeed::Required && past.world.members().count() > 1,
                    words::REQUIRES_LEADER,
                ),
            ];
            let on = options.into_iter().filter(|(on, _)| *on);
            let on: Vec<&str> = on.map(|(_, name)| name).collect();
            if !on.is_empty() {
                fields.push((words::OPTIONS, on.join(", ")));
            }
        }
        WatchRequest::Cancel { watch_id } => {
            fields.push((words::REQUEST, "WatchCancelRequest".into()));
            fields.push(("watch_id", watch_id.to_string()));
            fields.push((words::WATCH, watch_name(past, key, *watch_id)));
        }
        WatchRequest::Progress { echo } => {
            fields.push((words::REQUEST, "WatchProgressRequest".into()));
            if let Some(id) = echo {
                fields.push((words::ECHO, id.to_string()));
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
        fields.push((words::WATCH, watch_name(past, key, r.watch_id)));
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
        fields.push((words::EVENTS, r.events.len().to_string()));
    }
    let previous = r.events.iter().filter(|e| e.prev_kv.is_some()).count();
    if previous > 0 {
        fields.push(("prev_kv", words::with_previous(previous)));
    }
    for e in r.events.iter().take(EVENTS_LISTED) {
        fields.push((words::EVENT, event(e)));
    }
    if let Some(more) = r.events.len().checked_sub(EVENTS_LISTED + 1) {
        fields.push(("", words::more_events(more + 1)));
    }
}
