//! The panel of the Storage view. The panel reads the view and dispatches actions.

use std::rc::Rc;

use watchglass_engine::view::storage::{PAGES_MAX, StorageQuery, StorageView};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::metrics::metrics;
use super::picture::{PAGE, ROW, legend, picture};
use super::plan::{Sizes, StoragePlan};
use super::rows;
use super::scene::{StorageScene, StorageTarget};
use crate::draw::enlarge::Enlargement;
use crate::hooks::{pointed, use_stage};
use crate::state::Action;
use crate::store::{StoreHandle, use_store};
use crate::widgets::Still;
use crate::widgets::grid::{Grid, table_toggle};
use crate::widgets::shared::Shared;
use crate::words::storage as words;

/// The height of the sentences and the button beside the picture, in pixels.
const WORDS_HEIGHT: f64 = 140.0;
/// The height of the sentence about the path of a row.
const PATH_WORDS_HEIGHT: f64 = 32.0;

/// Renders the Storage view.
#[component]
pub fn StoragePanel() -> Html {
    let store = use_store();
    let node = use_node_ref();
    let stage = use_stage(&node, &store);
    let active = use_state_eq(|| None::<u64>);
    let list = use_state(|| false);

    let nothing = use_memo((), |()| StorageView::default());
    let view: &StorageView = store.views.storage.as_deref().unwrap_or(&nothing);
    // Nobody scrolls before an audience and in a figure.
    let scrolls = store.ui.presenting.is_none() && store.ui.figure.is_none();
    // An audience sees no sentence about the path.
    let path_words = match store.ui.presenting {
        None => PATH_WORDS_HEIGHT,
        Some(_) => 0.0,
    };
    let scene = {
        let nothing = nothing.clone();
        let size = (stage.width, stage.height);
        let kind = (scrolls, path_words);
        let deps = (Shared(store.views.clone()), size, stage.advance, kind);
        use_memo(
            deps,
            move |(views, size, advance, (scrolls, path_words))| {
                let view = views.storage.as_deref().unwrap_or(&nothing);
                let plan = |factor: f64| StoragePlan::new(size.0 / factor, *advance);
                let drawn = |factor: f64| StorageScene::new(view, plan(factor));
                let scene = match view.path.is_some() {
                    true => with_path(view, plan(1.0), size.1 - path_words, *scrolls),
                    false => drawn(1.0),
                };
                let enlargement = Enlargement::of(scene.height + WORDS_HEIGHT, *size);
                match enlargement == Enlargement::NONE {
                    true => (scene, enlargement.class),
                    // An enlarged picture is small, so that drawing it again takes little time.
                    false => (drawn(enlargement.factor), enlargement.class),
                }
            },
        )
    };
    let drawn = {
        let target = active.map(rows::target);
        let size = (stage.width, stage.height);
        let deps = (Shared(store.views.clone()), size, stage.advance, target);
        let scene = scene.clone();
        use_memo(deps, move |(.., target)| picture(&scene.0, *target))
    };
    let rows = {
        let size = (stage.width, stage.height);
        let deps = (Shared(store.views.clone()), size, stage.advance);
        let (scene, nothing) = (scene.clone(), nothing.clone());
        use_memo(deps, move |(views, ..)| {
            let view = views.storage.as_deref().unwrap_or(&nothing);
            Rc::new(rows::rows(view, &scene.0))
        })
    };
    let fold = use_node_ref();
    {
        // Metrics that have just been opened are brought into sight.
        let (node, fold) = (node.clone(), fold.clone());
        let was_open = use_mut_ref(|| view.metrics.is_some());
        use_effect_with(view.metrics.is_some(), move |is_open| {
            let opened = *is_open && !was_open.replace(*is_open);
            if let (true, Some(area), Some(fold)) =
                (opened, node.cast::<Element>(), fold.cast::<HtmlElement>())
            {
                area.set_scroll_top(fold.offset_top());
            }
        });
    }
    let on_target = {
        let (store, scene) = (store.clone(), scene.clone());
        Callback::from(move |target: StorageTarget| match target {
            StorageTarget::Page(page) => store.dispatch(Action::SelectPage(page)),
            StorageTarget::Row(place) => {
                let row = scene.0.rows.get(place as usize);
                // A very long key is missing from the picture.
                if let Some(row) = row.filter(|row| !row.key.is_empty()) {
                    store.dispatch(Action::FollowRow {
                        key: row.key.clone(),
                        revision: row.revision,
                    });
                }
            }
        })
    };
    let onclick = {
        let on_target = on_target.clone();
        Callback::from(move |event: MouseEvent| {
            let row = pointed(&event, ROW).map(StorageTarget::Row);
            if let Some(target) = row.or(pointed(&event, PAGE).map(StorageTarget::Page)) {
                on_target.emit(target);
            }
        })
    };
    let on_choose = on_target.reform(rows::target);
    let on_active = {
        let active = active.clone();
        use_callback((), move |id, ()| active.set(id))
    };
    let omitted = (scene.0.sizes == Sizes::LeftOut).then_some(words::SIZE);
    let chosen = store
        .ui
        .storage
        .page
        .map(|page| rows::id(StorageTarget::Page(page)));
    html! {
        <figure class="wg-view" aria-label={words::VIEW}>
            <figcaption class="wg-unseen">{ words::figure(view) }</figcaption>
            <div ref={node} class="wg-view-scroll wg-fades sto">
                if store.views.storage.is_some() && stage.width > 0.0 {
                    if !*list {
                        <div class={scene.1}>
                            if let Some(path) = &view.path {
                                <p class="sto-way-words">{ words::way(path, view) }</p>
                            } else if store.ui.selection.is_some() {
                                <p class="sto-way-words">{ words::NO_ROW }</p>
                            }
                            <div class="sto-stage" data-omitted={omitted} {onclick}><Still html={drawn} /></div>
                            { window(&store, view) }
                            { sentences(view) }
                        </div>
                    }
                    { metrics_fold(&store, view, &fold) }
                    <Grid label={words::LIST} columns={&words::COLUMNS[..]} rows={(*rows).clone()}
                        total={rows.len() as u64} {chosen} visible={*list} {on_choose} {on_active} />
                }
            </div>
            <div class="wg-view-foot">
                { legend(view, &scene.0) }
                <button type="button" class="wg-button is-small"
                    onclick={store.on_click(Action::SaveSnapshot(String::new()))}>
                    { words::DOWNLOAD }
                </button>
                { table_toggle(&list) }
            </div>
        </figure>
    }
}

/// Renders the collapsible section with the metrics of the member. The engine sends metrics only while the section is
/// open.
fn metrics_fold(store: &StoreHandle, view: &StorageView, node: &NodeRef) -> Html {
    let is_open = store.ui.storage.has_metrics;
    let query = StorageQuery {
        has_metrics: !is_open,
        ..store.ui.storage.clone()
    };
    let toggle = store.on_click(Action::Storage(query));
    html! {
        <section ref={node.clone()} class="sto-metrics wg-part" aria-label={words::METRICS}>
            <button type="button" class="wg-button is-small" aria-expanded={is_open.to_string()} onclick={toggle}>
                { words::METRICS }
            </button>
            if is_open { { metrics(&view.metrics) } }
        </section>
    }
}

/// Draws a view with the path of a row. If the height is not enough, the parts are closer together, or the part with
/// the sizes of the file is drawn last or left out, because the path matters more.
fn with_path(view: &StorageView, plan: StoragePlan, height: f64, scrolls: bool) -> StorageScene {
    let drawn = |(sizes, is_tight)| {
        let plan = StoragePlan {
            sizes,
            is_tight,
            ..plan
        };
        StorageScene::new(view, plan)
    };
    let whole = [(Sizes::First, false), (Sizes::First, true)];
    // The sizes need no less room below the path.
    let (without, otherwise) = match scrolls {
        true => (None, (Sizes::Last, false)),
        false => (Some((Sizes::LeftOut, false)), (Sizes::LeftOut, true)),
    };
    let mut scenes = whole.into_iter().chain(without).map(drawn);
    let fits = scenes.find(|scene| scene.height <= height);
    fits.unwrap_or_else(|| drawn(otherwise))
}

/// Renders the sentences about the last commit, the batch of rows that are not committed yet, and the open snapshots.
fn sentences(view: &StorageView) -> Html {
    html! {
        <div class="sto-words wg-part">
            if let Some(commit) = &view.commit {
                <p>{ words::commit(view, commit) }</p>
            }
            <p>{ words::batch(view) }</p>
            if let Some(readers) = words::readers(view) {
                <p>{ readers }</p>
            }
        </div>
    }
}

/// Renders the numbers of the first and the last shown page of a large file, and buttons that show other pages.
fn window(store: &StoreHandle, view: &StorageView) -> Html {
    if view.page_count <= PAGES_MAX {
        return Html::default();
    }
    let first = view.pages.first().map_or(0, |page| page.id);
    let last = first + view.pages.len() as u64;
    let to = |first: u64| {
        let query = StorageQuery {
            first,
            ..store.ui.storage.clone()
        };
        store.on_click(Action::Storage(query))
    };
    html! {
        <p class="sto-window">
            { words::window(first, last - 1, view) }
            <button type="button" class="wg-button is-small" disabled={first == 0}
                onclick={to(first.saturating_sub(PAGES_MAX))}>{ words::EARLIER }</button>
            <button type="button" class="wg-button is-small" disabled={last >= view.page_count}
                onclick={to(last)}>{ words::LATER }</button>
        </p>
    }
}
