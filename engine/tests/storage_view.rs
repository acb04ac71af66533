//! The Storage view against the checker of all pages, and what it says before and after a commit.

use watchglass_engine::api::Profile;
use watchglass_engine::bbolt::check::{Checker, Use};
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{FromEngine, ToEngine};
use watchglass_engine::view::storage::{PageKind, StorageView};
use watchglass_engine::view::{Queries, StorageQuery};

fn view(session: &mut Session, page: Option<u64>) -> StorageView {
    let queries = Queries {
        storage: Some(StorageQuery { first: 0, page }),
        ..Queries::default()
    };
    let mut out = Vec::new();
    session.handle(ToEngine::Show(queries), &mut out);
    while session.pump(1000, &mut out) {}
    let views = out.into_iter().rev().find_map(|message| match message {
        FromEngine::Views(views) => views.storage,
        _ => None,
    });
    *views.expect("the view was asked for")
}

#[test]
fn rows_wait_in_the_batch_and_then_lie_in_the_file() {
    let mut session = crate::support::session_after(Profile::V3_4, &["put /a 1"]);
    let before = view(&mut session, None);
    assert_eq!((before.page_count, before.txid), (5, 3));
    // The row and the consistent index.
    assert_eq!(before.batch_rows, 2);
    assert!(
        before
            .commit_in_us
            .is_some_and(|us| us > 0 && us <= 100_000)
    );
    let has_row = |view: &StorageView| {
        let page = view.page.as_ref().expect("the root");
        let mut elements = page.elements.iter();
        elements.any(|e| e.is_nested && e.key == "2.0" && e.value == "/a = 1" && e.bytes == 30)
    };
    assert!(!has_row(&before));

    // No step is made at the commit: the view knows the time.
    session.exec("run 200ms");
    let after = view(&mut session, None);
    assert_eq!(
        (after.txid, after.batch_rows, after.commit_in_us),
        (4, 0, None)
    );
    assert!(has_row(&after), "{:?}", after.page);
    let commit = after.commit.expect("a commit");
    assert_eq!((commit.operations, commit.bytes), (2, 8192));
    let written: Vec<u64> = after
        .pages
        .iter()
        .filter(|p| p.is_written)
        .map(|p| p.id)
        .collect();
    assert!(written.len() == 2 && commit.written.iter().all(|page| written.contains(page)));
    assert_eq!(after.levels, [], "the bucket is inline");
}

#[test]
fn the_strip_agrees_with_the_check_of_all_pages() {
    let lines = [
        "for i in {1..120}; do put /registry/pods/pod-$i {1..9}-value-of-some-length; done",
        "run 150ms",
        "for i in {1..120}; do put /registry/pods/pod-$i again; done",
        "compact 200",
        "run 150ms",
        "put /a b",
        "run 150ms",
    ];
    let mut session = crate::support::session_after(Profile::V3_4, &lines);
    let view = view(&mut session, None);
    let backend = session.world().backend(session.world().endpoint());
    let backend = backend.expect("a member");
    let uses = Checker::new(&backend.file()).run().uses;
    assert_eq!(uses.len() as u64, view.page_count);
    assert!(view.page_count > 10 && view.free > 0, "{}", view.page_count);
    for (page, used) in view.pages.iter().zip(&uses) {
        let is_same = match used {
            Use::Branch => page.kind == PageKind::Branch,
            Use::Leaf => page.kind == PageKind::Leaf,
            Use::Overflow => page.kind == PageKind::Overflow,
            Use::Meta => page.kind == PageKind::Meta,
            _ => matches!(page.kind, PageKind::Free | PageKind::Pending),
        };
        assert!(is_same, "page {}: {:?}, not {used:?}", page.id, page.kind);
    }
    // The root of the bucket is shown first; its elements are the pages of the next level.
    let [root, leaves] = &view.levels[..] else {
        panic!("{} levels", view.levels.len());
    };
    let page = view.page.as_ref().expect("a page");
    assert_eq!(page.id, root.pages[0].id);
    let children: Vec<u64> = page.elements.iter().filter_map(|e| e.child).collect();
    let shown: Vec<u64> = leaves.pages.iter().map(|page| page.id).collect();
    assert_eq!(children, shown);
    assert_eq!(page.elements[0].key, leaves.pages[0].first);
}

#[test]
fn a_page_that_is_not_there_is_not_shown() {
    let mut session = crate::support::session_after(Profile::V3_4, &["put /a 1"]);
    let view = view(&mut session, Some(999));
    assert!(view.page.is_some_and(|page| page.id < 5));
}

#[test]
fn an_open_snapshot_holds_pages_back() {
    let lines = [
        "put /a 1",
        "snapshot save a.db --open",
        "put /a 2",
        "run 1s",
    ];
    let mut session = crate::support::session_after(Profile::V3_4, &lines);
    session.exec("put /a 3");
    session.exec("run 1s");
    let open = view(&mut session, None);
    assert_eq!((open.readers.as_slice(), open.txid), (&[4][..], 6));
    session.exec("snapshot close a.db");
    // The write transaction that is open then still began beside the snapshot.
    for put in ["put /a 4", "put /a 5"] {
        session.exec(put);
        session.exec("run 1s");
    }
    let closed = view(&mut session, None);
    assert!(closed.readers.is_empty() && closed.pending < open.pending);
}
