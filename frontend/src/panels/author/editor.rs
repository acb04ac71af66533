//! The editor: a text field with line numbers, the list of faults, and the buttons for the finished lesson.

use std::collections::BTreeSet;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use watchglass_engine::session::permalink::CHARS_MAX;
use watchglass_engine::session::protocol::{Fault, LessonCheck};
use web_sys::{Blob, Element, HtmlDocument, HtmlInputElement, HtmlTextAreaElement, StorageEvent};
use yew::prelude::*;

use super::help::Help;
use crate::address::link::to_app;
use crate::browser::{clipboard, file};
use crate::panels::terms::with_code;
use crate::state::Action;
use crate::state::action::{AuthorAct, LayoutAct};
use crate::state::choices::Tone;
use crate::state::ui::Notice;
use crate::store::{StoreHandle, local, use_store};
use crate::widgets::use_current;
use crate::words::author as words;
use crate::words::state::CANNOT_SAVE_FILES;

const EXAMPLE: &str = include_str!("example.txt");

/// The pause in typing after which the text is checked.
const PAUSE_MS: u32 = 400;

/// The maximum size of a file that the editor opens. The longest lesson of the site has 12 kB.
const FILE_BYTES_MAX: f64 = 200_000.0;

/// The number of lines above the line to which a fault leads.
const LINES_ABOVE: i32 = 3;

#[component]
pub(super) fn Editor() -> Html {
    let store = use_store();
    let field = use_node_ref();
    let gutter = use_node_ref();
    let text = use_current(|| local::read_lesson().unwrap_or_else(|| EXAMPLE.to_owned()));
    let first = use_memo((), |()| text.get());
    let pause = use_mut_ref(|| None::<Timeout>);
    let is_saved = use_state_eq(|| true);
    let is_elsewhere = use_state_eq(|| false);
    {
        let is_elsewhere = is_elsewhere.clone();
        use_effect_with((), move |()| {
            // The event comes from other tabs only.
            let listener = EventListener::new(&gloo::utils::window(), "storage", move |event| {
                let event: &StorageEvent = event.unchecked_ref();
                if event.key().is_some_and(|key| key == local::LESSON_DRAFT) {
                    is_elsewhere.set(true);
                }
            });
            move || drop(listener)
        });
    }
    // Sends the text and the line of the caret after a pause.
    let send = {
        let (store, field) = (store.clone(), field.clone());
        Callback::from(move |ms: u32| {
            let (store, field) = (store.clone(), field.clone());
            let timer = Timeout::new(ms, move || {
                if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                    let (text, line) = (field.value(), line_of_caret(&field));
                    store.dispatch(Action::Author(AuthorAct::Edit { text, line }));
                }
            });
            pause.replace(Some(timer));
        })
    };
    {
        let send = send.clone();
        use_effect_with((), move |()| send.emit(0));
    }
    let changed = {
        let (field, text, send, is_saved) =
            (field.clone(), text.clone(), send.clone(), is_saved.clone());
        Callback::from(move |()| {
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                is_saved.set(local::write_lesson(&field.value()));
                text.set(field.value());
                send.emit(PAUSE_MS);
            }
        })
    };
    let on_scroll = {
        let (field, gutter) = (field.clone(), gutter.clone());
        Callback::from(move |_: Event| {
            if let (Some(field), Some(gutter)) = (field.cast::<Element>(), gutter.cast::<Element>())
            {
                gutter.set_scroll_top(field.scroll_top());
            }
        })
    };
    let go_to = {
        let (field, send) = (field.clone(), send.clone());
        Callback::from(move |line: u32| {
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                move_caret(&field, line);
                send.emit(0);
            }
        })
    };
    let insert_example = {
        let field = field.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                put_text(&field, EXAMPLE);
            }
        })
    };
    let open = {
        let (store, field) = (store.clone(), field.clone());
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let Some(chosen) = input.files().and_then(|files| files.get(0)) else {
                return;
            };
            // The author can choose the same file again.
            input.set_value("");
            let (store, field) = (store.clone(), field.clone());
            spawn_local(async move {
                let text = text_of_file(&chosen).await;
                let Some(field) = field.cast::<HtmlTextAreaElement>() else {
                    return;
                };
                match text {
                    Some(text) => {
                        put_text(&field, &text);
                        tell(&store, Tone::Brief, &words::opened(&chosen.name()));
                    }
                    None => tell(&store, Tone::Bad, &words::not_a_text(&chosen.name())),
                }
            });
        })
    };
    let draft = store.ui.lesson_draft.clone().unwrap_or_default();
    let is_checked = draft.is_check_of(&text.get());
    let check = draft.check.clone().unwrap_or_default();
    let name = name_of(&text.get());
    let link = match is_checked {
        true => check.link.clone(),
        false => String::new(),
    };
    let copy = {
        let (store, link) = (store.clone(), link.clone());
        Callback::from(move |_: MouseEvent| copy_link(&store, link.clone()))
    };
    let download = {
        let (store, text, name) = (store.clone(), text.clone(), name.clone());
        Callback::from(move |_: MouseEvent| {
            if file::save_text(&format!("{name}.txt"), &text.get()).is_none() {
                tell(&store, Tone::Bad, CANNOT_SAVE_FILES);
            }
        })
    };
    let (on_key, on_click) = (send.reform(|_| PAUSE_MS), send.reform(|_| PAUSE_MS));
    html! {
        <section class="editor" aria-label={words::TITLE}>
            <div class="editor-head">
                <h2>{ words::TITLE }</h2>
                <label class="wg-button is-small wg-file">
                    { words::OPEN }
                    <input type="file" class="wg-unseen" accept=".txt,text/*" onchange={open} />
                </label>
                <button type="button" class="wg-button is-small" onclick={download}>{ words::DOWNLOAD }</button>
                <button type="button" class="wg-button is-small" onclick={copy} disabled={link.is_empty()}>
                    { words::COPY_LINK }
                </button>
            </div>
            <div class="editor-text">
                <div class="editor-lines" ref={gutter} aria-hidden="true">{ numbers(&text.get(), &check.faults) }</div>
                <textarea ref={field} class="editor-field" aria-label={words::TEXT} aria-describedby="editor-status"
                    wrap="off" spellcheck="false" autocomplete="off" autocapitalize="off"
                    defaultvalue={(*first).clone()} oninput={changed.reform(|_: InputEvent| ())}
                    onkeyup={on_key} onclick={on_click} onscroll={on_scroll} />
            </div>
            <div class="editor-below wg-fades" tabindex="0" role="region" aria-label={words::CHECK}>
                <p id="editor-status" class={classes!("editor-status", state_of(is_checked, &check))}>
                    { status(is_checked, &check) }
                </p>
                // Announces only results, and not that a check has begun.
                <p class="wg-unseen" role="status">{ spoken(&check) }</p>
                if text.get().trim().is_empty() {
                    <button type="button" class="wg-button is-small" onclick={insert_example}>
                        { words::INSERT_EXAMPLE }
                    </button>
                }
                if !check.faults.is_empty() {
                    <ol class="editor-faults" aria-label={words::FAULTS}>
                        { for check.faults.iter().map(|fault| fault_item(fault, &go_to)) }
                    </ol>
                }
                if *is_elsewhere { <p class="editor-status is-bad" role="alert">{ words::OTHER_TAB }</p> }
                if !*is_saved { <p class="editor-status is-bad" role="alert">{ words::NOT_SAVED }</p> }
                <p class="editor-publish">{ with_code(&words::publish(&name), |text| html! { <>{ text }</> }) }</p>
                <Help />
            </div>
        </section>
    }
}

/// Returns the text of a file with the line ends of the editor; `None` if there is no text.
async fn text_of_file(chosen: &Blob) -> Option<String> {
    let text = file::text(chosen, FILE_BYTES_MAX).await.ok()?;
    (!text.is_empty()).then(|| text.replace("\r\n", "\n"))
}

/// Replaces the whole text as a paste does: the author can undo it, and the field reports the change.
fn put_text(field: &HtmlTextAreaElement, text: &str) {
    field.focus().ok();
    field.select();
    let document: HtmlDocument = gloo::utils::document().unchecked_into();
    let done = document.exec_command_with_show_ui_and_value("insertText", false, text);
    if !done.unwrap_or(false) {
        field.set_value(text);
        if let Ok(input) = Event::new("input") {
            field.dispatch_event(&input).ok();
        }
    }
    field.set_selection_range(0, 0).ok();
    field.set_scroll_top(0);
}

fn fault_item(fault: &Fault, go_to: &Callback<u32>) -> Html {
    let line = fault.line;
    html! {
        <li>
            <button type="button" onclick={go_to.reform(move |_: MouseEvent| line)}>
                <b>{ words::line(line) }</b>
                <span>{ with_code(&fault.text, |text| html! { <>{ text }</> }) }</span>
            </button>
        </li>
    }
}

fn status(is_checked: bool, check: &LessonCheck) -> String {
    match check.faults.len() {
        _ if !is_checked => words::CHECKING.to_owned(),
        0 => words::PASSES.to_owned(),
        count if check.parts.is_empty() => [&words::faults(count), words::OLD_PREVIEW].join(" "),
        count => words::faults(count),
    }
}

/// Returns the text for screen readers: the number of faults and the first fault.
fn spoken(check: &LessonCheck) -> String {
    let result = status(true, check);
    match check.faults.first() {
        Some(fault) => [result, words::line(fault.line), fault.text.clone()].join(" "),
        None => result,
    }
}

fn state_of(is_checked: bool, check: &LessonCheck) -> Option<&'static str> {
    is_checked.then_some(match check.faults.is_empty() {
        true => "is-ok",
        false => "is-bad",
    })
}

/// Renders the line numbers; marks the lines with faults.
fn numbers(text: &str, faults: &[Fault]) -> Html {
    let wrong: BTreeSet<u32> = faults.iter().map(|fault| fault.line).collect();
    let (mut parts, mut plain) = (Vec::new(), String::new());
    for line in 1..=text.split('\n').count() as u32 {
        if wrong.contains(&line) {
            parts.push(html! { <>{ std::mem::take(&mut plain) }<b>{ line }</b>{ "\n" }</> });
        } else {
            plain.push_str(&format!("{line}\n"));
        }
    }
    parts.push(html! { <>{ plain }</> });
    parts.into_iter().collect()
}

/// Returns the name of the lesson for its file; `lesson` if the text names none.
fn name_of(text: &str) -> String {
    let mut lines = text.lines();
    let name = lines.find_map(|line| {
        line.strip_prefix("#!")?
            .trim_start()
            .strip_prefix("lesson:")
    });
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name: String = name
        .unwrap_or_default()
        .trim()
        .chars()
        .filter(is_plain)
        .collect();
    match name.is_empty() {
        true => "lesson".to_owned(),
        false => name,
    }
}

fn utf16_len(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Returns the line of the caret, counted from 1. The browser counts positions in UTF-16 units.
fn line_of_caret(field: &HtmlTextAreaElement) -> u32 {
    let caret = field.selection_start().ok().flatten().unwrap_or_default();
    let before = field.value();
    let before = before.encode_utf16().take(caret as usize);
    1 + before.filter(|unit| *unit == u16::from(b'\n')).count() as u32
}

/// Moves the caret to the start of a line, and scrolls to this line.
fn move_caret(field: &HtmlTextAreaElement, line: u32) {
    let text = field.value();
    let before = text.split_inclusive('\n').take(line as usize - 1);
    let at = before.map(utf16_len).sum::<usize>() as u32;
    field.focus().ok();
    field.set_selection_range(at, at).ok();
    let lines = text.split('\n').count() as i32;
    let height = field.scroll_height() / lines.max(1);
    field.set_scroll_top((line as i32 - 1 - LINES_ABOVE) * height);
}

fn copy_link(store: &StoreHandle, link: String) {
    if link.len() > CHARS_MAX {
        return tell(store, Tone::Quiet, words::LINK_TOO_LONG);
    }
    let address = to_app(&["#", &link].concat());
    let store = store.clone();
    spawn_local(async move {
        match clipboard::write(&address).await {
            Some(()) => tell(&store, Tone::Brief, words::LINK_COPIED),
            // The author copies the link from the notice.
            None => tell(&store, Tone::Quiet, &address),
        }
    });
}

fn tell(store: &StoreHandle, tone: Tone, text: &str) {
    store.dispatch(Action::Layout(LayoutAct::Tell(Notice {
        tone,
        text: text.to_owned(),
        offers: Vec::new(),
    })));
}

#[cfg(test)]
mod tests {
    use watchglass_engine::session::rehearsal::rehearse;

    use super::*;

    #[test]
    fn the_example_passes_its_check() {
        assert_eq!(rehearse(EXAMPLE).expect("a lesson"), []);
    }

    #[test]
    fn the_file_has_the_name_of_the_lesson() {
        assert_eq!(name_of(EXAMPLE), "T01");
        assert_eq!(name_of("#! title: x\n#!lesson:  a/b-1 \n"), "ab-1");
        assert_eq!(name_of("put a 1"), "lesson");
    }
}
