//! The inspector as a whole: header, three ways to look, and what it says without a key.

use watchglass_engine::view::KeyView;
use yew::prelude::*;

use super::bytes::BytesView;
use super::generations::Generations;
use super::json::JsonView;
use super::tabs::{Tab, Tabs};
use crate::panels::index::shared::Shared;
use crate::state::{Action, use_store};

/// The inspector, connected.
#[component]
pub fn InspectorPanel() -> Html {
    let store = use_store();
    let chosen = store.ui.selection.as_ref();
    // A view that is still about the key before is not shown under this one's name.
    let ready =
        matches!((chosen, &store.views.key), (Some(query), Some(view)) if query.key == view.key);
    let key = chosen.map(|query| query.key.clone());
    let on_row = use_memo(key.clone(), |key| {
        let key = key.clone().unwrap_or_default();
        store.on(move |revision| Action::SelectKey {
            key: key.clone(),
            revision: Some(revision),
        })
    });
    html! {
        <div class="insp">
            if key.is_none() {
                <Hint />
            } else if ready {
                <Inspector views={Shared(store.views.clone())} on_row={(*on_row).clone()} />
            }
        </div>
    }
}

/// See the module.
#[derive(Properties, PartialEq)]
pub struct InspectorProps {
    /// What the engine showed last; its key view is drawn.
    pub views: Shared<watchglass_engine::view::Views>,
    /// A row was chosen.
    pub on_row: Callback<(i64, i64)>,
}

/// The inspector of a key.
#[component]
pub fn Inspector(props: &InspectorProps) -> Html {
    let tab = use_state_eq(|| Tab::Generations);
    let Some(view) = &props.views.key else {
        return Html::default();
    };
    let on_tab = {
        let tab = tab.clone();
        Callback::from(move |next| tab.set(next))
    };
    let compacted = props.views.status.compact_revision;
    html! {
        <>
            <header class="insp-head">
                <span class={if view.alive { "insp-dot alive" } else { "insp-dot" }} aria-hidden="true"></span>
                <h2 class="insp-key" title={view.name.clone()}>{ &view.name }</h2>
                <span class="insp-state">{ state(view) }</span>
            </header>
            <Tabs tab={*tab} {on_tab} />
            <div role="tabpanel" id="insp-panel" aria-labelledby={tab.id()} class="insp-panel" tabindex="0">
                { match *tab {
                    Tab::Generations => html! {
                        <Generations views={props.views.clone()} on_row={props.on_row.clone()} />
                    },
                    Tab::Json => html! { <JsonView json={view.json.clone()} indexed={view.indexed} /> },
                    Tab::Bytes => html! { <BytesView views={props.views.clone()} {compacted} /> },
                } }
            </div>
        </>
    }
}

fn state(view: &KeyView) -> &'static str {
    match (view.alive, view.indexed) {
        (true, _) => "exists",
        (false, true) => "deleted",
        (false, false) if view.generations.is_empty() => "not written yet",
        (false, false) => "forgotten",
    }
}

/// What to do when nothing is chosen.
#[component]
fn Hint() -> Html {
    html! {
        <div class="insp-hint">
            <h2>{ "Inspector" }</h2>
            <p>
                { "Choose a key or one of its beads to see its generations, its entry in etcd's key index, \
                   and its row down to the bytes." }
            </p>
            <p>{ "By keyboard: Tab to the picture, walk with the arrow keys, Enter." }</p>
        </div>
    }
}
