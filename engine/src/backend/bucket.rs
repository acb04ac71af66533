//! The buckets of a member's database.
//!
//! Mirrors `server/storage/schema/bucket.go`.

/// A bucket that etcd creates in an empty database. The variants are in the byte order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bucket {
    /// The active alarms of all members.
    Alarm,
    /// The state of authentication: enabled or disabled.
    Auth,
    AuthRoles,
    AuthUsers,
    /// The cluster version and the state of a downgrade.
    Cluster,
    /// All changes of all keys: one row for each change, ordered by revision.
    Key,
    /// The granted leases with their TTLs.
    Lease,
    Members,
    /// The ids of members that were removed from the cluster.
    MembersRemoved,
    /// The consistent index, the progress of compactions, the storage version.
    Meta,
    /// Classes and rules of etcd QoS, a proposal. Exists only on members that have had QoS.
    Qos,
}

impl Bucket {
    /// All buckets, in the order in which `etcd-dump-db list-bucket` prints them.
    pub const ALL: [Self; 11] = [
        Self::Alarm,
        Self::Auth,
        Self::AuthRoles,
        Self::AuthUsers,
        Self::Cluster,
        Self::Key,
        Self::Lease,
        Self::Members,
        Self::MembersRemoved,
        Self::Meta,
        Self::Qos,
    ];

    /// The buckets that every database has.
    pub const AT_START: [Self; 10] = [
        Self::Alarm,
        Self::Auth,
        Self::AuthRoles,
        Self::AuthUsers,
        Self::Cluster,
        Self::Key,
        Self::Lease,
        Self::Members,
        Self::MembersRemoved,
        Self::Meta,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Alarm => "alarm",
            Self::Auth => "auth",
            Self::AuthRoles => "authRoles",
            Self::AuthUsers => "authUsers",
            Self::Cluster => "cluster",
            Self::Key => "key",
            Self::Lease => "lease",
            Self::Members => "members",
            Self::MembersRemoved => "members_removed",
            Self::Meta => "meta",
            Self::Qos => "qos",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|b| b.name() == name)
    }
}
