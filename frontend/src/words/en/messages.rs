//! The texts of the Messages view: the legend, the list, the tooltips, and the text alternative of the figure.

use watchglass_engine::view::MessagesView;
use watchglass_engine::view::messages::{Arrow, Fate, Stretch};

use super::common::count;
use crate::draw::text::{self, duration};

pub const VIEW: &str = "Messages between nodes over time";

/// The texts of an empty view: the heading, the explanation, and the explanation of the first command.
pub const NO_MESSAGES: &str = "No messages yet";
pub const ABOUT: &str = "Clients and servers exchange messages. Each arrow is a message from one lane to another; \
    the slant of the arrow shows how long the message takes.";
pub const SENDS_REQUEST: &str = "a request and its response";

/// The description of the list and its keyboard keys, for screen readers.
pub const LIST: &str =
    "Messages, oldest first. Arrow keys select a row, Enter inspects the message.";
pub const COLUMNS: [&str; 6] = ["Message", "From", "To", "Sent", "Duration", "State"];

/// The labels of the buttons that show other messages.
pub const OLDER: &str = "Older";
pub const NEWEST: &str = "Newest";

/// The names of the kinds of lines in the legend.
pub const REQUEST: &str = "request, response";
pub const WATCH_REQUEST: &str = "watch request";
pub const WATCH_RESPONSE: &str = "watch response";
pub const LOST: &str = "lost";
pub const MANY: &str = "many at once";
pub const WAITING: &str = "waiting";
pub const TIME_SKIPPED: &str = "time skipped";

/// Returns the numbers of the first and the last shown message, and the number of all messages.
pub fn shown(first: u64, last: u64, total: u64) -> String {
    let (first, last, total) = (text::count(first), text::count(last), text::count(total));
    [&first, "\u{2009}–\u{2009}", &last, " of ", &total].concat()
}

/// Returns the label of a skipped period.
pub fn skipped(stretch: &Stretch) -> String {
    match stretch.repeated {
        0 => [&length(stretch), " skipped"].concat(),
        rounds => format!("{rounds} rounds, every {}", duration(stretch.every_us)),
    }
}

/// Returns the short label of a skipped period, for a narrow column.
pub fn skipped_short(stretch: &Stretch) -> String {
    match stretch.repeated {
        0 => length(stretch),
        rounds => format!("×{rounds}"),
    }
}

fn length(stretch: &Stretch) -> String {
    duration(stretch.to_us.saturating_sub(stretch.from_us))
}

/// Returns the label of an arrow that represents many messages.
pub fn many(messages: u32) -> String {
    format!("×{messages}")
}

/// Returns the label of a message or of many equal messages.
pub fn message(arrow: &Arrow) -> String {
    let mut text = arrow.label.clone();
    if arrow.count > 1 {
        text.push(' ');
        text.push_str(&many(arrow.count));
    }
    text
}

pub fn tooltip(arrow: &Arrow) -> String {
    [&message(arrow), ", ", fate(arrow.fate)].concat()
}

/// Returns the words for the fate of a message, such as delivered or lost.
pub fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::Flying => "in flight",
        Fate::Arrived => "arrived",
        Fate::Lost => "lost, resent",
        Fate::Duplicate => "arrived twice, second copy ignored",
        Fate::Held => "held by the link",
        Fate::Broken => "lost with the connection",
    }
}

/// Returns the text alternative of the figure.
pub fn figure(view: &MessagesView) -> String {
    if view.total == 0 {
        return "No messages yet.".to_owned();
    }
    let names: Vec<&str> = view.lanes.iter().map(|lane| lane.name.as_str()).collect();
    let newer = match view.newer {
        0 => String::new(),
        newer => format!(", not counting the newest {newer}"),
    };
    let repeated = view.stretches.iter().filter(|stretch| stretch.repeated > 0);
    let repeated = repeated.map(|stretch| {
        let every = duration(stretch.every_us);
        format!(
            " {} similar rounds of messages are skipped, one every {every}.",
            stretch.repeated
        )
    });
    format!(
        "At {}, {} between {}; the last {}{newer}.{}",
        duration(view.now_us),
        count(view.total, "message", "messages"),
        names.join(", "),
        count(view.covered, "is shown", "are shown"),
        repeated.collect::<String>()
    )
}
