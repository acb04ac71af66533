//! The ids of the cluster and of its members.
//!
//! etcd derives a member's id from the SHA-1 hash of the member's peer URL and the cluster token `etcd-cluster`. The
//! cluster's id is the hash of the sorted ids of all members. This module contains the ids for a single member with the
//! peer URL `http://localhost:2380`, and for clusters whose members have the peer URLs `http://etcd-1:2380` to
//! `http://etcd-5:2380`.

use crate::api::{ListedMember, MemberListResponse};
use crate::raft::RaftId;

use super::server::EtcdServer;

/// The id of a member that is the only member of its cluster.
const SINGLE_MEMBER: u64 = 10_276_657_743_932_975_437;

/// The id of the cluster with only one member.
const SINGLE_CLUSTER: u64 = 14_841_639_068_965_178_418;

/// The ids of the members `etcd-1` to `etcd-5`.
const MEMBERS: [u64; 5] = [
    11_787_486_417_004_449_036,
    10_947_368_022_637_817_232,
    2_194_238_678_719_203_344,
    16_960_773_522_689_865_162,
    8_841_706_121_803_065_462,
];

/// The ids of the clusters with two, three, four and five members.
const CLUSTERS: [u64; 4] = [
    12_855_961_927_422_262_848,
    1_176_270_058_202_747_494,
    7_083_535_229_316_116_818,
    9_498_383_250_036_241_309,
];

impl EtcdServer {
    /// Returns the id of the member.
    pub fn member_id(&self) -> u64 {
        self.raft()
            .map_or(SINGLE_MEMBER, |raft| member_id(raft.id()))
    }

    /// Returns the id of the cluster.
    pub fn cluster_id(&self) -> u64 {
        match self.members() {
            1 => SINGLE_CLUSTER,
            members => CLUSTERS[members as usize - 2],
        }
    }

    /// Returns the members of the cluster, sorted by id.
    pub(super) fn member_list(&self) -> MemberListResponse {
        let count = self.members();
        let members = (1..=count).map(|raft| listed(raft, count));
        let mut members: Vec<ListedMember> = members.collect();
        members.sort_by_key(|member| member.id);
        MemberListResponse {
            members,
            ..MemberListResponse::default()
        }
    }

    /// Returns the id of the leader that the member knows; 0 if it knows none.
    pub fn leader_id(&self) -> u64 {
        match self.raft() {
            None => SINGLE_MEMBER,
            Some(raft) => raft.leader().map_or(0, member_id),
        }
    }
}

/// Returns a member by its raft id. A member that is alone has etcd's default name and addresses.
fn listed(raft: RaftId, members: u32) -> ListedMember {
    if members == 1 {
        return ListedMember {
            id: SINGLE_MEMBER,
            name: "default".into(),
            peer_url: "http://localhost:2380".into(),
            client_url: "http://localhost:2379".into(),
        };
    }
    ListedMember {
        id: member_id(raft),
        name: format!("etcd-{raft}"),
        peer_url: format!("http://etcd-{raft}:2380"),
        client_url: format!("http://etcd-{raft}:2379"),
    }
}

/// Returns the id of the member with this name, such as `etcd-2`.
pub fn id_of_name(name: &str) -> Option<u64> {
    let number: usize = name.strip_prefix("etcd-")?.parse().ok()?;
    MEMBERS.get(number.checked_sub(1)?).copied()
}

/// Returns the raft id of the member with this id.
pub(super) fn raft_id(id: u64, members: u32) -> Option<RaftId> {
    let place = MEMBERS.iter().position(|member| *member == id)? as RaftId + 1;
    (place <= members).then_some(place)
}

fn member_id(raft: RaftId) -> u64 {
    MEMBERS[raft as usize - 1]
}
