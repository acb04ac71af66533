//! The kind and the fields of a trace event as JSON.
//!
//! The names of the fields are those of [`TraceEvent`] and of its parts, whose docs describe them. Times and durations
//! have the suffix `_us`, for microseconds. A key or value is a string, or an object `{"base64": …}` if its bytes are
//! no UTF-8. A node has its name. A field without a value is `null`.
//!
//! Left out: the content of requests, responses and objects, of which only sizes and names are written. The events of
//! the node that handles a request have the keys and values.

use std::fmt::{Debug, Write as _};
use std::sync::Arc;

use crate::api::log_entry::MemberChange;
use crate::api::message::{Body, EtcdMessage, KubeMessage};
use crate::api::{EtcdError, RangeRequest, Reply, WatchRequest, WatchResponse};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::ids::{MessageId, NodeId, StreamKey};
use crate::base::json::{self, Json};
use crate::base::time::{SimDuration, SimTime};
use crate::kube::{KubeAnswer, KubeRequest, KubeResponse, KubeWatchEvent, Object, ServedBy};
use crate::qos::QosName;
use crate::qos::monitor::MonitorRow;
use crate::trace::{
    Answered, BackOffReason, ClientTrace, Container, ContainerChange, FirstRead, KubeNotice,
    KubeTrace, LeaseTrace, NetTrace, PollOutcome, Printed, ProcessError, QosTrace, RetryReason,
    TraceEvent, WatchOptions, WatchTrace,
};

/// Returns the name of a node.
pub(super) type Names<'a> = &'a dyn Fn(NodeId) -> String;

/// An object of JSON that receives the fields of an event.
pub(super) struct Fields<'a, 'n> {
    json: Json<'a>,
    names: Names<'n>,
}

/// Writes a kind and the fields with these names.
macro_rules! kind {
    ($out:ident, $kind:literal $(, $field:ident)*) => {{
        $( $out.field(stringify!($field), $field); )*
        $kind
    }};
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

    fn debug(&mut self, name: &str, value: &impl Debug) {
        self.json.string(name, &format!("{value:?}"));
    }
}

fn of_event(out: &mut Fields<'_, '_>, event: &TraceEvent) -> &'static str {
    match event {
        TraceEvent::Received { method, revision } => kind!(out, "received", method, revision),
        TraceEvent::Applied { index } => kind!(out, "applied", index),
        TraceEvent::Read {
            range,
            revision,
            count,
            returned,
            first,
            partial_request,
        } => kind!(
            out,
            "read",
            range,
            revision,
            count,
            returned,
            first,
            partial_request
        ),
        TraceEvent::RangeChunk { revision, rows } => kind!(out, "range_chunk", revision, rows),
        TraceEvent::ReadAbandoned => "read_abandoned",
        TraceEvent::Compared {
            compares,
            succeeded,
        } => kind!(out, "compared", compares, succeeded),
        TraceEvent::Changed {
            main,
            sub,
            kind,
            key,
            value,
            version,
            lease,
            generation,
            generation_ver,
        } => {
            out.debug("kind", kind);
            kind!(
                out,
                "changed",
                main,
                sub,
                key,
                value,
                version,
                lease,
                generation,
                generation_ver
            )
        }
        TraceEvent::Committed { revision, changes } => kind!(out, "committed", revision, changes),
        TraceEvent::NothingChanged { revision } => kind!(out, "nothing_changed", revision),
        TraceEvent::CompactionScheduled { revision } => {
            kind!(out, "compaction_scheduled", revision)
        }
        TraceEvent::AutoCompaction { revision, current } => {
            kind!(out, "auto_compaction", revision, current)
        }
        TraceEvent::CompactionWaits => "compaction_waits",
        TraceEvent::CompactionBatch {
            revision,
            scanned,
            removed,
        } => kind!(out, "compaction_batch", revision, scanned, removed),
        TraceEvent::CompactionFinished { revision } => kind!(out, "compaction_finished", revision),
        TraceEvent::Restored {
            backup,
            revision,
            compacted,
        } => kind!(out, "restored", backup, revision, compacted),
        TraceEvent::NoSpaceRaised { size, quota } => kind!(out, "no_space_raised", size, quota),
        TraceEvent::Qos(event) => of_qos(out, event),
        TraceEvent::NoSpaceDisarmed => "no_space_disarmed",
        TraceEvent::Defragmented { before, after } => kind!(out, "defragmented", before, after),
        TraceEvent::Hashed { revision, hash } => kind!(out, "hashed", revision, hash),
        TraceEvent::Lease(event) => of_lease(out, event),
        TraceEvent::Refused { error } => kind!(out, "refused", error),
        TraceEvent::Replied => "replied",
        TraceEvent::TimePassed { duration_us } => kind!(out, "time_passed", duration_us),
        TraceEvent::Watch(event) => of_watch(out, event),
        TraceEvent::Net(event) => of_net(out, event),
        TraceEvent::Client(event) => of_client(out, event),
        TraceEvent::Kube(event) => of_kube(out, event),
        TraceEvent::SnapshotInstalled { index, revision } => {
            kind!(out, "snapshot_installed", index, revision)
        }
        TraceEvent::MembersChanged(change) => {
            of_member_change(out, change);
            "members_changed"
        }
    }
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
    match event {
        LeaseTrace::Granted {
            id,
            asked_s,
            ttl_s,
            expiry,
        } => kind!(out, "lease.granted", id, asked_s, ttl_s, expiry),
        LeaseTrace::Renewed { id, ttl_s, expiry } => {
            kind!(out, "lease.renewed", id, ttl_s, expiry)
        }
        LeaseTrace::Missing { id } => kind!(out, "lease.missing", id),
        LeaseTrace::RenewalWaits { id } => kind!(out, "lease.renewal_waits", id),
        LeaseTrace::OfKey { key, before, after } => {
            kind!(out, "lease.of_key", key, before, after)
        }
        LeaseTrace::Looked { expired, more } => kind!(out, "lease.looked", expired, more),
        LeaseTrace::Checkpointed {
            first,
            remaining_s,
            leases,
        } => kind!(out, "lease.checkpointed", first, remaining_s, leases),
        LeaseTrace::Revoked { id, keys, expired } => {
            kind!(out, "lease.revoked", id, keys, expired)
        }
    }
}

fn of_qos(out: &mut Fields<'_, '_>, event: &QosTrace) -> &'static str {
    match event {
        QosTrace::Admitted { rule } => kind!(out, "qos.admitted", rule),
        QosTrace::Delayed { rule, until, wait } => kind!(out, "qos.delayed", rule, until, wait),
        QosTrace::Queued { rule } => kind!(out, "qos.queued", rule),
        QosTrace::Released => "qos.released",
        QosTrace::Limited { rule, retry_after } => kind!(out, "qos.limited", rule, retry_after),
        QosTrace::Defined { change, kind, name } => {
            out.debug("change", change);
            out.debug("kind", kind);
            kind!(out, "qos.defined", name)
        }
    }
}

fn of_watch(out: &mut Fields<'_, '_>, event: &WatchTrace) -> &'static str {
    match event {
        WatchTrace::StreamOpened { stream } => kind!(out, "watch.stream_opened", stream),
        WatchTrace::StreamClosed { stream, watchers } => {
            kind!(out, "watch.stream_closed", stream, watchers)
        }
        WatchTrace::Created {
            watcher,
            stream,
            watch_id,
            range,
            start_rev,
            next_rev,
            synced,
        } => kind!(
            out,
            "watch.created",
            watcher,
            stream,
            watch_id,
            range,
            start_rev,
            next_rev,
            synced
        ),
        WatchTrace::Refused { stream, reason } => kind!(out, "watch.refused", stream, reason),
        WatchTrace::Canceled { stream, watch_id } => {
            kind!(out, "watch.canceled", stream, watch_id)
        }
        WatchTrace::Notified { revision, watchers } => {
            kind!(out, "watch.notified", revision, watchers)
        }
        WatchTrace::BecameVictim {
            watcher,
            stream,
            from,
            to,
        } => kind!(out, "watch.became_victim", watcher, stream, from, to),
        WatchTrace::Swept {
            picked,
            from,
            to,
            rows,
            synced,
            compacted,
            victims,
            remaining,
            took_us,
        } => kind!(
            out,
            "watch.sync_pass",
            picked,
            from,
            to,
            rows,
            synced,
            compacted,
            victims,
            remaining,
            took_us
        ),
        WatchTrace::CaughtUp {
            watcher,
            from,
            to,
            events,
            more_from,
        } => kind!(out, "watch.caught_up", watcher, from, to, events, more_from),
        WatchTrace::Overtaken {
            watcher,
            wanted,
            compact_revision,
        } => kind!(out, "watch.overtaken", watcher, wanted, compact_revision),
        WatchTrace::PassedOver {
            watcher,
            wanted,
            to,
        } => {
            kind!(out, "watch.passed_over", watcher, wanted, to)
        }
        WatchTrace::VictimSent {
            watcher,
            synced,
            tries,
        } => kind!(out, "watch.victim_sent", watcher, synced, tries),
        WatchTrace::PrevKvRead {
            stream,
            reads,
            found,
        } => {
            kind!(out, "watch.prev_kv_read", stream, reads, found)
        }
        WatchTrace::Progress {
            stream,
            watch_id,
            revision,
        } => kind!(out, "watch.progress", stream, watch_id, revision),
        WatchTrace::ProgressWithheld { stream } => kind!(out, "watch.progress_withheld", stream),
        WatchTrace::LeaderMissing { stream } => kind!(out, "watch.leader_missing", stream),
    }
}

fn of_net(out: &mut Fields<'_, '_>, event: &NetTrace) -> &'static str {
    match event {
        NetTrace::Sent {
            message,
            from,
            to,
            arrives,
            lost,
            duplicated,
            bytes,
            body,
            is_after_handshake,
        } => {
            out.object("body", |out| of_body(out, body));
            kind!(
                out,
                "net.sent",
                message,
                from,
                to,
                arrives,
                lost,
                duplicated,
                bytes,
                is_after_handshake
            )
        }
        NetTrace::Arrived { message } => kind!(out, "net.arrived", message),
        NetTrace::Waits { message } => kind!(out, "net.waits", message),
        NetTrace::Released { message, arrives } => kind!(out, "net.released", message, arrives),
        NetTrace::Delayed { message, arrives } => kind!(out, "net.delayed", message, arrives),
        NetTrace::Broken { message } => kind!(out, "net.broken", message),
    }
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
    match event {
        ClientTrace::Opened { node, name } => kind!(out, "client.opened", node, name),
        ClientTrace::Wants {
            node,
            watch,
            stream,
            range,
            start_rev,
            options,
        } => kind!(
            out,
            "client.wants",
            node,
            watch,
            stream,
            range,
            start_rev,
            options
        ),
        ClientTrace::Received {
            node,
            watch,
            stream,
            response,
        } => kind!(out, "client.received", node, watch, stream, response),
        ClientTrace::ResumesFrom {
            node,
            watch,
            revision,
        } => {
            kind!(out, "client.resumes_from", node, watch, revision)
        }
        ClientTrace::Ended {
            node,
            watch,
            reason,
        } => kind!(out, "client.ended", node, watch, reason),
        ClientTrace::Listed {
            node,
            keys,
            revision,
        } => kind!(out, "client.listed", node, keys, revision),
        ClientTrace::KeptAlive { node, lease, ttl_s } => {
            kind!(out, "client.kept_alive", node, lease, ttl_s)
        }
        ClientTrace::Monitored { node, outcome } => kind!(out, "client.monitored", node, outcome),
        ClientTrace::Printed { node, printed } => kind!(out, "client.printed", node, printed),
        ClientTrace::Ran { node, watch, reply } => kind!(out, "client.ran", node, watch, reply),
        ClientTrace::Polled { node, outcome } => kind!(out, "client.polled", node, outcome),
        ClientTrace::Retries { node, why, delay } => kind!(out, "client.retries", node, why, delay),
        ClientTrace::FoundGone { node, keys } => kind!(out, "client.found_gone", node, keys),
        ClientTrace::Paused { node } => kind!(out, "client.paused", node),
        ClientTrace::Resumed { node, waiting } => kind!(out, "client.resumed", node, waiting),
        ClientTrace::Disconnected { node } => kind!(out, "client.disconnected", node),
        ClientTrace::Connected { node } => kind!(out, "client.connected", node),
        ClientTrace::Stopped { node } => kind!(out, "client.stopped", node),
        ClientTrace::Started { node } => kind!(out, "client.started", node),
        ClientTrace::Changed { node, sentence } => kind!(out, "client.changed", node, sentence),
    }
}

fn of_kube(out: &mut Fields<'_, '_>, event: &KubeTrace) -> &'static str {
    match event {
        KubeTrace::Lists {
            server,
            resource,
            ended,
        } => kind!(out, "kube.lists", server, resource, ended),
        KubeTrace::Listed {
            server,
            resource,
            revision,
            objects,
        } => kind!(out, "kube.listed", server, resource, revision, objects),
        KubeTrace::CacheMoved {
            server,
            resource,
            from,
            to,
            by_progress,
            evicted,
            resized,
        } => kind!(
            out,
            "kube.cache_moved",
            server,
            resource,
            from,
            to,
            by_progress,
            evicted,
            resized
        ),
        KubeTrace::CacheLost {
            server,
            resource,
            why,
        } => kind!(out, "kube.cache_lost", server, resource, why),
        KubeTrace::Checked {
            server,
            resource,
            is_consistent,
        } => kind!(out, "kube.checked", server, resource, is_consistent),
        KubeTrace::ProgressAsked {
            server,
            resource,
            waiting,
        } => kind!(out, "kube.progress_asked", server, resource, waiting),
        KubeTrace::Asked {
            server,
            id,
            client,
            call,
            request,
            by,
            reason,
        } => {
            out.debug("reason", reason);
            kind!(out, "kube.asked", server, id, client, call, request, by)
        }
        KubeTrace::Waits {
            server,
            id,
            needed,
            cache_revision,
            deadline,
        } => kind!(
            out,
            "kube.waits",
            server,
            id,
            needed,
            cache_revision,
            deadline
        ),
        KubeTrace::FallsBack { server, id } => kind!(out, "kube.falls_back", server, id),
        KubeTrace::Answered { server, id, how } => {
            of_answered(out, how);
            kind!(out, "kube.answered", server, id)
        }
        KubeTrace::WatchBegan {
            server,
            id,
            from,
            with_state,
        } => kind!(out, "kube.watch_began", server, id, from, with_state),
        KubeTrace::WatchEnded { server, id, why } => {
            out.debug("why", why);
            kind!(out, "kube.watch_ended", server, id)
        }
        KubeTrace::BookmarkSent {
            server,
            id,
            revision,
        } => kind!(out, "kube.bookmark_sent", server, id, revision),
        KubeTrace::Sends {
            client,
            server,
            call,
            request,
        } => kind!(out, "kube.sends", client, server, call, request),
        KubeTrace::Hears {
            client,
            server,
            call,
            is_typed,
            answer,
        } => kind!(out, "kube.receives", client, server, call, is_typed, answer),
        KubeTrace::Events {
            client,
            server,
            call,
            events,
        } => kind!(out, "kube.events", client, server, call, events),
        KubeTrace::StreamEnds {
            client,
            call,
            clean,
        } => kind!(out, "kube.stream_ends", client, call, clean),
        KubeTrace::Replaced {
            client,
            revision,
            objects,
            gone,
        } => kind!(out, "kube.replaced", client, revision, objects, gone),
        KubeTrace::BacksOff { client, delay, why } => {
            kind!(out, "kube.backs_off", client, delay, why)
        }
        KubeTrace::Container { client, change } => {
            let (change, container) = match change {
                ContainerChange::Started(container) => ("started", container),
                ContainerChange::Stopped(container) => ("stopped", container),
            };
            kind!(out, "kube.container", client, change, container)
        }
        KubeTrace::Notified { client, what } => kind!(out, "kube.notified", client, what),
        KubeTrace::EventsEtcd { server, is_own } => kind!(out, "kube.events_etcd", server, is_own),
    }
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
    kind!(
        out,
        "",
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
            kind!(out, "", client, stream);
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
            kind!(out, "", key, mod_revision, value);
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
            kind!(
                out,
                "",
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
            kind!(
                out,
                "",
                no_put,
                no_delete,
                prev_kv,
                progress_notify,
                fragment
            );
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
                kind!(out, "", key, revision, reply);
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
                kind!(out, "", revision, keys, changes);
            }
            Self::Refused { revision, error } => {
                kind!(out, "", revision, error);
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
            kind!(out, "", kind, namespace, uid, resource_version);
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
            kind!(out, "", pod, uid);
        });
    }
}

impl Field for KubeNotice {
    fn write(&self, name: &str, out: &mut Fields<'_, '_>) {
        out.object(name, |out| match self {
            Self::Add { object, is_initial } => {
                out.field("notice", "add");
                kind!(out, "", object, is_initial);
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
                kind!(out, "", object, is_final_state_unknown);
            }
        });
    }
}
