//! The panel of the Messages view: reads the view and dispatches actions.

use watchglass_engine::view::MessagesView;
use web_sys::Element;
use yew::prelude::*;

use super::picture::{legend, picture};
use super::plan::Plan;
use super::rows::rows;
use super::scene::MessagesScene;
use crate::panels::blank::blank;
use crate::panels::frame::{use_frame, use_items};
use crate::state::Action;
use crate::state::action::ViewAct;
use crate::store::StoreHandle;
use crate::widgets::Still;
use crate::widgets::shared::Shared;
use crate::words::messages as words;

/// The command that an empty Messages view suggests.
const FIRST: [(&str, &str); 1] = [("put /key1 value1", words::SENDS_REQUEST)];

#[component]
pub fn MessagesPanel() -> Html {
    let frame = use_frame();
    let items = use_items(&frame, "data-message");
    let (store, stage) = (&frame.store, frame.stage);
    let view = store.views.messages.as_ref();
    let plan = view.map(|view| Plan::new(view, stage.room));
    let selected = store.ui.message;
    let drawn = {
        let deps = (Shared(store.views.clone()), stage, selected, items.active());
        use_memo(deps, move |(views, _, selected, active)| {
            let view = views.messages.as_ref().zip(plan);
            let scene = view.map(|(view, plan)| MessagesScene::new(view, plan, *selected));
            scene
                .map(|scene| picture(&scene, *active))
                .unwrap_or_default()
        })
    };
    // Keep the current time visible if the picture is taller than the drawing area.
    let now = view.zip(plan).filter(|(_, plan)| plan.down);
    let now = now.map(|(view, plan)| plan.along(view.now) as i32);
    {
        let node = frame.node.clone();
        let deps = (store.views.status.step, now, stage.room.height > 0.0);
        use_effect_with(deps, move |(_, now, _)| {
            if let (Some(now), Some(stage)) = (now, node.cast::<Element>()) {
                stage.set_scroll_top(now - stage.client_height() * 4 / 5);
            }
        });
    }
    let rows = Shared(use_memo(Shared(store.views.clone()), |views| {
        views.messages.as_ref().map(rows).unwrap_or_default()
    }));
    let on_choose = store.on(|value| Action::View(ViewAct::SelectMessage(value)));
    let shown = view.filter(|view| view.total > 0);
    let body = html! {
        if shown.is_none() {
            if view.is_some() {
                { blank(store, words::NO_MESSAGES, words::ABOUT, &FIRST) }
            }
        } else if frame.is_laid_out() {
            if !items.is_table() {
                <div class="msgs-stage" data-now={now.map(|now| now.to_string())}
                    onclick={items.on_click(&on_choose)}><Still html={drawn} /></div>
            }
            { items.grid(words::LIST, &words::COLUMNS, &rows, selected, on_choose) }
        }
    };
    let foot =
        shown.map(|view| html! { <>{ legend(view) }{ older(store, view) }{ items.toggle() }</> });
    frame.view(words::VIEW, view.map(words::figure), None, body, foot)
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
                onclick={store.on_click(Action::View(ViewAct::SkipMessages(view.newer + view.covered)))}>
                { words::OLDER }
            </button>
            <span role="status">{ words::shown(before + 1, last, view.total) }</span>
            <button type="button" class="wg-button is-small" disabled={view.newer == 0}
                onclick={store.on_click(Action::View(ViewAct::SkipMessages(0)))}>{ words::NEWEST }</button>
        </span>
    }
}
