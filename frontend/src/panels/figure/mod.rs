//! A figure: a line with the title and a link to the app, the picture, its caption, and the playback controls.

mod caption;
mod foot;
mod head;

use yew::prelude::*;

use super::announcer::Announcer;
use super::failure::{FailureText, FailureTextProps};
use super::notices::reload;
use super::stage::Picture;
use super::terminal::Terminal;
use crate::address::link;
use crate::hooks::{use_shortcuts, use_whole_parts};
use crate::host::FailureKind;
use crate::state::action::RunAct;
use crate::state::choices::View;
use crate::state::ui::{Controls, EngineState};
use crate::state::{Action, flow};
use crate::store::{StoreHandle, use_store};
use crate::widgets::later::use_part;
use crate::words::state::SILENT;
use crate::words::{common, dialogs, figure as words};
use caption::{Caption, alternative};
use foot::Foot;
use head::{Head, WayOut};

#[component]
pub fn FigurePage() -> Html {
    let store = use_store();
    use_shortcuts(&store);
    let node = use_node_ref();
    use_whole_parts(&node, true);
    // The Lab measures its own runs, so that the run of the figure has no part in it.
    let is_lab = store.ui.prefs.view == View::Lab;
    let figure = store.ui.figure.clone().unwrap_or_default();
    let bare = figure.controls == Controls::None;
    let terminal = store.ui.has_terminal();
    // The poster stays visible until the figure has drawn its picture; after that, the figure always stays visible.
    let is_drawn = use_mut_ref(|| false);
    let has_code = use_part(store.ui.prefs.view).is_some();
    *is_drawn.borrow_mut() |= has_code && has_something_to_show(&store);
    let drawn = is_drawn.borrow().then_some("is-drawn");
    let class = classes!(
        "wg-figure",
        drawn,
        bare.then_some("is-bare"),
        terminal.then_some("has-terminal"),
        store.ui.instant.then_some("is-instant"),
    );
    if let EngineState::Failed(failure, report) = &store.ui.engine {
        return html! {
            <div class={classes!("wg-figure-failure", drawn)} role="alert">
                <NoFigure failure={failure.clone()} report={report.clone()} />
            </div>
        };
    }
    let alternative = alternative(&store).filter(|_| !is_lab);
    html! {
        <div {class}>
            if !bare {
                <Head />
            }
            <main ref={node} class="wg-figure-main">
                <div class="wg-picture" role={alternative.as_ref().map(|_| "group")} aria-label={alternative}>
                    <Picture />
                </div>
                if !is_lab {
                    <Caption />
                } else if bare {
                    <div class="wg-figure-caption"><p></p><WayOut /></div>
                }
            </main>
            if let Some(paused) = store.ui.paused {
                <p class="wg-figure-notice" role="status">
                    <span>{ words::paused(paused.steps) }</span>
                    <button type="button" class="wg-button is-small"
                        onclick={store.on_click(Action::Run(RunAct::Continue))}>
                        { words::CONTINUE }
                    </button>
                </p>
            }
            if store.ui.is_silent {
                <p class="wg-figure-notice" role="alert">
                    { SILENT }
                    <button type="button" class="wg-button is-small"
                        onclick={store.on_click(Action::Run(RunAct::TryAgain))}>{ common::START_AGAIN }</button>
                </p>
            }
            if terminal {
                <Terminal />
            }
            if !bare && !is_lab {
                <Foot />
            }
            <Announcer />
        </div>
    }
}

/// Returns true if the picture is drawn for the current size of the drawing area, or if a notice waits for the reader.
fn has_something_to_show(store: &StoreHandle) -> bool {
    let (ui, views) = (&store.ui, &store.views);
    let is_drawn = || match ui.prefs.view {
        View::Index => {
            let drawn = views.index.as_ref().map(|view| &view.query);
            drawn.is_some() && drawn == flow::queries(ui).index.as_ref()
        }
        View::Watch => views.watch.is_some(),
        View::Cache => views.cache.is_some(),
        View::Messages => views.messages.is_some(),
        View::Storage => views.storage.is_some(),
        View::Cluster => views.cluster.is_some(),
        View::Qos => views.qos.is_some(),
        View::Lab => true,
    };
    ui.paused.is_some() || ui.is_silent || (ui.engine == EngineState::Running && is_drawn())
}

/// Renders the failure of a figure, which replaces the whole figure.
#[component]
fn NoFigure(props: &FailureTextProps) -> Html {
    let FailureTextProps { failure, report } = props.clone();
    let has_no_worker = failure.kind == FailureKind::NoWorker;
    html! {
        <>
            <p>{ words::NO_FIGURE }</p>
            <FailureText {failure} {report} />
            if has_no_worker {
                <a class="wg-button is-small" href={link::to_app_as_here()} target="_blank" rel="noopener">
                    { words::OPEN_IN_TAB }
                </a>
            } else {
                <button type="button" class="wg-button is-small" onclick={Callback::from(|_| reload())}>
                    { common::TRY_AGAIN }
                </button>
                <a class="wg-button is-small" href="scenarios.html" target="_blank" rel="noopener">
                    { dialogs::ONE_PAGE }
                </a>
            }
        </>
    }
}
