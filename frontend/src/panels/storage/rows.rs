//! The rows of the Storage view's list, which contains the same items as the picture.

use watchglass_engine::view::StorageView;

use super::scene::{StorageScene, StorageTarget};
use crate::widgets::GridRow;
use crate::words::storage as words;

/// The lowest id of a row in the list. Smaller ids belong to pages.
const ROWS_FROM: u64 = 1 << 40;

/// Returns the id of an item in the list.
pub fn id(target: StorageTarget) -> u64 {
    match target {
        StorageTarget::Page(page) => page,
        StorageTarget::Row(place) => ROWS_FROM + place,
    }
}

pub fn target(id: u64) -> StorageTarget {
    match id.checked_sub(ROWS_FROM) {
        Some(place) => StorageTarget::Row(place),
        None => StorageTarget::Page(id),
    }
}

/// Returns the rows of the list: the keys and rows of the picture, then all pages of the file.
pub fn rows(view: &StorageView, scene: &StorageScene) -> Vec<GridRow> {
    let things = scene
        .things
        .iter()
        .filter(|thing| matches!(thing.target, StorageTarget::Row(_)));
    let rows = things.map(|thing| GridRow {
        id: id(thing.target),
        cells: vec![thing.title.clone(), thing.about.clone(), String::new()],
    });
    let in_tree = |id: u64| {
        let mut pages = view.levels.iter().flat_map(|level| &level.pages);
        pages.find(|page| page.id == id).map(words::content)
    };
    let pages = view.pages.iter().map(|page| GridRow {
        id: id(StorageTarget::Page(page.id)),
        cells: vec![
            words::cell(page),
            words::place_of_page(page.id, view),
            in_tree(page.id).unwrap_or_default(),
        ],
    });
    // Pages of the tree that are outside the visible range of the file.
    let in_strip = |id: u64| view.pages.iter().any(|page| page.id == id);
    let tree = view.levels.iter().flat_map(|level| &level.pages);
    let others = tree.filter(|page| !in_strip(page.id)).map(|page| GridRow {
        id: id(StorageTarget::Page(page.id)),
        cells: vec![
            words::page(page),
            words::place_of_page(page.id, view),
            words::content(page),
        ],
    });
    rows.chain(pages).chain(others).collect()
}
