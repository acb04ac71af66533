//! The writers, kinds, namespaces, reasons of events and days of creation of the values in a database file, with their
//! writes.

use std::cmp::Reverse;
use std::rc::Rc;

use watchglass_engine::view::file::writers::{WriteGroup, WritersView};
use watchglass_engine::view::{FileOverview, PrefixList};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::export::{self, FileTable};
use crate::store::use_store;
use crate::widgets::Segmented;
use crate::words::file::{PREFIX, number, share, size};
use crate::words::file_writers as words;

/// The number of rows that the table shows at first.
const FIRST_ROWS: usize = 10;
/// The columns of each table in exported files.
const COLUMNS: &[&str] = &[
    "name",
    "writes",
    "writes_an_hour",
    "writes_without_change",
    "writes_of_times_only",
    "deletes",
    "stored_revisions",
    "bytes",
    "live_keys",
];

/// The name by which the values are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupBy {
    Writer,
    Kind,
    Namespace,
    Prefix,
    Reason,
    Created,
}

impl GroupBy {
    const ALL: [Self; 6] = [
        Self::Writer,
        Self::Kind,
        Self::Namespace,
        Self::Prefix,
        Self::Reason,
        Self::Created,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Writer => words::WRITER,
            Self::Kind => words::KIND,
            Self::Namespace => words::NAMESPACE,
            Self::Prefix => PREFIX,
            Self::Reason => words::REASON,
            Self::Created => words::CREATED,
        }
    }

    /// Returns the groups with their names as text.
    fn rows(self, view: &WritersView, prefixes: &PrefixList) -> Vec<WriteGroup<String>> {
        match self {
            Self::Writer => named(&view.writers, words::writer),
            Self::Kind => named(&view.kinds, words::kind),
            Self::Namespace => named(&view.namespaces, words::namespace),
            Self::Reason => named(&view.reasons, words::reason),
            Self::Created => named(&view.created, words::created),
            Self::Prefix => {
                let groups = prefixes.rows.iter().map(|row| WriteGroup {
                    name: row.text.clone(),
                    keys: row.keys,
                    revisions: row.rows(),
                    bytes: row.bytes(),
                    changes: row.changes,
                });
                let mut groups: Vec<_> = groups.collect();
                groups.sort_by_key(|group| Reverse(group.changes.writes));
                groups
            }
        }
    }
}

fn named<N>(groups: &[WriteGroup<N>], name: fn(&N) -> String) -> Vec<WriteGroup<String>> {
    let named = groups.iter().map(|group| WriteGroup {
        name: name(&group.name),
        keys: group.keys,
        revisions: group.revisions,
        bytes: group.bytes,
        changes: group.changes,
    });
    named.collect()
}

#[derive(Clone, PartialEq, Properties)]
pub(super) struct WritersProps {
    pub(super) overview: Rc<FileOverview>,
    /// The listed groups of keys; `None` while the groups of the overview are listed.
    pub(super) list: Option<Rc<PrefixList>>,
}

#[component]
pub(super) fn Writers(props: &WritersProps) -> Html {
    let store = use_store();
    let view = &props.overview.writers;
    let (group_by, filter, shows_all) = (
        use_state_eq(|| GroupBy::Writer),
        use_state_eq(String::new),
        use_state_eq(|| false),
    );
    let on_choose = {
        let (group_by, filter) = (group_by.clone(), filter.clone());
        Callback::from(move |at: usize| {
            group_by.set(GroupBy::ALL[at]);
            filter.set(String::new());
        })
    };
    let on_input = {
        let filter = filter.clone();
        Callback::from(move |event: InputEvent| {
            filter.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let on_all = {
        let shows_all = shows_all.clone();
        Callback::from(move |_| shows_all.set(true))
    };
    let prefixes = props.list.as_deref().unwrap_or(&props.overview.prefixes);
    let rows = group_by.rows(view, prefixes);
    let table = {
        let (view, name) = (view.clone(), group_by.name());
        let rows = rows.clone();
        move || FileTable {
            name: format!("writes-by-{}", name.to_lowercase().replace(' ', "-")),
            columns: COLUMNS,
            rows: rows.iter().map(|row| cells(&view, row)).collect(),
        }
    };
    let wanted = filter.to_lowercase();
    let found: Vec<_> = rows
        .iter()
        .filter(|row| row.name.to_lowercase().contains(&wanted))
        .collect();
    let shown = if *shows_all { found.len() } else { FIRST_ROWS };
    let has_rates = view.seconds().is_some();
    let names = GroupBy::ALL.map(|group_by| group_by.name().into()).to_vec();
    let chosen = GroupBy::ALL.iter().position(|g| *g == *group_by);
    html! {
        <section class="file-part" aria-label={words::WHO_WROTE}>
            <h3>{ words::WHO_WROTE }{ export::buttons(&store, table) }</h3>
            <p>{ words::answer(view) }</p>
            <p>{ words::covered(view) }</p>
            <div class="file-tools">
                <Segmented label={words::GROUP_BY} class="is-small" {names} {chosen} {on_choose} />
                <input type="search" class="wg-field" aria-label={words::FILTER_LABEL} placeholder={words::FILTER}
                    spellcheck="false" autocomplete="off" value={(*filter).clone()} oninput={on_input} />
            </div>
            <div class="wg-wide-table file-wide" tabindex="0" role="group" aria-label={words::WHO_WROTE}>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{ group_by.name() }</th>
                        { head(words::WRITES) }
                        if has_rates {
                            { head(words::AN_HOUR) }
                        }
                        { head(words::UNCHANGED) }
                        if *group_by != GroupBy::Writer {
                            { head(words::DELETES) }
                        }
                        { head(words::STORED) }
                        { head(words::BYTES) }
                        { head(words::LIVE_KEYS) }
                    </tr>
                </thead>
                <tbody>
                    { for found.iter().take(shown).map(|row| html! {
                        <tr key={row.name.clone()}>
                            <th scope="row">{ &row.name }</th>
                            { cell(number(row.changes.writes)) }
                            if has_rates {
                                { cell(view.per_hour(row.changes.writes).map_or_else(String::new, number)) }
                            }
                            { cell(unchanged(row)) }
                            if *group_by != GroupBy::Writer {
                                { cell(number(row.changes.deletes)) }
                            }
                            { cell(number(row.revisions)) }
                            { cell(size(row.bytes)) }
                            { cell(number(row.keys)) }
                        </tr>
                    }) }
                </tbody>
            </table>
            </div>
            if found.is_empty() && !wanted.is_empty() {
                <p>{ words::NOTHING }</p>
            }
            if found.len() > shown {
                <button type="button" class="wg-button is-small" onclick={on_all}>
                    { words::show_all(found.len()) }
                </button>
            }
            <details>
                <summary>{ words::HOW }</summary>
                { for words::RULES.iter().map(|rule| html! { <p>{ *rule }</p> }) }
            </details>
        </section>
    }
}

fn head(name: &'static str) -> Html {
    html! { <th scope="col" class="is-number">{ name }</th> }
}

fn cell(text: String) -> Html {
    html! { <td class="is-number">{ text }</td> }
}

/// Returns the share of the writes that changed nothing; a dash if there are no writes.
fn unchanged(row: &WriteGroup<String>) -> String {
    match row.changes.writes {
        0 => "–".to_owned(),
        writes => share(row.changes.unchanged(), writes),
    }
}

fn cells(view: &WritersView, row: &WriteGroup<String>) -> Vec<export::Cell> {
    let rate = view.per_hour(row.changes.writes);
    vec![
        row.name.as_str().into(),
        row.changes.writes.into(),
        rate.map_or_else(|| "".into(), export::Cell::from),
        row.changes.same.into(),
        row.changes.only_times.into(),
        row.changes.deletes.into(),
        row.revisions.into(),
        row.bytes.into(),
        row.keys.into(),
    ]
}
