//! Ends the watch streams that need a leader, if the member has no leader for some time.
//!
//! Mirrors `monitorLeader` and `newStreamInterceptor` (`v3rpc/interceptor.go`): a member without a leader immediately
//! refuses new streams that need a leader. The member ends open streams after three checks without a leader.
//! A learner refuses all streams. Left out: the same checks for single requests, because only watches can require a
//! leader here.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::api::message::{Body, EtcdMessage};
use crate::api::{EtcdError, LeaderNeed, WatchResponse};
use crate::base::ids::StreamKey;
use crate::mvcc::watcher::INVALID_WATCH_ID;
use crate::sim::Outbox;
use crate::trace::{TraceEvent, WatchTrace};

use super::cluster::ClusterMember;
use super::server::{EtcdServer, MemberTimer};

/// The number of checks without a leader after which open streams end (`maxNoLeaderCnt`). The time between two checks
/// is the election timeout.
const CHECKS_WITHOUT_LEADER: u64 = 3;

/// The reasons that the trace gives for a stream that the member refuses.
const NO_LEADER: &str = "etcdserver: no leader";
const LEARNER: &str = "etcdserver: rpc not supported for learner";

/// The results of the checks in which a member's process looks for a leader.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct LeaderMonitor {
    /// The number of checks since the member last knew a leader.
    without_leader: u64,
    /// The streams that the member has ended or refused. The member ignores later requests on these streams.
    ended: BTreeSet<StreamKey>,
}

impl ClusterMember {
    /// Checks for a leader once per election timeout. Returns true if the streams that need a leader must end.
    fn misses_leader(&mut self) -> bool {
        if !self
            .ticks
            .is_multiple_of(u64::from(self.config.election_ticks))
        {
            return false;
        }
        self.monitor.without_leader = match self.node.leader() {
            Some(_) => 0,
            None => self.monitor.without_leader + 1,
        };
        self.monitor.without_leader >= CHECKS_WITHOUT_LEADER
    }
}

impl EtcdServer {
    /// Ends the streams that need a leader if the member has known no leader for three election timeouts.
    pub(super) fn monitor_leader(&mut self, out: &mut Outbox<MemberTimer>) {
        let Some(member) = &mut self.cluster.0 else {
            return;
        };
        if !member.misses_leader() {
            return;
        }
        for key in self.streams_with_leader_need() {
            out.trace(TraceEvent::Watch(WatchTrace::LeaderMissing { stream: key }));
            self.end_stream(key, EtcdError::NoLeader, out);
            self.close_stream(key, out);
        }
    }

    /// Returns true if the member ignores the first request of a stream: the stream has ended, or the stream needs a
    /// leader and the member knows none.
    pub(super) fn refuses_stream(
        &mut self,
        key: StreamKey,
        leader: LeaderNeed,
        out: &mut Outbox<MemberTimer>,
    ) -> bool {
        let (has_leader, is_learner) = (self.has_leader(), self.is_learner());
        let Some(member) = &self.cluster.0 else {
            return false;
        };
        if member.monitor.ended.contains(&key) {
            return true;
        }
        let (error, reason) = match leader {
            _ if is_learner => (self.unsupported_for_learner(), LEARNER),
            LeaderNeed::Required if !has_leader => (EtcdError::NoLeader, NO_LEADER),
            LeaderNeed::Required | LeaderNeed::NotRequired => return false,
        };
        out.trace(TraceEvent::Watch(WatchTrace::Refused {
            stream: key,
            reason,
        }));
        self.end_stream(key, error, out);
        true
    }

    /// Sends the status with which gRPC ends a stream.
    fn end_stream(&mut self, key: StreamKey, error: EtcdError, out: &mut Outbox<MemberTimer>) {
        if let Some(member) = &mut self.cluster.0 {
            member.monitor.ended.insert(key);
        }
        let response = WatchResponse {
            watch_id: INVALID_WATCH_ID,
            canceled: true,
            cancel_reason: error.to_string(),
            ..WatchResponse::default()
        };
        let (stream, response) = (key.stream, Arc::new(response));
        let body = Body::Etcd(EtcdMessage::WatchAnswer { stream, response });
        out.send(key.client, body);
    }
}
