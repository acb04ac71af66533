//! A list of keys that `etcdctl get --prefix -w json` prints, opened as a database, and a copy that follows a part of
//! the keys.

use watchglass_engine::session::protocol::{Done, FromEngine, Request};
use watchglass_engine::session::{SeekTo, Session, Source, ToEngine};
use watchglass_engine::view::FileOverview;

fn open(session: &mut Session, text: &str) -> Result<FileOverview, String> {
    let mut out = Vec::new();
    session.offer_file(text.as_bytes().into());
    let request = Request::show_file("keys.json");
    session.handle(ToEngine::Request(1, request), &mut out);
    while session.pump(100, &mut out) {}
    let done = out.into_iter().find_map(|message| match message {
        FromEngine::Done { done, .. } => Some(done),
        _ => None,
    });
    match done {
        Some(Done::Opened(overview)) => Ok(*overview),
        Some(Done::Refused { message }) => Err(message),
        other => panic!("{other:?}"),
    }
}

fn with(lines: &[&str]) -> Session {
    let mut session = Session::default();
    for line in lines {
        session.exec(line);
    }
    session
}

/// A store with a deleted key, changed keys, and a transaction.
const LINES: [&str; 7] = [
    "lease grant 600",
    "put /a/leased v --lease=$(lease list | tail -1)",
    "for i in {1..40}; do put /a/$i v$i; done",
    "del /a/7",
    "put /a/9 again",
    "txn <<EOF\n\nput /b/1 x\nput /a/1 y\n\n\nEOF",
    "put /c 1",
];

#[test]
fn a_list_of_keys_is_opened_as_a_store() {
    let mut original = with(&LINES);
    let list = original.exec("get '' --prefix -w json").stdout;
    let mut session = Session::default();
    let overview = open(&mut session, &list).expect("a list");
    assert_eq!((overview.keys, overview.rows), (42, 42));
    assert_eq!(overview.compacted, Some(46));
    assert!(overview.damages.is_empty() && overview.refusal.is_none());
    let source = Source::Snapshot {
        file: overview.identity(),
        profile: "3.7".into(),
    };
    let loaded = session.load(source, SeekTo::End);
    assert!(matches!(loaded, Done::Loaded { .. }), "{loaded:?}");
    // Both respond the same, with the same revisions and versions.
    for line in [
        "get '' --prefix -w fields | grep -v ID",
        "get /a/9 -w fields | grep -v ID",
        "put /a/9 more --prev-kv",
        "get /a/9 -w json | jq .kvs",
        "get /a/9 --rev=47",
        "get /a/7",
    ] {
        let expected = original.exec(line);
        let found = session.exec(line);
        assert_eq!(
            (found.stdout, found.exit),
            (expected.stdout, expected.exit),
            "{line}"
        );
    }
    // The history is not in the list.
    let past = session.exec("get /a/9 --rev=45");
    assert!(
        past.stderr.contains("required revision has been compacted"),
        "{}",
        past.stderr
    );
}

#[test]
fn a_list_that_is_not_whole_is_refused_with_its_reason() {
    let mut original = with(&LINES);
    let mut printed = |command: &str| original.exec(command).stdout;
    let whole = printed("get '' --prefix -w json");
    for (list, reason) in [
        (
            printed("get '' --prefix --limit=3 -w json"),
            "leave out `--limit`",
        ),
        (
            printed("get '' --prefix --keys-only -w json | tr -d 'm'"),
            "leave out `--keys-only`",
        ),
        (whole[..whole.len() / 2].into(), "has only some of the keys"),
        (
            printed("get '' --prefix -w json | tr -d 'v'"),
            "its header has no revision",
        ),
    ] {
        let refused = open(&mut Session::default(), &list).expect_err("no list");
        assert!(
            refused.starts_with("keys.json is a list of keys that cannot be read"),
            "{refused}"
        );
        assert!(refused.contains(reason), "{list}: {refused}");
    }
}

#[test]
fn a_copy_of_a_prefix_skips_the_revisions_of_other_keys() {
    let mut original = with(&LINES);
    let list = original.exec("get /a/ --prefix -w json").stdout;
    let mut session = Session::default();
    let overview = open(&mut session, &list).expect("a list");
    let source = Source::Snapshot {
        file: overview.identity(),
        profile: "3.7".into(),
    };
    session.load(source, SeekTo::End);
    // Revision 47 changes another key.
    for line in ["put /c 2", "put /a/new 1", "del /a/3"] {
        original.exec(line);
    }
    let lines = "mirror start\nmirror skip 47\nmirror 48 put /a/new 1\nmirror 49 del /a/3";
    let copied = session.exec(lines);
    assert_eq!((copied.exit, copied.stderr.as_str()), (0, ""));
    let line = "get /a/ --prefix -w fields | grep -v ID";
    assert_eq!(session.exec(line).stdout, original.exec(line).stdout);
    let back = session.exec("mirror skip 48");
    assert!(
        back.stderr.contains("already at revision 49"),
        "{}",
        back.stderr
    );
    let gap = session.exec("mirror 51 put /a/x 1");
    assert!(
        gap.stderr.contains("the next revision of this copy is 50"),
        "{}",
        gap.stderr
    );
}
