//! The requests and responses of the cluster service: the list of its members, and changes of the membership.
//!
//! Mirrors the service `Cluster` in `rpc.proto`.

use super::kv::ResponseHeader;
use super::version::Profile;
use crate::api::Difference;

/// `Cluster.MemberList`: lists the members of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemberListRequest {
    /// Whether the list must contain all acknowledged changes. The client library has requested such a list since etcd
    /// 3.5.
    pub linearizable: bool,
}

impl MemberListRequest {
    /// Returns the request that this version of the client library sends.
    pub fn of_client(profile: Profile) -> Self {
        Self {
            linearizable: profile.has(Difference::ListsMembersLinearizably),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemberListResponse {
    /// The responding member. The revision in this header is always 0, because etcd does not set the revision.
    pub header: ResponseHeader,
    /// The members, sorted by id.
    pub members: Vec<ListedMember>,
}

/// A member of the cluster, as the list describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ListedMember {
    /// The member's id, which etcd derives from the peer URL.
    pub id: u64,
    /// The member's name (`--name`). Empty for a member that was never started.
    pub name: String,
    /// The URLs for messages from other members (`--initial-advertise-peer-urls`).
    pub peer_urls: Vec<String>,
    /// The URLs for requests of clients (`--advertise-client-urls`). Empty for a member that was never started.
    pub client_urls: Vec<String>,
    /// Whether the member is a learner, which does not vote.
    pub is_learner: bool,
}

impl ListedMember {
    /// Returns true if the member was started at least once.
    pub fn is_started(&self) -> bool {
        !self.name.is_empty()
    }
}

/// A request that changes one member of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MemberChangeRequest {
    /// `Cluster.MemberAdd`: adds a member, which starts later.
    Add {
        peer_urls: Vec<String>,
        is_learner: bool,
    },
    /// `Cluster.MemberRemove`: removes a member, which then stops.
    Remove { id: u64 },
    /// `Cluster.MemberUpdate`: changes the peer URLs of a member.
    Update { id: u64, peer_urls: Vec<String> },
    /// `Cluster.MemberPromote`: makes a learner a voter.
    Promote { id: u64 },
}

impl MemberChangeRequest {
    pub fn method(&self) -> &'static str {
        match self {
            Self::Add { .. } => "MemberAdd",
            Self::Remove { .. } => "MemberRemove",
            Self::Update { .. } => "MemberUpdate",
            Self::Promote { .. } => "MemberPromote",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemberChangeResponse {
    /// The responding member. The revision in this header is always 0, because etcd does not set the revision.
    pub header: ResponseHeader,
    /// The added member; `None` in the response to other changes.
    pub member: Option<ListedMember>,
    /// The members after the change, sorted by id.
    pub members: Vec<ListedMember>,
}
