//! Tests of the texts of the Storage view.

use watchglass_engine::view::StorageView;
use watchglass_engine::view::storage::{CommitView, PageCell, PageKind};

use crate::words::storage as words;

#[test]
fn sizes_have_units() {
    assert_eq!(words::size(20_480), "20 KiB");
    assert_eq!(words::size(270), "270 bytes");
    assert_eq!(words::size(3 << 19), "1.5 MiB");
}

#[test]
fn open_snapshots_say_what_they_hold_back() {
    let view = StorageView {
        readers: vec![4],
        pending: 5,
        ..StorageView::default()
    };
    assert_eq!(
        words::readers(&view).unwrap(),
        "An open snapshot reads the state after transaction 4. Until the snapshot closes, 5 pages are pending, and the \
         file grows."
    );
    assert_eq!(words::readers(&StorageView::default()), None);
}

#[test]
fn a_commit_says_what_it_wrote() {
    let commit_view = CommitView {
        operations: 1,
        written: vec![4, 5, 1],
        bytes: 12_288,
        freed: vec![2],
        ..CommitView::default()
    };
    let view = StorageView {
        txid: 7,
        page_bytes: 4096,
        ..StorageView::default()
    };
    assert_eq!(
        words::commit(&view, &commit_view),
        "Transaction 7 wrote 3 pages (12 KiB) for 1 operation, the meta page last. 1 page is freed for \
         the next commit."
    );
}

#[test]
fn a_page_is_called_by_number_and_kind() {
    let page = PageCell {
        id: 4,
        kind: PageKind::Leaf,
        is_written: true,
    };
    assert_eq!(
        words::cell(&page),
        "Page 4, leaf, written by the last commit"
    );
}
