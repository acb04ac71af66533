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
use crate::draw::marks::Marked;
use crate::hooks::{pointed, use_reveal, use_stage};
use crate::panels::blank::blank;
use crate::panels::watch::lamps::lamps;
use crate::panels::watch::ruler::Room;
use crate::state::Action;
use crate::state::choices::CacheTab;
use crate::store::{StoreHandle, use_store};
use crate::widgets::Still;
use crate::widgets::grid::{Grid, table_toggle};
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

/// Renders the Cache view.
#[component]
pub fn CachePanel() -> Html {
    let store = use_store();
    let node = use_node_ref();
    let stage = use_stage(&node, &store);
    let active = use_state_eq(|| None::<u64>);
    let table = use_state(|| false);
    use_reveal(&node, "data-spot", *active);

    let nothing = use_memo((), |()| CacheView::default());
    let view: &CacheView = store.views.cache.as_ref().unwrap_or(&nothing);
    let room = Room {
        width: stage.width,
        height: stage.height,
        advance: stage.advance,
    };
    let marked = Marked {
        selected: store.ui.cache.selected,
        active: *active,
    };
    // A figure has no room for the legend and the guarantees.
    let has_lamps = !view.lamps.is_empty() && store.ui.figure.is_none();
    let is_low = store.ui.presenting.is_some() || store.ui.figure.is_some();
    let heading = if is_low { LOW_HEADING } else { HEADING };
    let drawn = {
        let deps = (Shared(store.views.clone()), stage, marked, heading as i32);
        let nothing = nothing.clone();
        use_memo(deps, move |(views, _, marked, _)| {
            let view = views.cache.as_ref().unwrap_or(&nothing);
            let scene = CacheScene::new(view, room, *marked);
            let beside = scene.height + heading + if has_lamps { LEGEND } else { 0.0 };
            let plotted = CachePlot::new(view, room, room.height - beside - SLACK, *marked);
            [rulers(&scene), plot(&plotted, room.width)].map(Rc::new)
        })
    };
    let rows = use_memo(Shared(store.views.clone()), |views| {
        Rc::new(views.cache.as_ref().map(table::rows).unwrap_or_default())
    });
    let on_choose = use_memo(Shared(store.views.clone()), |views| {
        let views = views.clone();
        store.on(move |row: u64| match row {
            REVISION_ROW.. => inspect_write(views.cache.as_ref(), row - REVISION_ROW),
            CACHE_ROW.. => Action::CacheTab(CacheTab::Servers),
            _ => Action::SelectRequest(row),
        })
    });
    let on_active = {
        let active = active.clone();
        use_callback((), move |id, ()| active.set(id))
    };
    let onclick = {
        let on_choose = on_choose.clone();
        Callback::from(move |event: MouseEvent| {
            if let Some(id) = pointed(&event, "data-spot") {
                on_choose.emit(id);
            }
        })
    };
    let total = view.caches.len();
    html! {
        <figure class="wg-view" aria-label={words::VIEW}>
            <figcaption class="wg-unseen">{ words::figure(view) }</figcaption>
            <div ref={node} class="wg-view-scroll wg-fades">
                if total == 0 {
                    if store.views.cache.is_some() {
                        { blank(&store, words::NO_SERVER, words::ABOUT, &FIRST) }
                    }
                } else if stage.width > 0.0 {
                    if !*table {
                        <div class="cache-stage" {onclick}>
                            <Still html={drawn[0].clone()} />
                            if has_lamps { <div class="wg-part">{ legend(view) }</div> }
                            if !view.processes.is_empty() { { processes(view) } }
                            <section class="cache-times wg-part" aria-label={words::STALENESS}>
                                { over_time(&store) }
                                <Still html={drawn[1].clone()} />
                            </section>
                        </div>
                        { savings(view) }
                    }
                    <Grid label={words::GRID} columns={&words::COLUMNS[..]} rows={(*rows).clone()}
                        total={rows.len() as u64} chosen={store.ui.cache.selected} visible={*table}
                        on_choose={(*on_choose).clone()} {on_active} />
                }
            </div>
            if total > 0 {
                <div class="wg-view-foot">
                    if has_lamps {
                        { lamps(&store, &view.lamps) }
                    } else if *table {
                        <span class="wg-spring"></span>
                    } else {
                        { legend(view) }
                    }
                    { table_toggle(&table) }
                </div>
            }
        </figure>
    }
}

/// Returns the action that inspects the write of a revision.
fn inspect_write(view: Option<&CacheView>, revision: u64) -> Action {
    let known = view.and_then(|view| {
        let mut all = view.revisions.iter();
        all.find(|mark| mark.revision.unsigned_abs() == revision)
    });
    match known {
        Some(mark) if !mark.key.is_empty() => Action::SelectKey {
            key: mark.key.clone(),
            revision: None,
        },
        _ => Action::CacheTab(CacheTab::Servers),
    }
}

/// Renders the heading of the plot and the choice of its time span.
fn over_time(store: &StoreHandle) -> Html {
    let chosen_us = store.ui.prefs.plot_us;
    let spans = || [0].into_iter().chain(PLOT_SPANS);
    let onchange = store.on(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        let place = select.map_or(0, |select| select.selected_index().max(0));
        Action::PlotSpan(spans().nth(place as usize).unwrap_or(0))
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
