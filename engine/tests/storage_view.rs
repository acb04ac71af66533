//! The Storage view before and after a commit, compared with the checker of all pages.

use watchglass_engine::api::Profile;
use watchglass_engine::bbolt::check::{Checker, Use};
use watchglass_engine::mvcc::Revision;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{Notification, ToEngine};
use watchglass_engine::view::storage::{
    KEYS_MAX, PageKind, RowState, StorageView, TouchedBy, TouchedPages,
};
use watchglass_engine::view::{KeyQuery, Queries, StorageQuery};

fn view(session: &mut Session, page: Option<u64>) -> StorageView {
    let query = StorageQuery {
        page,
        ..StorageQuery::default()
    };
    asked(session, query)
}

fn asked(session: &mut Session, query: StorageQuery) -> StorageView {
    let queries = Queries {
        storage: Some(query.into()),
        ..Queries::default()
    };
    session.handle(
        ToEngine::Notification(Notification::Show(queries.into())),
        &mut Vec::new(),
    );
    *session.views().storage.expect("the view was requested")
}

#[test]
fn rows_wait_in_the_batch_and_then_lie_in_the_file() {
    let mut session = crate::support::session_after(Profile::V3_4, &["put /a 1"]);
    let before = view(&mut session, None);
    assert_eq!((before.page_count, before.txid), (5, 3));
    // The pending rows are the row of the key and the consistent index.
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

    // The commit is not a step, but the view shows it at the right time.
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
    // The bucket is inline: its tree is a part of the page of all buckets.
    let [level] = &after.levels[..] else {
        panic!("{:?}", after.levels);
    };
    assert!(level.pages[0].is_inline && level.pages[0].rows[0].revision == (2, 0));
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
    // The view shows the root of the bucket first; its elements are the pages of the next level.
    let [root, leaves] = &view.levels[..] else {
        panic!("{} levels", view.levels.len());
    };
    let (root, leaves) = (root.pages[0].id, leaves.clone());
    let shown = self::view(&mut session, Some(root));
    let page = shown.page.expect("a page");
    assert_eq!(page.id, root);
    let children: Vec<u64> = page.elements.iter().filter_map(|e| e.child).collect();
    let shown: Vec<u64> = leaves.pages.iter().map(|page| page.id).collect();
    assert_eq!(children, shown);
    assert_eq!(page.elements[0].key, leaves.pages[0].first);
}

/// Returns the Storage view with a selected row, and the bytes of the database file. The view contains the path of
/// pages to the row.
fn followed(
    session: &mut Session,
    key: &str,
    revision: Option<(i64, i64)>,
) -> (StorageView, Vec<u8>) {
    let row = Some(KeyQuery {
        key: key.as_bytes().to_vec(),
        revision,
    });
    let query = StorageQuery {
        row,
        ..StorageQuery::default()
    };
    let view = asked(session, query);
    let backend = session.world().backend(session.world().endpoint());
    let file = backend.expect("a member").file();
    (view, file.to_file().expect("a whole file"))
}

#[test]
fn a_row_is_followed_to_its_bytes() {
    let lines = [
        "for i in {1..120}; do put /registry/pods/pod-$i {1..9}-value-of-some-length; done",
        "run 150ms",
        "put /registry/pods/pod-7 again",
        "run 150ms",
    ];
    let mut session = crate::support::session_after(Profile::V3_4, &lines);
    for (revision, expected) in [(None, (122, 0)), (Some((8, 0)), (8, 0))] {
        let (view, file) = followed(&mut session, "/registry/pods/pod-7", revision);
        let path = view.path.expect("a row");
        assert_eq!(path.revision, expected);
        // The pages of the path are the root and the leaf that the levels show.
        let levels = view.levels.iter().zip(&path.pages);
        assert_eq!(levels.len(), 2);
        for (level, id) in levels {
            assert!(level.pages.iter().any(|page| page.id == *id));
        }
        let place = path.place.expect("a place in the file");
        let key = Revision::new(expected.0, 0).encode();
        let at = place.offset as usize;
        assert_eq!(&file[at..at + key.len()], key);
        assert_eq!(place.page, place.offset / view.page_bytes);
        // The selected page is the leaf of the path, and the bytes are those of the row.
        let page = view.page.expect("a page");
        assert_eq!(Some(page.id), path.pages.last().copied());
        assert_eq!(
            (page.key.offset, &page.key.bytes[..]),
            (place.offset, &key[..])
        );
        let value = page.value.offset as usize;
        assert_eq!(
            page.value.bytes,
            file[value..value + page.value.bytes.len()]
        );
        assert_eq!(page.value.total, path.value_bytes);
        assert_eq!(
            &file[page.header.offset as usize..][..16],
            page.header.bytes
        );
    }
}

#[test]
fn a_row_with_overflow_pages_is_found_in_one_of_them() {
    let large = "x".repeat(9_000);
    let put = format!("put /large {large}");
    let lines = [
        "put /a 1",
        "put /b 2",
        put.as_str(),
        "put /c 3",
        "run 150ms",
    ];
    let mut session = crate::support::session_after(Profile::V3_4, &lines);
    let (view, file) = followed(&mut session, "/c", None);
    let path = view.path.expect("a row");
    let place = path.place.expect("a place in the file");
    assert!(place.page > path.pages[0], "{place:?} {:?}", path.pages);
    let key = Revision::new(5, 0).encode();
    assert_eq!(&file[place.offset as usize..][..key.len()], key);
    let overflow = view.pages[place.page as usize].kind;
    assert_eq!(overflow, PageKind::Overflow);
}

#[test]
fn keys_are_by_key_and_rows_by_revision() {
    let lines = ["put /b 1", "put /a 2", "put /c 3", "del /b", "run 150ms"];
    let mut session = crate::support::session_after(Profile::V3_4, &lines);
    let shown = view(&mut session, None);
    let index = shown.index.expect("the process runs");
    let keys: Vec<_> = index
        .keys
        .iter()
        .map(|k| (k.name.as_str(), k.revision, k.is_deleted))
        .collect();
    assert_eq!(
        keys,
        [
            ("/a", (3, 0), false),
            ("/b", (5, 0), true),
            ("/c", (4, 0), false)
        ]
    );
    let rows = &shown.levels[0].pages[0].rows;
    let rows: Vec<_> = rows.iter().map(|row| (row.revision.0, row.state)).collect();
    let expected = [
        (2, RowState::Older),
        (3, RowState::Newest),
        (4, RowState::Newest),
        (5, RowState::Tombstone),
    ];
    assert_eq!(rows, expected);

    // If the key has no row at the requested revision, the view follows its newest row, and never the row of another
    // key.
    let (other, _) = followed(&mut session, "/a", Some((2, 0)));
    assert_eq!(other.path.expect("a row of /a").revision, (3, 0));
    assert_eq!(followed(&mut session, "/none", None).0.path, None);

    // The content of the memory is lost when the process stops.
    session.exec("stop etcd");
    let stopped = view(&mut session, None);
    assert!(stopped.index.is_none());
    assert_eq!(stopped.levels[0].pages[0].rows[1].state, RowState::Unknown);
}

#[test]
fn many_keys_are_shown_around_the_one_that_is_followed() {
    let lines = ["for i in {100..299}; do put /k$i v; done", "run 150ms"];
    let mut session = crate::support::session_after(Profile::V3_4, &lines);
    for (key, before, after) in [
        ("/k100", false, true),
        ("/k200", true, true),
        ("/k299", true, false),
    ] {
        let (view, _) = followed(&mut session, key, None);
        let index = view.index.expect("the process runs");
        assert_eq!((index.keys.len(), index.total), (KEYS_MAX, 200), "{key}");
        assert!(index.keys.iter().any(|shown| shown.name == key));
        assert!(index.keys.is_sorted_by(|a, b| a.key < b.key));
        assert_eq!(
            (index.has_before, index.has_after),
            (before, after),
            "{key}"
        );
    }
}

#[test]
fn what_a_defrag_would_leave_is_what_it_leaves() {
    let lines = [
        "for i in {1..90}; do put /k a-value-of-some-length-so-that-there-are-pages; done",
        "compact 80",
        "run 300ms",
    ];
    let mut session = crate::support::session_after(Profile::V3_4, &lines);
    let before = view(&mut session, None);
    session.exec("defrag");
    let after = view(&mut session, None);
    assert!(after.bytes < before.bytes);
    assert_eq!(before.bytes_after_defrag, Some(after.bytes));
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
    // The open write transaction still began while the snapshot was open.
    for put in ["put /a 4", "put /a 5"] {
        session.exec(put);
        session.exec("run 1s");
    }
    let closed = view(&mut session, None);
    assert!(closed.readers.is_empty() && closed.pending < open.pending);
}

/// The view lists the pages that the read at the cursor needs, in order, as the counts of the page cache do. After
/// another command, it lists the pages that the last commit wrote.
#[test]
fn the_pages_that_the_last_request_touched_are_in_order() {
    let long = "v".repeat(1_300);
    let mut lines = vec!["set page-cache 1MiB".to_owned()];
    lines.extend((1..=9).rev().map(|key| format!("put /b/{key} {long}")));
    lines.push("run 200ms".to_owned());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut session = crate::support::session_after(Profile::V3_6, &lines);
    let touched = |session: &mut Session| -> TouchedPages {
        let touched = view(session, None).touched;
        touched.expect("a request touched pages")
    };
    let commit = view(&mut session, None)
        .commit
        .expect("the rows are committed");
    let written = touched(&mut session);
    assert_eq!((written.by, written.rows), (TouchedBy::Commit, 0));
    let ids: Vec<u64> = written.pages.iter().map(|page| page.id).collect();
    assert!(
        commit.written.iter().all(|page| ids.contains(page)),
        "{ids:?}"
    );
    assert_eq!(ids.last(), commit.written.last(), "the meta page is last");

    session.exec("get /b/ --prefix --keys-only --limit=6");
    let read = touched(&mut session);
    assert_eq!(
        (read.by, read.rows),
        (TouchedBy::Read, 7),
        "one row more than the limit"
    );
    // Each row needs the branch page and a leaf.
    let kinds: Vec<PageKind> = read.pages.iter().map(|page| page.kind).collect();
    assert_eq!(kinds, [PageKind::Branch, PageKind::Leaf].repeat(7));
    let pairs = read.pages.windows(2);
    let sequential = pairs.filter(|pair| pair[0].id + 1 == pair[1].id).count() as u64;
    assert_eq!(
        (read.sequential, read.random),
        (sequential, 14 - sequential)
    );
    let cache = session.world().at_endpoint().store().backend().page_cache();
    let cache = cache.expect("the run simulates the page cache");
    assert_eq!(cache.hits().total() + cache.misses().total(), 14);

    session.exec("get /b/ --prefix --count-only");
    assert_eq!(
        touched(&mut session).by,
        TouchedBy::Commit,
        "a count reads no row"
    );
    session.exec("run 200ms");
    assert_eq!(touched(&mut session).by, TouchedBy::Commit);
}

#[test]
fn the_view_has_the_quota_and_its_alarm() {
    let lines = ["set quota-backend-bytes 20741", "put /a 12"];
    let mut session = crate::support::session_after(Profile::V3_7, &lines);
    let quota = |session: &mut Session| {
        let view = view(session, None);
        (view.quota_bytes, view.has_no_space)
    };
    assert_eq!(quota(&mut session), (Some(20_741), false));
    session.exec("put /a 123");
    assert_eq!(quota(&mut session), (Some(20_741), true));
    session.exec("alarm disarm");
    assert_eq!(quota(&mut session), (Some(20_741), false));
}
