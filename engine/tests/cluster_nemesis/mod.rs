//! Random worlds whose members form a cluster: clients, watches, crashes, partitions, slow disks and changes of the
//! members, all from one seed.
//!
//! The seed alone determines the run. After the faults, every link and member is repaired, and then the cluster must
//! serve all clients. Unlike `raft_nemesis`, which runs raft nodes with a small state of their own, these runs consist
//! of complete members: requests pass through the API, and reads, watches, leases and compactions use the store.
//!
//! The checks: linearizable operations are linearizable, serializable reads return a prefix of the history,
//! acknowledged writes are never lost, healed members have equal hashes at equal revisions, and every guarantee to
//! watches holds except for the known bugs of the simulated version.

mod calls;
mod faults;
mod history;
mod reconfiguration;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use watchglass_engine::api::{LeaderNeed, Profile, WatchCreateRequest};
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::prefix_end;
use watchglass_engine::base::ids::NodeId;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::{SimDuration, SimTime};
use watchglass_engine::client::etcd::list_watch::Memory;
use watchglass_engine::observe::linearizability::{HistoryVerdict, check};
use watchglass_engine::world::op::{StartWatch, WorldOp};
use watchglass_engine::world::{Config, World};

use calls::Calls;
use history::ClusterHistory;

const FAULTS_LAST: SimDuration = SimDuration::from_millis(30_000);

/// The time after the faults within which the cluster must elect a leader. The time is long, because candidates without
/// pre-vote can split the votes several times.
const RECOVERY_LASTS: SimDuration = SimDuration::from_millis(20_000);

/// The time after the recovery within which every operation must succeed.
const HEALTH_LASTS: SimDuration = SimDuration::from_millis(2_000);

/// The maximum time from the end of all calls until the members are equal and the watches have received all events.
const REST_MAX: SimDuration = SimDuration::from_millis(60_000);

const REST_CHECK: SimDuration = SimDuration::from_millis(500);

/// The maximum number of operations in the message about a violation. The message contains the last operations of the
/// run.
const OPERATIONS_SHOWN: usize = 12;

const WATCHERS: [&str; 3] = ["c1", "c2", "c3"];

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClusterReport {
    pub(crate) operations: u64,
    pub(crate) acknowledged: u64,
    /// The number of operations whose client does not know whether they took effect.
    pub(crate) unknown: u64,
    /// The number of serializable reads that returned an older revision than a linearizable response that had arrived
    /// before the read began.
    pub(crate) stale_reads: u64,
    pub(crate) crashes: u64,
    /// The number of log entries that a crash removed because they were not synced.
    pub(crate) unsynced: u64,
    pub(crate) terms: u64,
    pub(crate) snapshots: u64,
    pub(crate) watch_events: u64,
    pub(crate) changes: u64,
    /// Whether the linearizability check gave up, because it had to visit too many states.
    pub(crate) is_undecided: bool,
}

pub(crate) struct ClusterRun {
    rng: Rng,
    world: World,
    history: ClusterHistory,
    calls: Calls,
    report: ClusterReport,
    watches: u32,
    next_fault: SimTime,
    /// The time of the next change of the members; `None` if the cluster keeps its members.
    next_change: Option<SimTime>,
    /// The last operations of the run, for the message about a violation.
    operations: VecDeque<String>,
}

/// Runs the random cluster that a seed determines. `prepare` can plant a fault in the world before the run.
///
/// # Errors
/// Returns the first violation.
pub(crate) fn run(
    seed: u64,
    prepare: impl FnOnce(World) -> World,
) -> Result<ClusterReport, String> {
    let mut run = ClusterRun::new(seed, prepare);
    run.live().map_err(|error| {
        let now = run.world.now();
        let operations = run.operations.make_contiguous().join("\n");
        format!("seed {seed} at {now}: {error}\nafter these operations:\n{operations}")
    })?;
    Ok(run.report)
}

impl ClusterRun {
    fn new(seed: u64, prepare: impl FnOnce(World) -> World) -> Self {
        let mut rng = Rng::stream(seed, "cluster nemesis");
        let profile = match seed % 4 {
            3 => Profile::V3_4,
            _ => Profile::V3_6,
        };
        let members = [3, 3, 3, 5][rng.below(4) as usize];
        let config = Config {
            profile,
            seed,
            ..Config::default()
        };
        let world = prepare(World::with_cluster(config, members));
        Self {
            world,
            history: ClusterHistory::new(profile),
            calls: Calls::new(&mut rng, members),
            report: ClusterReport::default(),
            watches: 0,
            next_fault: SimTime(0),
            next_change: None,
            operations: VecDeque::new(),
            rng,
        }
    }

    fn live(&mut self) -> Result<(), String> {
        self.begin()?;
        self.next_change = self.rng.chance(3, 4).then(|| self.world.now());
        self.work_until(self.world.now() + FAULTS_LAST, true)?;
        self.repair()?;
        self.work_until(self.world.now() + RECOVERY_LASTS, false)?;
        let recovered_at = self.calls.moment();
        self.work_until(self.world.now() + HEALTH_LASTS, false)?;
        self.probe()?;
        if let Some(call) = self.calls.unsuccessful_after(recovered_at) {
            return Err(format!("a healthy cluster does not serve a call: {call}"));
        }
        self.come_to_rest()?;
        self.history.finish(&self.world)?;
        self.check_linearizability()?;
        self.complete_report();
        Ok(())
    }

    /// Sets small limits, so that rare situations become common, and starts the watches.
    fn begin(&mut self) -> Result<(), String> {
        for (setting, least, most) in [
            ("watch-channel", 1, 4),
            ("watch-batch-revs", 1, 5),
            ("watch-progress-notify-interval", 200_000, 3_000_000),
            ("compaction-batch-limit", 1, 20),
        ] {
            let value = least + self.rng.below(most - least + 1);
            self.op(WorldOp::set(setting, value).expect("the setting exists"))?;
        }
        self.pass(SimDuration::from_millis(3_000))?;
        if self.rng.chance(1, 2) {
            // Followers soon need snapshots.
            for (setting, most) in [("snapshot-count", 20), ("snapshot-catchup-entries", 5)] {
                let value = 1 + self.rng.below(most);
                self.op(WorldOp::set(setting, value).expect("the setting exists"))?;
            }
        }
        self.set_random_sync()?;
        for client in WATCHERS {
            for _ in 0..1 + self.rng.below(3) {
                self.watch(client)?;
            }
        }
        let memory = [Memory::Stateless, Memory::Keys, Memory::Checkpoint];
        let list_watch = WorldOp::ListWatch {
            name: "lw".into(),
            prefix: "k".into(),
            memory: memory[self.rng.below(3) as usize],
        };
        self.op(list_watch)
    }

    fn watch(&mut self, client: &str) -> Result<(), String> {
        self.watches += 1;
        let key = ["k", "k1", "k2", ""][self.rng.below(4) as usize];
        let range_end = match key {
            "" => Bytes::zero(),
            "k" => prefix_end(b"k"),
            _ => Bytes::default(),
        };
        let newest = self.history.revision();
        let start_revision = match self.rng.below(4) {
            0 | 1 => 0,
            2 => (newest - self.rng.below(30) as i64).max(1),
            _ => newest + self.rng.below(5) as i64,
        };
        let create = WatchCreateRequest {
            key: key.into(),
            range_end,
            start_revision,
            progress_notify: self.rng.chance(1, 2),
            prev_kv: self.rng.chance(1, 2),
            leader: match self.rng.chance(1, 4) {
                true => LeaderNeed::Required,
                false => LeaderNeed::NotRequired,
            },
            ..WatchCreateRequest::default()
        };
        // Client c2 connects to etcd-2.
        let number = client.strip_prefix('c');
        self.op(WorldOp::Watch(StartWatch {
            login: Default::default(),
            endpoint: number.map(|number| format!("etcd-{number}")),
            name: format!("w{}", self.watches),
            client: Some(client.into()),
            create,
            runs: None,
        }))
    }

    fn work_until(&mut self, end: SimTime, with_faults: bool) -> Result<(), String> {
        while self.world.now() < end {
            if with_faults && self.world.now() >= self.next_fault {
                self.cause_fault()?;
                let pause = 50_000 + self.rng.below(2_500_000);
                self.next_fault = self.world.now() + SimDuration(pause);
            }
            if with_faults && self.next_change.is_some_and(|at| self.world.now() >= at) {
                self.reconfigure()?;
            }
            self.begin_calls();
            let span = SimDuration(1_000 + self.rng.below(40_000));
            self.pass(span)?;
        }
        Ok(())
    }

    fn probe(&mut self) -> Result<(), String> {
        self.calls.stop();
        self.pass(SimDuration::from_millis(6_000))?;
        for member in self.voters() {
            for request in self.calls.probes(member) {
                self.calls.begin(&mut self.world, member, request);
            }
            self.pass(SimDuration::from_millis(500))?;
        }
        Ok(())
    }

    fn come_to_rest(&mut self) -> Result<(), String> {
        let end = self.world.now() + REST_MAX;
        loop {
            self.pass(REST_CHECK)?;
            let unequal = self.unequal_members();
            let restless = self.history.restless(&self.world);
            match (unequal, restless.first()) {
                (None, None) => return Ok(()),
                (Some(unequal), _) if self.world.now() > end => return Err(unequal),
                (_, Some(watch)) if self.world.now() > end => {
                    return Err(format!("the watch {watch} does not receive all events"));
                }
                _ => {}
            }
        }
    }

    fn unequal_members(&self) -> Option<String> {
        let membership = self.membership();
        let members = self.world.members();
        // A learner that was removed while it was stopped does not learn of its removal.
        let members = members.filter(|(node, _)| {
            let mut all = membership.members();
            all.any(|(raft, _)| *node == NodeId::Member(raft))
        });
        let states = members.map(|(_, member)| {
            let hash = member.store().hash_by_rev(0);
            let hash = hash.expect("the current revision has a hash");
            (
                member.raft_index(),
                hash.revision,
                hash.compact_revision,
                hash.hash,
            )
        });
        let states: BTreeSet<_> = states.collect();
        (states.len() > 1).then(|| format!("the members have different states: {states:?}"))
    }

    fn check_linearizability(&mut self) -> Result<(), String> {
        let operations = self.calls.operations();
        match check(operations) {
            HistoryVerdict::Explained { .. } => Ok(()),
            HistoryVerdict::TooLarge { .. } => {
                self.report.is_undecided = true;
                Ok(())
            }
            HistoryVerdict::Contradiction(found) => {
                let shown = found.operations.iter().map(|index| &operations[*index]);
                let shown: Vec<_> = shown.collect();
                Err(format!("not linearizable: {shown:#?}"))
            }
        }
    }

    fn complete_report(&mut self) {
        let operations = self.calls.operations();
        self.report.operations = operations.len() as u64;
        let returned = operations.iter().filter(|o| o.returned_at.is_some());
        self.report.acknowledged = returned.count() as u64;
        self.report.unknown = self.report.operations - self.report.acknowledged;
        self.report.stale_reads = self.calls.stale_reads();
        self.report.watch_events = self.history.watch_events();
        self.report.snapshots = self.history.snapshots();
        self.report.changes = self.history.changes();
        let terms = self
            .world
            .members()
            .filter_map(|(_, m)| Some(m.raft()?.term()));
        self.report.terms = terms.max().unwrap_or_default();
    }

    /// Schedules an operation if it is possible now, and runs the world until the operation has taken effect.
    fn op(&mut self, op: WorldOp) -> Result<(), String> {
        if self.world.check(&op).is_err() {
            return Ok(());
        }
        if self.operations.len() == OPERATIONS_SHOWN {
            self.operations.pop_front();
        }
        let text = format!("{} {op:?}", self.world.now());
        self.operations.push_back(text);
        self.world.do_op(Arc::new(op));
        self.pass(SimDuration::from_millis(2))
    }

    fn pass(&mut self, span: SimDuration) -> Result<(), String> {
        let until = self.world.now() + span;
        self.world.sleep(span);
        while self.world.next_at().is_some_and(|at| at <= until) {
            let (history, mut error) = (&mut self.history, None);
            self.world.step(&mut |event| {
                if error.is_none() {
                    error = history.observe(event).err();
                }
            });
            if let Some(error) = error {
                return Err(error);
            }
            self.calls.take_replies(&mut self.world, &self.history)?;
        }
        Ok(())
    }

    fn begin_calls(&mut self) {
        let voters = self.voters();
        for client in 0..self.calls.idle() {
            // Each idle client except the first begins a call with a probability of one half.
            if client > 0 && self.rng.chance(1, 2) {
                continue;
            }
            let member = voters[self.rng.below(voters.len() as u64) as usize];
            let node = NodeId::Member(member);
            let is_down = self.world.is_paused(node) || !self.world.runs(node);
            if is_down && !self.rng.chance(1, 10) {
                continue;
            }
            let request = self.calls.draw(&mut self.rng, &self.history);
            self.calls.begin(&mut self.world, member, request);
        }
    }
}
