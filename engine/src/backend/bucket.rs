//! The buckets of a member's database.
//!
//! Mirrors `server/storage/schema/bucket.go`.

/// The buckets etcd makes in an empty database, in byte order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bucket {
    /// Active alarms.
    Alarm,
    /// Whether authentication is on.
    Auth,
    /// Roles.
    AuthRoles,
    /// Users.
    AuthUsers,
    /// Cluster version and downgrade state.
    Cluster,
    /// Every change of every key, by revision.
    Key,
    /// Leases.
    Lease,
    /// Members.
    Members,
    /// Members that were removed.
    MembersRemoved,
    /// Consistent index, compaction progress, storage version.
    Meta,
}

impl Bucket {
    /// All buckets, as `etcd-dump-db list-bucket` prints them.
    pub const ALL: [Self; 10] = [
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

    /// The bucket's name in the database.
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
        }
    }

    /// The bucket of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|b| b.name() == name)
    }
}
