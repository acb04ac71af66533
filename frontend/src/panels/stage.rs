//! The stage, which is the part of the page with the current view: the tabs, a note if the cursor is before the end of
//! the run, and the view.

use std::future::ready;

use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::StatusView;
use yew::prelude::*;

use super::cache::CachePanel;
use super::cluster::ClusterPanel;
use super::index::IndexPanel;
use super::lab::LabPanel;
use super::messages::MessagesPanel;
use super::qos::QosPanel;
use super::storage::StoragePanel;
use super::watch::WatchPanel;
use crate::hooks::use_whole_parts;
use crate::state::action::LayoutAct;
use crate::state::action::ViewAct;
use crate::state::choices::View;
use crate::state::ui::{Dialog, EngineState};
use crate::state::{Action, Ui};
use crate::store::use_store;
use crate::widgets::later::{Drawing, Part, later, shown, use_part};
use crate::widgets::tablist::{panel_id, tab_id};
use crate::widgets::{Glyph, Icon, Tablist};
use crate::words::page as words;

const TITLES: [&str; View::ALL.len()] = {
    let mut titles = [""; View::ALL.len()];
    let mut at = 0;
    while at < titles.len() {
        titles[at] = View::ALL[at].title();
        at += 1;
    }
    titles
};
/// The prefix of the element ids of the views' tabs.
const ID: &str = "wg-view";

#[component]
pub fn Stage() -> Html {
    let store = use_store();
    let status = &store.views.status;
    let past = is_past(status, &store.ui);
    let view = store.ui.prefs.view;
    let chosen = view as usize;
    let on_choose = use_memo((), |()| {
        store.on(|tab: usize| {
            Action::View(ViewAct::Show(
                View::ALL.get(tab).copied().unwrap_or_default(),
            ))
        })
    });
    let on_point = use_memo((), |()| {
        let store = store.clone();
        Callback::from(move |_: PointerEvent| store.touched())
    });
    let node = use_node_ref();
    use_whole_parts(&node, store.ui.presenting.is_some());
    html! {
        <section ref={node} class={classes!("wg-stage", past.then_some("is-past"))} aria-label={words::STAGE}>
            <h2 class="wg-unseen">{ store.ui.prefs.view.title() }</h2>
            if store.ui.presenting.is_some() {
                <p class="wg-presented">
                    <span>{ &status.title }</span>
                    <b aria-hidden="true">{ view.title() }</b>
                </p>
            }
            <div class="wg-tabs">
                <b class="wg-view-name" aria-hidden="true">{ view.title() }</b>
                <Tablist label={words::VIEWS} names={&TITLES[..]} id={ID} class="wg-views" {chosen}
                    on_choose={(*on_choose).clone()} />
                if past {
                    <div class="wg-past">
                        <p>
                            <b>{ words::you_are_at(status.step, status.steps) }</b>
                            <span class="wg-past-more">{ words::NEW_BRANCH }</span>
                        </p>
                        <button type="button" class="wg-button is-small"
                            onclick={store.on_click(Action::seek(SeekTo::End))}>
                            { words::return_to_end() }
                        </button>
                    </div>
                } else {
                    <span class="wg-spring"></span>
                }
                <button type="button" class="wg-chip is-button wg-badge"
                    title={words::SIMPLIFICATIONS}
                    onclick={store.on_click(Action::OpenDialog(Dialog::Fidelity(Some(view))))}>
                    { if view.is_simplified() { words::SIMPLIFIED } else { words::MODELLED } }
                </button>
                <button type="button" class="wg-button is-quiet is-icon wg-inspector-toggle"
                    aria-label={words::INSPECTOR} title={words::INSPECTOR}
                    aria-pressed={if store.ui.inspector_open { "true" } else { "false" }}
                    onclick={store.on_click(Action::Layout(LayoutAct::ToggleInspector))}>
                    <Icon glyph={Glyph::Panel} />
                </button>
            </div>
            <div class="wg-picture" onpointermove={(*on_point).clone()}
                role="tabpanel" id={panel_id(ID)} aria-labelledby={tab_id(ID, chosen)}>
                <Picture />
            </div>
        </section>
    }
}

/// Renders the current view without tabs.
#[component]
pub fn Picture() -> Html {
    let store = use_store();
    // Fetches the code of the view while the engine starts.
    let picture = use_part(store.ui.prefs.view);
    if store.ui.engine == EngineState::Starting {
        return html! { <Skeleton /> };
    }
    shown(picture, html! { <Skeleton /> })
}

later! { views: fn watch() { html! { <WatchPanel /> } } }
later! { views: fn cache() { html! { <CachePanel /> } } }
later! { views: fn messages() { html! { <MessagesPanel /> } } }
later! { views: fn storage() { html! { <StoragePanel /> } } }
later! { views: fn cluster() { html! { <ClusterPanel /> } } }
later! { views: fn qos() { html! { <QosPanel /> } } }
later! { lab: fn lab() { html! { <LabPanel /> } } }

impl Part for View {
    fn draw(self) -> Drawing {
        match self {
            View::Index => Box::pin(ready(Ok(html! { <IndexPanel /> }))),
            View::Watch => watch(),
            View::Cache => cache(),
            View::Messages => messages(),
            View::Storage => storage(),
            View::Cluster => cluster(),
            View::Qos => qos(),
            View::Lab => lab(),
        }
    }
}

/// Returns true if the cursor is before the end of the run, unless the reader follows a story or the run is being
/// played.
pub fn is_past(status: &StatusView, ui: &Ui) -> bool {
    let is_followed = status.is_told && status.typed == 0;
    status.step < status.steps && !is_followed && !ui.playing
}

/// Shows grey placeholders until the engine is ready, and a text if loading takes long.
#[component]
fn Skeleton() -> Html {
    let store = use_store();
    let text = if store.ui.paused.is_some() {
        words::PAUSED
    } else {
        words::LOADING
    };
    html! {
        <div class="wg-skeleton" role="status">
            <i></i><i></i><i></i><i></i>
            <p class="wg-late">{ text }</p>
        </div>
    }
}
