//! The field numbers of etcd's messages. Each message has one table of its fields. The simulator derives both the
//! encoding and its size from this table.
//!
//! Mirrors `api/etcdserverpb/{rpc,raft_internal}.proto` and `api/mvccpb/kv.proto`. The fields below are the same in
//! etcd 3.4 and 3.6. Left out: responses whose bytes and size the simulator does not need.

use crate::base::proto::{
    Content, Field, ProtoMessage, Scalar, Sink, field_size, message, row, size, write_bytes,
    write_number,
};

use super::{
    AlarmAction, AlarmMember, AlarmRequest, AlarmResponse, AlarmType, CompactionRequest, Compare,
    CompareOp, CompareTarget, DefragmentRequest, DeleteRangeRequest, DeleteRangeResponse,
    EtcdError, EventKind, HashKvRequest, KeyValue, LeaseGrantRequest, LeaseKeepAliveRequest,
    LeaseLeasesRequest, LeaseRevokeRequest, LeaseTimeToLiveRequest, ListedMember,
    MemberChangeRequest, MemberChangeResponse, MemberListRequest, MemberListResponse,
    MoveLeaderRequest, PutRequest, PutResponse, RangeRequest, RangeResponse, Request, RequestOp,
    ResponseHeader, ResponseOp, Rows, SortOrder, SortTarget, StatusRequest, TxnRequest,
    TxnResponse, WatchCreateRequest, WatchEvent, WatchRequest, WatchResponse,
};

/// The maximum size of a message that etcd's client library sends, in bytes (`defaultMaxCallSendMsgSize`).
pub const CLIENT_SEND_BYTES: u64 = 2 << 20;

row! {
    KeyValue { key = 1, create_revision = 2, mod_revision = 3, version = 4, value = 5, lease = 6 }
}

row! {
    AlarmMember { member_id = 1, alarm = 2 }
}

message! {
    ResponseHeader { cluster_id = 1, member_id = 2, revision = 3, raft_term = 4 }
    RangeRequest {
        key = 1, range_end = 2, limit = 3, revision = 4, sort_order = 5, sort_target = 6, serializable = 7,
        keys_only = 8, count_only = 9, min_mod_revision = 10, max_mod_revision = 11, min_create_revision = 12,
        max_create_revision = 13,
    }
    RangeResponse { header = 1, kvs = 2, more = 3, count = 4 }
    PutRequest { key = 1, value = 2, lease = 3, prev_kv = 4, ignore_value = 5, ignore_lease = 6 }
    PutResponse { header = 1, prev_kv = 2 }
    DeleteRangeRequest { key = 1, range_end = 2, prev_kv = 3 }
    DeleteRangeResponse { header = 1, deleted = 2, prev_kvs = 3 }
    TxnRequest { compare = 1, success = 2, failure = 3 }
    TxnResponse { header = 1, succeeded = 2, responses = 3 }
    CompactionRequest { revision = 1, physical = 2 }
    HashKvRequest { revision = 1 }
    StatusRequest {}
    LeaseGrantRequest { ttl = 1, id = 2 }
    LeaseRevokeRequest { id = 1 }
    LeaseKeepAliveRequest { id = 1 }
    LeaseTimeToLiveRequest { id = 1, keys = 2 }
    LeaseLeasesRequest {}
    AlarmRequest { action = 1, member_id = 2, alarm = 3 }
    AlarmResponse { header = 1, alarms = 2 }
    DefragmentRequest {}
    MoveLeaderRequest { target_id = 1 }
    MemberListRequest { linearizable = 1 }
    MemberListResponse { header = 1, members = 2 }
    WatchResponse {
        header = 1, watch_id = 2, created = 3, canceled = 4, compact_revision = 5, cancel_reason = 6, fragment = 7,
        events = 11,
    }
    WatchEvent { kind = 1, kv = 2, prev_kv = 3 }
}

impl ProtoMessage for WatchCreateRequest {
    fn write(&self, to: &mut impl Sink) {
        self.key.write_field(1, to);
        self.range_end.write_field(2, to);
        self.start_revision.write_field(3, to);
        self.progress_notify.write_field(4, to);
        // A packed list of enum values: NOPUT is 0, NODELETE is 1.
        match (self.no_put, self.no_delete) {
            (false, false) => {}
            (true, false) => write_bytes(5, &[0], to),
            (false, true) => write_bytes(5, &[1], to),
            (true, true) => write_bytes(5, &[0, 1], to),
        }
        self.prev_kv.write_field(6, to);
        self.watch_id.write_field(7, to);
        self.fragment.write_field(8, to);
    }
}

impl ProtoMessage for Compare {
    fn write(&self, to: &mut impl Sink) {
        let result: u64 = match self.result {
            CompareOp::Equal => 0,
            CompareOp::Greater => 1,
            CompareOp::Less => 2,
            CompareOp::NotEqual => 3,
        };
        let target: u64 = match self.target {
            CompareTarget::Version(_) => 0,
            CompareTarget::Create(_) => 1,
            CompareTarget::Mod(_) => 2,
            CompareTarget::Value(_) => 3,
            CompareTarget::Lease(_) => 4,
        };
        result.write_field(1, to);
        target.write_field(2, to);
        self.key.write_field(3, to);
        match &self.target {
            CompareTarget::Version(n) => write_number(4, *n as u64, to),
            CompareTarget::Create(n) => write_number(5, *n as u64, to),
            CompareTarget::Mod(n) => write_number(6, *n as u64, to),
            CompareTarget::Value(value) => write_bytes(7, value, to),
            CompareTarget::Lease(n) => write_number(8, *n as u64, to),
        }
        self.range_end.write_field(64, to);
    }
}

impl ProtoMessage for RequestOp {
    fn write(&self, to: &mut impl Sink) {
        match self {
            Self::Range(r) => r.write_field(1, to),
            Self::Put(r) => r.write_field(2, to),
            Self::DeleteRange(r) => r.write_field(3, to),
            Self::Txn(r) => r.write_field(4, to),
            Self::Empty => {}
        }
    }
}

impl ProtoMessage for ResponseOp {
    fn write(&self, to: &mut impl Sink) {
        match self {
            Self::Range(r) => r.write_field(1, to),
            Self::Put(r) => r.write_field(2, to),
            Self::DeleteRange(r) => r.write_field(3, to),
            Self::Txn(r) => r.write_field(4, to),
        }
    }
}

impl ProtoMessage for MemberChangeRequest {
    fn write(&self, to: &mut impl Sink) {
        match self {
            Self::Add {
                peer_urls,
                is_learner,
            } => {
                for url in peer_urls {
                    write_bytes(1, url.as_bytes(), to);
                }
                is_learner.write_field(2, to);
            }
            Self::Remove { id } | Self::Promote { id } => id.write_field(1, to),
            Self::Update { id, peer_urls } => {
                id.write_field(1, to);
                for url in peer_urls {
                    write_bytes(2, url.as_bytes(), to);
                }
            }
        }
    }
}

impl ProtoMessage for ListedMember {
    fn write(&self, to: &mut impl Sink) {
        self.id.write_field(1, to);
        if self.is_started() {
            write_bytes(2, self.name.as_bytes(), to);
        }
        for url in &self.peer_urls {
            write_bytes(3, url.as_bytes(), to);
        }
        for url in &self.client_urls {
            write_bytes(4, url.as_bytes(), to);
        }
        self.is_learner.write_field(5, to);
    }
}

impl ProtoMessage for MemberChangeResponse {
    fn write(&self, to: &mut impl Sink) {
        self.header.write_field(1, to);
        let list = match &self.member {
            Some(member) => {
                member.write_field(2, to);
                3
            }
            None => 2,
        };
        for member in &self.members {
            member.write_field(list, to);
        }
    }
}

struct WatchCancelRequest {
    watch_id: i64,
}

struct WatchProgressRequest {}

message! {
    WatchCancelRequest { watch_id = 1 }
    WatchProgressRequest {}
}

/// The encoding omits `echo`, the ID in a progress request. KEP-2340 proposes this ID, but no version of the protocol
/// has a field for it.
impl ProtoMessage for WatchRequest {
    fn write(&self, to: &mut impl Sink) {
        match self {
            Self::Create(create) => create.write_field(1, to),
            Self::Cancel { watch_id } => WatchCancelRequest {
                watch_id: *watch_id,
            }
            .write_field(2, to),
            Self::Progress { echo: _ } => WatchProgressRequest {}.write_field(3, to),
        }
    }
}

/// Encodes the message that gRPC sends for a request. The message does not contain the name of the method.
impl ProtoMessage for Request {
    fn write(&self, to: &mut impl Sink) {
        match self {
            Self::Range(r) | Self::RangeStream(r) => r.write(to),
            Self::Put(r) => r.write(to),
            Self::DeleteRange(r) => r.write(to),
            Self::Txn(r) => r.write(to),
            Self::Compact(r) => r.write(to),
            Self::HashKv(r) => r.write(to),
            Self::Status(r) => r.write(to),
            Self::LeaseGrant(r) => r.write(to),
            Self::LeaseRevoke(r) => r.write(to),
            Self::LeaseKeepAlive(r) => r.write(to),
            Self::LeaseTimeToLive(r) => r.write(to),
            Self::LeaseLeases(r) => r.write(to),
            Self::Alarm(r) => r.write(to),
            Self::Defragment(r) => r.write(to),
            Self::Authenticate(r) => r.write(to),
            Self::Qos(r) => r.write(to),
            Self::As(r) => r.request.write(to),
            Self::MoveLeader(r) => r.write(to),
            Self::MemberList(r) => r.write(to),
            Self::Auth(r) => r.write(to),
            Self::MemberChange(r) => r.write(to),
        }
    }
}

/// A raft entry (`InternalRaftRequest`): a header and one request. Each method has its own field for the request.
pub struct RaftEntry<'a> {
    /// The ID of the proposal, which is part of the entry's header.
    pub id: u64,
    pub request: &'a Request,
    /// The name of the user, and the auth revision; empty and 0 without a user.
    pub user: (&'a str, u64),
}

struct EntryHeader<'a> {
    id: u64,
    user: (&'a str, u64),
}

impl ProtoMessage for EntryHeader<'_> {
    fn write(&self, to: &mut impl Sink) {
        self.id.write_field(1, to);
        let (user, auth_revision) = self.user;
        if !user.is_empty() {
            write_bytes(2, user.as_bytes(), to);
        }
        auth_revision.write_field(3, to);
    }
}

impl ProtoMessage for RaftEntry<'_> {
    fn write(&self, to: &mut impl Sink) {
        match self.request {
            Request::Range(r) => r.write_field(3, to),
            Request::Put(r) => r.write_field(4, to),
            Request::DeleteRange(r) => r.write_field(5, to),
            Request::Txn(r) => r.write_field(6, to),
            Request::Compact(r) => r.write_field(7, to),
            Request::LeaseGrant(r) => r.write_field(8, to),
            Request::LeaseRevoke(r) => r.write_field(9, to),
            Request::Alarm(r) => r.write_field(10, to),
            // The proposal of etcd QoS names no field number for its requests. The simulator uses 11.
            Request::Qos(r) => r.write_field(11, to),
            // The fields of these requests have greater numbers than the header.
            Request::Auth(_) => {}
            // A member serves the following requests without an entry in the raft log.
            Request::RangeStream(_)
            | Request::HashKv(_)
            | Request::Status(_)
            | Request::LeaseKeepAlive(_)
            | Request::LeaseTimeToLive(_)
            | Request::LeaseLeases(_)
            | Request::Defragment(_)
            | Request::Authenticate(_)
            | Request::As(_)
            | Request::MoveLeader(_)
            | Request::MemberList(_)
            | Request::MemberChange(_) => {}
        }
        let (id, user) = (self.id, self.user);
        EntryHeader { id, user }.write_field(100, to);
        if let Request::Auth(r) = self.request {
            r.write_field(r.entry_field(), to);
        }
    }
}

/// Returns the size in bytes of the raft entry for a request of a user. Without a user, `user` is empty and 0.
pub fn raft_entry_size(request: &Request, user: (&str, u64)) -> u64 {
    // The ID of a proposal contains the low 16 bits of the member's ID, a time and a counter. For the first member, the
    // ID has 63 bits.
    size(&RaftEntry {
        id: 1 << 62,
        request,
        user,
    })
}

/// Returns the number of bytes that an event adds to a watch response.
pub fn watch_event_size(event: &WatchEvent) -> u64 {
    field_size(11, event)
}

/// Checks a request against the client library's limit on the size of a message.
///
/// # Errors
/// Returns an error if the request is larger than `max` bytes.
pub fn check_send_size(request: &Request, max: u64) -> Result<(), EtcdError> {
    match size(request) {
        size if size > max => Err(EtcdError::MessageTooLarge { size, max }),
        _ => Ok(()),
    }
}

impl Field for SortOrder {
    fn write_field(&self, number: u32, to: &mut impl Sink) {
        let value: u64 = match self {
            Self::None => 0,
            Self::Ascend => 1,
            Self::Descend => 2,
        };
        value.write_field(number, to);
    }
}

impl Field for SortTarget {
    fn write_field(&self, number: u32, to: &mut impl Sink) {
        let value: u64 = match self {
            Self::Key => 0,
            Self::Version => 1,
            Self::Create => 2,
            Self::Mod => 3,
            Self::Value => 4,
        };
        value.write_field(number, to);
    }
}

impl Field for AlarmAction {
    fn write_field(&self, number: u32, to: &mut impl Sink) {
        let value: u64 = match self {
            Self::Get => 0,
            Self::Activate => 1,
            Self::Deactivate => 2,
        };
        value.write_field(number, to);
    }
}

impl Field for AlarmType {
    fn write_field(&self, number: u32, to: &mut impl Sink) {
        let value: u64 = match self {
            Self::None => 0,
            Self::NoSpace => 1,
            Self::Corrupt => 2,
        };
        value.write_field(number, to);
    }
}

impl Scalar for AlarmType {
    fn read(content: Content<'_>) -> Option<Self> {
        match content {
            Content::Int(1) => Some(Self::NoSpace),
            Content::Int(2) => Some(Self::Corrupt),
            _ => None,
        }
    }
}

impl Field for EventKind {
    fn write_field(&self, number: u32, to: &mut impl Sink) {
        let value: u64 = match self {
            Self::Put => 0,
            Self::Delete => 1,
        };
        value.write_field(number, to);
    }
}

impl Field for Rows {
    fn write_field(&self, number: u32, to: &mut impl Sink) {
        for row in self.iter() {
            row.write_field(number, to);
        }
    }
}
