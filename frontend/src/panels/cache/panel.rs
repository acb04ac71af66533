//! The panel of the Cache view: reads the view and dispatches actions.

use std::rc::Rc;

use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::PLOT_SPANS;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::load::LoadStrips;
use super::picture::{legend, load, plot, rulers, savings};
use super::plot::CachePlot;
use super::routes;
use super::scene::{CACHE_ROW, CacheScene, REVISION_ROW, WATCH_ROW, WATCHES_A_CACHE};
use super::table;
use crate::draw::{Marked, Room};
use crate::panels::blank::blank;
use crate::panels::frame::{use_focused_frame, use_items};
use crate::panels::lamps::lamps;
use crate::state::Action;
use crate::state::action::ViewAct;
use crate::state::choices::CacheTab;
use crate::store::StoreHandle;
use crate::widgets::Still;
use crate::widgets::shared::Shared;
use crate::words::cache as words;

/// The height of the plot's heading, the height of this heading in presenter mode and in a figure, and the height of
/// the legend above the plot, in pixels.
const HEADING: f64 = 40.0;
const LOW_HEADING: f64 = 26.0;
const LEGEND: f64 = 31.0;
/// The width of the column beside the pictures with the table of routes, and the minimum width of a drawing area that
/// has this column.
const ASIDE: f64 = 400.0;
const WIDE: f64 = 1_000.0;
/// The height that is reserved for rounding, in pixels. Each part has a rounded height, so all parts together may need
/// more than the sum of their exact heights.
const SLACK: f64 = 2.0;

/// The commands that an empty Cache view suggests.
const FIRST: [(&str, &str); 2] = [
    ("apiserver api-1", words::STARTS_SERVER),
    ("kubectl get pods --server=api-1", words::READS_CACHE),
];

#[component]
pub fn CachePanel() -> Html {
    let frame = use_focused_frame(|views, name| {
        let view = views.cache.as_ref();
        view.map_or_else(Vec::new, |view| focused(view, name))
    });
    let items = use_items(&frame, "data-spot");
    let (store, stage) = (&frame.store, frame.stage.room);
    let view = store.views.cache.as_ref();
    let has_routes = view.is_some_and(routes::are_shown) && !frame.is_low();
    let has_aside = has_routes && stage.width >= WIDE;
    let room = Room {
        width: stage.width - if has_aside { ASIDE } else { 0.0 },
        ..stage
    };
    let selected = store.ui.cache.selected;
    // A figure has no room for the legend and the guarantees.
    let has_lamps = view.is_some_and(|view| !view.lamps.is_empty()) && store.ui.figure.is_none();
    let is_low = frame.is_low();
    let heading = if is_low { LOW_HEADING } else { HEADING };
    let drawn = {
        let active = items.active();
        let marked = Marked { selected, active };
        let views = Shared(store.views.clone());
        let deps = (views, room, marked, heading as i32);
        use_memo(deps, move |(views, room, marked, _)| {
            let room = *room;
            let Some(view) = &views.cache else {
                return <[Rc<Html>; 3]>::default();
            };
            let strips = view
                .load
                .as_ref()
                .map(|load| LoadStrips::new(load, room, is_low));
            let above = strips
                .as_ref()
                .map_or(0.0, |strips| strips.height + heading);
            let strips = strips.map_or_else(Html::default, |strips| load(&strips, room.width));
            let scene = CacheScene::new(view, room, *marked);
            let beside = above + scene.height + heading + if has_lamps { LEGEND } else { 0.0 };
            let plotted = CachePlot::new(view, room, room.height - beside - SLACK, *marked);
            [strips, rulers(&scene), plot(&plotted, room.width)].map(Rc::new)
        })
    };
    let rows = Shared(use_memo(Shared(store.views.clone()), |views| {
        views.cache.as_ref().map(table::rows).unwrap_or_default()
    }));
    let on_choose = use_memo(Shared(store.views.clone()), |views| {
        let views = views.clone();
        store.on(move |row: u64| match row {
            REVISION_ROW.. => inspect_write(views.cache.as_ref(), row - REVISION_ROW),
            CACHE_ROW.. => Action::View(ViewAct::CacheTab(CacheTab::Servers)),
            _ => Action::View(ViewAct::SelectRequest(row)),
        })
    });
    let on_choose = (*on_choose).clone();
    let shown = view.filter(|view| !view.caches.is_empty());
    let body = html! {
        if let Some(view) = shown {
            if frame.is_laid_out() {
                if !items.is_table() {
                    <div class={classes!("cache-columns", has_aside.then_some("has-aside"))}>
                    <div class="cache-stage" onclick={items.on_click(&on_choose)}>
                        { pictures(view, &drawn, is_low) }
                        if has_lamps { <div class="wg-part">{ legend(view) }</div> }
                        if has_plot(view) {
                            <section class="cache-times wg-part" aria-label={words::STALENESS}>
                                { over_time(store) }
                                <Still html={drawn[2].clone()} />
                            </section>
                        }
                    </div>
                    <div class="cache-aside">
                        if has_routes { { beside(store, view) } }
                        { savings(view) }
                    </div>
                    </div>
                }
                { items.grid(words::GRID, &words::COLUMNS, &rows, selected, on_choose) }
            }
        } else if view.is_some() {
            { blank(store, words::NO_SERVER, words::ABOUT, &FIRST) }
        }
    };
    let foot = shown.map(|view| {
        html! {
            <>
                if has_lamps {
                    { lamps(store, &view.lamps) }
                } else if items.is_table() {
                    <span class="wg-spring"></span>
                } else {
                    { legend(view) }
                }
                { items.toggle() }
            </>
        }
    });
    frame.view(words::VIEW, view.map(words::figure), None, body, foot)
}

/// Returns true if the plot of the staleness has content. The strips of the load already show the requests of a run.
fn has_plot(view: &CacheView) -> bool {
    view.load.is_none() || view.caches.iter().any(|cache| cache.cached)
}

/// Returns the names of the parts that belong to an API server, a client or a key: the lane, the watches, the requests
/// and the writes.
fn focused(view: &CacheView, name: &str) -> Vec<String> {
    let caches = view.caches.iter().enumerate();
    let of_caches = caches.flat_map(|(at, cache)| {
        let is_named = cache.server == name;
        let first = WATCH_ROW + at as u64 * WATCHES_A_CACHE;
        let watches = (first..).zip(&cache.watchers);
        let watches = watches.filter(move |(_, watch)| is_named || watch.client == name);
        let lane = is_named.then(|| cache.server.clone());
        let spot = is_named.then_some(CACHE_ROW + at as u64);
        let spots = spot.into_iter().chain(watches.map(|(id, _)| id));
        lane.into_iter().chain(spots.map(|id| format!("spot:{id}")))
    });
    let requests = view.requests.iter();
    let requests = requests.filter(|request| request.server == name || request.client == name);
    let writes = view
        .revisions
        .iter()
        .filter(|mark| mark.own && mark.key == name.as_bytes());
    let writes = writes.flat_map(|mark| {
        let revision = mark.revision.unsigned_abs();
        [
            format!("spot:{}", REVISION_ROW + revision),
            format!("object:{revision}"),
        ]
    });
    let requests =
        requests.flat_map(|request| ["spot:", "plot:"].map(|kind| format!("{kind}{}", request.id)));
    of_caches.chain(requests).chain(writes).collect()
}

fn inspect_write(view: Option<&CacheView>, revision: u64) -> Action {
    let known = view.and_then(|view| {
        let mut all = view.revisions.iter();
        all.find(|mark| mark.revision.unsigned_abs() == revision)
    });
    match known {
        Some(mark) if !mark.key.is_empty() => Action::View(ViewAct::SelectKey {
            key: mark.key.clone(),
            revision: None,
        }),
        _ => Action::View(ViewAct::CacheTab(CacheTab::Servers)),
    }
}

/// Renders the strips of the load and the rulers. If nobody can scroll, the rulers come first, unless the run shows an
/// overload: then they are shown only if there is room below the strips.
fn pictures(view: &CacheView, drawn: &[Rc<Html>; 3], is_low: bool) -> Html {
    let rulers = html! { <Still html={drawn[1].clone()} /> };
    let Some(load) = &view.load else {
        return rulers;
    };
    let strips = html! {
        <section class="wg-part" aria-label={words::LOAD}>
            <header class="cache-over-time">
                <h3>{ words::LOAD }</h3>
                <p>{ words::ABOUT_LOAD }</p>
            </header>
            <Still html={drawn[0].clone()} />
        </section>
    };
    match (is_low, load.is_overload()) {
        (false, _) => html! { <>{ strips }{ rulers }</> },
        (true, false) => html! { <>{ rulers }{ strips }</> },
        (true, true) => html! {
            <>{ strips }<div class="wg-part" aria-label={words::REVISIONS}>{ rulers }</div></>
        },
    }
}

/// Renders the table of the sources that serve each kind of list.
fn beside(store: &StoreHandle, view: &CacheView) -> Html {
    html! {
        <section class="cache-beside" aria-label={words::ROUTES}>
            <h3>{ words::routes_of(store.ui.cache.ask.as_ref(), &view.routes_server) }</h3>
            { routes::table(view, None) }
        </section>
    }
}

/// Renders the heading of the plot and the choice of its time span.
fn over_time(store: &StoreHandle) -> Html {
    let chosen_us = store.ui.prefs.plot_us;
    let spans = || [0].into_iter().chain(PLOT_SPANS);
    let onchange = store.on(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        let place = select.map_or(0, |select| select.selected_index().max(0));
        Action::View(ViewAct::PlotSpan(spans().nth(place as usize).unwrap_or(0)))
    });
    html! {
        <header class="cache-over-time">
            <h3>{ words::STALENESS }</h3>
            <p>{ words::ABOUT_STALENESS }</p>
            <select class="wg-select" aria-label={words::TIME_SPAN} {onchange}>
                { for spans().zip(words::TIME_SPANS).map(|(us, name)| html! {
                    <option selected={us == chosen_us}>{ name }</option>
                }) }
            </select>
        </header>
    }
}
