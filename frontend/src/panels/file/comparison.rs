//! The comparison of a database file with another file, or of two of its revisions: the choice, the compared states,
//! the changes by prefix and kind, the changed keys, and how a value differs.

use std::rc::Rc;

use watchglass_engine::session::protocol::FileStage;
use watchglass_engine::view::FileOverview;
use watchglass_engine::view::file::comparison::{
    ChangedKey, ComparedGroup, ComparisonQuery, ComparisonView, History, KeyChange, LineIn,
    ValueDifference,
};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::export::{self, FileTable};
use super::number_field::{self, NumberField};
use super::value::use_heading;
use super::{choose_button, prefixes, progress};
use crate::state::Action;
use crate::state::comparison::CHANGES_AT_ONCE;
use crate::state::file_panel::{ComparisonAct, FileAct};
use crate::store::{StoreHandle, use_store};
use crate::widgets::Segmented;
use crate::words::file::{KEY, NO_NUMBER, PREFIX, number, size};
use crate::words::file_comparison as words;
use crate::words::{file_keys, file_writers};

/// The number of equal lines that a difference shows before and after a changed line.
const CONTEXT: usize = 3;

/// The columns of the table of groups in exported files.
const COLUMNS: &[&str] = &[
    "group",
    "keys_before",
    "keys_after",
    "row_bytes_before",
    "row_bytes_after",
    "created",
    "deleted",
    "changed",
    "rewritten",
];

#[derive(Clone, PartialEq, Properties)]
pub(super) struct ComparisonProps {
    pub(super) overview: Rc<FileOverview>,
}

#[component]
pub(super) fn Comparison(props: &ComparisonProps) -> Html {
    let store = use_store();
    let panel = &store.ui.file.comparison;
    let fields = [use_node_ref(), use_node_ref()];
    let on_submit = {
        let (store, fields, query) = (store.clone(), fields.clone(), panel.query.clone());
        move |event: SubmitEvent| {
            event.prevent_default();
            let at = fields.each_ref().map(number_field::number);
            let query = match at {
                [Some(_), Some(_)] => Ok(ComparisonQuery {
                    at,
                    limit: CHANGES_AT_ONCE,
                    ..query.clone()
                }),
                _ => Err(NO_NUMBER.to_owned()),
            };
            store.dispatch(act(ComparisonAct::Compare(query)));
        }
    };
    let own = &props.overview;
    let (labels, proposed) = match &panel.other {
        None => (
            [words::FROM.to_owned(), words::TO.to_owned()],
            [own.compacted.unwrap_or(1).max(1), own.revision],
        ),
        Some(other) => (
            [&own.name, &other.name].map(|name| words::at_revision(name)),
            [own.revision, other.revision],
        ),
    };
    let running = panel.running.as_ref();
    let is_reading = running.is_some_and(|running| running.stage != FileStage::Comparing);
    let field = |n: usize| {
        let (label, proposed) = (labels[n].clone(), proposed[n]);
        let key = label.clone();
        html! { <NumberField {key} {label} {proposed} field={fields[n].clone()} /> }
    };
    html! {
        <section class="file-part" aria-label={words::WHAT_CHANGED}>
            <h3>{ words::WHAT_CHANGED }</h3>
            <p>{ words::ABOUT }</p>
            <form class="file-tools" aria-label={words::STATES} onsubmit={on_submit}>
                { choose_button(&store, words::CHOOSE_OTHER, false, StoreHandle::open_other_file) }
                if panel.other.is_some() {
                    <button type="button" class="wg-button" onclick={store.on_click(act(ComparisonAct::Stop))}>
                        { words::WITHOUT_OTHER }
                    </button>
                }
                if !is_reading {
                    { field(0) }
                    { field(1) }
                    <button type="submit" class="wg-button">{ words::COMPARE }</button>
                }
            </form>
            if let Some(running) = &panel.running {
                { progress(&store, running, FileAct::Comparison(ComparisonAct::Stop), None) }
            }
            if !panel.refused.is_empty() {
                <p class="file-refused" role="alert">{ panel.refused.clone() }</p>
            }
            <p role="status">{ panel.view.as_deref().map(words::answer) }</p>
            if let Some(view) = &panel.view {
                <Changes view={view.clone()} query={panel.query.clone()} difference={panel.difference.clone()} />
            }
        </section>
    }
}

fn act(act: ComparisonAct) -> Action {
    Action::File(FileAct::Comparison(act))
}

#[derive(Clone, PartialEq, Properties)]
struct ChangesProps {
    view: Rc<ComparisonView>,
    query: ComparisonQuery,
    difference: Option<Rc<ValueDifference>>,
}

#[component]
fn Changes(props: &ChangesProps) -> Html {
    let store = use_store();
    let view = &props.view;
    let more = ComparisonQuery {
        limit: props.query.limit + CHANGES_AT_ONCE,
        ..props.query.clone()
    };
    html! {
        <>
            if let Some(history) = words::history(view) {
                <p>{ history }</p>
            }
            if let History::Parts { rows, .. } = &view.history {
                <div class="wg-wide-table file-wide" tabindex="0" role="group" aria-label={words::FIRST_ROWS}>
                <table>
                    <thead>
                        <tr>
                            { for view.sides.iter().map(|side| html! { <th scope="col">{ &side.name }</th> }) }
                        </tr>
                    </thead>
                    <tbody>
                        { for (0..rows[0].len().max(rows[1].len())).map(|place| html! {
                            <tr key={place}>
                                { for rows.iter().map(|rows| html! {
                                    <td>{ rows.get(place).map(words::revision_row) }</td>
                                }) }
                            </tr>
                        }) }
                    </tbody>
                </table>
                </div>
            }
            { states(view) }
            if let Some(hashes) = words::hashes(view) {
                <p>{ hashes }</p>
            }
            <Groups view={view.clone()} query={props.query.clone()} />
            <h4>
                { words::CHANGED_KEYS }
                <button type="button" class="wg-button is-small" onclick={store.on_click(act(ComparisonAct::Save))}>
                    { file_keys::SAVE_TABLE }
                </button>
            </h4>
            <p>{ words::matches(view) }</p>
            { tools(&store, &props.query) }
            if let Some(difference) = &props.difference {
                <Difference difference={difference.clone()} />
            }
            { keys(&store, &view.keys) }
            if (view.keys.len() as u64) < view.matches {
                <button type="button" class="wg-button is-small"
                    onclick={store.on_click(act(ComparisonAct::Compare(Ok(more))))}>{ file_keys::MORE }</button>
            }
        </>
    }
}

fn states(view: &ComparisonView) -> Html {
    html! {
        <div class="wg-wide-table file-states" tabindex="0" role="group" aria-label={words::STATES}>
        <table>
            <thead>
                <tr>
                    <th scope="col">{ words::PROPERTY }</th>
                    <th scope="col" class="is-number">{ words::BEFORE }</th>
                    <th scope="col" class="is-number">{ words::AFTER }</th>
                </tr>
            </thead>
            <tbody>
                { for words::properties(view).into_iter().map(|(name, [before, after])| html! {
                    <tr key={name.clone()}>
                        <th scope="row">{ name }</th>
                        <td class="is-number">{ before }</td>
                        <td class="is-number">{ after }</td>
                    </tr>
                }) }
            </tbody>
        </table>
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct GroupsProps {
    view: Rc<ComparisonView>,
    query: ComparisonQuery,
}

/// Renders the changes by prefix or by kind.
#[component]
fn Groups(props: &GroupsProps) -> Html {
    let store = use_store();
    let by_kind = use_state_eq(|| false);
    let view = &props.view;
    let on_choose = {
        let by_kind = by_kind.clone();
        Callback::from(move |at: usize| by_kind.set(at == 1))
    };
    let below = {
        let query = props.query.clone();
        move |prefix: Vec<u8>| {
            act(ComparisonAct::Compare(Ok(ComparisonQuery {
                prefix: Some(prefix),
                limit: CHANGES_AT_ONCE,
                ..query.clone()
            })))
        }
    };
    let rows: Vec<(String, Html, &ComparedGroup)> = match *by_kind {
        true => {
            let kinds = view.kinds.iter().map(|(kind, group)| {
                let name = file_writers::kind(kind);
                (name.clone(), name.into(), group)
            });
            kinds.collect()
        }
        false => {
            let groups = view.groups.iter().map(|group| {
                let name = group.text.clone();
                let html = match group.is_key {
                    true => name.clone().into(),
                    false => html! {
                        <button type="button" class="file-name"
                            onclick={store.on_click(below(group.prefix.clone()))}>{ &name }</button>
                    },
                };
                (name, html, group)
            });
            let others = view.others.as_ref().map(|(groups, sum)| {
                let name = crate::words::file::more_groups(*groups);
                (name.clone(), name.into(), sum)
            });
            groups.chain(others).collect()
        }
    };
    let table = {
        let cells: Vec<_> = rows
            .iter()
            .map(|(name, _, group)| cells(name, group))
            .collect();
        move || FileTable {
            name: "changes".to_owned(),
            columns: COLUMNS,
            rows: cells.clone(),
        }
    };
    let names = vec![PREFIX.into(), file_writers::KIND.into()];
    let chosen = Some(usize::from(*by_kind));
    html! {
        <>
            <h4>{ words::GROUPS }{ export::buttons(&store, table) }</h4>
            <div class="file-tools">
                <Segmented label={words::GROUP_BY} class="is-small" {names} {chosen} {on_choose} />
                { prefixes::path(&store, words::GROUPS, &view.prefix, &below) }
            </div>
            <div class="wg-wide-table file-wide" tabindex="0" role="group" aria-label={words::GROUPS}>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{ if *by_kind { file_writers::KIND } else { PREFIX } }</th>
                        <th scope="col" class="is-number">{ words::KEYS }</th>
                        <th scope="col" class="is-number">{ words::BYTES }</th>
                        { for KeyChange::ALL.iter().map(|change| html! {
                            <th scope="col" class="is-number">{ words::change(*change) }</th>
                        }) }
                    </tr>
                </thead>
                <tbody>
                    { for rows.iter().map(|(name, html, group)| html! {
                        <tr key={name.clone()}>
                            <th scope="row">{ html.clone() }</th>
                            <td class="is-number">{ words::step(group.keys.map(|n| Some(number(n)))) }</td>
                            <td class="is-number">{ words::step(group.bytes.map(|n| Some(size(n)))) }</td>
                            { for KeyChange::ALL.iter().map(|change| html! {
                                <td class="is-number">{ number(group.count(*change)) }</td>
                            }) }
                        </tr>
                    }) }
                </tbody>
            </table>
            </div>
        </>
    }
}

fn cells(name: &str, group: &ComparedGroup) -> Vec<export::Cell> {
    let sides = group.keys.into_iter().chain(group.bytes);
    let changes = KeyChange::ALL.map(|change| group.count(change));
    let numbers = sides.chain(changes).map(export::Cell::from);
    std::iter::once(name.into()).chain(numbers).collect()
}

/// Renders the controls of the list of changed keys. Each change compares again.
fn tools(store: &StoreHandle, query: &ComparisonQuery) -> Html {
    let compare = |change: fn(&mut ComparisonQuery, &Event)| {
        let (store, query) = (store.clone(), query.clone());
        move |event: Event| {
            let mut query = ComparisonQuery {
                limit: CHANGES_AT_ONCE,
                ..query.clone()
            };
            change(&mut query, &event);
            store.dispatch(act(ComparisonAct::Compare(Ok(query))));
        }
    };
    let on_text = compare(|query, event| {
        query.text = event.target_unchecked_into::<HtmlInputElement>().value();
    });
    let on_change = compare(|query, event| {
        let list = event.target_unchecked_into::<HtmlSelectElement>();
        let place = usize::try_from(list.selected_index() - 1).ok();
        query.change = place.and_then(|at| KeyChange::ALL.get(at)).copied();
    });
    html! {
        <div class="file-tools">
            <input type="search" class="wg-field" aria-label={file_keys::FILTER_LABEL}
                placeholder={file_keys::FILTER} spellcheck="false" autocomplete="off" value={query.text.clone()}
                oninput={move |event: InputEvent| on_text(event.into())} />
            <select class="wg-select" aria-label={words::WHICH} onchange={on_change}>
                <option selected={query.change.is_none()}>{ words::ALL_CHANGES }</option>
                { for KeyChange::ALL.iter().map(|change| html! {
                    <option selected={query.change == Some(*change)}>{ words::change(*change) }</option>
                }) }
            </select>
        </div>
    }
}

fn keys(store: &StoreHandle, keys: &[ChangedKey]) -> Html {
    let row = |key: &ChangedKey| {
        let show = act(ComparisonAct::Difference {
            key: key.key.clone(),
            shows_secret: false,
        });
        let bytes = [0, 1].map(|n: usize| key.revisions[n].map(|_| size(key.bytes[n])));
        html! {
            <tr key={key.text.clone()}>
                <th scope="row">
                    <button type="button" class="file-name" onclick={store.on_click(show)}>{ &key.text }</button>
                </th>
                <td>{ words::change_of(key) }</td>
                <td class="is-number">{ words::step(key.revisions.map(|at| at.map(|at| number(at.main)))) }</td>
                <td class="is-number">{ words::step(bytes) }</td>
            </tr>
        }
    };
    html! {
        <div class="wg-wide-table file-wide" tabindex="0" role="group" aria-label={words::CHANGED_KEYS}>
        <table>
            <thead>
                <tr>
                    <th scope="col">{ KEY }</th>
                    <th scope="col">{ words::CHANGE }</th>
                    <th scope="col" class="is-number">{ words::REVISION }</th>
                    <th scope="col" class="is-number">{ words::ROW }</th>
                </tr>
            </thead>
            <tbody>{ for keys.iter().map(row) }</tbody>
        </table>
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct DifferenceProps {
    difference: Rc<ValueDifference>,
}

/// Renders how the values of a key differ. The heading gets the focus when another key is shown.
#[component]
fn Difference(props: &DifferenceProps) -> Html {
    let store = use_store();
    let difference = &props.difference;
    let heading = use_heading(difference.key.clone());
    let show = act(ComparisonAct::Difference {
        key: difference.key.clone(),
        shows_secret: true,
    });
    let is_hidden = difference
        .values
        .iter()
        .flatten()
        .any(|value| value.is_hidden);
    let values = difference.sides.iter().zip(&difference.values);
    html! {
        <section class="file-value" aria-label={words::DIFFERENCE}>
            <h3 ref={heading} tabindex="-1">
                <code>{ &difference.text }</code>
                <button type="button" class="wg-button is-small"
                    onclick={store.on_click(act(ComparisonAct::CloseDifference))}>{ words::CLOSE }</button>
            </h3>
            { for values.zip(["−", "+"]).map(|((side, value), sign)| html! {
                <p>{ sign }{ " " }{ words::value(side, value.as_deref()) }</p>
            }) }
            if is_hidden {
                <p>
                    { file_keys::SECRET }{ " " }
                    <button type="button" class="wg-button is-small" onclick={store.on_click(show)}>
                        { file_keys::SHOW_SECRET }
                    </button>
                </p>
            } else {
                <pre class="file-text" tabindex="0">{ for lines(&difference.lines) }</pre>
            }
        </section>
    }
}

/// Renders the lines that differ with some equal lines around them.
fn lines(lines: &[(LineIn, String)]) -> Vec<Html> {
    let near = |at: usize| {
        let around = at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(lines.len());
        lines[around]
            .iter()
            .any(|(place, _)| *place != LineIn::Both)
    };
    let (mut out, mut equal) = (Vec::new(), 0);
    for (at, (place, text)) in lines.iter().enumerate() {
        let is_far = !near(at);
        if !is_far && equal > 0 {
            out.push(html! { <span>{ words::equal_lines(equal) }{ "\n" }</span> });
            equal = 0;
        }
        equal += usize::from(is_far);
        out.push(match place {
            _ if is_far => continue,
            LineIn::Both => html! { <span>{ "  " }{ text }{ "\n" }</span> },
            LineIn::First => html! { <del>{ "− " }{ text }{ "\n" }</del> },
            LineIn::Second => html! { <ins>{ "+ " }{ text }{ "\n" }</ins> },
        });
    }
    if equal > 0 {
        out.push(html! { <span>{ words::equal_lines(equal) }{ "\n" }</span> });
    }
    out
}
