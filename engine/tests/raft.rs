//! The rules of raft, one by one: elections, the log, commits, reads, transfers and snapshots.
//!
//! etcd's raft library tests most of these rules in `raft_test.go` and `raft_paper_test.go`. The network of the tests
//! in this file delivers each message immediately, unless a test cuts the link. `raft_members.rs` has the rules about
//! changes of the members.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use watchglass_engine::raft::{
    ConfChange, EntryData, HardState, LogMark, LoggedEntry, RaftConfig, RaftId, RaftMessage,
    RaftNode, RaftPayload, RaftReady, RaftRole, ReadState, ReplicationState, WriteAheadLog,
};

const SEED: u64 = 7;

/// Twice the election timeout. A node without a leader starts an election within this number of ticks.
const TICKS_MAX: u32 = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    Write(u64),
    Change(ConfChange),
}

impl EntryData for Data {
    fn changes_members(&self) -> bool {
        matches!(self, Self::Change(_))
    }
}

impl From<u64> for Data {
    fn from(number: u64) -> Self {
        Self::Write(number)
    }
}

impl From<ConfChange> for Data {
    fn from(change: ConfChange) -> Self {
        Self::Change(change)
    }
}

struct Member {
    node: RaftNode<Data>,
    wal: WriteAheadLog<Data>,
    applied: Vec<u64>,
    reads: Vec<ReadState>,
}

/// A cluster whose disks and network take no time.
pub(crate) struct Cluster {
    members: BTreeMap<RaftId, Member>,
    in_flight: VecDeque<RaftMessage<Data>>,
    /// The links that lose all messages: sender and receiver.
    cut: BTreeSet<(RaftId, RaftId)>,
    /// A term whose entries get lost: messages that append entries arrive without the entries of this term.
    loses_entries_of_term: Option<u64>,
    delivered: Vec<RaftMessage<Data>>,
}

pub(crate) fn config(id: RaftId, voters: u32) -> RaftConfig {
    RaftConfig::new(id, (1..=voters).collect())
}

/// The configuration without CheckQuorum: a node can start an election at any time.
fn unchecked(config: &mut RaftConfig) {
    config.check_quorum = false;
}

/// Creates the log on the disk of a member. The log has one entry for each term in `terms`.
pub(crate) fn written(terms: &[u64], hard_state: HardState) -> WriteAheadLog<Data> {
    let entries = terms.iter().zip(1..).map(|(term, index)| LoggedEntry {
        term: *term,
        index,
        data: Some(Data::Write(100 * term + index)),
    });
    let mut wal = WriteAheadLog::default();
    wal.save(&RaftReady {
        soft_state: None,
        hard_state: Some(hard_state),
        snapshot: None,
        entries: entries.collect(),
        must_sync: true,
        messages: Vec::new(),
        messages_after_sync: Vec::new(),
        committed: Vec::new(),
        read_states: Vec::new(),
    });
    wal
}

pub(crate) fn in_term(term: u64) -> HardState {
    HardState {
        term,
        ..HardState::default()
    }
}

impl Cluster {
    pub(crate) fn new(voters: u32, change: impl Fn(&mut RaftConfig)) -> Self {
        let wals = (0..voters).map(|_| WriteAheadLog::default()).collect();
        Self::on(wals, change)
    }

    /// Starts a cluster whose members have these logs on their disks.
    fn on(wals: Vec<WriteAheadLog<Data>>, change: impl Fn(&mut RaftConfig)) -> Self {
        let voters = wals.len() as u32;
        let members = wals.into_iter().zip(1..).map(|(wal, id)| {
            let mut config = config(id, voters);
            change(&mut config);
            let node = RaftNode::restart(config, SEED, &wal, 0);
            let member = Member {
                node,
                wal,
                applied: Vec::new(),
                reads: Vec::new(),
            };
            (id, member)
        });
        Self {
            members: members.collect(),
            in_flight: VecDeque::new(),
            cut: BTreeSet::new(),
            loses_entries_of_term: None,
            delivered: Vec::new(),
        }
    }

    pub(crate) fn node(&self, id: RaftId) -> &RaftNode<Data> {
        &self.members[&id].node
    }

    pub(crate) fn node_mut(&mut self, id: RaftId) -> &mut RaftNode<Data> {
        &mut self.members.get_mut(&id).unwrap().node
    }

    /// Lets all members work and delivers all messages, until nothing remains.
    pub(crate) fn settle(&mut self) {
        loop {
            for member in self.members.values_mut() {
                while let Some(ready) = member.node.ready() {
                    member.wal.save(&ready);
                    if ready.snapshot.is_some() {
                        member.applied.clear();
                    }
                    for entry in &ready.committed {
                        match &entry.data {
                            Some(Data::Write(number)) => member.applied.push(*number),
                            Some(Data::Change(change)) => member.node.apply_conf_change(*change),
                            None => {}
                        }
                    }
                    member.reads.extend(ready.read_states);
                    self.in_flight.extend(ready.messages);
                    self.in_flight.extend(ready.messages_after_sync);
                    member.node.advance();
                }
            }
            let Some(mut message) = self.in_flight.pop_front() else {
                return;
            };
            if let RaftPayload::Append { entries, .. } = &mut message.payload {
                entries.retain(|entry| self.loses_entries_of_term != Some(entry.term));
            }
            let is_running = self.members.contains_key(&message.to);
            if is_running && !self.cut.contains(&(message.from, message.to)) {
                self.delivered.push(message.clone());
                self.node_mut(message.to).step(message);
            }
        }
    }

    pub(crate) fn tick(&mut self, ids: &[RaftId], ticks: u32) {
        for _ in 0..ticks {
            for id in ids {
                self.node_mut(*id).tick();
            }
            self.settle();
        }
    }

    /// Lets a node start an election, and delivers the messages.
    pub(crate) fn elect(&mut self, id: RaftId) {
        let term = self.node(id).term();
        for _ in 0..TICKS_MAX {
            if self.node(id).term() == term {
                self.tick(&[id], 1);
            }
        }
    }

    pub(crate) fn propose(&mut self, id: RaftId, data: impl Into<Data>) {
        self.node_mut(id).propose(data.into()).unwrap();
        self.settle();
    }

    /// Starts a new member, which knows the first members of the cluster.
    pub(crate) fn start(&mut self, id: RaftId, voters: u32) {
        let wal = WriteAheadLog::default();
        let member = Member {
            node: RaftNode::restart(config(id, voters), SEED, &wal, 0),
            wal,
            applied: Vec::new(),
            reads: Vec::new(),
        };
        self.members.insert(id, member);
        self.settle();
    }

    pub(crate) fn isolate(&mut self, id: RaftId) {
        for other in self.members.keys() {
            self.cut.extend([(id, *other), (*other, id)]);
        }
    }

    pub(crate) fn heal(&mut self) {
        self.cut.clear();
    }

    pub(crate) fn leaders(&self) -> Vec<RaftId> {
        let ids = self.members.keys().copied();
        ids.filter(|id| self.node(*id).is_leader()).collect()
    }

    fn terms_of_log(&self, id: RaftId) -> Vec<u64> {
        self.node(id)
            .log()
            .after(0)
            .map(|entry| entry.term)
            .collect()
    }

    pub(crate) fn applied(&self, id: RaftId) -> &[u64] {
        &self.members[&id].applied
    }

    pub(crate) fn reads(&self, id: RaftId) -> Vec<u64> {
        self.members[&id]
            .reads
            .iter()
            .map(|read| read.number)
            .collect()
    }

    pub(crate) fn count(&self, wanted: impl Fn(&RaftPayload<Data>) -> bool) -> usize {
        let messages = self.delivered.iter();
        messages.filter(|message| wanted(&message.payload)).count()
    }
}

pub(crate) fn message(
    from: RaftId,
    to: RaftId,
    term: u64,
    payload: RaftPayload<Data>,
) -> RaftMessage<Data> {
    RaftMessage {
        from,
        to,
        term,
        payload,
    }
}

/// Creates a node with this log on its disk, sends one message to the node, and returns the reply.
fn reply_to(wal: &WriteAheadLog<Data>, term: u64, payload: RaftPayload<Data>) -> RaftPayload<Data> {
    let mut node = RaftNode::restart(config(1, 3), SEED, wal, 0);
    node.step(message(2, 1, term, payload));
    let ready = node.ready().unwrap();
    assert!(
        ready.messages.is_empty(),
        "a follower replies after its sync"
    );
    let mut replies = ready.messages_after_sync;
    assert_eq!(replies.len(), 1);
    replies.remove(0).payload
}

// Elections.

#[test]
fn an_election_starts_after_one_to_two_election_timeouts() {
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        let mut node: RaftNode<Data> = RaftNode::new(config(1, 3), seed);
        let ticks = (1..).find(|_| {
            node.tick();
            node.role() == RaftRole::Candidate
        });
        seen.insert(ticks.unwrap());
    }
    assert!(seen.iter().eq(&(10..20).collect::<Vec<_>>()), "{seen:?}");
}

#[test]
fn a_majority_elects_a_leader_that_appends_an_empty_entry() {
    for voters in [1, 2, 3, 5] {
        let mut cluster = Cluster::new(voters, |_| ());
        cluster.elect(1);
        assert_eq!(cluster.leaders(), [1], "{voters} voters");
        for id in 1..=voters {
            assert_eq!(cluster.node(id).leader(), Some(1));
            assert_eq!(cluster.terms_of_log(id), [1]);
            assert_eq!(cluster.node(id).log().committed(), 1);
        }
    }
}

#[test]
fn a_minority_elects_no_leader() {
    let mut cluster = Cluster::new(5, |_| ());
    for id in [3, 4, 5] {
        cluster.isolate(id);
    }
    cluster.tick(&[1, 2], 100);
    assert_eq!(cluster.leaders(), [0; 0]);
}

#[test]
fn a_node_votes_for_the_first_candidate_of_a_term_only_and_remembers_its_vote() {
    let vote = RaftPayload::Vote {
        last: LogMark::default(),
        pre: false,
        transfer: false,
    };
    let granted = |granted| RaftPayload::VoteReply {
        pre: false,
        granted,
    };
    let mut node: RaftNode<Data> = RaftNode::new(config(1, 3), SEED);
    let mut wal = WriteAheadLog::default();
    node.step(message(2, 1, 1, vote.clone()));
    node.step(message(3, 1, 1, vote.clone()));
    let ready = node.ready().unwrap();
    assert!(ready.must_sync, "a vote must be synced");
    let replies: Vec<_> = ready
        .messages_after_sync
        .iter()
        .map(|m| &m.payload)
        .collect();
    assert_eq!(replies, [&granted(true), &granted(false)]);
    wal.save(&ready);
    assert_eq!(
        reply_to(&wal, 1, vote.clone()),
        granted(true),
        "the same candidate"
    );
    node = RaftNode::restart(config(1, 3), SEED, &wal, 0);
    node.step(message(3, 1, 1, vote));
    let replies = node.ready().unwrap().messages_after_sync;
    assert_eq!(replies[0].payload, granted(false), "another candidate");
}

#[test]
fn a_node_votes_only_for_a_log_that_is_not_older_than_its_own_log() {
    let own = written(&[1, 2, 2], in_term(2));
    // The last term decides, then the length.
    for (term, index, expected) in [
        (1, 3, false),
        (1, 9, false),
        (2, 2, false),
        (2, 3, true),
        (2, 4, true),
        (3, 1, true),
    ] {
        for pre in [false, true] {
            let last = LogMark { term, index };
            let vote = RaftPayload::Vote {
                last,
                pre,
                transfer: false,
            };
            let reply = reply_to(&own, 5, vote);
            let granted = expected;
            assert_eq!(reply, RaftPayload::VoteReply { pre, granted }, "{last:?}");
        }
    }
}

#[test]
fn a_node_without_the_committed_entries_is_never_elected() {
    let mut cluster = Cluster::new(3, unchecked);
    cluster.elect(1);
    cluster.isolate(3);
    cluster.propose(1, 5);
    assert_eq!(cluster.applied(2), [5]);
    cluster.heal();
    cluster.isolate(1);
    for _ in 0..5 {
        cluster.elect(3);
        assert!(!cluster.node(3).is_leader());
    }
    cluster.elect(2);
    assert_eq!(cluster.applied(3), [5], "the new leader has the entry");
}

#[test]
fn a_candidate_follows_the_leader_of_its_term() {
    let mut node: RaftNode<Data> = RaftNode::new(config(1, 3), SEED);
    while node.role() != RaftRole::Candidate {
        node.tick();
    }
    let heartbeat = RaftPayload::Heartbeat {
        commit: 0,
        read: None,
    };
    node.step(message(2, 1, node.term(), heartbeat));
    assert_eq!((node.role(), node.leader()), (RaftRole::Follower, Some(2)));
}

#[test]
fn a_candidate_that_loses_becomes_a_follower() {
    let mut node: RaftNode<Data> = RaftNode::new(config(1, 3), SEED);
    while node.role() != RaftRole::Candidate {
        node.tick();
    }
    let refusal = RaftPayload::VoteReply {
        pre: false,
        granted: false,
    };
    for _ in 0..2 {
        node.step(message(2, 1, 1, refusal.clone()));
        assert_eq!(node.role(), RaftRole::Candidate, "a vote counts once");
    }
    node.step(message(3, 1, 1, refusal));
    assert_eq!(node.role(), RaftRole::Follower);
}

// Pre-vote and CheckQuorum.

/// Isolates a follower for 100 ticks and then reconnects the follower. Returns the growth of its term during the
/// isolation, and the leaders a few ticks after the reconnection.
fn return_of_a_follower(pre_vote: bool) -> (u64, Vec<RaftId>, u64) {
    let mut cluster = Cluster::new(3, |config| config.pre_vote = pre_vote);
    cluster.elect(1);
    let term = cluster.node(1).term();
    cluster.isolate(3);
    cluster.tick(&[1, 2, 3], 100);
    let growth = cluster.node(3).term() - term;
    cluster.heal();
    cluster.tick(&[1, 2, 3], 2);
    (growth, cluster.leaders(), cluster.node(1).term() - term)
}

#[test]
fn with_pre_vote_an_isolated_follower_does_not_disturb_the_cluster() {
    assert_eq!(return_of_a_follower(true), (0, vec![1], 0));
}

#[test]
fn without_pre_vote_an_isolated_follower_deposes_the_leader_at_its_return() {
    let (growth, leaders, new_term) = return_of_a_follower(false);
    assert!(
        (5..=10).contains(&growth),
        "one term per election: {growth}"
    );
    assert_eq!(leaders, [0; 0]);
    assert!(new_term >= growth);
}

#[test]
fn after_the_return_of_a_follower_the_cluster_elects_a_leader_again() {
    for pre_vote in [false, true] {
        let mut cluster = Cluster::new(3, |config| config.pre_vote = pre_vote);
        cluster.elect(1);
        cluster.isolate(3);
        cluster.propose(1, 5);
        cluster.tick(&[1, 2, 3], 100);
        cluster.heal();
        cluster.tick(&[1, 2, 3], 60);
        assert_eq!(cluster.leaders().len(), 1, "pre-vote: {pre_vote}");
        assert_eq!(cluster.applied(3), [5]);
    }
}

#[test]
fn an_isolated_leader_steps_down_after_an_election_timeout() {
    let mut cluster = Cluster::new(3, |_| ());
    cluster.elect(1);
    cluster.tick(&[1, 2, 3], 10);
    cluster.isolate(1);
    cluster.tick(&[1], 9);
    assert_eq!(cluster.leaders(), [1]);
    cluster.tick(&[1], TICKS_MAX - 9);
    assert_eq!(cluster.leaders(), [0; 0]);
    assert!(
        cluster.node_mut(1).propose(5.into()).is_err(),
        "no leader is known"
    );
}

#[test]
fn without_check_quorum_an_isolated_leader_remains() {
    let mut cluster = Cluster::new(3, unchecked);
    cluster.elect(1);
    cluster.isolate(1);
    cluster.tick(&[1], 100);
    assert_eq!(cluster.leaders(), [1]);
}

#[test]
fn a_node_ignores_candidates_while_its_leader_is_alive() {
    let mut cluster = Cluster::new(3, |_| ());
    cluster.elect(1);
    cluster.cut.extend([(1, 3), (3, 1)]);
    cluster.elect(3);
    assert_eq!(cluster.leaders(), [1]);
    assert_eq!(cluster.node(2).term(), 1);
    // The lease ends when the leader is silent for an election timeout.
    cluster.isolate(1);
    cluster.tick(&[2], 10);
    cluster.elect(3);
    assert_eq!(cluster.node(3).role(), RaftRole::Leader);
}

// The log.

#[test]
fn a_follower_appends_what_fits_and_rejects_the_rest_with_a_hint() {
    let own = written(&[1, 1, 2, 2, 2], in_term(3));
    let append = |term, index, terms: &[u64]| RaftPayload::Append {
        previous: LogMark { term, index },
        entries: terms
            .iter()
            .zip(index + 1..)
            .map(|(term, index)| LoggedEntry {
                term: *term,
                index,
                data: Some(0.into()),
            })
            .collect(),
        commit: 0,
    };
    let rejected = |index, hint_term, hint_index| RaftPayload::AppendRejected {
        index,
        hint: LogMark {
            term: hint_term,
            index: hint_index,
        },
    };
    let appended = |index| RaftPayload::Appended { index };
    for (payload, expected) in [
        (append(2, 5, &[3]), appended(6)),
        (append(2, 5, &[]), appended(5)),
        // A conflict: the leader's entry replaces the follower's entries.
        (append(2, 3, &[3]), appended(4)),
        (append(0, 0, &[1]), appended(1)),
        // The log ends before the previous entry.
        (append(3, 8, &[3]), rejected(8, 2, 5)),
        // The previous entry has another term: the hint skips the entries of the newer term.
        (append(1, 4, &[3]), rejected(4, 1, 2)),
        (append(3, 4, &[3]), rejected(4, 2, 4)),
    ] {
        let text = format!("{payload:?}");
        assert_eq!(reply_to(&own, 3, payload), expected, "{text}");
    }
}

#[test]
fn an_old_append_does_not_remove_newer_entries() {
    let mut node = RaftNode::restart(config(1, 3), SEED, &written(&[1, 1, 1], in_term(1)), 0);
    let first = LoggedEntry {
        term: 1,
        index: 1,
        data: Some(101.into()),
    };
    let old = RaftPayload::Append {
        previous: LogMark::default(),
        entries: vec![first],
        commit: 3,
    };
    node.step(message(2, 1, 1, old));
    assert_eq!(node.log().last().index, 3);
    assert_eq!(
        node.log().committed(),
        1,
        "only the sent entries are known to be equal"
    );
}

/// The logs of figure 7 of the raft paper, and the leader's log.
const FIGURE_7: [&[u64]; 7] = [
    &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6],
    &[1, 1, 1, 4, 4, 5, 5, 6, 6],
    &[1, 1, 1, 4],
    &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 6],
    &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 7, 7],
    &[1, 1, 1, 4, 4, 4, 4],
    &[1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3],
];

#[test]
fn a_leader_makes_all_logs_equal_to_its_own_log() {
    let wals = FIGURE_7.iter().map(|terms| written(terms, in_term(7)));
    let mut cluster = Cluster::on(wals.collect(), unchecked);
    cluster.elect(1);
    let expected = [FIGURE_7[0], &[8]].concat();
    cluster.tick(&[1], 3);
    for id in 1..=7 {
        assert_eq!(cluster.terms_of_log(id), expected, "log {id}");
        assert_eq!(cluster.applied(id), cluster.applied(1));
    }
}

#[test]
fn hints_skip_whole_terms() {
    let leader = written(&[&[1; 50][..], &[3; 50]].concat(), in_term(3));
    let follower = written(&[&[1; 20][..], &[2; 80]].concat(), in_term(3));
    let mut cluster = Cluster::on(vec![leader, follower], unchecked);
    cluster.elect(1);
    cluster.tick(&[1], 3);
    assert_eq!(cluster.terms_of_log(2), cluster.terms_of_log(1));
    let rejected = cluster.count(|p| matches!(p, RaftPayload::AppendRejected { .. }));
    assert!(rejected <= 2, "{rejected} rejections");
}

/// The logs of figure 8 of the raft paper when node 1 becomes the leader of term 4. Node 5 was the leader of term 3.
const FIGURE_8: [&[u64]; 5] = [&[1, 2], &[1, 2], &[1], &[1], &[1, 3]];

fn figure_8() -> Cluster {
    let wals = FIGURE_8.iter().map(|terms| written(terms, in_term(3)));
    let mut cluster = Cluster::on(wals.collect(), |config| {
        unchecked(config);
        config.entries_per_message = 1;
    });
    cluster.isolate(5);
    cluster
}

#[test]
fn an_entry_of_an_older_term_is_committed_with_an_entry_of_the_own_term() {
    let mut cluster = figure_8();
    cluster.elect(1);
    assert_eq!(cluster.applied(1), [101, 202]);
}

#[test]
fn an_entry_of_an_older_term_is_not_committed_by_its_quorum_alone() {
    let mut cluster = figure_8();
    // The leader's own entry does not arrive, but the entry of term 2 reaches four of five nodes.
    cluster.loses_entries_of_term = Some(4);
    cluster.elect(1);
    for id in 1..=4 {
        assert_eq!(
            cluster.terms_of_log(id)[..2],
            [1, 2],
            "node {id} has the entry"
        );
        assert_eq!(
            cluster.node(id).log().committed(),
            0,
            "but nobody may apply it"
        );
    }
    // The entry must not be applied: it is missing in the log of node 5, and node 5 can still win an election with its
    // entry of term 3.
    cluster.heal();
    cluster.isolate(1);
    cluster.elect(5);
    if !cluster.node(5).is_leader() {
        cluster.elect(5); // The others have already voted in the first term that node 5 tries.
    }
    for id in 2..=5 {
        assert_eq!(
            cluster.terms_of_log(id)[..2],
            [1, 3],
            "the entry is replaced"
        );
    }
}

#[test]
fn a_follower_acknowledges_and_a_leader_counts_only_synced_entries() {
    let mut cluster = Cluster::new(2, |_| ());
    cluster.elect(1);
    let leader = cluster.node_mut(1);
    leader.propose(5.into()).unwrap();
    let ready = leader.ready().unwrap();
    assert_eq!(ready.messages.len(), 1, "the leader sends while it writes");
    assert!(ready.must_sync && ready.messages_after_sync.is_empty());
    let append = ready.messages[0].clone();
    let follower = cluster.node_mut(2);
    follower.step(append);
    let ready = follower.ready().unwrap();
    assert!(ready.must_sync && ready.messages.is_empty());
    let acknowledgement = ready.messages_after_sync[0].clone();
    assert!(follower.ready().is_none(), "the follower is writing");
    follower.advance();
    let leader = cluster.node_mut(1);
    leader.step(acknowledgement);
    assert_eq!(
        leader.log().committed(),
        1,
        "the leader has not synced the entry"
    );
    leader.advance();
    assert_eq!(leader.log().committed(), 2);
    assert_eq!(leader.ready().unwrap().committed[0].data, Some(5.into()));
}

#[test]
fn a_single_member_commits_its_entries_after_the_sync() {
    let mut cluster = Cluster::new(1, |_| ());
    cluster.elect(1);
    let node = cluster.node_mut(1);
    node.propose(5.into()).unwrap();
    let ready = node.ready().unwrap();
    assert!(ready.committed.is_empty());
    node.advance();
    assert_eq!(node.ready().unwrap().committed[0].data, Some(5.into()));
}

#[test]
fn a_sync_of_replaced_entries_does_not_count_for_the_new_entries() {
    let mut node = RaftNode::restart(config(1, 3), SEED, &written(&[1], in_term(1)), 0);
    let second_entry = |term| RaftPayload::Append {
        previous: LogMark { term: 1, index: 1 },
        entries: vec![LoggedEntry {
            term,
            index: 2,
            data: Some(Data::Write(term)),
        }],
        commit: 1,
    };
    node.step(message(2, 1, 2, second_entry(2)));
    node.ready().unwrap();
    // The leader of term 3 replaces the entry while the disk writes the entry.
    node.step(message(3, 1, 3, second_entry(3)));
    node.advance();
    assert_eq!(node.log().stable(), 1);
    let ready = node.ready().unwrap();
    assert_eq!(ready.entries[0].mark(), LogMark { term: 3, index: 2 });
}

// Proposals.

#[test]
fn a_follower_forwards_proposals_to_its_leader() {
    let mut cluster = Cluster::new(3, |_| ());
    assert!(
        cluster.node_mut(2).propose(1.into()).is_err(),
        "there is no leader"
    );
    cluster.elect(1);
    cluster.propose(2, 5);
    cluster.propose(1, 6);
    cluster.propose(3, 7);
    for id in 1..=3 {
        assert_eq!(cluster.applied(id), [5, 6, 7]);
    }
}

#[test]
fn a_write_of_an_isolated_leader_is_replaced_by_the_next_leader() {
    let mut cluster = Cluster::new(3, unchecked);
    cluster.elect(1);
    cluster.isolate(1);
    cluster.propose(1, 5);
    assert_eq!(cluster.applied(1), [0; 0]);
    cluster.elect(2);
    cluster.propose(2, 6);
    cluster.heal();
    cluster.tick(&[2], 3);
    for id in 1..=3 {
        assert_eq!(cluster.applied(id), [6]);
    }
}

#[test]
fn messages_in_flight_are_limited() {
    let mut cluster = Cluster::new(2, |config| config.messages_in_flight = 3);
    cluster.elect(1);
    cluster.cut.insert((1, 2));
    for data in 0..10 {
        cluster.propose(1, data);
    }
    let progress = cluster.node(1).progress(2).unwrap();
    assert_eq!(progress.state, ReplicationState::Replicate);
    assert_eq!(progress.next - progress.matched - 1, 3);
    cluster.heal();
    cluster.tick(&[1], 3);
    assert!(cluster.applied(2).iter().copied().eq(0..10));
}

// Reads.

#[test]
fn a_read_is_confirmed_by_a_quorum() {
    let mut cluster = Cluster::new(3, |_| ());
    cluster.elect(1);
    cluster.propose(1, 5);
    for id in 1..=3 {
        assert!(cluster.node_mut(id).read_index(1));
        cluster.settle();
        let expected = ReadState {
            number: 1,
            index: 2,
        };
        assert_eq!(cluster.members[&id].reads, [expected], "node {id}");
    }
}

#[test]
fn a_deposed_leader_never_answers_a_read() {
    let mut cluster = Cluster::new(3, unchecked);
    cluster.elect(1);
    cluster.isolate(1);
    assert!(
        cluster.node_mut(1).read_index(1),
        "it believes to be the leader"
    );
    cluster.settle();
    cluster.elect(2);
    cluster.propose(2, 5);
    cluster.tick(&[1], 30);
    assert_eq!(cluster.reads(1), [0; 0]);
    cluster.heal();
    cluster.tick(&[1, 2, 3], 30);
    assert_eq!(cluster.reads(1), [0; 0], "the read ends with the term");
}

#[test]
fn a_new_leader_refuses_reads_until_it_has_committed_an_entry_of_its_term() {
    let mut cluster = Cluster::new(3, |_| ());
    cluster.cut.extend([(2, 1), (3, 1)]);
    let mut votes = Cluster::new(3, |_| ());
    votes.elect(1);
    assert!(votes.node_mut(1).read_index(1));
    // This leader receives votes, but no acknowledgements.
    let node = cluster.node_mut(1);
    while node.role() != RaftRole::Candidate {
        node.tick();
    }
    let vote = RaftPayload::VoteReply {
        pre: false,
        granted: true,
    };
    node.step(message(2, 1, 1, vote));
    assert!(node.is_leader());
    assert!(!node.read_index(1));
}

#[test]
fn the_confirmation_of_a_read_confirms_all_earlier_reads() {
    let mut cluster = Cluster::new(3, |_| ());
    cluster.elect(1);
    cluster.isolate(1);
    for number in [1, 2] {
        assert!(cluster.node_mut(1).read_index(number));
    }
    cluster.settle();
    assert_eq!(cluster.reads(1), [0; 0]);
    cluster.heal();
    cluster.tick(&[1], 1);
    assert_eq!(cluster.reads(1), [1, 2]);
}

// Leader transfer.

#[test]
fn a_leader_hands_over_to_a_follower() {
    for through in 1..=3 {
        let mut cluster = Cluster::new(3, |_| ());
        cluster.elect(1);
        cluster.node_mut(through).transfer_leader(3);
        cluster.settle();
        assert_eq!(cluster.leaders(), [3], "asked through node {through}");
        assert_eq!(cluster.node(1).leader(), Some(3));
    }
}

#[test]
fn a_transfer_waits_until_the_follower_has_all_entries() {
    let mut cluster = Cluster::new(3, |_| ());
    cluster.elect(1);
    cluster.isolate(3);
    cluster.propose(1, 5);
    cluster.node_mut(1).transfer_leader(3);
    cluster.settle();
    assert_eq!(cluster.leaders(), [1]);
    assert!(
        cluster.node_mut(1).propose(6.into()).is_err(),
        "no proposals in a transfer"
    );
    cluster.heal();
    cluster.tick(&[1, 2, 3], 2);
    assert_eq!(cluster.leaders(), [3]);
    assert_eq!(cluster.applied(3), [5]);
}

#[test]
fn a_transfer_to_a_dead_follower_ends_after_an_election_timeout() {
    let mut cluster = Cluster::new(3, |_| ());
    cluster.elect(1);
    cluster.isolate(3);
    cluster.node_mut(1).transfer_leader(3);
    cluster.tick(&[1, 2], 9);
    assert!(cluster.node_mut(1).propose(5.into()).is_err());
    cluster.tick(&[1, 2], 2);
    cluster.propose(1, 6);
    assert_eq!(cluster.applied(2), [6]);
}

// Snapshots and restarts.

#[test]
fn a_follower_that_needs_compacted_entries_receives_a_snapshot() {
    let mut cluster = Cluster::new(3, |_| ());
    cluster.elect(1);
    cluster.isolate(3);
    for data in 0..10 {
        cluster.propose(1, data);
    }
    cluster.node_mut(1).compact(8);
    assert_eq!(cluster.node(1).log().after(0).count(), 3);
    cluster.heal();
    cluster.tick(&[1], 4);
    let snapshots = cluster.count(|p| matches!(p, RaftPayload::Snapshot(_)));
    assert_eq!(snapshots, 1);
    cluster.propose(1, 10);
    assert_eq!(cluster.node(3).log().last(), cluster.node(1).log().last());
    assert_eq!(cluster.applied(3), [10], "the entries after the snapshot");
    let wal = &cluster.members[&3].wal;
    assert_eq!((wal.start().index, wal.entries().len()), (11, 1));
}

#[test]
fn a_lost_snapshot_is_sent_again_after_a_report() {
    let mut cluster = Cluster::new(3, |_| ());
    cluster.elect(1);
    cluster.isolate(3);
    cluster.propose(1, 5);
    cluster.node_mut(1).compact(2);
    cluster.node_mut(1).report_unreachable(3);
    let is_alive = RaftPayload::HeartbeatReply { read: None };
    cluster.node_mut(1).step(message(3, 1, 1, is_alive));
    cluster.settle();
    let state = |cluster: &Cluster| cluster.node(1).progress(3).unwrap().state;
    assert_eq!(state(&cluster), ReplicationState::Snapshot { index: 2 });
    cluster.heal();
    cluster.tick(&[1], 5);
    assert_eq!(
        state(&cluster),
        ReplicationState::Snapshot { index: 2 },
        "the leader waits"
    );
    cluster.node_mut(1).report_snapshot(3, false);
    cluster.tick(&[1], 5);
    assert_eq!(cluster.node(3).log().last().index, 2);
    cluster.propose(1, 6);
    assert_eq!(cluster.applied(3), [6]);
}

#[test]
fn a_restarted_member_continues_with_its_written_log() {
    let mut cluster = Cluster::new(3, |_| ());
    cluster.elect(1);
    cluster.propose(1, 5);
    cluster.propose(1, 6);
    let member = cluster.members.get_mut(&2).unwrap();
    member.node = RaftNode::restart(config(2, 3), SEED, &member.wal, 2);
    member.applied = vec![5];
    assert_eq!(cluster.node(2).term(), 1);
    cluster.tick(&[1], 2);
    cluster.propose(2, 7);
    for id in 1..=3 {
        assert_eq!(cluster.applied(id), [5, 6, 7]);
    }
}
