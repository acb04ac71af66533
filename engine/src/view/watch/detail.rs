//! The details of one watcher: the forecast of its next event, its output, and the history of its state.

use crate::base::ids::NodeId;
use crate::base::small_sort::SmallSort;
use crate::base::time::SimDuration;
use crate::mvcc::{Watcher, WatcherId};
use crate::observe::{LoggedDelivery, Past, WatcherMark};
use crate::shell::{WatchPrint, print};
use crate::trace::{TraceEvent, WatchTrace};

use super::build::until_sync_pass;
use super::rows::WatcherRows;
use super::{LastResponse, WatcherDetail, WatcherPool};
use crate::view::narrate::{client, member};
use crate::view::node_state;
use crate::words::watch as words;

/// The maximum number of output lines to return.
const LINES_MAX: usize = 200;

/// The maximum size of the output, in bytes.
const PRINTED_BYTES_MAX: usize = 64 << 10;

/// The maximum number of sentences in the history of a watcher.
const WHY_MAX: usize = 30;

/// The maximum number of recorded state changes that are examined for the history of a watcher. One sentence can
/// describe many state changes.
const MARKS_MAX: usize = 2_000;

/// Returns the details of the selected watcher; `None` if the watcher does not exist.
pub(in crate::view) fn detail(
    m: Past<'_>,
    rows: &WatcherRows<'_>,
    id: WatcherId,
    picks: &[WatcherId],
    print_of: impl Fn(&str) -> WatchPrint,
) -> Option<WatcherDetail> {
    let etcd = m.etcd();
    let watcher = etcd.watchable().watcher(id)?;
    let row = rows.row(id)?;
    let key = etcd.stream_key(watcher.stream);
    Some(WatcherDetail {
        client: key.map_or_else(String::new, |key| m.world.node_name(key.client)),
        start_revision: asked_from(m, id).unwrap_or(watcher.start_rev),
        options: options(m, &row.name, watcher),
        last: last(m, id),
        forecast: forecast(m, rows, id, watcher, row.pool, picks),
        printed: printed(m, &row.name, &print_of(&row.name)),
        why: why(m, id, &row.name, key.map(|key| key.client)),
        watcher: row,
    })
}

/// Returns the start revision in the watch request.
fn asked_from(m: Past<'_>, id: WatcherId) -> Option<i64> {
    let first = m.watcher_log.of_watcher(id.0, m.step).first()?;
    match &m.marked(first)?.what {
        TraceEvent::Watch(WatchTrace::Created { start_rev, .. }) => Some(*start_rev),
        _ => None,
    }
}

fn options(m: Past<'_>, name: &str, watcher: &Watcher) -> Vec<String> {
    let asked = m.watch_log.watch(name).map(|record| record.options);
    let asked = asked.unwrap_or_default();
    let all = [
        (watcher.filters.no_put, "NOPUT"),
        (watcher.filters.no_delete, "NODELETE"),
        (asked.prev_kv, "prev_kv"),
        (asked.progress_notify, "progress_notify"),
        (asked.fragment, "fragment"),
    ];
    let on = all.into_iter().filter(|(on, _)| *on);
    on.map(|(_, name)| name.to_owned()).collect()
}

/// Returns the last response sent to the watcher.
fn last(m: Past<'_>, id: WatcherId) -> Option<LastResponse> {
    let marks = m.watcher_log.of_watcher(id.0, m.step);
    marks.iter().rev().find_map(|mark| {
        let sent = mark.sent?;
        Some(LastResponse {
            ago_us: m.world.now().0.saturating_sub(sent.at.0),
            events: sent.events.into(),
            header_revision: sent.header_revision,
            revisions: sent.revisions,
        })
    })
}

/// Describes the next event of the watcher, provided that nothing else happens before.
fn forecast(
    m: Past<'_>,
    rows: &WatcherRows<'_>,
    id: WatcherId,
    watcher: &Watcher,
    pool: WatcherPool,
    picks: &[WatcherId],
) -> String {
    let etcd = m.etcd();
    let kv = etcd.watchable();
    let on = kv.stream(watcher.stream);
    let full = on.is_some_and(|s| s.channel.len() >= s.capacity as usize);
    if m.world.is_paused(m.member) {
        return words::ETCD_PAUSED.into();
    }
    match pool {
        WatcherPool::Synced if full => words::CHANNEL_FULL.into(),
        WatcherPool::Synced if watcher.min_rev > m.head() + 1 => words::waits_for(watcher.min_rev),
        WatcherPool::Synced => words::UP_TO_DATE.into(),
        WatcherPool::Unsynced if !picks.contains(&id) => {
            words::pass_picks_others(until_pass(m), picks.len())
        }
        WatcherPool::Unsynced => unsynced(m, rows, watcher, full),
        WatcherPool::Victim => victim(m, watcher),
        WatcherPool::Compacted => words::COMPACTED.into(),
    }
}

fn until_pass(m: Past<'_>) -> Option<SimDuration> {
    until_sync_pass(m).map(SimDuration)
}

fn unsynced(m: Past<'_>, rows: &WatcherRows<'_>, watcher: &Watcher, full: bool) -> String {
    let kv = m.etcd().watchable();
    let left = until_pass(m);
    let floor = kv.store().compact_rev();
    if watcher.min_rev < floor {
        let wanted = watcher.min_rev;
        return match full {
            true => words::canceled_later(wanted, floor),
            false => words::pass_cancels(left, wanted, floor),
        };
    }
    let lack = rows.lack(watcher);
    let Some((from, to)) = lack.batch else {
        return words::pass_finds_nothing(left);
    };
    if full {
        return words::pass_finds_full_channel(left, from);
    }
    let most = u64::from(kv.limits().batch_revs);
    let more_passes = lack.revisions.div_ceil(most).saturating_sub(1);
    words::pass_sends(left, lack.batch_events, from, to, more_passes)
}

fn victim(m: Past<'_>, watcher: &Watcher) -> String {
    let etcd = m.etcd();
    let retry = etcd.watchable().limits().victim_retry;
    let behind = m.head().saturating_sub(watcher.min_rev).saturating_add(1);
    let newer = (behind > 0).then_some(watcher.min_rev);
    let key = etcd.stream_key(watcher.stream);
    let client = key.map(|key| node_state::of(m.world, key.client).text());
    words::victim(retry, &client.unwrap_or_default(), newer)
}

/// Returns the newest output lines of the watch, in the format of `recv`.
fn printed(m: Past<'_>, name: &str, how: &WatchPrint) -> String {
    let Some(newest) = m.watch_log.newest(name, m.step, LINES_MAX, LINES_MAX) else {
        return String::new();
    };
    let heard = newest.iter().map(|d: &&LoggedDelivery| &*d.response);
    let output = print::watch::responses(heard, how, m.world.config().profile);
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    let mut start = 0;
    let lines = text.lines().count();
    if lines > LINES_MAX {
        let cut = text.match_indices('\n').nth(lines - LINES_MAX - 1);
        start = cut.map_or(0, |(at, _)| at + 1);
    }
    start = start.max(text.len().saturating_sub(PRINTED_BYTES_MAX));
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.split_off(start)
}

/// Returns the history of the watcher: one sentence for each change in the state of the watcher, its client or its
/// node.
fn why(m: Past<'_>, id: WatcherId, name: &str, client: Option<NodeId>) -> Vec<(u64, String)> {
    let log = m.watcher_log;
    let of_node = client.map_or(&[][..], |node| log.of_node(node, m.step));
    let lists = [
        log.of_watcher(id.0, m.step),
        log.of_watch(name, m.step),
        of_node,
    ];
    let mut marks: Vec<WatcherMark> = lists
        .iter()
        .flat_map(|list| &list[list.len().saturating_sub(MARKS_MAX)..])
        .copied()
        .collect();
    marks.small_sort();
    let moves = marks.iter().filter_map(|mark| match &m.marked(mark)?.what {
        TraceEvent::Watch(WatchTrace::CaughtUp { .. } | WatchTrace::VictimSent { .. }) => {
            Some(mark.step)
        }
        _ => None,
    });
    let moved: Vec<u64> = moves.collect();
    let mut entries: Vec<HistoryEntry> = Vec::new();
    for mark in marks.iter().rev() {
        if entries.len() > WHY_MAX {
            break;
        }
        if let Some(next) = tell(m, mark) {
            // A response from a sync pass or a retry already has a sentence.
            if matches!(next, HistoryEntry::Handed(_)) && moved.binary_search(&mark.step).is_ok() {
                continue;
            }
            match (entries.last_mut(), next) {
                (Some(HistoryEntry::Handed(so_far)), HistoryEntry::Handed(before)) => {
                    so_far.grow(before)
                }
                (_, next) => entries.push(next),
            }
        }
    }
    entries.truncate(WHY_MAX);
    entries.reverse();
    entries.into_iter().map(HistoryEntry::sentence).collect()
}

/// An entry of the history: a sentence, or consecutive writes that the watcher received immediately.
enum HistoryEntry {
    Sentence(u64, String),
    Handed(Handed),
}

#[derive(Clone, Copy)]
struct Handed {
    step: u64,
    responses: u64,
    from: i64,
    to: i64,
}

impl Handed {
    /// Adds the earlier writes in `before` to this entry. The watcher received all these writes immediately.
    fn grow(&mut self, before: Self) {
        self.responses += before.responses;
        self.from = self.from.min(before.from);
    }
}

impl HistoryEntry {
    fn sentence(self) -> (u64, String) {
        match self {
            Self::Sentence(step, text) => (step, text),
            Self::Handed(h) if h.responses == 1 => (h.step, words::sent(h.from)),
            Self::Handed(h) => (h.step, words::sent_many(h.responses, h.from, h.to)),
        }
    }
}

fn tell(m: Past<'_>, mark: &WatcherMark) -> Option<HistoryEntry> {
    let sentence = |text| HistoryEntry::Sentence(mark.step, text);
    if let Some(sent) = mark.sent {
        let (from, to) = sent.revisions?;
        let one = from == to && sent.header_revision == to;
        return one.then_some(HistoryEntry::Handed(Handed {
            step: mark.step,
            responses: 1,
            from,
            to,
        }));
    }
    match &m.marked(mark)?.what {
        TraceEvent::Watch(what) => member::one(what, m).map(sentence),
        TraceEvent::Client(what) => client::one(what, m).map(sentence),
        _ => None,
    }
}
