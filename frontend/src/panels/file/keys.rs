//! The keys of a database file, deleted keys included, with a filter, an order, and the files in which they are saved.

use std::rc::Rc;

use watchglass_engine::view::FileOverview;
use watchglass_engine::view::file::key_list::{KeyList, KeyListQuery, KeyOrder, KeyRow};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::state::Action;
use crate::state::file::KEYS_AT_ONCE;
use crate::state::file_panel::FileAct;
use crate::store::{StoreHandle, use_store};
use crate::words::file::{KEY, number, size};
use crate::words::{file_keys as words, file_writers};

#[derive(Clone, PartialEq, Properties)]
pub(super) struct KeysProps {
    pub(super) found: Rc<KeyList>,
    pub(super) overview: Rc<FileOverview>,
}

#[component]
pub(super) fn Keys(props: &KeysProps) -> Html {
    let store = use_store();
    let (found, view) = (&props.found, &props.overview.writers);
    let query = store.ui.file.query.clone();
    let act = |act: FileAct| store.on_click(Action::File(act));
    let busiest = found
        .rows
        .first()
        .filter(|first| found.query.order == KeyOrder::Writes && first.changes.writes > 0);
    let shown = found.rows.len() as u64;
    let more = FileAct::Search(KeyListQuery {
        limit: query.limit + KEYS_AT_ONCE,
        ..query.clone()
    });
    html! {
        <section class="file-part" aria-label={words::WHICH_KEYS}>
            <h3>
                { words::WHICH_KEYS }
                <span class="file-save">
                    <button type="button" class="wg-button is-small" onclick={act(FileAct::SaveTable)}>
                        { words::SAVE_TABLE }
                    </button>
                    <button type="button" class="wg-button is-small" onclick={act(FileAct::SaveScript)}>
                        { words::SAVE_SCRIPT }
                    </button>
                </span>
            </h3>
            <p>
                if let Some(first) = busiest {
                    { words::busiest(first, view.per_hour(first.changes.writes)) }
                }
                { words::matches(found) }
            </p>
            { tools(&store, &query) }
            <div class="wg-wide-table file-wide" tabindex="0" role="group" aria-label={words::WHICH_KEYS}>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{ KEY }</th>
                        <th scope="col">{ file_writers::KIND }</th>
                        <th scope="col" class="is-number">{ words::LAST_CHANGE }</th>
                        <th scope="col" class="is-number">{ words::SIZE }</th>
                        <th scope="col" class="is-number">{ words::WRITES }</th>
                        <th scope="col" class="is-number">{ words::VERSION }</th>
                        <th scope="col" class="is-number">{ words::REVISIONS }</th>
                    </tr>
                </thead>
                <tbody>{ for found.rows.iter().map(|key| row(&store, key)) }</tbody>
            </table>
            </div>
            if shown < found.matches {
                <button type="button" class="wg-button is-small" onclick={act(more)}>{ words::MORE }</button>
            }
        </section>
    }
}

fn row(store: &StoreHandle, row: &KeyRow) -> Html {
    let act = FileAct::Value {
        key: row.key.clone(),
        at: None,
        shows_secret: false,
    };
    let kind = row.object.as_ref().map(|object| object.kind.clone());
    html! {
        <tr key={row.text.clone()}>
            <th scope="row">
                <button type="button" class="file-name" onclick={store.on_click(Action::File(act))}>
                    { &row.text }
                </button>
            </th>
            <td>{ kind.unwrap_or_else(|| "–".to_owned()) }</td>
            <td class="is-number">{ words::last_change(row) }</td>
            <td class="is-number">
                { row.value_revision.map_or_else(|| words::NO_VALUE.to_owned(), |_| size(row.bytes)) }
            </td>
            <td class="is-number">{ words::writes(row) }</td>
            <td class="is-number">{ number(row.version) }</td>
            <td class="is-number">{ number(row.revisions) }</td>
        </tr>
    }
}

/// Renders the controls of the search. Each change starts a search.
fn tools(store: &StoreHandle, query: &KeyListQuery) -> Html {
    let search = |change: fn(&mut KeyListQuery, &Event)| {
        let (store, query) = (store.clone(), query.clone());
        move |event: Event| {
            let mut query = KeyListQuery {
                limit: KEYS_AT_ONCE,
                ..query.clone()
            };
            change(&mut query, &event);
            store.dispatch(Action::File(FileAct::Search(query)));
        }
    };
    let on_text = search(|query, event| {
        query.filter.text = event.target_unchecked_into::<HtmlInputElement>().value();
    });
    let on_deleted = search(|query, event| {
        query.filter.is_deleted = event.target_unchecked_into::<HtmlInputElement>().checked();
    });
    let on_order = search(|query, event| {
        let at = event
            .target_unchecked_into::<HtmlSelectElement>()
            .selected_index();
        let order = usize::try_from(at)
            .ok()
            .and_then(|at| KeyOrder::ALL.get(at));
        query.order = order.copied().unwrap_or_default();
    });
    html! {
        <div class="file-tools">
            <input type="search" class="wg-field" aria-label={words::FILTER_LABEL} placeholder={words::FILTER}
                spellcheck="false" autocomplete="off" value={query.filter.text.clone()}
                oninput={move |event: InputEvent| on_text(event.into())} />
            <label>
                <input type="checkbox" checked={query.filter.is_deleted} onchange={on_deleted} />
                { words::ONLY_DELETED }
            </label>
            <select class="wg-select" aria-label={words::ORDER} onchange={on_order}>
                { for KeyOrder::ALL.iter().map(|order| html! {
                    <option selected={*order == query.order}>{ words::order(*order) }</option>
                }) }
            </select>
        </div>
    }
}
