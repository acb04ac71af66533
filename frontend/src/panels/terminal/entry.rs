//! One command of the scrollback with its output, and a link to its step.
//!
//! The component's properties can be compared quickly. While the user drags the cursor, entries appear and disappear,
//! but the remaining entries are not rendered again.

use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::{EntryKind, TerminalEntry, TranscriptOutput};
use yew::prelude::*;

use super::differences::{MarkedLine, differences};
use crate::browser::file::save_text;
use crate::panels::terms::{breaking_after, flag_words};
use crate::widgets::shared::Shared;
use crate::words::{common, terminal as words};

/// The maximum number of bytes of an output that are rendered.
const SHOWN_BYTES_MAX: usize = 16 * 1024;

/// The number of bytes above which an output can be downloaded.
const LONG_OUTPUT: usize = 2_000;

/// The properties of an entry of the terminal: a command with its output.
#[derive(Properties, PartialEq)]
pub(super) struct EntryProps {
    pub entry: Shared<TerminalEntry>,
    /// Whether the command is the last command at the cursor.
    pub here: bool,
    /// Whether the reader has chosen this entry among the outputs that differ.
    pub found: bool,
    /// Called when the user opens the command's position.
    pub on_seek: Callback<SeekTo>,
    /// Called when the user downloads a file of the command.
    pub on_save: Callback<String>,
}

#[component]
pub(super) fn Entry(props: &EntryProps) -> Html {
    let entry = &*props.entry;
    let class = classes!(
        "wg-entry",
        props.here.then_some("is-here"),
        props.found.then_some("is-found"),
        match entry.kind {
            EntryKind::Step => None,
            EntryKind::Peek => Some("is-peek"),
            EntryKind::Local => Some("is-local"),
            EntryKind::Unreadable => Some("is-unreadable"),
        }
    );
    let seek = {
        let on_seek = props.on_seek.clone();
        let to = match entry.beat {
            0 => SeekTo::Step(entry.step),
            beat => SeekTo::Beat(beat),
        };
        Callback::from(move |_: MouseEvent| {
            // A click that ends a text selection does not move the cursor.
            if !has_selection() {
                on_seek.emit(to);
            }
        })
    };
    html! {
        <div {class}>
            if let Some(comment) = &entry.comment {
                <div class="wg-entry-comment">{ "# " }{ comment }</div>
            }
            <div class="wg-command" data-more={more_lines(entry)} onclick={seek.clone()}>
                <span class="wg-command-text">
                    <span class="wg-dollar">{ "$ " }</span>{ flag_words(&entry.command) }
                </span>
                <button type="button" class="wg-to-step" onclick={seek}>
                    { words::step_button(entry.step) }
                </button>
            </div>
            if let Some(expected) = &entry.expected {
                { both(entry, expected) }
            } else {
                { output(entry) }
            }
            if let Some(note) = &entry.note {
                <div class="wg-entry-note">{ note }</div>
            }
            if entry.stdout.len() > LONG_OUTPUT {
                <button type="button" class="wg-button is-small wg-entry-file" onclick={{
                    let entry = props.entry.clone();
                    Callback::from(move |_: MouseEvent| {
                        save_text("output.txt", &entry.stdout);
                    })
                }}>{ words::DOWNLOAD_OUTPUT }</button>
            }
            if let Some(file) = &entry.file {
                <button type="button" class="wg-button is-small wg-entry-file" onclick={{
                    let (on_save, file) = (props.on_save.clone(), file.clone());
                    Callback::from(move |_: MouseEvent| on_save.emit(file.clone()))
                }}>{ words::download(file) }</button>
            }
        </div>
    }
}

/// Returns the text that replaces all lines of an output except the last line, if there is room for only one line.
fn more_lines(entry: &TerminalEntry) -> Option<String> {
    let printed = streams(entry)
        .map(|(_, text)| text.lines().count())
        .sum::<usize>();
    let noted = entry
        .note
        .iter()
        .map(|note| note.lines().count())
        .sum::<usize>();
    let more = (printed + noted).saturating_sub(1);
    (more > 0).then(|| common::more_lines(more as u32))
}

/// Returns the streams with output, in the order in which etcdctl prints them. Each stream is paired with the CSS class
/// of its element.
fn streams(entry: &TerminalEntry) -> impl Iterator<Item = (&'static str, &String)> {
    let mut streams = [("wg-out", &entry.stdout), ("wg-err", &entry.stderr)];
    if entry.starts_with_errors {
        streams.reverse();
    }
    streams.into_iter().filter(|(_, text)| !text.is_empty())
}

/// The characters after which a line of JSON may break.
const BREAKS: [char; 3] = [',', ':', '{'];

/// Renders the output of a command; long outputs are cut. JSON has no spaces, so its lines may break between fields.
pub fn output(entry: &TerminalEntry) -> Html {
    let shown = |text: &str| match text.starts_with('{') && text.len() <= SHOWN_BYTES_MAX {
        true => breaking_after(trimmed(text), &BREAKS),
        false => shortened(text),
    };
    streams(entry)
        .map(|(class, text)| lines(class, text, shown(text)))
        .collect()
}

/// Renders the lines of an output. The rows of a table would have no columns if they wrapped, so the table scrolls
/// sideways.
fn lines(class: &'static str, text: &str, shown: Html) -> Html {
    match is_table(text) {
        true => {
            html! { <pre class={classes!(class, "wg-frame-table")} tabindex="0">{ shown }</pre> }
        }
        false => html! { <pre {class}>{ shown }</pre> },
    }
}

/// Returns true if a text is a table of etcdctl.
fn is_table(text: &str) -> bool {
    text.starts_with("+-")
}

/// Renders the output in the transcript and the output of the simulator. Marks the differences if both are short.
fn both(entry: &TerminalEntry, expected: &TranscriptOutput) -> Html {
    let printed: String = streams(entry).map(|(_, text)| text.as_str()).collect();
    let is_short = expected.text.len().max(printed.len()) <= SHOWN_BYTES_MAX;
    let is_marked = expected.is_compared && is_short;
    let (theirs, ours) = match is_marked {
        true => differences(&expected.text, &printed),
        false => (Vec::new(), Vec::new()),
    };
    let mut ours = ours.iter();
    html! {
        <div class="wg-differs">
            <figure>
                <figcaption>{ words::in_transcript(expected.is_compared) }</figcaption>
                if is_marked && !expected.text.trim_end_matches('\n').is_empty() {
                    { lines("", &expected.text, theirs.iter().map(line).collect()) }
                } else {
                    { lines("", &expected.text, or_nothing(&expected.text)) }
                }
            </figure>
            <figure class="is-ours">
                <figcaption>{ words::OURS }</figcaption>
                if printed.is_empty() {
                    <pre>{ or_nothing("") }</pre>
                } else if is_marked {
                    { for streams(entry).map(|(class, text)| {
                        let count = trimmed(text).split('\n').count();
                        lines(class, text, ours.by_ref().take(count).map(line).collect())
                    }) }
                } else {
                    { output(entry) }
                }
            </figure>
        </div>
    }
}

/// Renders a line of an output and marks its difference.
fn line(line: &MarkedLine<'_>) -> Html {
    let MarkedLine { text, marked } = line;
    let shown = |part| match text.starts_with('{') {
        true => breaking_after(part, &BREAKS),
        false => html! { { part } },
    };
    if marked.is_empty() {
        return html! { <>{ shown(text) }{ "\n" }</> };
    }
    let (before, after) = (&text[..marked.start], &text[marked.end..]);
    html! {
        <>{ shown(before) }<mark>{ shown(&text[marked.clone()]) }</mark>{ shown(after) }{ "\n" }</>
    }
}

fn or_nothing(text: &str) -> Html {
    if text.trim_end_matches('\n').is_empty() {
        html! { <>{ words::NO_OUTPUT }</> }
    } else {
        shortened(text)
    }
}

/// A value may be a megabyte long, and the layout of such a text would block typing.
fn shortened(text: &str) -> Html {
    let text = trimmed(text);
    if text.len() <= SHOWN_BYTES_MAX {
        return flag_words(text);
    }
    let end = (0..=SHOWN_BYTES_MAX)
        .rev()
        .find(|end| text.is_char_boundary(*end));
    let shown = text.get(..end.unwrap_or(0)).unwrap_or_default();
    html! {
        <>
            { shown }
            <span class="wg-more">{ " " }{ words::more_bytes(text.len() - shown.len()) }</span>
        </>
    }
}

/// Removes the final line break, which would show as an empty line.
fn trimmed(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

fn has_selection() -> bool {
    let window = gloo::utils::window();
    js_sys::Reflect::get(&window, &"getSelection".into())
        .ok()
        .and_then(|function| wasm_bindgen::JsCast::dyn_into::<js_sys::Function>(function).ok())
        .and_then(|function| function.call0(&window).ok())
        .and_then(|selection| js_sys::Reflect::get(&selection, &"isCollapsed".into()).ok())
        .is_some_and(|collapsed| collapsed.is_falsy())
}
