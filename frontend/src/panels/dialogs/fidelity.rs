//! The differences between the simulator and etcd: the tables of `docs/fidelity.md`.

use yew::prelude::*;

use crate::panels::terms::with_code;
use crate::state::Action;
use crate::state::contents::{ContentsEntry, ContentsKind};
use crate::state::ui::{Dialog, View};
use crate::store::use_store;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct FidelityProps {
    /// The view whose simplifications are shown; `None` for all.
    pub(super) view: Option<View>,
}

#[component]
pub(super) fn Fidelity(props: &FidelityProps) -> Html {
    let store = use_store();
    let palette = &store.ui.palette;
    let of = |kind: ContentsKind| {
        let all = palette.contents.iter().flat_map(|contents| contents.iter());
        all.filter(move |entry| entry.kind == kind)
    };
    let row = |entry: &ContentsEntry| {
        html! { <><dt>{ code(&entry.title) }</dt><dd>{ code(&entry.about) }</dd></> }
    };
    let here = |entry: &&ContentsEntry| {
        let mut views = entry.target.split(", ");
        props
            .view
            .is_none_or(|view| views.any(|name| name == view.title()))
    };
    let title = match props.view {
        Some(view) => ["Simplified in the ", view.title(), " view"].concat(),
        None => "Simplified".to_owned(),
    };
    html! {
        <>
            <p>{ "Watchglass is a deterministic model of etcd, not etcd. The same commands give the same responses: a \
                test compares them with a real etcd 3.4.23, and profile 3.6 follows the source code of etcd 3.6." }</p>
            if palette.has_failed {
                <p role="status">{ "The list could not be fetched. Open this dialog again to retry." }</p>
            } else if palette.contents.is_none() {
                <p role="status">{ "Loading the list…" }</p>
            } else {
                <h3>{ title }</h3>
                if props.view.is_some_and(|view| !view.is_simplified()) {
                    <p>{ "This view simplifies nothing. The full list covers the other views and the simulator." }</p>
                }
                <dl class="wg-fidelity">{ for of(ContentsKind::Simplified).filter(here).map(row) }</dl>
                if props.view.is_some() {
                    <button type="button" class="wg-button"
                        onclick={store.on_click(Action::OpenDialog(Dialog::Fidelity(None)))}>
                        { "Show the full list" }
                    </button>
                } else {
                    <h3>{ "Where 3.4.23 and 3.6 differ" }</h3>
                    <dl class="wg-fidelity">{ for of(ContentsKind::Version).map(row) }</dl>
                    <h3>{ "Same as etcd and Kubernetes" }</h3>
                    <ul>{ for of(ContentsKind::Same).map(|entry| html! { <li>{ code(&entry.title) }</li> }) }</ul>
                }
            }
        </>
    }
}

fn code(text: &str) -> Html {
    with_code(text, |part| html! { <>{ part }</> })
}
