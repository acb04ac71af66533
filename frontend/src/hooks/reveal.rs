//! Keeps what the keyboard stands on in sight.

use web_sys::Element;
use yew::prelude::*;

/// From the edges of the stage to what is revealed, in pixels: clear of what stays at the top.
const MARGIN: f64 = 64.0;

/// Scrolls the stage just so far that the element with this attribute is seen, when it changes.
#[hook]
pub fn use_reveal(stage: &NodeRef, attribute: &'static str, id: Option<u64>) {
    let stage = stage.clone();
    use_effect_with(id, move |id| {
        let find = || {
            let stage = stage.cast::<Element>()?;
            let selector = format!("g[{attribute}=\"{}\"]", id.as_ref()?);
            let found = stage.query_selector(&selector).ok()??;
            let (room, it) = (
                stage.get_bounding_client_rect(),
                found.get_bounding_client_rect(),
            );
            let (above, below) = (
                it.top() - room.top() - MARGIN,
                it.bottom() - room.bottom() + MARGIN / 2.0,
            );
            let by = if above < 0.0 { above } else { below.max(0.0) };
            stage.set_scroll_top(stage.scroll_top() + by as i32);
            Some(())
        };
        find();
    });
}
