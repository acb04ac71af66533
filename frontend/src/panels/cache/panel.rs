//! The panel of the Cache view: reads the view and dispatches actions.

use std::rc::Rc;

use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::PLOT_SPANS;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::picture::{legend, plot, processes, rulers, savings};
use super::plot::CachePlot;
use super::scene::{CACHE_ROW, CacheScene, REVISION_ROW};
use super::table;
use crate::draw::Marked;
use crate::panels::blank::blank;
use crate::panels::frame::{use_frame, use_items};
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
    let frame = use_frame();
    let items = use_items(&frame, "data-spot");
    let (store, room) = (&frame.store, frame.stage.room);
    let view = store.views.cache.as_ref();
    let selected = store.ui.cache.selected;
    // A figure has no room for the legend and the guarantees.
    let has_lamps = view.is_some_and(|view| !view.lamps.is_empty()) && store.ui.figure.is_none();
    let heading = if frame.is_low() { LOW_HEADING } else { HEADING };
    let drawn = {
        let active = items.active();
        let marked = Marked { selected, active };
        let views = Shared(store.views.clone());
        let deps = (views, frame.stage, marked, heading as i32);
        use_memo(deps, move |(views, _, marked, _)| {
            let Some(view) = &views.cache else {
                return <[Rc<Html>; 2]>::default();
            };
            let scene = CacheScene::new(view, room, *marked);
            let beside = scene.height + heading + if has_lamps { LEGEND } else { 0.0 };
            let plotted = CachePlot::new(view, room, room.height - beside - SLACK, *marked);
            [rulers(&scene), plot(&plotted, room.width)].map(Rc::new)
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
                    <div class="cache-stage" onclick={items.on_click(&on_choose)}>
                        <Still html={drawn[0].clone()} />
                        if has_lamps { <div class="wg-part">{ legend(view) }</div> }
                        if !view.processes.is_empty() { { processes(view) } }
                        <section class="cache-times wg-part" aria-label={words::STALENESS}>
                            { over_time(store) }
                            <Still html={drawn[1].clone()} />
                        </section>
                    </div>
                    { savings(view) }
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
