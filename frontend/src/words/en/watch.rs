//! The texts of the Watch view: pools, limits, streams, guarantees, labels in the picture, columns of the table, and
//! the text alternative of the figure.

use watchglass_engine::view::WatchView;
use watchglass_engine::view::watch::{
    Lamp, LampView, ReceivedView, StreamView, WatcherPool, WatcherView,
};
use yew::prelude::*;

use crate::draw::text;
use crate::draw::text::{bytes, duration, grouped, range};

pub const VIEW: &str = "Watch: watchers by the revision they wait for";
pub const GRID: &str = "Watchers. Arrow keys select a row, Enter inspects it.";
pub const COLUMNS: [&str; 7] = [
    "Watcher",
    "Keys",
    "Pool",
    "Next revision",
    "Behind",
    "Client",
    "Stream",
];

/// The texts that the Watch view shows if there are no watchers.
pub const NO_WATCHERS: &str = "No watchers yet";
pub const ABOUT: &str = "A watch is a standing request for all changes to some keys, starting at a \
    given revision. Each watcher appears at the revision it waits for. The distance between this revision and the \
    newest revision shows the lag of the watcher.";
pub const FROM_NOW: &str = "from now on";
pub const FROM_REVISION: &str = "from revision 2 on";

pub const AWAY: &str = "Watches without a watcher in etcd";

/// The texts beside the bands, which contain the watchers of one pool each.
pub const ABOUT_VICTIMS: &str = "The channel of a victim was full. etcd holds the batch that did not fit into the \
    channel and retries the batch.";
pub const ABOUT_WATCHERS_PER_PASS: &str = "The maximum number of unsynced watchers in one sync pass. etcd does not \
    pick the slowest watchers first.";
pub const ABOUT_REVISIONS_EACH: &str = "The maximum number of revisions in one response. Later revisions wait for \
    the next sync pass; a revision is never split.";
pub const IN_THE_WRITE: &str = "notified in the same write";
pub const OVERTAKEN: &str = "overtaken by compaction";
pub const TO_NEXT_PASS: &str = "to the next pass";

/// The texts about the guarantees of watches.
pub const GUARANTEES: &str = "Guarantees";
pub const NOT_EXERCISED: &str = "not exercised yet";

/// The name of the section with the streams of watches.
pub const STREAMS: &str = "Streams";
/// The label for streams whose channel is empty.
pub const EMPTY_CHANNEL: &str = "empty";

/// The headings and captions in the picture of the Watch view.
pub const NEXT_REVISION: &str = "next revision";
/// The headings of the columns beside the watchers, in two lines each.
pub const BEHIND: [&str; 2] = ["watcher", "behind"];
pub const MISSING: [&str; 2] = ["client", "misses"];
pub const WATCHERS_HEADING: [&str; 2] = ["", "watchers"];
pub const BY_KEY_RANGE: &str = "by key range";
pub const DARKER: &str = "darker: more watchers";

/// Returns the name of a pool. If etcd has a name for the pool, returns this name.
pub fn pool(pool: WatcherPool) -> &'static str {
    match pool {
        WatcherPool::Victim => "victims",
        WatcherPool::Unsynced => "unsynced",
        WatcherPool::Synced => "synced",
        WatcherPool::Compacted => "canceled",
    }
}

pub fn state(pool: WatcherPool) -> &'static str {
    match pool {
        WatcherPool::Victim => "victim",
        WatcherPool::Unsynced => "unsynced",
        WatcherPool::Synced => "synced",
        WatcherPool::Compacted => "canceled",
    }
}

/// Returns the last words of a list that omits some items.
pub fn and_more(more: &str) -> String {
    ["and ", more, " more"].concat()
}

/// Returns the interval between retries for victims.
pub fn retried_every(us: u64) -> String {
    ["retried every ", &duration(us)].concat()
}

/// Returns the maximum number of watchers in a sync pass.
pub fn watchers_per_pass(most: u32) -> String {
    ["≤ ", &grouped(most.into()), " watchers a pass"].concat()
}

/// Returns the maximum number of revisions in a response.
pub fn revisions_each(most: u32) -> String {
    ["≤ ", &grouped(most.into()), " revisions each"].concat()
}

/// Returns the explanation of the sync passes.
pub fn about_passes(period_us: u64) -> String {
    [
        "Every ",
        &duration(period_us),
        " a sync pass reads the missing revisions of the unsynced watchers once and sends \
         each watcher the events of its keys. If a pass syncs some watchers and leaves others unsynced, the next pass \
         follows immediately.",
    ]
    .concat()
}

/// Returns the number of watchers that the next sync pass handles, for the legend of the columns.
pub fn in_this_pass(watchers: u64) -> String {
    [&text::count(watchers), " in this pass"].concat()
}

/// Returns the number of watchers that later sync passes handle, for the legend of the columns.
pub fn in_later_pass(watchers: u64) -> String {
    [&text::count(watchers), " in a later pass"].concat()
}

/// Returns the heading of the streams.
pub fn shared_channel(capacity: u32) -> String {
    let responses = match capacity {
        1 => " response",
        _ => " responses",
    };
    let capacity = capacity.to_string();
    [
        "Watches on one stream share a channel of ",
        &capacity,
        responses,
    ]
    .concat()
}

/// The explanations of the loops of a stream and of the control channel.
pub const ABOUT_RECV_LOOP: &str = "recvLoop handles the requests of the client: create, cancel and progress. If the \
    control channel is full, it holds its response and waits.";
pub const ABOUT_CONTROL: &str = "The channel for the responses of recvLoop to creates and cancels and, up to etcd \
    3.4, to progress requests. Later versions put progress into the channel of the events.";
pub const ABOUT_SEND_LOOP: &str = "sendLoop takes responses from both channels and sends them, until too many bytes \
    are unread. Here it takes them in the order in which they were queued; in etcd, either channel can be first.";

/// Returns the parts of a stream between its client and the channel of events: the name of each part, its content, an
/// explanation, and whether the part is at rest.
pub fn loops(stream: &StreamView) -> [(&'static str, String, String, bool); 3] {
    let requests = match stream.requests {
        0 => "none waits".to_owned(),
        1 => "1 request waits".to_owned(),
        waiting => [&text::count(waiting), " requests wait"].concat(),
    };
    let receives = match stream.recv_in_hand {
        0 => requests,
        held => ["holds ", &text::count(held), ", ", &requests].concat(),
    };
    let control = [
        stream.control.to_string(),
        stream.control_capacity.to_string(),
    ];
    let unread_bytes = [&bytes(stream.window_used), " unread"].concat();
    let sends = match stream.in_hand {
        0 => unread_bytes,
        held => ["holds ", &text::count(held), ", ", &unread_bytes].concat(),
    };
    [
        (
            "recvLoop",
            receives,
            ABOUT_RECV_LOOP.to_owned(),
            stream.requests == 0 && stream.recv_in_hand == 0,
        ),
        (
            "control",
            control.join("/"),
            ABOUT_CONTROL.to_owned(),
            stream.control == 0,
        ),
        (
            "sendLoop",
            sends,
            [ABOUT_SEND_LOOP, " ", &unread(stream)].concat(),
            stream.window_used == 0 && stream.in_hand == 0,
        ),
    ]
}

/// Describes the bytes that the client of a stream has not read.
fn unread(stream: &StreamView) -> String {
    let (used, most) = (bytes(stream.window_used), bytes(stream.window));
    ["Bytes sent but not read: ", &used, " of ", &most].concat()
}

/// Returns the heading of the histogram of streams by the fill of their channels.
pub fn streams_by_fill(streams: u64, capacity: u32) -> String {
    let (streams, capacity) = (text::count(streams), capacity.to_string());
    [
        &streams,
        " streams, by responses in the channel (maximum ",
        &capacity,
        ")",
    ]
    .concat()
}

/// Returns the label of the streams whose channel is full.
pub fn full_channel(capacity: u32) -> String {
    ["full, ", &capacity.to_string()].concat()
}

/// Returns the label of a compaction that the user is typing and that would cancel no watch.
pub fn cancels_none(revision: i64) -> String {
    [&would_cancel(revision), "no watch"].concat()
}

/// Returns the label of a compaction that the user is typing, with the names of the watches that the compaction would
/// cancel.
pub fn cancels(revision: i64, names: &[String]) -> String {
    [would_cancel(revision), names.join(", ")].concat()
}

/// Returns the label of a compaction that the user is typing, with the number of watches that the compaction would
/// cancel.
pub fn cancels_many(revision: i64, watches: u64) -> String {
    [would_cancel(revision), watches.to_string()].concat()
}

fn would_cancel(revision: i64) -> String {
    ["compact ", &grouped(revision), " would cancel "].concat()
}

/// Returns the label of the compaction line.
pub fn compacted(revision: i64) -> String {
    ["compacted ", &grouped(revision)].concat()
}

/// Returns the labels of the revisions that the current sync pass has read, the longest first. The labels have the
/// duration of a pass that takes longer than usual, so that writes wait for its end.
pub fn this_pass_read(from: i64, to: i64, took_us: u64) -> [String; 2] {
    let range = range(from, to);
    let took = match took_us {
        ..=1_000 => String::new(),
        longer => [" in ", &duration(longer)].concat(),
    };
    [
        format!("this pass read {range} once{took}"),
        format!("read {range}{took}"),
    ]
}

/// Returns the labels of the revisions that the next sync pass reads, the longest first.
pub fn next_pass_reads(from: i64, to: i64) -> [String; 2] {
    let range = range(from, to);
    [
        ["the next pass reads ", &range, " once"].concat(),
        ["next ", &range].concat(),
    ]
}

/// Returns the label of the batch that a victim holds.
pub fn holds(revision: i64) -> String {
    ["holds revision ", &grouped(revision)].concat()
}

/// Returns the label of the batch that was sent.
pub fn sent(from: i64, to: i64) -> String {
    ["sent ", &range(from, to)].concat()
}

/// Returns the label of the batch for the next sync pass.
pub fn next_batch(head: i64, watcher: &WatcherView, from: i64, to: i64) -> String {
    if to < head {
        return ["next ", &range(from, to)].concat();
    }
    match watcher.events_behind {
        0 => "next pass: no event, then synced".to_owned(),
        1 => "next pass: 1 event, then synced".to_owned(),
        count => ["next pass: ", &text::count(count), " events, then synced"].concat(),
    }
}

/// Describes a watcher in a sentence.
pub fn title(watcher: &WatcherView) -> String {
    let mut text = format!(
        "{}, {}, {}, waits for revision {}",
        watcher.name,
        watcher.range,
        state(watcher.pool),
        watcher.next
    );
    if watcher.behind > 0 {
        text.push_str(", ");
        text.push_str(&watcher.behind.to_string());
        text.push_str(" behind");
    }
    if let Some(client) = watcher.client {
        let [said, _] = received(client);
        text.push_str(", ");
        text.push_str(&said);
    }
    text
}

/// Formats the number of events that a client misses, for a cell of a column.
pub fn missing(client: ReceivedView) -> String {
    text::count(client.missing)
}

/// Returns a text about the revision that a client has received.
pub fn received_up_to(client: ReceivedView) -> String {
    format!("client at revision {}", grouped(client.revision))
}

/// Returns a long and a short text about the events that a client has received.
pub fn received(client: ReceivedView) -> [String; 2] {
    let revision = received_up_to(client);
    match client.missing {
        0 => [revision, format!("client {}", grouped(client.revision))],
        missing => [
            format!("{revision}, {} missing", events(missing)),
            format!(
                "{} missing",
                grouped(i64::try_from(missing).unwrap_or(i64::MAX))
            ),
        ],
    }
}

fn events(count: u64) -> String {
    match count {
        1 => "1 event".to_owned(),
        count => format!(
            "{} events",
            grouped(i64::try_from(count).unwrap_or(i64::MAX))
        ),
    }
}

/// Returns the text alternative of the figure.
pub fn figure(view: &WatchView) -> String {
    let all = view.synced + view.unsynced + view.victims;
    if all == 0 && view.watchers.is_empty() {
        let mut text = "No watchers.".to_owned();
        push_away(&mut text, view);
        return text;
    }
    let mut text = format!("At revision {}", view.revision);
    for (before, number, name) in [
        (": ", all, "watchers"),
        (", ", view.synced, "synced"),
        (", ", view.unsynced, "unsynced"),
        (", ", view.victims, "victims"),
    ] {
        if before == ": " || number > 0 {
            text.push_str(before);
            text.push_str(&number.to_string());
            text.push(' ');
            text.push_str(if number == 1 {
                name.trim_end_matches('s')
            } else {
                name
            });
        }
    }
    text.push('.');
    if let Some(next) = &view.next_sync {
        text.push_str(" The next sync pass, in ");
        text.push_str(&duration(next.in_us));
        text.push_str(", handles ");
        text.push_str(&next.picks.to_string());
        text.push_str(" of them and ");
        // Every selected watcher needs a compact revision, so the sync pass has nothing to read.
        if next.from > next.to {
            text.push_str(
                "cancels these watchers because the revisions that they need are compacted.",
            );
        } else {
            text.push_str("reads revisions ");
            text.push_str(&next.from.to_string());
            text.push_str(" to ");
            text.push_str(&next.to.to_string());
            text.push('.');
        }
    }
    if view.compact_revision > 0 {
        text.push_str(" Compacted at ");
        text.push_str(&view.compact_revision.to_string());
        text.push('.');
    }
    push_away(&mut text, view);
    text
}

/// Appends a sentence for each watch without a watcher.
fn push_away(text: &mut String, view: &WatchView) {
    for watch in &view.away {
        for part in [
            " ",
            &watch.name,
            ", ",
            watch.state.word(),
            ": ",
            &watch.about,
            ".",
        ] {
            text.push_str(part);
        }
    }
}

/// Returns the state of a guarantee in words.
pub fn lamp(lamp: &LampView) -> &'static str {
    match lamp.lamp {
        Lamp::Idle => NOT_EXERCISED,
        Lamp::Holds => "holds",
        Lamp::Near => "near its limit",
        Lamp::Broken => "broken",
    }
}

/// Returns the state of a guarantee for screen readers, which read the state between the guarantee's name and its note.
pub fn lamp_between(view: &LampView) -> String {
    [", ", lamp(view), ": "].concat()
}

pub fn lamp_state(view: &LampView) -> String {
    [&view.name, ": ", lamp(view)].concat()
}

/// Returns a guarantee with its definition.
pub fn lamp_explained(view: &LampView) -> Html {
    html! { <><b>{ &view.name }{ ": " }</b>{ &view.explain }</> }
}

/// Returns the label of the guarantees that have not been exercised.
pub fn idle_lamps(idle: usize, all: usize) -> String {
    let number = idle.to_string();
    match idle == all {
        true => [&number, " guarantees"].concat(),
        false => [&number, " more"].concat(),
    }
}
