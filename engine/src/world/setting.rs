//! The settings of members that `set` changes and `show settings` lists.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::base::digest::Sparse;
use crate::base::time::SimDuration;
use crate::etcd::server::QUOTA_BYTES;
use crate::etcd::{AutoCompaction, EtcdServer, MemberTimer, QuotaBasis, WatchServerLimits};
use crate::mvcc::{CompactionLimits, WatchLimits};
use crate::qos::{Estimator, tracker};
use crate::sim::Outbox;
use crate::words::{SettingValue, changes as words};

use super::op::WorldOp;
use super::resolve::refuse;
use super::{Cause, Trace, World};

/// A setting that the user can change.
#[derive(Clone, Copy)]
pub struct Setting {
    /// The name of the setting in `set` commands.
    pub name: &'static str,
    pub unit: Unit,
    /// Upstream's default value, in the setting's unit.
    pub default: u64,
    /// The minimum and the maximum value that the simulator accepts.
    pub range: (u64, u64),
    /// The minimum of a value that is not 0.
    positive_min: u64,
    /// The condition of a change.
    needs: Need,
    /// A short explanation of the setting.
    pub what: &'static str,
    /// The constant, flag or file that defines the setting upstream.
    pub source: &'static str,
    get: fn(&EtcdServer) -> u64,
    set: fn(&mut EtcdServer, u64, &mut Outbox<MemberTimer>),
}

/// A condition that the world must meet before a setting can change, and the refusal.
#[derive(Clone, Copy)]
struct Need {
    is_met: fn(&World) -> bool,
    refusal: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A count without a unit.
    Count,
    Bytes,
    Micros,
}

const QOS: Need = Need {
    is_met: |world| world.at_endpoint().qos().is_some(),
    refusal: "QoS is off; type `set experimental-enable-qos 1` to turn it on",
};

const CLUSTER: Need = Need {
    is_met: World::is_cluster,
    refusal: "a single member has no followers; type `world members=3` to start a cluster",
};

const BASE: Setting = Setting {
    name: "",
    unit: Unit::Count,
    default: 0,
    range: (0, 0),
    positive_min: 0,
    needs: Need {
        is_met: |_| true,
        refusal: "",
    },
    what: "",
    source: "",
    get: |_| 0,
    set: |_, _, _| {},
};

/// All settings. The hash of a setting is its position, so new settings are appended.
pub static SETTINGS: [Setting; 24] = [
    Setting {
        name: "watch-channel",
        unit: Unit::Count,
        default: 128,
        range: (1, 1 << 20),
        what: "capacity of a stream's channel, in responses",
        source: "chanBufLen, mvcc/watchable_store.go",
        get: |etcd| etcd.watchable().limits().channel.into(),
        set: |etcd, value, _| watch(etcd, |limits| limits.channel = count(value)),
        ..BASE
    },
    Setting {
        name: "watchers-per-sync",
        unit: Unit::Count,
        default: 512,
        range: (1, 1 << 20),
        what: "maximum number of unsynced watchers in one sync pass",
        source: "maxWatchersPerSync, mvcc/watchable_store.go",
        get: |etcd| etcd.watchable().limits().watchers_per_sync.into(),
        set: |etcd, value, _| watch(etcd, |limits| limits.watchers_per_sync = count(value)),
        ..BASE
    },
    Setting {
        name: "watch-batch-revs",
        unit: Unit::Count,
        default: 1000,
        range: (1, 1 << 20),
        what: "maximum number of revisions in one response",
        source: "watchBatchMaxRevs, mvcc/watcher_group.go",
        get: |etcd| etcd.watchable().limits().batch_revs.into(),
        set: |etcd, value, _| watch(etcd, |limits| limits.batch_revs = count(value)),
        ..BASE
    },
    Setting {
        name: "watch-resync",
        unit: Unit::Micros,
        default: 100_000,
        range: (1_000, 3_600_000_000),
        what: "time between two sync passes over the unsynced watchers",
        source: "watchResyncPeriod, mvcc/watchable_store.go",
        get: |etcd| etcd.watchable().limits().resync_period.0,
        set: |etcd, value, _| watch(etcd, |limits| limits.resync_period = SimDuration(value)),
        ..BASE
    },
    Setting {
        name: "watch-victim-retry",
        unit: Unit::Micros,
        default: 10_000,
        range: (1_000, 3_600_000_000),
        what: "time between two attempts to send the events of victims (watchers whose channel was full)",
        source: "syncVictimsLoop, mvcc/watchable_store.go",
        get: |etcd| etcd.watchable().limits().victim_retry.0,
        set: |etcd, value, _| watch(etcd, |limits| limits.victim_retry = SimDuration(value)),
        ..BASE
    },
    Setting {
        name: "watch-progress-notify-interval",
        unit: Unit::Micros,
        default: 600_000_000,
        range: (100_000, 86_400_000_000),
        what: "time between two progress notifications; etcd adds a random part of up to a tenth of this time",
        source: "--watch-progress-notify-interval, v3rpc/watch.go",
        get: |etcd| etcd.watch_limits().progress_interval.0,
        set: |etcd, value, _| {
            watch_server(etcd, |limits| limits.progress_interval = SimDuration(value))
        },
        ..BASE
    },
    Setting {
        name: "stream-window",
        unit: Unit::Bytes,
        default: 65_535,
        range: (0, 1 << 30),
        what: "maximum number of bytes that are sent to a client but not yet read; 0 for one response at a time",
        source: "HTTP/2 initial window size, RFC 9113 section 6.9.2",
        get: |etcd| etcd.watch_limits().window,
        set: |etcd, value, _| watch_server(etcd, |limits| limits.window = value),
        ..BASE
    },
    Setting {
        name: "compaction-batch-limit",
        unit: Unit::Count,
        default: 1000,
        range: (1, 1 << 30),
        what: "rows that one batch of a compaction checks",
        source: "--compaction-batch-limit (3.6), --experimental-compaction-batch-limit (3.4)",
        get: |etcd| etcd.store().limits().batch_rows.into(),
        set: |etcd, value, _| compaction(etcd, |limits| limits.batch_rows = count(value)),
        ..BASE
    },
    Setting {
        name: "compaction-sleep-interval",
        unit: Unit::Micros,
        default: 10_000,
        range: (0, 3_600_000_000),
        what: "the pause between two batches of a compaction",
        source: "--compaction-sleep-interval (3.6), scheduleCompaction in mvcc",
        get: |etcd| etcd.store().limits().sleep.0,
        set: |etcd, value, _| compaction(etcd, |limits| limits.sleep = SimDuration(value)),
        ..BASE
    },
    Setting {
        name: "lease-checkpoint-interval",
        unit: Unit::Micros,
        default: 0,
        range: (0, 86_400_000_000),
        what: "time between two checkpoints of a long lease; 0 for no checkpoints; etcd uses 5m if the feature is on",
        source: "feature gate LeaseCheckpoint (3.6), --experimental-enable-lease-checkpoint (3.4)",
        get: |etcd| etcd.lessor().checkpoint_interval().0,
        set: |etcd, value, out| etcd.checkpoint_leases_every(SimDuration(value), out),
        ..BASE
    },
    Setting {
        name: "quota-backend-bytes",
        unit: Unit::Bytes,
        default: QUOTA_BYTES,
        range: (0, 1 << 40),
        what: "maximum database size in bytes; a put that would reach it is refused; 0 for the default",
        source: "--quota-backend-bytes, etcdserver/quota.go",
        get: |etcd| etcd.quota_bytes(),
        set: |etcd, value, _| etcd.set_quota_bytes(if value == 0 { QUOTA_BYTES } else { value }),
        ..BASE
    },
    Setting {
        name: "auto-compaction-periodic",
        unit: Unit::Micros,
        default: 0,
        range: (0, 86_400_000_000),
        what: "etcd compacts revisions older than this time, at least once an hour; 0 for never",
        source: "--auto-compaction-mode=periodic --auto-compaction-retention, v3compactor/periodic.go",
        positive_min: 1_000_000, // The compactor takes ten samples within the retention.
        get: |etcd| match etcd.auto_compaction() {
            AutoCompaction::Periodic(retention) => retention.0,
            AutoCompaction::Off | AutoCompaction::Revision(_) => 0,
        },
        set: |etcd, value, out| {
            let is_other = matches!(etcd.auto_compaction(), AutoCompaction::Revision(_));
            let mode = AutoCompaction::Periodic(SimDuration(value));
            compact_automatically(etcd, (value > 0).then_some(mode), is_other, out);
        },
        ..BASE
    },
    Setting {
        name: "auto-compaction-revision",
        unit: Unit::Count,
        default: 0,
        range: (0, 1 << 40),
        what: "etcd keeps N revisions and compacts older revisions every 5 minutes; 0 for never",
        source: "--auto-compaction-mode=revision --auto-compaction-retention, v3compactor/revision.go",
        get: |etcd| match etcd.auto_compaction() {
            AutoCompaction::Revision(retention) => retention,
            AutoCompaction::Off | AutoCompaction::Periodic(_) => 0,
        },
        set: |etcd, value, out| {
            let is_other = matches!(etcd.auto_compaction(), AutoCompaction::Periodic(_));
            let mode = AutoCompaction::Revision(value);
            compact_automatically(etcd, (value > 0).then_some(mode), is_other, out);
        },
        ..BASE
    },
    Setting {
        name: "page-cache",
        unit: Unit::Bytes,
        default: 0,
        range: (0, 1 << 40),
        what: "bytes of the database file that fit in memory; with 0, the whole file fits and reads are not counted",
        source: "the operating system's page cache, which bbolt uses through its memory map",
        get: |etcd| etcd.store().backend().page_cache_bytes(),
        set: |etcd, value, _| etcd.set_page_cache(value),
        ..BASE
    },
    Setting {
        name: "auth",
        unit: Unit::Count,
        default: 0,
        range: (0, 1),
        what: "1 lets etcd accept logins of any user while authentication is disabled",
        source: "a switch of the simulator; see `auth enable`",
        get: |etcd| etcd.has_auth().into(),
        set: |etcd, value, _| etcd.set_auth(value == 1),
        ..BASE
    },
    Setting {
        name: "experimental-enable-qos",
        unit: Unit::Count,
        default: 0,
        range: (0, 1),
        what: "1 turns on etcd QoS, which limits expensive requests; 0 turns it off",
        source: "no default in etcd: etcd QoS is a proposal of 2020 that was never merged",
        get: |etcd| etcd.qos().is_some().into(),
        set: |etcd, value, out| etcd.enable_qos(value == 1, out),
        ..BASE
    },
    Setting {
        name: "qos-estimator",
        unit: Unit::Count,
        default: 0,
        range: (0, 1),
        what: "source of the number of scanned keys: 0 for a tree that counts keys, 1 for a cache of executed requests",
        source: "no default in the proposal, which describes both sources",
        needs: QOS,
        get: |etcd| {
            let estimator = etcd.qos().map(|qos| qos.state().estimator());
            (estimator == Some(Estimator::Lru)).into()
        },
        set: |etcd, value, _| {
            etcd.set_qos_estimator(if value == 0 {
                Estimator::Index
            } else {
                Estimator::Lru
            });
        },
        ..BASE
    },
    Setting {
        name: "qos-lru-size",
        unit: Unit::Count,
        default: 1_000,
        range: (1, 1 << 20),
        what: "maximum number of entries in the cache of executed requests",
        source: "no default in the proposal, which does not name a size",
        needs: QOS,
        get: |etcd| {
            etcd.qos()
                .map_or(tracker::ENTRIES, |qos| qos.state().tracker().size())
        },
        set: |etcd, value, _| etcd.set_qos_lru_size(value),
        ..BASE
    },
    Setting {
        name: "qos-sample-one-in",
        unit: Unit::Count,
        default: 1,
        range: (1, 1 << 20),
        what: "N: the tree that counts keys contains one key in N; N = 1 means all keys",
        source: "the proposal mentions random sampling, but names no default",
        needs: QOS,
        get: |etcd| etcd.qos().map_or(1, |qos| qos.state().keys().one_in()),
        set: |etcd, value, _| etcd.set_qos_sample(value),
        ..BASE
    },
    Setting {
        name: "qos-quota-basis",
        unit: Unit::Count,
        default: 0,
        range: (0, 1),
        what: "size that PercentOfStorageQuotaUsed compares with the quota: 0 for the pages in use, 1 for the file",
        source: "backendDBInUse / backendDBQuota in the proposal",
        needs: QOS,
        get: |etcd| {
            let basis = etcd.qos().map(|qos| qos.basis());
            (basis == Some(QuotaBasis::FileSize)).into()
        },
        set: |etcd, value, _| {
            etcd.set_qos_quota_basis(if value == 0 {
                QuotaBasis::InUse
            } else {
                QuotaBasis::FileSize
            });
        },
        ..BASE
    },
    Setting {
        name: "qos-auto-limit",
        unit: Unit::Count,
        default: 0,
        range: (0, 1),
        what: "1: members add the rules that `qos doctor` proposes, once per second; 0: only `--apply` adds them",
        source: "no default in the proposal, which leaves automatic limits to the future",
        needs: QOS,
        get: |etcd| {
            etcd.qos()
                .is_some_and(|qos| qos.limits_automatically())
                .into()
        },
        set: |etcd, value, _| etcd.limit_automatically(value == 1),
        ..BASE
    },
    Setting {
        name: "snapshot-count",
        unit: Unit::Count,
        default: 0,
        range: (0, 1 << 40),
        what: "log entries that a member of a cluster applies between two snapshots; 0 for the default of the version",
        source: "--snapshot-count, 100,000 in 3.4 and 3.5, 10,000 in 3.6",
        needs: CLUSTER,
        get: |etcd| etcd.snapshot_count(),
        set: |etcd, value, _| etcd.set_snapshot_count(value),
        ..BASE
    },
    Setting {
        name: "snapshot-catchup-entries",
        unit: Unit::Count,
        default: 5_000,
        range: (0, 1 << 40),
        what: "log entries before a snapshot that a member keeps for followers that are slightly behind",
        source: "DefaultSnapshotCatchUpEntries, etcdserver/server.go",
        needs: CLUSTER,
        get: |etcd| etcd.catch_up_entries(),
        set: |etcd, value, _| etcd.set_catch_up_entries(value),
        ..BASE
    },
    Setting {
        name: "watch-progress-requests",
        unit: Unit::Count,
        default: 1,
        range: (0, 1),
        what: "1: members answer progress requests; 0: members ignore them and report version 3.3.13, the last without",
        source: "WatchProgressRequest, since etcd 3.3.14",
        get: |etcd| (!*etcd.watch_limits().ignores_progress).into(),
        set: |etcd, value, _| {
            watch_server(etcd, |limits| limits.ignores_progress = Sparse(value == 0))
        },
        ..BASE
    },
];

fn count(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn watch(etcd: &mut EtcdServer, change: impl FnOnce(&mut WatchLimits)) {
    let mut limits = etcd.watchable().limits();
    change(&mut limits);
    etcd.set_store_watch_limits(limits);
}

fn watch_server(etcd: &mut EtcdServer, change: impl FnOnce(&mut WatchServerLimits)) {
    let mut limits = etcd.watch_limits();
    change(&mut limits);
    etcd.set_watch_limits(limits);
}

fn compaction(etcd: &mut EtcdServer, change: impl FnOnce(&mut CompactionLimits)) {
    let mut limits = etcd.store().limits();
    change(&mut limits);
    etcd.set_compaction_limits(limits);
}

/// Turns one mode of automatic compaction on, or off if `mode` is `None`. Turning off one mode does not turn off the
/// other mode.
fn compact_automatically(
    etcd: &mut EtcdServer,
    mode: Option<AutoCompaction>,
    is_other_on: bool,
    out: &mut Outbox<MemberTimer>,
) {
    if mode.is_some() || !is_other_on {
        etcd.compact_automatically(mode.unwrap_or(AutoCompaction::Off), out);
    }
}

impl Setting {
    pub fn named(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// Formats a value with its unit, for the terminal.
    pub fn amount(&self, value: u64) -> String {
        match self.unit {
            Unit::Count => value.to_string(),
            Unit::Bytes => format!("{value} bytes"),
            Unit::Micros => SimDuration(value).to_string(),
        }
    }

    fn value(&self, value: u64) -> SettingValue {
        match self.unit {
            Unit::Count => SettingValue::Count(value),
            Unit::Bytes => SettingValue::Bytes(value),
            Unit::Micros => SettingValue::Time(SimDuration(value)),
        }
    }

    pub(super) fn check(&self, value: u64, world: &World) -> Result<(), String> {
        let least = self.positive_min;
        refuse((1..least).contains(&value), || {
            format!(
                "{} must be at least {}, or 0",
                self.name,
                SimDuration(least)
            )
        })?;
        refuse(!(self.needs.is_met)(world), || self.needs.refusal.into())?;
        let (least, most) = self.range;
        refuse(!(least..=most).contains(&value), || {
            format!("{} must be between {least} and {most}", self.name)
        })
    }
}

impl WorldOp {
    /// Returns the operation `set NAME VALUE`; `None` if no setting has the name.
    pub fn set(name: &str, value: u64) -> Option<Self> {
        let setting = Setting::named(name)?;
        Some(Self::Set { setting, value })
    }
}

impl PartialEq for Setting {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Setting {}

// The other fields are constants of the program.
impl Hash for Setting {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let place = SETTINGS.iter().position(|setting| setting == self);
        state.write_isize(place.map_or(-1, |place| place as isize));
    }
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl World {
    /// Returns the current value of a setting, in the setting's unit.
    pub fn setting(&self, setting: &Setting) -> u64 {
        (setting.get)(self.at_endpoint())
    }

    pub(super) fn change_setting(
        &mut self,
        cause: Cause,
        setting: &Setting,
        value: u64,
        trace: Trace<'_>,
    ) {
        let (now, default) = (setting.value(value), setting.value(setting.default));
        let sentence = words::setting_changed(setting.name, now, default);
        let cause = self.changed(cause, None, sentence, trace);
        let members: Vec<_> = self.etcds().map(|(node, _)| node).collect();
        for member in members {
            self.with_member(member, cause, trace, |etcd, out| {
                (setting.set)(etcd, value, out);
            });
        }
    }

    /// Gives a new member the settings of the other members.
    pub(super) fn copy_settings(&self, server: &mut EtcdServer) {
        let mut out = Outbox::untraced(self.now);
        for setting in &SETTINGS {
            let value = self.setting(setting);
            if value != (setting.get)(server) {
                (setting.set)(server, value, &mut out);
            }
        }
    }
}
