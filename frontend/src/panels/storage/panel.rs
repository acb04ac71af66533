//! The Storage view connected to the page: its view in, its actions out.

use watchglass_engine::view::StorageView;
use watchglass_engine::view::storage::{
    LevelView, PAGES_MAX, PageCell, PageKind, PageView, StorageQuery, TreePage,
};
use yew::prelude::*;

use super::words;
use crate::state::Action;
use crate::store::{StoreHandle, use_store};

/// The kinds of pages in the legend.
const KINDS: [PageKind; 6] = [
    PageKind::Meta,
    PageKind::Branch,
    PageKind::Leaf,
    PageKind::Overflow,
    PageKind::Pending,
    PageKind::Free,
];

/// Why there is no tree.
const INLINE: &str =
    "The bucket has at most a quarter of a page: its rows are inside the root page of all buckets.";
/// What a page without elements is.
const PENDING: &str =
    "A commit freed the page. The next commit makes it free, unless a snapshot still needs it.";

/// The Storage view.
#[component]
pub fn StoragePanel() -> Html {
    let store = use_store();
    let Some(view) = store.views.storage.as_deref() else {
        return html! { <figure class="wg-view" aria-label="Storage: the database file"></figure> };
    };
    html! {
        <figure class="wg-view" aria-label="Storage: the database file">
            <figcaption class="wg-unseen">{ words::figure(view) }</figcaption>
            <div class="wg-view-scroll sto">
                <div class="sto-file">
                    { sizes(view) }
                    { strip(&store, view) }
                    { tree(&store, view) }
                </div>
                if let Some(page) = &view.page {
                    { detail(&store, page) }
                }
            </div>
            <div class="wg-view-foot">
                { legend() }
                <button type="button" class="wg-button is-small"
                    onclick={store.on_click(Action::SaveSnapshot(String::new()))}>
                    { "Download snapshot.db" }
                </button>
            </div>
        </figure>
    }
}

fn sizes(view: &StorageView) -> Html {
    let share = |bytes: u64| format!("{}%", bytes * 100 / view.bytes.max(1));
    let pending = view.pending * view.page_bytes;
    let used = view.bytes_in_use - pending;
    html! {
        <div class="sto-sizes">
            <p class="sto-size">{ words::sizes(view) }</p>
            <svg class="sto-bar" width="100%" height="14" aria-hidden="true">
                <rect class="is-free" width="100%" height="14" />
                <rect class="is-pending" width={share(view.bytes_in_use)} height="14" />
                <rect class="is-used" width={share(used)} height="14" />
            </svg>
            <p>{ words::batch(view) }</p>
            if let Some(readers) = words::readers(view) {
                <p>{ readers }</p>
            }
            if let Some(commit) = &view.commit {
                <p>{ words::commit(view, commit) }</p>
            }
        </div>
    }
}

fn strip(store: &StoreHandle, view: &StorageView) -> Html {
    let first = view.pages.first().map_or(0, |page| page.id);
    let window = |first: u64| {
        let query = StorageQuery {
            first,
            ..store.ui.storage
        };
        store.on_click(Action::Storage(query))
    };
    let last = first + view.pages.len() as u64;
    html! {
        <section class="sto-part" aria-label="Pages of the file">
            <h3>{ "The file" }</h3>
            <div class="sto-strip">
                { for view.pages.iter().map(|cell| page_button(store, view, cell)) }
            </div>
            if view.page_count > PAGES_MAX {
                <p class="sto-more">
                    { format!("Pages {first} to {} of {}", last - 1, view.page_count) }
                    <button type="button" class="wg-button is-small" disabled={first == 0}
                        onclick={window(first.saturating_sub(PAGES_MAX))}>{ "Earlier" }</button>
                    <button type="button" class="wg-button is-small" disabled={last >= view.page_count}
                        onclick={window(last)}>{ "Later" }</button>
                </p>
            }
        </section>
    }
}

fn choose(store: &StoreHandle, page: u64) -> Callback<MouseEvent> {
    let query = StorageQuery {
        page: Some(page),
        ..store.ui.storage
    };
    store.on_click(Action::Storage(query))
}

fn is_shown(view: &StorageView, id: u64) -> bool {
    view.page.as_ref().is_some_and(|page| page.id == id)
}

fn pressed(is_pressed: bool) -> &'static str {
    if is_pressed { "true" } else { "false" }
}

fn class_of(kind: PageKind) -> &'static str {
    match kind {
        PageKind::Meta | PageKind::Freelist => "is-meta",
        PageKind::Branch => "is-branch",
        PageKind::Leaf => "is-leaf",
        PageKind::Overflow => "is-overflow",
        PageKind::Pending => "is-pending",
        PageKind::Free => "is-free",
    }
}

fn page_button(store: &StoreHandle, view: &StorageView, cell: &PageCell) -> Html {
    let written = cell.is_written.then_some("is-written");
    let name = words::cell(cell);
    html! {
        <button key={cell.id} type="button" class={classes!("sto-page", class_of(cell.kind), written)}
            aria-pressed={pressed(is_shown(view, cell.id))} aria-label={name.clone()} title={name}
            onclick={choose(store, cell.id)}>
            <b>{ words::letter(cell.kind) }</b><span>{ cell.id }</span>
        </button>
    }
}

fn tree(store: &StoreHandle, view: &StorageView) -> Html {
    let level = |level: &LevelView| {
        html! {
            <div class="sto-level">
                if level.has_more {
                    <span class="sto-earlier">{ "earlier pages …" }</span>
                }
                { for level.pages.iter().map(|page| tree_button(store, view, page)) }
            </div>
        }
    };
    html! {
        <section class="sto-part" aria-label="Tree of the bucket key">
            <h3>{ "Tree of the bucket " }<code>{ "key" }</code>{ ", by revision" }</h3>
            if view.levels.is_empty() {
                <p>{ INLINE }</p>
            }
            { for view.levels.iter().map(level) }
        </section>
    }
}

fn tree_button(store: &StoreHandle, view: &StorageView, page: &TreePage) -> Html {
    let written = page.is_written.then_some("is-written");
    let name = words::tree_page(page);
    html! {
        <button key={page.id} type="button" class={classes!("sto-node", class_of(page.kind), written)}
            aria-pressed={pressed(is_shown(view, page.id))} aria-label={name.clone()} title={name}
            onclick={choose(store, page.id)}>
            <b>{ &page.first }</b>
            <span>{ "page " }{ page.id }</span>
            <span>{ page.fill }{ " % full" }</span>
        </button>
    }
}

fn detail(store: &StoreHandle, page: &PageView) -> Html {
    let element = |(index, element): (usize, &watchglass_engine::view::storage::ElementView)| {
        html! {
            <tr key={index} class={element.is_nested.then_some("is-nested")}>
                <th scope="row" title={element.key_hex.clone()}>{ &element.key }</th>
                <td>
                    if let Some(child) = element.child {
                        <button type="button" class="sto-link" onclick={choose(store, child)}>
                            { "page " }{ child }
                        </button>
                    } else {
                        { &element.value }
                    }
                </td>
                <td class="is-number">{ element.bytes }</td>
            </tr>
        }
    };
    let missing = page.count.saturating_sub(page.elements.len() as u64);
    html! {
        <section class="sto-detail" aria-label={format!("Page {}", page.id)}>
            <h3>{ "Page " }{ page.id }<span>{ words::kind(page.kind) }</span></h3>
            if page.count > 0 {
                <p>
                    { format!("{} elements, {} of {} bytes used", page.count, page.used_bytes, page.bytes) }
                    if page.overflow > 0 {
                        { format!(", {} overflow pages", page.overflow) }
                    }
                </p>
            }
            if !page.fields.is_empty() {
                <dl>
                    { for page.fields.iter().map(|(name, value)| html! {
                        <><dt>{ name }</dt><dd>{ value }</dd></>
                    }) }
                </dl>
            } else if page.elements.is_empty() {
                <p>{ match page.kind {
                    PageKind::Free => "The page is free: the next commits can use it.",
                    PageKind::Pending => PENDING,
                    PageKind::Overflow => "The page belongs to the page before it.",
                    _ => "The page has no elements.",
                } }</p>
            } else {
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ "Key" }</th>
                            <th scope="col">{ "Value" }</th>
                            <th scope="col" class="is-number">{ "Bytes" }</th>
                        </tr>
                    </thead>
                    <tbody>{ for page.elements.iter().enumerate().map(element) }</tbody>
                </table>
                if missing > 0 {
                    <p>{ format!("and {missing} more elements") }</p>
                }
            }
        </section>
    }
}

fn legend() -> Html {
    html! {
        <ul class="sto-legend" aria-label="Legend">
            { for KINDS.into_iter().map(|kind| html! {
                <li><i class={classes!("sto-key", class_of(kind))}></i>{ words::kind(kind) }</li>
            }) }
            <li><i class="sto-key is-leaf is-written"></i>{ "written by the last commit" }</li>
        </ul>
    }
}
