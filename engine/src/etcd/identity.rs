//! The ids of the cluster and of its members.
//!
//! Mirrors `computeMemberID` (`member.go`) and `genID` (`cluster.go`). A member's id is the SHA-1 hash of its peer
//! URLs. The hash of a founding member also contains the cluster token `etcd-cluster`, and the hash of a later member
//! the time in seconds, which begins with the run. The cluster's id is the hash of the sorted ids of the founding
//! members.
//!
//! A member that founded its cluster alone has etcd's default name and URLs. The members of larger clusters have the
//! names `etcd-1` to `etcd-5`.

use crate::api::{ListedMember, MemberListResponse};
use crate::base::sha1;
use crate::base::small_sort::SmallSort;
use crate::base::time::SimTime;
use crate::raft::RaftId;

use super::membership::Membership;
use super::server::EtcdServer;

/// The token of the cluster (`--initial-cluster-token`).
const TOKEN: &str = "etcd-cluster";

/// The maximum number of founding members whose names the simulator knows.
const NAMED_MAX: u32 = 5;

/// The ids of a member that founded its cluster alone.
const ALONE: MemberIdentity = MemberIdentity {
    cluster: 0xcdf8_1819_4e3a_8c32,
    member: 0x8e9e_05c5_2164_694d,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MemberIdentity {
    pub(super) cluster: u64,
    pub(super) member: u64,
}

impl MemberIdentity {
    /// Returns the ids of a founding member of a cluster of this size.
    pub(super) fn of_founder(raft: RaftId, founders: u32) -> Self {
        Self {
            cluster: cluster_id(founders),
            member: founder(raft, founders).id,
        }
    }

    /// Returns the ids of a member with this id that joins a cluster founded by this number of members.
    pub(super) fn of_joining(member: u64, founders: u32) -> Self {
        Self {
            cluster: cluster_id(founders),
            member,
        }
    }
}

impl EtcdServer {
    pub fn member_id(&self) -> u64 {
        self.identity().member
    }

    pub fn cluster_id(&self) -> u64 {
        self.identity().cluster
    }

    fn identity(&self) -> MemberIdentity {
        self.cluster
            .0
            .as_ref()
            .map_or(ALONE, |member| *member.identity)
    }

    /// Returns the members of the cluster, sorted by id.
    pub fn member_list(&self) -> MemberListResponse {
        MemberListResponse {
            members: self.membership().list(),
            ..MemberListResponse::default()
        }
    }

    /// Returns the id of the leader that the member knows; 0 if it knows none.
    pub fn leader_id(&self) -> u64 {
        let Some(raft) = self.raft() else {
            return self.member_id();
        };
        let membership = self.membership();
        let leader = raft.leader().and_then(|leader| membership.member(leader));
        leader.map_or(0, |leader| leader.id)
    }
}

/// Returns the members of a new cluster of this size.
pub(super) fn founding(founders: u32) -> Membership {
    Membership::of_founders((1..=founders).map(|raft| founder(raft, founders)))
}

pub(super) fn founder(raft: RaftId, founders: u32) -> ListedMember {
    let (name, host) = match founders {
        1 => ("default".to_owned(), "localhost".to_owned()),
        _ => (format!("etcd-{raft}"), format!("etcd-{raft}")),
    };
    let peer_url = format!("http://{host}:2380");
    ListedMember {
        id: sha1::first_u64(format!("{peer_url}{TOKEN}").as_bytes()),
        name,
        peer_urls: vec![peer_url],
        client_urls: vec![format!("http://{host}:2379")],
        is_learner: false,
    }
}

fn cluster_id(founders: u32) -> u64 {
    let ids = (1..=founders).map(|raft| founder(raft, founders).id);
    let mut ids: Vec<u64> = ids.collect();
    ids.small_sort();
    let ids: Vec<u8> = ids.into_iter().flat_map(u64::to_be_bytes).collect();
    sha1::first_u64(&ids)
}

/// Returns the id of a member that is added to a cluster at a time. The peer URLs must be sorted.
pub(super) fn added_id(peer_urls: &[String], now: SimTime) -> u64 {
    let seconds = now.0 / 1_000_000;
    sha1::first_u64(format!("{}{seconds}", peer_urls.concat()).as_bytes())
}

/// Returns the id of the founding member with this name, such as `etcd-2`.
///
/// ```
/// use watchglass_engine::etcd::identity::id_of_name;
/// assert_eq!(id_of_name("etcd-2"), Some(10_947_368_022_637_817_232));
/// assert_eq!(id_of_name("etcd-9"), None);
/// ```
pub fn id_of_name(name: &str) -> Option<u64> {
    let number: RaftId = name.strip_prefix("etcd-")?.parse().ok()?;
    let is_named = (1..=NAMED_MAX).contains(&number);
    is_named.then(|| founder(number, NAMED_MAX).id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ids that real members and clusters with these names have.
    #[test]
    fn ids_are_hashes_of_peer_urls() {
        assert_eq!(MemberIdentity::of_founder(1, 1), ALONE);
        let ids = [1, 2, 3].map(|raft| format!("{:x}", founder(raft, 3).id));
        assert_eq!(
            ids,
            ["a3959071884acd0c", "97ecdd3706cc2d90", "1e738073e57b0810"]
        );
        let clusters = [2, 3, 4, 5].map(cluster_id);
        assert_eq!(
            clusters,
            [
                12_855_961_927_422_262_848,
                1_176_270_058_202_747_494,
                7_083_535_229_316_116_818,
                9_498_383_250_036_241_309,
            ]
        );
    }
}
