//! The requests and responses of compaction and of the maintenance service.

use super::kv::ResponseHeader;
use super::{Difference, Profile};

/// `KV.Compact`: discards the history before a revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CompactionRequest {
    /// The oldest revision that stays readable.
    pub revision: i64,
    /// Respond only after the compacted rows are deleted from the backend.
    pub physical: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CompactionResponse {
    pub header: ResponseHeader,
}

/// `Maintenance.HashKV`: a checksum of the store's history up to a revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HashKvRequest {
    /// The revision up to which the rows are hashed; 0 for the newest revision.
    pub revision: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct HashKvResponse {
    pub header: ResponseHeader,
    /// The CRC-32C of the hashed rows.
    pub hash: u32,
    /// The compact revision when the hash was computed.
    pub compact_revision: i64,
    /// The last hashed revision; on the wire since etcd 3.6.
    pub hash_revision: i64,
}

/// The type of an alarm. An alarm stays raised until a client disarms it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AlarmType {
    /// All types of alarms; used only in requests.
    #[default]
    None,
    /// The database has reached its quota.
    NoSpace,
    /// The members disagree about their data. The simulator never raises this alarm, but a database file may contain
    /// it.
    Corrupt,
}

impl AlarmType {
    /// Returns the name of the type, as etcd prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::NoSpace => "NOSPACE",
            Self::Corrupt => "CORRUPT",
        }
    }
}

/// An alarm of a member. Its protobuf encoding is the key of a row in the `alarm` bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AlarmMember {
    /// The ID of the member that raised the alarm.
    pub member_id: u64,
    pub alarm: AlarmType,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AlarmAction {
    /// List the alarms.
    #[default]
    Get,
    Activate,
    /// Disarm an alarm. If the request names no member and no type, etcdctl lists all alarms and disarms each alarm.
    Deactivate,
}

/// `Maintenance.Alarm`: lists, raises or disarms alarms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AlarmRequest {
    pub action: AlarmAction,
    /// The ID of the member that raised the alarm; 0 for all members.
    pub member_id: u64,
    pub alarm: AlarmType,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AlarmResponse {
    /// The responding member and its revision. etcd 3.4 sends no header.
    pub header: ResponseHeader,
    /// The alarms that the request listed, raised or disarmed.
    pub alarms: Vec<AlarmMember>,
}

impl AlarmMember {
    /// Returns the message as Go prints it: `memberID:… alarm:NOSPACE `, with a space at its end before 3.7. The
    /// library of 3.7 also doubles the spaces in some builds of etcd.
    pub fn text(&self, profile: Profile) -> String {
        let mut text = format!("memberID:{} ", self.member_id);
        if self.alarm != AlarmType::None {
            text += &format!("alarm:{} ", self.alarm.name());
        }
        match profile.has(Difference::TrimsAlarms) {
            true => text.trim_end().to_owned(),
            false => text,
        }
    }
}

/// `Maintenance.Defragment`: rewrites the database into a new file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DefragmentRequest {}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DefragmentResponse {
    pub header: ResponseHeader,
}

/// `Maintenance.MoveLeader`: makes another member the leader. Only the leader accepts the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MoveLeaderRequest {
    pub target_id: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MoveLeaderResponse {
    pub header: ResponseHeader,
}

/// `Maintenance.Status`: returns a member's version, database sizes and raft indexes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StatusRequest {}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StatusResponse {
    pub header: ResponseHeader,
    /// The version of the etcd server, such as `3.6.14`.
    pub version: String,
    /// The size of the database file in bytes.
    pub db_size: i64,
    pub leader: u64,
    /// The last index of the raft log.
    pub raft_index: u64,
    pub raft_term: u64,
    pub raft_applied_index: u64,
    /// The current problems of the member, one message per problem.
    pub errors: Vec<String>,
    /// The number of bytes of the file that contain data.
    pub db_size_in_use: i64,
    pub is_learner: bool,
    /// The version of the storage schema, since etcd 3.6.
    pub storage_version: String,
    /// The quota in bytes, since etcd 3.6.
    pub db_size_quota: i64,
}
