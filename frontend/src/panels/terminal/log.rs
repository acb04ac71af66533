//! The scrollback: each command with its output, and a way back to the moment it ran.

use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::{EntryKind, TerminalEntry};
use web_sys::Element;
use yew::prelude::*;

use crate::state::{Action, StoreHandle, use_store};

/// More of one output than this is not laid out.
const SHOWN_BYTES_MAX: usize = 16 * 1024;

#[component]
pub(super) fn Log() -> Html {
    let store = use_store();
    let node = use_node_ref();
    let view = store.views.terminal.as_ref();
    let entries = view.map_or(&[][..], |view| &view.entries);
    let shown: Vec<&TerminalEntry> = entries
        .iter()
        .filter(|entry| entry.id >= store.ui.cleared_below)
        .collect();
    let older = view.is_some_and(|view| view.total > shown.len() as u64);
    // What has come is shown: the newest line stays in sight, also when a note takes some room.
    let newest = (
        shown.last().map(|entry| (entry.id, entry.step)),
        store.ui.running.len(),
        store.ui.notice.is_some(),
        store.ui.prefs.terminal_height,
        // Where nothing is shown nothing can be scrolled.
        store.ui.sheet,
        store.ui.sheet_tall,
    );
    {
        let node = node.clone();
        use_effect_with(newest, move |_| {
            if let Some(element) = node.cast::<Element>() {
                element.set_scroll_top(element.scroll_height());
            }
        });
    }
    // The story's steps are told by their sentences; what one types oneself is read out from here.
    html! {
        <div ref={node} class="wg-log" role="log" aria-label="Commands and their output" tabindex="0"
            aria-live={if store.ui.dirty && !store.ui.playing { "polite" } else { "off" }}>
            if older {
                <button type="button" class="wg-button is-quiet is-small wg-older"
                    onclick={store.on_click(Action::OlderEntries)}>{ "Show earlier commands" }</button>
            }
            { for shown.iter().map(|entry| self::entry(entry, &store)) }
            { for store.ui.running.iter().enumerate().map(|(place, text)| html! {
                <div class="wg-entry is-running" key={["r", place.to_string().as_str()].concat()}>
                    <div class="wg-command"><span class="wg-dollar">{ "$ " }</span>{ text }</div>
                </div>
            }) }
        </div>
    }
}

fn entry(entry: &TerminalEntry, store: &StoreHandle) -> Html {
    let step = entry.step;
    let here = step == store.views.status.step && entry.kind == EntryKind::Step;
    let class = classes!(
        "wg-entry",
        here.then_some("is-here"),
        match entry.kind {
            EntryKind::Step => None,
            EntryKind::Peek => Some("is-peek"),
            EntryKind::Local => Some("is-local"),
            EntryKind::Unreadable => Some("is-unreadable"),
        }
    );
    let seek = {
        let store = store.clone();
        Callback::from(move |_: MouseEvent| {
            // A click that ends a selection is not a wish to go there.
            if !has_selection() {
                store.dispatch(Action::Seek(SeekTo::Step(step)));
            }
        })
    };
    html! {
        <div {class} key={entry.id.to_string()}>
            if let Some(remark) = &entry.remark {
                <div class="wg-entry-remark">{ "# " }{ remark }</div>
            }
            <div class="wg-command" onclick={seek.clone()}>
                <span class="wg-dollar">{ "$ " }</span>{ &entry.command }
                <button type="button" class="wg-to-step" onclick={seek}>
                    <span class="wg-unseen">{ "Go to " }</span>{ "step " }{ step }
                </button>
            </div>
            if let Some(expected) = &entry.expected {
                <div class="wg-differs">
                    <figure>
                        <figcaption>{ "transcript said" }</figcaption>
                        <pre>{ or_nothing(expected) }</pre>
                    </figure>
                    <figure class="is-ours">
                        <figcaption>{ "simulator answers" }</figcaption>
                        if entry.stdout.is_empty() && entry.stderr.is_empty() {
                            <pre>{ or_nothing("") }</pre>
                        } else {
                            { output(entry) }
                        }
                    </figure>
                </div>
            } else {
                { output(entry) }
            }
        </div>
    }
}

fn output(entry: &TerminalEntry) -> Html {
    html! {
        <>
            if !entry.stdout.is_empty() {
                <pre class="wg-out">{ shortened(&entry.stdout) }</pre>
            }
            if !entry.stderr.is_empty() {
                <pre class="wg-err">{ shortened(&entry.stderr) }</pre>
            }
        </>
    }
}

fn or_nothing(text: &str) -> Html {
    if text.trim_end_matches('\n').is_empty() {
        html! { <>{ "(nothing)" }</> }
    } else {
        shortened(text)
    }
}

/// The beginning of a long output: a value may have a megabyte, and a page that lays it all out is
/// not a page one can type at.
fn shortened(text: &str) -> Html {
    let text = trimmed(text);
    if text.len() <= SHOWN_BYTES_MAX {
        return html! { <>{ text }</> };
    }
    let end = (0..=SHOWN_BYTES_MAX)
        .rev()
        .find(|end| text.is_char_boundary(*end));
    let shown = text.get(..end.unwrap_or(0)).unwrap_or_default();
    html! {
        <>
            { shown }
            <span class="wg-more">{ " … and " }{ text.len() - shown.len() }{ " bytes more" }</span>
        </>
    }
}

/// Without the line break that ends it, which would show as an empty line.
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
