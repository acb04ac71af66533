//! The panel of the Watch view: reads the view and dispatches actions.

use std::rc::Rc;

use watchglass_engine::view::WatchQuery;
use yew::prelude::*;

use super::fence::Fence;
use super::picture::picture;
use super::scene::{WatchScene, enlargement};
use super::{away, bands, dense, streams, table};
use crate::draw::enlarge::Enlargement;
use crate::draw::{Marked, Room};
use crate::panels::blank::blank;
use crate::panels::frame::{use_focused_frame, use_items};
use crate::panels::lamps::lamps;
use crate::state::Action;
use crate::state::action::ViewAct;
use crate::store::use_line;
use crate::widgets::grid::Grid;
use crate::widgets::shared::Shared;
use crate::widgets::{GridRow, Still};
use crate::words::watch as words;

/// The commands that an empty Watch view suggests.
const FIRST: [(&str, &str); 2] = [
    ("watch /key1 --prefix as w1", words::FROM_NOW),
    ("watch /key1 --prefix --rev=2 as w2", words::FROM_REVISION),
];

#[component]
pub fn WatchPanel() -> Html {
    let frame = use_focused_frame(|views, name| {
        let watchers = views.watch.iter().flat_map(|view| &view.watchers);
        let of_name = watchers.filter(|watcher| watcher.name == name);
        of_name.map(|watcher| watcher.id.to_string()).collect()
    });
    let items = use_items(&frame, "data-watcher");
    let line = use_line();
    let window = use_state_eq(|| (0_u64, 0_u32));
    let (store, stage) = (&frame.store, frame.stage);
    let view = store.views.watch.as_ref();
    let is_dense = view.is_some_and(|view| view.is_dense());
    let enlargement = view.map_or(Enlargement::NONE, |view| enlargement(view, stage.room));
    let room = Room {
        width: stage.room.width / enlargement.factor,
        height: stage.room.height / enlargement.factor,
        ..stage.room
    };
    {
        let (table_from, table_rows) = if is_dense { *window } else { (0, 0) };
        let query = WatchQuery {
            columns: dense::columns(room),
            selected: None,
            table_from,
            table_rows,
        };
        let on_query = store.on(|value| Action::View(ViewAct::WatchViewport(value)));
        use_effect_with((frame.is_laid_out(), query), move |(laid_out, query)| {
            if *laid_out {
                on_query.emit(query.clone());
            }
        });
    }
    let drawn = {
        let marked = Marked {
            selected: store.ui.watcher,
            active: items.active(),
        };
        let fence = view.and_then(|view| Fence::read(&line.draft, view));
        let deps = (Shared(store.views.clone()), room, fence, marked);
        use_memo(deps, move |(views, room, fence, marked)| {
            let Some(view) = &views.watch else {
                return Html::default();
            };
            let scene = WatchScene::new(view, *room, fence.as_ref(), *marked);
            html! {
                <>
                    { picture(&scene, views.status.step) }
                    { bands::bands(&scene, view, room.is_wide()) }
                </>
            }
        })
    };
    let rows = use_memo(Shared(store.views.clone()), |views| {
        let known = views.watch.as_ref().map(|view| match view.is_dense() {
            true => &view.table,
            false => &view.watchers,
        });
        let rows: Vec<GridRow> = known.into_iter().flatten().map(table::row).collect();
        Rc::new(rows)
    });
    let on_select = use_memo((), |()| {
        store.on(|value| Action::View(ViewAct::SelectWatcher(value)))
    });
    let on_window = {
        let window = window.clone();
        use_callback((), move |wanted, ()| window.set(wanted))
    };
    let total = view.map_or(0, |view| match is_dense {
        true => view.synced + view.unsynced + view.victims,
        false => view.watchers.len() as u64,
    });
    let first = if is_dense {
        store.ui.watch.table_from
    } else {
        0
    };
    let shown = view.filter(|view| total > 0 || !view.away.is_empty());
    let body = html! {
        if let Some(view) = shown {
            if frame.is_laid_out() {
                if !items.is_table() {
                    <div class={enlargement.class}>
                        <div class="watch-bands" onclick={items.on_click(&on_select)}><Still html={drawn} /></div>
                        { away::away(store, view) }
                        { streams::streams(view, store.ui.watcher, &on_select) }
                    </div>
                }
                <Grid label={words::GRID} columns={&words::COLUMNS[..]} rows={(*rows).clone()} {first} {total}
                    chosen={store.ui.watcher} visible={items.is_table()} on_choose={(*on_select).clone()}
                    on_active={items.on_active.clone()} {on_window} />
            }
        } else if view.is_some() {
            { blank(store, words::NO_WATCHERS, words::ABOUT, &FIRST) }
        }
    };
    let foot = shown.map(|view| html! { <>{ lamps(store, &view.lamps) }{ items.toggle() }</> });
    frame.view(words::VIEW, view.map(words::figure), None, body, foot)
}
