//! The Messages view connected to the page: its view in, its actions out.

use std::rc::Rc;

use watchglass_engine::view::MessagesView;
use web_sys::Element;
use yew::prelude::*;

use super::picture::{legend, picture};
use super::plan::Plan;
use super::scene::MessagesScene;
use super::words;
use crate::hooks::{pointed, use_reveal, use_stage};
use crate::panels::blank::blank;
use crate::state::Action;
use crate::store::use_store;
use crate::widgets::grid::{Grid, table_toggle};
use crate::widgets::shared::Shared;
use crate::widgets::{GridRow, Still};

/// What the list is, and how to use it.
const GRID_NAME: &str =
    "Messages, oldest first. Arrow keys walk, Enter goes to the message and inspects it.";
/// What a message is.
const ABOUT: &str = "Clients and servers exchange messages. Each arrow is a message from lane to \
    lane; its slant is the time that the message takes.";
/// A command to begin with.
const FIRST: [(&str, &str); 1] = [("put /key1 value1", "a request and its response")];

/// The Messages view.
#[component]
pub fn MessagesPanel() -> Html {
    let store = use_store();
    let node = use_node_ref();
    let stage = use_stage(&node, &store);
    let active = use_state_eq(|| None::<u64>);
    let list = use_state(|| false);
    use_reveal(&node, "data-message", *active);

    let nothing = use_memo((), |()| MessagesView::default());
    let view: &MessagesView = store.views.messages.as_ref().unwrap_or(&nothing);
    let plan = Plan::new(view, stage.width, stage.height, stage.advance);
    let selected = store.ui.message;
    let drawn = {
        let deps = (Shared(store.views.clone()), stage, selected, *active);
        let nothing = nothing.clone();
        use_memo(deps, move |(views, stage, selected, active)| {
            let view = views.messages.as_ref().unwrap_or(&nothing);
            picture(
                &MessagesScene::new(view, plan, *selected),
                *active,
                stage.glide,
            )
        })
    };
    {
        // What happens now stays in sight where the picture is longer than the stage.
        let now = plan.down.then(|| plan.along(view.now) as i32);
        let node = node.clone();
        let deps = (store.views.status.step, now, stage.height > 0.0);
        use_effect_with(deps, move |(_, now, _)| {
            if let (Some(now), Some(stage)) = (now, node.cast::<Element>()) {
                stage.set_scroll_top(now - stage.client_height() * 4 / 5);
            }
        });
    }
    let rows = use_memo(Shared(store.views.clone()), |views| {
        let view = views.messages.as_ref();
        let rows = view.map(|view| view.arrows.iter().map(|arrow| words::row(view, arrow)));
        let rows: Vec<GridRow> = rows.into_iter().flatten().collect();
        Rc::new(rows)
    });
    let on_choose = {
        let store = store.clone();
        Callback::from(move |id: u64| {
            let view = store.views.messages.as_ref();
            let arrow = view.and_then(|view| view.arrows.iter().find(|arrow| arrow.id == id));
            if let Some(arrow) = arrow {
                store.dispatch(Action::SelectMessage {
                    id,
                    step: arrow.step,
                });
            }
        })
    };
    let on_active = {
        let active = active.clone();
        use_callback((), move |id, ()| active.set(id))
    };
    let onclick = {
        let on_choose = on_choose.clone();
        Callback::from(move |event: MouseEvent| {
            if let Some(id) = pointed(&event, "data-message") {
                on_choose.emit(id);
            }
        })
    };
    html! {
        <figure class="wg-view" aria-label="Messages between nodes over time">
            <figcaption class="wg-unseen">{ words::figure(view) }</figcaption>
            <div ref={node} class="wg-view-scroll">
                if view.total == 0 {
                    if store.views.messages.is_some() {
                        { blank(&store, "No messages yet", ABOUT, &FIRST) }
                    }
                } else if stage.width > 0.0 {
                    if !*list {
                        <div class="msgs-stage" {onclick}><Still html={drawn} /></div>
                    }
                    <Grid label={GRID_NAME} columns={&words::COLUMNS[..]} rows={(*rows).clone()}
                        total={rows.len() as u64} chosen={selected} visible={*list} {on_choose} {on_active} />
                }
            </div>
            if view.total > 0 {
                <div class="wg-view-foot">{ legend() }{ table_toggle(&list) }</div>
            }
        </figure>
    }
}
