//! Compaction and the parts of the maintenance service that the store answers.

use std::fmt;

use super::kv::ResponseHeader;

/// `KV.Compact`: forget everything before a revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CompactionRequest {
    /// The oldest revision that stays readable.
    pub revision: i64,
    /// Answer only when the rows are gone from the backend.
    pub physical: bool,
}

/// Answer to [`CompactionRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CompactionResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
}

/// `Maintenance.HashKV`: a checksum of the store's history up to a revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HashKvRequest {
    /// The revision; 0 for the newest.
    pub revision: i64,
}

/// Answer to [`HashKvRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct HashKvResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
    /// CRC-32C of the rows.
    pub hash: u32,
    /// The compact revision that was in force.
    pub compact_revision: i64,
    /// The revision the hash is of (since 3.6 on the wire).
    pub hash_revision: i64,
}

/// An alarm of a member, raised until it is disarmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AlarmType {
    /// Every alarm, in a request.
    #[default]
    None,
    /// The database has reached its quota.
    NoSpace,
    /// The members disagree about their data. The simulator never raises this alarm; a file may hold it.
    Corrupt,
}

impl AlarmType {
    /// The name, as upstream prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::NoSpace => "NOSPACE",
            Self::Corrupt => "CORRUPT",
        }
    }
}

/// An alarm of a member; its protobuf form is the key of a row of the `alarm` bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AlarmMember {
    /// The member that raised the alarm.
    pub member_id: u64,
    /// Which alarm.
    pub alarm: AlarmType,
}

/// An action on alarms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AlarmAction {
    /// List the alarms.
    #[default]
    Get,
    /// Raise an alarm.
    Activate,
    /// Disarm one; without a member and an alarm, all: etcdctl lists them and disarms each.
    Deactivate,
}

/// `Maintenance.Alarm`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AlarmRequest {
    /// The action.
    pub action: AlarmAction,
    /// Whose alarm; 0 for every member.
    pub member_id: u64,
    /// Which alarm.
    pub alarm: AlarmType,
}

/// Answer to [`AlarmRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AlarmResponse {
    /// The responding member and its revision. 3.4 sends no header.
    pub header: ResponseHeader,
    /// The alarms that are listed, raised or disarmed.
    pub alarms: Vec<AlarmMember>,
}

impl fmt::Display for AlarmMember {
    /// As Go prints the message: `memberID:… alarm:NOSPACE `, with a blank at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memberID:{} ", self.member_id)?;
        match self.alarm {
            AlarmType::None => Ok(()),
            alarm => write!(f, "alarm:{} ", alarm.name()),
        }
    }
}

/// `Maintenance.Defragment`: write the database into a new file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DefragmentRequest {}

/// Answer to [`DefragmentRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DefragmentResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
}

/// `Maintenance.Status`: the member's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StatusRequest {}

/// Answer to [`StatusRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StatusResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
    /// The server's version.
    pub version: String,
    /// The backend file's size in bytes.
    pub db_size: i64,
    /// The member id of the leader.
    pub leader: u64,
    /// The raft log's last index.
    pub raft_index: u64,
    /// The raft term.
    pub raft_term: u64,
    /// The last index applied to the store.
    pub raft_applied_index: u64,
    /// The problems found, one text per problem.
    pub errors: Vec<String>,
    /// Bytes of the file that hold data.
    pub db_size_in_use: i64,
    /// Whether the member is a learner.
    pub is_learner: bool,
    /// The storage schema's version, since 3.6.
    pub storage_version: String,
    /// The quota in bytes, since 3.6.
    pub db_size_quota: i64,
}
