//! Finds rounds of messages that repeat, such as a progress request every 100 ms. The first and the last round are
//! drawn. The rounds between them are folded into one piece of the time scale, which shows the number of rounds.

use crate::base::ids::NodeId;
use crate::observe::traffic::Message;
use crate::view::narrate::message;
use crate::view::narrate::message::ArrowKind;

/// The maximum number of similar consecutive rounds that the view draws without folding them.
const ROUNDS_DRAWN: usize = 3;
/// The minimum gap between two rounds, as a multiple of the typical travel time.
const QUIET: u64 = 8;
/// The tolerance for regular intervals: the lengths of two intervals may differ by at most one part in `INTERVAL_PART`.
const INTERVAL_PART: u64 = 5;

/// Consecutive similar rounds that the view folds instead of drawing them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Repeat {
    /// The start of the first round, in simulated microseconds.
    pub(super) from_us: u64,
    /// The end of the last round, in simulated microseconds.
    pub(super) to_us: u64,
    pub(super) rounds: u32,
    /// The interval between two rounds, in simulated microseconds.
    pub(super) every_us: u64,
    pub(super) messages: u64,
}

/// A round: messages that are sent shortly after one another.
#[derive(Clone, Debug, Default)]
struct Round {
    messages: Vec<Message>,
    from_us: u64,
    to_us: u64,
}

impl Round {
    fn looks(&self) -> impl Iterator<Item = (NodeId, NodeId, ArrowKind)> + '_ {
        let look = |m: &Message| (m.from, m.to, message::kind(m));
        self.messages.iter().map(look)
    }

    /// Returns true if both rounds consist of messages of the same kinds between the same nodes, without losses.
    fn is_like(&self, other: &Self) -> bool {
        let is_plain = |m: &Message| m.lost.is_empty() && !m.duplicated;
        let all_plain = self.messages.iter().chain(&other.messages).all(is_plain);
        all_plain && self.looks().eq(other.looks())
    }
}

/// Removes the middle of repeated rounds of messages. Does not remove a round if `spared` returns true for one of its
/// messages.
pub(super) fn take_out(
    messages: Vec<Message>,
    travel_us: u64,
    spared: impl Fn(&Message) -> bool,
) -> (Vec<Message>, Vec<Repeat>) {
    let rounds = rounds(messages, travel_us);
    let (mut kept, mut repeats) = (Vec::new(), Vec::new());
    let mut rest = rounds.as_slice();
    while let Some(first) = rest.first() {
        let alike = alike(rest, &spared);
        let (run, after) = rest.split_at(alike);
        rest = after;
        if alike <= ROUNDS_DRAWN {
            kept.extend(run.iter().flat_map(|round| round.messages.iter().cloned()));
            continue;
        }
        let (middle, last) = (&run[1..alike - 1], &run[alike - 1]);
        kept.extend(first.messages.iter().cloned());
        kept.extend(last.messages.iter().cloned());
        repeats.push(Repeat {
            from_us: middle[0].from_us,
            to_us: middle[middle.len() - 1].to_us,
            rounds: middle.len() as u32,
            every_us: (last.from_us - first.from_us) / (alike as u64 - 1),
            messages: middle.iter().map(|round| round.messages.len() as u64).sum(),
        });
    }
    (kept, repeats)
}

/// Returns the number of rounds at the start of the list that are similar and have regular intervals.
fn alike(rounds: &[Round], spared: impl Fn(&Message) -> bool) -> usize {
    let is_free = |round: &Round| !round.messages.iter().any(&spared);
    let first = &rounds[0];
    if !is_free(first) {
        return 1;
    }
    let mut alike = 1;
    let mut every = None;
    for pair in rounds.windows(2) {
        let interval = pair[1].from_us - pair[0].from_us;
        let usual = *every.get_or_insert(interval);
        let is_regular = interval.abs_diff(usual) * INTERVAL_PART < usual;
        if !is_regular || !is_free(&pair[1]) || !pair[1].is_like(first) {
            break;
        }
        alike += 1;
    }
    alike
}

fn rounds(messages: Vec<Message>, travel_us: u64) -> Vec<Round> {
    let mut rounds: Vec<Round> = Vec::new();
    for message in messages {
        let (from_us, to_us) = (message.sent.0, message.arrives.unwrap_or(message.sent).0);
        match rounds.last_mut() {
            Some(last) if from_us <= last.to_us + travel_us * QUIET => {
                last.to_us = last.to_us.max(to_us);
                last.messages.push(message);
            }
            _ => rounds.push(Round {
                messages: vec![message],
                from_us,
                to_us,
            }),
        }
    }
    rounds
}
