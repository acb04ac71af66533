//! The safety properties of the raft paper, checked at each step of a node.

use std::collections::{BTreeMap, BTreeSet};

use watchglass_engine::base::digest::Digest;
use watchglass_engine::raft::{LogMark, LoggedEntry, RaftId, RaftReady, RaftRole};

use super::member::StateMachine;
use super::{NemesisReport, Node, Write};

/// An entry that at least one member has applied.
struct Applied {
    entry: LoggedEntry<Write>,
    /// A term in which the entry was committed, so that every leader of a later term must have the entry.
    committed_in: u64,
    /// The digest of the state after a member has applied the entry.
    state: u64,
}

#[derive(Default)]
pub(crate) struct Observer {
    /// For the check of election safety: the leader of each term.
    leaders: BTreeMap<u64, RaftId>,
    /// For the check of log matching: for each position, the entry at this position, and the term of the entry before
    /// it.
    logged: BTreeMap<LogMark, (LoggedEntry<Write>, Option<u64>)>,
    /// For the check of state machine safety: the entries in the order in which every member must apply them.
    applied: Vec<Applied>,
    /// The numbers of all applied writes.
    numbers: BTreeSet<u64>,
    crashes: u64,
    snapshots: u64,
    changes: u64,
}

impl Observer {
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    pub(crate) fn report(&self) -> NemesisReport {
        NemesisReport {
            leaders: self.leaders.len() as u64,
            crashes: self.crashes,
            snapshots: self.snapshots,
            ..NemesisReport::default()
        }
    }

    pub(super) fn see_crash(&mut self) {
        self.crashes += 1;
    }

    pub(super) fn has_applied(&self, number: u64) -> bool {
        self.numbers.contains(&number)
    }

    /// Checks the work that a node returns. `applied` is the index of the last entry that the member has applied.
    pub(super) fn see(
        &mut self,
        node: &Node,
        applied: u64,
        ready: &RaftReady<Write>,
    ) -> Result<(), String> {
        see_changes(node, applied)?;
        let becomes_leader = ready.soft_state.is_some_and(|s| s.role == RaftRole::Leader);
        if becomes_leader {
            self.see_leader(node)?;
        }
        for entry in &ready.entries {
            let before = node.log().term(entry.index - 1);
            let logged = self.logged.entry(entry.mark());
            let (known, known_before) = logged.or_insert_with(|| (entry.clone(), before));
            if known != entry {
                return Err(format!("log matching: {known:?} and {entry:?}"));
            }
            match (&known_before, before) {
                (Some(known), Some(before)) if *known != before => {
                    return Err(format!(
                        "log matching: {entry:?} follows {known} and {before}"
                    ));
                }
                (None, Some(_)) => *known_before = before,
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks election safety and leader completeness.
    fn see_leader(&mut self, node: &Node) -> Result<(), String> {
        let (id, term) = (node.id(), node.term());
        let known = self.leaders.entry(term).or_insert(id);
        if *known != id {
            return Err(format!(
                "election safety: {known} and {id} lead term {term}"
            ));
        }
        let start = node.log().start().index;
        let missing = self.applied.iter().find(|applied| {
            let LogMark { term: own, index } = applied.entry.mark();
            applied.committed_in < term && index > start && node.log().term(index) != Some(own)
        });
        match missing {
            Some(missing) => {
                let mark = missing.entry.mark();
                Err(format!(
                    "leader completeness: leader {id} of term {term} does not have {mark:?}"
                ))
            }
            None => Ok(()),
        }
    }

    /// Checks state machine safety.
    pub(super) fn see_applied(
        &mut self,
        term: u64,
        entry: &LoggedEntry<Write>,
        state: &StateMachine,
    ) -> Result<(), String> {
        let place = entry.index as usize - 1;
        let state = Digest::of(state);
        match self.applied.get(place) {
            Some(known) if known.entry != *entry => {
                let known = &known.entry;
                Err(format!(
                    "state machine safety: {known:?} and {entry:?} are applied"
                ))
            }
            Some(known) if known.state != state => {
                Err(format!("the states after {entry:?} are different"))
            }
            Some(_) => Ok(()),
            None => {
                assert_eq!(place, self.applied.len(), "entries are applied in order");
                self.numbers
                    .extend(entry.data.as_ref().map(|write| write.number));
                self.changes += u64::from(entry.changes_members());
                self.applied.push(Applied {
                    entry: entry.clone(),
                    committed_in: term,
                    state,
                });
                Ok(())
            }
        }
    }

    /// Checks that the state in a snapshot is the state after the snapshot's last entry.
    pub(super) fn see_snapshot(&mut self, state: &StateMachine) -> Result<(), String> {
        self.snapshots += 1;
        let index = state.applied.index;
        match self.applied.get(index as usize - 1) {
            Some(known) if known.state == Digest::of(state) => Ok(()),
            _ => Err(format!("the snapshot at {index} is wrong")),
        }
    }
}

/// Checks that a leader has appended at most one change of the members that it has not applied. Only two consecutive
/// memberships that differ by one member have no disjoint quorums.
fn see_changes(node: &Node, applied: u64) -> Result<(), String> {
    let unapplied = node.log().after(applied.max(node.log().start().index));
    let changes = unapplied.filter(|entry| entry.changes_members());
    let indexes: Vec<u64> = changes.map(|entry| entry.index).collect();
    let is_own = |index: u64| node.log().term(index) == Some(node.term());
    match indexes[..] {
        [first, .., last] if node.is_leader() && is_own(last) => Err(format!(
            "one change at a time: leader {} appended the change {last} before it applied {first}",
            node.id()
        )),
        _ => Ok(()),
    }
}
