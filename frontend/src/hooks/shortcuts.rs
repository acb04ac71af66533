//! Keyboard shortcuts that work everywhere on the page unless the focused element uses the key itself.
//!
//! A shortcut of a single character works only outside of text fields and can be switched off (WCAG 2.1.4). An element
//! that handles a key prevents its default; the shortcut then does nothing.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use watchglass_engine::session::protocol::{Act, SeekTo};
use web_sys::{Element, KeyboardEvent};
use yew::prelude::*;

use crate::state::ui::{Dialog, Presenting, View};
use crate::state::{Action, Ui};
use crate::store::StoreHandle;

/// Elements that use the arrow keys, Home and End themselves.
const OWN_ARROWS: &str = "input, textarea, select, [contenteditable], [role=grid], [role=separator], \
                          [role=listbox], [role=radiogroup], [role=tablist], [role=log], dialog";
/// Elements in which the reader types text.
const OWN_TEXT: &str = "input:not([type=checkbox]):not([type=radio]), textarea, select, \
                        [contenteditable], dialog";
/// Elements that Space activates.
const OWN_SPACE: &str = "button, a, summary, label, input, [role=button]";

/// Listens for shortcuts until the component is removed.
#[hook]
pub fn use_shortcuts(store: &StoreHandle) {
    let latest = use_mut_ref(|| store.clone());
    latest.replace(store.clone());
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let window = gloo::utils::window();
        let listener = EventListener::new_with_options(&window, "keydown", options, move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
                return;
            };
            let store = latest.borrow().clone();
            if store.ui.presenting.is_some_and(|mode| !mode.is_blank)
                && scroll_picture(&event.key())
            {
                event.prevent_default();
                return;
            }
            if let Some(action) = action_of(event, &store.ui) {
                event.prevent_default();
                store.dispatch(action);
            }
        });
        move || drop(listener)
    });
}

fn action_of(event: &KeyboardEvent, ui: &Ui) -> Option<Action> {
    if event.default_prevented() || event.alt_key() || event.is_composing() || ui.dialog.is_some() {
        return None;
    }
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let inside = |selector: &str| {
        target
            .as_ref()
            .and_then(|target| target.closest(selector).ok().flatten())
            .is_some()
    };
    let control = event.ctrl_key() || event.meta_key();
    let key = event.key();
    if let Some(presenting) = ui.presenting {
        return while_presenting(&key, control, presenting);
    }
    match key.as_str() {
        // The keys of a presenter's remote control.
        "PageDown" if !inside(OWN_ARROWS) => Some(Action::BeatBy(1)),
        "PageUp" if !inside(OWN_ARROWS) => Some(Action::BeatBy(-1)),
        "ArrowLeft" | "ArrowRight" if !inside(OWN_ARROWS) => {
            let forward = key == "ArrowRight";
            Some(arrow(forward, control, event.shift_key()))
        }
        "Home" if !inside(OWN_ARROWS) => Some(Action::Seek(SeekTo::Step(0))),
        "End" if !inside(OWN_ARROWS) => Some(Action::Seek(SeekTo::End)),
        "k" if control => Some(Action::OpenDialog(Dialog::Palette)),
        "z" if control && !event.shift_key() && !inside(OWN_TEXT) => Some(Action::Do(Act::Undo)),
        "Escape" if ui.is_full && !inside(OWN_TEXT) => Some(Action::ToggleFull),
        _ if control || !ui.prefs.single_keys || inside(OWN_TEXT) => None,
        " " if !inside(OWN_SPACE) => Some(Action::TogglePlay),
        "[" => Some(Action::SpeedUp(false)),
        "]" => Some(Action::SpeedUp(true)),
        "/" => Some(Action::FocusTerminal),
        "?" => Some(Action::OpenDialog(Dialog::Help)),
        "i" => Some(Action::ToggleInspector),
        "c" => Some(Action::CopyLink),
        "l" => Some(Action::OpenDialog(Dialog::Lessons)),
        "p" => Some(Action::Present),
        "f" => Some(Action::ToggleFull),
        key => view_of(key).map(Action::View),
    }
}

/// Scrolls a picture that is higher than the screen with the keys up and down. Returns false if the picture does not
/// scroll any further.
fn scroll_picture(key: &str) -> bool {
    let by = match key {
        "ArrowDown" => 1.0,
        "ArrowUp" => -1.0,
        _ => return false,
    };
    let regions =
        gloo::utils::document().query_selector_all(".wg-picture, .wg-picture [tabindex='0']");
    let Ok(regions) = regions else {
        return false;
    };
    (0..regions.length())
        .filter_map(|at| regions.item(at)?.dyn_into::<Element>().ok())
        .any(|region| {
            let before = region.scroll_top();
            region.set_scroll_top(
                before + (by * f64::from(region.client_height()) * SCROLLED) as i32,
            );
            region.scroll_top() != before
        })
}

/// The part of the visible height by which a key scrolls a picture in presenter mode.
const SCROLLED: f64 = 0.6;

/// Returns the action for a key in presenter mode. These are the keys of a remote control for presentations. In this
/// mode, no other control is visible.
fn while_presenting(key: &str, control: bool, presenting: Presenting) -> Option<Action> {
    match key {
        _ if control => None,
        "b" | "B" | "." => Some(Action::Blank),
        // While the screen is blank, any key shows the picture again and does nothing else.
        _ if presenting.is_blank => Some(Action::Blank),
        "ArrowRight" | "ArrowDown" | "PageDown" | "Enter" => Some(Action::BeatBy(1)),
        "ArrowLeft" | "ArrowUp" | "PageUp" | "Backspace" => Some(Action::BeatBy(-1)),
        "Home" => Some(Action::Seek(SeekTo::Beat(0))),
        "End" => Some(Action::Seek(SeekTo::End)),
        " " => Some(Action::TogglePlay),
        "Escape" | "p" => Some(Action::Present),
        "c" => Some(Action::CopyLink),
        key => view_of(key).map(Action::View),
    }
}

/// Returns the view that a number key selects.
fn view_of(key: &str) -> Option<View> {
    Some(match key {
        "1" => View::Index,
        "2" => View::Watch,
        "3" => View::Cache,
        "4" => View::Messages,
        "5" => View::Storage,
        "6" => View::Cluster,
        "7" => View::Qos,
        "8" => View::Lab,
        _ => return None,
    })
}

/// Returns the action for an arrow key.
pub fn arrow(forward: bool, control: bool, shift: bool) -> Action {
    if control {
        return Action::Marker { forward };
    }
    let by = if shift { 10 } else { 1 };
    Action::StepBy(if forward { by } else { -by })
}
