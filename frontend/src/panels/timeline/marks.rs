//! Draws one mark per step. Both the shape and the colour show the kind of the step.

use watchglass_engine::view::{BeatMark, MarkerKind, TimelineView};
use yew::prelude::*;

use super::scale::Scale;
use crate::words::timeline as words;

/// The y coordinate of the row of beats. A beat is a section of the run with one text.
const BEATS_Y: f64 = 3.0;
const BEATS_HEIGHT: f64 = 5.0;
/// The lower edge of the area in which the pointer is on a beat.
pub(super) const BEATS_REACH: f64 = 12.0;
/// The lower edge of the ticks of beats on a track without single marks.
const TICK_BOTTOM: f64 = 38.0;
/// The y coordinate of the middle of the marks.
pub(super) const ROW_Y: f64 = 18.0;
/// The upper edge of the area for the staircase of revisions. The area extends down to the curves or to the end of the
/// track.
const CLIMB_TOP: f64 = 29.0;
const CLIMB_BOTTOM: f64 = 50.0;
const CLIMB_BOTTOM_OVER_CURVES: f64 = 36.0;

/// Renders a bar for each beat, from the end of the previous beat to its own end. On a track without single marks, the
/// end of each beat also has a tick, over the density of the steps.
pub(super) fn beats(view: &TimelineView, scale: &Scale, now: u64) -> Html {
    let mut from = scale.start();
    let is_binned = view.markers.is_empty();
    let bar = |beat: &BeatMark| {
        let to = scale.beat(beat, view);
        let width = (to - from - 2.0).max(2.0);
        let x = from + 1.0;
        from = to;
        let on = (beat.number <= now).then_some("is-on");
        html! {
            <g key={beat.number}>
                <rect class={classes!("wg-beat-bar", on)} x={tenths(x)} y={tenths(BEATS_Y)} width={tenths(width)}
                    height={tenths(BEATS_HEIGHT)} rx="2" />
                if is_binned && beat.place == 0 {
                    <line class="wg-beat-tick" x1={tenths(to)} x2={tenths(to)} y1={tenths(BEATS_Y)}
                        y2={tenths(TICK_BOTTOM)} />
                }
            </g>
        }
    };
    view.beats.iter().map(bar).collect()
}

/// Renders all marks; marks after the cursor are fainter.
pub(super) fn marks(view: &TimelineView, scale: &Scale, step: u64) -> Html {
    let size = scale.mark_size(view.markers.len());
    view.markers
        .iter()
        .map(|marker| {
            let x = scale.marker(marker);
            let class = classes!(
                "wg-mark",
                class_of(marker.kind),
                (marker.step > step).then_some("is-later"),
                (marker.step == step).then_some("is-now")
            );
            html! {
                <g key={marker.step} {class} transform={place(x, size)}>
                    <title>{ words::mark(marker) }</title>
                    { shape(marker.kind) }
                </g>
            }
        })
        .collect()
}

/// Renders a small mark for each beat without steps.
pub(super) fn places(view: &TimelineView, scale: &Scale, now: u64) -> Html {
    let places = view.beats.iter().filter(|beat| beat.place > 0);
    places
        .map(|beat| {
            let later = (beat.number > now).then_some("is-later");
            html! {
                <circle key={beat.number} class={classes!("wg-place", later)}
                    cx={tenths(scale.beat(beat, view))} cy={tenths(ROW_Y)} r="2.5">
                    <title>{ words::place(beat.number, &beat.label) }</title>
                </circle>
            }
        })
        .collect()
}

/// Renders the store's revision over the run as a staircase, which rises only at writes.
pub(super) fn climb(
    view: &TimelineView,
    scale: &Scale,
    end_x: f64,
    is_over_curves: bool,
) -> Option<String> {
    let last = view.markers.last()?;
    let bottom = match is_over_curves {
        true => CLIMB_BOTTOM_OVER_CURVES,
        false => CLIMB_BOTTOM,
    };
    let height = |revision: i64| {
        let span = (view.end_revision - 1).max(1) as f64;
        bottom - (revision - 1) as f64 / span * (bottom - CLIMB_TOP)
    };
    let mut path = String::from("M");
    push(&mut path, super::scale::PAD, height(1));
    let mut before = 1;
    for marker in &view.markers {
        let x = scale.marker(marker);
        if marker.revision != before {
            path.push('L');
            push(&mut path, x, height(before));
            path.push('L');
            push(&mut path, x, height(marker.revision));
            before = marker.revision;
        }
    }
    path.push('L');
    push(&mut path, end_x.max(scale.marker(last)), height(before));
    Some(path)
}

pub(super) fn class_of(kind: MarkerKind) -> &'static str {
    match kind {
        MarkerKind::Time => "is-time",
        MarkerKind::Delivery => "is-delivery",
        MarkerKind::Read => "is-read",
        MarkerKind::Lease => "is-lease",
        MarkerKind::Watch => "is-watch",
        MarkerKind::SyncPass => "is-sync-pass",
        MarkerKind::Setting => "is-setting",
        MarkerKind::Fault => "is-fault",
        MarkerKind::Write => "is-write",
        MarkerKind::Refused => "is-refused",
        MarkerKind::Delete => "is-delete",
        MarkerKind::Scrub => "is-scrub",
        MarkerKind::Compact => "is-compact",
    }
}

fn shape(kind: MarkerKind) -> Html {
    match kind {
        MarkerKind::Write => html! { <circle r="6" /> },
        MarkerKind::Read => html! { <circle r="4" /> },
        MarkerKind::Time => html! { <path d="M0-4V4" /> },
        MarkerKind::Delivery => html! { <path d="M-4-4L3 0L-4 4" /> },
        MarkerKind::Lease => html! { <path d="M5 0A5 5 0 1 1 0-5M0-5V0L3.5 2" /> },
        MarkerKind::Watch => {
            html! { <path d="M-7 0Q0-6.5 7 0Q0 6.5-7 0ZM-1.5 0A1.5 1.5 0 1 0 1.5 0A1.5 1.5 0 1 0-1.5 0" /> }
        }
        MarkerKind::SyncPass => html! { <path d="M-5.5-5.5V5.5M-5.5 0H5.5M2-3.5L5.5 0L2 3.5" /> },
        MarkerKind::Setting => html! { <rect x="-4" y="-4" width="8" height="8" rx="2" /> },
        MarkerKind::Fault => html! { <path d="M2-8L-5 1.5H-.5L-2 8L5-1.5H.5Z" /> },
        MarkerKind::Delete => html! { <path d="M0-7.5L7.5 0L0 7.5L-7.5 0Z" /> },
        MarkerKind::Refused => html! { <path d="M-4.5-4.5L4.5 4.5M4.5-4.5L-4.5 4.5" /> },
        MarkerKind::Compact => html! { <path d="M-6.5-5H6.5L0 7Z" /> },
        MarkerKind::Scrub => html! { <path d="M-5-4H5L0 5.5Z" /> },
    }
}

/// Returns the SVG transformation that moves a mark to `x` and scales the mark by `size`.
fn place(x: f64, size: f64) -> String {
    let mut text = String::from("translate(");
    push(&mut text, x, ROW_Y);
    text.push(')');
    let percent = (size * 100.0).round() as u32;
    if percent < 100 {
        text.push_str(&format!(" scale(0.{percent:02})"));
    }
    text
}

/// Appends two numbers with at most one decimal digit each. Does not use the standard formatting of floats, because its
/// code would enlarge the download.
fn push(text: &mut String, x: f64, y: f64) {
    push_tenths(text, x);
    text.push(' ');
    push_tenths(text, y);
}

pub(super) fn push_tenths(text: &mut String, value: f64) {
    let tenths = (value * 10.0).round() as i64;
    if tenths < 0 {
        text.push('-');
    }
    let tenths = tenths.unsigned_abs();
    text.push_str(&(tenths / 10).to_string());
    if !tenths.is_multiple_of(10) {
        text.push('.');
        text.push_str(&(tenths % 10).to_string());
    }
}

/// Formats a number for an attribute, with at most one decimal digit.
pub(super) fn tenths(value: f64) -> String {
    let mut text = String::new();
    push_tenths(&mut text, value);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_of_pixels() {
        for (value, text) in [(0.0, "0"), (12.34, "12.3"), (-0.26, "-0.3"), (7.96, "8")] {
            assert_eq!(tenths(value), text);
        }
    }
}
