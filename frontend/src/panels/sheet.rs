//! The tabs of the bottom sheet, which is the lower part of the page on a small screen. The bottom sheet shows one
//! panel at a time.

use yew::prelude::*;

use crate::state::Action;
use crate::state::action::LayoutAct;
use crate::state::choices::Panel;
use crate::store::use_store;
use crate::widgets::{Glyph, Icon};
use crate::words::{common, lesson, page as words};

#[component]
pub fn SheetTabs() -> Html {
    let store = use_store();
    let task = store
        .views
        .lesson
        .as_ref()
        .and_then(|view| view.task.as_ref());
    let is_solved = task.is_some_and(|task| task.solved);
    let tab = |panel: Panel, label: &'static str| {
        let shown = match store.ui.sheet {
            Panel::Story if !store.ui.has_story(&store.views) => Panel::Terminal,
            other => other,
        };
        let chosen = shown == panel;
        html! {
            <button type="button" class="wg-sheet-tab" aria-pressed={if chosen { "true" } else { "false" }}
                onclick={store.on_click(Action::Layout(LayoutAct::Sheet(panel)))}>
                { label }
                // A command that solves the task is typed in another panel.
                if panel == Panel::Story && is_solved {
                    <span class="wg-sheet-solved">
                        <Icon glyph={Glyph::Check} /><span class="wg-unseen">{ lesson::TASK_SOLVED }</span>
                    </span>
                }
            </button>
        }
    };
    let tall = store.ui.sheet_tall;
    html! {
        <div class="wg-sheet-tabs" role="group" aria-label={words::SHEET}>
            if store.ui.has_story(&store.views) {
                { tab(Panel::Story, if store.ui.has_lesson(&store.views) { common::LESSON } else { common::STORY }) }
            }
            { tab(Panel::Inspect, words::INSPECT) }
            { tab(Panel::Terminal, common::TERMINAL) }
            <button type="button" class="wg-button is-quiet is-icon wg-sheet-size"
                aria-label={if tall { words::SMALLER } else { words::LARGER }}
                aria-expanded={if tall { "true" } else { "false" }}
                onclick={store.on_click(Action::Layout(LayoutAct::ToggleSheet))}>
                <Icon glyph={if tall { Glyph::Down } else { Glyph::Up }} />
            </button>
        </div>
    }
}
