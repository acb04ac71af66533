//! Random clusters of raft nodes: clients, a bad network, crashes and slow disks, all from one seed.
//!
//! The seed alone determines the run. After the faults, every link and member is repaired, and then the cluster must
//! serve all clients. During the run, the observer checks the safety properties of the raft paper; at the end, the
//! history of the clients must be linearizable.
//!
//! The network can lose, duplicate, reorder and delay every message, except that it does not duplicate forwarded
//! proposals: etcd's members send them over one TCP connection, and neither etcd nor this cluster detects a duplicate.

mod client;
mod faults;
mod member;
mod observer;
mod reconfiguration;

use std::collections::{BTreeMap, BTreeSet};

use watchglass_engine::base::rng::Rng;
use watchglass_engine::observe::linearizability::{HistoryVerdict, check};
use watchglass_engine::raft::{
    ConfChange, EntryData, RaftConfig, RaftId, RaftMessage, RaftNode, RaftPayload,
};

use client::Clients;
use faults::Faults;
use member::{Member, StateMachine};
use observer::Observer;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Write {
    /// The number of the write. No other operation has this number.
    pub(crate) number: u64,
    pub(crate) key: u8,
    pub(crate) kind: WriteKind,
}

/// The kind of a write. Each written value is the number of the write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WriteKind {
    Put,
    Delete,
    /// A put on the condition that the key has this value, or does not exist.
    PutIf(Option<u64>),
    Change(ConfChange),
}

impl EntryData for Write {
    fn changes_members(&self) -> bool {
        matches!(self.kind, WriteKind::Change(_))
    }
}

pub(crate) type Node = RaftNode<Write>;

/// A microsecond, a millisecond and a second of simulated time.
const MS: u64 = 1_000;
const SECOND: u64 = 1_000 * MS;

const FAULTS_LAST: u64 = 40 * SECOND;

/// The time after the faults within which the cluster must elect a leader. Without pre-vote, candidates can split the
/// votes several times.
const RECOVERY_LASTS: u64 = 20 * SECOND;

/// The time after the recovery within which every operation must succeed.
const HEALTH_LASTS: u64 = 5 * SECOND;

enum Scheduled {
    Tick(RaftId),
    /// A message arrives. A snapshot arrives together with the state of its sender.
    Arrive(RaftMessage<Write>, Option<StateMachine>),
    /// The sender of a snapshot learns that the snapshot did not arrive.
    SnapshotLost {
        from: RaftId,
        to: RaftId,
    },
    /// A sync ends, unless the member has crashed in the meantime.
    Synced {
        member: RaftId,
        life: u64,
    },
    Restart(RaftId),
    Client(u32),
    /// A fault begins or ends.
    Fault,
    Reconfigure,
}

pub(crate) struct NemesisRun<P> {
    pub(crate) seed: u64,
    rng: Rng,
    now: u64,
    /// The number of handled events, which is the current moment of the history.
    moment: u64,
    scheduled: BTreeMap<(u64, u64), Scheduled>,
    sequence: u64,
    members: BTreeMap<RaftId, Member>,
    clients: Clients,
    faults: Faults,
    pub(crate) observer: Observer,
    /// The configuration of a new member, which knows the first members.
    first: RaftConfig,
    /// Plants a fault in a new node.
    prepare: P,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NemesisReport {
    pub(crate) operations: u64,
    pub(crate) acknowledged: u64,
    pub(crate) unknown: u64,
    pub(crate) leaders: u64,
    pub(crate) crashes: u64,
    pub(crate) snapshots: u64,
    pub(crate) changes: u64,
    /// Whether the linearizability check gave up, because it had to visit too many states.
    pub(crate) is_undecided: bool,
}

/// Runs the random cluster that a seed determines. `prepare` can plant a fault in each node before the run.
///
/// # Errors
/// Returns the first violation.
pub(crate) fn run(seed: u64, prepare: impl Fn(Node) -> Node) -> Result<NemesisReport, String> {
    let mut run = NemesisRun::new(seed, prepare);
    run.live()
}

impl<P: Fn(Node) -> Node> NemesisRun<P> {
    fn new(seed: u64, prepare: P) -> Self {
        let mut rng = Rng::stream(seed, "raft nemesis");
        let voters = [3, 3, 3, 5, 5, 1][rng.below(6) as usize];
        let ids: Vec<RaftId> = (1..=voters).collect();
        let pre_vote = rng.chance(1, 2);
        // etcd always has CheckQuorum, but no safety property depends on it.
        let check_quorum = rng.chance(2, 3);
        let entries_per_message = [1, 3, 512][rng.below(3) as usize];
        let messages_in_flight = [1, 4, 512][rng.below(3) as usize];
        let first = RaftConfig {
            pre_vote,
            check_quorum,
            entries_per_message,
            messages_in_flight,
            ..RaftConfig::new(0, ids.clone())
        };
        let members = ids.iter().map(|id| {
            let config = RaftConfig {
                id: *id,
                ..first.clone()
            };
            (*id, Member::new(config, seed, &mut rng))
        });
        let members = members.collect();
        let mut run = Self {
            seed,
            now: 0,
            moment: 0,
            scheduled: BTreeMap::new(),
            sequence: 0,
            members,
            clients: Clients::new(&mut rng),
            faults: Faults::default(),
            observer: Observer::default(),
            rng,
            first,
            prepare,
        };
        for id in ids {
            run.start(id);
            let at = run.rng.below(100 * MS);
            run.schedule(at, Scheduled::Tick(id));
        }
        for client in 0..run.clients.count() {
            let at = run.rng.below(SECOND);
            run.schedule(at, Scheduled::Client(client));
        }
        run.schedule(SECOND, Scheduled::Fault);
        // Some clusters keep their members.
        if run.rng.chance(3, 4) {
            run.schedule(SECOND, Scheduled::Reconfigure);
        }
        run
    }

    pub(crate) fn live(&mut self) -> Result<NemesisReport, String> {
        self.run_until(FAULTS_LAST)?;
        self.repair();
        self.run_until(FAULTS_LAST + RECOVERY_LASTS)?;
        let recovered_at = self.moment;
        self.run_until(FAULTS_LAST + RECOVERY_LASTS + HEALTH_LASTS)?;
        self.clients.stop();
        self.run_until(FAULTS_LAST + RECOVERY_LASTS + 2 * HEALTH_LASTS)?;
        let in_seed = |error: String| format!("seed {}: {error}", self.seed);
        self.check_recovery(recovered_at).map_err(in_seed)?;
        let history = self.clients.history();
        let verdict = check(history);
        if let HistoryVerdict::Contradiction(found) = &verdict {
            let operations = found.operations.iter().map(|index| &history[*index]);
            let operations: Vec<_> = operations.collect();
            return Err(in_seed(format!("not linearizable: {operations:#?}")));
        }
        let mut report = self.observer.report();
        report.is_undecided = matches!(verdict, HistoryVerdict::TooLarge { .. });
        report.operations = history.len() as u64;
        let returned = history.iter().filter(|o| o.returned_at.is_some());
        report.acknowledged = returned.count() as u64;
        report.unknown = report.operations - report.acknowledged;
        report.changes = self.observer.changes();
        Ok(report)
    }

    fn run_until(&mut self, end: u64) -> Result<(), String> {
        while let Some(next) = self.scheduled.first_entry()
            && next.key().0 <= end
        {
            self.now = next.key().0;
            self.moment += 1;
            let event = next.remove();
            self.handle(event)
                .map_err(|error| format!("seed {} at {} µs: {error}", self.seed, self.now))?;
        }
        Ok(())
    }

    fn schedule(&mut self, after: u64, event: Scheduled) {
        self.sequence += 1;
        self.scheduled
            .insert((self.now + after, self.sequence), event);
    }

    fn handle(&mut self, event: Scheduled) -> Result<(), String> {
        let node = match &event {
            Scheduled::Tick(id) | Scheduled::Synced { member: id, .. } => Some(*id),
            Scheduled::Arrive(message, _) => Some(message.to),
            _ => None,
        };
        if let Some(node) = node
            && let Some(member) = self.members.get(&node)
            && let Some(resumes_after) = member.paused_until.checked_sub(self.now + 1)
        {
            self.schedule(resumes_after + 1, event);
            return Ok(());
        }
        match event {
            Scheduled::Tick(id) => {
                let member = self.member(id);
                let interval = member.tick_interval;
                if let Some(node) = &mut member.node {
                    node.tick();
                }
                self.schedule(interval, Scheduled::Tick(id));
                self.work(id)
            }
            Scheduled::Arrive(message, state) => self.arrive(message, state),
            Scheduled::SnapshotLost { from, to } => {
                if let Some(node) = &mut self.member(from).node {
                    node.report_snapshot(to, false);
                }
                self.work(from)
            }
            Scheduled::Synced { member, life } => {
                if self.member(member).life == life {
                    self.finish_sync(member)?;
                }
                self.work(member)
            }
            Scheduled::Restart(id) => {
                self.start(id);
                self.work(id)
            }
            Scheduled::Client(client) => self.act(client),
            Scheduled::Fault => {
                self.cause_fault();
                Ok(())
            }
            Scheduled::Reconfigure => self.reconfigure(),
        }
    }

    fn member(&mut self, id: RaftId) -> &mut Member {
        self.members.get_mut(&id).expect("the member exists")
    }

    fn ids(&self) -> Vec<RaftId> {
        self.members.keys().copied().collect()
    }

    fn start(&mut self, id: RaftId) {
        let member = self.members.get_mut(&id).expect("the member exists");
        if member.node.is_none() && !member.is_gone {
            member.start(&self.prepare);
        }
    }

    fn arrive(
        &mut self,
        message: RaftMessage<Write>,
        state: Option<StateMachine>,
    ) -> Result<(), String> {
        let (from, to) = (message.from, message.to);
        if self.is_from_removed(&message) {
            self.end(from);
            return Ok(());
        }
        let Some(member) = self.members.get_mut(&to) else {
            return Ok(());
        };
        let Some(node) = &mut member.node else {
            if state.is_some() {
                self.schedule(0, Scheduled::SnapshotLost { from, to });
            }
            return Ok(());
        };
        if let RaftPayload::Snapshot(mark) = &message.payload {
            let state = state.expect("a snapshot contains a state");
            let members = state.members.clone();
            member.received_states.insert(*mark, state);
            node.step_snapshot(message.clone(), members);
        } else {
            node.step(message.clone());
        }
        let is_snapshot = matches!(message.payload, RaftPayload::Snapshot(_));
        if is_snapshot && let Some(sender) = &mut self.member(from).node {
            sender.report_snapshot(to, true);
        }
        self.work(from)?;
        self.work(to)
    }

    /// Executes the work of a node until nothing remains or a sync begins.
    fn work(&mut self, id: RaftId) -> Result<(), String> {
        loop {
            let member = self.members.get_mut(&id).expect("the member exists");
            let applied = member.state.applied.index;
            let Some(node) = &mut member.node else {
                return Ok(());
            };
            let Some(ready) = node.ready() else {
                return self.serve_reads(id);
            };
            self.observer.see(node, applied, &ready)?;
            for message in &ready.messages {
                self.send(message.clone());
            }
            let must_sync = ready.must_sync;
            self.member(id).writing = Some(ready);
            if must_sync {
                let delay = self.faults.sync_delay(id, &mut self.rng);
                let life = self.member(id).life;
                self.schedule(delay, Scheduled::Synced { member: id, life });
                return self.serve_reads(id);
            }
            self.finish_sync(id)?;
        }
    }

    /// Stores the written entries, applies committed entries, and sends the remaining messages.
    fn finish_sync(&mut self, id: RaftId) -> Result<(), String> {
        let is_stored = self.rng.chance(1, 2);
        // A member that receives a write in a snapshot cannot reply to its client, so healthy members keep enough
        // entries to send a follower each entry that it does not have.
        let kept = match self.now < FAULTS_LAST {
            true => self.rng.below(5),
            false => 1_000,
        };
        let member = self.members.get_mut(&id).expect("the member exists");
        let Some(mut ready) = member.writing.take() else {
            return Ok(());
        };
        // A commit index alone is not synced, so a crash may lose the commit index.
        if ready.must_sync || is_stored {
            member.wal.save(&ready);
        }
        if let Some(mark) = ready.snapshot {
            let state = member.received_states.remove(&mark);
            let state = state.expect("the state of a snapshot arrives with the snapshot");
            self.observer.see_snapshot(&state)?;
            member.state = state.clone();
            member.stored = state;
        }
        let mut has_changed = false;
        for entry in std::mem::take(&mut ready.committed) {
            let term = member.node.as_ref().map_or(0, Node::term);
            let result = member.state.apply(&entry)?;
            self.observer.see_applied(term, &entry, &member.state)?;
            if let Some(write) = &entry.data {
                if let (WriteKind::Change(change), Some(node)) = (write.kind, &mut member.node) {
                    match result {
                        true => node.apply_conf_change(change),
                        false => node.skip_conf_change(),
                    }
                    has_changed |= result;
                }
                self.clients.applied(id, write, result, self.moment);
            }
        }
        for read in std::mem::take(&mut ready.read_states) {
            member.confirmed_reads.push(read);
        }
        let node = member.node.as_mut().expect("a stopped member has no work");
        node.advance();
        member.store_and_compact(kept, has_changed);
        for message in std::mem::take(&mut ready.messages_after_sync) {
            self.send(message);
        }
        Ok(())
    }

    /// Serves the confirmed reads that the state of the member has reached.
    fn serve_reads(&mut self, id: RaftId) -> Result<(), String> {
        let member = self.members.get_mut(&id).expect("the member exists");
        let applied = member.state.applied.index;
        let (due, waiting): (Vec<_>, _) = member
            .confirmed_reads
            .drain(..)
            .partition(|read| read.index <= applied);
        member.confirmed_reads = waiting;
        for read in due {
            self.clients.read(read.number, &member.state, self.moment);
        }
        Ok(())
    }

    /// Sends a message over the network, which can lose, duplicate or delay the message.
    fn send(&mut self, mut message: RaftMessage<Write>) {
        let (from, to) = (message.from, message.to);
        let mut state = None;
        if let RaftPayload::Snapshot(mark) = &mut message.payload {
            let own = self.member(from).state.clone();
            *mark = own.applied;
            state = Some(own);
        }
        let is_lost = self.faults.loses(from, to, &mut self.rng);
        if is_lost {
            if state.is_some() {
                self.schedule(SECOND, Scheduled::SnapshotLost { from, to });
            }
            return;
        }
        let can_duplicate = !matches!(message.payload, RaftPayload::Propose(_));
        if can_duplicate && self.faults.duplicates(&mut self.rng) {
            let delay = self.faults.delay(&mut self.rng);
            self.schedule(delay, Scheduled::Arrive(message.clone(), state.clone()));
        }
        let delay = self.faults.delay(&mut self.rng);
        self.schedule(delay, Scheduled::Arrive(message, state));
    }

    /// Checks that the cluster serves its clients again, and that all members are equal.
    fn check_recovery(&self, recovered_at: u64) -> Result<(), String> {
        if let Some(operation) = self.clients.unfinished(recovered_at) {
            let members = self.members.iter().map(|(id, member)| member.summary(*id));
            let members: Vec<String> = members.collect();
            let members = members.join("\n");
            return Err(format!(
                "no result in a healthy cluster: {operation:?}\n{members}"
            ));
        }
        let current = self.current_members().members();
        let states = current.iter().map(|id| &self.members[id].state);
        let states: BTreeSet<_> = states.collect();
        if states.len() > 1 {
            return Err(format!("the members have different states: {states:?}"));
        }
        let missing = self.clients.acknowledged_writes();
        let missing = missing.filter(|number| !self.observer.has_applied(*number));
        match missing.min() {
            Some(number) => Err(format!("the acknowledged write {number} is lost")),
            None => Ok(()),
        }
    }
}
