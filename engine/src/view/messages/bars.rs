//! The bars in the Messages view. A bar marks a time span in which a node is paused, a link holds messages, or a
//! watcher is not synced.

use crate::base::small_sort::SmallSort;
use crate::base::time::{SimDuration, SimTime};
use crate::observe::traffic::{LaterKind, Message};
use crate::observe::{Past, WatcherMark};
use crate::trace::{ClientTrace, TraceEvent, WatchTrace};

use crate::words::messages as words;

use super::WaitBar;
use super::lanes::Lanes;
use super::time::TimeScale;

/// The maximum number of bars. The newest bars are drawn.
const BARS_MAX: usize = 16;

/// The maximum number of watchers for which bars are drawn. With more watchers, no watcher has bars, because the view
/// has no room for them.
const WATCHERS_MAX: usize = 64;

/// The maximum number of recorded state changes that are examined for each watcher.
const MARKS_MAX: usize = 500;

/// A time span in which a node or a message waits. The position of the bar in the view is computed later.
struct Wait {
    lane: u32,
    from: SimTime,
    to: SimTime,
    /// The label, which names the waiting node or message and the kind of wait.
    label: String,
    over: bool,
}

/// Returns the label of a wait, given the name of a watcher.
type WaitLabel = fn(&str) -> String;

pub(in crate::view) fn bars(
    m: Past<'_>,
    lanes: &Lanes,
    scale: &TimeScale,
    drawn: &[Message],
) -> Vec<WaitBar> {
    let mut waits = pauses(m, lanes, drawn);
    waits.extend(holds(m, lanes, drawn));
    waits.extend(watchers(m, lanes));
    let (first, last) = scale.ends();
    waits.retain(|w| w.to.0 > first && w.from.0 < last && w.to > w.from);
    waits.small_sort_by_key(|w| (w.to, w.from));
    let newest = waits.split_off(waits.len().saturating_sub(BARS_MAX));
    newest
        .into_iter()
        .map(|w| {
            let duration = duration(w.from, w.to);
            WaitBar {
                lane: w.lane,
                x0: scale.x(w.from.0),
                x1: scale.x(w.to.0),
                label: match w.over {
                    true => words::wait(&w.label, duration),
                    false => words::wait_so_far(&w.label, duration),
                },
            }
        })
        .collect()
}

fn duration(from: SimTime, to: SimTime) -> SimDuration {
    SimDuration(to.0.saturating_sub(from.0))
}

/// Returns the pauses of nodes, with the number of messages that wait for each node.
fn pauses(m: Past<'_>, lanes: &Lanes, drawn: &[Message]) -> Vec<Wait> {
    let now = m.world.now();
    let mut waits = Vec::new();
    for (node, lane) in lanes.nodes() {
        let mut since = None;
        let mut add = |from: SimTime, to: SimTime, over: bool| {
            let waiting = drawn.iter().filter(|message| {
                let arrived = |at: SimTime| from <= at && at <= to;
                message.to == node && waited_from(message, m.step).is_some_and(arrived)
            });
            let label = words::paused(waiting.count());
            waits.push(Wait {
                lane,
                from,
                to,
                label,
                over,
            });
        };
        for event in events(m, m.watcher_log.of_node(node, m.step)) {
            match &event.what {
                TraceEvent::Client(ClientTrace::Paused { .. }) => since = Some(event.at),
                TraceEvent::Client(ClientTrace::Resumed { .. }) => {
                    if let Some(from) = since.take() {
                        add(from, event.at, true);
                    }
                }
                _ => {}
            }
        }
        if let Some(from) = since {
            add(from, now, false);
        }
    }
    waits
}

/// Returns the time when a message arrived at a paused node and started to wait; `None` if the message does not wait.
fn waited_from(message: &Message, step: u64) -> Option<SimTime> {
    let mut later = message.later.iter().filter(|l| l.step <= step);
    let waits = later.find(|l| l.what == LaterKind::Waits)?;
    Some(waits.at)
}

/// Returns the bars for messages that a link holds.
fn holds(m: Past<'_>, lanes: &Lanes, drawn: &[Message]) -> Vec<Wait> {
    let held = drawn.iter().filter(|message| message.arrives.is_none());
    let mut waits: Vec<Wait> = Vec::new();
    for message in held {
        let mut later = message.later.iter().filter(|l| l.step <= m.step);
        let released = later.find_map(|l| match l.what {
            LaterKind::Released(_) | LaterKind::Broken => Some(l.at),
            LaterKind::Arrived | LaterKind::Waits | LaterKind::Delayed(_) => None,
        });
        let (lane, _) = lanes.ends(message);
        let to = released.unwrap_or(m.world.now());
        // Messages on the same lane with the same end of the wait share a bar.
        if waits.iter().any(|w| w.lane == lane && w.to == to) {
            continue;
        }
        waits.push(Wait {
            lane,
            from: message.sent,
            to,
            label: words::HELD.into(),
            over: released.is_some(),
        });
    }
    waits
}

/// Returns the time spans in which watchers were not synced. Each span is on the lane (row) of the watcher's client.
fn watchers(m: Past<'_>, lanes: &Lanes) -> Vec<Wait> {
    let mut waits = Vec::new();
    if m.watcher_log.watchers().nth(WATCHERS_MAX).is_some() {
        return waits;
    }
    for (watcher, _) in m.watcher_log.watchers() {
        let marks = m.watcher_log.of_watcher(watcher, m.step);
        let Some(lane) = marks.first().and_then(|mark| lane_of(m, lanes, mark)) else {
            continue;
        };
        let name = m.name_of(watcher);
        let mut state: Option<(WaitLabel, SimTime)> = None;
        let mut turn = |next: Option<WaitLabel>, at: SimTime, over: bool| {
            if let Some((label, from)) = state.take() {
                waits.push(Wait {
                    lane,
                    from,
                    to: at,
                    label: label(&name),
                    over,
                });
            }
            state = next.map(|next| (next, at));
        };
        let marks = &marks[marks.len().saturating_sub(MARKS_MAX)..];
        for event in events(m, marks) {
            let TraceEvent::Watch(what) = &event.what else {
                continue;
            };
            match what {
                WatchTrace::Created { synced: false, .. }
                | WatchTrace::VictimSent { synced: false, .. } => {
                    turn(Some(words::unsynced), event.at, true);
                }
                WatchTrace::BecameVictim { .. } => turn(Some(words::victim), event.at, true),
                WatchTrace::CaughtUp { more_from: 0, .. }
                | WatchTrace::VictimSent { synced: true, .. }
                | WatchTrace::Overtaken { .. }
                | WatchTrace::Canceled { .. }
                | WatchTrace::StreamClosed { .. } => turn(None, event.at, true),
                _ => {}
            }
        }
        turn(None, m.world.now(), false);
    }
    waits
}

fn lane_of(m: Past<'_>, lanes: &Lanes, first: &WatcherMark) -> Option<u32> {
    match &m.marked(first)?.what {
        TraceEvent::Watch(WatchTrace::Created { stream, .. }) => Some(lanes.lane(stream.client)),
        _ => None,
    }
}

fn events<'a>(
    m: Past<'a>,
    marks: &'a [WatcherMark],
) -> impl Iterator<Item = &'a crate::trace::Event> {
    marks.iter().filter_map(move |mark| m.marked(mark))
}
