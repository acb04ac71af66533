//! A fixed view for the tests of the Storage view.

use watchglass_engine::view::StorageView;
use watchglass_engine::view::storage::{
    IndexKey, IndexRow, LevelView, PageCell, PageKind, RowMark, RowPath, RowPlace, RowState,
    TreePage,
};

fn key(name: &str, revision: i64, leaf: Option<u64>) -> IndexKey {
    IndexKey {
        key: name.as_bytes().to_vec(),
        name: name.to_owned(),
        revision: (revision, 0),
        is_deleted: false,
        leaf,
    }
}

fn leaf(id: u64, rows: std::ops::Range<i64>) -> TreePage {
    let mark = |revision: i64| RowMark {
        key: b"/k".to_vec(),
        revision: (revision, 0),
        state: RowState::Older,
    };
    TreePage {
        id,
        kind: PageKind::Leaf,
        count: (rows.end - rows.start) as u64,
        first: format!("{}.0", rows.start),
        fill: 80,
        rows: rows.map(mark).collect(),
        ..TreePage::default()
    }
}

/// Returns a view of ten keys, a root page with six leaf pages, and the path of row 14.
pub(super) fn file() -> StorageView {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    let revisions = [12, 3, 14, 5, 16, 7, 18, 9, 20, 31];
    let keys = names.iter().zip(revisions).map(|(name, revision)| {
        let leaf = (revision < 31).then_some(10 + (revision as u64 - 2) / 5);
        key(&format!("/registry/pods/{name}"), revision, leaf)
    });
    let leaves = (0..6_u64).map(|at| leaf(10 + at, 2 + 5 * at as i64..7 + 5 * at as i64));
    let root = TreePage {
        id: 4,
        kind: PageKind::Branch,
        count: 6,
        first: "2.0".to_owned(),
        is_written: true,
        ..TreePage::default()
    };
    let cells = (0..20).map(|id| PageCell {
        id,
        kind: match id {
            0 | 1 => PageKind::Meta,
            4 => PageKind::Branch,
            10..=15 => PageKind::Leaf,
            _ => PageKind::Free,
        },
        is_written: id == 4,
    });
    StorageView {
        page_bytes: 4096,
        bytes: 20 * 4096,
        bytes_in_use: 12 * 4096,
        bytes_after_defrag: Some(10 * 4096),
        page_count: 20,
        free: 8,
        index: Some(IndexRow {
            keys: keys.collect(),
            total: 10,
            ..IndexRow::default()
        }),
        levels: vec![
            LevelView {
                pages: vec![root],
                ..LevelView::default()
            },
            LevelView {
                pages: leaves.collect(),
                ..LevelView::default()
            },
        ],
        batch: vec![RowMark {
            key: b"/registry/pods/j".to_vec(),
            revision: (31, 0),
            state: RowState::Newest,
        }],
        batch_rows: 2,
        commit_in_us: Some(56_000),
        path: Some(RowPath {
            key: b"/registry/pods/c".to_vec(),
            name: "/registry/pods/c".to_owned(),
            revision: (14, 0),
            state: RowState::Newest,
            pages: vec![4, 12],
            place: Some(RowPlace {
                element: 2,
                offset: 12 * 4096 + 64,
                page: 12,
            }),
            value_bytes: 40,
            fields: vec![("key".to_owned(), "/registry/pods/c".to_owned())],
        }),
        pages: cells.collect(),
        ..StorageView::default()
    }
}
