//! Stories and lessons whose texts are not part of the program. The page fetches the texts, and the load of a story or
//! lesson waits for its text. The lists of stories and lessons need no text.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use watchglass_engine::scenario::included::Included;
use watchglass_engine::scenario::{format, lesson, lessons, stories};
use watchglass_engine::session::{
    Act, Done, FromEngine, Notification, Read, Request, SeekTo, Session, Source, ToEngine,
};
use watchglass_engine::view::Queries;

/// Returns a session in its initial state in a browser, without texts.
fn browser() -> Session {
    let mut session = Session::default();
    session.forget_texts();
    session
}

/// Sends a message, runs all work, and returns the messages of the session.
fn say(session: &mut Session, message: ToEngine) -> Vec<FromEngine> {
    let mut out = Vec::new();
    session.handle(message, &mut out);
    let mut calls = 0;
    while session.pump(100, &mut out) {
        calls += 1;
        assert!(calls < 10_000, "a session that waits has nothing to do");
    }
    out
}

fn load(session: &mut Session, id: u32, source: Source) -> Vec<FromEngine> {
    let at = SeekTo::Default;
    say(session, ToEngine::Request(id, Request::Load { source, at }))
}

fn wanted(out: &[FromEngine]) -> Vec<&str> {
    let names = out.iter().filter_map(|message| match message {
        FromEngine::Wants { name } => Some(&**name),
        _ => None,
    });
    names.collect()
}

fn done(out: &[FromEngine], wanted: u32) -> Option<&Done> {
    out.iter().find_map(|message| match message {
        FromEngine::Done { id, done } if *id == wanted => Some(done),
        _ => None,
    })
}

fn text(name: &str, text: &str) -> ToEngine {
    ToEngine::Notification(Notification::Text {
        name: name.into(),
        text: Some(text.into()),
    })
}

fn one(all: &'static [Included], name: &str) -> &'static Included {
    all.iter().find(|one| one.name == name).expect("a text")
}

#[test]
fn a_load_waits_for_its_text_and_commands_wait_for_the_load() {
    let mut session = browser();
    let out = load(&mut session, 1, Source::Lesson("L04".into()));
    assert_eq!(wanted(&out), ["lessons/L04"]);
    let typed = ToEngine::Request(2, Request::Act(Act::Type("put /key1 a".into())));
    assert_eq!(done(&say(&mut session, typed), 2), None);
    let out = say(
        &mut session,
        text("lessons/L04", one(&lessons::ALL, "L04").text),
    );
    assert!(
        matches!(done(&out, 1), Some(Done::Loaded { .. })),
        "{out:?}"
    );
    assert!(matches!(done(&out, 2), Some(Done::Executed(_))), "{out:?}");
    assert_eq!(session.views().status.revision, 2);
    // The session keeps the text: the lesson opens again without another request.
    let out = load(&mut session, 3, Source::Lesson("L04".into()));
    assert!(
        matches!(done(&out, 3), Some(Done::Loaded { .. })),
        "{out:?}"
    );
}

#[test]
fn a_text_may_come_before_it_is_needed() {
    let mut session = browser();
    let story = one(&stories::ALL, "slow-client");
    say(&mut session, text("stories/slow-client", story.text));
    let out = load(&mut session, 1, Source::Story("slow-client".into()));
    assert!(
        matches!(done(&out, 1), Some(Done::Loaded { .. })),
        "{out:?}"
    );
    assert_eq!(wanted(&out), [""; 0]);
}

#[test]
fn a_link_and_a_saved_run_name_the_text_that_they_need() {
    let mut first = Session::default();
    first.load(Source::Lesson("L02".into()), SeekTo::Default);
    first.exec("put /mine 1");
    let ask = |session: &mut Session, message| match done(&say(session, message), 7) {
        Some(Done::Text(text)) => text.clone(),
        other => panic!("{other:?}"),
    };
    let view = "index".to_owned();
    let link = ask(
        &mut first,
        ToEngine::Request(7, Request::Read(Read::Link { view })),
    );
    let saved = ask(&mut first, ToEngine::Request(7, Request::Read(Read::Save)));
    for source in [Source::Link(link), Source::Saved(saved)] {
        let mut session = browser();
        let out = load(&mut session, 1, source);
        assert_eq!(wanted(&out), ["lessons/L02"]);
        let lesson = one(&lessons::ALL, "L02").text;
        let out = say(&mut session, text("lessons/L02", lesson));
        assert!(
            matches!(done(&out, 1), Some(Done::Loaded { .. })),
            "{out:?}"
        );
        assert_eq!(session.world().digest(), first.world().digest());
    }
}

#[test]
fn an_unknown_lesson_or_story_is_refused_with_sentences() {
    for (source, start, end) in [
        (
            Source::Lesson("L 99".into()),
            "There is no lesson `L 99`. The lessons are L01, ",
            "L06.",
        ),
        (
            Source::Story("none".into()),
            "There is no story `none`. The stories are ",
            ".",
        ),
    ] {
        let out = load(&mut browser(), 1, source);
        let Some(Done::Refused { message }) = done(&out, 1) else {
            panic!("{out:?}");
        };
        assert!(message.starts_with(start), "{message}");
        assert!(message.ends_with(end), "{message}");
    }
}

/// An author adds a lesson to the site as a file, of which the program does not know.
#[test]
fn a_lesson_that_the_program_does_not_know_is_asked_for() {
    let mut session = browser();
    let out = load(&mut session, 1, Source::Lesson("team-1".into()));
    assert_eq!(wanted(&out), ["lessons/team-1"]);
    let added = one(&lessons::ALL, "L02").text;
    let out = say(&mut session, text("lessons/team-1", added));
    assert!(matches!(done(&out, 1), Some(Done::Loaded { .. })));
    load(&mut session, 2, Source::Lesson("L99".into()));
    let absent = ToEngine::Notification(Notification::Text {
        name: "lessons/L99".into(),
        text: None,
    });
    let out = say(&mut session, absent);
    let Some(Done::Refused { message }) = done(&out, 2) else {
        panic!("{out:?}");
    };
    assert!(
        message.starts_with("There is no lesson `L99`. The lessons are L01, "),
        "{message}"
    );
}

#[test]
fn a_text_that_cannot_be_had_leaves_the_run_as_it_was() {
    let mut session = browser();
    session.exec("put /mine 1");
    load(&mut session, 1, Source::Story("at-a-glance".into()));
    let absent = ToEngine::Notification(Notification::Text {
        name: "stories/at-a-glance".into(),
        text: None,
    });
    let out = say(&mut session, absent.clone());
    let name = "stories/at-a-glance".to_owned();
    assert_eq!(done(&out, 1), Some(&Done::Absent { name }));
    assert_eq!(session.views().status.revision, 2);
    assert_eq!(
        done(&say(&mut session, absent), 1),
        None,
        "nothing waits any more"
    );
}

#[test]
fn a_load_that_waits_ends_with_ctrl_c_and_with_another_load() {
    for next in [Some(Source::Text("put /a 1".into())), None] {
        let mut session = browser();
        load(&mut session, 1, Source::Lesson("L01".into()));
        let out = match next {
            Some(source) => load(&mut session, 2, source),
            None => say(
                &mut session,
                ToEngine::Notification(Notification::Interrupt),
            ),
        };
        assert_eq!(done(&out, 1), Some(&Done::Interrupted));
        let late = say(
            &mut session,
            text("lessons/L01", one(&lessons::ALL, "L01").text),
        );
        assert!(session.views().lesson.is_none(), "{late:?}");
    }
}

#[test]
fn a_goal_that_waits_for_its_text_holds_nothing_up() {
    let mut session = browser();
    let goal = ToEngine::Request(
        1,
        Request::Goal {
            lesson: "L04".into(),
            queries: Queries::default().into(),
        },
    );
    assert_eq!(wanted(&say(&mut session, goal)), ["lessons/L04"]);
    session.exec("put /mine 1");
    assert_eq!(session.views().status.revision, 2);
    let out = say(
        &mut session,
        text("lessons/L04", one(&lessons::ALL, "L04").text),
    );
    assert!(matches!(done(&out, 1), Some(Done::Views(_))), "{out:?}");
}

#[test]
fn an_unknown_name_is_refused_without_a_question() {
    let out = load(&mut browser(), 1, Source::Lesson("../L01".into()));
    let Some(Done::Refused { message }) = done(&out, 1) else {
        panic!("{out:?}");
    };
    assert!(message.contains("L04"), "{message}");
    assert_eq!(wanted(&out), [""; 0]);
}

#[test]
fn lists_are_made_from_the_heads_and_say_what_the_texts_say() {
    let out = say(&mut browser(), ToEngine::Request(1, Request::Lessons));
    let Some(Done::Lessons(cards)) = done(&out, 1) else {
        panic!("{out:?}");
    };
    let all: Vec<_> = lessons::ALL.iter().chain(&lessons::CHALLENGES).collect();
    assert_eq!(cards.len(), all.len());
    for (card, included) in cards.iter().zip(all) {
        let read = lesson::parse(included.text).expect("a lesson");
        let goal: String = card.goal.iter().map(|run| &*run.text).collect();
        assert_eq!(card.name, read.name);
        assert_eq!(card.title, read.title);
        assert_eq!(goal, read.goal.to_string().replace('`', ""));
        assert_eq!(card.minutes, read.minutes);
        assert_eq!(card.picture, read.view.name());
        assert_eq!(card.is_challenge, read.challenge().is_some());
        assert_eq!(card.parts as usize, read.parts.len(), "{}", card.name);
    }
    for story in &stories::ALL {
        let read = format::parse(story.text).expect("a story");
        for key in ["title", "about"] {
            assert_eq!(Some(story.header(key)), read.header(key), "{}", story.name);
        }
    }
}

#[test]
fn every_file_of_the_folders_is_listed() {
    let lessons = [&lessons::ALL[..], &lessons::CHALLENGES].concat();
    for (folder, all) in [
        ("src/scenario/lessons", &lessons[..]),
        ("tests/behaviour/stories", &stories::ALL),
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let files = fs::read_dir(folder).expect("the folder of the texts");
        let files: BTreeSet<String> = files
            .map(|file| {
                file.expect("a file")
                    .file_name()
                    .into_string()
                    .expect("a name")
            })
            .collect();
        let listed = all.iter().map(|one| format!("{}.txt", one.name));
        assert_eq!(files, listed.collect());
    }
}
