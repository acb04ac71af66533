//! A row of buttons of which only one is in the tab order: the arrow keys move between the buttons and wrap around.

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, Node};
use yew::prelude::*;

/// Returns the index of the button to which a key moves the focus; `None` if the key does not move the focus. The key
/// moves from the button that has the focus, because the next key can arrive before the row is drawn again.
pub(super) fn destination(event: &KeyboardEvent, row: &NodeRef) -> Option<usize> {
    let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
    let focused: Node = event.target()?.dyn_into().ok()?;
    let buttons = row.cast::<HtmlElement>()?.children();
    let at = (0..buttons.length()).find(|at| {
        let button = buttons.item(*at);
        button.is_some_and(|button| button.contains(Some(&focused)))
    })?;
    after(at as usize, buttons.length() as usize, &event.key()).filter(|_| !modified)
}

pub(super) fn focus(row: &NodeRef, at: usize) {
    let button = row
        .cast::<HtmlElement>()
        .and_then(|row| row.children().item(u32::try_from(at).ok()?))
        .and_then(|button| button.dyn_into::<HtmlElement>().ok());
    if let Some(button) = button {
        button.focus().ok();
    }
}

fn after(at: usize, count: usize, key: &str) -> Option<usize> {
    Some(match key {
        "ArrowRight" => (at + 1) % count.max(1),
        "ArrowLeft" => (at + count.max(1) - 1) % count.max(1),
        "Home" => 0,
        "End" => count.saturating_sub(1),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::after;

    #[test]
    fn arrows_go_round() {
        assert_eq!(after(0, 3, "ArrowLeft"), Some(2));
        assert_eq!(after(2, 3, "ArrowRight"), Some(0));
        assert_eq!(after(1, 3, "Home"), Some(0));
        assert_eq!(after(1, 3, "End"), Some(2));
        assert_eq!(after(1, 3, "x"), None);
    }
}
