//! The check of an author's lesson: each kind of fault with its exact line, and the preview of a part.

use watchglass_engine::session::protocol::LessonCheck;
use watchglass_engine::session::rehearsal::rehearse;
use watchglass_engine::session::{
    Act, Done, FromEngine, Request, SeekTo, Session, Source, ToEngine,
};
use watchglass_engine::view::{LessonItem, LessonView, Queries};

/// A lesson that passes its check. The tests change one line of it.
const LESSON: &str = r##"#! lesson: T01
#! title: A test
#! goal: Know the revision, here {4 = store.rev}.
#! minutes: 5
#! source: s

#: start
put /a one
----
OK

#: step Look
# The store is at revision {2 = store.rev}.
# It holds {1 = store.keys} key, and {2 = store.rev} is its
# revision.
get /a
----
/a
one

#: predict Write
# Which revision is next?
#: answer 3 = store.rev
#: why if 2 => No: the store was at {3 = store.rev - 0} before.
put /a 2
----
OK

#: task Write again
# Write `/a`.
#: want The store is at revision {4 = store.rev}.
#: check store.rev == 4
#: why if store.rev > 4 => Revision {store.rev} is too far.
#: why The store is at revision {store.rev}.
#: want `/a` is at version {3 = kv("/a").version}.
#: check kv("/a").version == 3
#: why Its version is {kv("/a").version}.
#: hint a
#: hint b
#: hint c
#: solution
put /a 3
----
OK

#: way a transaction
#> txn
#>>
#>> put /a x
#>>
#>>
#: wrong another key
#> put /b 1
#: says Its version is 2.
#: wrong the parts before were skipped
#: skipped
#: says The store is at revision 2.

#: aha One write, one revision, now {4 = store.rev}.
#: misconception A read advances the revision.
# It stays at {4 = store.rev}.
"##;

/// Returns the faults after a line of the lesson was changed.
fn faults(from: &str, to: &str) -> Vec<(u32, String)> {
    assert_eq!(LESSON.matches(from).count(), 1, "{from}");
    let faults = rehearse(&LESSON.replace(from, to)).unwrap_or_else(|e| panic!("{from}: {e}"));
    faults
        .into_iter()
        .map(|fault| (fault.line, fault.text))
        .collect()
}

#[test]
fn a_lesson_without_faults_passes() {
    assert_eq!(rehearse(LESSON).unwrap(), []);
}

#[test]
fn each_fault_names_its_line_with_the_expected_and_the_actual_value() {
    for (from, to, line, says) in [
        ("here {4 =", "here {5 =", 3, "`store.rev` is 4 here, not 5"),
        (
            "revision {2 = store.rev}.\n",
            "revision {3 = store.rev}.\n",
            13,
            "`store.rev` is 2 here, not 3",
        ),
        (
            "{1 = store.keys}",
            "{7 = store.keys}",
            14,
            "`store.keys` is 1 here, not 7",
        ),
        (
            "and {2 = store.rev} is",
            "and {9 = store.rev} is",
            14,
            "`store.rev` is 2 here, not 9",
        ),
        (
            "# revision.",
            "# revision {gone if store.keys == 0}.",
            15,
            "the text says \"gone\", but `store.keys == 0` does not hold here",
        ),
        (
            "# revision.",
            "# revision of `one`.",
            15,
            "a learner may store a different value than `one`; write {one = kv(",
        ),
        (
            "# revision.",
            "# revision, {kv(\"/x\").version}.",
            13,
            "shows `kv(\"/x\").version`, which has no value",
        ),
        (
            "/a\none\n",
            "/a\n2\n",
            16,
            "`get /a` prints\n/a\none\nbut the lesson says\n/a\n2",
        ),
        (
            "answer 3 = store.rev",
            "answer 4 = store.rev",
            23,
            "`store.rev` is 3 after the commands of this prediction, but the answer is 4",
        ),
        (
            "answer 3 = store.rev",
            "answer yes if store.rev == 9",
            23,
            "the answer is \"yes\", but `store.rev == 9` does not hold",
        ),
        (
            "{3 = store.rev - 0}",
            "{5 = store.rev - 0}",
            24,
            "`store.rev - 0` is 3 here, not 5",
        ),
        (
            "check kv(\"/a\").version == 3",
            "check kv(\"/a\").version == 5",
            35,
            "the solution of part 3 does not meet its condition 2 (\"`/a` is at version 3.\"), because the lesson says \
             \"Its version is 3.\"",
        ),
        (
            "hint b",
            "hint {5 = store.rev}",
            39,
            "`store.rev` is 4 here, not 5",
        ),
        (
            "#>> put /a x",
            "#>> put /b x",
            46,
            "the way \"a transaction\" does not solve the task: it does not meet condition 2 (",
        ),
        (
            "#> put /b 1",
            "#> put /a 9",
            52,
            "the wrong turn \"another key\" solves the task",
        ),
        (
            "says Its version is 2.",
            "says Its version is 7.",
            54,
            "after the wrong turn \"another key\", the lesson says \"/a is at version 3. Its version is 2.\", not \
             \"Its version is 7.\"",
        ),
        (
            "revision, now {4 =",
            "revision, now {1 =",
            59,
            "`store.rev` is 4 here, not 1",
        ),
        (
            "stays at {4 =",
            "stays at {1 =",
            61,
            "`store.rev` is 4 here, not 1",
        ),
    ] {
        let faults = faults(from, to);
        // A stricter check also refuses the way.
        let ([(at, text)] | [(at, text), (46, _)]) = &faults[..] else {
            panic!("{to}: {faults:?}");
        };
        assert_eq!(*at, line, "{to}: {text}");
        assert!(text.contains(says), "{to}: {text}");
    }
}

#[test]
fn a_task_that_needs_no_work_is_a_fault() {
    let solved = LESSON
        .replace("check store.rev == 4", "check store.rev > 0")
        .replace("check kv(\"/a\").version == 3", "check store.rev > 1");
    let faults = rehearse(&solved).unwrap();
    let said: Vec<_> = faults
        .iter()
        .map(|fault| (fault.line, &*fault.text))
        .collect();
    assert_eq!(said[0].0, 29);
    assert!(
        said[0]
            .1
            .contains("part 3 is already solved when the lesson starts"),
        "{said:?}"
    );
    assert!(
        said[1]
            .1
            .contains("already solved before the learner does anything"),
        "{said:?}"
    );
}

#[test]
fn a_wrong_turn_gets_a_reason_with_values() {
    let text = LESSON
        .replace("#: says Its version is 2.\n", "")
        .replace("#> put /b 1", "#> del /a");
    let faults = rehearse(&text).unwrap();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].line, 52);
    assert!(
        faults[0]
            .text
            .contains("shows `kv(\"/a\").version`, which has no value then"),
        "{faults:?}"
    );
}

#[test]
fn a_command_without_an_end_stops_the_check() {
    let endless = "for i in {1..30000}; do put /k x; done";
    let of_step = [endless, "\n----\nok"].concat();
    for (from, to, line) in [
        ("get /a\n----\n/a\none", of_step, 16),
        ("#> put /b 1", ["#> ", endless].concat(), 53),
    ] {
        let found = faults(from, &to);
        let (at, text) = found.last().expect("a fault");
        assert_eq!(*at, line);
        let says = format!("`{endless}` takes more than 20000 steps");
        assert!(text.starts_with(&says), "{text}");
        let shown = check(&mut Session::default(), &LESSON.replace(from, &to));
        assert!(shown.parts.is_empty());
    }
}

#[test]
fn ways_and_wrong_turns_have_a_form() {
    for (from, to, line, says) in [
        (
            "#> put /b 1\n",
            "put /b 1\n----\nOK\n\n",
            53,
            "write it as `#> put /key1 value`",
        ),
        (
            "#> put /b 1\n",
            "# put /b 1\n",
            53,
            "write each command as `#> put /key1 value`",
        ),
        (
            "#> put /b 1\n",
            "#>> put /b 1\n",
            53,
            "begin the command with `#> ` on the line above",
        ),
        ("#> put /b 1\n", "", 29, "line 52 needs commands below it"),
        (
            "#: way a transaction\n",
            "",
            46,
            "must be below a `#: way` or a `#: wrong` of a task",
        ),
        (
            "#: wrong another key\n",
            "#: way another key\n",
            54,
            "must be below a `#: wrong`",
        ),
        (
            "#: step Look",
            "#: wrong one\n#: step Look",
            12,
            "must be part of a `#: task`",
        ),
    ] {
        let error = rehearse(&LESSON.replace(from, to)).expect_err(says);
        assert_eq!(error.line, line, "{says}: {error}");
        assert!(error.message.contains(says), "{error}");
    }
}

// The messages of the page.

fn done(session: &mut Session, id: u32, request: Request) -> Done {
    let mut out = Vec::new();
    session.handle(ToEngine::Request(id, request), &mut out);
    while session.pump(1, &mut out) {}
    let done = out.into_iter().find_map(|message| match message {
        FromEngine::Done { id: of, done } if of == id => Some(done),
        _ => None,
    });
    done.expect("a response")
}

fn check(session: &mut Session, text: &str) -> LessonCheck {
    match done(session, 1, Request::Rehearse(text.into())) {
        Done::LessonCheck(check) => check,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_check_leaves_the_run_as_it_is_and_gives_a_link_to_the_lesson() {
    let mut session = Session::default();
    session.exec("put /mine 1");
    let passed = check(&mut session, LESSON);
    assert_eq!((passed.faults, passed.parts), (vec![], vec![12, 21, 29]));
    assert_eq!(session.views().status.revision, 2);
    let wrong = check(&mut session, &LESSON.replace("#: aha", "#: oho"));
    assert_eq!(wrong.faults[0].line, 59);
    assert!(wrong.faults[0].text.contains("cannot contain `#: oho`"));
    assert!(wrong.parts.is_empty() && wrong.link.is_empty());
    let loaded = session.load(Source::Link(passed.link), SeekTo::Default);
    assert!(matches!(loaded, Done::Loaded { .. }), "{loaded:?}");
    let queries = Queries {
        lesson: true,
        ..Queries::default()
    };
    let lesson = shown(&mut session, queries);
    assert_eq!((&*lesson.name, lesson.part), ("T01", 0));
}

#[test]
fn a_newer_check_ends_an_earlier_one() {
    let mut session = Session::default();
    let mut out = Vec::new();
    for id in [1, 2] {
        session.handle(
            ToEngine::Request(id, Request::Rehearse(LESSON.into())),
            &mut out,
        );
    }
    while session.pump(1, &mut out) {}
    let ends: Vec<_> = out
        .iter()
        .filter_map(|message| match message {
            FromEngine::Done { id, done } => Some((*id, *done == Done::Interrupted)),
            _ => None,
        })
        .collect();
    assert_eq!(ends, [(1, true), (2, false)]);
}

fn shown(session: &mut Session, queries: Queries) -> LessonView {
    let show = watchglass_engine::session::Notification::Show(queries.into());
    session.handle(show.into(), &mut Vec::new());
    session.views().lesson.expect("a lesson")
}

#[test]
fn a_preview_begins_at_its_part_and_is_no_progress() {
    let mut session = Session::default();
    let queries = Queries {
        lesson: true,
        ..Queries::default()
    };
    for (part, revision, log) in [(0, 2, 0), (1, 2, 1), (2, 3, 2), (9, 3, 2)] {
        let text = LESSON.to_owned();
        let loaded = done(&mut session, 7, Request::Preview { text, part });
        assert!(matches!(loaded, Done::Loaded { .. }), "{loaded:?}");
        let lesson = shown(&mut session, queries.clone());
        assert_eq!(lesson.part, part.min(2));
        assert!(
            lesson.parts[..part.min(2) as usize]
                .iter()
                .all(|part| part.done)
        );
        let status = session.views().status;
        assert_eq!((status.revision, status.typed), (revision, log));
        assert_eq!((lesson.differs.is_none(), lesson.misfit), (true, None));
        assert!(!lesson.progress.contains("T01"));
    }
    session.exec("put /a 3");
    assert!(shown(&mut session, queries.clone()).task.unwrap().solved);
    done(&mut session, 8, Request::Act(Act::ResetPart));
    let lesson = shown(&mut session, queries);
    assert!(!lesson.task.unwrap().solved);
    assert!(
        lesson
            .items
            .iter()
            .all(|item| matches!(item, LessonItem::Say(_)))
    );
    assert_eq!(session.views().status.revision, 3);
}
