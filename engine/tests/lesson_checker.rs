//! The language of the checks in a lesson: its error messages, the guarantee that every check ends with a value, and
//! the required parts of a lesson's text.

use proptest::prelude::*;
use watchglass_engine::scenario::expr::{Expr, Facts, Value};
use watchglass_engine::scenario::lesson::{self, Item, Part, PartKind};
use watchglass_engine::scenario::lessons;
use watchglass_engine::session::rehearsal::rehearse;
use watchglass_engine::session::{
    LessonAct, Notification, Request, SeekTo, Session, Source, ToEngine,
};
use watchglass_engine::view::Queries;

fn facts<'a>(session: &'a Session, answers: &'a [String]) -> Facts<'a> {
    let run = session.run();
    Facts {
        past: run.past(session.cursor(), session.world(), &[]),
        last: run.last_exchange(session.cursor()),
        answers,
    }
}

/// Returns a session that has run the commands in `text`. The session has a lesson loaded, because only then does it
/// store responses.
fn after(text: &str) -> Session {
    let mut session = Session::default();
    session.load(Source::Lesson("L01".into()), SeekTo::Default);
    session.exec(text);
    session
}

fn values(session: &Session, answers: &[&str], exprs: &[&str]) -> Vec<String> {
    let answers: Vec<String> = answers.iter().map(|a| (*a).into()).collect();
    let value = |text: &&str| {
        let expr = Expr::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        expr.value(&facts(session, &answers)).to_string()
    };
    exprs.iter().map(value).collect()
}

#[test]
fn what_can_be_asked_of_the_store() {
    let session = after(
        "put /key1 value1\nput /key1 value2\ndel /key1\nput /key1 value3\n\
         txn\n\nput a 1\nput b 2\n\n\nput \"é\" 1\ncompact 3",
    );
    let asked = [
        ("store.rev", "7"),
        ("store.compact_rev", "3"),
        ("store.keys + store.rows", "10"),
        ("rows(\"key\")[0].mod", "3"),
        ("rows(\"key\")[1].tombstone", "true"),
        ("rows(\"key\")[-1].key", "é"),
        ("index(\"/key1\").gens[0].revs", "3, 4"),
        ("index(\"/key1\").gens[0].revs == [3, 4]", "true"),
        ("index(\"/key1\").modified == 5", "true"),
        ("index(\"b\").modified", "6.1"),
        ("index(\"b\").modified == 6", "false"),
        ("index(\"b\").modified > 6", "true"),
        ("index(\"/none\").gens.len", "0"),
        ("index(\"/none\").gens[0].revs[3]", "nothing"),
        ("kv(\"/key1\").version", "1"),
        ("kv(\"/none\").version == nothing", "true"),
        (
            "kv(\"/none\").version < 5 or kv(\"/none\").version >= 5",
            "false",
        ),
        ("not kv(\"/none\").version == 1", "true"),
        (
            "some k in keys: k.key starts with \"/\" and k.version == 1",
            "true",
        ),
        ("every k in keys: k.value contains \"1\"", "false"),
        ("(count k in keys: k.version == 1) == 4", "true"),
        (
            "count k in keys: some r in rows(\"key\"): r.mod == k.mod_revision and r.key == k.key",
            "4",
        ),
        ("last.op", "compact"),
        ("last.outcome", "ok"),
        ("last.kvs.len", "0"),
        ("setting(\"watch-resync\")", "100"),
        ("setting(\"watch-channel\")", "128"),
        ("profile == \"3.7\"", "true"),
        (
            "answers[0] == 5 and answers[1] == \"no\" and answers[2] == nothing",
            "true",
        ),
        ("2 + 3 * 4 - 10 / 2", "9"),
        ("1 / 0", "nothing"),
        ("9223372036854775807 + 1", "nothing"),
        ("watch(\"w1\").state", "nothing"),
        ("sync_passes.len", "0"),
    ];
    let (exprs, expected): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
    assert_eq!(values(&session, &["five", "no"], &exprs), expected);
}

#[test]
fn what_can_be_asked_of_an_answer() {
    let session = after("put a 1\nput b 2\nget a --prefix --rev=2 -w json");
    let asked = [
        ("last.op", "get"),
        ("last.key", "a"),
        ("last.range_end", "b"),
        ("last.rev", "2"),
        ("last.count", "1"),
        ("last.kvs[0].value", "1"),
        ("last.header_rev", "3"),
        ("last.backward_jumps", "0"),
        ("last.error", "nothing"),
    ];
    let (exprs, expected): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
    assert_eq!(values(&session, &[], &exprs), expected);
    let session = after("put a 1\nput c 2\nput b 3\nput d 4\nput b 5\nget a --from-key");
    assert_eq!(values(&session, &[], &["last.backward_jumps"]), ["1"]);
    let session = after("put a 1\nget a --rev=9");
    let exprs = ["last.outcome", "last.error", "last.kvs[0].value"];
    assert_eq!(
        values(&session, &[], &exprs),
        [
            "refused",
            "etcdserver: mvcc: required revision is a future revision",
            "nothing"
        ]
    );
}

#[test]
fn what_can_be_asked_of_qos_and_of_a_load() {
    let session = after(
        "set quota-backend-bytes 8MiB\nset experimental-enable-qos 1\n\
         qos class add two --qdisc-kind tbf --qps 0.001 --burst 2\n\
         qos rule add puts --class two --priority 20 --ops Put --prefix /a/ --condition 'RequestSize>1'\n\
         put /a/1 x\nput /a/2 x\nput /a/3 x\nput /b x\n\
         load writer /b/ --puts=10\nload reader /a/ --ranges=10\nload refused /a/ --puts=10\nrun 1s",
    );
    let asked = [
        ("qos(\"puts\").admitted", "2"),
        ("qos(\"puts\").delayed", "0"),
        (
            "qos(\"puts\").limited == load(\"refused\").failed + 1",
            "true",
        ),
        ("qos(\"puts\").class", "two"),
        ("qos(\"puts\").prefix", "/a/"),
        ("qos(\"puts\").condition", "RequestSize>1"),
        ("qos(\"puts\").priority", "20"),
        ("qos_rules.len", "2"),
        ("qos_rules[0].name", "puts"),
        ("qos_rules[1].prefix", "nothing"),
        (
            "some r in qos_rules: r.limited > 0 and r.class == \"two\"",
            "true",
        ),
        ("qos(\"none\").limited", "nothing"),
        ("qos_class(\"two\").level", "0"),
        ("qos_class(\"two\").max", "2"),
        ("qos_class(\"two\").kind", "tbf"),
        ("qos_class(\"none\").max", "nothing"),
        ("load(\"writer\").requests > 3", "true"),
        (
            "load(\"writer\").succeeded == load(\"writer\").requests",
            "true",
        ),
        ("load(\"reader\").failed", "0"),
        ("load(\"none\").requests", "nothing"),
        ("store.is_full", "false"),
        ("store.used_percent <= store.file_percent", "true"),
    ];
    let (exprs, expected): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
    assert_eq!(values(&session, &[], &exprs), expected);
    let full = after("set quota-backend-bytes 4MiB\nload big /x/ --puts=10 --size=1MB\nrun 3s");
    let exprs = ["store.is_full", "store.file_percent > 80"];
    assert_eq!(values(&full, &[], &exprs), ["true", "true"]);
    let off = after("put a 1");
    let exprs = ["qos_rules.len", "qos(\"rule-slowlog\").limited"];
    assert_eq!(values(&off, &[], &exprs), ["0", "nothing"]);
}

#[test]
fn what_can_be_asked_of_a_watch() {
    let commands = "put a 1\nput a 2\nwatch a --rev=2 --prev-kv as w1\nrun 100ms\ndel a";
    let session = after(commands);
    let asked = [
        ("watch(\"w1\").state", "synced"),
        ("watch(\"w1\").start_rev", "2"),
        ("watch(\"w1\").events.len", "3"),
        ("watch(\"w1\").events[0].created", "true"),
        ("watch(\"w1\").events[0].prev_kv == nothing", "true"),
        ("watch(\"w1\").events[2].kind", "DELETE"),
        ("watch(\"w1\").events[2].kv.mod_revision", "4"),
        ("watch(\"w1\").events[2].prev_kv.value", "2"),
        ("watch(\"w1\").missing", "0"),
        ("watch(\"w1\").twice", "0"),
        ("sync_passes[0].rows", "2"),
    ];
    let (exprs, expected): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
    assert_eq!(values(&session, &[], &exprs), expected);

    let session = after(&[commands, "\npause w1\nput a 3\nput b 1\nput a 4"].concat());
    let missing = values(&session, &[], &["watch(\"w1\").missing"]);
    assert_eq!(missing, ["2"]);

    let overtaken = "put a 1\nput a 2\nput a 3\ncompact 4\nwatch a --rev=2 as w1\nrun 100ms";
    let exprs = [
        "watch(\"w1\").state",
        "watch(\"w1\").compact_rev",
        "watch(\"w1\").min_rev",
        "watch(\"w1\").events.len",
    ];
    let session = after(overtaken);
    assert_eq!(
        values(&session, &[], &exprs),
        ["cancelled", "4", "nothing", "0"]
    );
    // At the earlier step this watch did not exist.
    let mut session = session;
    session.seek(SeekTo::Step(1));
    assert_eq!(values(&session, &[], &exprs)[0], "nothing");
}

/// etcd skips one notification after the event of `p1`, so `put o 1`, the first write without an event, has the longest
/// wait.
#[test]
fn what_a_watch_learns_from_notifications() {
    let commands = "set watch-progress-notify-interval 100ms\nwatch p --prefix --progress-notify as w1\n\
                    put p1 1\nput o 1\nput o 2\nrun 1s";
    let names = [
        "known == store.rev",
        "events.len",
        "waits",
        "wait_max_ms > 100",
        "progress > 7",
    ];
    let exprs: Vec<_> = names
        .iter()
        .map(|name| format!("watch(\"w1\").{name}"))
        .collect();
    let exprs: Vec<_> = exprs.iter().map(String::as_str).collect();
    let session = after(commands);
    assert_eq!(
        values(&session, &[], &exprs),
        ["true", "1", "2", "true", "true"]
    );
    // A transaction is one revision. A revision that arrived with an event did not wait for a notification.
    let txn = "\ntxn\n\nput o 3\nput q 4\n\n\nput p2 1\nput o 5\nrun 1s";
    let session = after(&[commands, txn].concat());
    assert_eq!(values(&session, &[], &exprs[..3]), ["true", "2", "3"]);
    let quiet = after("watch p as w1\nput o 1\nrun 1s");
    let asked = ["watch(\"w1\").progress", "watch(\"w1\").wait_mean_ms"];
    assert_eq!(values(&quiet, &[], &asked), ["0", "nothing"]);
}

#[test]
fn a_wrong_expression_is_refused_with_how_to_mend_it() {
    let wrong = [
        (
            "stor.rev",
            "there is no name `stor`; the names are store, keys,",
        ),
        (
            "store.revision == 1",
            "`store` has no field `revision`; its fields are rev,",
        ),
        ("store.rev = 1", "write `==`"),
        ("store.rev == \"1\"", "a number is compared with a text"),
        ("index(\"a\").gens == 2", "a list is compared with a number"),
        (
            "rows(\"key\").size",
            "its length is `len`, and its elements",
        ),
        ("rows(\"meta\").len", "write rows(\"key\")"),
        (
            "index(/key1).gens",
            "the argument in brackets must be a text",
        ),
        (
            "setting(\"watch\") == 1",
            "there is no setting `watch`; the settings are watch-channel,",
        ),
        (
            "store.rev == 1 store",
            "join two conditions with `and` or `or`",
        ),
        (
            "store.rev and store.keys == 1",
            "expected a condition, found a number",
        ),
        ("not store.rev", "expected a condition, found a number"),
        (
            "some k in store.rev: k == 1",
            "expected a list after `in`, found a number",
        ),
        (
            "some k of keys: true",
            "`k` must be followed by `in` and a list",
        ),
        (
            "some k in keys k.version == 1",
            "a `:` is missing before `k.version",
        ),
        (
            "every k in keys: k.versions == 1",
            "`k` has no field `versions`",
        ),
        ("keys[x].key", "a number and `]` must follow `[`"),
        ("store.rev[0] == 1", "`rev` is a number, not a list"),
        ("last.op starts \"a\"", "`with` must follow `starts`"),
        ("store.rev == ", "a value is missing at the end"),
        ("\"open", "has no closing"),
        (
            "99999999999999999999",
            "the number `99999999999999999999` is too large",
        ),
        ("store.rev == 1; x", "an expression cannot contain `;`"),
        ("(store.rev == 1", "a `)` is missing at the end"),
        ("store.rev + last.op == 1", "needs numbers, not a text"),
    ];
    for (text, part) in wrong {
        let error = Expr::parse(text).expect_err(text);
        assert!(error.contains(part), "{text}: {error}");
    }
    let error = Expr::condition("store.rev").unwrap_err();
    assert!(error.contains("not a condition"), "{error}");
    for deep in ["(", "not ", "-", "[", "some k in keys: "] {
        let text = deep.repeat(1_900 / deep.len());
        assert!(Expr::parse(&text).is_err(), "{deep}");
    }
}

const LESSON: &str = "#! lesson: L00
#! title: t
#! goal: Know it.
#! minutes: 5
#! source: s

#: start
put a 1
----
OK

#: step One
# Now the store is at revision {2 = store.rev}.
put a 2
----
OK

#: predict Two
# What comes?
#: answer 4 = store.rev
put a 3
----
OK

#: task Three
# Do it.
#: want The store is at revision {5 = store.rev}.
#: check store.rev == 5
#: why if store.rev > 5 => It is beyond {store.rev}.
#: why It is at {store.rev}, not at 5.
#: hint a
#: hint b
#: hint c
#: solution
put a 4
----
OK

#: aha So
# it is.
#: misconception It is not.
# It is.
";

#[test]
fn reasons_notes_and_ways_on_are_read() {
    let text = LESSON
        .replace(
            "#! source: s",
            "#! source: s\n#! next: lab The Lab\n#! next: slow-client A story",
        )
        .replace(
            "put a 3\n----\nOK\n",
            "#: why if 3 => It is not 3: the read\n# comes after the put.\n#: why Count the puts.\n\
             put a 3\n----\nOK\n\n#: note On puts\n# A put is a write, {4 = store.rev}.\n",
        );
    let lesson = lesson::parse(&text).unwrap();
    let ways = [("lab", "The Lab"), ("slow-client", "A story")];
    assert_eq!(lesson.ways, ways.map(|(a, b)| (a.to_owned(), b.to_owned())));
    let Part {
        items,
        kind: PartKind::Predict(question),
        ..
    } = &lesson.parts[1]
    else {
        panic!("{:?}", lesson.parts[1]);
    };
    let why = |given| question.why(given).map(ToString::to_string);
    assert_eq!(
        why("three").as_deref(),
        Some("It is not 3: the read comes after the put.")
    );
    assert_eq!(why("7").as_deref(), Some("Count the puts."));
    assert!(matches!(items.last(), Some(Item::Note(title, _)) if title == "On puts"));
    assert_eq!(rehearse(&text).unwrap(), []);
    for (said, wrong) in [
        ("{4 = store.rev}", "{5 = store.rev}"),
        ("Count the puts", "{5 = store.rev}"),
    ] {
        let faults = rehearse(&text.replace(said, wrong)).unwrap();
        assert_eq!(faults.len(), 1, "{wrong}: {faults:?}");
    }
}

#[test]
fn a_lesson_is_read() {
    let lesson = lesson::parse(LESSON).unwrap();
    assert_eq!((lesson.start.len(), lesson.parts.len()), (1, 3));
    assert_eq!(lesson.aha.to_string(), "So it is.");
    assert_eq!(lesson.parts[2].line, 25);
    assert!(lesson::is_lesson(LESSON));
    assert!(!lesson::is_lesson(
        "#! title: t\n\nput a 1\n----\nOK\n# lesson: x\n"
    ));
}

#[test]
fn a_wrong_lesson_is_refused_with_its_line_and_how_to_mend_it() {
    let wrong = [
        ("#! goal: Know it.\n", "", 1, "`#! goal: …` is missing"),
        (
            "minutes: 5",
            "minutes: few",
            4,
            "the value of `minutes` must be a number",
        ),
        (
            "#! source: s",
            "#! source: s\n#! profile: 3.3",
            6,
            "the profiles are 3.4, 3.5, 3.6 and 3.7",
        ),
        (
            "#! source: s",
            "#! source: s\n#! picture: oil",
            6,
            "the pictures are index, watch, cache, messages, storage, cluster and qos",
        ),
        (
            "#! source: s",
            "#! source: s\n#! next: lab",
            6,
            "`#! next: TARGET TITLE`",
        ),
        (
            "# Do it.\n",
            "# Do it.\n#: note A note\n# It says more.\n",
            27,
            "must be in a step or a prediction",
        ),
        (
            "put a 3\n",
            "#: note A note without a text\nput a 3\n",
            21,
            "with its text on the lines below",
        ),
        (
            "put a 4\n",
            "#: goal a picture\nput a 4\n",
            35,
            "must be alone",
        ),
        (
            "put a 3\n",
            "#: why if 3 That is one too few.\nput a 3\n",
            21,
            "`#: why if … => text`",
        ),
        (
            "put a 3\n",
            "#: why if 3 => It is not 3, but 4.\nput a 3\n",
            21,
            "`4` is not checked",
        ),
        ("Know it.", "Know 3 things.", 3, "`3` is not checked"),
        (
            "{2 = store.rev}",
            "2",
            13,
            "`2` is not checked; add an expression with this value, for example {2 = store.rev}",
        ),
        ("{2 = store.rev}", "two", 13, "`two` is not checked"),
        ("{2 = store.rev}", "`2`", 13, "in backticks is not checked"),
        (
            "{2 = store.rev}",
            "{2 = store.revs}",
            13,
            "`store` has no field `revs`",
        ),
        ("{2 = store.rev}", "{2 = store.rev", 13, "no `}` closes"),
        (
            "{2 = store.rev}",
            "`open",
            13,
            "the closing backtick is missing",
        ),
        (
            "#: step One",
            "#: stop One",
            12,
            "the allowed words are start, step, predict",
        ),
        ("#: step One", "#: step", 12, "a text must follow `#: step`"),
        (
            "#: answer 4 = store.rev\n",
            "",
            18,
            "needs an answer line, such as `#: answer 3 = store.rev`",
        ),
        (
            "#: answer 4 = store.rev",
            "#: answer 4",
            20,
            "write an answer as `3 = store.rev`",
        ),
        (
            "#: answer 4 = store.rev",
            "#: answer 4 = store.rev\n#: choice 3",
            18,
            "`4` is not among",
        ),
        (
            "# What comes?\n",
            "",
            18,
            "write the question directly below `#: predict`",
        ),
        (
            "# Do it.\n",
            "",
            25,
            "write the goal directly below `#: task`",
        ),
        (
            "#: hint c\n",
            "",
            25,
            "must have 3 hints (the concept, the command, the filled-in command), but this task has 2",
        ),
        (
            "#: want The store is at revision {5 = store.rev}.\n",
            "",
            27,
            "`#: check` must be below a `#: want` line",
        ),
        (
            "#: check store.rev == 5\n",
            "",
            28,
            "`#: why` must be below a `#: check`",
        ),
        (
            "#: check store.rev == 5",
            "#: check store.rev",
            28,
            "not a condition",
        ),
        (
            "#: why It is at {store.rev}, not at 5.\n",
            "",
            25,
            "must end with a `#: why` without `if`",
        ),
        ("not at 5.", "not at 6.", 30, "`6` is not checked"),
        ("> 5 => It", "> 5: It", 29, "as `#: why if … => text`"),
        (
            "#: solution\nput a 4\n----\nOK\n",
            "",
            25,
            "a task needs a `#: solution`",
        ),
        (
            "#: solution\n",
            "",
            34,
            "the commands of a task must be below `#: solution`",
        ),
        ("#: aha So\n# it is.\n", "", 1, "needs a `#: aha`"),
        ("# It is.\n", "", 41, "needs the correct fact below it"),
        (
            "#: misconception It is not.\n# It is.\n",
            "",
            1,
            "needs a `#: misconception`",
        ),
        (
            "#: start\n",
            "",
            7,
            "a command must be below `#: start`, a step or a solution",
        ),
    ];
    for (from, to, line, part) in wrong {
        assert!(LESSON.contains(from), "{from}");
        let error = lesson::parse(&LESSON.replacen(from, to, 1)).expect_err(part);
        assert_eq!(error.line, line, "{part}: {error}");
        assert!(error.message.contains(part), "{part}: {error}");
    }
}

fn command() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec!["/key1", "/key{1}", "/servers/group-1", "a", "/k2"]);
    let revision = -1..30i64;
    prop_oneof![
        4 => (key.clone(), 0..3u8).prop_map(|(k, v)| format!("put {k} value{v}")),
        2 => key.clone().prop_map(|k| format!("del {k} --prefix")),
        3 => (key.clone(), revision.clone()).prop_map(|(k, r)| format!("get {k} --rev={r}")),
        1 => key.clone().prop_map(|k| format!("get {k} --prefix")),
        2 => revision.clone().prop_map(|r| format!("compact {r}")),
        2 => (0..4u8, revision).prop_map(|(w, r)| format!("watch / --prefix --rev={r} as w{w}")),
        1 => (0..4u8).prop_map(|w| format!("unwatch w{w}")),
        1 => (0..4u8).prop_map(|w| format!("pause w{w}")),
        1 => (0..4u8).prop_map(|w| format!("stop w{w}")),
        1 => (0..4u8).prop_map(|w| format!("resume w{w}")),
        1 => Just("set watch-channel 1".to_owned()),
        2 => Just("run 150ms".to_owned()),
        1 => Just("world".to_owned()),
        1 => Just("txn\n\nput x 1\nput y 1\n\n".to_owned()),
    ]
}

/// Generates valid expressions of any shape.
fn expression() -> impl Strategy<Value = String> {
    let value = prop::sample::select(vec![
        "store.rev",
        "store.compact_rev",
        "rows(\"key\").len",
        "rows(\"key\")[-1].mod",
        "index(\"/key1\").gens[0].revs[1]",
        "kv(\"/key1\").version",
        "last.header_rev",
        "last.kvs[0].version",
        "watch(\"w1\").missing",
        "watch(\"w2\").min_rev",
        "watch(\"w3\").events[-1].kv.mod_revision",
        "sync_passes[0].from",
        "answers[0]",
        "-3",
        "9223372036854775807",
    ]);
    let leaf = (
        value.clone(),
        prop::sample::select(vec!["==", "<", ">=", "!="]),
        value,
    )
        .prop_map(|(a, op, b)| format!("{a} {op} {b}"));
    leaf.prop_recursive(4, 24, 2, |inner| {
        let list = prop::sample::select(vec!["keys", "rows(\"key\")", "watch(\"w1\").events"]);
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} and {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} or not ({b}))")),
            (list.clone(), inner.clone()).prop_map(|(l, e)| format!("(some x in {l}: {e})")),
            (list.clone(), inner.clone()).prop_map(|(l, e)| format!("(every x in {l}: {e})")),
            (list, inner).prop_map(|(l, e)| format!("((count x in {l}: {e}) * 3 > store.rev / 2)")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_checker_says_something_of_any_state(
        name in prop::sample::select(lessons::ALL.to_vec()),
        parts in 0..12usize,
        commands in prop::collection::vec(command(), 1..25),
        exprs in prop::collection::vec(expression(), 1..6),
        back in 0..40u64,
    ) {
        let mut session = Session::default();
        let queries = Queries { lesson: true, ..Queries::default() };
        let mut out = Vec::new();
        session.handle(ToEngine::Notification(Notification::Show(queries.into())), &mut out);
        session.load(Source::Lesson(name.name.into()), SeekTo::Default);
        for _ in 0..parts {
            session.handle(ToEngine::Request(1, Request::Lesson(LessonAct::Next)), &mut out);
            while session.pump(100, &mut out) {}
        }
        let lesson = lesson::parse(name.text).unwrap();
        let answers = ["three".to_owned(), String::new()];
        for (n, command) in commands.iter().enumerate() {
            session.exec(command);
            if n == commands.len() / 2 {
                session.seek(SeekTo::Step(session.cursor().saturating_sub(back)));
            }
            let view = session.views().lesson.expect("a lesson is under way");
            if let Some(task) = view.task {
                for condition in task.conditions {
                    prop_assert_eq!(condition.ok, condition.why.is_empty());
                }
            }
            let facts = facts(&session, &answers);
            for text in &exprs {
                let value = Expr::condition(text).unwrap().value(&facts);
                prop_assert!(matches!(value, Value::Bool(_) | Value::Nothing));
            }
            for part in &lesson.parts {
                if let lesson::PartKind::Task(task) = &part.kind {
                    let unmet = task.conditions.iter().filter(|c| c.unmet(&facts).is_some());
                    prop_assert_eq!(unmet.count() == 0, task.is_solved(&facts));
                }
            }
        }
    }

    #[test]
    fn reading_any_text_ends(words in prop::collection::vec(prop::sample::select(vec![
        "store", ".", "rev", "==", "(", ")", "[", "]", "0", "-", "\"a\"", "some", "in", ":", "k",
        "not", "and", "keys", "rows", "{", "`", "é", "starts", "with", "=", " = ", "}",
    ]), 0..40)) {
        let _ = Expr::parse(&words.join(" "));
        let _ = Expr::parse(&words.concat());
        let _ = lesson::Text::parse(&words.concat());
        let text = LESSON.replacen("store.rev == 5", &words.join(" "), 1);
        let _ = lesson::parse(&text);
    }
}

/// A condition that visits all values many times exceeds the budget; its evaluation ends.
#[test]
fn a_greedy_condition_ends() {
    let session = after("for i in {1..2000}; do put k$i x; done");
    let greedy = "every a in keys: every b in keys: every c in keys: a.version == c.version";
    assert_eq!(values(&session, &[], &[greedy]), ["nothing"]);
}
