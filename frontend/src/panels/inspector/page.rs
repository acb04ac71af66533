//! The inspector of a page of the database file: its header, its elements, and the bytes of one element.

use watchglass_engine::view::storage::{BytesView, ElementView, PageKind, PageView};
use yew::prelude::*;

use super::bytes::{HexBlock, SUB_AT};
use crate::draw::text::count;
use crate::state::Action;
use crate::store::StoreHandle;
use crate::words::storage as words;

/// The explanation of a pending page.
const PENDING: &str = "A commit released the page. A later commit makes the page free, unless an open snapshot still \
     needs it.";

/// Renders the inspector of a page.
pub fn page(store: &StoreHandle) -> Html {
    let view = store.views.storage.as_deref();
    let Some(page) = view.and_then(|view| view.page.as_ref()) else {
        return Html::default();
    };
    html! {
        <>
            <header class="insp-head">
                <h2 class="insp-key">{ "Page " }{ page.id }</h2>
                <span class="insp-state">{ state(page) }</span>
            </header>
            <div class="insp-panel insp-page">
                if page.count > 0 {
                    <p class="insp-note">{ used(page) }</p>
                }
                if !page.fields.is_empty() {
                    <dl class="insp-fields">
                        { for page.fields.iter().map(|(name, value)| html! {
                            <div><dt>{ name }</dt><dd>{ value }</dd></div>
                        }) }
                    </dl>
                }
                { about(page) }
                { bytes("Key", SUB_AT, &page.key) }
                { bytes("Value", 0, &page.value) }
                { elements(store, page) }
                { bytes("Header of the page", 0, &page.header) }
            </div>
        </>
    }
}

fn state(page: &PageView) -> String {
    let kind = words::kind(page.kind);
    match (page.kind, page.bucket.as_str()) {
        (PageKind::Branch | PageKind::Leaf, "") => format!("{kind} of all buckets"),
        (PageKind::Branch | PageKind::Leaf, bucket) => format!("{kind} of the bucket {bucket}"),
        _ => kind.to_owned(),
    }
}

fn used(page: &PageView) -> String {
    let elements = match page.count {
        1 => "1 element".to_owned(),
        many => format!("{many} elements"),
    };
    let overflow = match page.overflow {
        0 => "",
        1 => ", with one overflow page",
        _ => ", with overflow pages",
    };
    let (used, all) = (count(page.used_bytes), count(page.bytes));
    format!("{elements}, {used} of {all} bytes used{overflow}.")
}

/// Returns the explanation of a page without elements.
fn about(page: &PageView) -> Html {
    let said = match page.kind {
        PageKind::Free => "The page is free: later commits can use it.",
        PageKind::Pending => PENDING,
        PageKind::Overflow => "The page continues the page before it.",
        PageKind::Branch | PageKind::Leaf if page.count == 0 => "The page has no elements.",
        _ => return Html::default(),
    };
    html! { <p class="insp-note">{ said }</p> }
}

fn elements(store: &StoreHandle, page: &PageView) -> Html {
    if page.elements.is_empty() {
        return Html::default();
    }
    let row = |(place, element): (usize, &ElementView)| {
        let is_chosen = page.chosen == Some(place as u32);
        let class = classes!(
            element.is_nested.then_some("is-nested"),
            is_chosen.then_some("is-chosen")
        );
        let choose = Action::SelectElement {
            page: page.id,
            place: place as u32,
        };
        html! {
            <tr key={place} {class}>
                <th scope="row">
                    <button type="button" class="insp-link" aria-pressed={is_chosen.to_string()}
                        onclick={store.on_click(choose)}>{ &element.key }</button>
                </th>
                <td>
                    if let Some(child) = element.child {
                        <button type="button" class="insp-link"
                            onclick={store.on_click(Action::SelectPage(child))}>
                            { "page " }{ child }
                        </button>
                    } else {
                        { &element.value }
                    }
                </td>
                <td class="is-number">{ count(element.bytes) }</td>
            </tr>
        }
    };
    let nested = page
        .elements
        .iter()
        .filter(|element| element.is_nested)
        .count();
    let missing = (page.count as usize + nested).saturating_sub(page.elements.len());
    html! {
        <>
            <table class="insp-elements">
                <thead>
                    <tr>
                        <th scope="col">{ "Key" }</th>
                        <th scope="col">{ "Value" }</th>
                        <th scope="col" class="is-number">{ "Bytes" }</th>
                    </tr>
                </thead>
                <tbody>{ for page.elements.iter().enumerate().map(row) }</tbody>
            </table>
            if missing > 0 {
                <p class="insp-note">{ format!("and {missing} more elements") }</p>
            }
        </>
    }
}

fn bytes(name: &str, break_at: usize, view: &BytesView) -> Html {
    if view.total == 0 {
        return Html::default();
    }
    let (shown, total) = (view.bytes.len() as u64, view.total);
    let length = if shown < total {
        format!("first {} of {} bytes", count(shown), count(total))
    } else {
        format!("{} bytes", count(total))
    };
    let title = format!("{name}, {length} from {:#x}", view.offset);
    html! {
        <HexBlock {title} bytes={view.bytes.clone()} parts={view.parts.clone()} {break_at} />
    }
}
