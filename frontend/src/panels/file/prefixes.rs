//! The bytes and rows of each prefix as bars.

use watchglass_engine::view::PrefixList;
use watchglass_engine::view::file::PrefixRow;
use yew::prelude::*;

use super::export::{self, FileTable};
use crate::state::Action;
use crate::state::file_panel::FileAct;
use crate::store::StoreHandle;
use crate::words::file::{self as words, number, size};

/// The length of the longest bar, in pixels.
const BAR: u64 = 140;
/// The columns of the table in exported files.
const COLUMNS: &[&str] = &[
    "prefix",
    "is_key",
    "keys",
    "newest_rows",
    "older_rows",
    "newest_bytes",
    "older_bytes",
    "newest_revision",
    "writes",
    "writes_without_change",
    "writes_of_times_only",
    "deletes",
];

/// Renders the groups of keys below a prefix.
pub(super) fn prefixes(store: &StoreHandle, list: &PrefixList) -> Html {
    let others = list.others.as_ref();
    let shown = || list.rows.iter().chain(others.map(|(_, row)| row));
    let most_bytes = shown().map(PrefixRow::bytes).max().unwrap_or(1);
    let all_bytes = shown().map(PrefixRow::bytes).sum();
    let most_rows = shown().map(PrefixRow::rows).max().unwrap_or(1);
    let row = |name: Html, row: &PrefixRow, key: String| {
        html! {
            <tr {key}>
                <th scope="row">{ name }</th>
                <td class="is-number">{ number(row.keys) }</td>
                <td class="is-number file-left">
                    { bar((row.older_bytes, row.newest_bytes), most_bytes, true) }
                    <span>{ size(row.bytes()) }</span>
                </td>
                <td class="file-right">
                    { bar((row.newest_rows, row.older_rows), most_rows, false) }
                    <span>{ number(row.rows()) }</span>
                </td>
            </tr>
        }
    };
    let table = {
        let list = list.clone();
        move || FileTable {
            name: "prefixes".to_owned(),
            columns: COLUMNS,
            rows: list.rows.iter().map(cells).collect(),
        }
    };
    html! {
        <section class="file-part" aria-label={words::BY_PREFIX}>
            <h3>{ words::BY_PREFIX }{ export::buttons(store, table) }</h3>
            if let Some(first) = list.rows.first() {
                <p>{ words::largest_prefix(&String::from_utf8_lossy(&list.prefix), first, all_bytes) }</p>
            }
            { path(store, words::PREFIX, &list.prefix, &|prefix| Action::File(FileAct::List(prefix))) }
            <table class="file-bars">
                <thead>
                    <tr>
                        <th scope="col">{ words::PREFIX }</th>
                        <th scope="col" class="is-number">{ words::KEYS }</th>
                        <th scope="col" class="is-number">{ words::BYTES_OF_ROWS }</th>
                        <th scope="col">{ words::ROWS }</th>
                    </tr>
                </thead>
                <tbody>
                    { for list.rows.iter().map(|r| row(name(store, r, list.prefix.len()), r, r.text.clone())) }
                    if let Some((groups, r)) = others {
                        { row(words::more_groups(*groups).into(), r, "others".to_owned()) }
                    }
                </tbody>
            </table>
            <p class="file-legend">
                <i class="is-newest"></i>{ words::NEWEST_ROW }{ " " }
                <i class="is-older"></i>{ words::OLDER_ROW }
            </p>
        </section>
    }
}

fn cells(row: &PrefixRow) -> Vec<export::Cell> {
    vec![
        row.text.as_str().into(),
        u64::from(row.is_key).into(),
        row.keys.into(),
        row.newest_rows.into(),
        row.older_rows.into(),
        row.newest_bytes.into(),
        row.older_bytes.into(),
        row.revision.into(),
        row.changes.writes.into(),
        row.changes.same.into(),
        row.changes.only_times.into(),
        row.changes.deletes.into(),
    ]
}

/// Renders the name of a group or key as a button. The button of a group opens the groups below the group; the button
/// of a key opens the value of the key. Omits the first `skipped` bytes, which are shown above the list.
fn name(store: &StoreHandle, row: &PrefixRow, skipped: usize) -> Html {
    let text = match row.text.get(skipped..) {
        Some(rest) if row.text.len() == row.prefix.len() && !rest.is_empty() => rest,
        _ => &row.text,
    };
    let prefix = row.prefix.clone();
    let act = match row.is_key {
        true => FileAct::Value {
            key: prefix,
            at: None,
            shows_secret: false,
        },
        false => FileAct::List(prefix),
    };
    html! {
        <button type="button" class="file-name" title={row.text.clone()} onclick={store.on_click(Action::File(act))}>
            { text.to_owned() }
        </button>
    }
}

/// Renders the prefix as a path. Each part of the path is a link back to the list of the groups below that part, which
/// `list` requests.
pub(super) fn path(
    store: &StoreHandle,
    label: &'static str,
    prefix: &[u8],
    list: &dyn Fn(Vec<u8>) -> Action,
) -> Html {
    let ends = prefix.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let ends = ends.map(|(at, _)| at + 1).filter(|end| *end > 1);
    let mut from = 0;
    let parts: Vec<Html> = std::iter::once(0)
        .chain(ends)
        .map(|end| {
            let text = match end {
                0 => words::ALL_KEYS.to_owned(),
                end => String::from_utf8_lossy(&prefix[from..end]).into_owned(),
            };
            from = end;
            let act = list(prefix[..end].to_vec());
            let is_here = end == prefix.len();
            html! {
                <button key={end} type="button" class="file-name" disabled={is_here} onclick={store.on_click(act)}>
                    { text }
                </button>
            }
        })
        .collect();
    html! { <nav class="file-path" aria-label={label}>{ parts }</nav> }
}

/// Renders a bar with two parts: one for the newest rows and one for the older rows. The part for the newest rows is
/// next to the line between the two columns of bars.
fn bar((first, second): (u64, u64), most: u64, is_left: bool) -> Html {
    let width = |value: u64| {
        (value as f64 / most.max(1) as f64 * BAR as f64).max(if value > 0 { 1.0 } else { 0.0 })
    };
    let (first, second) = (width(first), width(second));
    let all = BAR as f64 + 2.0;
    let start = if is_left { all - first - second } else { 0.0 };
    let classes = if is_left {
        ["is-older", "is-newest"]
    } else {
        ["is-newest", "is-older"]
    };
    html! {
        <svg class="file-bar" width={all.to_string()} height="12" aria-hidden="true">
            <rect class={classes[0]} x={start.to_string()} width={first.to_string()} height="12" />
            <rect class={classes[1]} x={(start + first).to_string()} width={second.to_string()} height="12" />
        </svg>
    }
}
