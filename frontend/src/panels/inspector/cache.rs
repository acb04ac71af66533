//! The inspector for caches: the sources of reads, the details of a request, and the API servers.

use crate::draw::marks;
use crate::draw::text;
use crate::state::action::ViewAct;
use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::{RequestRow, ServerRow};
use yew::prelude::*;

use super::panel::{hint, tabbed};
use crate::draw::surface::num;
use crate::draw::text::{duration, grouped};
use crate::panels::cache::picture::path_icon;
use crate::panels::cache::plot::waits_since;
use crate::panels::cache::routes::routes;
use crate::state::Action;
use crate::state::choices::CacheTab;
use crate::store::StoreHandle;
use crate::words::cache as cache_words;
use crate::words::{common, inspector as words};

/// Renders the inspector of the caches, or a hint if there are no caches.
pub fn cache(store: &StoreHandle) -> Html {
    let Some(view) = store
        .views
        .cache
        .as_ref()
        .filter(|view| !view.caches.is_empty())
    else {
        return hint(words::CACHE_HINT);
    };
    let tab = store.ui.cache_tab;
    let shown = match tab {
        CacheTab::Routes => routes(store, view),
        CacheTab::Request => request(store, view),
        CacheTab::Servers => {
            html! { <>{ for view.servers.iter().map(|row| server(view, row)) }</> }
        }
    };
    let on_tab = store.on(|tab: usize| {
        Action::View(ViewAct::CacheTab(
            CacheTab::ALL.get(tab).copied().unwrap_or(CacheTab::Routes),
        ))
    });
    let tabs = &[words::ROUTES_TAB, words::REQUEST_TAB, words::SERVERS_TAB];
    html! {
        <>
            <header class="insp-head">
                <h2 class="insp-key">{ words::caches_of(&view.resource) }</h2>
            </header>
            { tabbed(words::CACHE_VIEWS, tabs, tab as usize, on_tab, shown) }
        </>
    }
}

/// Renders the selected request, or else the last request that the user typed, or else the newest request.
fn request(store: &StoreHandle, view: &CacheView) -> Html {
    let chosen = store.ui.cache.selected;
    let known = match chosen {
        Some(id) => {
            let listed = view.requests.iter().find(|row| row.id == id);
            listed.or(view.selected.as_ref().filter(|row| row.id == id))
        }
        None => {
            let typed = view.typed.as_ref().map(|typed| &typed.request);
            typed.or(view.requests.first())
        }
    };
    let Some(row) = known else {
        return html! { <p class="insp-note">{ words::NO_REQUEST }</p> };
    };
    let mut fields: Vec<(&str, String)> = vec![
        ("resourceVersion", row.asked.clone()),
        (words::API_SERVER, row.server.clone()),
    ];
    if row.needed > 0 {
        fields.push((words::NEEDS, format!("≥ {}", grouped(row.needed))));
    }
    if let Some(revision) = row.revision {
        fields.push((words::RETURNED, grouped(revision)));
    }
    if row.code > 0 {
        fields.push((words::CODE, row.code.to_string()));
        fields.push((words::OBJECTS, text::count(row.items)));
        fields.push((words::OBJECTS_READ, text::count(row.fetched)));
    }
    if !row.index.is_empty() {
        fields.push((words::INDEX, row.index.clone()));
    }
    html! {
        <>
            <h3 class="insp-title">{ cache_words::request(row) }</h3>
            <section class="insp-card">
                <h3>
                    <span class="cache-served">{ path_icon(row.path) }{ cache_words::path(row.path) }</span>
                    <span>{ duration(row.split.total_us) }</span>
                </h3>
                <p>{ &row.reason }</p>
                if row.fell_back { <p>{ words::FELL_BACK }</p> }
                if !row.message.is_empty() { <p class="insp-gone">{ &row.message }</p> }
            </section>
            if row.code > 0 {
                { split(row) }
            } else {
                <p class="insp-note">
                    if let Some(since) = waits_since(view, row) {
                        { words::waits(view.now_us.saturating_sub(since)) }
                    } else {
                        { words::NO_PARTS }
                    }
                </p>
            }
            <dl class="insp-pairs">
                { for fields.into_iter().map(|(name, value)| html! { <><dt>{ name }</dt><dd>{ value }</dd></> }) }
            </dl>
            <button type="button" class="wg-button is-small cache-go"
                onclick={store.on_click(Action::seek(SeekTo::Step(row.step)))}>
                { common::go_to_step(row.step) }
            </button>
        </>
    }
}

/// Renders the parts of a request's duration as a bar and in numbers.
fn split(row: &RequestRow) -> Html {
    let split = row.split;
    let in_server = words::in_server(split.convert_us, split.collect_us);
    let parts = [
        ("is-link", words::LINKS, split.link_us),
        ("is-revision", words::REVISION_OF_ETCD, split.revision_us),
        ("is-wait", words::WAIT_FOR_CACHE, split.wait_us),
        ("is-etcd", words::READ_OF_ETCD, split.etcd_us),
        ("is-other", &*in_server, split.other_us),
    ];
    let total = row.split.total_us.max(1);
    let mut before = 0;
    let percent = |us: u64| format!("{}%", num(us as f64 * 100.0 / total as f64));
    html! {
        <section aria-label={cache_words::WHERE_TIME_WENT}>
            <svg class="cache-svg cache-split" width="100%" height="18" aria-hidden="true">
                <defs>
                    { marks::hatch("cache-hatch-split", "7", "2") }
                </defs>
                { for parts.iter().map(|(class, _, us)| {
                    let x = percent(before);
                    before += us;
                    html! { <rect class={*class} {x} width={percent(*us)} height="18" /> }
                }) }
            </svg>
            <dl class="insp-pairs cache-parts">
                { for parts.iter().filter(|(_, _, us)| *us > 0).map(|(class, name, us)| html! {
                    <>
                        <dt>
                            <svg class="cache-svg cache-split" width="10" height="10" aria-hidden="true">
                                <rect class={*class} width="10" height="10" />
                            </svg>
                            { name }
                        </dt>
                        <dd>{ duration(*us) }</dd>
                    </>
                }) }
            </dl>
        </section>
    }
}

/// Renders the details of an API server and of its cache of the resource.
fn server(view: &CacheView, row: &ServerRow) -> Html {
    let cache = view.caches.iter().find(|cache| cache.server == row.name);
    let mut fields: Vec<(&str, String)> = vec![
        (words::VERSION, row.version.clone()),
        (words::FRESHNESS, row.policy.clone()),
        (
            words::PROGRESS,
            if row.progress_supported {
                words::SUPPORTED
            } else {
                words::NOT_SUPPORTED
            }
            .to_owned(),
        ),
    ];
    if !row.gates.is_empty() {
        fields.push((words::GATES, row.gates.join(", ")));
    }
    if !row.state.is_empty() {
        fields.push((words::STATE, row.state.clone()));
    }
    if let Some(cache) = cache.filter(|cache| cache.cached) {
        let snapshots = words::snapshots(cache.snapshots, cache.oldest_snapshot);
        fields.push((words::CACHE, cache_words::state(view, cache)));
        if !cache.ready_detail.is_empty() {
            fields.push((words::READY, cache.ready_detail.clone()));
        }
        fields.push((words::REVISION, grouped(cache.revision)));
        fields.push((words::OBJECTS, text::count(cache.objects)));
        fields.push((words::HISTORY, cache_words::window(&cache.window)));
        fields.push((words::WINDOW_SIZE, words::window_size(cache.window.bounds)));
        fields.push((words::SNAPSHOTS, snapshots));
        let progress_requests = words::times(cache.progress_requests);
        fields.push((words::PROGRESS_REQUESTS, progress_requests));
        fields.push((words::WATCHES, cache_words::saved(cache)));
        let decoded = words::decoded(cache.decodes, cache.decodes_without_cache);
        fields.push((words::DECODED, decoded));
    }
    html! {
        <section class="insp-card" key={row.name.clone()}>
            <h3>{ &row.name }</h3>
            <dl class="insp-pairs">
                { for fields.into_iter().map(|(name, value)| html! { <><dt>{ name }</dt><dd>{ value }</dd></> }) }
            </dl>
        </section>
    }
}
