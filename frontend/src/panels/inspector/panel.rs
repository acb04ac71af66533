//! The inspector of a key, a watcher, a message, the caches or a page, each with its tabs.

use yew::prelude::*;

use super::bytes::BytesView;
use super::cache::cache;
use super::generations::Generations;
use super::json::JsonView;
use super::message::message;
use super::page::page;
use super::watcher::watcher;
use crate::panels::terms::breaking_after;
use crate::state::Action;
use crate::state::action::ViewAct;
use crate::state::choices::Subject;
use crate::store::use_store;
use crate::widgets::Tablist;
use crate::widgets::shared::Shared;
use crate::widgets::tablist::{panel_id, tab_id};
use crate::words::inspector as words;
use crate::words::state::INSPECTOR;

/// The prefix of the element ids of the inspector's tabs.
const ID: &str = "insp";

/// Renders the inspector, connected to the page's state.
#[component]
pub fn InspectorPanel() -> Html {
    let store = use_store();
    let chosen = store.ui.selection.as_ref();
    // Do not show a view of the previous key under the name of this key.
    let ready =
        matches!((chosen, &store.views.key), (Some(query), Some(view)) if query.key == view.key);
    let key = chosen.map(|query| query.key.clone());
    let on_row = use_memo(key.clone(), |key| {
        let key = key.clone().unwrap_or_default();
        store.on(move |revision| {
            Action::View(ViewAct::SelectKey {
                key: key.clone(),
                revision: Some(revision),
            })
        })
    });
    // Each subject remembers its selected tab.
    let tabs = use_state_eq(|| [0_usize; 5]);
    let place = store.ui.subject as usize;
    let tab = tabs[place];
    let on_tab = {
        let tabs = tabs.clone();
        Callback::from(move |next| {
            let mut to = *tabs;
            to[place] = next;
            tabs.set(to);
        })
    };
    html! {
        <div class="insp">
            { match store.ui.subject {
                Subject::Key if key.is_none() => hint(words::KEY_HINT),
                Subject::Key if ready => html! {
                    <Inspector views={Shared(store.views.clone())} on_row={(*on_row).clone()} {tab} {on_tab} />
                },
                Subject::Key => html! {},
                Subject::Watcher => watcher(&store, tab, on_tab),
                Subject::Message => message(&store, tab, on_tab),
                Subject::Cache => cache(&store),
                Subject::Page => page(&store),
            } }
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub struct InspectorProps {
    pub views: Shared<watchglass_engine::view::Views>,
    pub on_row: Callback<(i64, i64)>,
    pub tab: usize,
    pub on_tab: Callback<usize>,
}

#[component]
pub fn Inspector(props: &InspectorProps) -> Html {
    let Some(view) = &props.views.key else {
        return Html::default();
    };
    let tabs = &[words::GENERATIONS_TAB, words::JSON_TAB, words::BYTES_TAB];
    let (tab, compacted) = (props.tab, props.views.status.compact_revision);
    let shown = match tab {
        0 => html! { <Generations views={props.views.clone()} on_row={props.on_row.clone()} /> },
        1 => html! { <JsonView json={view.json.clone()} indexed={view.indexed} /> },
        _ => html! { <BytesView views={props.views.clone()} {compacted} /> },
    };
    html! {
        <>
            <header class="insp-head">
                <span class={if view.alive { "insp-dot alive" } else { "insp-dot" }} aria-hidden="true"></span>
                <h2 class="insp-key" title={view.name.clone()}>{ breaking_after(&view.name, &['/']) }</h2>
                <span class="insp-state">{ words::key_state(view) }</span>
            </header>
            { tabbed(words::KEY_VIEWS, tabs, tab, props.on_tab.clone(), shown) }
        </>
    }
}

/// Renders the inspector's tabs, and the content of the selected tab below them.
pub fn tabbed(
    label: &'static str,
    names: &'static [&'static str],
    tab: usize,
    on_tab: Callback<usize>,
    shown: Html,
) -> Html {
    html! {
        <>
            <Tablist {label} {names} id={ID} class="wg-segmented is-wide" chosen={tab} on_choose={on_tab} />
            <div role="tabpanel" id={panel_id(ID)} aria-labelledby={tab_id(ID, tab)} class="insp-panel" tabindex="0">
                { shown }
            </div>
        </>
    }
}

/// Renders the hint that the inspector shows if nothing is selected.
pub fn hint(about: &'static str) -> Html {
    html! {
        <div class="insp-hint">
            <h2>{ INSPECTOR }</h2>
            <p>{ about }</p>
            <p>{ words::KEYBOARD }</p>
        </div>
    }
}
