//! A copy of a value. The copy is updated only after the value has stopped changing.
//!
//! The hidden table beside a picture has the same content as the picture. While the picture changes from frame to
//! frame, nobody can read the table, and changing the table would take a quarter of the page's work. The same holds for
//! the entries above the visible part of the terminal.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

/// The time for which a value must stay unchanged before the copy is updated, in milliseconds.
const REST_MS: u32 = 120;

/// Returns the current value if `is_live`; otherwise, returns the last value that stayed unchanged for `REST_MS`.
#[hook]
pub fn use_settled<T: Clone + PartialEq + 'static>(value: T, is_live: bool) -> T {
    let settled = use_state(|| value.clone());
    let setter = settled.setter();
    use_effect_with((value.clone(), is_live), move |(value, is_live)| {
        let value = value.clone();
        let timer = (!is_live).then(|| Timeout::new(REST_MS, move || setter.set(value)));
        move || drop(timer)
    });
    match is_live {
        true => value,
        false => (*settled).clone(),
    }
}
