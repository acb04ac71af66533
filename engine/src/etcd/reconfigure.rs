//! Changes of the membership: the checks before a proposal, and the effects of a committed change.
//!
//! Mirrors `AddMember`, `RemoveMember`, `UpdateMember`, `PromoteMember` and `applyConfChange` (`server.go`), with the
//! flag `--strict-reconfig-check` on, and the checks of connections (`util.go`). Followers forward every change to the
//! leader, because followers have no connections with each other in the simulator; upstream forwards only promotions. A
//! connection counts as lost 5 s after the last message, also if the other process has ended.

use std::sync::Arc;

use crate::api::log_entry::{LogEntry, MemberChange};
use crate::api::{
    Difference, EtcdError, ListedMember, MemberChangeRequest, MemberChangeResponse, Profile,
    Request, Response,
};
use crate::base::digest::Sparse;
use crate::base::ids::{Caller, NodeId};
use crate::base::small_sort::SmallSort;
use crate::base::time::SimDuration;
use crate::raft::vote::quorum;
use crate::raft::{ConfChange, RaftId};
use crate::sim::Outbox;
use crate::trace::TraceEvent;

use super::cluster::{ClusterMember, removed};
use super::entries::Waiter;
use super::identity::added_id;
use super::membership::Membership;
use super::server::{EtcdServer, MemberTimer};

/// The number of ticks for which a connection must be alive to count in a check (`HealthInterval`).
const HEALTH_TICKS: u64 = 50;

/// The percentage of the leader's log that a learner must have before it can become a voter (`readyPercentThreshold`).
const READY_PERCENT: u64 = 90;

/// The time after which a member stops that has applied its own removal.
const STOP_DELAY: SimDuration = SimDuration::from_millis(1_000);

impl EtcdServer {
    pub fn is_learner(&self) -> bool {
        let member = self.cluster.0.as_ref();
        let own = member.and_then(|member| member.changed.as_ref()?.member(member.config.id));
        own.is_some_and(|own| own.is_learner)
    }

    pub(super) fn unsupported_for_learner(&self) -> EtcdError {
        EtcdError::NotSupportedForLearner {
            is_temporary: !self.profile().has(Difference::LearnerErrorIsFinal),
        }
    }

    /// Returns an error if the member is a learner that does not serve the request (`isRPCSupportedForLearner`).
    pub(super) fn check_learner(&self, request: &Request) -> Result<(), EtcdError> {
        let is_served = match request {
            Request::Range(range) => range.serializable,
            Request::Status(_) => true,
            _ => false,
        };
        match is_served || !self.is_learner() {
            true => Ok(()),
            false => Err(self.unsupported_for_learner()),
        }
    }

    /// Checks a change of the membership, and proposes it.
    pub(super) fn change_members(
        &mut self,
        caller: Caller,
        (request, change): (&Arc<Request>, &MemberChangeRequest),
        out: &mut Outbox<MemberTimer>,
    ) -> Result<Option<Response>, EtcdError> {
        let waits_for_leader = matches!(change, MemberChangeRequest::Promote { .. });
        let is_forwarded = caller.node.is_member();
        if !self.is_primary() && (self.has_leader() || waits_for_leader || is_forwarded) {
            self.forward_to_leader(caller, request, out)?;
            return Ok(None);
        }
        let change = match change {
            MemberChangeRequest::Add {
                peer_urls,
                is_learner,
            } => {
                let mut peer_urls = trimmed(peer_urls);
                if check_urls(&peer_urls).is_err() {
                    return Err(EtcdError::BadMemberUrls);
                }
                peer_urls.small_sort();
                self.may_add(*is_learner)?;
                MemberChange::Add(ListedMember {
                    id: added_id(&peer_urls, out.now),
                    peer_urls,
                    is_learner: *is_learner,
                    ..ListedMember::default()
                })
            }
            MemberChangeRequest::Remove { id } => {
                self.may_remove(*id)?;
                MemberChange::Remove { id: *id }
            }
            MemberChangeRequest::Update { id, peer_urls } => MemberChange::Update {
                id: *id,
                peer_urls: peer_urls.clone(),
            },
            MemberChangeRequest::Promote { id } => {
                self.may_promote(*id)?;
                MemberChange::Promote { id: *id }
            }
        };
        let entry = LogEntry::MemberChange(Arc::new(change));
        self.propose(entry, Waiter::Caller(caller));
        Ok(None)
    }

    /// Checks that the started and connected voters remain a quorum after a member is added (`mayAddMember`).
    fn may_add(&self, is_learner: bool) -> Result<(), EtcdError> {
        let membership = self.membership();
        if !is_learner && !membership.is_ready_to_add() {
            return Err(EtcdError::NotEnoughStartedMembers);
        }
        let voters = membership.voter_ids();
        let count = voters.len() as u32;
        // The check was changed in 3.7, and the change was backported to 3.5.30.
        let accepts_quorum = self.profile().has(Difference::ChecksQuorumOfNewMember)
            || self.profile().plain() == Profile::V3_5;
        let needed = match accepts_quorum {
            true if count > 1 => quorum(count + 1),
            _ => count,
        };
        match self.count_connected(voters) >= needed {
            true => Ok(()),
            false => Err(EtcdError::Unhealthy),
        }
    }

    /// Checks that the started and connected voters remain a quorum after a member is removed (`mayRemoveMember`).
    fn may_remove(&self, id: u64) -> Result<(), EtcdError> {
        let membership = self.membership();
        let found = membership.find(id);
        if found.is_some_and(|(_, member)| member.is_learner) {
            return Ok(());
        }
        if !membership.is_ready_to_remove(id) {
            return Err(EtcdError::NotEnoughStartedMembers);
        }
        let is_lost = match (found, self.cluster.0.as_deref()) {
            (Some((raft, _)), Some(member)) => {
                raft != member.config.id && !member.is_connected(raft)
            }
            (Some(_), None) => false,
            (None, _) => true,
        };
        if is_lost {
            return Ok(());
        }
        let voters = membership.voter_ids();
        let rest = voters.len() as u32 - 1;
        match self.count_connected(voters) > quorum(rest) {
            true => Ok(()),
            false => Err(EtcdError::Unhealthy),
        }
    }

    /// Checks that a learner has almost the whole log, and that the started voters are a quorum after its promotion
    /// (`mayPromoteMember`). The check of the id follows when the change is applied.
    fn may_promote(&self, id: u64) -> Result<(), EtcdError> {
        let membership = self.membership();
        let learner = membership.find(id).map(|(raft, _)| raft);
        if learner.is_none() && self.profile().has(Difference::FindsLearnerFirst) {
            return Err(EtcdError::MemberNotFound);
        }
        let matched = |raft| {
            let progress = self.raft().and_then(|node| node.progress(raft));
            progress.map_or(0, |progress| progress.matched)
        };
        let own = self.raft().map_or(0, |node| node.id());
        if learner.is_some_and(|learner| 100 * matched(learner) < READY_PERCENT * matched(own)) {
            return Err(EtcdError::LearnerNotReady);
        }
        match membership.is_ready_to_promote() {
            true => Ok(()),
            false => Err(EtcdError::NotEnoughStartedMembers),
        }
    }

    /// Returns the number of these members to which this member has been connected for [`HEALTH_TICKS`]. The member
    /// counts itself.
    fn count_connected(&self, members: Vec<RaftId>) -> u32 {
        let connected = members.into_iter().filter(|raft| match &self.cluster.0 {
            Some(member) => member.is_healthy(*raft),
            None => true,
        });
        connected.count() as u32
    }

    pub(super) fn apply_member_change(
        &mut self,
        change: &Arc<MemberChange>,
        out: &mut Outbox<MemberTimer>,
    ) -> Result<Option<Response>, EtcdError> {
        let mut membership = Membership::clone(&self.membership());
        let removed_raft = match &**change {
            MemberChange::Remove { id } => membership.find(*id).map(|(raft, _)| raft),
            _ => None,
        };
        let keeps_learner = self.profile().has(Difference::UpdateKeepsLearner);
        let applied = membership.apply(change, keeps_learner);
        if let (Err(_) | Ok(None), Some(member)) = (&applied, &mut self.cluster.0) {
            member.node.skip_conf_change();
        }
        let conf_change = applied?;
        if self.cluster.0.is_none() {
            self.enter_raft(out);
        }
        let members = membership.list();
        if let Some(member) = &mut self.cluster.0 {
            member.changed = Sparse(Some(Arc::new(membership)));
            if let Some(change) = conf_change {
                member.apply_conf_change(change, out);
            }
        }
        self.store_membership();
        out.trace(TraceEvent::MembersChanged(change.clone()));
        if removed_raft.is_some() && removed_raft == self.raft().map(|node| node.id()) {
            out.timer(STOP_DELAY, MemberTimer::Removed);
        }
        let member = match &**change {
            MemberChange::Add(member) => Some(member.clone()),
            _ => None,
        };
        Ok(Some(Response::MemberChange(MemberChangeResponse {
            member,
            members,
            ..MemberChangeResponse::default()
        })))
    }

    /// Handles the response that this member was removed from the cluster.
    pub fn peer_removed(&mut self, out: &mut Outbox<MemberTimer>) {
        let knows = |member: &ClusterMember| member.membership().has_removed(member.config.id);
        // A member that has applied its own removal is about to stop.
        if !self.cluster.0.as_deref().is_some_and(knows) {
            out.timer(SimDuration(0), MemberTimer::Removed);
        }
    }

    pub(super) fn store_membership(&mut self) {
        let stores_voters = self.profile().has(Difference::StoresRaftState);
        self.membership()
            .store(self.kv.backend_mut(), stores_voters);
    }
}

impl ClusterMember {
    fn is_connected(&self, raft: RaftId) -> bool {
        self.contacts.is_active(raft, self.ticks)
    }

    /// Returns true if the connection to a member has been alive for more than [`HEALTH_TICKS`].
    fn is_healthy(&self, raft: RaftId) -> bool {
        let since = self.ticks.checked_sub(HEALTH_TICKS + 1);
        let is_connected = |since| (self.contacts).is_connected_since(raft, since, self.ticks);
        raft == self.config.id || since.is_some_and(is_connected)
    }

    /// Passes a change to the raft node, and connects to a new member or disconnects from a removed member.
    fn apply_conf_change(&mut self, change: ConfChange, out: &mut Outbox<MemberTimer>) {
        self.node.apply_conf_change(change);
        match change {
            ConfChange::AddNode(raft) | ConfChange::AddLearnerNode(raft) => {
                if !self.contacts.knows(raft) {
                    self.contacts.added(raft);
                }
            }
            ConfChange::RemoveNode(raft) => {
                self.snapshots.forget(raft);
                if self.node.is_leader() && raft != self.config.id {
                    out.send(NodeId::Member(raft), removed());
                }
            }
        }
    }
}

fn trimmed(urls: &[String]) -> Vec<String> {
    urls.iter().map(|url| url.trim().to_owned()).collect()
}

/// Splits a URL after its scheme, which can be missing (`getScheme` of Go's `net/url`).
///
/// # Errors
/// Returns the text of Go's error.
fn scheme(url: &str) -> Result<(&str, &str), String> {
    let Some((scheme, rest)) = url.split_once(':') else {
        return Ok(("", url));
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    if scheme.is_empty() {
        Err(format!("parse {url:?}: missing protocol scheme"))
    } else if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_part) {
        // Without slashes, a URL has no host.
        Ok((scheme, rest.strip_prefix("//").unwrap_or_default()))
    } else if scheme.contains('/') {
        Ok(("", url))
    } else {
        Err(format!(
            "parse {url:?}: first path segment in URL cannot contain colon"
        ))
    }
}

/// Checks the URLs of a member (`types.NewURLs`). Left out: the rules for the characters of a host.
///
/// # Errors
/// Returns the text of upstream's error.
pub fn check_urls(urls: &[String]) -> Result<(), String> {
    for url in urls {
        let url = url.trim();
        let (scheme, rest) = scheme(url)?;
        match scheme {
            "http" | "https" => {
                let (host, path) = match rest.find('/') {
                    Some(at) => rest.split_at(at),
                    None => (rest, ""),
                };
                if host.rsplit_once(':').is_none() {
                    return Err(format!(
                        "URL address does not have the form \"host:port\": {url}"
                    ));
                }
                if !path.is_empty() {
                    return Err(format!("URL must not contain a path: {url}"));
                }
            }
            "unix" | "unixs" => {}
            _ => {
                return Err(format!(
                    "URL scheme must be http, https, unix, or unixs: {url}"
                ));
            }
        }
    }
    Ok(())
}
