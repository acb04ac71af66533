//! The guard of etcd's guarantees: an observer that follows the trace and checks every response that reaches a watch.

use std::sync::Arc;

use crate::api::{Profile, WatchResponse};
use crate::base::bytes::KeyRange;
use crate::base::ids::NodeId;
use crate::base::ordered::{OrdMap, OrdSet};
use crate::observe::stored::StoredChange;
use crate::trace::{ClientTrace, Event, TraceEvent, WatchOptions};
use crate::words::guarantees as words;
use crate::world::World;

use super::delivery::Delivery;
use super::lane::WatchLanes;
use super::truth::{CommittedChange, CommittedRow, Truth};
use super::watched::Watched;
use super::{
    Breach, Finding, Guarantee, GuaranteeState, GuaranteeVerdict, Known, content, gaps, order,
};

/// Follows a run, and returns the verdict on each guarantee at any earlier step.
///
/// The cost of an event does not grow with the length of the run: for each watch, the guard stores only a position in
/// the list of changes that the watch must receive.
///
/// ```
/// use watchglass_engine::api::Profile;
/// use watchglass_engine::observe::guarantees::{Guard, Guarantee, GuaranteeState};
/// use watchglass_engine::base::ids::NodeId;
/// let guard = Guard::new(NodeId::Member(1), Profile::V3_6);
/// let lamps = guard.verdicts(0);
/// assert!(lamps.iter().all(|lamp| lamp.state == GuaranteeState::Idle));
/// assert_eq!(lamps[2].guarantee, Guarantee::Atomic);
/// ```
#[derive(Clone, Debug)]
pub struct Guard {
    /// The member that serves the watches that the guard follows.
    member: NodeId,
    truth: Truth,
    lanes: WatchLanes,
    watches: OrdMap<Arc<str>, Watched>,
    /// The clients that are disconnected from the member.
    apart: OrdSet<NodeId>,
    /// For each guarantee, the first step in which the guarantee was checked.
    applied: [Option<u64>; Guarantee::ALL.len()],
    /// The breaches. For each guarantee, these are the first breach that no known etcd bug explains and, for each known
    /// bug, the first breach that this bug explains.
    breaches: Vec<Breach>,
    /// The watch that is at its limit (see [`Near`]) in each part of the run, oldest part first. Each entry contains
    /// the first step of the part, and the watch, or `None` if no watch is at its limit.
    near: Vec<(u64, Option<Near>)>,
}

/// A watch at its limit: the watch is disconnected, and its next revision is compacted. The client must relist when it
/// reconnects.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Near {
    watch: Arc<str>,
    next_rev: i64,
    compact_rev: i64,
}

impl Guard {
    /// Creates an observer of a member's watches; `profile` is the version of etcd.
    pub fn new(member: NodeId, profile: Profile) -> Self {
        Self {
            member,
            truth: Truth::new(profile),
            lanes: WatchLanes::default(),
            watches: OrdMap::new(),
            apart: OrdSet::new(),
            applied: [None; Guarantee::ALL.len()],
            breaches: Vec::new(),
            near: Vec::new(),
        }
    }

    /// Records a change made before the run. The caller passes the oldest change first.
    pub fn begin_with(&mut self, change: &StoredChange) {
        let number = self.truth.begin_with(change);
        self.lanes.add(number, self.truth.fact(number));
    }

    /// Sets the revision at which the store was compacted before the run.
    pub fn begin_compacted(&mut self, revision: i64) {
        self.truth.begin_compacted(revision);
    }

    pub fn observe(&mut self, event: &Event) {
        match &event.what {
            TraceEvent::Client(what) => self.client(event.step, what),
            _ if event.node != Some(self.member) => {}
            what @ TraceEvent::CompactionScheduled { .. } => {
                self.truth.observe(what);
                self.check_nearby(event.step);
            }
            TraceEvent::Restored {
                backup, compacted, ..
            } => self.restored(event.step, *backup, *compacted),
            what => {
                if let Some(number) = self.truth.observe(what) {
                    self.lanes.add(number, self.truth.fact(number));
                }
            }
        }
    }

    /// Checks that every watch without messages in flight has received all its events. The caller calls this method at
    /// the end of a run, because a trace does not show the end.
    pub fn finish(&mut self, world: &World) {
        let settled: Vec<Arc<str>> = self
            .live()
            .filter(|name| world.is_settled(name))
            .cloned()
            .collect();
        for name in settled {
            let watch = self.watches.get_mut(&name).expect("it was just listed");
            let lane = self.lanes.lane(watch.lane);
            watch.find_start(lane, &self.truth);
            let found = gaps::complete(watch, lane, &self.truth);
            self.judge(world.steps(), &name, vec![(Guarantee::Reliable, found)]);
        }
    }

    /// Returns the newest revision that changed a key of the member, or 0 if there is no change.
    pub fn revision(&self) -> i64 {
        self.truth.revision()
    }

    /// Returns the rows of a key prefix that the member had at a revision, in the order of their keys.
    pub fn rows_at<'a>(
        &'a self,
        prefix: &'a [u8],
        revision: i64,
    ) -> impl Iterator<Item = CommittedRow<'a>> {
        self.truth.rows_at(prefix, revision)
    }

    /// Returns the changes of the member after a revision, oldest first.
    pub fn changes_after(&self, revision: i64) -> impl Iterator<Item = CommittedChange<'_>> {
        self.truth.changes_after(revision)
    }

    /// Returns the names of the open watches.
    pub fn live(&self) -> impl Iterator<Item = &Arc<str>> {
        self.watches
            .values()
            .filter(|w| w.alive)
            .map(|watch| &watch.name)
    }

    /// Returns all verdicts as of a step, in the order of [`Guarantee::ALL`].
    pub fn verdicts(&self, step: u64) -> Vec<GuaranteeVerdict> {
        let all = Guarantee::ALL.iter();
        all.map(|guarantee| self.verdict(*guarantee, step))
            .collect()
    }

    pub fn verdict(&self, guarantee: Guarantee, step: u64) -> GuaranteeVerdict {
        let by_then = |at: u64| at <= step;
        let breach = self
            .breaches
            .iter()
            .find(|b| b.guarantee == guarantee && by_then(b.step));
        if let Some(breach) = breach {
            return broken(breach);
        }
        let near = self.near_at(step).filter(|_| guarantee.can_be_near());
        let applied = self.applied[guarantee.place()].is_some_and(by_then);
        let promise = guarantee.promise();
        let (state, detail, explain) = match near {
            Some(near) => (GuaranteeState::Near, near.detail(), near.explain(promise)),
            None if applied => (
                GuaranteeState::Holds,
                guarantee.kept().into(),
                promise.into(),
            ),
            None => (
                GuaranteeState::Idle,
                guarantee.idle().into(),
                promise.into(),
            ),
        };
        GuaranteeVerdict {
            guarantee,
            state,
            detail,
            explain,
            step: None,
            known: None,
        }
    }

    /// Returns the breaches. For each guarantee, these are the first breach that no known etcd bug explains and, for
    /// each known bug, the first breach that this bug explains.
    pub fn breaches(&self) -> &[Breach] {
        &self.breaches
    }

    /// Returns the breaches that no known etcd bug explains.
    pub fn unexplained(&self) -> impl Iterator<Item = &Breach> {
        self.breaches.iter().filter(|b| b.known.is_none())
    }

    fn client(&mut self, step: u64, what: &ClientTrace) {
        match what {
            ClientTrace::Wants {
                node,
                watch,
                range,
                start_rev,
                options,
                ..
            } => self.wants(*node, watch, range, *start_rev, *options),
            ClientTrace::Received {
                node,
                watch,
                response,
                ..
            } => {
                self.received(step, watch, response);
                // A response changes the state of `near` only if the client is disconnected.
                if !self.apart.contains(node) {
                    return;
                }
            }
            ClientTrace::ResumesFrom {
                watch, revision, ..
            } => self.resumes(step, watch, *revision),
            ClientTrace::Ended { watch, .. } => {
                if let Some(watch) = self.watches.get_mut(watch) {
                    watch.alive = false;
                }
            }
            ClientTrace::Disconnected { node } => {
                self.apart.insert(*node);
            }
            ClientTrace::Connected { node } | ClientTrace::Started { node } => {
                self.apart.remove(node);
            }
            // A process that stops ends its watches without an event.
            ClientTrace::Stopped { node } => {
                self.apart.remove(node);
                let of_it = self.watches.values_mut().filter(|w| w.node == *node);
                of_it.for_each(|watch| watch.alive = false);
            }
            ClientTrace::Opened { .. }
            | ClientTrace::Listed { .. }
            | ClientTrace::Polled { .. }
            | ClientTrace::Retries { .. }
            | ClientTrace::FoundGone { .. }
            | ClientTrace::Paused { .. }
            | ClientTrace::Resumed { .. }
            | ClientTrace::KeptAlive { .. }
            | ClientTrace::Monitored { .. }
            | ClientTrace::Printed { .. }
            | ClientTrace::Ran { .. }
            | ClientTrace::Changed { .. } => return,
        }
        self.check_nearby(step);
    }

    /// Handles a restored backup. A watch that is ahead of both the backup and the compact revision receives no
    /// error. So the restore breaks the guarantee Resumable for this watch, and the guard stops following the watch.
    fn restored(&mut self, step: u64, backup: i64, compacted: i64) {
        let keep = self.truth.restored(backup, compacted);
        self.lanes.restored(keep);
        let ahead = |w: &&Watched| w.next_rev > backup + 1 && w.next_rev > compacted;
        let lost: Vec<_> = self.watches.values().filter(ahead).cloned().collect();
        for watch in lost {
            self.watches.remove(&watch.name);
            let found = watch.alive.then(|| Finding {
                revision: watch.next_rev,
                what: words::taken_back(watch.next_rev, backup),
                known: Some(Known::TakenBack),
            });
            self.judge(step, &watch.name, vec![(Guarantee::Resumable, found)]);
        }
        for watch in self.watches.values_mut() {
            let lane = self.lanes.lane(watch.lane);
            watch.next = watch.next.min(lane.len());
            watch.missed.retain(|place| *place < lane.len());
        }
    }

    /// Handles the request for a watch. A second request with the same name, after a relist, starts a new watch.
    fn wants(
        &mut self,
        node: NodeId,
        name: &Arc<str>,
        range: &KeyRange,
        start_rev: i64,
        options: WatchOptions,
    ) {
        let lane = self.lanes.of(range, options, &self.truth);
        let watch = Watched::new(name.clone(), node, lane, start_rev, options);
        self.watches.insert(name.clone(), watch);
    }

    fn resumes(&mut self, step: u64, name: &Arc<str>, revision: i64) {
        let Some(watch) = self.watches.get_mut(name).filter(|w| w.alive) else {
            return;
        };
        let found = gaps::asks_for_all(watch, revision);
        watch.resume(revision, self.lanes.lane(watch.lane), &self.truth);
        let begun = watch.resumed;
        if begun {
            self.judge(step, name, vec![(Guarantee::Resumable, found)]);
        }
    }

    fn received(&mut self, step: u64, name: &Arc<str>, response: &WatchResponse) {
        let Some(watch) = self.watches.get_mut(name) else {
            return;
        };
        if response.created {
            if !response.canceled {
                watch.created(response.header.revision);
            }
            return;
        }
        let truth = &self.truth;
        let lane = self.lanes.lane(watch.lane);
        watch.find_start(lane, truth);
        let findings = if response.compact_revision != 0 {
            vec![(
                Guarantee::Resumable,
                gaps::overtaken(watch, response, truth),
            )]
        } else if response.canceled {
            Vec::new()
        } else if response.events.is_empty() {
            let reported = response.header.revision;
            let found = gaps::bookmarkable(watch, response, lane, truth);
            if truth.is_hasty() && response.watch_id == -1 {
                watch.hasty = watch.hasty.max(reported);
            }
            watch.next_rev = watch.next_rev.max(reported + 1);
            watch.progress = reported;
            vec![(Guarantee::Bookmarkable, found)]
        } else {
            let (delivery, after) = Delivery::new(watch, response, lane, truth);
            let findings = findings_of(&delivery);
            *watch = after;
            findings
        };
        self.judge(step, name, findings);
    }

    /// Records the findings of the checkers, and the first step in which each guarantee was checked.
    fn judge(&mut self, step: u64, watch: &Arc<str>, findings: Vec<(Guarantee, Option<Finding>)>) {
        for (guarantee, finding) in findings {
            self.applied[guarantee.place()].get_or_insert(step);
            let Some(finding) = finding else { continue };
            let is_like = |b: &Breach| b.guarantee == guarantee && b.known == finding.known;
            if self.breaches.iter().any(is_like) {
                continue;
            }
            self.breaches.push(Breach {
                guarantee,
                step,
                watch: watch.clone(),
                revision: finding.revision,
                what: finding.what,
                known: finding.known,
            });
        }
    }

    /// Checks whether a compaction removed the next revision of a disconnected watch.
    fn check_nearby(&mut self, step: u64) {
        let newest = self.near.last().and_then(|(_, near)| near.as_ref());
        if self.apart.is_empty() && newest.is_none() {
            return;
        }
        let compact_rev = self.truth.compact_rev();
        let lost = self.watches.values().find(|w| {
            let has_place = w.alive && w.from.is_some();
            has_place && self.apart.contains(&w.node) && w.next_rev < compact_rev
        });
        let near = lost.map(|w| Near {
            watch: w.name.clone(),
            next_rev: w.next_rev,
            compact_rev,
        });
        if near.as_ref() != newest {
            self.near.push((step, near));
        }
    }

    fn near_at(&self, step: u64) -> Option<&Near> {
        let by_then = self.near.partition_point(|(at, _)| *at <= step);
        self.near[..by_then].last()?.1.as_ref()
    }
}

fn findings_of(d: &Delivery<'_>) -> Vec<(Guarantee, Option<Finding>)> {
    let mut findings = vec![
        (Guarantee::Ordered, order::ordered(d)),
        (Guarantee::Unique, order::unique(d)),
        (Guarantee::Atomic, order::atomic(d)),
        (Guarantee::Reliable, gaps::reliable(d)),
        (Guarantee::IsCreate, content::is_create(d)),
        (Guarantee::Filter, content::filter(d)),
    ];
    if d.watch.options.prev_kv {
        findings.push((Guarantee::PrevKv, content::prev_kv(d)));
    }
    if d.watch.resumed {
        findings.push((Guarantee::Resumable, gaps::resumable(d)));
    }
    findings
}

fn broken(breach: &Breach) -> GuaranteeVerdict {
    let Breach {
        guarantee,
        step,
        watch,
        revision,
        what,
        known,
    } = breach;
    let bug = known.map(Known::text);
    GuaranteeVerdict {
        guarantee: *guarantee,
        state: GuaranteeState::Broken,
        detail: words::broken_at(watch, *revision),
        explain: words::broken(guarantee.promise(), *step, watch, what, bug),
        step: Some(*step),
        known: *known,
    }
}

impl Guarantee {
    /// Returns true if the guarantee has the state "at its limit" (see [`Near`]); only Resumable has this state.
    fn can_be_near(self) -> bool {
        self == Self::Resumable
    }
}

impl Near {
    fn detail(&self) -> String {
        words::must_relist(&self.watch)
    }

    fn explain(&self, promise: &str) -> String {
        words::near(promise, &self.watch, self.next_rev, self.compact_rev)
    }
}
