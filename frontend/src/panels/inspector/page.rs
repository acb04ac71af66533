//! The inspector of a page of the database file: its header, its elements, and the bytes of one element.

use watchglass_engine::view::storage::{BytesView, ElementView, PageView};
use yew::prelude::*;

use super::bytes::{HexBlock, SUB_AT};
use crate::draw::text::count;
use crate::state::Action;
use crate::state::action::ViewAct;
use crate::store::StoreHandle;
use crate::words::inspector as words;

pub fn page(store: &StoreHandle) -> Html {
    let view = store.views.storage.as_deref();
    let Some(page) = view.and_then(|view| view.page.as_ref()) else {
        return Html::default();
    };
    html! {
        <>
            <header class="insp-head">
                <h2 class="insp-key">{ words::page(page.id) }</h2>
                <span class="insp-state">{ words::page_state(page) }</span>
            </header>
            <div class="insp-panel insp-page">
                if page.count > 0 {
                    <p class="insp-note">{ words::page_use(page) }</p>
                }
                if !page.fields.is_empty() {
                    <dl class="insp-fields">
                        { for page.fields.iter().map(|(name, value)| html! {
                            <div><dt>{ name }</dt><dd>{ value }</dd></div>
                        }) }
                    </dl>
                }
                if let Some(about) = words::page_without_elements(page) {
                    <p class="insp-note">{ about }</p>
                }
                { bytes(words::PAGE_KEY, SUB_AT, &page.key) }
                { bytes(words::PAGE_VALUE, 0, &page.value) }
                { elements(store, page) }
                { bytes(words::PAGE_HEADER, 0, &page.header) }
            </div>
        </>
    }
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
        let choose = Action::View(ViewAct::SelectElement {
            page: page.id,
            place: place as u32,
        });
        html! {
            <tr key={place} {class}>
                <th scope="row">
                    <button type="button" class="insp-link" aria-pressed={is_chosen.to_string()}
                        onclick={store.on_click(choose)}>{ &element.key }</button>
                </th>
                <td>
                    if let Some(child) = element.child {
                        <button type="button" class="insp-link"
                            onclick={store.on_click(Action::View(ViewAct::SelectPage(child)))}>
                            { words::child_page(child) }
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
                        <th scope="col">{ words::ELEMENT_KEY }</th>
                        <th scope="col">{ words::ELEMENT_VALUE }</th>
                        <th scope="col" class="is-number">{ words::ELEMENT_BYTES }</th>
                    </tr>
                </thead>
                <tbody>{ for page.elements.iter().enumerate().map(row) }</tbody>
            </table>
            if missing > 0 {
                <p class="insp-note">{ words::more_elements(missing) }</p>
            }
        </>
    }
}

fn bytes(name: &str, break_at: usize, view: &BytesView) -> Html {
    if view.total == 0 {
        return Html::default();
    }
    let title = words::page_bytes(name, view);
    html! {
        <HexBlock {title} bytes={view.bytes.clone()} parts={view.parts.clone()} {break_at} />
    }
}
