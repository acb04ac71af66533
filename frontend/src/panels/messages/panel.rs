//! The panel of the Messages view: reads the view and dispatches actions.

use std::rc::Rc;

use watchglass_engine::view::MessagesView;
use web_sys::Element;
use yew::prelude::*;

use super::picture::{legend, picture};
use super::plan::Plan;
use super::rows::row;
use super::scene::MessagesScene;
use crate::hooks::{pointed, use_reveal, use_stage};
use crate::panels::blank::blank;
use crate::state::Action;
use crate::store::{StoreHandle, use_store};
use crate::widgets::grid::{Grid, table_toggle};
use crate::widgets::shared::Shared;
use crate::widgets::{GridRow, Still};
use crate::words::messages as words;

/// The command that an empty Messages view suggests.
const FIRST: [(&str, &str); 1] = [("put /key1 value1", words::SENDS_REQUEST)];

/// Renders the Messages view.
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
        // Keep the current time visible if the picture is taller than the drawing area.
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
        let rows = view.map(|view| view.arrows.iter().map(|arrow| row(view, arrow)));
        let rows: Vec<GridRow> = rows.into_iter().flatten().collect();
        Rc::new(rows)
    });
    let on_choose = {
        let store = store.clone();
        Callback::from(move |id: u64| store.dispatch(Action::SelectMessage(id)))
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
        <figure class="wg-view" aria-label={words::VIEW}>
            <figcaption class="wg-unseen">{ words::figure(view) }</figcaption>
            <div ref={node} class="wg-view-scroll wg-fades">
                if view.total == 0 {
                    if store.views.messages.is_some() {
                        { blank(&store, words::NO_MESSAGES, words::ABOUT, &FIRST) }
                    }
                } else if stage.width > 0.0 {
                    if !*list {
                        <div class="msgs-stage" {onclick}><Still html={drawn} /></div>
                    }
                    <Grid label={words::LIST} columns={&words::COLUMNS[..]} rows={(*rows).clone()}
                        total={rows.len() as u64} chosen={selected} visible={*list} {on_choose} {on_active} />
                }
            </div>
            if view.total > 0 {
                <div class="wg-view-foot">{ legend(view) }{ older(&store, view) }{ table_toggle(&list) }</div>
            }
        </figure>
    }
}

/// Renders the numbers of the first and the last shown message, and buttons that show older messages or the newest
/// messages.
fn older(store: &StoreHandle, view: &MessagesView) -> Html {
    let last = view.total.saturating_sub(view.newer);
    let before = last.saturating_sub(view.covered);
    if before == 0 && view.newer == 0 {
        return html! {};
    }
    html! {
        <span class="msgs-older">
            <button type="button" class="wg-button is-small" disabled={before == 0 || view.covered == 0}
                onclick={store.on_click(Action::SkipMessages(view.newer + view.covered))}>{ words::OLDER }</button>
            <span role="status">{ words::shown(before + 1, last, view.total) }</span>
            <button type="button" class="wg-button is-small" disabled={view.newer == 0}
                onclick={store.on_click(Action::SkipMessages(0))}>{ words::NEWEST }</button>
        </span>
    }
}
