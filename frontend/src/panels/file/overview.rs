//! The summary of a database file: its properties, the result of its checks, and its use of space.

use std::rc::Rc;

use watchglass_engine::view::FileOverview;
use watchglass_engine::view::file::{FileBucket, FileLease};
use yew::prelude::*;

use super::export::{self, FileTable};
use super::{
    choose_button, comparison, decryption, hash, keys, maintenance, prefixes, refused, value,
    writers,
};
use crate::state::Action;
use crate::state::file_panel::FileAct;
use crate::store::{StoreHandle, use_store};
use crate::words::file::{self as words, number, share, size};

/// The number of cells in a row of the map of the file's pages, and the size of a cell in pixels.
const MAP_COLUMNS: usize = 48;
const CELL: usize = 10;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct OverviewProps {
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
                        onclick={store.on_click(Action::File(FileAct::Explore))}>{ words::EXPLORE }</button>
                    { choose_button(&store, words::CHOOSE_ANOTHER, false, StoreHandle::open_file) }
                    <button type="button" class="wg-button" onclick={store.on_click(Action::File(FileAct::Close))}>
                        { words::CLOSE }
                    </button>
                </div>
                <p>{ match &view.refusal {
                    None => words::explore(view),
                    Some(why) => why.clone(),
                } }</p>
                <p>{ words::PRIVATE }</p>
            </div>
            <div class="file-main">
                if !view.damages.is_empty() {
                    { damages(view) }
                }
                if let Some(shown) = &file.value {
                    <value::Value shown={shown.clone()} />
                }
                { prefixes::prefixes(&store, list) }
                <writers::Writers overview={view.clone()} list={file.list.clone()} />
                <decryption::Decryption overview={view.clone()} />
                if let Some(found) = &file.keys {
                    <keys::Keys found={found.clone()} overview={view.clone()} />
                }
                <comparison::Comparison overview={view.clone()} />
                { space(view) }
                if view.refusal.is_none() {
                    <maintenance::Maintenance overview={view.clone()} />
                }
                { leases(&store, view) }
                { buckets(&store, &view.buckets) }
            </div>
        </div>
    }
}

fn facts(view: &FileOverview) -> Html {
    let optional = |value: Option<i128>| value.map_or_else(|| "–".to_owned(), number);
    // Rows in damaged pages are not counted.
    let is_damaged = !view.damages.is_empty();
    let counted = |value: i128| match value {
        0 if is_damaged => words::UNKNOWN.to_owned(),
        value => number(value),
    };
    let version = match view.storage_version.as_str() {
        "" if is_damaged => words::UNKNOWN.to_owned(),
        "" => words::NO_STORAGE_VERSION.to_owned(),
        version => version.to_owned(),
    };
    let all_rows: u64 = view.buckets.iter().map(|bucket| bucket.rows).sum();
    let rows: Vec<(&str, String)> = vec![
        (words::FILE_SIZE, words::bytes_exactly(view.bytes)),
        (words::PAGES, words::pages(&view.space)),
        (
            words::HASH,
            view.hash
                .map_or_else(|| "–".to_owned(), |hash| format!("{hash:x}")),
        ),
        (words::NEWEST_REVISION, counted(view.revision.into())),
        (
            words::COMPACTED_REVISION,
            match view.compacted {
                Some(revision) => number(revision),
                None if is_damaged => words::UNKNOWN.to_owned(),
                None => words::NEVER.to_owned(),
            },
        ),
        (
            words::LAST_APPLIED,
            optional(view.consistent_index.map(Into::into)),
        ),
        (words::RAFT_TERM, optional(view.term.map(Into::into))),
        (words::STORAGE_VERSION, version),
        (words::LIVE_KEYS, counted(view.keys.into())),
        (words::REVISIONS_STORED, counted(view.rows.into())),
        (words::DELETES, counted(view.tombstones.into())),
        (words::ROWS_IN_ALL, counted(all_rows.into())),
    ];
    html! {
        <>
            <dl class="file-facts">
                { for rows.into_iter().map(|(name, value)| html! { <><dt>{ name }</dt><dd>{ value }</dd></> }) }
            </dl>
            <p>{ words::snapshot_status() }</p>
        </>
    }
}

fn checks(view: &FileOverview) -> Html {
    let mut lines = Vec::new();
    let found = view.damages.len() as u64 + view.more_damages;
    match &view.metas {
        [None, None] => lines.push((true, words::META_PAGES_VALID.to_owned())),
        metas => {
            for (page, fault) in metas.iter().enumerate() {
                if let Some(fault) = fault {
                    lines.push((false, words::meta_page_damaged(page, fault)));
                }
            }
        }
    }
    lines.push(match view.trailer_matches {
        Some(true) => (true, words::TRAILER_MATCHES.to_owned()),
        Some(false) => (false, words::trailer_differs(&hash(&view.sha256))),
        None if found > 0 => (false, words::NO_TRAILER_WITH_FAULTS.to_owned()),
        None => (true, words::NO_TRAILER.to_owned()),
    });
    lines.push(match found {
        0 => (true, words::PAGES_VALID.to_owned()),
        found => (false, words::faults(found)),
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
        <section class="file-part" aria-label={words::FAULTS}>
            <h3>{ words::FAULTS }</h3>
            <ul class="file-damages">{ for view.damages.iter().map(|damage| html! { <li>{ damage }</li> }) }</ul>
            if view.more_damages > 0 {
                <p>{ words::more_faults(view.more_damages) }</p>
            }
        </section>
    }
}

fn space(view: &FileOverview) -> Html {
    let space = &view.space;
    let all = space.bytes();
    let parts = [
        ("is-newest", words::NEWEST_ROWS, space.newest_bytes),
        ("is-older", words::OLDER_ROWS, space.older_bytes),
        ("is-other", words::OTHER_SPACE, space.other_bytes()),
        ("is-free", words::FREE_PAGES, space.free_bytes()),
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
    html! {
        <section class="file-part" aria-label={words::USE_OF_SPACE}>
            <h3>{ words::USE_OF_SPACE }</h3>
            <p>{ words::what_frees_space(view) }</p>
            <svg class="file-space" width="100%" height="16" aria-hidden="true">{ bars }</svg>
            <ul class="file-parts">
                { for parts.iter().map(|(class, name, bytes)| html! {
                    <li><i class={*class}></i>{ *name }<b>{ size(*bytes) }</b><span>{ share(*bytes, all) }</span></li>
                }) }
            </ul>
            <svg class="file-map" viewBox={format!("0 0 {} {}", MAP_COLUMNS * CELL, rows * CELL)} role="img"
                aria-label={words::map(space)}>
                { for cells }
            </svg>
            <p>{ words::about_map(space) }</p>
        </section>
    }
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.3}%", part as f64 / whole.max(1) as f64 * 100.0)
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
                <td class="is-number">{ words::seconds(lease.ttl_s) }</td>
                <td class="is-number">{ number(lease.keys) }</td>
            </tr>
        }
    };
    let hidden = view.lease_count - view.leases.len() as u64;
    html! {
        <section class="file-part" aria-label={words::LEASES}>
            <h3>{ words::LEASES }{ export::buttons(store, table) }</h3>
            <p>{ words::leases(view) }</p>
            if !view.leases.is_empty() {
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ words::LEASE }</th>
                            <th scope="col" class="is-number">{ words::TTL }</th>
                            <th scope="col" class="is-number">{ words::KEYS }</th>
                        </tr>
                    </thead>
                    <tbody>{ for view.leases.iter().map(row) }</tbody>
                </table>
            }
            if hidden > 0 {
                <p>{ words::more_leases(hidden) }</p>
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
        <section class="file-part" aria-label={words::BUCKETS}>
            <h3>{ words::BUCKETS }{ export::buttons(store, table) }</h3>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{ words::BUCKET }</th>
                        <th scope="col" class="is-number">{ words::ROWS }</th>
                        <th scope="col" class="is-number">{ words::BYTES }</th>
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
