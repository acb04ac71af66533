//! Builds the Watch view from the world at the cursor and the trace of the run.

use crate::base::ids::StreamKey;
use crate::base::small_sort::SmallSort;
use crate::etcd::{CONTROL_MAX, StreamState};
use crate::mvcc::{WatcherId, WatcherState};
use crate::observe::Past;
use crate::shell::WatchPrint;
use crate::trace::{TraceEvent, WatchTrace};

use super::away::push_away;
use super::detail::detail;
use super::many::{axis_from, bins_and_ranges, stream_fill};
use super::rows::{Standing, WatcherRows, standings};
use super::{
    LastSync, NextSync, STREAMS_DRAWN, StreamView, WATCHERS_DRAWN, WatchLimitsView, WatchQuery,
    WatchView, WatcherPool,
};
use crate::view::names;
use crate::view::node_state;

/// The maximum number of table rows in one response.
const TABLE_ROWS_MAX: usize = 256;

/// The maximum number of watchers whose names the row of a stream contains.
const WATCHERS_NAMED: usize = 12;

/// Returns the Watch view at the cursor, without the guarantees. `print_of` takes the name of a
/// watch and returns its print options.
pub fn watch_view(
    m: Past<'_>,
    query: &WatchQuery,
    print_of: impl Fn(&str) -> WatchPrint,
) -> WatchView {
    let etcd = m.etcd();
    let kv = etcd.watchable();
    let (synced, unsynced, victims) = kv.counts();
    let standings = standings(m);
    let total = standings.len() as u64;
    let (picks, lowest) = kv.next_pass();
    let mut view = WatchView {
        now_us: m.world.now().0,
        revision: m.head(),
        compact_revision: kv.store().compact_rev(),
        limits: limits(m),
        synced,
        unsynced,
        victims,
        next_sync: next_sync(m, &picks, lowest),
        last_sync: last_sync(m),
        streams_total: etcd.watch_streams().count() as u64,
        ..WatchView::default()
    };
    let few: Vec<WatcherId> = if total <= WATCHERS_DRAWN {
        standings.iter().map(|s| s.id).collect()
    } else {
        Vec::new()
    };
    let table = table(m, &standings, query);
    let selected = query.selected.map(WatcherId);
    let shown = few.iter().chain(&table).copied().chain(selected);
    let rows = WatcherRows::new(m, shown);
    view.watchers = few.iter().filter_map(|id| rows.row(*id)).collect();
    view.table = table.iter().filter_map(|id| rows.row(*id)).collect();
    view.selected = selected.and_then(|id| detail(m, &rows, id, &picks, print_of));
    view.axis_from = axis_from(m, &standings, &view.watchers);
    if total > WATCHERS_DRAWN {
        bins_and_ranges(m, &standings, query.columns, &picks, &mut view);
    }
    if view.streams_total <= STREAMS_DRAWN {
        view.streams = etcd
            .watch_streams()
            .map(|(key, state)| stream(m, key, state))
            .collect();
    } else {
        view.stream_fill = Some(stream_fill(m));
    }
    push_away(m, &mut view);
    view
}

fn limits(m: Past<'_>) -> WatchLimitsView {
    let limits = m.etcd().watchable().limits();
    WatchLimitsView {
        channel: limits.channel,
        watchers_per_sync: limits.watchers_per_sync,
        batch_revs: limits.batch_revs,
        resync_us: limits.resync_period.0,
        victim_retry_us: limits.victim_retry.0,
    }
}

/// Returns the time until the next sync pass in microseconds; `None` if none is scheduled.
pub(in crate::view) fn until_sync_pass(m: Past<'_>) -> Option<u64> {
    m.world.until_sync_pass(m.member).map(|left| left.0)
}

fn next_sync(m: Past<'_>, picks: &[WatcherId], lowest: i64) -> Option<NextSync> {
    let in_us = until_sync_pass(m)?;
    (!picks.is_empty()).then(|| NextSync {
        in_us,
        picks: picks.len() as u64,
        from: lowest,
        to: m.head(),
    })
}

fn last_sync(m: Past<'_>) -> Option<LastSync> {
    let mark = m.watcher_log.last_sync_pass(m.step)?;
    let event = m.marked(&mark)?;
    let TraceEvent::Watch(WatchTrace::Swept {
        picked,
        from,
        to,
        rows,
        synced,
        compacted,
        victims,
        took_us,
        ..
    }) = &event.what
    else {
        return None;
    };
    Some(LastSync {
        ago_us: m.world.now().0.saturating_sub(event.at.0),
        now: m.is_new(event.step),
        picked: *picked,
        from: *from,
        to: *to,
        rows: *rows,
        took_us: *took_us,
        synced: *synced,
        victims: *victims,
        compacted: *compacted,
    })
}

/// Returns the watchers in the visible part of the table. The table is sorted by lag, the greatest first. Watchers with
/// the same lag are in the order of creation.
fn table(m: Past<'_>, standings: &[Standing<'_>], query: &WatchQuery) -> Vec<WatcherId> {
    if query.table_rows == 0 {
        return Vec::new();
    }
    let head = m.head();
    let mut all: Vec<(i64, WatcherId)> = standings.iter().map(|s| (s.next(head), s.id)).collect();
    all.small_sort();
    let first = usize::try_from(query.table_from).unwrap_or(usize::MAX);
    let rows = (query.table_rows as usize).min(TABLE_ROWS_MAX);
    let visible = all.into_iter().skip(first).take(rows);
    visible.map(|(_, id)| id).collect()
}

fn stream(m: Past<'_>, key: StreamKey, state: StreamState) -> StreamView {
    let kv = m.etcd().watchable();
    let on = kv.stream(state.store);
    let named = kv.watches_of(state.store).take(WATCHERS_NAMED);
    StreamView {
        id: state.store.0,
        client: m.world.node_name(key.client),
        channel: kv.channel_len(state.store),
        capacity: on.map_or(0, |s| s.capacity),
        requests: state.requests,
        recv_in_hand: state.recv_in_hand,
        control: state.control,
        control_capacity: CONTROL_MAX as u64,
        in_hand: state.in_hand,
        window_used: state.unread,
        window: m.etcd().watch_limits().window,
        client_state: node_state::of(m.world, key.client).text(),
        watchers: named
            .filter_map(|(_, id)| {
                let watcher = kv.watcher(id)?;
                Some((id.0, names::name(m.world, id, watcher), pool(m, id)))
            })
            .collect(),
        watchers_total: on.map_or(0, |s| s.watchers.len() as u64),
    }
}

/// Returns the pool that contains the watcher, such as synced or unsynced.
pub(in crate::view) fn pool(m: Past<'_>, id: WatcherId) -> WatcherPool {
    match m.etcd().watchable().state(id) {
        Some(WatcherState::Synced) | None => WatcherPool::Synced,
        Some(WatcherState::Unsynced) => WatcherPool::Unsynced,
        Some(WatcherState::Victim) => WatcherPool::Victim,
        Some(WatcherState::Compacted) => WatcherPool::Compacted,
    }
}
