//! Fixed views for the tests of the Watch view.

use watchglass_engine::view::WatchView;
use watchglass_engine::view::watch::{
    Lamp, LampView, LastSync, NextSync, RangeRow, StreamView, WatchLimitsView, WatcherBin,
    WatcherPool, WatcherView,
};

use WatcherPool::{Synced, Unsynced, Victim};

const HEAD: i64 = 5240;

fn watcher(id: u64, name: &str, range: &str, pool: WatcherPool, next: i64) -> WatcherView {
    WatcherView {
        id,
        name: name.to_owned(),
        stream: id / 2,
        watch_id: (id % 2) as i64,
        range: range.to_owned(),
        pool,
        next,
        behind: (HEAD - next + 1).max(0),
        ..WatcherView::default()
    }
}

fn lamp(name: &str, lamp: Lamp, detail: &str) -> LampView {
    LampView {
        name: name.to_owned(),
        lamp,
        detail: detail.to_owned(),
        explain: "What it promises.".to_owned(),
        step: None,
    }
}

fn base() -> WatchView {
    WatchView {
        now_us: 52_137_000,
        revision: HEAD,
        compact_revision: 1400,
        axis_from: 1000,
        limits: WatchLimitsView {
            channel: 128,
            watchers_per_sync: 512,
            batch_revs: 1000,
            resync_us: 100_000,
            victim_retry_us: 10_000,
        },
        lamps: vec![
            lamp("Ordered", Lamp::Holds, "by revision"),
            lamp("Unique", Lamp::Holds, "no repeats"),
            lamp("Atomic", Lamp::Holds, "whole revisions"),
            lamp("Reliable", Lamp::Holds, "no gaps"),
            lamp("Resumable", Lamp::Near, "D0 near the fence"),
            lamp("Bookmarkable", Lamp::Idle, "nobody asked yet"),
        ],
        ..WatchView::default()
    }
}

/// Returns a view of eight watchers: synced watchers, unsynced watchers, and a victim.
pub(super) fn few() -> WatchView {
    let mut view = base();
    view.watchers = vec![
        watcher(0, "A0", "/registry/pods/", Synced, HEAD + 1),
        watcher(1, "A1", "/registry/nodes/", Synced, HEAD + 1),
        watcher(2, "B0", "/registry/events/", Victim, 4381),
        watcher(3, "B1", "/registry/configmaps/", Synced, HEAD + 1),
        watcher(4, "C0", "/registry/", Unsynced, 3205),
        watcher(5, "D0", "/registry/", Unsynced, 1640),
        watcher(6, "D1", "/registry/nodes/", Unsynced, 4871),
        watcher(7, "C1", "/registry/services/", Synced, HEAD + 1),
    ];
    view.watchers[2].kept = Some(4380);
    view.watchers[4].sent = Some((2205, 3204));
    view.watchers[4].next_batch = Some((3205, 4204));
    view.watchers[4].changed = true;
    view.watchers[5].next_batch = Some((1640, 2639));
    view.watchers[6].next_batch = Some((4871, HEAD));
    view.watchers[6].events_behind = 3;
    (view.synced, view.unsynced, view.victims) = (4, 3, 1);
    view.next_sync = Some(NextSync {
        in_us: 63_000,
        picks: 3,
        from: 1640,
        to: HEAD,
    });
    view.last_sync = Some(LastSync {
        ago_us: 37_000,
        ..LastSync::default()
    });
    let stream = |id: u64, client: &str, channel: u32, state: &str, watchers: &[usize]| {
        let watchers = watchers.iter().filter_map(|at| view.watchers.get(*at));
        let watchers: Vec<_> = watchers
            .map(|watcher| (watcher.id, watcher.name.clone(), watcher.pool))
            .collect();
        StreamView {
            id,
            client: client.to_owned(),
            channel,
            capacity: 128,
            control_capacity: 16,
            recv_in_hand: 0,
            window_used: u64::from(channel) * 400,
            window: 65_535,
            client_state: state.to_owned(),
            watchers_total: watchers.len() as u64,
            watchers,
            ..StreamView::default()
        }
    };
    view.streams = vec![
        stream(0, "scheduler", 0, "", &[0, 1]),
        stream(1, "dashboard", 128, "paused", &[2, 3]),
        stream(2, "controller", 1, "slow", &[4, 7]),
        stream(3, "audit", 0, "", &[5, 6]),
    ];
    view.streams_total = 4;
    view
}

/// Returns a view of a thousand watchers.
pub(super) fn many() -> WatchView {
    let mut view = base();
    let count = |at: i64| (at * 7 % 23 + (60 - (at - 22).abs()) / 4).max(1) as u32;
    view.bins = (0..43)
        .map(|at| {
            let behind_fence = at < 4;
            let all = match at {
                0..4 => 0,
                4..10 => 4,
                _ => count(at),
            };
            WatcherBin {
                from: 1000 + at * 100,
                to: 1099 + at * 100,
                unsynced_now: all * 3 / 4,
                unsynced_later: all - all * 3 / 4,
                victims: u32::from(!behind_fence && at % 9 == 3) * 2,
            }
        })
        .collect();
    let row = |label: &str, part: u32, synced: u64| {
        let unsynced: Vec<u32> = view
            .bins
            .iter()
            .map(|bin| (bin.unsynced_now + bin.unsynced_later) / part)
            .collect();
        RangeRow {
            label: label.to_owned(),
            watchers: synced + unsynced.iter().map(|n| u64::from(*n)).sum::<u64>(),
            synced,
            victims: view.bins.iter().map(|bin| bin.victims / part).collect(),
            unsynced,
        }
    };
    view.ranges = vec![
        row("/registry/pods/", 2, 124),
        row("/registry/nodes/", 4, 80),
        row("/registry/leases/", 5, 84),
        row("17 other ranges", 6, 40),
    ];
    let unsynced = view
        .bins
        .iter()
        .map(|bin| u64::from(bin.unsynced_now + bin.unsynced_later));
    view.unsynced = unsynced.sum();
    view.victims = view.bins.iter().map(|bin| u64::from(bin.victims)).sum();
    view.synced = 328;
    view.next_sync = Some(NextSync {
        in_us: 63_000,
        picks: 512,
        from: 1412,
        to: HEAD,
    });
    view.stream_fill = Some([171, 62, 18, 9]);
    view.streams_total = 260;
    view
}
