//! The Messages view: one lane per node, arrows slanted by latency, time where something happens.
//!
//! Time is piecewise: a stretch in which nothing happens is folded, and the view says so. Places
//! are given in thousandths of the picture's width (or height on a phone), so that the engine
//! decides where things are and the page only draws.

mod bars;
pub mod build;
mod chain;
mod lanes;
mod repeat;
mod time;

use super::narrate::message::ArrowKind;
use serde::{Deserialize, Serialize};

/// What part of the traffic is visible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MessagesQuery {
    /// How many messages at most are drawn, the newest ones up to the step at hand.
    pub most: u32,
    /// The newest messages that are left out, so that older ones are seen.
    pub skipped: u64,
    /// The message that is selected.
    pub selected: Option<u64>,
}

/// The traffic up to one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MessagesView {
    /// The nodes from top to bottom.
    pub lanes: Vec<NodeLane>,
    /// Stretches of time from left to right.
    pub stretches: Vec<Stretch>,
    /// Arrows, oldest first.
    pub arrows: Vec<Arrow>,
    /// Waits: something stood still from here to there.
    pub bars: Vec<WaitBar>,
    /// Where the moment at hand is, in thousandths of the width.
    pub now: u32,
    /// The same in simulated microseconds.
    pub now_us: u64,
    /// Messages of the run up to now.
    pub total: u64,
    /// Newer messages that are left out.
    pub newer: u64,
    /// Messages that are drawn, with those in folds.
    pub covered: u64,
    /// The message that was asked for.
    pub selected: Option<MessageDetail>,
}

/// One node's line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeLane {
    /// Its name, e.g. `etcd` or `w1`.
    pub name: String,
    /// What it is, e.g. `member` or `client`.
    pub role: String,
    /// What is the matter with it now: `paused`, `cut off`, `slow 20 ms`, or nothing.
    pub state: String,
    /// Its clock, when it is wrong: `+2 s, 50 ppm`.
    pub clock: String,
}

/// A stretch of time, drawn to one scale or folded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    /// Its beginning in simulated microseconds.
    pub from_us: u64,
    /// Its end.
    pub to_us: u64,
    /// Where it begins in the picture, in thousandths.
    pub x0: u32,
    /// Where it ends.
    pub x1: u32,
    /// It is drawn shorter than it is, because nothing happens in it, or always the same.
    pub folded: bool,
    /// Rounds of messages in it, each like the one before it; 0 when nothing happens.
    pub repeated: u32,
    /// From one of these rounds to the next, in simulated microseconds.
    pub every_us: u64,
    /// Where labels of time stand: thousandths and text.
    pub ticks: Vec<(u32, String)>,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// It is on its way.
    #[default]
    Flying,
    /// It has arrived.
    Arrived,
    /// It was lost; the transport sends it again.
    Lost,
    /// It came twice; the second one is thrown away.
    Duplicate,
    /// The link holds it until it is released.
    Held,
    /// The connection broke under it.
    Broken,
}

/// A message, or several that look the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Arrow {
    /// The number of the (first) message; a try that was lost has one of its own.
    pub id: u64,
    /// Lane of the sender.
    pub from: u32,
    /// Lane of the receiver.
    pub to: u32,
    /// Where it left, in thousandths.
    pub x0: u32,
    /// Where it arrives, or will, or got lost.
    pub x1: u32,
    /// When it left, in simulated microseconds.
    pub sent_us: u64,
    /// When it arrives, or will.
    pub arrives_us: u64,
    /// What it is.
    pub kind: ArrowKind,
    /// What became of it.
    pub fate: Fate,
    /// A few words, e.g. `PUT /a at 7`.
    pub label: String,
    /// How many it stands for.
    pub count: u32,
    /// The step in which it was sent.
    pub step: u64,
    /// Its number in the chain of causes of the selected message.
    pub chain: Option<u32>,
}

/// Something that stood still.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WaitBar {
    /// The lane it stands on.
    pub lane: u32,
    /// Where it begins, in thousandths.
    pub x0: u32,
    /// Where it ends.
    pub x1: u32,
    /// What waited, e.g. `paused` or `unsynced, 63 ms`.
    pub label: String,
}

/// One message in every detail.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MessageDetail {
    /// Its number.
    pub id: u64,
    /// Names and texts: from, to, sent, arrived, size, what it says.
    pub fields: Vec<(String, String)>,
    /// Its causes, oldest first: number, step, simulated microseconds, sentence.
    pub why: Vec<(u32, u64, u64, String)>,
}
