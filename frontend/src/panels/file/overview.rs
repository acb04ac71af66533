//! The summary of a database file: its properties, the result of its checks, and its use of space.

use std::rc::Rc;

use watchglass_engine::view::FileOverview;
use watchglass_engine::view::file::{FileBucket, FileLease, FileSpace};
use yew::prelude::*;

use super::export::{self, FileTable};
use super::words::{bytes_exactly, count, hash, number, share, size};
use super::{PRIVATE, choose_button, keys, refused, value};
use crate::state::Action;
use crate::state::file::FileAct;
use crate::store::{StoreHandle, use_store};

/// The number of cells in a row of the map, and the size of a cell in pixels.
const MAP_COLUMNS: usize = 48;
const CELL: usize = 10;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct OverviewProps {
    /// The summary to show.
    pub(super) overview: Rc<FileOverview>,
}

#[component]
pub(super) fn Overview(props: &OverviewProps) -> Html {
    let store = use_store();
    let (file, view) = (&store.ui.file, &props.overview);
    let list = file.list.as_deref().unwrap_or(&view.prefixes);
    html! {
        <div class="file-view">
            <div class="file-side">
                { facts(view) }
                { checks(view) }
                { refused(&file.refused) }
                <div class="file-acts">
                    <button type="button" class="wg-button is-primary" disabled={view.refusal.is_some()}
                        onclick={store.on_click(Action::File(FileAct::Explore))}>{ "Explore this file" }</button>
                    { choose_button(&store, "Choose another file…", false) }
                    <button type="button" class="wg-button" onclick={store.on_click(Action::File(FileAct::Close))}>
                        { "Close the file" }
                    </button>
                </div>
                <p>{ match &view.refusal {
                    None => explore(view),
                    Some(why) => why.clone(),
                } }</p>
                <p>{ PRIVATE }</p>
            </div>
            <div class="file-main">
                if !view.damages.is_empty() {
                    { damages(view) }
                }
                if let Some(shown) = &file.value {
                    { value::value(&store, shown) }
                }
                { keys::prefixes(&store, list) }
                { keys::busy(&store, &view.busy) }
                { space(&view.space) }
                { leases(&store, view) }
                { buckets(&store, &view.buckets) }
            </div>
        </div>
    }
}

fn explore(view: &FileOverview) -> String {
    format!(
        "Starts a run on a simulated etcd {} with this data. The file is not changed.",
        view.profile
    )
}

/// The text for a number that damaged pages hide.
const UNKNOWN: &str = "unknown";

fn facts(view: &FileOverview) -> Html {
    let space = &view.space;
    let optional = |value: Option<i128>| value.map_or_else(|| "–".to_owned(), number);
    // Rows in damaged pages are not counted.
    let is_damaged = !view.damages.is_empty();
    let counted = |value: i128| match value {
        0 if is_damaged => UNKNOWN.to_owned(),
        value => number(value),
    };
    let version = match view.storage_version.as_str() {
        "" if is_damaged => UNKNOWN.to_owned(),
        "" => "none (before etcd 3.6)".to_owned(),
        version => version.to_owned(),
    };
    let rows: Vec<(&str, String)> = vec![
        ("file size", bytes_exactly(view.bytes)),
        (
            "pages",
            format!(
                "{} × {}",
                number(space.pages),
                bytes_exactly(space.page_bytes)
            ),
        ),
        (
            "hash (snapshot status)",
            view.hash
                .map_or_else(|| "–".to_owned(), |hash| format!("{hash:x}")),
        ),
        ("newest revision", counted(view.revision.into())),
        (
            "compacted revision",
            match view.compacted {
                Some(revision) => number(revision),
                None if is_damaged => UNKNOWN.to_owned(),
                None => "never".to_owned(),
            },
        ),
        (
            "last applied Raft entry",
            optional(view.consistent_index.map(Into::into)),
        ),
        ("Raft term", optional(view.term.map(Into::into))),
        ("storage version", version),
        ("live keys", counted(view.keys.into())),
        ("revisions stored", counted(view.rows.into())),
        ("of these, deletes", counted(view.tombstones.into())),
        ("rows in all buckets", counted(view.total_keys.into())),
    ];
    html! {
        <>
            <dl class="file-facts">
                { for rows.into_iter().map(|(name, value)| html! { <><dt>{ name }</dt><dd>{ value }</dd></> }) }
            </dl>
            <p>
                <code>{ "etcdctl snapshot status" }</code>
                { " prints the same hash, and calls the rows in all buckets “total keys”." }
            </p>
        </>
    }
}

fn checks(view: &FileOverview) -> Html {
    let mut lines = Vec::new();
    let found = view.damages.len() as u64 + view.more_damages;
    match &view.metas {
        [None, None] => lines.push((true, "Both meta pages are valid".to_owned())),
        metas => {
            for (page, fault) in metas.iter().enumerate() {
                if let Some(fault) = fault {
                    let other = 1 - page;
                    lines.push((
                        false,
                        format!("Meta page {page} is damaged ({fault}); meta page {other} is used"),
                    ));
                }
            }
        }
    }
    lines.push(match view.trailer_matches {
        Some(true) => (true, "The SHA-256 at the end matches".to_owned()),
        Some(false) => {
            let what = "The SHA-256 at the end does not match the pages: the file was changed after it was saved. \
                        SHA-256 of the pages: ";
            (false, [what, &hash(&view.sha256)].concat())
        }
        None if found > 0 => {
            (false, "No SHA-256 at the end: a member's database, or the end of the file is missing".to_owned())
        }
        None => (true, "No SHA-256 at the end: a member's database, not a saved snapshot".to_owned()),
    });
    lines.push(match found {
        0 => (
            true,
            "Every page is valid, and either free or used exactly once".to_owned(),
        ),
        found => (
            false,
            format!(
                "{}: pages without faults are shown",
                count(found, "fault", "faults")
            ),
        ),
    });
    html! {
        <ul class="file-checks">
            { for lines.into_iter().map(|(is_good, text)| html! {
                <li class={if is_good { "is-good" } else { "is-bad" }}>
                    <b aria-hidden="true">{ if is_good { "✓" } else { "!" } }</b><span>{ text }</span>
                </li>
            }) }
        </ul>
    }
}

fn damages(view: &FileOverview) -> Html {
    html! {
        <section class="file-part" aria-label="Faults">
            <h3>{ "Faults" }</h3>
            <ul class="file-damages">{ for view.damages.iter().map(|damage| html! { <li>{ damage }</li> }) }</ul>
            if view.more_damages > 0 {
                <p>{ format!("and {}", count(view.more_damages, "more fault", "more faults")) }</p>
            }
        </section>
    }
}

fn space(space: &FileSpace) -> Html {
    let all = space.bytes();
    let parts = [
        ("is-newest", "newest rows", space.newest_bytes),
        ("is-older", "older rows and deletes", space.older_bytes),
        (
            "is-other",
            "other buckets, page headers and unused space",
            space.other_bytes(),
        ),
        ("is-free", "free pages", space.free_bytes()),
    ];
    let mut from = 0;
    let bars: Vec<Html> = parts
        .iter()
        .map(|(class, _, bytes)| {
            let x = percent(from, all);
            from += bytes;
            html! { <rect key={*class} class={*class} {x} width={percent(*bytes, all)} height="16" /> }
        })
        .collect();
    let rows = space.map.len().div_ceil(MAP_COLUMNS);
    let cells = space.map.iter().enumerate().map(|(at, free)| {
        let (x, y) = (at % MAP_COLUMNS * CELL, at / MAP_COLUMNS * CELL);
        let used = f64::from(100 - u32::from((*free).min(100))) / 100.0;
        html! {
            <rect key={at} class="is-newest" x={x.to_string()} y={y.to_string()} width="9" height="9"
                fill-opacity={format!("{:.2}", 0.12 + 0.88 * used)} />
        }
    });
    let kinds = [
        ("leaf", space.leaf),
        ("overflow", space.overflow),
        ("branch", space.branch),
        ("meta and free list", space.meta),
        ("free", space.free),
        ("unreachable", space.not_reached),
    ];
    let kinds = kinds.iter().filter(|(_, pages)| *pages > 0);
    let kinds: Vec<String> = kinds
        .map(|(name, pages)| format!("{} {name}", number(*pages)))
        .collect();
    html! {
        <section class="file-part" aria-label="Use of space">
            <h3>{ "Use of space" }</h3>
            <svg class="file-space" width="100%" height="16" aria-hidden="true">{ bars }</svg>
            <ul class="file-parts">
                { for parts.iter().map(|(class, name, bytes)| html! {
                    <li><i class={*class}></i>{ *name }<b>{ size(*bytes) }</b><span>{ share(*bytes, all) }</span></li>
                }) }
            </ul>
            <p>{ fragmentation(space) }</p>
            <svg class="file-map" viewBox={format!("0 0 {} {}", MAP_COLUMNS * CELL, rows * CELL)} role="img"
                aria-label={format!("Map of the file: {} of {} pages are free", space.free, space.pages)}>
                { for cells }
            </svg>
            <p>
                { format!("Each cell is {}, in file order; fainter cells have more free pages. Page types: {}.",
                    count(space.map_pages, "page", "pages"), kinds.join(", ")) }
            </p>
        </section>
    }
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.3}%", part as f64 / whole.max(1) as f64 * 100.0)
}

fn fragmentation(space: &FileSpace) -> String {
    let free = space.free_bytes();
    format!(
        "Free pages are {} of the file ({}); etcd uses them for new rows. Defragmentation copies all rows to a new \
         file, which has some free pages of its own. Compaction at the newest revision removes up to {} of older rows.",
        share(free, space.bytes()),
        size(free),
        size(space.older_bytes)
    )
}

fn leases(store: &StoreHandle, view: &FileOverview) -> Html {
    let table = {
        let leases = view.leases.clone();
        move || FileTable {
            name: "leases".to_owned(),
            columns: &["id", "ttl_s", "remaining_s", "keys"],
            rows: leases
                .iter()
                .map(|lease| {
                    let id = format!("{:x}", lease.id);
                    vec![
                        id.as_str().into(),
                        lease.ttl_s.into(),
                        lease.remaining_s.into(),
                        lease.keys.into(),
                    ]
                })
                .collect(),
        }
    };
    let row = |lease: &FileLease| {
        html! {
            <tr key={lease.id}>
                <th scope="row">{ format!("{:x}", lease.id) }</th>
                <td class="is-number">{ format!("{} s", number(lease.ttl_s)) }</td>
                <td class="is-number">{ number(lease.keys) }</td>
            </tr>
        }
    };
    let hidden = view.lease_count - view.leases.len() as u64;
    html! {
        <section class="file-part" aria-label="Leases">
            <h3>{ "Leases" }{ export::buttons(store, table) }</h3>
            <p>
                { format!("{}, {} attached", count(view.lease_count, "lease", "leases"),
                    count(view.attached_keys, "key", "keys")) }
                if view.lost_leases > 0 {
                    { format!("; {} a lease that is missing from the file",
                        count(view.lost_leases, "key refers to", "keys refer to")) }
                }
            </p>
            if !view.leases.is_empty() {
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ "Lease" }</th>
                            <th scope="col" class="is-number">{ "TTL" }</th>
                            <th scope="col" class="is-number">{ "Keys" }</th>
                        </tr>
                    </thead>
                    <tbody>{ for view.leases.iter().map(row) }</tbody>
                </table>
            }
            if hidden > 0 {
                <p>{ format!("and {} not shown", count(hidden, "lease", "leases")) }</p>
            }
        </section>
    }
}

fn buckets(store: &StoreHandle, buckets: &[FileBucket]) -> Html {
    let table = {
        let buckets = buckets.to_vec();
        move || FileTable {
            name: "buckets".to_owned(),
            columns: &["bucket", "rows", "bytes"],
            rows: buckets
                .iter()
                .map(|bucket| {
                    vec![
                        bucket.name.as_str().into(),
                        bucket.rows.into(),
                        bucket.bytes.into(),
                    ]
                })
                .collect(),
        }
    };
    html! {
        <section class="file-part" aria-label="Buckets">
            <h3>{ "Buckets" }{ export::buttons(store, table) }</h3>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{ "Bucket" }</th>
                        <th scope="col" class="is-number">{ "Rows" }</th>
                        <th scope="col" class="is-number">{ "Bytes" }</th>
                    </tr>
                </thead>
                <tbody>
                    { for buckets.iter().map(|bucket| html! {
                        <tr key={bucket.name.clone()}>
                            <th scope="row">{ &bucket.name }</th>
                            <td class="is-number">{ number(bucket.rows) }</td>
                            <td class="is-number">{ number(bucket.bytes) }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </section>
    }
}
