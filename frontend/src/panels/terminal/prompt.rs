//! The prompt: history, completion, pasting several lines, and leaving the prompt with the keyboard.

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use watchglass_engine::session::protocol::Act;
use watchglass_engine::shell::is_command;
use watchglass_engine::transcript::prompt::Prompts;
use web_sys::{ClipboardEvent, HtmlElement, HtmlInputElement};
use yew::prelude::*;

use super::history::{self, Walk};
use super::suggestion::suggestion;
use crate::state::Action;
use crate::state::action::{LayoutAct, TerminalAct};
use crate::state::choices::Panel;
use crate::state::line::Completions;
use crate::state::ui::Dialog;
use crate::store::PROMPT_ID;
use crate::store::{StoreHandle, use_line, use_store};
use crate::widgets::use_current;
use crate::words::terminal as words;

const LIST_ID: &str = "wg-completions";

#[component]
pub(super) fn Prompt() -> Html {
    let store = use_store();
    let node = use_node_ref();
    // The position in the history, while the user moves through it. It is not rendered, and the next key may arrive
    // before the next rendering.
    let walk = use_mut_ref(|| None::<Walk>);
    let chosen = use_current(|| 0_usize);
    // After Esc, the next Tab leaves the prompt.
    let leaving = use_mut_ref(|| false);
    let shown = use_line();
    let completions = shown.completions.clone();

    // A single candidate, or the common start of all candidates, is inserted immediately.
    {
        let store = store.clone();
        let node = node.clone();
        let chosen = chosen.clone();
        use_effect_with(completions.clone(), move |completions| {
            chosen.set(0);
            if let (Some(completions), Some(input)) = (completions, node.cast::<HtmlInputElement>())
            {
                take_common(&store, &input, completions);
            }
        });
    }

    let on_input = {
        let leaving = leaving.clone();
        let walk = walk.clone();
        let typing = store.clone();
        store.on(move |event: InputEvent| {
            typing.touched();
            leaving.replace(false);
            walk.replace(None);
            Action::Terminal(TerminalAct::Draft(value_of(&event)))
        })
    };
    let on_paste = {
        let store = store.clone();
        Callback::from(move |event: Event| {
            if let Ok(event) = event.dyn_into::<ClipboardEvent>() {
                paste(&event, &store);
            }
        })
    };
    let on_key = {
        let store = store.clone();
        let walk = walk.clone();
        let chosen = chosen.clone();
        let leaving = leaving.clone();
        let completions = completions.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.is_composing() {
                return;
            }
            let key = event.key();
            let escaped = leaving.replace(false);
            // In a line with text, Ctrl+Z is the browser's own undo.
            let is_empty = input_of(&event).is_none_or(|input| input.value().is_empty());
            let is_undo =
                (event.ctrl_key() || event.meta_key()) && !event.alt_key() && !event.shift_key();
            if is_undo && key == "z" && is_empty && store.views.status.pending.is_none() {
                store.dispatch(Action::Terminal(TerminalAct::Do(Act::Undo)));
                event.prevent_default();
                return;
            }
            if event.ctrl_key() && !event.alt_key() && !event.meta_key() {
                let input = input_of(&event);
                let selected = input.is_some_and(|input| {
                    input.selection_start().ok() != input.selection_end().ok()
                });
                match key.as_str() {
                    // With a selection, Ctrl+C copies as usual.
                    "c" if !selected => {
                        walk.replace(None);
                        store.dispatch(Action::Terminal(TerminalAct::Interrupt));
                    }
                    "l" => store.dispatch(Action::Terminal(TerminalAct::ClearScreen)),
                    _ => return,
                }
                event.prevent_default();
                return;
            }
            let list = completions.as_ref();
            match (key.as_str(), list) {
                ("ArrowDown", Some(list)) => {
                    chosen.set((chosen.get() + 1) % list.items.len().max(1));
                }
                ("ArrowUp", Some(list)) => {
                    let count = list.items.len().max(1);
                    chosen.set((chosen.get() + count - 1) % count);
                }
                ("Enter" | "Tab", Some(list)) => take(&store, list, chosen.get()),
                ("Escape", Some(_)) => {
                    leaving.replace(true);
                    store.dispatch(Action::Terminal(TerminalAct::CloseCompletions));
                }
                ("Escape", None) => {
                    leaving.replace(true);
                    if escaped {
                        to_main_action(&store);
                    }
                    return;
                }
                ("Enter", None) => {
                    walk.replace(None);
                    // Read the current value of the input: the last rendering may be older than the last key.
                    let line = input_of(&event).map_or_else(String::new, |input| input.value());
                    let is_pending = store.views.status.pending.is_some();
                    match line.trim() {
                        "clear" if !is_pending => {
                            store.dispatch(Action::Terminal(TerminalAct::ClearScreen));
                            store.dispatch(Action::Terminal(TerminalAct::Draft(String::new())));
                        }
                        "undo" if !is_pending => {
                            store.dispatch(Action::Terminal(TerminalAct::Do(Act::Undo)));
                            store.dispatch(Action::Terminal(TerminalAct::Draft(String::new())));
                        }
                        "" if !is_pending => {}
                        _ => store.dispatch(Action::Terminal(TerminalAct::Do(Act::Type(line)))),
                    }
                }
                ("Tab", None) => {
                    // In an empty line, with Shift, or after Esc, Tab moves the focus as usual.
                    if escaped || event.shift_key() || store.draft().is_empty() {
                        return;
                    }
                    let cursor = input_of(&event).map_or(0, |input| cursor_in(&input));
                    store.dispatch(Action::Terminal(TerminalAct::Complete {
                        line: store.draft(),
                        cursor,
                    }));
                }
                ("ArrowUp" | "ArrowDown", None) => {
                    let mut walk = walk.borrow_mut();
                    let lines = || history::lines(store.views.terminal.as_ref(), &store.ui.history);
                    let line = walk
                        .get_or_insert_with(|| Walk::new(lines()))
                        .go(key == "ArrowUp")
                        .to_owned();
                    // After the newest line, the history is closed.
                    if line.is_empty() {
                        *walk = None;
                    }
                    store.dispatch(Action::Terminal(TerminalAct::Draft(line)));
                }
                _ => return,
            }
            event.prevent_default();
        })
    };
    // A click on a candidate does not take the focus.
    let on_blur = store.on(|_: FocusEvent| Action::Terminal(TerminalAct::CloseCompletions));
    let pending = store.views.status.pending.as_ref();
    let pending = pending.map(|pending| pending.prompt.as_str());
    let active = completions
        .as_ref()
        .map(|_| format!("wg-completion-{}", chosen.get()));
    html! {
        <div class="wg-prompt">
            <label for={PROMPT_ID} class="wg-dollar">
                <span class="wg-unseen">{ words::COMMAND }</span>
                <span aria-hidden={pending.is_none().then_some("true")}>
                    { pending.unwrap_or("$") }
                </span>
            </label>
            <input ref={node} id={PROMPT_ID} type="text" value={shown.draft.clone()}
                autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck="false"
                enterkeyhint="send" placeholder={placeholder(pending)}
                role="combobox" aria-expanded={if completions.is_some() { "true" } else { "false" }}
                aria-controls={LIST_ID} aria-autocomplete="list" aria-activedescendant={active}
                aria-describedby="wg-prompt-help"
                oninput={on_input} onpaste={on_paste} onkeydown={on_key} onblur={on_blur} />
            { suggestion(&store) }
            <span id="wg-prompt-help" class="wg-unseen">
                { words::KEYS }
            </span>
            <ul id={LIST_ID} role="listbox" aria-label={words::COMPLETIONS} class="wg-completions"
                hidden={completions.is_none()}>
                if let Some(list) = &completions {
                    { for list.items.iter().enumerate().map(|(at, (word, about))| {
                        let pick = {
                            let store = store.clone();
                            let list = list.clone();
                            Callback::from(move |event: MouseEvent| {
                                // Prevent the default, so that the prompt does not lose the focus.
                                event.prevent_default();
                                take(&store, &list, at);
                            })
                        };
                        html! {
                            <li id={format!("wg-completion-{at}")} role="option"
                                aria-selected={if at == chosen.get() { "true" } else { "false" }}
                                onmousedown={pick}>
                                <code>{ word.trim_end() }</code><small>{ about }</small>
                            </li>
                        }
                    }) }
                }
            </ul>
        </div>
    }
}

/// Inserts a completion candidate into the line.
fn take(store: &StoreHandle, list: &Completions, at: usize) {
    if let Some((word, _)) = list.items.get(at) {
        let mut line = replaced(&store.draft(), list.start, word);
        if !line.ends_with([' ', '=', '/']) {
            line.push(' ');
        }
        store.dispatch(Action::Terminal(TerminalAct::Draft(line)));
    }
    store.dispatch(Action::Terminal(TerminalAct::CloseCompletions));
}

fn take_common(store: &StoreHandle, input: &HtmlInputElement, list: &Completions) {
    if let [_] = list.items.as_slice() {
        return take(store, list, 0);
    }
    let common = common_start(&list.items);
    let typed = input.value();
    let begun = typed.get(list.start as usize..).unwrap_or_default();
    if common.len() > begun.len() && common.starts_with(begun) {
        // Show the text at once. The list stays open; the state is updated with the next key.
        input.set_value(&replaced(&typed, list.start, common));
        store.dispatch(Action::Terminal(TerminalAct::DraftWithList(input.value())));
    }
}

/// Returns the line with everything from byte `start` on replaced by `word`.
fn replaced(line: &str, start: u32, word: &str) -> String {
    let kept = line.get(..start as usize).unwrap_or(line);
    [kept, word].concat()
}

/// Returns the common start of all completion candidates.
fn common_start(items: &[(String, String)]) -> &str {
    let mut words = items.iter().map(|(word, _)| word.as_str());
    let Some(first) = words.next() else { return "" };
    words.fold(first, |common, word| {
        let same = common
            .char_indices()
            .zip(word.chars())
            .find(|((_, a), b)| a != b)
            .map_or(common.len().min(word.len()), |((at, _), _)| at);
        common.get(..same).unwrap_or_default()
    })
}

/// The last line stays in the prompt unless it ends with a line break. A transcript is offered as a new run.
fn paste(event: &ClipboardEvent, store: &StoreHandle) {
    let Some(text) = event
        .clipboard_data()
        .and_then(|data| data.get_data("text").ok())
    else {
        return;
    };
    let text = text.replace("\r\n", "\n");
    if !text.contains('\n') {
        return;
    }
    event.prevent_default();
    if !Prompts::of(&text, is_command).is_empty() && text.trim().contains('\n') {
        store.dispatch(Action::OpenDialog(Dialog::Open(text)));
        return;
    }
    let line = format!("{}{text}", store.draft());
    let (run, rest) = line.rsplit_once('\n').unwrap_or((&line, ""));
    store.dispatch(Action::Terminal(TerminalAct::Do(Act::Type(run.to_owned()))));
    if !rest.is_empty() {
        store.dispatch(Action::Terminal(TerminalAct::Draft(rest.to_owned())));
    }
}

/// Returns the placeholder of an empty line. The placeholder depends on the unfinished input, if there is any.
fn placeholder(pending: Option<&str>) -> &'static str {
    match pending {
        None => words::EXAMPLE,
        Some(">") => words::LINE_CONTINUES,
        Some(_) => words::BLOCK_CONTINUES,
    }
}

fn value_of(event: &InputEvent) -> String {
    event
        .target()
        .and_then(|target| target.dyn_into::<HtmlInputElement>().ok())
        .map(|input| input.value())
        .unwrap_or_default()
}

fn input_of(event: &KeyboardEvent) -> Option<HtmlInputElement> {
    event.target()?.dyn_into::<HtmlInputElement>().ok()
}

/// Returns the cursor's position in bytes; the browser counts UTF-16 units.
fn cursor_in(input: &HtmlInputElement) -> u32 {
    let units = input.selection_start().ok().flatten().unwrap_or(0) as usize;
    let mut seen = 0;
    let line = input.value();
    let bytes = line
        .char_indices()
        .find(|(_, letter)| {
            let here = seen >= units;
            seen += letter.len_utf16();
            here
        })
        .map_or(line.len(), |(at, _)| at);
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Moves the focus to the main button of the lesson, if the page shows a lesson. On a phone, opens the panel first.
fn to_main_action(store: &StoreHandle) {
    store.dispatch(Action::Layout(LayoutAct::Sheet(Panel::Story)));
    let focus = || {
        let button = gloo::utils::document().query_selector(".wg-lesson .wg-main-action");
        let button = button.ok().flatten();
        if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
            // Without the focus, the focus stays in the terminal.
            let _ = button.focus();
        }
    };
    // A hidden button takes no focus, so the panel is rendered first.
    Timeout::new(0, focus).forget();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(words: &[&str]) -> Vec<(String, String)> {
        words
            .iter()
            .map(|word| ((*word).to_owned(), String::new()))
            .collect()
    }

    #[test]
    fn what_candidates_have_in_common() {
        assert_eq!(common_start(&items(&["--prefix", "--prev-kv"])), "--pre");
        assert_eq!(common_start(&items(&["get", "put"])), "");
        assert_eq!(common_start(&items(&["get"])), "get");
        assert_eq!(common_start(&items(&["é1", "é2"])), "é");
        assert_eq!(common_start(&items(&["key", "key1"])), "key");
        assert_eq!(common_start(&[]), "");
    }

    #[test]
    fn a_candidate_replaces_what_was_begun() {
        assert_eq!(replaced("get /k", 4, "/key1"), "get /key1");
        assert_eq!(replaced("g", 0, "get"), "get");
        assert_eq!(replaced("é", 1, "x"), "éx");
    }
}
