//! A bar that shows which share of a limit is used. The number beside the bar says the same.

use yew::prelude::*;

use crate::draw::surface::num;

/// The minimum width of the filled part in percent, so that a small share is visible.
const FILLED_MIN: f64 = 1.5;

/// Renders a bar that is as wide as its container; `filled` of `limit` units are filled.
pub fn meter(filled: u64, limit: u64) -> Html {
    let share = match limit {
        0 => 0.0,
        _ => filled.min(limit) as f64 * 100.0 / limit as f64,
    };
    let share = if filled > 0 {
        share.max(FILLED_MIN)
    } else {
        0.0
    };
    // The width is an attribute, because the page's policy allows no styles.
    html! {
        <svg class="wg-meter" width="100%" height="6" aria-hidden="true">
            <rect class="is-room" width="100%" height="6" rx="3" />
            <rect class="is-filled" width={format!("{}%", num(share))} height="6" rx="3" />
        </svg>
    }
}
