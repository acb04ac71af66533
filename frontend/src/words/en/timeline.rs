//! The texts of the timeline: the playback controls, the marks of the steps, and the curves below the marks.

use watchglass_engine::view::{Marker, MarkerKind};
use yew::prelude::*;

use super::common::count;

pub const TIMELINE: &str = "Time";

/// The labels of the playback controls.
pub const PLAYBACK: &str = "Playback";
pub const TO_START: &str = "To the start (Home)";
pub const STEP_BACK: &str = "One step back (←)";
pub const PLAY: &str = "Play (Space)";
pub const PAUSE: &str = "Pause (Space)";
pub const STEP: &str = "One step (→)";
pub const TO_END: &str = "To the end (End)";
pub const SPEED: &str = "Speed";
pub const SPEED_TITLE: &str = "Speed ([ and ])";
pub const OPEN_TERMINAL: &str = "Terminal (/)";
pub const COPY_LINK_TITLE: &str = "Copy a link to this step (c)";
pub const ROWS_TITLE: &str = "Rows in the backend's key bucket";

/// The labels of the choice of the quantity on the axis.
pub const AXIS: &str = "Axis";
pub const AXIS_TITLE: &str = "The quantity on the axis";
pub const AXIS_FIXED: &str = "The run has too many steps for an axis of time or revisions";
pub const BY_STEP: &str = "Step";
pub const BY_TIME: &str = "Time";
pub const BY_REVISION: &str = "Revision";

/// The label of the track, and the labels of its rows.
pub const TRACK: &str = "Step of the run";
pub const STORY_ROW: &str = "story";
pub const COMMANDS_ROW: &str = "commands";
pub const STEPS_ROW: &str = "steps";
pub const REVISION_ROW: &str = "revision";
pub const WATCHER_LAG_ROW: &str = "lag";
pub const CACHE_LAG_ROW: &str = "cache";

/// The names of the quantities that the curves show.
const WATCHER_LAG: &str = "watcher lag";
const CACHE_LAG: &str = "cache lag";

pub fn step_of(step: u64, steps: u64) -> Html {
    html! { <>{ "step " }<b>{ step }</b>{ " of " }{ steps }</> }
}

/// Returns the revision at the cursor. In a cluster, the text names the member that has the revision.
pub fn revision_of(revision: i64, member: Option<&str>) -> Html {
    html! {
        <>
            { "revision " }<b>{ revision }</b>
            if let Some(member) = member { { " " }<i>{ "of " }{ member }</i> }
        </>
    }
}

pub fn keys(keys: u64) -> Html {
    html! { <><b>{ keys }</b>{ if keys == 1 { " key" } else { " keys" } }</> }
}

pub fn rows(rows: u64) -> Html {
    html! { <><b>{ rows }</b>{ if rows == 1 { " row" } else { " rows" } }</> }
}

/// Returns the value of the slider for screen readers. `additions` describe the step and the curves.
pub fn position(step: u64, steps: u64, revision: i64, additions: &[String]) -> String {
    let (step, steps) = (step.to_string(), steps.to_string());
    let revision = revision.to_string();
    let mut text = ["step ", &step, " of ", &steps, ", revision ", &revision].concat();
    for addition in additions {
        text.push_str(", ");
        text.push_str(addition);
    }
    text
}

pub fn mark(marker: &Marker) -> String {
    let step = marker.step.to_string();
    ["step ", &step, ", ", kind(marker.kind), ": ", &marker.label].concat()
}

/// Returns the tooltip of a beat that makes no step.
/// Returns the number of a beat, which precedes its first sentence.
pub fn beat_of(beat: u64, beats: u64) -> String {
    format!("{beat} of {beats}: ")
}

pub fn place(beat: u64, label: &str) -> String {
    ["beat ", &beat.to_string(), ", no step: ", label].concat()
}

fn kind(kind: MarkerKind) -> &'static str {
    match kind {
        MarkerKind::Time => "time passes",
        MarkerKind::Delivery => "messages arrive",
        MarkerKind::Read => "read",
        MarkerKind::Lease => "lease",
        MarkerKind::Watch => "watch",
        MarkerKind::SyncPass => "sync pass",
        MarkerKind::Setting => "setting",
        MarkerKind::Write => "write",
        MarkerKind::Fault => "fault",
        MarkerKind::Refused => "refused",
        MarkerKind::Delete => "delete",
        MarkerKind::Scrub => "rows removed",
        MarkerKind::Compact => "compaction",
    }
}

pub fn watcher_lag(lag: u32) -> String {
    [WATCHER_LAG, " ", &revisions(lag)].concat()
}

pub fn cache_lag(lag: u32) -> String {
    [CACHE_LAG, " ", &revisions(lag)].concat()
}

/// Returns the greatest watcher lag of the run. If `is_binned`, the timeline draws many steps as one column, so the
/// step is not known exactly.
pub fn greatest_watcher_lag(lag: u32, step: u64, is_binned: bool) -> String {
    let at = at_step(step, is_binned);
    ["The greatest watcher lag is ", &revisions(lag), &at, "."].concat()
}

/// Returns the greatest cache lag of the run. If `is_binned`, the timeline draws many steps as one column, so the step
/// is not known exactly.
pub fn greatest_cache_lag(lag: u32, step: u64, is_binned: bool) -> String {
    let at = at_step(step, is_binned);
    ["The greatest cache lag is ", &revisions(lag), &at, "."].concat()
}

fn at_step(step: u64, is_binned: bool) -> String {
    let near = if is_binned {
        " near step "
    } else {
        " after step "
    };
    [near, &step.to_string()].concat()
}

/// Returns the watcher lag during a range of steps. If `is_maximum`, only the maximum of the steps is known.
pub fn watcher_lag_during(steps: [u64; 2], lag: u32, is_maximum: bool) -> String {
    during(steps, WATCHER_LAG, lag, is_maximum)
}

/// Returns the cache lag during a range of steps. If `is_maximum`, only the maximum of the steps is known.
pub fn cache_lag_during(steps: [u64; 2], lag: u32, is_maximum: bool) -> String {
    during(steps, CACHE_LAG, lag, is_maximum)
}

fn during([first, last]: [u64; 2], quantity: &str, lag: u32, is_maximum: bool) -> String {
    let steps = match first == last {
        true => ["step ", &first.to_string()].concat(),
        false => ["steps ", &first.to_string(), " to ", &last.to_string()].concat(),
    };
    let at_most = if is_maximum && lag > 0 { "up to " } else { "" };
    [&steps, ", ", quantity, ": ", at_most, &revisions(lag)].concat()
}

fn revisions(number: u32) -> String {
    count(number.into(), "revision", "revisions")
}
