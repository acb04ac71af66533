//! The members of a cluster, as the member's state contains them.
//!
//! Mirrors `api/membership/cluster.go`, `schema/membership.go` and `schema/confstate.go`: a committed change is checked
//! against the current members, and then stored in the buckets `members` and `members_removed` and, since 3.5, in the
//! row `confState`. Left out: the version of the cluster, and the metric of known peers.

use std::collections::BTreeMap;

use crate::api::log_entry::MemberChange;
use crate::api::{EtcdError, ListedMember};
use crate::backend::{Backend, Bucket};
use crate::base::Bytes;
use crate::base::json::{Json, push_string};
use crate::raft::vote::quorum;
use crate::raft::{ConfChange, ConfState, RaftId};

/// The maximum number of learners in a cluster (`--max-learners`).
const LEARNERS_MAX: usize = 1;

/// The key of the row in the bucket `meta` that lists the voters and the learners.
const CONF_STATE: &str = "confState";

/// The content of a row in the bucket `members_removed`.
const REMOVED: &str = "removed";

/// The members of a cluster.
///
/// The node of a member in raft has a number, which replaces the member's id there. A new member gets the next number,
/// so a member that is removed and added again has a new node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Membership {
    members: BTreeMap<RaftId, ListedMember>,
    /// The ids of the removed members.
    removed: BTreeMap<RaftId, u64>,
    /// Which members vote. Before etcd 3.7, an update of the peer URLs lists a learner as a voter, but raft does not
    /// count it.
    conf_state: ConfState,
}

impl Membership {
    /// Creates the members of a new cluster, numbered from 1.
    pub(super) fn of_founders(founders: impl Iterator<Item = ListedMember>) -> Self {
        let members: BTreeMap<RaftId, ListedMember> = (1..).zip(founders).collect();
        Self {
            conf_state: ConfState::of_voters(members.keys().copied().collect()),
            members,
            removed: BTreeMap::new(),
        }
    }

    /// Returns the member whose node has this number.
    pub fn member(&self, raft: RaftId) -> Option<&ListedMember> {
        self.members.get(&raft)
    }

    /// Returns the number and the description of the member with this id.
    pub fn find(&self, id: u64) -> Option<(RaftId, &ListedMember)> {
        let mut members = self.members();
        members.find(|(_, member)| member.id == id)
    }

    pub fn members(&self) -> impl Iterator<Item = (RaftId, &ListedMember)> {
        self.members.iter().map(|(raft, member)| (*raft, member))
    }

    /// Returns all members, sorted by id.
    pub(super) fn list(&self) -> Vec<ListedMember> {
        let mut members: Vec<ListedMember> = self.members.values().cloned().collect();
        members.sort_by_key(|member| member.id);
        members
    }

    pub fn has_removed(&self, raft: RaftId) -> bool {
        self.removed.contains_key(&raft)
    }

    /// Returns which members vote in raft.
    pub(super) fn conf_state(&self) -> &ConfState {
        &self.conf_state
    }

    fn voters(&self) -> impl Iterator<Item = (RaftId, &ListedMember)> {
        self.members().filter(|(_, member)| !member.is_learner)
    }

    /// Returns the numbers of the voters (`VotingMembers`).
    pub(super) fn voter_ids(&self) -> Vec<RaftId> {
        self.voters().map(|(raft, _)| raft).collect()
    }

    /// Returns true if the started voters are a quorum of all voters after a change. `added` is true for a new member
    /// that is started already, and false for a new member that is not started; `None` if the change removes `removed`.
    fn keeps_started_quorum(&self, added: Option<bool>, removed: Option<u64>) -> bool {
        let rest = self
            .voters()
            .filter(|(_, member)| Some(member.id) != removed);
        let rest: Vec<bool> = rest.map(|(_, member)| member.is_started()).collect();
        let all = rest.into_iter().chain(added);
        let (count, started) = all.fold((0, 0), |(count, started), is_started| {
            (count + 1, started + u32::from(is_started))
        });
        started >= quorum(count)
    }

    /// Returns true if a voter can be added (`IsReadyToAddVotingMember`). A single member accepts a second member.
    pub(super) fn is_ready_to_add(&self) -> bool {
        let mut voters = self.voters();
        let is_alone = voters.next().is_some_and(|(_, first)| first.is_started());
        is_alone && voters.next().is_none() || self.keeps_started_quorum(Some(false), None)
    }

    /// Returns true if a voter can be removed (`IsReadyToRemoveVotingMember`).
    pub(super) fn is_ready_to_remove(&self, id: u64) -> bool {
        self.keeps_started_quorum(None, Some(id))
    }

    /// Returns true if a learner can become a voter (`IsReadyToPromoteMember`).
    pub(super) fn is_ready_to_promote(&self) -> bool {
        self.keeps_started_quorum(Some(true), None)
    }

    /// Applies a committed change (`ValidateConfigurationChange`, `applyConfChange`). Returns the change of raft's
    /// members; `None` if the change does not concern raft. `keeps_learner` is false if an update of the peer URLs
    /// lists a learner as a voter.
    ///
    /// # Errors
    /// Returns an error if an earlier change has made this change impossible.
    pub(super) fn apply(
        &mut self,
        change: &MemberChange,
        keeps_learner: bool,
    ) -> Result<Option<ConfChange>, EtcdError> {
        let (MemberChange::Add(ListedMember { id, .. })
        | MemberChange::Remove { id }
        | MemberChange::Update { id, .. }
        | MemberChange::Promote { id }) = *change;
        if self.removed.values().any(|removed| *removed == id) {
            return Err(EtcdError::MemberNotFound);
        }
        let raft = match (self.find(id), change) {
            (Some(_), MemberChange::Add(_)) => return Err(EtcdError::MemberExists),
            (Some((raft, _)), _) => raft,
            (None, MemberChange::Add(_)) => self.next_raft_id(),
            (None, _) => return Err(EtcdError::MemberNotFound),
        };
        let conf_change = match change {
            MemberChange::Add(member) => {
                self.check_urls(raft, &member.peer_urls)?;
                let is_full =
                    self.members.values().filter(|m| m.is_learner).count() >= LEARNERS_MAX;
                if member.is_learner && is_full {
                    return Err(EtcdError::TooManyLearners);
                }
                self.members.insert(raft, member.clone());
                match member.is_learner {
                    true => ConfChange::AddLearnerNode(raft),
                    false => ConfChange::AddNode(raft),
                }
            }
            MemberChange::Remove { .. } => {
                // Upstream's raft library panics if the last voter is removed.
                if *self.conf_state.voters() == [raft] {
                    return Err(EtcdError::NotEnoughStartedMembers);
                }
                self.members.remove(&raft);
                self.removed.insert(raft, id);
                ConfChange::RemoveNode(raft)
            }
            MemberChange::Update { peer_urls, .. } => {
                self.check_urls(raft, peer_urls)?;
                let member = self.member_mut(raft);
                member.peer_urls = peer_urls.clone();
                member.is_learner &= keeps_learner;
                return Ok(None);
            }
            MemberChange::Promote { .. } => {
                let member = self.member_mut(raft);
                if !member.is_learner {
                    return Err(EtcdError::MemberNotLearner);
                }
                member.is_learner = false;
                ConfChange::AddNode(raft)
            }
        };
        self.conf_state = self.conf_state.clone().after(conf_change);
        Ok(Some(conf_change))
    }

    /// Records the name and the client URLs of a member that has started (`UpdateAttributes`). Returns the number of
    /// the member; `None` if the member was removed.
    pub(super) fn publish(&mut self, started: &ListedMember) -> Option<RaftId> {
        let raft = self.find(started.id)?.0;
        let member = self.member_mut(raft);
        member.name.clone_from(&started.name);
        member.client_urls.clone_from(&started.client_urls);
        Some(raft)
    }

    fn member_mut(&mut self, raft: RaftId) -> &mut ListedMember {
        self.members.get_mut(&raft).expect("the member was found")
    }

    fn next_raft_id(&self) -> RaftId {
        let last = self.members.keys().chain(self.removed.keys()).max();
        last.map_or(1, |last| last + 1)
    }

    /// Checks that no member other than `raft` has one of these peer URLs.
    fn check_urls(&self, raft: RaftId, urls: &[String]) -> Result<(), EtcdError> {
        let mut others = self.members().filter(|(other, _)| *other != raft);
        let is_taken =
            others.any(|(_, other)| urls.iter().any(|url| other.peer_urls.contains(url)));
        match is_taken {
            true => Err(EtcdError::PeerUrlExists),
            false => Ok(()),
        }
    }

    /// Writes the rows of all members and of all removed members. Later versions also store which members vote.
    pub(super) fn store(&self, backend: &mut Backend, stores_voters: bool) {
        let members = self.members.values();
        let members = members.map(|member| (row_key(member.id), row(member)));
        replace_rows(backend, Bucket::Members, members.collect());
        let removed = self.removed.values();
        let removed = removed.map(|id| (row_key(*id), REMOVED.into()));
        replace_rows(backend, Bucket::MembersRemoved, removed.collect());
        if stores_voters {
            put_changed(
                backend,
                Bucket::Meta,
                CONF_STATE.into(),
                self.conf_state_row(),
            );
        }
    }

    /// Returns the voters and the learners as JSON, with the ids of the members.
    fn conf_state_row(&self) -> Bytes {
        let mut text = String::new();
        let mut json = Json::object(&mut text);
        let mut list = |name: &str, nodes: &[RaftId]| {
            let mut ids: Vec<u64> = nodes.iter().map(|raft| self.members[raft].id).collect();
            ids.sort_unstable();
            if !ids.is_empty() {
                let mut array = Json::array(json.key(name));
                for id in ids {
                    array.item().push_str(&id.to_string());
                }
            }
        };
        list("voters", self.conf_state.voters());
        list("learners", self.conf_state.learners());
        json.value("auto_leave", false);
        drop(json);
        text.as_str().into()
    }
}

/// Writes these rows into a bucket, and deletes its other rows.
fn replace_rows(backend: &mut Backend, bucket: Bucket, rows: BTreeMap<Bytes, Bytes>) {
    let stored = backend.rows(bucket).map(|(key, _)| Bytes::from(&*key));
    let stored: Vec<Bytes> = stored.collect();
    for key in stored.iter().filter(|key| !rows.contains_key(*key)) {
        backend.delete(bucket, key);
    }
    for (key, value) in rows {
        put_changed(backend, bucket, key, value);
    }
}

/// Writes a row, unless the bucket contains the same row.
fn put_changed(backend: &mut Backend, bucket: Bucket, key: Bytes, value: Bytes) {
    if backend.get(bucket, &key).as_deref() != Some(&*value) {
        backend.put(bucket, key, value);
    }
}

fn row_key(id: u64) -> Bytes {
    format!("{id:x}").as_str().into()
}

/// Returns a member as JSON, in the form of the bucket `members`.
fn row(member: &ListedMember) -> Bytes {
    let mut text = String::new();
    let mut json = Json::object(&mut text);
    json.value("id", member.id);
    let list = |json: &mut Json<'_>, name: &str, urls: &[String]| {
        let mut array = Json::array(json.key(name));
        for url in urls {
            push_string(array.item(), url);
        }
    };
    list(&mut json, "peerURLs", &member.peer_urls);
    if member.is_learner {
        json.value("isLearner", true);
    }
    if member.is_started() {
        json.string("name", &member.name);
        list(&mut json, "clientURLs", &member.client_urls);
    }
    drop(json);
    text.as_str().into()
}
