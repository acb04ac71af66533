//! The notices at the top of the page: messages, failures of the engine, and the progress of a load.

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use watchglass_engine::session::protocol::Act;
use yew::prelude::*;

use super::failure::FailureText;
use super::terms::with_code;
use crate::browser::clipboard;
use crate::host::{Failure, FailureKind};
use crate::keep::journal::{Aside, AsideReason};
use crate::keep::opening::Opening;
use crate::state::Action;
use crate::state::action::LayoutAct;
use crate::state::action::RunAct;
use crate::state::action::TerminalAct;
use crate::state::choices::{Sharing, Tone};
use crate::state::ui::{Dialog, EngineState, Offer};
use crate::store::{StoreHandle, use_store};
use crate::widgets::{Glyph, Icon};
use crate::words::{common, notices as words, state::SILENT};

/// The maximum number of characters of a line in a notice; *Copy* copies the full line.
const ASIDE_CHARS: usize = 80;

/// The display time of a notice that confirms an action, in milliseconds.
const BRIEF_MS: u32 = 6_000;

#[component]
pub fn Notices() -> Html {
    let store = use_store();
    {
        let (store, notice) = (store.clone(), store.ui.notice.clone());
        use_effect_with(notice, move |notice| {
            let is_brief = notice
                .as_ref()
                .is_some_and(|notice| notice.tone == Tone::Brief);
            let dismiss = move || store.dispatch(Action::Layout(LayoutAct::DismissNotice));
            let timer = is_brief.then(|| Timeout::new(BRIEF_MS, dismiss));
            move || drop(timer)
        });
    }
    html! {
        <div class="wg-notices">
            if let EngineState::Failed(failure, report) = &store.ui.engine {
                <div class="wg-notice is-bad" role="alert">
                    <FailureText failure={failure.clone()} report={report.clone()} />
                    { ways_on(failure, &store) }
                </div>
            }
            if store.ui.is_silent {
                <div class="wg-notice is-bad" role="alert">
                    <p><b>{ SILENT }</b>{ " " }{ words::SILENT_ABOUT }</p>
                    <button type="button" class="wg-button is-small" onclick={try_again(&store)}>
                        { words::RESTART_ENGINE }
                    </button>
                </div>
            }
            { for store.ui.asides.iter().map(|aside| set_aside(aside, &store)) }
            if let Some(notice) = &store.ui.notice {
                <div class={classes!("wg-notice", tone_class(notice.tone))}
                    role={if notice.tone == Tone::Bad { "alert" } else { "status" }}>
                    <p>{ with_code(&notice.text, |text| html! { <>{ text }</> }) }</p>
                    { for notice.offers.iter().map(|offer| offered(offer, &store)) }
                    <button type="button" class="wg-button is-quiet is-icon is-small"
                        aria-label={words::DISMISS} onclick={store.on_click(Action::Layout(LayoutAct::DismissNotice))}>
                        <Icon glyph={Glyph::Close} />
                    </button>
                </div>
            }
            if let Some(memory) = &store.views.status.memory {
                <div class={classes!("wg-notice", memory.is_full.then_some("is-bad"))} role="status">
                    <p>{ words::memory(memory) }</p>
                    <button type="button" class="wg-button is-small"
                        onclick={store.on_click(Action::Terminal(TerminalAct::Do(Act::Undo)))}>{ common::UNDO }</button>
                    <button type="button" class="wg-button is-small"
                        onclick={store.on_click(Action::Run(RunAct::Share(Sharing::Link)))}>
                        { common::COPY_LINK }
                    </button>
                    <button type="button" class="wg-button is-small"
                        onclick={store.on_click(Action::Run(RunAct::StartOver))}>{ words::START_OVER }</button>
                </div>
            }
            if let Some(progress) = &store.ui.progress {
                <div class="wg-notice" role="status">
                    <p>{ progress.sentence() }</p>
                    { bar(progress.bar()) }
                    <button type="button" class="wg-button is-small"
                        onclick={store.on_click(Action::Terminal(TerminalAct::Interrupt))}>{ words::STOP }</button>
                </div>
            }
        </div>
    }
}

fn tone_class(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Bad => Some("is-bad"),
        Tone::Brief => Some("is-brief"),
        Tone::Quiet => Some("is-quiet"),
    }
}

/// Returns the buttons that help after a failure.
fn ways_on(failure: &Failure, store: &StoreHandle) -> Html {
    let button = |label: &'static str, onclick: Callback<MouseEvent>| {
        html! {
            <button type="button" class="wg-button is-small" {onclick}>{ label }</button>
        }
    };
    match failure.kind {
        FailureKind::OtherRelease => button(words::RELOAD, Callback::from(|_| reload())),
        _ if failure.is_at_start() => button(common::TRY_AGAIN, try_again(store)),
        _ => html! {
            <>
                { button(words::RESTART_ENGINE, try_again(store)) }
                { button(words::START_WITH_STORY, store.on_click(Action::Run(RunAct::RestartWithStory))) }
            </>
        },
    }
}

fn try_again(store: &StoreHandle) -> Callback<MouseEvent> {
    store.on_click(Action::Run(RunAct::TryAgain))
}

pub fn reload() {
    gloo::utils::window().location().reload().ok();
}

/// Renders a progress bar. If the total is 0, the amount of work is unknown and the bar is indeterminate.
fn bar((done, total): (u64, u64)) -> Html {
    let value = (total > 0).then(|| done.to_string());
    html! {
        <progress max={total.max(1).to_string()} {value} aria-label={words::PROGRESS}></progress>
    }
}

/// Renders the notice about a line that stopped the engine. The line is not part of the run but is still stored.
fn set_aside(aside: &Aside, store: &StoreHandle) -> Html {
    let line = shortened(&aside.text);
    let sentence = match aside.why {
        AsideReason::Stopped => words::line_stopped_engine(&line),
        AsideReason::Unfinished => words::line_not_finished(&line),
    };
    let copy = {
        let text = aside.text.clone();
        Callback::from(move |_: MouseEvent| {
            let text = text.clone();
            spawn_local(async move {
                clipboard::write(&text).await;
            });
        })
    };
    html! {
        <div class="wg-notice is-bad" role="alert" key={aside.number.to_string()}>
            <p>{ sentence }</p>
            <button type="button" class="wg-button is-small" onclick={copy}>{ common::COPY }</button>
            <button type="button" class="wg-button is-small"
                onclick={store.on_click(Action::Run(RunAct::TryAside(aside.number)))}>{ words::RETRY }</button>
            <button type="button" class="wg-button is-quiet is-icon is-small" aria-label={words::DISCARD}
                onclick={store.on_click(Action::Run(RunAct::DropAside(aside.number)))}>
                <Icon glyph={Glyph::Close} />
            </button>
        </div>
    }
}

/// Returns the first line of a text, shortened to fit into a notice.
fn shortened(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    let mut short: String = first.chars().take(ASIDE_CHARS).collect();
    if short.len() < text.trim_end().len() {
        short.push('…');
    }
    short
}

fn offered(offer: &Offer, store: &StoreHandle) -> Html {
    let open = |id: &str, is_forced| {
        Action::Run(RunAct::OpenSaved {
            id: id.to_owned(),
            is_forced,
        })
    };
    let (label, action) = match offer {
        Offer::Differences => return differences(store),
        Offer::StartOver => (words::START_OVER, Action::Run(RunAct::StartOver)),
        Offer::Back(id) => (words::BACK_TO_RUN, open(id, false)),
        Offer::EditText(text) => (
            words::EDIT_TEXT,
            Action::OpenDialog(Dialog::Open(text.clone())),
        ),
        Offer::Find => (
            words::FIND_RUN,
            Action::OpenDialog(Dialog::Palette { returns: false }),
        ),
        Offer::TryAgain(id) => (words::RETRY, open(id, true)),
        Offer::Open(opening) => {
            let Opening { source, at } = opening.clone();
            (common::TRY_AGAIN, Action::Run(RunAct::Open(source, at)))
        }
    };
    html! {
        <button type="button" class="wg-button is-small" onclick={store.on_click(action)}>
            { label }
        </button>
    }
}

/// Renders buttons and a number. The buttons show the next or the previous output that differs from the transcript; the
/// number is the number of the output that is shown.
fn differences(store: &StoreHandle) -> Html {
    let differences = &store.ui.differences;
    let show = |is_next| store.on_click(Action::Run(RunAct::ShowDifference { is_next }));
    let count = differences.entries.len();
    html! {
        <>
            if let Some(chosen) = differences.chosen {
                <button type="button" class="wg-button is-small" onclick={show(false)}>
                    { words::PREVIOUS_DIFFERENCE }
                </button>
                <span>{ words::difference(chosen + 1, count) }</span>
                <button type="button" class="wg-button is-small" onclick={show(true)}>
                    { words::NEXT_DIFFERENCE }
                </button>
            } else {
                <button type="button" class="wg-button is-small" onclick={show(true)}>
                    { words::show_differences(count) }
                </button>
            }
        </>
    }
}

#[cfg(test)]
mod tests {
    use watchglass_engine::view::{MemoryPart, MemoryView};

    use super::*;

    #[test]
    fn the_memory_notice_names_the_largest_parts_and_what_to_do() {
        let part = |name: &str, mib: u64| MemoryPart {
            name: name.to_owned(),
            bytes: mib << 20,
        };
        let memory = MemoryView {
            used: 1 << 30,
            limit: 1 << 30,
            is_full: true,
            parts: vec![
                part("events of the trace", 900),
                part("other branches", 124),
            ],
        };
        let said = words::memory(&memory);
        let wanted =
            "1024 of 1024 MiB of memory (events of the trace 900 MiB, other branches 124 MiB)";
        assert!(
            said.contains(wanted) && said.contains("Undo a command, or start another run"),
            "{said}"
        );
    }
}
