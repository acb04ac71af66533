//! Keyboard shortcuts that work everywhere on the page unless the focused element uses the key itself.
//!
//! A shortcut of a single character works only outside of text fields and can be switched off (WCAG 2.1.4). An element
//! that handles a key prevents the default action of the key; the shortcut then does nothing.
//!
//! Presenter mode is different: a remote control for presentations sends a few keys, and a speaker does not know where
//! the focus is. So the keys that scroll or that move by beats (sections of the run) are handled before the focused
//! element gets them.

use gloo::events::{EventListener, EventListenerOptions, EventListenerPhase};
use wasm_bindgen::JsCast;
use watchglass_engine::session::protocol::{Act, Move, SeekTo};
use web_sys::{Element, KeyboardEvent};
use yew::prelude::*;

use crate::state::action::LayoutAct;
use crate::state::action::PlaybackAct;
use crate::state::action::RunAct;
use crate::state::action::TerminalAct;
use crate::state::action::ViewAct;
use crate::state::choices::{Sharing, View};
use crate::state::lessons::choice_of_key;
use crate::state::ui::{Dialog, Presenting};
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
/// Elements that Enter or Space operates in presenter mode.
const CONTROLS: &str = "button, a, summary, label, input, select, [role=button], [role=radio], [role=tab], \
                        [role=option]";
/// Elements that accept typed text, and elements that Escape closes. In presenter mode, these elements receive every
/// key press, and no key press in these elements is a shortcut.
const FIELDS: &str = "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, \
                      [contenteditable], dialog";
/// Elements that handle the Up and Down keys themselves in presenter mode: fields, choices, dialogs, and the outputs
/// beside the text of a beat.
const OWN_UP_DOWN: &str = "input, textarea, select, [contenteditable], [role=radiogroup], [role=listbox], dialog, \
                           .wg-outputs";
/// Selectors of the parts of a picture that can scroll, outermost part first.
const SCROLLS: &str = ".wg-picture, .wg-picture .wg-view-scroll, .wg-picture .loom-stage, \
                       .wg-picture .wg-grid:not(.wg-unseen)";
const LANES: &str = ".loom-stage";

/// The selectors of the texts of presenter mode that can scroll: the text of a lesson, and the outputs beside the text
/// of a beat.
const LESSON: &str = ".wg-lesson > .wg-story-text";
const OUTPUTS: &str = ".wg-outputs";

/// Listens for shortcuts until the component is removed.
#[hook]
pub fn use_shortcuts(store: &StoreHandle) {
    let latest = use_mut_ref(|| store.clone());
    latest.replace(store.clone());
    use_effect_with((), move |()| {
        let listen = |phase, handle: fn(&KeyboardEvent, &StoreHandle)| {
            let latest = latest.clone();
            let options = EventListenerOptions {
                phase,
                passive: false,
            };
            let window = gloo::utils::window();
            EventListener::new_with_options(&window, "keydown", options, move |event| {
                if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                    let store = latest.borrow().clone();
                    handle(event, &store);
                }
            })
        };
        let listeners = (
            listen(EventListenerPhase::Capture, use_remote),
            listen(EventListenerPhase::Bubble, use_shortcut),
        );
        move || drop(listeners)
    });
}

/// Handles a key of a remote control before the focused element gets the key.
fn use_remote(event: &KeyboardEvent, store: &StoreHandle) {
    let Some(presenting) = store.ui.presenting else {
        return;
    };
    if is_ignored(event, &store.ui) || event.ctrl_key() || event.meta_key() {
        return;
    }
    match remote(&event.key(), presenting, |selector| inside(event, selector)) {
        None => return,
        Some(Remote::Does(action)) => store.dispatch(action),
        Some(Remote::Scrolls(by)) => scroll_picture(by),
    }
    event.prevent_default();
    event.stop_propagation();
}

fn use_shortcut(event: &KeyboardEvent, store: &StoreHandle) {
    let choice = choice_of(event, store);
    if let Some(action) = choice.or_else(|| action_of(event, &store.ui)) {
        event.prevent_default();
        store.dispatch(action);
    }
}

/// Returns the choice of an exercise that a number key selects.
fn choice_of(event: &KeyboardEvent, store: &StoreHandle) -> Option<Action> {
    let is_free = store.ui.prefs.single_keys && !inside(event, OWN_TEXT);
    let is_key = is_free && !event.ctrl_key() && !event.meta_key() && !is_ignored(event, &store.ui);
    let lesson = store.views.lesson.as_ref().filter(|_| is_key);
    choice_of_key(&event.key(), lesson?)
}

fn is_ignored(event: &KeyboardEvent, ui: &Ui) -> bool {
    event.default_prevented() || event.alt_key() || event.is_composing() || ui.dialog.is_some()
}

/// Returns true if the focused element is, or is inside of, an element that the selector matches.
fn inside(event: &KeyboardEvent, selector: &str) -> bool {
    let target = event.target();
    target
        .and_then(|target| target.dyn_into::<Element>().ok())
        .and_then(|target| target.closest(selector).ok().flatten())
        .is_some()
}

fn action_of(event: &KeyboardEvent, ui: &Ui) -> Option<Action> {
    if is_ignored(event, ui) {
        return None;
    }
    let inside = |selector: &str| inside(event, selector);
    let control = event.ctrl_key() || event.meta_key();
    let key = event.key();
    if ui.presenting.is_some() {
        return while_presenting(
            &key,
            control,
            ui.presenting.is_some_and(|mode| mode.is_typing),
            inside,
        );
    }
    match key.as_str() {
        // The keys of a presenter's remote control.
        "PageDown" if !inside(OWN_ARROWS) => {
            Some(Action::Playback(PlaybackAct::Move(Move::ByBeats(1))))
        }
        "PageUp" if !inside(OWN_ARROWS) => {
            Some(Action::Playback(PlaybackAct::Move(Move::ByBeats(-1))))
        }
        "ArrowLeft" | "ArrowRight" if !inside(OWN_ARROWS) => {
            let forward = key == "ArrowRight";
            Some(arrow(forward, control, event.shift_key()))
        }
        "Home" if !inside(OWN_ARROWS) => Some(Action::seek(SeekTo::Step(0))),
        "End" if !inside(OWN_ARROWS) => Some(Action::seek(SeekTo::End)),
        "k" if control => Some(Action::OpenDialog(Dialog::Palette { returns: false })),
        "z" if control && !event.shift_key() && !inside(OWN_TEXT) => {
            Some(Action::Terminal(TerminalAct::Do(Act::Undo)))
        }
        _ if control || !ui.prefs.single_keys || inside(OWN_TEXT) => None,
        " " if !inside(OWN_SPACE) => Some(Action::Playback(PlaybackAct::TogglePlay)),
        "[" => Some(Action::Playback(PlaybackAct::SpeedUp(false))),
        "]" => Some(Action::Playback(PlaybackAct::SpeedUp(true))),
        "/" => Some(Action::Terminal(TerminalAct::Focus)),
        "?" => Some(Action::OpenDialog(Dialog::Help)),
        "i" => Some(Action::Layout(LayoutAct::ToggleInspector)),
        "c" => Some(Action::Run(RunAct::Share(Sharing::Link))),
        "l" => Some(Action::OpenDialog(Dialog::Lessons)),
        "p" => Some(Action::Layout(LayoutAct::Present)),
        "w" => Some(Action::Layout(LayoutAct::ToggleWorkbench)),
        key => view_of(key).map(|value| Action::View(ViewAct::Show(value))),
    }
}

/// The effect of a key that a remote control for presentations sends.
#[derive(Clone, Debug, PartialEq)]
enum Remote {
    Does(Action),
    /// Scrolls the picture by this part of its visible height.
    Scrolls(f64),
}

/// The part of the visible height by which a key scrolls a picture in presenter mode.
const SCROLLED: f64 = 0.6;

/// Returns the effect of a key that works in presenter mode wherever the focus is.
fn remote(key: &str, presenting: Presenting, inside: impl Fn(&str) -> bool) -> Option<Remote> {
    let action = match key {
        // While the screen is blank, any key shows the picture again and does nothing else.
        _ if presenting.is_blank => Action::Layout(LayoutAct::Blank),
        "ArrowDown" if !inside(OWN_UP_DOWN) => return Some(Remote::Scrolls(SCROLLED)),
        "ArrowUp" if !inside(OWN_UP_DOWN) => return Some(Remote::Scrolls(-SCROLLED)),
        _ if inside(FIELDS) => return None,
        "ArrowRight" | "PageDown" => Action::Page(true),
        "ArrowLeft" | "PageUp" => Action::Page(false),
        "Home" => Action::seek(SeekTo::Beat(0)),
        "End" => Action::seek(SeekTo::End),
        _ => return None,
    };
    Some(Remote::Does(action))
}

/// Returns the action for a key in presenter mode that [`remote`] did not handle.
fn while_presenting(
    key: &str,
    control: bool,
    is_typing: bool,
    inside: impl Fn(&str) -> bool,
) -> Option<Action> {
    match key {
        "k" if control => Some(Action::OpenDialog(Dialog::Palette { returns: false })),
        _ if control => None,
        "Escape" if is_typing => Some(Action::Layout(LayoutAct::EndTyping)),
        "Escape" => Some(Action::Layout(LayoutAct::Present)),
        _ if inside(OWN_TEXT) => None,
        "/" => Some(Action::Terminal(TerminalAct::Focus)),
        "Enter" if !inside(CONTROLS) => Some(Action::Page(true)),
        " " if !inside(CONTROLS) => Some(Action::Playback(PlaybackAct::TogglePlay)),
        "Backspace" => Some(Action::Page(false)),
        "b" | "B" | "." => Some(Action::Layout(LayoutAct::Blank)),
        "[" => Some(Action::Playback(PlaybackAct::SpeedUp(false))),
        "]" => Some(Action::Playback(PlaybackAct::SpeedUp(true))),
        "p" => Some(Action::Layout(LayoutAct::Present)),
        "c" => Some(Action::Run(RunAct::Share(Sharing::Link))),
        "?" => Some(Action::OpenDialog(Dialog::Help)),
        "l" => Some(Action::OpenDialog(Dialog::Lessons)),
        key => view_of(key).map(|value| Action::View(ViewAct::Show(value))),
    }
}

/// Scrolls the first of these regions that can scroll further: the text of a lesson, the picture (if it is higher than
/// its part of the screen), the outputs beside the text of a beat.
fn scroll_picture(by: f64) {
    let find = |text| gloo::utils::document().query_selector(text).ok().flatten();
    let regions = find(LESSON).into_iter().chain(scroll_regions());
    regions.chain(find(OUTPUTS)).any(|region| {
        let before = region.scroll_top();
        let height = f64::from(region.client_height());
        region.set_scroll_top(before + (by * height) as i32);
        region.scroll_top() != before
    });
}

/// Returns the parts of the picture that can scroll, outermost part first.
fn scroll_regions() -> impl Iterator<Item = Element> {
    let regions = gloo::utils::document().query_selector_all(SCROLLS).ok();
    let regions = regions
        .into_iter()
        .flat_map(|regions| (0..regions.length()).filter_map(move |at| regions.item(at)));
    regions.filter_map(|region| region.dyn_into::<Element>().ok())
}

/// Scrolls the picture of presenter mode to the top when the beat or the view changes, so that the text and the picture
/// fit together. Does not scroll the lanes of the Index view, because that view itself scrolls to the key that was just
/// written.
#[hook]
pub fn use_scroll_to_top(store: &StoreHandle) {
    let shown = store
        .ui
        .presenting
        .map(|_| (store.views.status.beat.number, store.ui.prefs.view));
    use_effect_with(shown, |shown| {
        if shown.is_some() {
            let regions = scroll_regions().filter(|region| !region.matches(LANES).unwrap_or(false));
            for region in regions {
                region.set_scroll_top(0);
            }
        }
    });
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

pub fn arrow(forward: bool, control: bool, shift: bool) -> Action {
    if control {
        return Action::Playback(PlaybackAct::Marker { forward });
    }
    let by = if shift { 10 } else { 1 };
    Action::Playback(PlaybackAct::Move(Move::BySteps(if forward {
        by
    } else {
        -by
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the effects of keys while the focused element matches the selectors in `focus`.
    fn pressed(keys: &[&str], focus: &[&str]) -> Vec<Option<Remote>> {
        let inside = |selector: &str| {
            focus
                .iter()
                .any(|part| selector.split(", ").any(|s| s.trim() == *part))
        };
        let shown = Presenting::default();
        let press = |key: &&str| {
            remote(key, shown, inside)
                .or(while_presenting(key, false, false, inside).map(Remote::Does))
        };
        keys.iter().map(press).collect()
    }

    #[test]
    fn a_remote_control_works_wherever_the_focus_is() {
        let does = |action| Some(Remote::Does(action));
        let keys = ["ArrowRight", "PageDown", "ArrowLeft", "PageUp"];
        let by = [true, true, false, false].map(|is_forward| does(Action::Page(is_forward)));
        for focus in [
            &[][..],
            &["button"],
            &["select"],
            &["[role=grid]"],
            &["[role=tablist]"],
        ] {
            assert_eq!(pressed(&keys, focus), by, "{focus:?}");
        }
        assert_eq!(pressed(&keys, &["textarea"]), [const { None }; 4]);
        assert_eq!(pressed(&keys, &["dialog"]), [const { None }; 4]);
    }

    #[test]
    fn up_and_down_scroll_and_controls_keep_enter_and_space() {
        let up_down = [
            Some(Remote::Scrolls(-SCROLLED)),
            Some(Remote::Scrolls(SCROLLED)),
        ];
        let keys = ["ArrowUp", "ArrowDown"];
        assert_eq!(pressed(&keys, &[]), up_down);
        assert_eq!(pressed(&keys, &["[role=grid]"]), up_down);
        assert_eq!(pressed(&keys, &["select"]), [None, None]);
        let keys = ["Enter", " "];
        let moves = [
            Action::Page(true),
            Action::Playback(PlaybackAct::TogglePlay),
        ]
        .map(|action| Some(Remote::Does(action)));
        assert_eq!(pressed(&keys, &[]), moves);
        for control in ["button", "summary", "select", "a"] {
            assert_eq!(pressed(&keys, &[control]), [None, None], "{control}");
        }
    }

    #[test]
    fn help_search_and_lessons_open_in_presenter_mode() {
        let open = |dialog| Some(Action::OpenDialog(dialog));
        let pressed = |key, control| while_presenting(key, control, false, |_| false);
        assert_eq!(pressed("?", false), open(Dialog::Help));
        assert_eq!(pressed("k", true), open(Dialog::Palette { returns: false }));
        assert_eq!(pressed("l", false), open(Dialog::Lessons));
    }

    #[test]
    fn escape_hides_the_prompt_before_it_ends_the_mode() {
        let escape = |is_typing| while_presenting("Escape", false, is_typing, |_| is_typing);
        assert_eq!(escape(true), Some(Action::Layout(LayoutAct::EndTyping)));
        assert_eq!(escape(false), Some(Action::Layout(LayoutAct::Present)));
        let typed = while_presenting("b", false, true, |_| true);
        assert_eq!(typed, None, "a letter in the prompt is no shortcut");
    }

    #[test]
    fn any_key_shows_a_blank_screen_again() {
        let blank = Presenting {
            is_blank: true,
            has_moved: true,
            is_typing: false,
        };
        for key in ["ArrowDown", "Enter", "x"] {
            let shown = remote(key, blank, |_| false);
            assert_eq!(shown, Some(Remote::Does(Action::Layout(LayoutAct::Blank))));
        }
    }
}
