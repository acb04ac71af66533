//! The line above a figure's picture: the title, the choice of views, and a link to the app.

use yew::prelude::*;

use crate::state::Action;
use crate::state::action::ViewAct;
use crate::state::choices::View;
use crate::state::ui::EngineState;
use crate::store::use_store;
use crate::widgets::Segmented;
use crate::words::{figure as words, topbar};

/// The address of the app, relative to the page of figures.
const APP: &str = ".";

#[component]
pub(super) fn Head() -> Html {
    let store = use_store();
    let status = &store.views.status;
    let known = store.ui.engine != EngineState::Starting;
    html! {
        <header class="wg-figure-head">
            <h1 title={status.title.clone()}>
                { if known { status.title.as_str() } else { topbar::LOADING } }
            </h1>
            if known {
                <a class="wg-chip is-button" href={format!("{APP}?dialog=fidelity")}
                    target="_blank" rel="noopener" title={topbar::SIMPLIFICATIONS}>
                    { topbar::simulated(&status.profile) }
                </a>
            }
            <span class="wg-spring"></span>
            <Views />
            <WayOut />
        </header>
    }
}

/// Renders the choice of views, if there is more than one view.
#[component]
fn Views() -> Html {
    let store = use_store();
    let figure = store.ui.figure.as_ref();
    let views: &[View] = figure.map_or(&[], |figure| &figure.views);
    if views.len() < 2 {
        return html! {};
    }
    let names: Vec<AttrValue> = views.iter().map(|view| view.title().into()).collect();
    let chosen = views.iter().position(|view| *view == store.ui.prefs.view);
    let on_choose = {
        let (store, views) = (store.clone(), views.to_vec());
        Callback::from(move |at: usize| {
            if let Some(view) = views.get(at) {
                store.dispatch(Action::View(ViewAct::Show(*view)));
            }
        })
    };
    html! { <Segmented label={words::PICTURE} class="is-small" {names} {chosen} {on_choose} /> }
}

/// Renders a link that opens the current step in the app.
#[component]
pub(super) fn WayOut() -> Html {
    let store = use_store();
    let href = format!("{APP}#{}", store.ui.link);
    html! {
        <a class="wg-way-out" {href} target="_blank" rel="noopener"
            title={words::OPEN_STEP}>
            { words::open_in_app() }
            <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
                <path d="M6 3.5H3.5v9h9V10M9 3h4v4M13 3L7.5 8.5" />
            </svg>
        </a>
    }
}
