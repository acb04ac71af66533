//! The comparison of two snapshots, and of two revisions of one snapshot.
//!
//! `data/gen/etcd-comparison.py` made the snapshots with a real etcd 3.4.23, and recorded what etcd answers about them.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::Value;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{
    Done, FileAsk, FileRole, FromEngine, Notification, Read, Request, ToEngine,
};
use watchglass_engine::view::file::comparison::{
    ComparedGroup, ComparisonQuery, ComparisonView, History, KeyChange, LineIn, ValueDifference,
};

const MONDAY: &[u8] = include_bytes!("data/etcd_3.4.23_monday.db");
const TUESDAY: &[u8] = include_bytes!("data/etcd_3.4.23_tuesday.db");
const FORK: &[u8] = include_bytes!("data/etcd_3.4.23_fork.db");

/// The value and the `mod_revision` of each key.
type State = BTreeMap<String, (String, i64)>;

fn recorded() -> Value {
    serde_json::from_str(include_str!("data/etcd_3.4.23_comparison.json")).expect("JSON")
}

fn state(recorded: &Value, file: &str, revision: i64) -> State {
    let keys = recorded["states"][file][revision.to_string()].as_array();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    keys.expect("a recorded state")
        .iter()
        .map(|kv| {
            let at = kv["mod_revision"].as_i64().expect("a revision");
            (text(&kv["key"]), (text(&kv["value"]), at))
        })
        .collect()
}

fn handle(session: &mut Session, message: ToEngine) -> Vec<Done> {
    let mut out = Vec::new();
    session.handle(message, &mut out);
    while session.pump(1, &mut out) {}
    let done = out.into_iter().filter_map(|message| match message {
        FromEngine::Done { done, .. } => Some(done),
        _ => None,
    });
    done.collect()
}

fn open(session: &mut Session, name: &str, content: &[u8], role: FileRole) -> Done {
    session.offer_file(content.into());
    let name = name.to_owned();
    let request = Request::OpenFile { name, role };
    let mut done = handle(session, ToEngine::Request(1, request));
    done.pop().expect("a response")
}

/// Returns a session with an open file and another file.
fn with_files(open_file: (&str, &[u8]), other: Option<(&str, &[u8])>) -> Session {
    let mut session = Session::default();
    let files = [
        Some((open_file, FileRole::Shown)),
        other.map(|file| (file, FileRole::Other)),
    ];
    for ((name, content), role) in files.into_iter().flatten() {
        let done = open(&mut session, name, content, role);
        assert!(matches!(done, Done::Opened(_)), "{done:?}");
    }
    session
}

fn ask(session: &mut Session, ask: FileAsk) -> Done {
    let done = handle(session, ToEngine::Request(2, Request::AskFile(ask)));
    <[Done; 1]>::try_from(done)
        .map(|[done]| done)
        .expect("exactly one response")
}

fn compare(session: &mut Session, query: ComparisonQuery) -> ComparisonView {
    match ask(session, FileAsk::Compare(query)) {
        Done::Comparison(view) => *view,
        other => panic!("{other:?}"),
    }
}

fn refusal(done: Done) -> String {
    match done {
        Done::Refused { message } => message,
        other => panic!("{other:?}"),
    }
}

fn all_keys(at: [Option<i64>; 2]) -> ComparisonQuery {
    ComparisonQuery {
        at,
        limit: u32::MAX,
        ..ComparisonQuery::default()
    }
}

/// Returns the changes from one state to another, as a naive comparison finds them.
fn changes(before: &State, after: &State) -> BTreeMap<String, KeyChange> {
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let change = |key: &String| match (before.get(key), after.get(key)) {
        (None, _) => Some(KeyChange::Created),
        (_, None) => Some(KeyChange::Deleted),
        (Some(one), Some(other)) if one.0 != other.0 => Some(KeyChange::Changed),
        (Some(one), Some(other)) => (one.1 != other.1).then_some(KeyChange::Rewritten),
    };
    keys.into_iter()
        .filter_map(|key| Some((key.clone(), change(key)?)))
        .collect()
}

/// Checks that the listed keys, the groups and the sums are those of the two states.
fn assert_changes(view: &ComparisonView, before: &State, after: &State) {
    let expected = changes(before, after);
    let listed = view.keys.iter().map(|key| (key.text.clone(), key.change));
    assert_eq!(listed.collect::<BTreeMap<_, _>>(), expected);
    assert_eq!(
        (view.keys.len(), view.matches),
        (expected.len(), expected.len() as u64)
    );
    for key in &view.keys {
        let revisions = key.revisions.map(|at| at.map(|at| at.main));
        let of = |state: &State| state.get(&key.text).map(|(_, at)| *at);
        assert_eq!(revisions, [of(before), of(after)], "{}", key.text);
    }
    assert_eq!(view.all.keys, [before.len() as u64, after.len() as u64]);
    for change in KeyChange::ALL {
        let count = expected.values().filter(|found| **found == change).count() as u64;
        assert_eq!(view.all.count(change), count, "{change:?}");
        let sum = |groups: &mut dyn Iterator<Item = &ComparedGroup>| -> u64 {
            groups.map(|group| group.count(change)).sum()
        };
        assert_eq!(sum(&mut view.groups.iter()), count);
        assert_eq!(sum(&mut view.kinds.iter().map(|(_, group)| group)), count);
    }
    for group in &view.groups {
        let prefix = String::from_utf8_lossy(&group.prefix);
        let inside = expected.keys().filter(|key| key.starts_with(&*prefix));
        assert_eq!(group.changes(), inside.count() as u64, "{prefix}");
    }
}

#[test]
fn two_snapshots_of_one_cluster_have_one_history() {
    let recorded = recorded();
    let (monday, tuesday) = (
        state(&recorded, "monday", 59),
        state(&recorded, "tuesday", 89),
    );
    // The state at the smaller revision comes first, whichever file is open.
    let pairs = [
        (("monday.db", MONDAY), ("tuesday.db", TUESDAY)),
        (("tuesday.db", TUESDAY), ("monday.db", MONDAY)),
    ];
    for (one, other) in pairs {
        let mut session = with_files(one, Some(other));
        let view = compare(&mut session, all_keys([None, None]));
        assert_eq!(
            view.history,
            History::Same {
                first: 51,
                last: 59
            }
        );
        let [first, second] = &view.sides;
        assert_eq!((&*first.name, first.revision), ("monday.db", 59));
        assert_eq!((&*second.name, second.revision), ("tuesday.db", 89));
        assert_eq!([first.compacted, second.compacted], [Some(30), Some(50)]);
        let hash = |file: &str| {
            recorded["hashes"][file]["59"]
                .as_u64()
                .map(|hash| hash as u32)
        };
        assert_eq!(
            [first.hash_kv, second.hash_kv],
            [hash("monday"), hash("tuesday")]
        );
        assert_eq!(view.prefix, b"/registry/");
        assert_changes(&view, &monday, &tuesday);
        assert!(
            view.all.count(KeyChange::Rewritten) > 0 && view.all.count(KeyChange::Deleted) > 0,
            "{:?}",
            view.all
        );
    }
}

#[test]
fn a_restored_cluster_parts_from_the_first_revision_after_its_snapshot() {
    let recorded = recorded();
    let mut session = with_files(("tuesday.db", TUESDAY), Some(("fork.db", FORK)));
    let view = compare(&mut session, all_keys([Some(71), None]));
    let History::Parts {
        first,
        last,
        at,
        rows,
    } = &view.history
    else {
        panic!("{:?}", view.history);
    };
    assert_eq!((*first, *at, *last), (51, 60, 71));
    assert!(
        rows.iter().all(|rows| !rows.is_empty()) && rows[0] != rows[1],
        "{rows:?}"
    );
    let hash = |file: &str| {
        recorded["hashes"][file]["71"]
            .as_u64()
            .map(|hash| hash as u32)
    };
    let hashes = view.sides.each_ref().map(|side| side.hash_kv);
    assert_eq!(hashes, [hash("tuesday"), hash("fork")]);

    // Compared at the smaller revision of the open file, the other file comes second, and its rows too.
    let swapped = compare(&mut session, all_keys([Some(89), Some(71)]));
    let History::Parts { rows: swapped, .. } = swapped.history else {
        panic!("the files part");
    };
    assert_eq!([&swapped[1], &swapped[0]], [&rows[0], &rows[1]]);
    let tuesday = state(&recorded, "tuesday", 89);
    let view = compare(&mut session, all_keys([None, None]));
    assert_changes(&view, &state(&recorded, "fork", 71), &tuesday);

    // The snapshot itself has the same hash as the restored cluster at the snapshot's revision.
    let mut session = with_files(("monday.db", MONDAY), Some(("fork.db", FORK)));
    let view = compare(&mut session, all_keys([None, None]));
    assert_eq!(
        view.history,
        History::Same {
            first: 31,
            last: 59
        }
    );
    let hash = recorded["hashes"]["fork"]["59"]
        .as_u64()
        .map(|hash| hash as u32);
    assert_eq!(view.sides.map(|side| side.hash_kv), [hash, hash]);
}

#[test]
fn two_revisions_of_one_file_are_compared() {
    let recorded = recorded();
    let mut session = with_files(("monday.db", MONDAY), None);
    for (from, to) in [(30, 59), (45, 59), (30, 45)] {
        let states = [from, to].map(|at| state(&recorded, "monday", at));
        for at in [[Some(from), Some(to)], [Some(to), Some(from)]] {
            let view = compare(&mut session, all_keys(at));
            assert_eq!(view.history, History::OneFile);
            assert_changes(&view, &states[0], &states[1]);
        }
    }
    let message = refusal(ask(
        &mut session,
        FileAsk::Compare(all_keys([Some(29), None])),
    ));
    assert_eq!(
        message,
        "The state at revision 29 is compacted in monday.db. Enter a revision from 30 on."
    );
    let message = refusal(ask(
        &mut session,
        FileAsk::Compare(all_keys([None, Some(60)])),
    ));
    assert_eq!(
        message,
        "monday.db ends at revision 59, before revision 60. Enter a revision up to 59."
    );
}

#[test]
fn the_list_has_the_keys_that_match_and_the_table_has_all_of_them() {
    let mut session = with_files(("monday.db", MONDAY), Some(("tuesday.db", TUESDAY)));
    let all = compare(&mut session, all_keys([None, None]));
    let query = ComparisonQuery {
        prefix: Some(b"/registry/pods/".to_vec()),
        text: "KUBE-".to_owned(),
        change: Some(KeyChange::Changed),
        limit: 1,
        ..ComparisonQuery::default()
    };
    let view = compare(&mut session, query.clone());
    let expected: Vec<&str> = all
        .keys
        .iter()
        .filter(|key| key.text.starts_with("/registry/pods/kube-"))
        .filter(|key| key.change == KeyChange::Changed)
        .map(|key| &*key.text)
        .collect();
    assert!(expected.len() > 1, "{expected:?}");
    let listed: Vec<&str> = view.keys.iter().map(|key| &*key.text).collect();
    assert_eq!(
        (listed, view.matches),
        (expected[..1].to_vec(), expected.len() as u64)
    );
    let groups: BTreeSet<&str> = view.groups.iter().map(|group| &*group.text).collect();
    let spaces = ["/registry/pods/default/", "/registry/pods/kube-system/"];
    assert_eq!(groups, BTreeSet::from(spaces));

    let Done::File { name, bytes } = ask(&mut session, FileAsk::SaveComparison(query)) else {
        panic!("a table");
    };
    assert_eq!(name, "monday-changes.csv");
    let text = String::from_utf8(bytes).expect("a text");
    let rows: Vec<&str> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap_or(""))
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn the_values_of_a_key_differ_line_by_line() {
    let recorded = recorded();
    let (monday, tuesday) = (
        state(&recorded, "monday", 59),
        state(&recorded, "tuesday", 89),
    );
    let mut session = with_files(("tuesday.db", TUESDAY), Some(("monday.db", MONDAY)));
    let question = |key: &str| FileAsk::Difference {
        key: key.as_bytes().to_vec(),
        shows_secret: false,
    };
    let early = refusal(ask(&mut session, question("/registry/health")));
    assert_eq!(
        early,
        "The files are not compared any more. Compare them again."
    );
    let view = compare(&mut session, all_keys([None, None]));
    for changed in &view.keys {
        let Done::Difference(found) = ask(&mut session, question(&changed.text)) else {
            panic!("a difference");
        };
        let ValueDifference {
            sides,
            values,
            lines,
            ..
        } = *found;
        assert_eq!(
            sides,
            [("monday.db".to_owned(), 59), ("tuesday.db".to_owned(), 89)]
        );
        let text = |side: usize, only: LineIn| {
            let value = values[side].as_ref()?;
            let inside = lines
                .iter()
                .filter(|(place, _)| [LineIn::Both, only].contains(place));
            let text: String = inside.map(|(_, line)| format!("{line}\n")).collect();
            Some((text, value.at.map_or(0, |at| at.main)))
        };
        assert_eq!(text(0, LineIn::First), monday.get(&changed.text).cloned());
        assert_eq!(text(1, LineIn::Second), tuesday.get(&changed.text).cloned());
    }
}

#[test]
fn the_other_file_can_be_closed_and_refused_without_the_open_file() {
    let mut session = with_files(("monday.db", MONDAY), None);
    let done = open(&mut session, "notes.txt", b"no database", FileRole::Other);
    assert!(refusal(done).starts_with("notes.txt is not an etcd database"));
    let done = open(&mut session, "tuesday.db", TUESDAY, FileRole::Other);
    assert!(matches!(done, Done::Opened(_)));
    assert_eq!(
        compare(&mut session, all_keys([None, None])).sides[1].name,
        "tuesday.db"
    );
    handle(
        &mut session,
        ToEngine::Notification(Notification::StopComparison),
    );
    let view = compare(&mut session, all_keys([Some(30), None]));
    assert_eq!(
        (view.history, &*view.sides[1].name),
        (History::OneFile, "monday.db")
    );

    // A cancelled comparison answers, and the next one works.
    let mut out = Vec::new();
    let request = Request::AskFile(FileAsk::Compare(all_keys([None, None])));
    session.handle(ToEngine::Request(5, request), &mut out);
    session.handle(
        ToEngine::Notification(Notification::StopComparison),
        &mut out,
    );
    let interrupted = FromEngine::Done {
        id: 5,
        done: Done::Interrupted,
    };
    assert!(out.contains(&interrupted), "{out:?}");
    assert_eq!(compare(&mut session, all_keys([None, None])).matches, 0);
}

#[test]
fn a_damaged_file_has_no_history_to_compare() {
    let mut torn = TUESDAY.to_vec();
    torn.truncate(torn.len() / 2);
    let mut session = with_files(("monday.db", MONDAY), Some(("torn.db", &torn)));
    let view = compare(&mut session, all_keys([None, None]));
    assert_eq!(view.history, History::Damaged);
    let side = view
        .sides
        .iter()
        .find(|side| side.name == "torn.db")
        .expect("the file");
    assert_eq!((side.is_damaged, side.hash_kv), (true, None));
}

/// Executes random commands and returns the session, the snapshot, and the state after each revision.
fn store(commands: &[(u8, u8)], compact: Option<i64>) -> (Session, Vec<u8>, Vec<State>) {
    let mut session = Session::default();
    let mut states = vec![State::new(), State::new()];
    for (key, value) in commands {
        let name = format!("/{}/{}", key % 3, key / 3);
        let mut state = states.last().expect("a state").clone();
        let revision = states.len() as i64;
        let line = match value {
            0 => format!("del {name}"),
            value => format!("put {name} v{value}"),
        };
        session.exec(&line);
        match value {
            0 if state.remove(&name).is_none() => continue,
            0 => {}
            value => {
                state.insert(name, (format!("v{value}"), revision));
            }
        }
        states.push(state);
    }
    if let Some(at) = compact {
        session.exec(&format!("compact {at} --physical"));
    }
    let request = Request::Read(Read::Snapshot {
        name: String::new(),
    });
    let mut done = handle(&mut session, ToEngine::Request(3, request));
    match done.pop() {
        Some(Done::File { bytes, .. }) => (session, bytes, states),
        other => panic!("{other:?}"),
    }
}

/// Checks that the hashes of the files `one.db` and `other.db` at a revision are those that their members return.
fn assert_hashes(view: &ComparisonView, members: &mut [Session; 2], revision: Option<i64>) {
    for side in &view.sides {
        let member = &mut members[usize::from(side.name == "other.db")];
        let expected = revision.map(|at| {
            let out = member
                .exec(&format!("endpoint hashkv --rev={at} -w json"))
                .stdout;
            let out: Value = serde_json::from_str(&out).expect("JSON");
            out[0]["HashKV"]["hash"].as_u64().expect("a hash") as u32
        });
        assert_eq!(side.hash_kv, expected, "{}", side.name);
    }
}

/// Without live keys, etcd also hashes the rows that a compaction kept.
#[test]
fn the_hash_of_a_store_without_live_keys_is_that_of_its_member() {
    let commands = [(0, 1), (1, 1), (0, 0), (1, 0)];
    let [(one, first, _), (other, second, _)] = [Some(3), None].map(|at| store(&commands, at));
    let mut session = with_files(("one.db", &first), Some(("other.db", &second)));
    let view = compare(&mut session, all_keys([None, None]));
    assert_hashes(&view, &mut [one, other], Some(5));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn comparisons_agree_with_a_naive_model(
        shared in proptest::collection::vec((0u8..12, 0u8..4), 1..25),
        tails in proptest::array::uniform2(proptest::collection::vec((0u8..12, 0u8..4), 0..15)),
        compacts in proptest::array::uniform2(proptest::option::of(0usize..20)),
        places in proptest::array::uniform2(0usize..64),
    ) {
        let stores = [0, 1].map(|n: usize| {
            let commands: Vec<(u8, u8)> = shared.iter().chain(&tails[n]).copied().collect();
            let newest = store(&commands, None).2.len() as i64 - 1;
            let compact = compacts[n].map(|at| (at as i64).clamp(1, newest));
            let (session, bytes, states) = store(&commands, compact);
            ((bytes, states, compact.unwrap_or(1), newest), session)
        });
        let [(one, one_session), (other, other_session)] = stores;
        let (stores, mut sessions) = ([one, other], [one_session, other_session]);
        let [(one, one_states, one_first, one_last), (other, other_states, other_first, other_last)] = &stores;
        let mut session = with_files(("one.db", one), Some(("other.db", other)));
        let pick = |place: usize, first: i64, last: i64| first + place as i64 % (last - first + 1);
        let at = [pick(places[0], *one_first, *one_last), pick(places[1], *other_first, *other_last)];
        let view = compare(&mut session, all_keys(at.map(Some)));
        let states = [&one_states[at[0] as usize], &other_states[at[1] as usize]];
        match at[1] < at[0] {
            true => assert_changes(&view, states[1], states[0]),
            false => assert_changes(&view, states[0], states[1]),
        }
        // The first revision whose states differ, of those that both files have completely.
        let compacted = |n: usize| compacts[n].map_or(0, |_| stores[n].2);
        let first = compacted(0).max(compacted(1)) + 1;
        let last = *one_last.min(other_last);
        let parts = (first..=last).find(|at| one_states[*at as usize] != other_states[*at as usize]
            && one_states[*at as usize - 1] == other_states[*at as usize - 1]);
        let is_before = (0..first.min(last + 1)).any(|at| one_states[at as usize] != other_states[at as usize]);
        match &view.history {
            History::NothingInCommon => prop_assert!(first > last),
            History::Same { first: from, last: to } => {
                prop_assert_eq!((*from, *to), (first, last));
                prop_assert!(parts.is_none() || is_before);
            }
            History::Parts { at, .. } if !is_before => prop_assert_eq!(Some(*at), parts),
            History::Parts { .. } => {}
            history => prop_assert!(false, "{:?}", history),
        }
        assert_hashes(&view, &mut sessions, (first <= last).then_some(last));
    }
}
