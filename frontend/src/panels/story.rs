//! The story's text beside the picture: what is going on, why, and one obvious next thing to do.

use watchglass_engine::session::protocol::Act;
use yew::prelude::*;

use super::stage::is_past;
use crate::state::Action;
use crate::state::ui::EngineState;
use crate::store::use_store;
use crate::widgets::{Glyph, Icon};

/// More steps than this are not shown as a row of segments.
const SEGMENTS_MAX: u64 = 24;

#[component]
pub fn Story() -> Html {
    let store = use_store();
    let status = &store.views.status;
    // The answer that a lesson is loaded comes before the views that hold its text.
    let is_lesson = store.ui.has_lesson(&store.views);
    if is_lesson || store.ui.engine == EngineState::Starting {
        return html! {
            <aside class={classes!("wg-story", is_lesson.then_some("wg-lesson"))} aria-label="Story">
                <div class="wg-skeleton is-text"><i></i><i></i><i></i></div>
            </aside>
        };
    }
    let past = is_past(status, &store.ui);
    html! {
        <aside class="wg-story" aria-label="Story" id="wg-story">
            <div class="wg-story-text">
                <p class="wg-kick">
                    if status.steps == 0 {
                        { "No steps yet" }
                    } else if status.step == 0 {
                        { status.steps }{ if status.steps == 1 { " step" } else { " steps" } }
                    } else {
                        { "Step " }{ status.step }{ " of " }{ status.steps }
                    }
                </p>
                if status.steps > 1 && status.steps <= SEGMENTS_MAX {
                    <div class="wg-segments" aria-hidden="true">
                        { for (1..=status.steps).map(|step| html! {
                            <i key={step} class={(step <= status.step).then_some("is-on")}></i>
                        }) }
                    </div>
                }
                <h2 class="wg-story-title">{ &status.title }</h2>
                if let Some(remark) = &status.remark {
                    <p class="wg-remark">{ with_code(remark) }</p>
                } else if status.step == 0 && status.steps > 0 {
                    <p class="wg-remark">
                        { "Each step is one command. Watch what the store keeps of it, and what it forgets." }
                    </p>
                }
                if status.step > 0 || status.steps == 0 {
                    <div class={classes!("wg-happened", past.then_some("is-past"))}>
                        if let Some(command) = &status.command {
                            <code>{ command }</code>
                        }
                        <p>{ &status.narration }</p>
                    </div>
                }
                if status.steps == 0 { <FirstCommands /> }
                if let Some(next) = status.next.as_ref().filter(|_| !store.ui.playing) {
                    <p class="wg-next-up">{ "Next: " }<code>{ next }</code></p>
                }
            </div>
            <Buttons />
        </aside>
    }
}

/// One obvious button, and a quiet one beside it.
#[component]
fn Buttons() -> Html {
    let store = use_store();
    let status = &store.views.status;
    let back = html! {
        <button type="button" class="wg-button" disabled={status.step == 0}
            onclick={store.on_click(Action::StepBy(-1))}>{ "Back" }</button>
    };
    let main = |action: Action, glyph: Option<Glyph>, label: &'static str| {
        html! {
            <button type="button" class="wg-button is-primary wg-main-action"
                onclick={store.on_click(action)}>
                if let Some(glyph) = glyph { <Icon {glyph} /> }
                { label }
            </button>
        }
    };
    let (side, main) = if status.steps == 0 {
        (
            html! {},
            main(
                Action::FocusTerminal,
                Some(Glyph::Terminal),
                "Type a command",
            ),
        )
    } else if store.ui.playing {
        (back, main(Action::Pause, Some(Glyph::Pause), "Pause"))
    } else if status.step == 0 {
        let step = html! {
            <button type="button" class="wg-button" onclick={store.on_click(Action::StepBy(1))}>
                { "One step" }
            </button>
        };
        let label = if store.ui.dirty {
            "Play the run"
        } else {
            "Play the story"
        };
        (step, main(Action::Play, Some(Glyph::Play), label))
    } else if status.step < status.steps {
        (back, main(Action::StepBy(1), None, "Next"))
    } else if store.ui.dirty {
        (
            back,
            main(
                Action::FocusTerminal,
                Some(Glyph::Terminal),
                "Type a command",
            ),
        )
    } else {
        let again = html! {
            <button type="button" class="wg-button"
                onclick={store.on_click(Action::Play)}>{ "Replay" }</button>
        };
        (
            again,
            main(
                Action::FocusTerminal,
                Some(Glyph::Terminal),
                "Try it yourself",
            ),
        )
    };
    html! { <div class="wg-story-buttons">{ side }{ main }</div> }
}

/// Commands to begin with, each a click.
#[component]
pub fn FirstCommands() -> Html {
    let store = use_store();
    // A run that begins with a snapshot has keys of its own.
    let lines = match store.views.status.revision {
        ..=1 => ["put /key1 value1", "get /key1", "help"],
        _ => [
            r#"get "" --prefix --keys-only --limit=10"#,
            "endpoint status",
            "help",
        ],
    };
    html! {
        <ul class="wg-first-commands">
            { for lines.into_iter().map(|line| html! {
                <li><button type="button" class="wg-button is-code"
                    onclick={store.on_click(Action::Do(Act::Type(line.to_owned())))}>
                    <span class="wg-dollar" aria-hidden="true">{ "$ " }</span>{ line }
                </button></li>
            }) }
        </ul>
    }
}

/// Text between backticks is set as code.
fn with_code(text: &str) -> Html {
    text.split('`')
        .enumerate()
        .map(|(place, part)| {
            if place % 2 == 1 {
                html! { <code>{ part }</code> }
            } else {
                html! { <>{ part }</> }
            }
        })
        .collect()
}
