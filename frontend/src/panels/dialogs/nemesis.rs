//! Searches for a failure with random commands: what to search for, the progress, and the commands that are needed for
//! the failure.

use watchglass_engine::view::odds::{Ending, Failure};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::state::Action;
use crate::state::nemesis::{Nemesis, NemesisAct};
use crate::store::{StoreHandle, use_store};
use crate::words::{nemesis as words, odds};

#[component]
pub(super) fn NemesisDialog() -> Html {
    let store = use_store();
    let nemesis = &store.ui.nemesis;
    let failure = nemesis.view.as_ref().and_then(|view| view.failure.as_ref());
    let search = match (failure, nemesis.tried) {
        (Some(Failure { known: Some(_), .. }), _) => words::SEARCH_OTHER,
        (None, 0) => words::SEARCH,
        _ => words::SEARCH_ON,
    };
    html! {
        <div class="wg-odds">
            <p>{ words::introduction(store.views.status.step) }</p>
            <div class="wg-row">
                { choice(&store, nemesis) }
                if nemesis.is_running() {
                    { button(&store, words::STOP, NemesisAct::Stop) }
                } else {
                    { button(&store, search, NemesisAct::Search) }
                }
            </div>
            <div role="status">
                if nemesis.is_running() {
                    <p>{ words::progress(nemesis.tried) }</p>
                } else if let Some(failure) = failure {
                    { found(nemesis, failure) }
                } else if nemesis.tried > 0 {
                    <p>{ words::nothing_found(nemesis.tried) }</p>
                }
            </div>
            if let Some(failure) = failure {
                <pre class="wg-nemesis-commands" tabindex="0" role="group" aria-label={words::COMMANDS}>
                    { failure.text.clone() }
                </pre>
                <div class="wg-row">{ button(&store, words::OPEN, NemesisAct::Open) }</div>
            }
            if !nemesis.passed_over.is_empty() {
                <small>{ words::passed_over(nemesis.passed_over.len()) }</small>
            }
            if let Some(refusal) = &nemesis.refusal {
                <p class="wg-odds-refusal" role="alert">{ refusal }</p>
            }
        </div>
    }
}

fn button(store: &StoreHandle, label: &str, act: NemesisAct) -> Html {
    html! {
        <button type="button" class="wg-button is-small" onclick={store.on_click(Action::Nemesis(act))}>
            { label.to_owned() }
        </button>
    }
}

/// Renders the field for the ending to search for.
fn choice(store: &StoreHandle, nemesis: &Nemesis) -> Html {
    let onchange = store.on(|event: Event| {
        let field = event.target_dyn_into::<HtmlSelectElement>();
        let number = field.map_or(0, |field| field.selected_index());
        // The first option stands for all forbidden endings.
        let ending = usize::try_from(number - 1).ok();
        Action::Nemesis(NemesisAct::Choose(
            ending.and_then(|ending| Ending::ALL.get(ending).cloned()),
        ))
    });
    html! {
        <label class="wg-nemesis-choice">
            { words::SEARCH_FOR }
            <select class="wg-select" {onchange}>
                <option selected={nemesis.sought.is_none()}>{ words::FORBIDDEN }</option>
                { for Ending::ALL.iter().map(|ending| html! {
                    <option selected={nemesis.sought.as_ref() == Some(ending)}>{ odds::ending(ending) }</option>
                }) }
            </select>
        </label>
    }
}

fn found(nemesis: &Nemesis, failure: &Failure) -> Html {
    html! {
        <div class="wg-odds-result">
            <h3>{ odds::ending(&failure.ending) }</h3>
            if !failure.what.is_empty() {
                <p>{ &failure.what }</p>
            }
            <p>{ words::found(nemesis.tried, failure.drawn, failure.needed) }</p>
        </div>
    }
}
