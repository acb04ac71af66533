//! Draws the Storage view: the database file and the legend of its colours.

use watchglass_engine::view::storage::PageKind;
use yew::prelude::*;

use super::scene::{StorageScene, StorageTarget, class_of};
use crate::draw::marks;
use crate::draw::surface::num;
use crate::words::{common, storage as words};

/// The kinds of pages in the legend.
const KINDS: [PageKind; 6] = [
    PageKind::Meta,
    PageKind::Branch,
    PageKind::Leaf,
    PageKind::Overflow,
    PageKind::Pending,
    PageKind::Free,
];
/// The class and the name of each kind of row in the legend.
const ROWS: [(&str, &str); 3] = [
    ("is-newest", words::NEWEST_ROW),
    ("is-older", words::OLDER_ROW),
    ("is-tombstone", words::DELETE),
];

/// The attribute that contains a page's number.
pub const PAGE: &str = "data-page";
/// The attribute that contains the index of a row in the scene.
pub const ROW: &str = "data-stored-row";

/// Renders the scene. The figure's caption and the list contain the same information in words.
pub fn picture(scene: &StorageScene, active: Option<StorageTarget>) -> Html {
    html! {
        <svg class="sto-svg" width={num(scene.width)} height={num(scene.height)} aria-hidden="true">
            <defs>{ marks::hatch("sto-hatch", "6", "2") }</defs>
            <g key="back">{ marks::draw(&scene.back) }</g>
            <g key="things">
                { for scene.things.iter().map(|thing| {
                    let focus = (active == Some(thing.target)).then_some("is-focus");
                    let (page, row) = match thing.target {
                        StorageTarget::Page(id) => (Some(id.to_string()), None),
                        StorageTarget::Row(place) => (None, Some(place.to_string())),
                    };
                    html! {
                        <g class={classes!(thing.class.clone(), focus)} data-page={page} data-stored-row={row}>
                            <title>
                                { &thing.title }
                                if !thing.about.is_empty() {
                                    { ", " }{ &thing.about }
                                }
                            </title>
                            { marks::draw(&thing.marks) }
                        </g>
                    }
                }) }
            </g>
            <g key="way">{ marks::draw(&scene.way) }</g>
        </svg>
    }
}

/// Renders the legend that explains the colours of pages and rows.
pub fn legend() -> Html {
    let sample = |class: Classes| {
        html! {
            <svg width="16" height="14" viewBox="0 0 16 14" aria-hidden="true">
                <g {class}><rect class="sto-box" x="1.5" y="1.5" width="13" height="11" rx="3" /></g>
            </svg>
        }
    };
    html! {
        <ul class="sto-legend" aria-label={common::LEGEND}>
            { for ROWS.iter().map(|(class, name)| html! {
                <li>{ sample(classes!("sto-row", *class)) }{ *name }</li>
            }) }
            { for KINDS.into_iter().map(|kind| html! {
                <li>{ sample(classes!("sto-cell", class_of(kind))) }{ words::kind(kind) }</li>
            }) }
            <li>{ sample(classes!("sto-cell", "is-leaf", "is-written")) }{ words::WRITTEN }</li>
        </ul>
    }
}
