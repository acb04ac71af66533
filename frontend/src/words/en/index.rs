//! The texts of the Index view: controls, legend, tooltip, cells of the table, labels in the picture, and the text
//! alternative of the figure.

use watchglass_engine::view::{Bead, BeadState, Bin, IndexView, Lane, Thread};
use yew::prelude::*;

use super::common::count;
use crate::draw::text::grouped;

pub const VIEW: &str = "Index: keys by revision";
/// The description of the table and its keyboard keys, for screen readers.
pub const GRID: &str =
    "Keys and their changes. Arrow keys move the focus, Enter inspects, plus and minus zoom.";

/// The texts of the Index view if there is nothing to draw.
pub const NOTHING_WRITTEN: &str = "Nothing written yet";
pub const ABOUT: &str = "Each key gets a lane, and each write gets a bead at its revision.";
pub const SHOW_ALL_KEYS: &str = "Show all keys";

/// The labels of the controls below the picture.
pub const CONTROLS: &str = "Controls of the picture";
pub const FILTER_LABEL: &str = "Show keys that contain";
pub const FILTER: &str = "Filter";
pub const ORDER: &str = "Order of the keys";
pub const BY_KEY: &str = "By key";
pub const BY_CREATION: &str = "By creation";
pub const ABOUT_FOLD: &str = "Show or hide the keys that do not change in the visible revisions";
pub const FOLLOW: &str = "Follow";
pub const ABOUT_FOLLOW: &str = "Follow the newest revision again";
pub const OLDER: &str = "Older revisions";
pub const NEWER: &str = "Newer revisions";
pub const ZOOM_OUT: &str = "Zoom out (-)";
pub const ZOOM_IN: &str = "Zoom in (+)";
pub const FIT: &str = "Fit the whole run (0)";

/// The names of the shapes in the legend of the Index view.
pub const LIVE: &str = "live";
pub const SUPERSEDED: &str = "superseded";
pub const DELETED: &str = "deleted";
pub const GENERATION: &str = "generation";
pub const CHANGED: &str = "just changed";
pub const READ: &str = "read";
pub const RETURNED: &str = "in the response";
pub const RANGE: &str = "range of keys";
pub const TRANSACTION: &str = "one transaction";
pub const COMPACTED: &str = "compacted";
pub const KEPT: &str = "kept";
pub const BEING_REMOVED: &str = "being removed";
pub const REMOVED: &str = "removed";
pub const WATCHED: &str = "watched";
pub const SYNCED: &str = "synced watcher";
pub const UNSYNCED: &str = "unsynced watcher";
pub const VICTIM: &str = "victim";
pub const MISSING: &str = "missing revisions";
pub const SELECTED: &str = "selected";
pub const FOCUSED: &str = "focused";

/// The headings in the picture of the Index view.
pub const CACHES: &str = "caches";
pub const WATCHERS: &str = "watchers";

/// Returns the text that counts the watchers at one place for whose names there is no room.
pub fn more_watchers(number: usize) -> String {
    format!("+{number}")
}

/// The heading and the columns of the table of rows below the lanes.
pub const STORE_ROWS: &str = "Rows of the store, newest first";
pub const STORE_COLUMNS: [&str; 6] = ["revision", "key", "value", "version", "generation", "state"];

/// Returns the text of the table's last line, which counts the older rows that the table does not show.
pub fn older_rows(number: usize) -> String {
    ["… ", &count(number as u64, "older row", "older rows")].concat()
}

/// The names of the fields of the tooltip.
pub const GENERATIONS: &str = "generations";
pub const CHANGES_IN_LAST: &str = "changes in last generation";
pub const REVISION: &str = "revision";
pub const VERSION: &str = "version";
pub const VALUE: &str = "value";
pub const REVISIONS: &str = "revisions";
pub const CHANGES: &str = "changes";
/// The explanations in the tooltip.
pub const SELECT_KEY: &str = "Select the key to inspect its generations and bytes.";
pub const ZOOM_FOR_CHANGES: &str = "Zoom in to see single changes.";

pub fn no_key_contains(filter: &str) -> Html {
    html! { <>{ "No key contains " }<code>{ filter }</code></> }
}

/// Returns the text below the picture with the number of keys: the matching keys and all keys, or only all keys.
pub fn keys_found(matching: Option<u32>, total: u32) -> String {
    let keys = if total == 1 { " key" } else { " keys" };
    let total = total.to_string();
    match matching {
        Some(matching) => [&matching.to_string(), " of ", &total, keys].concat(),
        None => [&total, keys].concat(),
    }
}

/// Returns the label of the button that hides (folds) unchanged keys. `folded` is the number of folded keys; `None`
/// while nothing is folded.
pub fn fold(folded: Option<u32>) -> String {
    match folded {
        None => "Fold unchanged".to_owned(),
        Some(0) => "No unchanged keys".to_owned(),
        Some(1) => "1 more key, unchanged".to_owned(),
        Some(count) => [&count.to_string(), " more keys, unchanged"].concat(),
    }
}

/// Returns the tooltip's text that says whether a key exists.
pub fn key_state(lane: &Lane) -> &'static str {
    if lane.alive { "exists" } else { "deleted" }
}

/// Returns the tooltip's text with a state and the meaning of the state.
pub fn explained(state: &str, gloss: &str) -> Html {
    html! { <><b>{ state }</b>{ ". " }{ gloss }</> }
}

/// Returns the short name of a generation.
pub fn generation(number: u32) -> String {
    ["g", &number.to_string()].concat()
}

/// Formats the number of changes of a generation.
pub fn changes(number: i64) -> String {
    let word = if number == 1 { "change" } else { "changes" };
    [&grouped(number), word].join(" ")
}

/// Returns the labels of a generation, the longest first. A label shows the number of changes and no version, because a
/// tombstone counts as a change but has no version that clients see.
pub fn generation_labels(number: u32, count: i64) -> [String; 2] {
    let short = generation(number);
    [[&short, " · ", &changes(count)].concat(), short]
}

/// Returns the label of the compaction line.
pub fn compacted(revision: i64) -> String {
    ["compacted ", &revision.to_string()].concat()
}

/// Returns the label of a read that found `found` keys and returned `returned` of them; `None` if the request asks only
/// for the count.
pub fn found(command: &str, found: i64, returned: Option<i64>) -> String {
    let keys = count(found.unsigned_abs(), "key", "keys");
    match (found, returned) {
        (1, Some(1) | None) => command.to_owned(),
        (found, Some(returned)) if returned < found => {
            format!("{command} · {returned} of {keys}")
        }
        _ => [command, " · ", &keys].concat(),
    }
}

/// Returns the label of a read that the reader typed at an earlier step.
pub fn your_read(command: &str) -> String {
    ["your read: ", command].concat()
}

/// Returns the label of a read that etcd refused.
pub fn refused(command: &str, why: &str) -> String {
    [command, " refused: ", why].concat()
}

/// Returns the label of a read that etcd refused, without the reason.
pub fn refused_in_short(command: &str) -> String {
    [command, " refused"].concat()
}

/// Returns the label of a cache whose revision is before the visible revisions.
pub fn cache_before(server: &str, revision: i64) -> String {
    ["‹ ", server, " at ", &grouped(revision)].concat()
}

/// Returns the state of a change in words.
pub fn state(bead: &Bead, pinned: bool) -> &'static str {
    match bead.state {
        BeadState::Live if pinned => "live, kept by the compaction",
        BeadState::Live => "live",
        BeadState::Superseded => "superseded",
        BeadState::Kept => "kept by the compaction",
        BeadState::Doomed => "compacted, row still to be removed",
        BeadState::Gone => "removed by the compaction",
        BeadState::Tombstone => "tombstone",
    }
}

/// Returns the meaning of a change's state.
pub fn gloss(bead: &Bead) -> &'static str {
    match bead.state {
        BeadState::Live => "The key's current value: a get without --rev returns this value.",
        BeadState::Superseded => {
            "A later put replaced this value; a get with --rev still returns this value."
        }
        BeadState::Kept => {
            "This value was written at or before the compact revision and was current at that revision, so its row \
            stays."
        }
        BeadState::Doomed => {
            "The key index no longer contains this change, but its row is not deleted yet."
        }
        BeadState::Gone => {
            "The row is deleted; a read at a revision before the compact revision fails."
        }
        BeadState::Tombstone => {
            "This delete ends the generation. The next put starts a new generation."
        }
    }
}

/// Returns the name of a change's lease: the lease of the value, or the lease whose end deleted the key.
pub fn lease(bead: &Bead) -> &'static str {
    match bead.version {
        0 => "deleted by lease",
        _ => "lease",
    }
}

/// Returns true if the change is at or before the compact revision and was preserved.
pub fn pinned(view: &IndexView, bead: &Bead) -> bool {
    bead.state == BeadState::Kept
        || (bead.state == BeadState::Live && bead.main <= view.compact_revision)
}

/// Describes a change for a cell of the table.
pub fn cell(view: &IndexView, lane: &Lane, bead: &Bead) -> String {
    let mut text = lane.name.clone();
    text.push_str(" revision ");
    text.push_str(&revision(bead.main, bead.sub));
    if bead.version > 0 {
        text.push_str(", version ");
        text.push_str(&bead.version.to_string());
    }
    if !bead.label.is_empty() {
        text.push_str(", ");
        text.push_str(&bead.label);
    }
    text.push_str(", ");
    text.push_str(state(bead, pinned(view, bead)));
    if !bead.lease.is_empty() {
        for part in [", ", lease(bead), " ", &bead.lease] {
            text.push_str(part);
        }
    }
    if let Some(thread) = life_of(lane, bead.main) {
        text.push_str(", ");
        text.push_str(&generation(thread.number));
    }
    if bead.changed {
        text.push_str(", just changed");
    }
    if let Some(read) = &view.read
        && read.answers.iter().any(|answer| {
            (answer.main, answer.sub) == (bead.main, bead.sub)
                && view
                    .lanes
                    .get(answer.lane as usize)
                    .is_some_and(|other| other.key == lane.key)
        })
    {
        text.push_str(", returned by ");
        text.push_str(&read.label);
    }
    text
}

/// Describes a column of changes for a cell of the table.
pub fn column_cell(lane: &Lane, bin: &Bin, from: i64, to: i64) -> String {
    let mut text = lane.name.clone();
    if from == to {
        text.push_str(" revision ");
        text.push_str(&from.to_string());
    } else {
        text.push_str(" revisions ");
        text.push_str(&from.to_string());
        text.push_str(" to ");
        text.push_str(&to.to_string());
    }
    text.push_str(", ");
    text.push_str(&count(u64::from(bin.count), "change", "changes"));
    text.push_str(if bin.count == 1 {
        ", "
    } else {
        ", among them "
    });
    text.push_str(bin_state(bin.state));
    text
}

/// Returns the words for the state of the most important change in a column.
pub fn bin_state(state: BeadState) -> &'static str {
    match state {
        BeadState::Live => "the live value",
        BeadState::Superseded => "a superseded value",
        BeadState::Kept => "a value kept by the compaction",
        BeadState::Doomed => "a value still to be removed",
        BeadState::Gone => "a value removed by the compaction",
        BeadState::Tombstone => "a tombstone",
    }
}

/// Describes a key for the first cell of its row.
pub fn name_cell(lane: &Lane) -> String {
    let mut text = lane.name.clone();
    text.push_str(if lane.alive {
        ", exists"
    } else {
        ", does not exist"
    });
    if let Some(thread) = lane.threads.last() {
        text.push_str(", ");
        text.push_str(&count(
            u64::from(thread.number) + 1,
            "generation",
            "generations",
        ));
    }
    text
}

/// Returns the text alternative of the figure.
pub fn figure(view: &IndexView) -> String {
    if view.lanes_total == 0 {
        return "Nothing is written yet: the store is at revision 1 and has no keys.".to_owned();
    }
    let mut text = String::from("At revision ");
    text.push_str(&view.head.to_string());
    text.push_str(", the index contains ");
    text.push_str(&count(u64::from(view.lanes_total), "key", "keys"));
    text.push('.');
    if let Some((from, to)) = view.query.fold {
        for part in [
            " ",
            &count(u64::from(view.lanes_folded), "more key", "more keys"),
            " without a change in revisions ",
            &from.max(1).to_string(),
            " to ",
            &to.to_string(),
            ", not shown.",
        ] {
            text.push_str(part);
        }
    }
    if view.lanes_matching <= FIGURE_LANES {
        for lane in &view.lanes {
            text.push(' ');
            text.push_str(&lives(lane));
        }
    }
    if let Some(bracket) = &view.bracket {
        text.push_str(" The range ");
        text.push_str(&bracket.range);
        text.push_str(" covers ");
        let covered = u64::from(bracket.last - bracket.first) + 1;
        text.push_str(&count(covered, "key", "keys"));
        if view.lanes_folded > 0 {
            text.push_str(" of the shown keys");
        }
        text.push('.');
    }
    if view.compact_revision > 0 {
        text.push_str(" Compacted at ");
        text.push_str(&view.compact_revision.to_string());
        text.push_str(": older revisions cannot be read.");
    }
    if let Some(read) = &view.read {
        text.push_str(" The read ");
        text.push_str(&read.label);
        if let Some(why) = &read.refused {
            text.push_str(" was refused: ");
            text.push_str(why);
        } else {
            text.push_str(" found ");
            text.push_str(&count(read.count.unsigned_abs(), "key", "keys"));
        }
        text.push('.');
    }
    text
}

/// The maximum number of lanes that the text alternative describes one by one. The table describes all lanes.
const FIGURE_LANES: u32 = 4;

fn lives(lane: &Lane) -> String {
    let mut text = lane.name.clone();
    text.push_str(": ");
    for (place, thread) in lane.threads.iter().enumerate() {
        if place > 0 {
            text.push_str("; ");
        }
        text.push_str("generation ");
        text.push_str(&thread.number.to_string());
        text.push_str(", ");
        text.push_str(&count(thread.ver.unsigned_abs(), "change", "changes"));
        if thread.alive {
            text.push_str(", live since revision ");
            text.push_str(&thread.first.to_string());
        } else {
            text.push_str(", deleted at revision ");
            text.push_str(&thread.last.to_string());
        }
        if thread.forgotten {
            text.push_str(", removed by the compaction");
        }
    }
    text.push('.');
    text
}

/// Returns the generation to which a change belongs.
pub fn life_of(lane: &Lane, main: i64) -> Option<&Thread> {
    lane.threads
        .iter()
        .find(|thread| thread.first <= main && (main <= thread.last || thread.alive))
}

/// Formats a revision: `3`, or `3.1` for a further change of the same transaction.
pub fn revision(main: i64, sub: i64) -> String {
    let mut text = main.to_string();
    if sub > 0 {
        text.push('.');
        text.push_str(&sub.to_string());
    }
    text
}
