//! The figure: a head that names it and leads out of it, the picture, a sentence, the transport.

mod foot;
mod head;

use yew::prelude::*;

use super::announcer::Announcer;
use super::stage::Picture;
use super::terminal::Terminal;
use crate::hooks::use_shortcuts;
use crate::state::ui::{Controls, EngineState};
use crate::state::use_store;
use foot::Foot;
use head::{Head, WayOut};

#[component]
pub fn FigurePage() -> Html {
    let store = use_store();
    use_shortcuts(&store);
    let figure = store.ui.figure.clone().unwrap_or_default();
    let bare = figure.controls == Controls::None;
    let terminal = store.ui.has_terminal();
    let class = classes!(
        "wg-figure",
        bare.then_some("is-bare"),
        terminal.then_some("has-terminal"),
        store.ui.instant.then_some("is-instant"),
    );
    if let EngineState::Failed(why) = &store.ui.engine {
        return html! { <Failure why={why.clone()} /> };
    }
    let status = &store.views.status;
    let sentence = if status.narration.is_empty() && store.ui.engine == EngineState::Running {
        "Nothing has happened yet."
    } else {
        status.narration.as_str()
    };
    html! {
        <div {class}>
            if !bare {
                <Head />
            }
            <main class="wg-figure-main">
                <div class="wg-picture"><Picture /></div>
                <div class="wg-figure-caption">
                    <p title={sentence.to_owned()}>{ sentence }</p>
                    if bare {
                        <WayOut />
                    }
                </div>
            </main>
            if terminal {
                <Terminal />
            }
            if !bare {
                <Foot />
            }
            <Announcer />
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct FailureProps {
    why: String,
}

/// What is shown instead of a figure that is not there: never another figure.
#[component]
fn Failure(props: &FailureProps) -> Html {
    let again = Callback::from(|_: MouseEvent| {
        gloo::utils::window().location().reload().ok();
    });
    html! {
        <div class="wg-figure-failure" role="alert">
            <p><b>{ "This figure cannot be shown." }</b></p>
            <p class="wg-why">{ &props.why }</p>
            <button type="button" class="wg-button is-small" onclick={again}>{ "Try again" }</button>
        </div>
    }
}
