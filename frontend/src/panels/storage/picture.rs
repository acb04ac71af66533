//! Draws the Storage view: the database file and the legend of its colours.

use watchglass_engine::view::storage::{PageKind, StorageView};
use yew::prelude::*;

use super::scene::{StorageScene, StorageTarget, Thing, class_of};
use crate::draw::marks;
use crate::draw::order;
use crate::draw::surface::num;
use crate::words::{common, storage as words};

const KINDS: [PageKind; 7] = [
    PageKind::Meta,
    PageKind::Freelist,
    PageKind::Branch,
    PageKind::Leaf,
    PageKind::Overflow,
    PageKind::Pending,
    PageKind::Free,
];
/// The class and the name of each kind of row in the legend.
const ROWS: [(&str, &str); 4] = [
    ("is-newest", words::NEWEST_ROW),
    ("is-older", words::OLDER_ROW),
    ("is-tombstone", words::DELETE),
    ("is-removed", words::REMOVED_ROW),
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
                    let (mark, at, from) = identity(scene, thing);
                    let (page, row) = match thing.target {
                        StorageTarget::Page(id) => (Some(id.to_string()), None),
                        StorageTarget::Row(place) => (None, Some(place.to_string())),
                    };
                    html! {
                        <g key={mark.clone()} class={classes!(thing.class.clone(), focus)} data-page={page}
                            data-stored-row={row} data-mark={mark} data-order={at.to_string()} data-from={from}
                            data-way="pop">
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
            <g key="names" class="sto-names">{ marks::draw(&scene.names) }</g>
        </svg>
    }
}

/// Returns the identity of an item, its place in the order in which marks move, and the origin of a new item. A row
/// stays the same when a commit writes it from the batch to a page.
fn identity(scene: &StorageScene, thing: &Thing) -> (String, u32, Option<String>) {
    let kind = thing.class.split(' ').next().unwrap_or_default();
    let key_of = |key: &[u8]| ["key:", &String::from_utf8_lossy(key)].concat();
    match thing.target {
        StorageTarget::Page(id) => (format!("{kind}:{id}"), order::CACHE, None),
        StorageTarget::Row(place) => match scene.rows.get(place as usize) {
            Some(query) if query.revision.is_some() || !query.key.is_empty() => {
                match query.revision {
                    Some((main, sub)) => {
                        let from = (!query.key.is_empty()).then(|| key_of(&query.key));
                        (format!("row:{main}.{sub}"), order::WATCHER, from)
                    }
                    None => (key_of(&query.key), order::STORE, None),
                }
            }
            // A very long key is missing from the picture.
            _ => (format!("{kind}:{place}"), order::STORE, None),
        },
    }
}

/// An entry of the legend: the classes of the sample, the letter in the sample, and the name.
type LegendItem = (String, &'static str, &'static str);

/// Returns the legend of the rows and pages that the picture shows.
pub fn legend_items(view: &StorageView, scene: &StorageScene) -> Vec<LegendItem> {
    let is_shown = |class: &str| {
        let has = |thing: &Thing| thing.class.split(' ').any(|known| known == class);
        scene.things.iter().any(has)
    };
    let rows = ROWS.into_iter().filter(|(class, _)| is_shown(class));
    let rows = rows.map(|(class, name)| (["sto-row ", class].concat(), "", name));
    let is_page = |kind: &PageKind| {
        let tree = view.levels.iter().flat_map(|level| &level.pages);
        let mut all = view
            .pages
            .iter()
            .map(|cell| cell.kind)
            .chain(tree.map(|page| page.kind));
        all.any(|known| known == *kind)
    };
    let pages = KINDS.into_iter().filter(is_page).map(|kind| {
        let class = ["sto-cell ", class_of(kind)].concat();
        (class, words::letter(kind), words::kind(kind))
    });
    let written = ("sto-cell is-leaf is-written".to_owned(), "", words::WRITTEN);
    let written = is_shown("is-written").then_some(written);
    rows.chain(pages).chain(written).collect()
}

pub fn legend(view: &StorageView, scene: &StorageScene) -> Html {
    let item = |(class, letter, name): LegendItem| {
        html! {
            <li>
                <svg class="sto-svg" width="18" height="16" viewBox="0 0 18 16" aria-hidden="true">
                    <g {class}>
                        <rect class="sto-box" x="1.5" y="1.5" width="15" height="13" rx="3" />
                        <text class="sto-letter" x="9" y="12.3">{ letter }</text>
                        <path class="sto-strike" d="M4 8h10" />
                    </g>
                </svg>
                { name }
            </li>
        }
    };
    let items = legend_items(view, scene).into_iter().map(item);
    html! { <ul class="sto-legend" aria-label={common::LEGEND}>{ for items }</ul> }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::super::plan::StoragePlan;
    use super::*;

    #[test]
    fn the_legend_lists_only_what_the_picture_shows_and_every_sample_is_different() {
        let view = fixture::file();
        let scene = StorageScene::new(&view, StoragePlan::new(740.0, crate::draw::Font::of(0.6)));
        let items = legend_items(&view, &scene);
        let names: Vec<&str> = items.iter().map(|(.., name)| *name).collect();
        let expected = [
            words::NEWEST_ROW,
            words::OLDER_ROW,
            "meta",
            "branch",
            "leaf",
            "free",
            words::WRITTEN,
        ];
        assert_eq!(names, expected);
        for (at, (class, letter, _)) in items.iter().enumerate() {
            let same = |(other, text, _): &LegendItem| (other, text) == (class, letter);
            assert!(!items[at + 1..].iter().any(same), "{class}");
        }
    }
}
