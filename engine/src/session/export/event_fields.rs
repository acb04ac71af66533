//! The kind and the fields of a trace event as JSON.
//!
//! The names of the fields are those of [`TraceEvent`] and of its parts, whose docs describe them. Times and durations
//! have the suffix `_us`, for microseconds. A key or value is a string, or an object `{"base64": …}` if its bytes are
//! no UTF-8. A node has its name. A field without a value is `null`.
//!
//! Left out: the content of requests, responses and objects, of which only sizes and names are written. The events of
//! the node that handles a request have the keys and values.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::api::log_entry::MemberChange;
use crate::api::message::{Body, EtcdMessage, KubeMessage};
use crate::api::{EtcdError, RangeRequest, Reply, WatchRequest, WatchResponse};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::ids::{MessageId, NodeId, StreamKey};
use crate::base::json::{self, Json};
use crate::base::time::{SimDuration, SimTime};
use crate::kube::{
    KubeAnswer, KubeRequest, KubeResponse, KubeWatchEvent, Object, Reason, ServedBy,
};
use crate::qos::QosName;
use crate::qos::monitor::MonitorRow;
use crate::trace::{
    Answered, BackOffReason, ChangeKind, ClientTrace, Container, ContainerChange, Defined,
    DefinitionChange, FirstRead, KubeNotice, KubeTrace, LeaseTrace, NetTrace, PollOutcome, Printed,
    ProcessError, QosTrace, RetryReason, TraceEvent, WatchEnd, WatchOptions, WatchTrace,
};

/// Returns the name of a node.
pub(super) type Names<'a> = &'a dyn Fn(NodeId) -> String;

/// An object of JSON that receives the fields of an event.
pub(super) struct Fields<'a, 'n> {
    json: Json<'a>,
    names: Names<'n>,
}

/// Writes the fields with these names.
macro_rules! fields {
    ($out:ident $(, $field:ident)* $(,)?) => {
        $( $out.field(stringify!($field), $field); )*
    };
}

/// Writes the fields of an event, and returns its kind: a table of all variants, and arms for variants that contain
/// other events.
macro_rules! kinds {
    ($out:ident, $event:ident, $type:ident {
        $( $variant:ident $({ $($field:ident),* })? => $kind:literal, )*
    } { $($arms:tt)* }) => {
        match $event {
            $( $type::$variant $({ $($field),* })? => {
                $( fields!($out, $($field),*); )?
                $kind
            } )*
            $($arms)*
        }
    };
}

/// Appends the fields of an event as an object, and returns the kind of the event.
pub(super) fn push_fields(out: &mut String, event: &TraceEvent, names: Names<'_>) -> &'static str {
    let mut fields = Fields {
        json: Json::object(out),
        names,
    };
    of_event(&mut fields, event)
}

/// Appends the kind and the size of a message's content as an object.
pub(super) fn push_body(out: &mut String, body: &Body, names: Names<'_>) {
    let mut fields = Fields {
        json: Json::object(out),
        names,
    };
    of_body(&mut fields, body);
}

/// Returns the name of a message: the method of a request, or the kind of another message.
pub(super) fn message_name(body: &Body) -> &'static str {
    match body {
        Body::Etcd(message) => match message {
            EtcdMessage::Call { request, .. } => request.method(),
            EtcdMessage::Answer { .. } => "Response",
            EtcdMessage::Watch { request, .. } => match request {
                WatchRequest::Create(_) => "WatchCreate",
                WatchRequest::Cancel { .. } => "WatchCancel",
                WatchRequest::Progress { .. } => "WatchProgress",
            },
            EtcdMessage::WatchAnswer { response, .. } if response.events.is_empty() => {
                "WatchResponse"
            }
            EtcdMessage::WatchAnswer { .. } => "WatchEvents",
            EtcdMessage::Peer(_) | EtcdMessage::PeerRemoved => "Raft",
        },
        Body::Kube(message) => match message {
            KubeMessage::Call { request, .. } => request.verb.name(),
            KubeMessage::Answer { .. } => "Response",
            KubeMessage::Events { .. } => "WatchEvents",
            KubeMessage::End { .. } => "WatchEnd",
        },
    }
}

impl Fields<'_, '_> {
    fn field(&mut self, name: &str, value: &(impl Field + ?Sized)) {
        value.write(name, self);
    }

    fn object(&mut self, name: &str, write: impl FnOnce(&mut Fields<'_, '_>)) {
        let names = self.names;
        let json = Json::object(self.json.key(name));
        write(&mut Fields { json, names });
    }
}

fn of_event(out: &mut Fields<'_, '_>, event: &TraceEvent) -> &'static str {
    kinds!(out, event, TraceEvent {
        Received { method, revision } => "received",
        Applied { index } => "applied",
        Read { range, revision, count, returned, first, partial_request } => "read",
        RangeChunk { revision, rows } => "range_chunk",
        ReadAbandoned => "read_abandoned",
        Compared { compares, succeeded } => "compared",
        Changed { kind, main, sub, key, value, version, lease, generation, generation_ver } => "changed",
        Committed { revision, changes } => "committed",
        NothingChanged { revision } => "nothing_changed",
        CompactionScheduled { revision } => "compaction_scheduled",
        AutoCompaction { revision, current } => "auto_compaction",
        CompactionWaits => "compaction_waits",
        CompactionBatch { revision, scanned, removed } => "compaction_batch",
        CompactionFinished { revision } => "compaction_finished",
        Restored { backup, revision, compacted } => "restored",
        NoSpaceRaised { size, quota } => "no_space_raised",
        NoSpaceDisarmed => "no_space_disarmed",
        Defragmented { before, after } => "defragmented",
        Hashed { revision, hash } => "hashed",
        Refused { error } => "refused",
        Replied => "replied",
        TimePassed { duration_us } => "time_passed",
        SnapshotInstalled { index, revision } => "snapshot_installed",
    } {
        TraceEvent::Qos(event) => of_qos(out, event),
        TraceEvent::Lease(event) => of_lease(out, event),
        TraceEvent::Watch(event) => of_watch(out, event),
        TraceEvent::Net(event) => of_net(out, event),
        TraceEvent::Client(event) => of_client(out, event),
        TraceEvent::Kube(event) => of_kube(out, event),
        TraceEvent::MembersChanged(change) => {
            of_member_change(out, change);
            "members_changed"
        }
    })
}

fn of_member_change(out: &mut Fields<'_, '_>, change: &MemberChange) {
    let (change, member) = match change {
        MemberChange::Add(member) => ("add", member.id),
        MemberChange::Remove { id } => ("remove", *id),
        MemberChange::Update { id, .. } => ("update", *id),
        MemberChange::Promote { id } => ("promote", *id),
    };
    out.field("change", change);
    out.field("member", &format!("{member:x}"));
}

fn of_lease(out: &mut Fields<'_, '_>, event: &LeaseTrace) -> &'static str {
    kinds!(out, event, LeaseTrace {
        Granted { id, asked_s, ttl_s, expiry } => "lease.granted",
        Renewed { id, ttl_s, expiry } => "lease.renewed",
        Missing { id } => "lease.missing",
        RenewalWaits { id } => "lease.renewal_waits",
        OfKey { key, before, after } => "lease.of_key",
        Looked { expired, more } => "lease.looked",
        Checkpointed { first, remaining_s, leases } => "lease.checkpointed",
        Revoked { id, keys, expired } => "lease.revoked",
    } {})
}

fn of_qos(out: &mut Fields<'_, '_>, event: &QosTrace) -> &'static str {
    kinds!(out, event, QosTrace {
        Admitted { rule } => "qos.admitted",
        Delayed { rule, until, wait } => "qos.delayed",
        Queued { rule } => "qos.queued",
        Released => "qos.released",
        Limited { rule, retry_after } => "qos.limited",
        Defined { change, kind, name } => "qos.defined",
    } {})
}

fn of_watch(out: &mut Fields<'_, '_>, event: &WatchTrace) -> &'static str {
    kinds!(out, event, WatchTrace {
        StreamOpened { stream } => "watch.stream_opened",
        StreamClosed { stream, watchers } => "watch.stream_closed",
        Created { watcher, stream, watch_id, range, start_rev, next_rev, synced } => "watch.created",
        Refused { stream, reason } => "watch.refused",
        Canceled { stream, watch_id } => "watch.canceled",
        Notified { revision, watchers } => "watch.notified",
        BecameVictim { watcher, stream, from, to } => "watch.became_victim",
        Swept { picked, from, to, rows, synced, compacted, victims, remaining, took_us } => "watch.sync_pass",
        CaughtUp { watcher, from, to, events, more_from } => "watch.caught_up",
        Overtaken { watcher, wanted, compact_revision } => "watch.overtaken",
        PassedOver { watcher, wanted, to } => "watch.passed_over",
        VictimSent { watcher, synced, tries } => "watch.victim_sent",
        PrevKvRead { stream, reads, found } => "watch.prev_kv_read",
        Progress { stream, watch_id, revision } => "watch.progress",
        ProgressWithheld { stream } => "watch.progress_withheld",
        LeaderMissing { stream } => "watch.leader_missing",
    } {})
}

fn of_net(out: &mut Fields<'_, '_>, event: &NetTrace) -> &'static str {
    kinds!(out, event, NetTrace {
        Sent { body, message, from, to, arrives, lost, duplicated, bytes, is_after_handshake } => "net.sent",
        Arrived { message } => "net.arrived",
        Waits { message } => "net.waits",
        Released { message, arrives } => "net.released",
        Delayed { message, arrives } => "net.delayed",
        Broken { message } => "net.broken",
    } {})
}

fn of_body(out: &mut Fields<'_, '_>, body: &Body) {
    out.field("name", message_name(body));
    match body {
        Body::Etcd(EtcdMessage::Call { call, .. }) => out.field("call", call),
        Body::Etcd(EtcdMessage::Answer { call, reply }) => {
            out.field("call", call);
            out.field("reply", &**reply);
        }
        Body::Etcd(EtcdMessage::Watch { stream, .. }) => out.field("stream", stream),
        Body::Etcd(EtcdMessage::WatchAnswer { stream, response }) => {
            out.field("stream", stream);
            out.field("response", &**response);
        }
        Body::Etcd(EtcdMessage::Peer(_) | EtcdMessage::PeerRemoved) => {}
        Body::Kube(KubeMessage::Call { call, request }) => {
            out.field("call", call);
            out.field("request", &**request);
        }
        Body::Kube(KubeMessage::Answer { call, answer }) => {
            out.field("call", call);
            out.field("answer", &**answer);
        }
        Body::Kube(KubeMessage::Events { call, events }) => {
            out.field("call", call);
            out.field("events", &events.len());
        }
        Body::Kube(KubeMessage::End { call }) => out.field("call", call),
    }
}

fn of_client(out: &mut Fields<'_, '_>, event: &ClientTrace) -> &'static str {
    kinds!(out, event, ClientTrace {
        Opened { node, name } => "client.opened",
        Wants { node, watch, stream, range, start_rev, options } => "client.wants",
        Received { node, watch, stream, response } => "client.received",
        ResumesFrom { node, watch, revision } => "client.resumes_from",
        Ended { node, watch, reason } => "client.ended",
        Listed { node, keys, revision } => "client.listed",
        KeptAlive { node, lease, ttl_s } => "client.kept_alive",
        Monitored { node, outcome } => "client.monitored",
        Printed { node, printed } => "client.printed",
        Ran { node, watch, reply } => "client.ran",
        Polled { node, outcome } => "client.polled",
        Retries { node, why, delay } => "client.retries",
        FoundGone { node, keys } => "client.found_gone",
        Paused { node } => "client.paused",
        Resumed { node, waiting } => "client.resumed",
        Disconnected { node } => "client.disconnected",
        Connected { node } => "client.connected",
        Stopped { node } => "client.stopped",
        Started { node } => "client.started",
        Changed { node, sentence } => "client.changed",
    } {})
}

fn of_kube(out: &mut Fields<'_, '_>, event: &KubeTrace) -> &'static str {
    kinds!(out, event, KubeTrace {
        Lists { server, resource, ended } => "kube.lists",
        Listed { server, resource, revision, objects } => "kube.listed",
        CacheMoved { server, resource, from, to, by_progress, evicted, resized } => "kube.cache_moved",
        CacheLost { server, resource, why } => "kube.cache_lost",
        Checked { server, resource, is_consistent } => "kube.checked",
        ProgressAsked { server, resource, waiting } => "kube.progress_asked",
        Asked { reason, server, id, client, call, request, by } => "kube.asked",
        Waits { server, id, needed, cache_revision, deadline } => "kube.waits",
        FallsBack { server, id } => "kube.falls_back",
        WatchBegan { server, id, from, with_state } => "kube.watch_began",
        WatchEnded { why, server, id } => "kube.watch_ended",
        BookmarkSent { server, id, revision } => "kube.bookmark_sent",
        Sends { client, server, call, request } => "kube.sends",
        Hears { client, server, call, is_typed, answer } => "kube.receives",
        Events { client, server, call, events } => "kube.events",
        StreamEnds { client, call, clean } => "kube.stream_ends",
        Replaced { client, revision, objects, gone } => "kube.replaced",
        BacksOff { client, delay, why } => "kube.backs_off",
        Notified { client, what } => "kube.notified",
        EventsEtcd { server, is_own } => "kube.events_etcd",
    } {
        KubeTrace::Answered { server, id, how } => {
            of_answered(out, how);
            fields!(out, server, id);
            "kube.answered"
        }
        KubeTrace::Container { client, change } => {
            let (change, container) = match change {
                ContainerChange::Started(container) => ("started", container),
                ContainerChange::Stopped(container) => ("stopped", container),
            };
            fields!(out, client, change, container);
            "kube.container"
        }
    })
}

fn of_answered(out: &mut Fields<'_, '_>, how: &Answered) {
    let Answered {
        by,
        code,
        message,
        revision,
        items,
        fetched,
        index,
        fell_back,
        revision_took,
        wait_took,
        etcd_took,
        convert,
        collect,
        seats,
        queue_took,
    } = how;
    fields!(
        out,
        by,
        code,
        message,
        revision,
        items,
        fetched,
        index,
        fell_back,
        revision_took,
        wait_took,
        etcd_took,
        convert,
        collect,
        seats,
        queue_took
    );
}

/// A value of a field.
trait Field {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>);
}

macro_rules! as_written {
    ($($type:ty),*) => { $( impl Field for $type {
        fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
            out.json.value(name, self);
        }
    } )* };
}

as_written!(u32, u64, i64, usize, bool);

macro_rules! as_text {
    ($($type:ty),*) => { $( impl Field for $type {
        fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
            out.json.string(name, &self.to_string());
        }
    } )* };
}

macro_rules! as_debug {
    ($($type:ty),*) => { $( impl Field for $type {
        fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
            out.json.string(name, &format!("{self:?}"));
        }
    } )* };
}

as_debug!(ChangeKind, DefinitionChange, Defined, Reason, WatchEnd);

impl Field for Body {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.object(name, |out| of_body(out, self));
    }
}

as_text!(EtcdError, QosName, ProcessError, BackOffReason);

impl Field for str {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.json.string(name, self);
    }
}

impl Field for String {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.json.string(name, self);
    }
}

impl<T: Field + ?Sized> Field for &T {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        T::write(self, name, out);
    }
}

impl<T: Field + ?Sized> Field for Arc<T> {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        T::write(self, name, out);
    }
}

impl<T: Field> Field for Box<T> {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        T::write(self, name, out);
    }
}

impl<T: Field> Field for Option<T> {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        match self {
            Some(value) => value.write(name, out),
            None => out.json.value(name, "null"),
        }
    }
}

impl Field for SimTime {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.json.value(&format!("{name}_us"), self.0);
    }
}

impl Field for SimDuration {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.json.value(&format!("{name}_us"), self.0);
    }
}

impl Field for Vec<SimTime> {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        let mut list = Json::array(out.json.key(&format!("{name}_us")));
        for time in self {
            // Writing to a string cannot fail.
            let _ = write!(list.item(), "{}", time.0);
        }
    }
}

fn push_bytes(out: &mut String, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => json::push_string(out, text),
        Err(_) => json::push_bytes(Json::object(out).key("base64"), bytes),
    }
}

impl Field for Bytes {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        push_bytes(out.json.key(name), self);
    }
}

impl Field for Vec<Bytes> {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        let mut list = Json::array(out.json.key(name));
        for key in self {
            push_bytes(list.item(), key);
        }
    }
}

impl Field for Vec<(i64, i64)> {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        let mut list = Json::array(out.json.key(name));
        for (main, sub) in self {
            // Writing to a string cannot fail.
            let _ = write!(list.item(), "[{main},{sub}]");
        }
    }
}

impl Field for (i64, i64) {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.json
            .value(name, format_args!("[{},{}]", self.0, self.1));
    }
}

impl Field for (u32, u32) {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.json
            .value(name, format_args!("[{},{}]", self.0, self.1));
    }
}

impl Field for NodeId {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.json.string(name, &(out.names)(*self));
    }
}

impl Field for MessageId {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.json.value(name, self.0);
    }
}

impl Field for StreamKey {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        let Self { client, stream } = self;
        out.object(name, |out| {
            fields!(out, client, stream);
        });
    }
}

impl Field for KeyRange {
    /// Writes the fields of a range request: `range_end` is empty for one key, and `\0` for all keys from `key` on.
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.object(name, |out| {
            out.field("key", self.start());
            push_bytes(out.json.key("range_end"), self.end_field());
        });
    }
}

impl Field for FirstRead {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        let Self {
            key,
            mod_revision,
            value,
        } = self;
        out.object(name, |out| {
            fields!(out, key, mod_revision, value);
        });
    }
}

impl Field for RangeRequest {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.object(name, |out| out.field("limit", &self.limit));
    }
}

impl Field for Reply {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        match self {
            Ok(_) => out.field(name, "ok"),
            Err(error) => out.field(name, error),
        }
    }
}

impl Field for WatchResponse {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        let Self {
            watch_id,
            created,
            canceled,
            compact_revision,
            cancel_reason,
            fragment,
            ..
        } = self;
        out.object(name, |out| {
            out.field("revision", &self.header.revision);
            out.field("events", &self.events.len());
            fields!(
                out,
                watch_id,
                created,
                canceled,
                compact_revision,
                cancel_reason,
                fragment
            );
        });
    }
}

impl Field for WatchOptions {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        let Self {
            no_put,
            no_delete,
            prev_kv,
            progress_notify,
            fragment,
        } = self;
        out.object(name, |out| {
            fields!(out, no_put, no_delete, prev_kv, progress_notify, fragment);
        });
    }
}

impl Field for Result<Box<MonitorRow>, EtcdError> {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        match self {
            Ok(row) => out.field(name, row.name),
            Err(error) => out.field(name, error),
        }
    }
}

impl Field for Printed {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.object(name, |out| match self {
            Self::KeptAlive(response) => out.field("kept_alive", &response.id),
            Self::Expired(lease) => out.field("expired", lease),
            Self::Read(response) => out.field("rows", &response.kvs.len()),
            Self::Ran {
                key,
                revision,
                reply,
            } => {
                fields!(out, key, revision, reply);
            }
            Self::Copied(keys) => out.field("copied", keys),
            Self::Failed(error) => out.field("error", error),
        });
    }
}

impl Field for PollOutcome {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.object(name, |out| match self {
            Self::Read {
                revision,
                keys,
                changes,
            } => {
                fields!(out, revision, keys, changes);
            }
            Self::Refused { revision, error } => {
                fields!(out, revision, error);
            }
            Self::CacheTimedOut { revision } => {
                out.field("error", "timed out");
                out.field("revision", revision);
            }
        });
    }
}

impl Field for RetryReason {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.object(name, |out| match self {
            Self::Error(error) => out.field("error", error),
            Self::NoResponse(time) => out.field("no_response_for", time),
            Self::ConnectionBroke => out.field("error", "the connection broke"),
        });
    }
}

impl Field for ServedBy {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.field(name, self.name());
    }
}

impl Field for KubeRequest {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.object(name, |out| {
            out.field("verb", self.verb.name());
            out.field("resource", self.resource.name);
        });
    }
}

impl Field for KubeAnswer {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.object(name, |out| match self {
            Ok(KubeResponse::Object(object)) => out.field("object", object),
            Ok(KubeResponse::List(list)) => {
                out.field("items", &list.items.len());
                out.field("resource_version", &list.resource_version);
            }
            Ok(KubeResponse::WatchBegun) => out.field("watch", "began"),
            Ok(KubeResponse::Text(text)) => out.field("text", text),
            Err(error) => out.field("error", &error.to_string()),
        });
    }
}

impl Field for Object {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        let Self {
            kind,
            namespace,
            name: object,
            uid,
            resource_version,
            ..
        } = self;
        out.object(name, |out| {
            out.field("name", object);
            fields!(out, kind, namespace, uid, resource_version);
        });
    }
}

impl Field for Vec<Arc<Object>> {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        let mut list = Json::array(out.json.key(name));
        for object in self {
            json::push_string(
                list.item(),
                &format!("{}/{}", object.namespace, object.name),
            );
        }
    }
}

impl Field for Vec<KubeWatchEvent> {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        let mut list = Json::array(out.json.key(name));
        for event in self {
            json::push_string(list.item(), event.type_name());
        }
    }
}

impl Field for Container {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        let Self { pod, uid } = self;
        out.object(name, |out| {
            fields!(out, pod, uid);
        });
    }
}

impl Field for KubeNotice {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.object(name, |out| match self {
            Self::Add { object, is_initial } => {
                out.field("notice", "add");
                fields!(out, object, is_initial);
            }
            Self::Update { old: _, new } => {
                out.field("notice", "update");
                out.field("object", new);
            }
            Self::Delete {
                object,
                is_final_state_unknown,
            } => {
                out.field("notice", "delete");
                fields!(out, object, is_final_state_unknown);
            }
        });
    }
}
