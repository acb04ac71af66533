//! Draws the rulers and the plot, the legend, and the savings of the caches.

use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::{
    CacheLag, CacheRow, ListsRow, PathKind, RequestRow, RevisionMark,
};
use yew::prelude::*;

use super::lane::triangle;
use super::load::LoadStrips;
use super::plot::{CachePlot, shown_requests};
use super::scene::{CacheScene, CacheSpot};
use crate::draw::axis::RULER;
use crate::draw::marks;
use crate::draw::surface::num;
use crate::draw::text::{bytes, count};
use crate::words::cache as words;

/// Renders the rulers. The figure's caption and the table contain the same information in words.
pub fn rulers(scene: &CacheScene) -> Html {
    let width = num(scene.width);
    html! {
        <>
        // This part stays at the top while the lanes are scrolled.
        { scene.ruler.svg("watch-ruler watch-svg", scene.width, RULER) }
        <svg class="watch-svg cache-svg" {width} height={num(scene.height)} aria-hidden="true">
            <defs>
                { marks::hatch("cache-hatch-gap", "7", "2") }
                { marks::hatch("cache-hatch-wait", "7", "2") }
                { marks::hatch("watch-hatch-gone", "7", "2") }
            </defs>
            { marks::draw(&scene.back) }
            { marks::draw(&scene.front) }
            { spots("spot", &scene.spots) }
        </svg>
        </>
    }
}

pub fn plot(plot: &CachePlot, width: f64) -> Html {
    html! {
        <svg class="watch-svg cache-svg" width={num(width)} height={num(plot.height)} aria-hidden="true">
            { marks::draw(&plot.marks) }
            { spots("plot", &plot.spots) }
        </svg>
    }
}

/// Renders items; `kind` distinguishes the marks of a request in two pictures.
fn spots(kind: &str, spots: &[CacheSpot]) -> Html {
    let one = |spot: &CacheSpot| {
        html! {
            <g key={spot.id} class="cache-spot" data-spot={spot.id.to_string()}
                data-mark={format!("{kind}:{}", spot.id)} data-order={spot.order().to_string()} data-way="pop">
                <title>{ &spot.title }</title>
                { marks::draw(&spot.marks) }
            </g>
        }
    };
    spots.iter().map(one).collect()
}

/// An entry of the legend: the class of the mark, its path, and its name.
type LegendItem = (&'static str, String, &'static str);

/// Returns the legend of the marks that the pictures of a view contain.
pub fn legend_items(view: &CacheView) -> Vec<LegendItem> {
    let is_request = |path| {
        let of_path = |request: &&RequestRow| request.path == path && request.ended_with == 0;
        shown_requests(view).any(|request| of_path(&request))
    };
    let refused =
        |request: &RequestRow| request.path == PathKind::Refused || request.ended_with > 0;
    let lags = |lag| view.caches.iter().any(|cache| cache.lag() == lag);
    let any_cache = |has: fn(&CacheRow) -> bool| view.caches.iter().any(has);
    let any_revision = |has: fn(&RevisionMark) -> bool| view.revisions.iter().any(has);
    let waits = any_cache(|cache| !cache.waiting.is_empty())
        || shown_requests(view).any(|request| request.split.wait_us > 0);
    let line = || "M7 0v14".to_owned();
    let square = || "M1 1h12v12h-12z".to_owned();
    let bar = || "M1 3h12v8h-12z".to_owned();
    // A request is a flat bar, unlike a write, whose bar is upright.
    let request = || "M0.7 4.5h12.6v5h-12.6z".to_owned();
    let all = [
        (
            any_revision(|mark| mark.own && !mark.deletes),
            ("cache-own", line(), words::OWN_WRITE),
        ),
        (
            any_revision(|mark| mark.deletes),
            (
                "cache-delete",
                "M2.5 2l9 10m0-10l-9 10".to_owned(),
                words::OWN_DELETE,
            ),
        ),
        (
            any_revision(|mark| !mark.own),
            ("cache-other", line(), words::OTHER_WRITE),
        ),
        (
            view.compact_revision >= view.axis_from,
            ("watch-unreadable", square(), words::COMPACTED),
        ),
        (
            any_cache(|cache| cache.cached && cache.revision > 0),
            ("cache-bar", bar(), words::CACHED),
        ),
        (
            lags(CacheLag::Stale),
            ("cache-gap", square(), words::MISSING),
        ),
        (
            lags(CacheLag::Unconfirmed),
            ("cache-gap unconfirmed", square(), words::UNCONFIRMED),
        ),
        (waits, ("cache-wait", bar(), words::WAIT)),
        (
            any_cache(|cache| !cache.progress.is_empty()),
            (
                "cache-progress",
                triangle(7.0, 7.0, false),
                words::PROGRESS_MARK,
            ),
        ),
        (
            any_cache(|cache| !cache.bookmarks.is_empty()),
            ("cache-bookmark", triangle(7.0, 7.0, true), words::BOOKMARK),
        ),
        (
            any_cache(|cache| cache.client_watches > 0),
            (
                "cache-watch",
                "M2 7a5 5 0 0110 0a5 5 0 01-10 0".to_owned(),
                words::CLIENT_WATCH,
            ),
        ),
        (
            is_request(PathKind::Open),
            ("cache-request open", request(), words::REQUEST_OPEN),
        ),
        (
            is_request(PathKind::Cache),
            ("cache-request", request(), words::REQUEST_CACHE),
        ),
        (
            is_request(PathKind::Snapshot),
            ("cache-request snapshot", request(), words::REQUEST_SNAPSHOT),
        ),
        (
            is_request(PathKind::Etcd),
            ("cache-request etcd", request(), words::REQUEST_ETCD),
        ),
        (
            shown_requests(view).any(refused),
            ("cache-request refused", request(), words::REQUEST_REFUSED),
        ),
    ];
    let shown = all.into_iter().filter(|(is_shown, _)| *is_shown);
    shown.map(|(_, item)| item).collect()
}

pub fn legend(view: &CacheView) -> Html {
    let item = |(class, d, name): LegendItem| {
        html! {
            <li>
                <svg class="cache-svg" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
                    <path {class} {d} />
                </svg>
                { name }
            </li>
        }
    };
    html! {
        <ul class="msg-legend cache-legend">{ for legend_items(view).into_iter().map(item) }</ul>
    }
}

/// Renders an icon for the source of a response; the text beside the icon names the source.
pub fn path_icon(path: PathKind) -> Html {
    let (class, d) = match path {
        PathKind::Cache => ("cache-path", "M1.5 6a4.5 4.5 0 019 0a4.5 4.5 0 01-9 0"),
        PathKind::Etcd => ("cache-path etcd", "M1.5 1.5h9v9h-9z"),
        PathKind::Snapshot => ("cache-path snapshot", "M2 2h8v8h-8z"),
        PathKind::Refused => ("cache-path refused", "M2.5 2.5l7 7m0-7l-7 7"),
        PathKind::Open => ("cache-path open", "M2 6h8"),
    };
    html! {
        <svg class="cache-svg watch-icon" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <path {class} {d} />
        </svg>
    }
}

/// Renders the strips of the load, without their heading. The figure's caption contains the same information in words.
pub fn load(strips: &LoadStrips, width: f64) -> Html {
    strips
        .marks
        .svg("watch-svg cache-svg", width, strips.height)
}

/// Renders the numbers of etcd watches and decoded events for each API server, with its cache and without a cache.
pub fn savings(view: &CacheView) -> Html {
    html! {
        <section class="watch-streams cache-savings wg-part" aria-label={words::SAVINGS}>
            <h3>{ words::SAVINGS_HEADING }</h3>
            <ul>
                { for view.servers.iter().map(|server| {
                    html! {
                        <li key={server.name.clone()} class="watch-stream">
                            <p class="watch-stream-head">
                                <b>{ &server.name }</b>
                                if !server.state.is_empty() {
                                    <span class="watch-state">{ &server.state }</span>
                                }
                            </p>
                            <table>
                                <thead><tr><td></td><th>{ words::WITH_CACHE }</th>
                                    <th>{ words::WITHOUT_CACHE }</th></tr></thead>
                                <tbody>
                                    <tr><th>{ words::ETCD_WATCHES }</th><td>{ server.etcd_watches }</td>
                                        <td>{ count(server.client_watches) }</td></tr>
                                    <tr><th>{ words::EVENTS_DECODED }</th><td>{ count(server.decodes) }</td>
                                        <td>{ count(server.decodes_without_cache) }</td></tr>
                                </tbody>
                            </table>
                            if !server.lists.is_empty() { { lists(&server.lists) } }
                        </li>
                    }
                }) }
            </ul>
        </section>
    }
}

/// Renders the cost of an API server's lists in the last second, by source.
fn lists(rows: &[ListsRow]) -> Html {
    html! {
        <table>
            <thead><tr><th class="cache-lists">{ words::LISTS_LAST_SECOND }</th><th>{ words::LISTS }</th>
                <th>{ words::OBJECTS }</th><th>{ words::BYTES }</th></tr></thead>
            <tbody>
                { for rows.iter().map(|row| html! {
                    <tr key={row.source.clone()} title={words::lists_total(row)}>
                        <th>{ words::lists_from(&row.source) }</th><td>{ count(row.second.lists) }</td>
                        <td>{ count(row.second.objects) }</td><td>{ bytes(row.second.bytes) }</td>
                    </tr>
                }) }
            </tbody>
        </table>
    }
}
