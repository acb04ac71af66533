//! Builds the Messages view: the newest messages up to the cursor, on a time scale that draws idle time narrower.

use crate::base::ordered::OrdMap;
use crate::base::small_sort::SmallSort;
use crate::base::time::SimTime;
use crate::observe::Past;
use crate::observe::traffic::{LaterKind, Message};
use crate::trace::EventId;

use super::bars::bars;
use super::chain::{ChainLink, chain, travels};
use super::lanes::{Lanes, lanes};
use super::repeat;
use super::repeat::Repeat;
use super::time::TimeScale;
use super::{Arrow, Fate, MessageDetail, MessagesQuery, MessagesView};
use crate::view::narrate::message;
use crate::view::narrate::message::ArrowKind;
use crate::view::narrate::watch::ends;
use crate::words::messages as words;

/// The number of messages to draw if the query does not set a number.
const MESSAGES_DEFAULT: usize = 80;
const MESSAGES_MAX: usize = 400;

/// The number of newest messages that are searched for repeated rounds (groups of messages that repeat at regular
/// intervals).
const POOL: usize = 400;
/// The maximum number of newest messages that a query can skip, to show older messages.
const SKIPPED_MAX: u64 = 10_000;

/// The minimum number of similar messages for which the view draws one arrow instead of an arrow for each message.
const BURST: usize = 5;
/// The maximum width of a group of messages that share one arrow, in thousandths of the width of the view.
const BURST_WIDTH: u32 = 8;

/// The typical travel time to assume if no message has arrived. It is the travel time over a loopback interface.
const TRAVEL_US: u64 = 250;

/// The delay before the first retransmission, in microseconds. Each further delay is twice as long, the same as in
/// `sim::network`.
const RETRANSMIT_US: u64 = 200_000;

/// The position of the attempt number among the bits of an arrow's ID. The lower bits contain the message ID.
const TRY_SHIFT: u32 = 40;

pub fn messages_view(m: Past<'_>, query: &MessagesQuery) -> MessagesView {
    let most = match query.most as usize {
        0 => MESSAGES_DEFAULT,
        n => n.min(MESSAGES_MAX),
    };
    let selected = query
        .selected
        .map(|id| EventId(id & ((1 << TRY_SHIFT) - 1)));
    let selected = selected.and_then(|id| m.recorded.message(id));
    let selected = selected.filter(|message| message.step <= m.step);
    let selected = selected.as_ref();
    let links = selected.map_or_else(Vec::new, |message| chain(m, message));
    let drawn = drawn(m, query, most, &links);
    let (drawn, repeats) = (&*drawn.messages, drawn.repeats);
    let lanes = lanes(m, drawn);
    let mut attempts: Vec<Attempt<'_>> = Vec::new();
    for message in drawn {
        attempts.extend(tries(m, message));
    }
    let mut scale = scale(m, &attempts, query.skipped == 0);
    for repeat in &repeats {
        scale.repeated(repeat);
    }
    let arrows = attempts
        .iter()
        .map(|attempt| arrow(m, attempt, &lanes, &scale, &links));
    let spared = |a: &Arrow| a.chain.is_some() || Some(a.id) == query.selected;
    let arrows = folded(arrows.collect(), spared);
    let in_folds: u64 = repeats.iter().map(|repeat| repeat.messages).sum();
    MessagesView {
        covered: drawn.len() as u64 + in_folds,
        newer: query.skipped,
        arrows,
        bars: bars(m, &lanes, &scale, drawn),
        now: scale.x(m.world.now().0),
        now_us: m.world.now().0,
        total: m.recorded.message_count(m.step),
        selected: selected.map(|message| detail(m, message, query, &links)),
        lanes: lanes.views,
        stretches: scale.stretches,
    }
}

/// The messages to draw, and the repeated rounds of messages between them, which the view folds.
struct Drawn {
    messages: Vec<Message>,
    repeats: Vec<Repeat>,
}

/// Returns the newest messages. Skips `query.skipped` messages, and removes the middle of repeated rounds.
fn drawn(m: Past<'_>, query: &MessagesQuery, most: usize, links: &[ChainLink]) -> Drawn {
    let skipped = query.skipped.min(SKIPPED_MAX) as usize;
    let mut messages = m.recorded.newest_messages(m.step, POOL + skipped);
    messages.truncate(messages.len().saturating_sub(skipped));
    let travel = typical(
        messages
            .iter()
            .filter_map(|m| Some(m.arrives?.0 - m.sent.0)),
    );
    let spared = |message: &Message| {
        Some(message.id.0) == query.selected.map(|id| id & ((1 << TRY_SHIFT) - 1))
            || links.iter().any(|link| link.message == Some(message.id))
    };
    let (mut messages, mut repeats) = repeat::take_out(messages, travel, spared);
    messages.drain(..messages.len().saturating_sub(most));
    let from = messages.first().map_or(0, |first| first.sent.0);
    repeats.retain(|repeat| repeat.from_us > from);
    Drawn { messages, repeats }
}

/// Returns the median of the given times, or the default if there are no times.
fn typical(times: impl Iterator<Item = u64>) -> u64 {
    let mut times: Vec<u64> = times.filter(|us| *us > 0).collect();
    times.small_sort();
    times.get(times.len() / 2).copied().unwrap_or(TRAVEL_US)
}

/// One attempt to deliver a message.
struct Attempt<'a> {
    message: &'a Message,
    /// The number of the attempt, from 0.
    attempt: u32,
    from_us: u64,
    to_us: u64,
    fate: Fate,
}

/// Returns the attempts to deliver the message that have started by the time at the cursor.
fn tries<'a>(m: Past<'_>, message: &'a Message) -> Vec<Attempt<'a>> {
    let now = m.world.now().0;
    let cut = m.recorded.cut(message, m.step).map(|at| at.0);
    let mut attempts = Vec::new();
    let mut leaves = message.sent.0;
    let mut wait = RETRANSMIT_US;
    for (attempt, lost) in (0..).zip(&message.lost) {
        if leaves > now || cut.is_some_and(|cut| cut <= leaves) {
            return attempts;
        }
        attempts.push(Attempt {
            message,
            attempt,
            from_us: leaves,
            to_us: lost.0,
            fate: Fate::Lost,
        });
        leaves += wait;
        wait *= 2;
    }
    if leaves > now || !attempts.is_empty() && cut.is_some_and(|cut| cut <= leaves) {
        return attempts;
    }
    let (fate, to) = outcome(m, message, cut);
    attempts.push(Attempt {
        message,
        attempt: message.lost.len() as u32,
        from_us: leaves,
        to_us: to.max(leaves),
        fate,
    });
    attempts
}

/// Returns the state of a message at the cursor, with the time when the message reached or will reach this state.
fn outcome(m: Past<'_>, message: &Message, cut: Option<u64>) -> (Fate, u64) {
    let mut arrives = message.arrives;
    let (mut arrived, mut broken) = (None, None);
    for later in message.later.iter().filter(|l| l.step <= m.step) {
        match later.what {
            LaterKind::Released(at) | LaterKind::Delayed(at) => arrives = Some(at),
            LaterKind::Waits | LaterKind::Arrived => arrived = arrived.or(Some(later.at)),
            LaterKind::Broken => broken = Some(later.at.0),
        }
    }
    match (arrived, cut.or(broken), arrives) {
        (Some(SimTime(at)), ..) if message.duplicated => (Fate::Duplicate, at),
        (Some(SimTime(at)), ..) => (Fate::Arrived, at),
        (None, Some(at), _) => (Fate::Broken, at),
        (None, None, Some(SimTime(at))) => (Fate::Flying, at),
        (None, None, None) => (Fate::Held, m.world.now().0),
    }
}

fn scale(m: Past<'_>, attempts: &[Attempt<'_>], is_newest: bool) -> TimeScale {
    let typical = typical(attempts.iter().map(|f| f.to_us - f.from_us));
    let ends = attempts.iter().flat_map(|f| [f.from_us, f.to_us]);
    let now = is_newest.then_some(m.world.now().0);
    TimeScale::new(ends.chain(now).collect(), typical)
}

fn arrow(
    m: Past<'_>,
    attempt: &Attempt<'_>,
    lanes: &Lanes,
    scale: &TimeScale,
    links: &[ChainLink],
) -> Arrow {
    let message = attempt.message;
    let (from, to) = lanes.ends(message);
    let number = links.iter().position(|l| l.message == Some(message.id));
    let last = attempt.attempt as usize == message.lost.len();
    let own = if last { 0 } else { attempt.attempt + 1 };
    Arrow {
        id: message.id.0 | u64::from(own) << TRY_SHIFT,
        from,
        to,
        x0: scale.x(attempt.from_us),
        x1: scale.x(attempt.to_us),
        sent_us: attempt.from_us,
        arrives_us: attempt.to_us,
        kind: message::kind(message),
        fate: attempt.fate,
        label: message::label(m, message),
        count: 1,
        step: message.step,
        chain: number.map(|n| n as u32 + 1),
    }
}

/// Replaces each group of similar arrows with one arrow.
fn folded(arrows: Vec<Arrow>, spared: impl Fn(&Arrow) -> bool) -> Vec<Arrow> {
    let mut open: OrdMap<(u32, u32, u8, u8), Vec<usize>> = OrdMap::new();
    let mut bursts: Vec<Vec<usize>> = Vec::new();
    for (i, arrow) in arrows.iter().enumerate() {
        if spared(arrow) {
            continue;
        }
        let key = (arrow.from, arrow.to, arrow.kind as u8, arrow.fate as u8);
        let burst = open.get_or_insert_with(key, Vec::new);
        if burst
            .first()
            .is_some_and(|first| arrow.x0 > arrows[*first].x0 + BURST_WIDTH)
        {
            bursts.push(std::mem::take(burst));
        }
        burst.push(i);
    }
    bursts.extend(open.values().cloned());
    bursts.retain(|burst| burst.len() >= BURST);
    let mut arrows: Vec<Option<Arrow>> = arrows.into_iter().map(Some).collect();
    for burst in bursts {
        let members: Vec<Arrow> = burst.iter().filter_map(|i| arrows[*i].take()).collect();
        arrows[burst[0]] = Some(one_of(&members));
    }
    arrows.into_iter().flatten().collect()
}

/// Returns one arrow that represents a group of similar arrows.
fn one_of(members: &[Arrow]) -> Arrow {
    let (first, last) = (&members[0], &members[members.len() - 1]);
    let same = members.iter().all(|a| a.label == first.label);
    let label = if same {
        first.label.clone()
    } else {
        let what = match first.kind {
            ArrowKind::Request => words::REQUESTS,
            ArrowKind::Answer => words::ANSWERS,
            ArrowKind::WatchControl => words::WATCH_REQUESTS,
            ArrowKind::WatchAnswer => words::WATCH_ANSWERS,
            ArrowKind::WatchEvents => words::RESPONSES_WITH_EVENTS,
        };
        what.to_owned()
    };
    Arrow {
        x1: last.x1.max(first.x0),
        arrives_us: last.arrives_us,
        label,
        count: members.len() as u32,
        ..first.clone()
    }
}

fn detail(
    m: Past<'_>,
    message: &Message,
    query: &MessagesQuery,
    links: &[ChainLink],
) -> MessageDetail {
    let (from, to) = ends(message, m);
    let mut fields: Vec<(String, String)> = vec![
        (words::FROM.into(), from),
        (words::TO.into(), to),
        (words::NUMBER.into(), message.number.to_string()),
        (words::SENT.into(), message.sent.to_string()),
    ];
    let cut = m.recorded.cut(message, m.step).map(|at| at.0);
    let (fate, at) = outcome(m, message, cut);
    let (name, text) = match fate {
        Fate::Flying | Fate::Lost => (words::ARRIVES, SimTime(at).to_string()),
        Fate::Arrived | Fate::Duplicate => (words::ARRIVED, SimTime(at).to_string()),
        Fate::Held => (words::ARRIVES, words::WHEN_RELEASED.into()),
        Fate::Broken => (words::LOST, words::lost_with_connection(SimTime(at))),
    };
    fields.push((name.into(), text));
    if message.bytes > 0 {
        fields.push((words::SIZE.into(), words::bytes(message.bytes)));
    }
    match message.lost.len() {
        0 => {}
        n => fields.push((words::LOST_ATTEMPTS.into(), n.to_string())),
    }
    fields.extend(message::fields(m, message));
    let mut why: Vec<(u32, u64, u64, String)> = (1..)
        .zip(links)
        .map(|(n, link)| (n, link.step, link.at_us, link.sentence.clone()))
        .collect();
    if why.is_empty() {
        why.push((1, message.step, message.sent.0, travels(m, message)));
    }
    MessageDetail {
        id: query.selected.unwrap_or(message.id.0),
        fields,
        why,
        on_its_way: (fate == Fate::Flying).then_some(message.number),
    }
}
