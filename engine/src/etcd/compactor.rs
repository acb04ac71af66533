//! Automatic compaction, periodic or by revision. Disabled by default, as in etcd.
//!
//! Mirrors `server/etcdserver/api/v3compactor`. Upstream's two flags for mode and retention (`--auto-compaction-mode`,
//! `--auto-compaction-retention`) correspond to two settings here, one for each mode: `auto-compaction-periodic` and
//! `auto-compaction-revision`. A changed setting or a restart discards all samples. In a cluster, only the
//! leader compacts.

use std::collections::VecDeque;

use crate::api::{CompactionRequest, Difference, EtcdError, Profile, Request};
use crate::base::time::{SimDuration, SimTime};
use crate::sim::Outbox;
use crate::trace::TraceEvent;

use super::entries::Waiter;
use super::server::{EtcdServer, MemberTimer};

/// The interval between checks in revision mode (`revInterval`).
const REVISION_INTERVAL: SimDuration = SimDuration::from_millis(300_000);
const PERIODIC_INTERVAL_MAX: SimDuration = SimDuration::from_millis(3_600_000);
/// The number of samples of the revision between two periodic compactions (`retryDivisor`).
const SAMPLES: u64 = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AutoCompaction {
    #[default]
    Off,
    /// At least once per hour, the member compacts the revisions that are older than this duration.
    Periodic(SimDuration),
    /// The member keeps this number of revisions and compacts every five minutes.
    Revision(u64),
}

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct AutoCompactor {
    mode: AutoCompaction,
    /// The revision at each sample, oldest first.
    samples: VecDeque<i64>,
    /// The time of the last compaction, or the start time before the first compaction.
    last_success: SimTime,
    /// Whether the first compaction has run. The first compaction waits for the whole retention; later compactions wait
    /// only for the shorter interval.
    is_retention_over: bool,
    /// The revision of the last compaction, or 0.
    last_revision: i64,
}

impl AutoCompactor {
    /// Returns the interval between samples in periodic mode, and between checks in revision mode.
    fn interval(&self) -> Option<SimDuration> {
        match self.mode {
            AutoCompaction::Off => None,
            AutoCompaction::Periodic(retention) => {
                Some(SimDuration(periodic_interval(retention).0 / SAMPLES))
            }
            AutoCompaction::Revision(_) => Some(REVISION_INTERVAL),
        }
    }

    fn sample(&mut self, revision: i64) {
        let (AutoCompaction::Periodic(retention), Some(interval)) = (self.mode, self.interval())
        else {
            return;
        };
        self.samples.push_back(revision);
        if self.samples.len() as u64 > retention.0 / interval.0 + 1 {
            self.samples.pop_front();
        }
    }

    /// Returns the revision to compact at, or `None` if no compaction is due.
    fn due_revision(&mut self, now: SimTime, current: i64, profile: Profile) -> Option<i64> {
        match self.mode {
            AutoCompaction::Off => None,
            AutoCompaction::Periodic(retention) => {
                let revision = *self.samples.front()?;
                let wait = match self.is_retention_over {
                    true => periodic_interval(retention),
                    false => retention,
                };
                let is_done =
                    profile.has(Difference::SkipsDoneCompaction) && revision == self.last_revision;
                if now - self.last_success < wait || is_done {
                    return None;
                }
                self.is_retention_over = true;
                Some(revision)
            }
            AutoCompaction::Revision(retention) => {
                let retention = i64::try_from(retention).unwrap_or(i64::MAX);
                let revision = current - retention;
                (revision > 0 && revision != self.last_revision).then_some(revision)
            }
        }
    }
}

fn periodic_interval(retention: SimDuration) -> SimDuration {
    retention.min(PERIODIC_INTERVAL_MAX)
}

impl EtcdServer {
    pub fn auto_compaction(&self) -> AutoCompaction {
        self.compactor.mode
    }

    pub fn compact_automatically(&mut self, mode: AutoCompaction, out: &mut Outbox<MemberTimer>) {
        self.compactor = AutoCompactor {
            mode,
            last_success: out.now,
            ..AutoCompactor::default()
        };
        self.compactor.sample(self.store().current_rev());
        self.plan_compactor(out);
    }

    /// Resets the compactor at the start of the process.
    pub(super) fn restart_compactor(&mut self, out: &mut Outbox<MemberTimer>) {
        self.compact_automatically(self.compactor.mode, out);
    }

    /// Compacts if a compaction is due, and takes the next sample.
    pub(super) fn run_compactor(&mut self, out: &mut Outbox<MemberTimer>) {
        let current = self.store().current_rev();
        let profile = self.profile();
        let revision = match self.is_primary() {
            true => self.compactor.due_revision(out.now, current, profile),
            // A follower takes samples but never compacts.
            false => None,
        };
        out.trace(TraceEvent::AutoCompaction { revision, current });
        if let Some(revision) = revision {
            let request = CompactionRequest {
                revision,
                physical: false,
            };
            let proposed = self.propose_request(
                Request::Compact(request).into(),
                None,
                Waiter::Compactor(revision),
            );
            match proposed {
                Ok(()) => self.apply_committed(out),
                Err(error) => self.auto_compacted(out.now, revision, Some(error)),
            }
        }
        self.compactor.sample(current);
        self.plan_compactor(out);
    }

    /// A compaction of an already compacted revision counts as successful.
    pub(super) fn auto_compacted(&mut self, now: SimTime, revision: i64, error: Option<EtcdError>) {
        if matches!(error, None | Some(EtcdError::Compacted)) {
            self.compactor.last_success = now;
            self.compactor.last_revision = revision;
        }
    }

    fn plan_compactor(&self, out: &mut Outbox<MemberTimer>) {
        if let Some(interval) = self.compactor.interval() {
            out.timer(interval, MemberTimer::AutoCompaction);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: u64 = 60_000_000;

    /// Simulates periodic compaction for `minutes` minutes. Returns the minute and the revision of each compaction. The
    /// store gets a new revision before each sample. The first revision is 0 here, and 1 in upstream's test.
    fn periodic(retention: u64, minutes: u64) -> Vec<(u64, i64)> {
        let mode = AutoCompaction::Periodic(SimDuration(retention * MINUTE));
        let mut compactor = AutoCompactor {
            mode,
            ..AutoCompactor::default()
        };
        compactor.sample(0);
        let interval = compactor.interval().unwrap();
        let (mut now, mut compactions) = (SimTime(0), Vec::new());
        for n in 1.. {
            now = now + interval;
            if now.0 > minutes * MINUTE {
                break;
            }
            if let Some(revision) = compactor.due_revision(now, n, Profile::V3_4) {
                compactor.last_success = now;
                compactions.push((now.0 / MINUTE, revision));
            }
            compactor.sample(n);
        }
        compactions
    }

    /// Mirrors `TestPeriodicHourly` and the example in the comment above `Periodic.Run`.
    #[test]
    fn a_long_retention_is_kept_and_compacted_each_hour() {
        assert_eq!(
            periodic(120, 300),
            [(120, 0), (180, 9), (240, 19), (300, 29)]
        );
        assert_eq!(
            periodic(24 * 60, 26 * 60),
            [(1440, 0), (1500, 9), (1560, 19)]
        );
    }

    /// Mirrors `TestPeriodicMinutes`.
    #[test]
    fn a_short_retention_is_its_own_interval() {
        assert_eq!(periodic(5, 16), [(5, 0), (10, 9), (15, 19)]);
    }
}
