//! The panel of the Watch view: reads the view and dispatches actions.

use std::rc::Rc;

use watchglass_engine::view::{WatchQuery, WatchView};
use yew::prelude::*;

use super::fence::Fence;
use super::lamps::lamps;
use super::picture::picture;
use super::ruler::Room;
use super::scene::{WatchScene, enlargement, is_dense};
use super::{away, bands, dense, streams, table};
use crate::draw::marks::Marked;
use crate::hooks::{pointed, use_reveal, use_stage};
use crate::panels::blank::blank;
use crate::state::Action;
use crate::store::{use_line, use_store};
use crate::widgets::grid::{Grid, table_toggle};
use crate::widgets::shared::Shared;
use crate::widgets::{GridRow, Still};
use crate::words::watch as words;

/// The commands that an empty Watch view suggests.
const FIRST: [(&str, &str); 2] = [
    ("watch /key1 --prefix as w1", words::FROM_NOW),
    ("watch /key1 --prefix --rev=2 as w2", words::FROM_REVISION),
];

/// Renders the Watch view.
#[component]
pub fn WatchPanel() -> Html {
    let store = use_store();
    let line = use_line();
    let node = use_node_ref();
    let stage = use_stage(&node, &store);
    let active = use_state_eq(|| None::<u64>);
    let table = use_state(|| false);
    let window = use_state_eq(|| (0_u64, 0_u32));
    use_reveal(&node, "data-watcher", *active);

    let nothing = use_memo((), |()| WatchView::default());
    let view: &WatchView = store.views.watch.as_ref().unwrap_or(&nothing);
    let dense = is_dense(view);
    let stage_room = Room {
        width: stage.width,
        height: stage.height,
        advance: stage.advance,
    };
    let enlargement = enlargement(view, stage_room);
    let room = Room {
        width: stage.width / enlargement.factor,
        height: stage.height / enlargement.factor,
        ..stage_room
    };
    {
        let query = WatchQuery {
            columns: dense::columns(room),
            selected: None,
            table_from: if dense { window.0 } else { 0 },
            table_rows: if dense { window.1 } else { 0 },
        };
        let on_query = store.on(Action::WatchViewport);
        use_effect_with((stage.width > 0.0, query), move |(laid_out, query)| {
            if *laid_out {
                on_query.emit(query.clone());
            }
        });
    }
    let drawn = {
        let marked = Marked {
            selected: store.ui.watcher,
            active: *active,
        };
        let fence = Fence::read(&line.draft, view);
        let deps = (Shared(store.views.clone()), stage, room, fence, marked);
        let nothing = nothing.clone();
        use_memo(deps, move |(views, stage, room, fence, marked)| {
            let view = views.watch.as_ref().unwrap_or(&nothing);
            let scene = WatchScene::new(view, *room, fence.as_ref(), *marked);
            html! {
                <>
                    { picture(&scene, stage.glide, views.status.step) }
                    { bands::bands(&scene, view, room.is_wide()) }
                </>
            }
        })
    };
    let rows = use_memo(Shared(store.views.clone()), |views| {
        let view = views.watch.as_ref();
        let known = view.map(|view| {
            if is_dense(view) {
                &view.table
            } else {
                &view.watchers
            }
        });
        let rows: Vec<GridRow> = known.into_iter().flatten().map(table::row).collect();
        Rc::new(rows)
    });
    let on_select = use_memo((), |()| store.on(Action::SelectWatcher));
    let on_active = {
        let active = active.clone();
        use_callback((), move |id, ()| active.set(id))
    };
    let on_window = {
        let window = window.clone();
        use_callback((), move |wanted, ()| window.set(wanted))
    };
    let onclick = {
        let on_select = on_select.clone();
        Callback::from(move |event: MouseEvent| {
            if let Some(id) = pointed(&event, "data-watcher") {
                on_select.emit(id);
            }
        })
    };
    let known = view.watchers.len() as u64;
    let total = if dense {
        view.synced + view.unsynced + view.victims
    } else {
        known
    };
    let is_empty = total == 0 && view.away.is_empty();
    let first = if dense { store.ui.watch.table_from } else { 0 };
    html! {
        <figure class="wg-view" aria-label={words::VIEW}>
            <figcaption class="wg-unseen">{ words::figure(view) }</figcaption>
            <div ref={node} class="wg-view-scroll wg-fades">
                if is_empty {
                    if store.views.watch.is_some() {
                        { blank(&store, words::NO_WATCHERS, words::ABOUT, &FIRST) }
                    }
                } else if stage.width > 0.0 {
                    if !*table {
                        <div class={enlargement.class}>
                            <div class="watch-bands" {onclick}><Still html={drawn} /></div>
                            { away::away(&store, view) }
                            { streams::streams(view, store.ui.watcher, &on_select) }
                        </div>
                    }
                    <Grid label={words::GRID} columns={&words::COLUMNS[..]} rows={(*rows).clone()} {first} {total}
                        chosen={store.ui.watcher} visible={*table} on_choose={(*on_select).clone()}
                        {on_active} {on_window} />
                }
            </div>
            if !is_empty {
                <div class="wg-view-foot">{ lamps(&store, &view.lamps) }{ table_toggle(&table) }</div>
            }
        </figure>
    }
}
