//! A learner in a lesson: parts, predictions, hints, tasks, undo, restarts and progress.

use watchglass_engine::scenario::lesson::{self, PartKind};
use watchglass_engine::scenario::{included, lessons, stories};
use watchglass_engine::session::progress::LearnerProgress;
use watchglass_engine::session::{
    Act, Done, FromEngine, LessonAct, Notification, Read, Request, SeekTo, Session, Source,
    ToEngine,
};
use watchglass_engine::view::{LessonItem, LessonView, Queries, TerminalQuery, TextRun, Views};

/// A session with a lesson, and access to everything that the page shows of it.
pub(crate) struct Learner {
    pub(crate) session: Session,
}

impl Learner {
    fn of(name: &str) -> Self {
        Self::load(Source::Lesson(name.into()))
    }

    pub(crate) fn load(source: Source) -> Self {
        let mut learner = Self {
            session: Session::default(),
        };
        learner.show();
        let done = learner.say(ToEngine::Request(
            1,
            Request::Load {
                source,
                at: SeekTo::Default,
            },
        ));
        assert!(
            matches!(&done, Done::Loaded { text, .. } if text.differences == 0),
            "{done:?}"
        );
        learner
    }

    fn show(&mut self) {
        let mut out = Vec::new();
        let terminal = Some(TerminalQuery {
            last: 1000,
            beat: 0,
        });
        let queries = Queries {
            terminal,
            lesson: true,
            ..Queries::default()
        };
        self.session.handle(
            ToEngine::Notification(Notification::Show(queries.into())),
            &mut out,
        );
    }

    pub(crate) fn say(&mut self, message: ToEngine) -> Done {
        let mut out = Vec::new();
        self.session.handle(message, &mut out);
        while self.session.pump(7, &mut out) {}
        let done = out.into_iter().find_map(|message| match message {
            FromEngine::Done { done, .. } => Some(done),
            _ => None,
        });
        done.expect("every message is answered")
    }

    pub(crate) fn act(&mut self, act: LessonAct) -> Done {
        self.say(ToEngine::Request(2, Request::Lesson(act)))
    }

    pub(crate) fn reset(&mut self, act: Act) -> Done {
        self.say(ToEngine::Request(2, Request::Act(act)))
    }

    pub(crate) fn undo(&mut self) -> Done {
        self.say(ToEngine::Request(3, Request::Act(Act::Undo)))
    }

    fn views(&self) -> Views {
        self.session.views()
    }

    pub(crate) fn lesson(&self) -> LessonView {
        self.views().lesson.expect("a lesson is under way")
    }

    /// Returns the visible state: the world's digest, the terminal, the cursor, and the view of the lesson.
    fn all(&self) -> (u64, Vec<String>, u64, LessonView) {
        let entries = self.views().terminal.unwrap_or_default().entries;
        let entries = entries
            .into_iter()
            .map(|e| e.command + &e.stdout + &e.stderr);
        let digest = self.session.world().digest();
        let cursor = self.session.cursor();
        (digest, entries.collect(), cursor, self.lesson())
    }

    pub(crate) fn walk_to_the_task(&mut self) {
        while self.lesson().task.is_none() {
            if self.lesson().question.is_some() {
                self.act(LessonAct::Answer("no idea".into()));
            }
            while self.lesson().items.iter().any(is_open) {
                assert!(matches!(self.act(LessonAct::Type), Done::Executed(_)));
            }
            self.act(LessonAct::Next);
        }
    }
}

fn is_open(item: &LessonItem) -> bool {
    matches!(item, LessonItem::Command { typed: false, .. })
}

pub(crate) fn words(runs: &[TextRun]) -> String {
    runs.iter().map(|run| &*run.text).collect()
}

/// Returns the conditions of the current task that do not hold, with the reasons.
fn unmet(view: &LessonView) -> Vec<String> {
    let task = view.task.as_ref().expect("a task is at hand");
    let unmet = task.conditions.iter().filter(|c| !c.ok);
    unmet
        .map(|c| words(&c.want) + " " + &words(&c.why))
        .collect()
}

#[test]
fn every_lesson_can_be_walked_through_by_typing() {
    for text in lessons::ALL {
        let mut learner = Learner::of(text.name);
        let lesson = lesson::parse(text.text).unwrap();
        let start = learner.views().terminal.unwrap_or_default().total;
        assert_eq!(start, 0, "{}: the start is silent", text.name);
        for (n, part) in lesson.parts.iter().enumerate() {
            assert_eq!(learner.lesson().part, n as u32, "{}", text.name);
            assert!(!learner.lesson().parts[n].done, "{} part {n}", text.name);
            match &part.kind {
                PartKind::Predict(question) => {
                    assert!(
                        !learner.lesson().items.iter().any(is_open),
                        "{} part {n}: what comes is shown before it was predicted",
                        text.name
                    );
                    learner.act(LessonAct::Answer(question.answer.clone()));
                }
                PartKind::Task(task) => {
                    let open = learner.lesson();
                    assert!(!unmet(&open).is_empty(), "{} part {n}", text.name);
                    for block in &task.solution {
                        // The page types a command of the solution into the prompt, which has one line.
                        assert_eq!(block.input.lines().count(), 1, "{} part {n}", text.name);
                        learner.session.exec(&block.input);
                    }
                    assert_eq!(unmet(&learner.lesson()), [""; 0], "{} part {n}", text.name);
                }
                PartKind::Step => {}
            }
            while learner.lesson().items.iter().any(is_open) {
                assert!(matches!(learner.act(LessonAct::Type), Done::Executed(_)));
            }
            let view = learner.lesson();
            if let Some(question) = view.question {
                assert_eq!(question.right, Some(true), "{} part {n}", text.name);
            }
            if part.blocks().next().is_some() || view.task.is_some() {
                assert!(view.parts[n].done, "{} part {n}", text.name);
            }
            assert_eq!(view.end.is_some(), n + 1 == lesson.parts.len());
            learner.act(LessonAct::Next);
        }
        assert!(learner.lesson().finished, "{}", text.name);
        let cards = learner.say(ToEngine::Request(4, Request::Lessons));
        let Done::Lessons(cards) = cards else {
            panic!("{cards:?}");
        };
        let card = cards.iter().find(|card| card.name == text.name).unwrap();
        assert!(card.finished && card.done == card.parts, "{card:?}");
        assert_eq!(cards.len(), lessons::ALL.len() + lessons::CHALLENGES.len());
    }
}

#[test]
fn a_task_says_which_condition_fails_and_why() {
    let mut learner = Learner::of("L02");
    learner.walk_to_the_task();
    // A reason before the first command would be a hint.
    let wanted = ["The store is at revision 9. ", "/key1 is at version 2. "];
    assert_eq!(unmet(&learner.lesson()), wanted);
    learner.session.exec("get /key1");
    assert_eq!(
        unmet(&learner.lesson()),
        [
            "The store is at revision 9. Your store is at revision 6.",
            "/key1 is at version 2. Its version is now 1.",
        ]
    );
    learner.session.exec("del /key1");
    assert_eq!(
        unmet(&learner.lesson())[1],
        "/key1 is at version 2. /key1 is deleted."
    );
    learner.session.exec("for i in {1..3}; do put x y; done");
    assert!(
        unmet(&learner.lesson())[0]
            .contains("Your store is at revision 10, and revisions never go down")
    );
}

/// Returns the unmet conditions of a lesson's task with their reasons, after the learner has typed these commands.
fn unmet_after(lesson: &str, commands: &str) -> Vec<String> {
    let mut learner = Learner::of(lesson);
    learner.walk_to_the_task();
    learner.session.exec(commands);
    unmet(&learner.lesson())
}

#[test]
fn a_condition_out_of_reach_says_to_undo_or_restart() {
    for (commands, expected) in [
        (
            "for i in {1..2}; do put /key1 v; done",
            "Its version is now 3, and a put never lowers the version: undo or restart.",
        ),
        (
            "for i in {1..3}; do put /other v; done",
            "Its version is now 1, and another put would advance the revision too far: undo or restart.",
        ),
        ("del /key1", "/key1 is deleted."),
        (
            "del /key1; put /other v",
            "/key1 is deleted, and the missing puts would advance the revision too far: undo or restart.",
        ),
    ] {
        let unmet = unmet_after("L02", commands);
        let reason = unmet.iter().find(|text| text.starts_with("/key1"));
        let reason = reason.unwrap_or_else(|| panic!("{commands}: {unmet:?}"));
        assert_eq!(
            *reason,
            format!("/key1 is at version 2. {expected}"),
            "{commands}"
        );
    }
}

#[test]
fn a_reason_names_the_range_of_the_last_request() {
    for (command, expected) in [
        (
            "get /servers/group-0 --prefix",
            "The last request was for the keys from /servers/group-0 up to, but not including, /servers/group-1.",
        ),
        (
            "get /servers/group-0 --from-key",
            "The last request was for all keys from /servers/group-0 on.",
        ),
        (
            "get /servers/group-0",
            "The last request was for the one key /servers/group-0.",
        ),
    ] {
        let unmet = unmet_after("L01", command);
        assert!(unmet[1].ends_with(expected), "{command}: {unmet:?}");
    }
}

#[test]
fn the_first_task_of_a_lesson_names_the_terminal() {
    for text in lessons::ALL {
        let mut learner = Learner::of(text.name);
        learner.walk_to_the_task();
        let view = learner.lesson();
        let [LessonItem::Say(said), ..] = &view.items[..] else {
            panic!("{}: {:?}", text.name, view.items);
        };
        let said = words(said);
        assert!(
            said.ends_with("Do this in the terminal."),
            "{}: {said}",
            text.name
        );
    }
}

/// The text about the misconception `ver=3` states to which generation each version belongs.
#[test]
fn the_versions_of_two_generations_are_told_apart() {
    let lesson = lessons::ALL.iter().find(|lesson| lesson.name == "L04");
    let text = lesson.expect("L04").text;
    let (_, myth) = text.split_once("#: misconception `ver=3`").expect("a myth");
    let (myth, _) = myth.split_once("#: misconception").expect("the next myth");
    for generation in [
        "For generation `#0`",
        "the first version of generation `#1`",
    ] {
        assert!(myth.contains(generation), "{generation}: {myth}");
    }
}

#[test]
fn any_path_to_the_goal_will_do_and_stays_solved() {
    let mut learner = Learner::of("L04");
    learner.walk_to_the_task();
    // The learner uses a transaction instead of a put.
    learner.session.exec("txn\n\nput /key1 other\n\n");
    let view = learner.lesson();
    assert_eq!(unmet(&view), [""; 0]);
    assert!(view.task.unwrap().solved);
    learner.session.exec("put /key1 again");
    let view = learner.lesson();
    assert!(!unmet(&view).is_empty() && view.task.unwrap().solved);
}

#[test]
fn a_wrong_prediction_is_kept_and_shown_beside_what_came() {
    let mut learner = Learner::of("L04");
    while learner.lesson().items.iter().any(is_open) {
        learner.act(LessonAct::Type);
    }
    learner.act(LessonAct::Next);
    assert_eq!(learner.lesson().question.unwrap().actual, None);
    learner.act(LessonAct::Answer(" 1 ".into()));
    learner.act(LessonAct::Answer("3".into()));
    let question = learner.lesson().question.unwrap();
    assert_eq!(
        (question.given.as_deref(), question.right),
        (Some("1"), None)
    );
    learner.act(LessonAct::Type);
    let question = learner.lesson().question.unwrap();
    assert_eq!(question.given.as_deref(), Some("1"));
    assert_eq!(question.actual.as_deref(), Some("3"));
    assert_eq!(question.right, Some(false));
}

#[test]
fn hints_come_one_by_one_and_the_solution_is_only_shown() {
    let mut learner = Learner::of("L08");
    assert!(matches!(learner.act(LessonAct::Hint), Done::Refused { .. }));
    learner.walk_to_the_task();
    for shown in 1..=4 {
        learner.act(LessonAct::Hint);
        let task = learner.lesson().task.unwrap();
        assert_eq!(task.hints.len(), shown.min(3));
        assert_eq!(task.hints_left, 3 - shown.min(3) as u32);
        assert!(task.solution.is_empty());
    }
    let before = learner.session.world().digest();
    assert_eq!(
        learner.act(LessonAct::Solution),
        Done::Text("compact 4".into())
    );
    let view = learner.lesson();
    assert_eq!(view.task.as_ref().unwrap().solution, ["compact 4"]);
    assert!(!unmet(&view).is_empty());
    assert_eq!(learner.session.world().digest(), before);
}

#[test]
fn undo_takes_back_one_text_after_the_other() {
    for name in ["L04", "L08", "L10"] {
        let mut learner = Learner::of(name);
        let mut before = Vec::new();
        let texts = [
            "put /key1 a; put /key1 b",
            "get /key1 --rev=2",
            "for i in {1..5}; do put /many$i x; done",
            "watch / --prefix as mine",
            "world seed=9",
            "put /elsewhere x",
            "recv mine",
            "run 100ms",
            "del / --prefix",
        ];
        for text in texts {
            before.push(learner.all());
            learner.session.exec(text);
        }
        // One more command, at an earlier step, starts a branch.
        learner.session.seek(SeekTo::Step(1));
        before.push(learner.all());
        learner.session.exec("put /past x");
        assert!(learner.views().status.can_undo);
        for (n, was) in before.into_iter().enumerate().rev() {
            assert_eq!(learner.undo(), Done::Moved { step: was.2 }, "{name} {n}");
            let (digest, entries, cursor, mut view) = learner.all();
            view.progress.clone_from(&was.3.progress);
            assert_eq!(
                (digest, entries, cursor),
                (was.0, was.1, was.2),
                "{name} {n}"
            );
            assert_eq!(view, was.3, "{name} {n}");
        }
        assert!(!learner.views().status.can_undo);
        assert!(matches!(learner.undo(), Done::Refused { .. }));
    }
}

#[test]
fn reset_gives_the_stated_start_and_can_be_undone() {
    for text in lessons::ALL {
        let mut learner = Learner::of(text.name);
        let start = learner.all();
        learner.walk_to_the_task();
        let at_the_task = learner.all();
        learner.session.exec("put /one 1");
        learner.session.exec("put /two 2");
        learner.act(LessonAct::Hint);
        let later = learner.all();

        learner.reset(Act::ResetPart);
        let (digest, entries, cursor, view) = learner.all();
        assert_eq!(
            (digest, entries, cursor),
            (at_the_task.0, at_the_task.1, at_the_task.2)
        );
        assert_eq!(view.part, at_the_task.3.part);
        assert_eq!(view.task, at_the_task.3.task);
        learner.undo();
        assert_eq!(learner.all(), later, "{}", text.name);

        learner.reset(Act::Reset);
        let (digest, entries, cursor, view) = learner.all();
        assert_eq!((digest, entries, cursor), (start.0, start.1, start.2));
        assert_eq!((view.part, view.items), (0, start.3.items));
        learner.undo();
        assert_eq!(learner.all(), later, "{}", text.name);
    }
}

#[test]
fn a_part_that_has_begun_can_be_shown_again() {
    let mut learner = Learner::of("L04");
    learner.walk_to_the_task();
    let at_the_task = learner.all();
    let task = at_the_task.3.part;
    assert_eq!(
        learner.act(LessonAct::Part(0)),
        Done::Moved {
            step: at_the_task.2
        }
    );
    let first = learner.lesson();
    assert_eq!(first.part, 0);
    assert!(
        first.items.len() > 3 && !first.items.iter().any(is_open),
        "{first:?}"
    );
    let refused = learner.act(LessonAct::Part(task + 1));
    assert!(matches!(refused, Done::Refused { .. }), "{refused:?}");
    assert_eq!(learner.lesson().part, 0);

    // The commands of the completed parts still belong to these parts.
    for part in 1..=task {
        learner.act(LessonAct::Next);
        let view = learner.lesson();
        assert_eq!(view.part, part);
        assert!(!view.items.iter().any(is_open), "{view:?}");
    }
    assert_eq!(learner.all(), at_the_task);
    learner.act(LessonAct::Back);
    learner.act(LessonAct::Part(task));
    assert_eq!(learner.all(), at_the_task);
}

#[test]
fn the_part_on_the_page_is_kept() {
    let mut learner = Learner::of("L04");
    learner.walk_to_the_task();
    learner.act(LessonAct::Part(1));
    let was = learner.all();
    let Done::Text(saved) = learner.say(ToEngine::Request(5, Request::Read(Read::Save))) else {
        panic!("no save");
    };
    let mut other = Learner::of("L01");
    let text = was.3.progress.clone();
    other.say(ToEngine::Request(6, Request::Progress(text)));
    other.session.load(Source::Saved(saved), SeekTo::Default);
    assert_eq!(other.all(), was);
}

/// Progress that an earlier release stored is still read, although the lists of displayed parts and of the best numbers
/// of commands are missing at its end.
#[test]
fn progress_of_an_earlier_release_is_read() {
    let mut learner = Learner::of("L04");
    learner.walk_to_the_task();
    let whole = learner.lesson().progress;
    // Both lists are empty: one byte each, the length.
    let body = whole.rsplit_once('.').expect("a mark in front").1;
    let bytes = watchglass_engine::base::base64::decode(body).expect("base64");
    for missing in [1, 2] {
        let earlier = watchglass_engine::base::base64::encode(&bytes[..bytes.len() - missing]);
        let text = whole.replace(body, &earlier);
        let read = LearnerProgress::from_text(&text).expect("it is read");
        assert_eq!(read, LearnerProgress::from_text(&whole).unwrap());
    }
    let cut = watchglass_engine::base::base64::encode(&bytes[..bytes.len() - 3]);
    assert!(LearnerProgress::from_text(&whole.replace(body, &cut)).is_err());
}

#[test]
fn a_lesson_can_be_left_for_the_sandbox_with_its_state() {
    for text in lessons::ALL {
        let mut learner = Learner::of(text.name);
        learner.walk_to_the_task();
        learner.session.exec("put /one 1");
        let was = learner.all();
        let Done::Text(saved) = learner.act(LessonAct::Leave) else {
            panic!("{}", text.name);
        };
        let mut sandbox = Session::default();
        let done = sandbox.load(Source::Saved(saved), SeekTo::Default);
        assert!(
            matches!(&done, Done::Loaded { text, .. } if text.differences == 0),
            "{done:?}"
        );
        assert_eq!(
            (sandbox.world().digest(), sandbox.cursor()),
            (was.0, was.2),
            "{}",
            text.name
        );
        let queries = Queries {
            lesson: true,
            ..Queries::default()
        };
        sandbox.handle(
            ToEngine::Notification(Notification::Show(queries.into())),
            &mut Vec::new(),
        );
        let views = sandbox.views();
        assert!(views.lesson.is_none() && !views.status.is_told);
        assert!(
            views.status.title.starts_with("Sandbox"),
            "{}",
            views.status.title
        );
        assert!(views.status.can_undo);
    }
}

#[test]
fn every_lesson_leads_to_runs_that_there_are() {
    let mut ways = 0;
    for text in lessons::ALL {
        for way in Learner::of(text.name).views().status.ways {
            let scenario = way.target.contains('/').then(|| {
                let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/behaviour");
                let file = format!("{folder}/{}.txt", way.target);
                std::fs::read_to_string(file).expect("the run is there")
            });
            let is_there = match &scenario {
                Some(run) => run.starts_with(&format!("#! title: {}\n", way.title)),
                None => way.target == "lab" || stories::ALL.iter().any(|s| s.name == way.target),
            };
            assert!(is_there, "{}: {way:?}", text.name);
            ways += 1;
        }
    }
    assert!(ways > 5, "{ways}");
}

#[test]
fn a_condition_that_holds_from_the_start_is_given_until_the_run_changes() {
    let given = |learner: &Learner| {
        let task = learner.lesson().task.expect("a task is at hand");
        let given = task.conditions.iter().map(|c| (c.ok, c.is_given));
        given.collect::<Vec<_>>()
    };
    let (open, held, done) = ((false, false), (true, true), (true, false));
    let mut learner = Learner::of("L04");
    learner.walk_to_the_task();
    assert_eq!(given(&learner), [held, held, open]);
    learner.session.exec("get /key1 --rev=2");
    assert_eq!(given(&learner), [held, held, open]);
    learner.session.exec("put /key1 again");
    assert_eq!(given(&learner), [done; 3]);
    learner.undo();
    assert_eq!(given(&learner), [held, held, open]);
}

#[test]
fn a_check_says_what_is_so_in_plain_numbers() {
    let says = |lesson: &str, line: &str| {
        let mut learner = Learner::of(lesson);
        learner.walk_to_the_task();
        learner.session.exec(line);
        unmet(&learner.lesson()).join("\n")
    };
    let pods = "get /registry/pods/kube-system/ --prefix";
    let cases = [
        (
            "L01",
            "put /servers/group-10/x 1; get /servers/group-1 --prefix --limit=1",
            "only 1 of 2 keys: leave out `--limit`",
        ),
        ("L01", "put /x 1", "The last request was put."),
        (
            "L05",
            "for i in {1..3}; do put /x $i; done; get /key1 --rev=3 --keys-only",
            "The response has no value. With `--keys-only` etcd leaves out the values.",
        ),
        (
            "L05",
            "put /x 1",
            "The last request was put, which returns no value.",
        ),
        (
            "L06",
            "get /registry/pods/kube-system/ --prefix --limit=1",
            "The response has only 1 of 8 keys: leave out `--limit`.",
        ),
        ("L06", pods, "Number of times the range goes back: 4."),
        ("L10", "put /busy more", "Its state is now victim."),
        (
            "L17",
            "watch /pods/ --prefix as w2",
            "Number of notifications: 0.",
        ),
    ];
    for (lesson, line, expected) in cases {
        let said = says(lesson, line).replace('`', "");
        assert!(
            said.contains(&expected.replace('`', "")),
            "{lesson}: {line}: {said}"
        );
        for wrong in ["1 keys", "1 times", "returns .", "1 writes"] {
            assert!(!said.contains(wrong), "{lesson}: {line}: {said}");
        }
    }
}

#[test]
fn a_solved_task_stays_solved_after_undo_but_a_part_that_was_left_comes_back() {
    let mut learner = Learner::of("L04");
    learner.act(LessonAct::Type);
    learner.act(LessonAct::Next);
    learner.act(LessonAct::Answer("3".into()));
    learner.act(LessonAct::Type);
    assert_eq!(learner.lesson().part, 1);
    learner.undo();
    assert_eq!(learner.lesson().part, 1);
    learner.undo();
    assert_eq!(learner.lesson().part, 0);
}

#[test]
fn progress_is_kept_and_given_back() {
    let mut learner = Learner::of("L02");
    learner.walk_to_the_task();
    learner.act(LessonAct::Hint);
    let was = learner.all();
    let Done::Text(saved) = learner.say(ToEngine::Request(5, Request::Read(Read::Save))) else {
        panic!("no save");
    };
    let progress = learner.lesson().progress;
    assert!(progress.len() < 400, "{} characters", progress.len());

    let mut other = Learner::of("L01");
    let text = progress.clone();
    assert!(matches!(
        other.say(ToEngine::Request(6, Request::Progress(text))),
        Done::Moved { .. }
    ));
    let source = Source::Saved(saved);
    other.say(ToEngine::Request(
        7,
        Request::Load {
            source,
            at: SeekTo::Default,
        },
    ));
    let (digest, entries, cursor, view) = other.all();
    assert_eq!((digest, entries, cursor), (was.0, was.1, was.2));
    assert_eq!((view.part, &view.task), (was.3.part, &was.3.task));

    // Restarting the lesson does not reset its progress.
    let card = |learner: &mut Learner| match learner.say(ToEngine::Request(9, Request::Lessons)) {
        Done::Lessons(cards) => cards.into_iter().find(|c| c.name == "L02").unwrap(),
        other => panic!("{other:?}"),
    };
    let before = card(&mut other);
    assert!(before.done > 3 && !before.finished);
    other.reset(Act::Reset);
    assert_eq!(card(&mut other), before);
    other.undo();

    let text = "nonsense".into();
    assert!(matches!(
        other.say(ToEngine::Request(8, Request::Progress(text))),
        Done::Refused { .. }
    ));
    assert_eq!(other.lesson(), view);
}

#[test]
fn a_goal_is_shown_beside_the_run_at_hand() {
    let mut learner = Learner::of("L01");
    let was = learner.all();
    let queries = Queries {
        index: Some(watchglass_engine::view::IndexQuery {
            lane_count: 10,
            rev_from: 1,
            rev_to: 12,
            columns: 240,
            ..Default::default()
        }),
        ..Queries::default()
    };
    let goal = learner.say(ToEngine::Request(
        9,
        Request::Goal {
            lesson: "L04".into(),
            queries: queries.into(),
        },
    ));
    let Done::Views(views) = goal else {
        panic!("{goal:?}");
    };
    let index = views.index.expect("it was asked for");
    assert_eq!((index.head, index.lanes[0].threads.len()), (5, 2));
    assert_eq!(learner.all(), was);
    // The goal of this lesson is in the middle of its solution.
    let queries = Queries {
        watch: Some(Default::default()),
        ..Queries::default()
    };
    let goal = learner.say(ToEngine::Request(
        9,
        Request::Goal {
            lesson: "L10".into(),
            queries: queries.into(),
        },
    ));
    let Done::Views(views) = goal else {
        panic!("{goal:?}");
    };
    let watch = views.watch.expect("it was asked for");
    assert_eq!((watch.synced, watch.victims), (3, 0));
    let unknown = learner.say(ToEngine::Request(
        10,
        Request::Goal {
            lesson: "L 99".into(),
            queries: Queries::default().into(),
        },
    ));
    assert!(matches!(unknown, Done::Refused { message } if message.contains("L04")));
}

#[test]
fn a_lesson_can_be_pasted_as_text_and_linked() {
    let text = included::find(&lessons::ALL, "L05").unwrap().text;
    let mut learner = Learner::of("L05");
    let stated = learner.all();
    let Done::Text(link) = learner.say(ToEngine::Request(
        11,
        Request::Read(Read::Link {
            view: String::new(),
        }),
    )) else {
        panic!("no link");
    };
    assert!(link.len() < 60, "{link}");
    for source in [Source::Text(text.into()), Source::Link(link)] {
        learner.say(ToEngine::Request(
            12,
            Request::Load {
                source,
                at: SeekTo::Default,
            },
        ));
        assert_eq!(learner.all(), stated);
    }
    let broken = text.replace("#: aha", "#: oho");
    let refused = learner.say(ToEngine::Request(
        13,
        Request::Load {
            source: Source::Text(broken),
            at: SeekTo::Default,
        },
    ));
    assert!(matches!(refused, Done::Refused { message } if message.contains("`#: oho`")));
}

#[test]
fn without_a_lesson_there_is_none_to_act_in() {
    let mut learner = Learner {
        session: Session::default(),
    };
    learner.show();
    for act in [LessonAct::Next, LessonAct::Type] {
        assert!(matches!(learner.act(act), Done::Refused { .. }));
    }
    for act in [Act::ResetPart, Act::ResetFrom(0), Act::Reset] {
        assert!(matches!(learner.reset(act), Done::Refused { .. }));
    }
    assert_eq!(learner.views().lesson, None);
    // Undo is available outside of lessons, too.
    learner.session.exec("put a 1");
    assert!(matches!(learner.undo(), Done::Moved { step: 0 }));
    assert_eq!(
        learner.session.world().at_endpoint().store().current_rev(),
        1
    );
}
