//! The Messages view: each node has a lane (a row), and each message is an arrow between two lanes. The slope of an
//! arrow shows the latency.
//!
//! The time scale consists of several pieces, because idle time is folded (drawn narrower) and marked. Positions along
//! the time scale are in thousandths of the width of the view or, on a phone, of its height. The engine computes the
//! layout, and the page only draws.

mod bars;
pub mod build;
mod chain;
pub(super) mod lanes;
mod repeat;
mod time;

use super::narrate::message::ArrowKind;
use serde::{Deserialize, Serialize};

/// The part of the Messages view to return.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MessagesQuery {
    /// The maximum number of messages to draw. The newest messages are drawn.
    pub most: u32,
    /// The number of newest messages to skip. Use this to show older messages.
    pub skipped: u64,
    /// The ID of the selected message.
    pub selected: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MessagesView {
    /// The lanes from top to bottom.
    pub lanes: Vec<NodeLane>,
    /// The pieces of the time scale, from left to right.
    pub stretches: Vec<Stretch>,
    /// The arrows, oldest first.
    pub arrows: Vec<Arrow>,
    /// The bars that mark waits of nodes and messages.
    pub bars: Vec<WaitBar>,
    /// The position of the cursor, in thousandths of the width of the view.
    pub now: u32,
    /// The simulated time at the cursor, in microseconds.
    pub now_us: u64,
    /// The number of messages in the run up to the cursor.
    pub total: u64,
    /// The number of newer messages that the query skipped.
    pub newer: u64,
    /// The number of messages in the shown time span, including the messages of rounds that are folded.
    pub covered: u64,
    pub selected: Option<MessageDetail>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeLane {
    /// The name of the node, for example `etcd` or `w1`.
    pub name: String,
    /// The role of the node, for example `member` or `client`.
    pub role: String,
    /// The reason why the node does not work normally: `paused`, `disconnected`, `slow 20 ms`. Empty if the node works.
    pub state: String,
    /// The error of the node's clock, such as `+2 s, 50 ppm`. Empty if the clock is correct.
    pub clock: String,
}

/// A piece of the time scale, which is either linear or folded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    pub from_us: u64,
    pub to_us: u64,
    /// The left end of the piece, in thousandths of the width.
    pub x0: u32,
    /// The right end of the piece, in thousandths of the width.
    pub x1: u32,
    /// Whether the piece is folded. A piece is folded if nothing happens in it, or if it contains repeated rounds of
    /// messages.
    pub folded: bool,
    /// The number of repeated rounds of messages in a folded piece; 0 if the piece is idle.
    pub repeated: u32,
    /// The time between the starts of two consecutive rounds, in simulated microseconds.
    pub every_us: u64,
    /// The time labels on the piece. Each label contains a position in thousandths and a text.
    pub ticks: Vec<(u32, String)>,
}

/// The state of a message on its way to the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    #[default]
    Flying,
    Arrived,
    /// The message was lost. The transport retransmits it.
    Lost,
    /// The message arrived twice. The receiver discards the second copy.
    Duplicate,
    /// The link holds the message until `net … release`.
    Held,
    /// The connection broke before the message arrived.
    Broken,
}

/// A message, or a group of similar messages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Arrow {
    /// The ID of the first message in the group. Each lost attempt to deliver a message has an ID of its own.
    pub id: u64,
    /// The lane of the sender.
    pub from: u32,
    /// The lane of the receiver.
    pub to: u32,
    /// The position of the start of the arrow, in thousandths of the width.
    pub x0: u32,
    /// The position of the end of the arrow (arrival or loss), in thousandths of the width.
    pub x1: u32,
    pub sent_us: u64,
    /// The time of the end: the actual or expected arrival, or the loss, in simulated microseconds.
    pub arrives_us: u64,
    pub kind: ArrowKind,
    pub fate: Fate,
    /// A short label, for example `PUT /a at 7`.
    pub label: String,
    /// The number of messages that the arrow stands for.
    pub count: u32,
    /// The number of the step in which the message was sent.
    pub step: u64,
    /// The position of the arrow in the selected message's chain of causes, counted from 1; `None` if the arrow is not
    /// in the chain.
    pub chain: Option<u32>,
}

/// A bar for a time span in which a node is paused, a link holds messages, or a watcher is not synced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WaitBar {
    pub lane: u32,
    /// The left end of the bar, in thousandths of the width.
    pub x0: u32,
    /// The right end of the bar, in thousandths of the width.
    pub x1: u32,
    /// The label, for example `paused` or `unsynced, 63 ms`.
    pub label: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MessageDetail {
    pub id: u64,
    /// The fields of the message, each as a name and a value: the sender, the receiver, times, the size and the
    /// content.
    pub fields: Vec<(String, String)>,
    /// The chain of causes, oldest first. Each entry contains a position, a step, a time in simulated microseconds, and
    /// a sentence.
    pub why: Vec<(u32, u64, u64, String)>,
    /// The number of the message in the command `delay`, if the message is on its way at the cursor.
    pub on_its_way: Option<u64>,
}
