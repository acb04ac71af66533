//! Scrolls the drawing area so that the focused item stays visible.

use web_sys::Element;
use yew::prelude::*;

/// The distance between the top of the drawing area and the revealed item, in pixels; leaves room for sticky headers.
const MARGIN: f64 = 64.0;

/// Scrolls the drawing area just far enough to show the element whose `attribute` is `id`, each time `id` changes.
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
