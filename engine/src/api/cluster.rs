//! The requests and responses of the cluster service: the list of its members.
//!
//! Mirrors `Cluster.MemberList` in `rpc.proto`. Left out: learners, and the requests that change the membership.

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

/// The response to [`MemberListRequest`].
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
    /// The member's name (`--name`).
    pub name: String,
    /// The URL for messages from other members (`--initial-advertise-peer-urls`).
    pub peer_url: String,
    /// The URL for requests of clients (`--advertise-client-urls`).
    pub client_url: String,
}
