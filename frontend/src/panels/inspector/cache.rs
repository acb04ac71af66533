//! The inspector for caches: the sources of reads, the details of a request, and the API servers.

use crate::draw::marks;
use crate::draw::text;
use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::{RequestRow, ServerRow};
use yew::prelude::*;

use super::panel::{hint, tabbed};
use crate::draw::surface::num;
use crate::draw::text::{duration, grouped};
use crate::panels::cache::picture::path_icon;
use crate::panels::cache::routes::routes;
use crate::panels::cache::words;
use crate::state::Action;
use crate::state::ui::CacheTab;
use crate::store::StoreHandle;

/// The hint that is shown while there is no API server.
const HINT: &str = "Once there is an API server, this panel shows which component would serve each read, and the \
     result of each request.";

/// Renders the inspector of the caches, or the hint.
pub fn cache(store: &StoreHandle) -> Html {
    let Some(view) = store
        .views
        .cache
        .as_ref()
        .filter(|view| !view.caches.is_empty())
    else {
        return hint(HINT);
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
        Action::CacheTab(CacheTab::ALL.get(tab).copied().unwrap_or(CacheTab::Routes))
    });
    html! {
        <>
            <header class="insp-head">
                <h2 class="insp-key">{ "Caches of " }{ &view.resource }</h2>
            </header>
            { tabbed("Views of the caches", &["Routes", "Request", "Servers"],
                tab as usize, on_tab, shown) }
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
        return html! { <p class="insp-note">{ "No request yet at this step." }</p> };
    };
    let mut fields: Vec<(&str, String)> = vec![
        ("resourceVersion", row.asked.clone()),
        ("API server", row.server.clone()),
    ];
    if row.needed > 0 {
        fields.push(("needs", format!("≥ {}", grouped(row.needed))));
    }
    if let Some(revision) = row.revision {
        fields.push(("returned", grouped(revision)));
    }
    if row.code > 0 {
        fields.push(("code", row.code.to_string()));
        fields.push(("objects", text::count(row.items)));
        fields.push(("objects read", text::count(row.fetched)));
    }
    if !row.index.is_empty() {
        fields.push(("index", row.index.clone()));
    }
    html! {
        <>
            <h3 class="insp-title">{ words::request(row) }</h3>
            <section class="insp-card">
                <h3>
                    <span class="cache-served">{ path_icon(row.path) }{ words::path(row.path) }</span>
                    <span>{ duration(row.split.total_us) }</span>
                </h3>
                <p>{ &row.reason }</p>
                if row.fell_back { <p>{ "The request waited too long for the cache, so the API server read \
                    from etcd." }</p> }
                if !row.message.is_empty() { <p class="insp-gone">{ &row.message }</p> }
            </section>
            if row.code > 0 {
                { split(row) }
            } else {
                <p class="insp-note">
                    if let Some(since) = words::waits_since(view, row) {
                        { "The request has waited for the cache for " }
                        { duration(view.now_us.saturating_sub(since)) }{ "." }
                    } else {
                        { "The parts of the time appear once the request has a response." }
                    }
                </p>
            }
            <dl class="insp-pairs">
                { for fields.into_iter().map(|(name, value)| html! { <><dt>{ name }</dt><dd>{ value }</dd></> }) }
            </dl>
            <button type="button" class="wg-button is-small cache-go"
                onclick={store.on_click(Action::Seek(SeekTo::Step(row.step)))}>
                { "Go to step " }{ row.step }
            </button>
        </>
    }
}

/// Renders the parts of a request's duration as a bar and in numbers.
fn split(row: &RequestRow) -> Html {
    let parts = [
        ("is-link", "links", row.split.link_us),
        ("is-revision", "etcd's revision", row.split.revision_us),
        ("is-wait", "waiting for the cache", row.split.wait_us),
        ("is-etcd", "etcd", row.split.etcd_us),
        ("is-other", "in the API server", row.split.other_us),
    ];
    let total = row.split.total_us.max(1);
    let mut before = 0;
    let percent = |us: u64| format!("{}%", num(us as f64 * 100.0 / total as f64));
    html! {
        <section aria-label="Where the time went">
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
                            { *name }
                        </dt>
                        <dd>{ duration(*us) }</dd>
                    </>
                }) }
            </dl>
        </section>
    }
}

/// Renders an API server and its cache of the resource.
fn server(view: &CacheView, row: &ServerRow) -> Html {
    let cache = view.caches.iter().find(|cache| cache.server == row.name);
    let mut fields: Vec<(&str, String)> = vec![
        ("version", row.version.clone()),
        ("freshness", row.policy.clone()),
        (
            "progress",
            if row.progress_supported {
                "supported"
            } else {
                "not supported by this etcd"
            }
            .to_owned(),
        ),
    ];
    if !row.gates.is_empty() {
        fields.push(("gates", row.gates.join(", ")));
    }
    if !row.state.is_empty() {
        fields.push(("state", row.state.clone()));
    }
    if let Some(cache) = cache.filter(|cache| cache.cached) {
        let snapshots = cache
            .oldest_snapshot
            .map_or_else(String::new, |oldest| format!(", from {}", grouped(oldest)));
        fields.push(("cache", words::state(view, cache)));
        if !cache.ready_detail.is_empty() {
            fields.push(("ready", cache.ready_detail.clone()));
        }
        fields.push(("revision", grouped(cache.revision)));
        fields.push(("objects", text::count(cache.objects)));
        fields.push(("history", words::window(&cache.window)));
        let bounds = [
            grouped(cache.window.bounds.0.into()),
            grouped(cache.window.bounds.1.into()),
        ];
        fields.push(("window size", bounds.join(" to ")));
        fields.push((
            "snapshots",
            [text::count(cache.snapshots), snapshots].concat(),
        ));
        fields.push((
            "progress requests",
            words::number(cache.progress_requests, "time", "times"),
        ));
        fields.push(("watches", words::saved(cache)));
        let decodes = [
            text::count(cache.decodes),
            text::count(cache.decodes_without_cache),
        ];
        fields.push(("events decoded", decodes.join(", without a cache ")));
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
