//! The panel of the Storage view. The panel reads the view and dispatches actions.

use watchglass_engine::view::storage::{
    PAGES_MAX, StorageQuery, StorageView, TouchedBy, TouchedPages,
};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::metrics::metrics;
use super::picture::{PAGE, ROW, legend, picture};
use super::plan::{Sizes, StoragePlan};
use super::rows;
use super::scene::{StorageScene, StorageTarget};
use crate::draw::enlarge::Enlargement;
use crate::hooks::pointed;
use crate::panels::frame::{use_frame, use_items};
use crate::state::Action;
use crate::state::action::RunAct;
use crate::state::action::ViewAct;
use crate::store::StoreHandle;
use crate::widgets::Still;
use crate::widgets::shared::Shared;
use crate::words::storage as words;

/// The height of the sentences and the button beside the picture, in pixels.
const WORDS_HEIGHT: f64 = 140.0;
/// The height of the sentence about the path of a row.
const PATH_WORDS_HEIGHT: f64 = 32.0;

#[component]
pub fn StoragePanel() -> Html {
    let frame = use_frame();
    // The picture shows the whole file, so that no item has to be scrolled into view.
    let items = use_items(&frame, "");
    let (store, room) = (&frame.store, frame.stage.room);
    let nothing = use_memo((), |()| StorageView::default());
    let view: &StorageView = store.views.storage.as_deref().unwrap_or(&nothing);
    // Nobody scrolls before an audience and in a figure.
    let scrolls = !frame.is_low();
    // An audience sees no sentence about the path.
    let path_words = match store.ui.presenting {
        None => PATH_WORDS_HEIGHT,
        Some(_) => 0.0,
    };
    let scene = {
        let nothing = nothing.clone();
        let deps = (Shared(store.views.clone()), room, scrolls, path_words);
        use_memo(deps, move |(views, room, scrolls, path_words)| {
            let view = views.storage.as_deref().unwrap_or(&nothing);
            let plan = |factor: f64| StoragePlan::new(room.width / factor, room.font);
            let drawn = |factor: f64| StorageScene::new(view, plan(factor));
            let scene = match view.path.is_some() {
                true => with_path(view, plan(1.0), room.height - path_words, *scrolls),
                false => drawn(1.0),
            };
            let size = (room.width, room.height);
            let enlargement = Enlargement::of(scene.height + WORDS_HEIGHT, size);
            match enlargement == Enlargement::NONE {
                true => (scene, enlargement.class),
                // An enlarged picture is small, so that drawing it again takes little time.
                false => (drawn(enlargement.factor), enlargement.class),
            }
        })
    };
    let drawn = {
        let target = items.active().map(rows::target);
        use_memo((Shared(scene.clone()), target), |(scene, target)| {
            picture(&scene.0.0, *target)
        })
    };
    let rows = {
        let views = store.views.clone();
        Shared(use_memo(Shared(scene.clone()), move |scene| {
            let view = views.storage.as_deref();
            view.map(|view| rows::rows(view, &scene.0.0))
                .unwrap_or_default()
        }))
    };
    let fold = use_node_ref();
    {
        // Metrics that have just been opened are brought into sight.
        let (node, fold) = (frame.node.clone(), fold.clone());
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
            StorageTarget::Page(page) => store.dispatch(Action::View(ViewAct::SelectPage(page))),
            StorageTarget::Row(place) => {
                let row = scene.0.rows.get(place as usize);
                // A very long key is missing from the picture.
                if let Some(row) = row.filter(|row| !row.key.is_empty()) {
                    store.dispatch(Action::View(ViewAct::FollowRow {
                        key: row.key.clone(),
                        revision: row.revision,
                    }));
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
    let omitted = scene.0.omitted.join(", ");
    let omitted = (!omitted.is_empty()).then_some(omitted);
    let page = store.ui.storage.page.map(StorageTarget::Page);
    let body = html! {
        if store.views.storage.is_some() && frame.is_laid_out() {
            if !items.is_table() {
                <div class={scene.1}>
                    if let Some(path) = &view.path {
                        <p class="sto-way-words">{ words::way(path, view) }</p>
                    } else if store.ui.selection.is_some() {
                        <p class="sto-way-words">{ words::NO_ROW }</p>
                    }
                    <div class="sto-stage" data-omitted={omitted} {onclick}><Still html={drawn} /></div>
                    { window(store, view) }
                    { sentences(view) }
                </div>
            }
            { metrics_fold(store, view, &fold) }
            { items.grid(words::LIST, &words::COLUMNS, &rows, page.map(rows::id), on_choose) }
        }
    };
    let foot = html! {
        <>
            { legend(view, &scene.0) }
            <button type="button" class="wg-button is-small"
                onclick={store.on_click(Action::Run(RunAct::SaveSnapshot(String::new())))}>
                { words::DOWNLOAD }
            </button>
            { items.toggle() }
        </>
    };
    frame.view(
        words::VIEW,
        Some(words::figure(view)),
        None,
        body,
        Some(foot),
    )
}

/// Renders the collapsible section with the metrics of the member. The engine sends metrics only while the section is
/// open.
fn metrics_fold(store: &StoreHandle, view: &StorageView, node: &NodeRef) -> Html {
    let is_open = store.ui.storage.has_metrics;
    let query = StorageQuery {
        has_metrics: !is_open,
        ..store.ui.storage.clone()
    };
    let toggle = store.on_click(Action::View(ViewAct::Storage(query)));
    html! {
        <section ref={node.clone()} class="sto-metrics wg-part" aria-label={words::METRICS}>
            <button type="button" class="wg-button is-small" aria-expanded={is_open.to_string()} onclick={toggle}>
                { words::METRICS }
            </button>
            if is_open { { metrics(&view.metrics) } }
        </section>
    }
}

/// Draws a view with the path of a row. If the height is not enough, the parts are closer together, or some parts are
/// drawn last or left out. The sizes of the file matter less than the path, unless the database is full.
fn with_path(view: &StorageView, plan: StoragePlan, height: f64, scrolls: bool) -> StorageScene {
    let usual = StoragePlan {
        is_tight: false,
        ..plan
    };
    let tight = StoragePlan {
        is_tight: true,
        ..plan
    };
    let sizes = |sizes, plan| StoragePlan { sizes, ..plan };
    let untouched = |plan| StoragePlan {
        has_touched: false,
        ..plan
    };
    let without_file = |plan| StoragePlan {
        has_file: false,
        ..plan
    };
    let plans = match (scrolls, view.has_no_space) {
        (true, true) => vec![usual, tight],
        // The sizes need no less room below the path.
        (true, false) => vec![usual, tight, sizes(Sizes::Last, usual)],
        (false, true) => {
            let lowest = untouched(tight);
            vec![usual, tight, lowest, without_file(lowest)]
        }
        (false, false) => {
            let [low, lowest] = [usual, tight].map(|plan| sizes(Sizes::LeftOut, plan));
            let is_read = |touched: &TouchedPages| touched.by == TouchedBy::Read;
            let others = match view.touched.as_ref().is_some_and(is_read) {
                // The pages are the answer to the command.
                true => vec![without_file(lowest)],
                false => vec![untouched(lowest), without_file(untouched(lowest))],
            };
            [vec![usual, tight, low, lowest], others].concat()
        }
    };
    let mut scenes = plans
        .into_iter()
        .map(|plan| StorageScene::new(view, plan))
        .peekable();
    loop {
        let scene = scenes.next().expect("there is a plan");
        if scene.height <= height || scenes.peek().is_none() {
            return scene;
        }
    }
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
        store.on_click(Action::View(ViewAct::Storage(query)))
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

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::draw::Font;

    #[test]
    fn a_low_figure_keeps_the_pages_of_a_read_and_the_alarm() {
        let plan = StoragePlan::new(768.0, Font::of(0.602));
        let omitted = |view: &StorageView, height| with_path(view, plan, height, false).omitted;
        let mut view = fixture::file();
        let whole = StorageScene::new(&view, plan).height;
        let mut touched = TouchedPages {
            by: TouchedBy::Read,
            ..TouchedPages::default()
        };
        view.touched = Some(touched.clone());
        assert!(omitted(&view, whole + 60.0).is_empty());
        let parts = [words::SIZE, words::FILE, words::BYTES];
        assert_eq!(omitted(&view, whole / 2.0), parts);
        touched.by = TouchedBy::Commit;
        let commit = words::touched(&touched);
        view.touched = Some(touched);
        let parts = [words::SIZE, commit, words::FILE, words::BYTES];
        assert_eq!(omitted(&view, whole / 2.0), parts);
        view.has_no_space = true;
        let parts = [commit, words::FILE, words::BYTES];
        assert_eq!(omitted(&view, whole / 2.0), parts);
    }
}
