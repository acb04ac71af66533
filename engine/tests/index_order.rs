//! The Index view, compared with a naive sort at every step of random runs: the lanes (one per key) ordered by creation
//! and by key, the bracket around a range of keys, and the overview of all lanes.

use crate::support::{config_from, session_after};
use proptest::prelude::*;
use watchglass_engine::api::Profile;
use watchglass_engine::session::{Move, Notification, Request, SeekTo, Session, ToEngine};
use watchglass_engine::view::{IndexQuery, IndexView, Lane, LaneBracket, LaneOrder, Queries};

fn whole(order: LaneOrder) -> IndexQuery {
    IndexQuery {
        lane_count: 500,
        rev_from: 1,
        rev_to: 400,
        columns: 4_000,
        order,
        ..IndexQuery::default()
    }
}

fn index(session: &mut Session, query: IndexQuery) -> IndexView {
    let queries = Queries {
        index: Some(query),
        ..Queries::default()
    };
    session.handle(
        ToEngine::Notification(Notification::Show(queries.into())),
        &mut Vec::new(),
    );
    session.views().index.expect("it was asked for")
}

fn names(view: &IndexView) -> Vec<&str> {
    view.lanes.iter().map(|lane| lane.name.as_str()).collect()
}

fn bracket(range: &str, first: u32, last: u32) -> Option<LaneBracket> {
    let range = range.to_owned();
    Some(LaneBracket { range, first, last })
}

fn session_with(lines: &[&str]) -> Session {
    session_after(Profile::default(), lines)
}

#[test]
fn a_read_marks_only_the_returned_keys() {
    let mut session = session_with(&["put /a 1", "put /b 1", "put /c 1"]);
    for (read, keys, returned) in [
        ("get / --prefix", &["/a", "/b", "/c"][..], Some(3)),
        ("get / --prefix --limit=1", &["/a"], Some(1)),
        (
            "get / --prefix --limit=2 --sort-by=MODIFY --order=DESCEND",
            &["/b", "/c"],
            Some(2),
        ),
        ("get / --prefix --min-mod-rev=4", &["/c"], Some(1)),
        ("get / --prefix --count-only", &[], None),
    ] {
        session.exec(read);
        let view = index(&mut session, whole(LaneOrder::Key));
        let cut = view.read.as_ref().expect("a read");
        let lanes = cut
            .answers
            .iter()
            .map(|answer| &view.lanes[answer.lane as usize]);
        let marked: Vec<&str> = lanes.map(|lane| lane.name.as_str()).collect();
        assert_eq!(marked, keys, "{read}");
        assert_eq!((cut.count, cut.returned), (3, returned), "{read}");
    }
}

#[test]
fn a_current_value_names_its_lease_and_a_tombstone_the_lease_that_ended() {
    let mut session = session_with(&["lease grant 10", "put /b 1", "del /b"]);
    let id = session.exec("lease list").stdout;
    let id = id.lines().last().expect("a lease").to_owned();
    session.exec(&format!("put /a 1 --lease={id}"));
    let leases = |session: &mut Session| {
        let view = index(session, whole(LaneOrder::Key));
        let beads = view.lanes.iter().flat_map(|lane| &lane.beads);
        beads
            .map(|bead| (bead.main, bead.lease.clone()))
            .collect::<Vec<_>>()
    };
    let none = String::new;
    assert_eq!(
        leases(&mut session),
        [(4, id.clone()), (2, none()), (3, none())]
    );
    session.exec("run 20s");
    assert_eq!(
        leases(&mut session),
        [(4, none()), (5, id), (2, none()), (3, none())]
    );
}

#[test]
fn by_key_a_new_key_stands_between_its_neighbours() {
    let mut session = session_with(&["put /b 1", "put /c 1", "put /a 1", "put /b 2"]);
    let by_creation = index(&mut session, whole(LaneOrder::Creation));
    assert_eq!(names(&by_creation), ["/b", "/c", "/a"]);
    let by_key = index(&mut session, whole(LaneOrder::Key));
    assert_eq!(names(&by_key), ["/a", "/b", "/c"]);
    assert_eq!((by_creation.written, by_key.written), (Some(0), Some(1)));
    // Before the put of /a, the key /a has no lane.
    session.seek(SeekTo::Revision(3));
    let before = index(&mut session, whole(LaneOrder::Key));
    assert_eq!(
        (names(&before), before.written),
        (vec!["/b", "/c"], Some(1))
    );
}

#[test]
fn the_bracket_is_the_range_of_the_last_read() {
    let mut session = session_with(&[
        "put /pods/b 1",
        "put /nodes/a 1",
        "put /pods/a 1",
        "put /zone 1",
        "get /pods/ --prefix",
        "put /pods/c 1",
    ]);
    let now = |session: &mut Session| index(session, whole(LaneOrder::Key)).bracket;
    // A new key under the prefix joins the bracket.
    assert_eq!(now(&mut session), bracket("/pods/*", 1, 3));
    session.exec("get /zone");
    assert_eq!(now(&mut session), None, "a read of one key has no range");
    session.exec("get /pods/b --from-key");
    assert_eq!(now(&mut session), bracket("/pods/b …", 2, 4));
    session.exec("get /none/ --prefix");
    assert_eq!(now(&mut session), None);
    session.seek(SeekTo::Revision(5));
    assert_eq!(now(&mut session), None, "nothing is read yet");
    let by_creation = index(&mut session, whole(LaneOrder::Creation));
    assert_eq!(by_creation.bracket, None);
}

#[test]
fn the_range_of_the_selected_watcher_comes_first() {
    let mut session = session_with(&[
        "put /a 1",
        "put /b/1 1",
        "put /b/2 1",
        "watch /b/ --prefix as w1",
        "get / --prefix",
    ]);
    let query = |watcher: Option<u64>| IndexQuery {
        watcher,
        ..whole(LaneOrder::Key)
    };
    let read = index(&mut session, query(None)).bracket;
    assert_eq!(read, bracket("/*", 0, 2));
    let watched = index(&mut session, query(Some(1))).bracket;
    assert_eq!(watched, bracket("/b/*", 1, 2));
    let unknown = index(&mut session, query(Some(99))).bracket;
    assert_eq!(unknown, None);
    let filtered = IndexQuery {
        filter: "2".to_owned(),
        ..query(Some(1))
    };
    let found = index(&mut session, filtered).bracket;
    assert_eq!(found, bracket("/b/*", 0, 0));
}

#[test]
fn a_restored_backup_takes_its_lanes_back_in_both_orders() {
    let mut session = session_with(&[
        "put /c 1",
        "put /a 1",
        "snapshot save before",
        "put /b 1",
        "stop etcd",
        "snapshot restore before",
        "start etcd",
    ]);
    let restored = index(&mut session, whole(LaneOrder::Key));
    assert_eq!(names(&restored), ["/a", "/c"]);
    session.seek(SeekTo::Revision(4));
    let before = index(&mut session, whole(LaneOrder::Key));
    assert_eq!(names(&before), ["/a", "/b", "/c"]);
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-d][a-e]?".prop_map(|key| format!("put {key} v")),
        1 => "[a-d][a-e]?".prop_map(|key| format!("del {key}")),
        1 => "[a-d]".prop_map(|prefix| format!("del {prefix} --prefix")),
        1 => "[a-d]".prop_map(|prefix| format!("get {prefix} --prefix")),
        1 => "[a-d]".prop_map(|key| format!("get {key}")),
    ]
}
#[test]
fn a_fold_leaves_the_lanes_that_its_revisions_or_the_newest_changed() {
    let puts = [
        "put /c 1",
        "put /a 1",
        "put /d 1",
        "put /b 1",
        "put /a 2",
        "get / --prefix",
    ];
    let mut session = session_with(&puts);
    for (order, fold, expected) in [
        (LaneOrder::Key, (2, 4), vec!["/a", "/c", "/d"]),
        (LaneOrder::Creation, (2, 4), vec!["/c", "/a", "/d"]),
        (LaneOrder::Key, (5, 5), vec!["/a", "/b"]),
        (LaneOrder::Creation, (90, 99), vec!["/a"]),
    ] {
        let query = IndexQuery {
            fold: Some(fold),
            overview_rows: 9,
            ..whole(order)
        };
        let view = index(&mut session, query);
        assert_eq!(names(&view), expected, "{fold:?}");
        let left = expected.len();
        let counts = (view.lanes_matching, view.lanes_folded, view.lanes_total);
        assert_eq!(counts, (left as u32, 4 - left as u32, 4));
        let written = view.written.expect("the newest lane is never folded");
        assert_eq!(names(&view)[written as usize], "/a");
        assert_eq!(view.overview.len(), left);
        let last = left as u32 - 1;
        let is_by_key = order == LaneOrder::Key;
        assert_eq!(
            view.bracket,
            is_by_key.then(|| bracket("/*", 0, last)).flatten()
        );
    }
}

proptest! {
    #![proptest_config(config_from(0x1de0, 48))]

    #[test]
    fn by_key_is_what_a_sort_makes_of_by_creation(
        lines in prop::collection::vec(line(), 1..40),
        at in 0.0..1.0_f64,
        first in 0_u32..12,
        rows in 1_u32..12,
        letter in prop::option::of("[a-e]"),
    ) {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut session = session_with(&lines);
        let step = (session.run().len() as f64 * at) as u64;
        session.seek(SeekTo::Step(step));
        let filter = letter.unwrap_or_default();
        let query = |order| IndexQuery { filter: filter.clone(), ..whole(order) };
        let by_creation = index(&mut session, query(LaneOrder::Creation));
        let mut sorted = by_creation.lanes.clone();
        sorted.sort_by(|a, b| a.key.cmp(&b.key));
        let by_key = index(&mut session, query(LaneOrder::Key));
        prop_assert_eq!(&by_key.lanes, &sorted);
        prop_assert_eq!(by_key.lanes_matching, by_creation.lanes_matching);
        prop_assert_eq!(by_key.lanes_total, by_creation.lanes_total);
        // Both orders name the same key as written last, unless several keys were written last.
        if let (Some(a), Some(b)) = (by_key.written, by_creation.written) {
            let head = by_key.head;
            let is_newest = |lane: &Lane| lane.beads.last().is_some_and(|bead| bead.main == head);
            prop_assert_eq!(sorted.iter().position(is_newest), Some(a as usize));
            prop_assert_eq!(by_creation.lanes.iter().position(is_newest), Some(b as usize));
        }
        prop_assert_eq!(by_key.written.is_some(), by_creation.written.is_some());

        // Any window equals the same part of the whole.
        let window = index(&mut session, IndexQuery { first_lane: first, lane_count: 5, ..query(LaneOrder::Key) });
        let wanted: Vec<_> = sorted.iter().skip(first as usize).take(5).cloned().collect();
        prop_assert_eq!(&window.lanes, &wanted);

        // The bracket shows the prefix of the last read, if the read has a prefix and a key has that prefix.
        let read: Option<String> = (1..=step).rev().find_map(|step| {
            session.run().events(step).iter().rev().find_map(|event| match &event.what {
                watchglass_engine::trace::TraceEvent::Read { range, .. } => {
                    let prefix = range.start().to_text();
                    Some((!range.end_field().is_empty()).then_some(prefix))
                }
                _ => None,
            })
        }).flatten();
        let covered: Vec<u32> = (0..).zip(&sorted)
            .filter(|(_, lane)| read.as_ref().is_some_and(|prefix| lane.name.starts_with(prefix.as_str())))
            .map(|(place, _)| place)
            .collect();
        let wanted = covered.first().zip(covered.last()).map(|(first, last)| LaneBracket {
            range: format!("{}*", read.unwrap_or_default()),
            first: *first,
            last: *last,
        });
        prop_assert_eq!(&window.bracket, &wanted);
        if let Some(bracket) = &window.bracket {
            prop_assert_eq!(bracket.last - bracket.first + 1, covered.len() as u32);
        }

        // The overview shows each change of the revisions in the row of its lane.
        for order in [LaneOrder::Creation, LaneOrder::Key] {
            let part = IndexQuery { overview_rows: rows, rev_from: 4, rev_to: 20, ..query(order) };
            let view = index(&mut session, part);
            let rows = rows.min(view.lanes_matching);
            let mut naive = vec![0; rows as usize];
            for (place, lane) in (0_u32..).zip(&view.lanes) {
                naive[(place * rows / view.lanes_matching) as usize] += lane.beads.len() as u32;
            }
            prop_assert_eq!(view.overview, naive);
        }
    }
}

#[test]
fn a_query_for_a_page_follows_the_revision_in_sight() {
    let puts: Vec<String> = (1..=60).map(|n| format!("put /a{n} {n}")).collect();
    let puts: Vec<&str> = puts.iter().map(String::as_str).collect();
    let mut session = session_with(&puts);
    let page = |session: &mut Session| {
        let query = IndexQuery {
            half_page: Some(10),
            ..whole(LaneOrder::Creation)
        };
        let view = index(session, query);
        let beads = view.lanes.iter().flat_map(|lane| &lane.beads);
        let revisions: Vec<i64> = beads.map(|bead| bead.main).collect();
        (view.rev_from, view.rev_to, revisions)
    };
    // The head is revision 61. Its page begins at revision 50.
    let (from, to, revisions) = page(&mut session);
    assert_eq!((from, to), (30, 80));
    assert_eq!(revisions, (30..=61).collect::<Vec<_>>());
    // A read in the past is in sight.
    session.exec("get /a3 --rev=24");
    let (from, to, revisions) = page(&mut session);
    assert_eq!((from, to), (1, 40));
    assert_eq!(revisions, (2..=40).collect::<Vec<_>>());
    session.handle(
        ToEngine::Request(1, Request::Move(Move::To(SeekTo::Step(0)))),
        &mut Vec::new(),
    );
    assert_eq!(page(&mut session), (1, 30, Vec::new()));
}

#[test]
fn a_key_without_a_change_in_the_range_has_the_last_change_before_it() {
    let mut session = session_with(&["put /a 1", "put /a 2", "put /b 1", "put /b 2"]);
    let query = IndexQuery {
        rev_from: 4,
        ..whole(LaneOrder::Creation)
    };
    let view = index(&mut session, query);
    let main_of = |lane: &Lane| lane.earlier.as_ref().map(|bead| bead.main);
    let lanes = view
        .lanes
        .iter()
        .map(|lane| (lane.beads.len(), main_of(lane)));
    assert_eq!(lanes.collect::<Vec<_>>(), [(0, Some(3)), (2, None)]);
}
