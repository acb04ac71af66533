//! The cards of a lesson in a learner's run. Outputs and values come from the run, no matter what the learner typed,
//! and a card lists the differences between the run and the lesson's text.

use watchglass_engine::scenario::expr::Facts;
use watchglass_engine::scenario::lesson::{
    self, Item, Lesson, Part, PartKind, Piece, Text, said_is,
};
use watchglass_engine::scenario::lessons;
use watchglass_engine::session::rehearsal::rehearse;
use watchglass_engine::session::{
    Act, Done, FromEngine, LessonAct, Notification, Read, Request, SeekTo, Session, Source,
    ToEngine,
};
use watchglass_engine::view::{LessonItem, LessonView, Queries, TextRun, TextRunKind};

struct Learner {
    session: Session,
    lesson: Lesson,
}

impl Learner {
    fn of(name: &str) -> Self {
        let mut session = Session::default();
        let queries = Queries {
            lesson: true,
            ..Queries::default()
        };
        session.handle(
            ToEngine::Notification(Notification::Show(queries.into())),
            &mut Vec::new(),
        );
        session.load(Source::Lesson(name.into()), SeekTo::Default);
        let text = lessons::ALL.iter().find(|l| l.name == name).unwrap().text;
        Self {
            session,
            lesson: lesson::parse(text).unwrap(),
        }
    }

    fn act(&mut self, act: LessonAct) -> Done {
        self.say(ToEngine::Request(1, Request::Lesson(act)))
    }

    fn reset(&mut self, act: Act) -> Done {
        self.say(ToEngine::Request(1, Request::Act(act)))
    }

    fn say(&mut self, message: ToEngine) -> Done {
        let mut out = Vec::new();
        self.session.handle(message, &mut out);
        while self.session.pump(7, &mut out) {}
        let done = out.into_iter().find_map(|message| match message {
            FromEngine::Done { done, .. } => Some(done),
            _ => None,
        });
        done.expect("every message is answered")
    }

    fn view(&self) -> LessonView {
        self.session.views().lesson.expect("a lesson is under way")
    }

    /// Gives the answer `guess`, which has an effect only if the current part asks a question, and then runs the part's
    /// next commands.
    fn follow(&mut self, guess: &str) {
        self.act(LessonAct::Answer(guess.into()));
        while matches!(self.act(LessonAct::Type), Done::Executed(_)) {}
    }

    /// Follows the lesson as its text says, up to the part with this number (counted from 0).
    fn follow_to(&mut self, part: u32) {
        while self.view().part < part {
            self.go_through(as_it_is);
        }
    }

    fn part(&self) -> Part {
        self.lesson.parts[self.view().part as usize].clone()
    }

    fn said(&self) -> Vec<String> {
        let items = self.view().items.into_iter();
        let said = items.filter_map(|item| match item {
            LessonItem::Say(runs) | LessonItem::Note { text: runs, .. } => Some(words(&runs)),
            LessonItem::Command { .. } => None,
        });
        said.collect()
    }

    fn outputs(&self) -> String {
        let items = self.view().items.into_iter();
        let printed = items.filter_map(|item| match item {
            LessonItem::Command { output, .. } => Some(output),
            LessonItem::Say(_) | LessonItem::Note { .. } => None,
        });
        printed.collect()
    }

    /// Returns the differences between the run and the lesson that the card names, and the part from which the card
    /// offers to restart.
    fn differs(&self) -> Option<(Vec<String>, u32)> {
        let differs = self.view().differs?;
        Some((
            differs.what.iter().map(|one| words(one)).collect(),
            differs.from,
        ))
    }

    fn look<T>(&self, look: impl FnOnce(&Facts<'_>) -> T) -> T {
        let run = self.session.run();
        look(&Facts {
            past: run.past(self.session.cursor(), self.session.world(), &[]),
            last: run.last_exchange(self.session.cursor()),
            answers: &[],
        })
    }

    /// Each paragraph must be true when it appears, and must not change before the end of the part.
    fn go_through(&mut self, solve: impl Fn(&str) -> String) {
        let part = self.part();
        let place = format!("{}, {}", self.lesson.name, part.title);
        if let PartKind::Task(task) = &part.kind {
            for block in &task.solution {
                self.session.exec(&solve(&block.input));
            }
            self.act(LessonAct::Next);
            return;
        }
        let mut expected = Vec::new();
        let mut lies = Vec::new();
        self.expect(&part.items, &mut expected, &mut lies);
        self.act(LessonAct::Answer(WRONG.into()));
        for (at, item) in part.items.iter().enumerate() {
            if matches!(item, Item::Type(_)) {
                assert!(
                    matches!(self.act(LessonAct::Type), Done::Executed(_)),
                    "{place}"
                );
                self.expect(&part.items[at + 1..], &mut expected, &mut lies);
            }
        }
        if let PartKind::Predict(question) = &part.kind {
            let came = self.look(|facts| question.actual(facts));
            let why = question.why(WRONG).filter(|_| came == question.answer);
            lies.extend((came != question.answer).then(|| came.clone()));
            lies.extend(why.into_iter().flat_map(|why| self.lies(why)));
            let view = self.view().question.unwrap();
            assert_eq!(view.actual, Some(came), "{place}");
            let why = why.map(|why| self.look(|facts| filled(why, facts)));
            assert_eq!(words(&view.why), why.unwrap_or_default(), "{place}");
        }
        for (end, text) in self.ends() {
            lies.extend(self.lies(&text));
            assert_eq!(end, self.look(|facts| filled(&text, facts)), "{place}");
        }
        assert_eq!(self.said(), expected, "{place}");
        let differs = self.differs();
        assert_eq!(
            differs.is_some(),
            !lies.is_empty(),
            "{place}: {differs:?}, {lies:?}"
        );
        // A seek to an earlier step changes no card.
        let before = self.view();
        self.session.seek(SeekTo::Step(1));
        assert_eq!(self.view().items, before.items, "{place}");
        assert_eq!(self.view().differs, before.differs, "{place}");
        self.session.seek(SeekTo::End);
        self.act(LessonAct::Next);
    }

    fn expect(&self, items: &[Item], expected: &mut Vec<String>, lies: &mut Vec<String>) {
        for item in items {
            let Some(text) = item.text() else {
                return;
            };
            expected.push(self.look(|facts| filled(text, facts)));
            lies.extend(self.lies(text));
        }
    }

    fn lies(&self, text: &Text) -> Vec<String> {
        let lies = self.look(|facts| text.lies(facts));
        lies.into_iter().map(|(_, lie)| lie).collect()
    }

    /// Returns the texts at the end of the lesson, each with its source.
    fn ends(&self) -> Vec<(String, Text)> {
        let view = self.view();
        let is_last = view.part as usize + 1 == view.parts.len();
        let Some(end) = view.end.filter(|_| is_last) else {
            return Vec::new();
        };
        let mut ends = vec![(words(&end.aha), self.lesson.aha.clone())];
        for (said, text) in end.misconceptions.iter().zip(&self.lesson.misconceptions) {
            ends.push((words(&said.0), text.0.clone()));
            ends.push((words(&said.1), text.1.clone()));
        }
        ends
    }
}

fn words(runs: &[TextRun]) -> String {
    runs.iter().map(|run| &*run.text).collect()
}

/// Replaces the references in a paragraph with the values at the current step. Does not use the engine's code for this.
fn filled(text: &Text, facts: &Facts<'_>) -> String {
    let fill = |piece: &Piece| match piece {
        Piece::Plain(text) | Piece::Code(text) | Piece::If { said: text, .. } => text.clone(),
        Piece::Now(expr) => expr.value(facts).to_string(),
        Piece::Said { said, expr } => {
            let value = expr.value(facts);
            if said_is(said, &value) {
                said.clone()
            } else {
                value.to_string()
            }
        }
    };
    text.pieces.iter().map(fill).collect()
}

/// An answer that is wrong for every prediction in every lesson.
const WRONG: &str = "none of them";

fn as_it_is(line: &str) -> String {
    line.into()
}

#[test]
fn a_card_prints_what_the_learner_wrote() {
    let mut learner = Learner::of("L04");
    for _ in 0..3 {
        learner.go_through(as_it_is);
    }
    learner.session.exec("put /key1 banana");
    learner.act(LessonAct::Next);
    learner.act(LessonAct::Type);
    assert!(
        learner.outputs().contains("val \"banana\""),
        "{}",
        learner.outputs()
    );
    let said = learner.said().join(" ");
    assert!(said.contains("Its value is banana, created is 5"), "{said}");
    assert!(!(said + &learner.outputs()).contains("value3"));
    assert_eq!(learner.differs(), None);
}

#[test]
fn a_card_says_where_the_store_differs_and_leads_back() {
    let mut learner = Learner::of("L01");
    assert_eq!(learner.differs(), None);
    learner.session.exec("put /key1 value1");
    let differs = "the number of keys of the store is 1, not 0".to_owned();
    assert!(learner.said()[0].ends_with("the number of keys in this store is 1."));
    assert_eq!(learner.differs(), Some((vec![differs], 0)));
    learner.go_through(as_it_is);
    learner.go_through(as_it_is);
    learner.act(LessonAct::Back);
    assert!(learner.said()[1].contains("The store has 6 keys now."));
    let differs = "the number of keys of the store is 6, not five".to_owned();
    assert_eq!(learner.differs(), Some((vec![differs], 0)));
    // The second part already started with the other key, so restarting this part would not help.
    let was = learner.view();
    assert!(matches!(
        learner.reset(Act::ResetFrom(0)),
        Done::Moved { .. }
    ));
    assert_eq!((learner.view().part, learner.differs()), (0, None));
    learner.say(ToEngine::Request(2, Request::Act(Act::Undo)));
    let mut now = learner.view();
    now.progress.clone_from(&was.progress);
    assert_eq!(now, was);
    let refused = learner.reset(Act::ResetFrom(3));
    assert!(matches!(refused, Done::Refused { .. }), "{refused:?}");
}

#[test]
fn a_skipped_command_is_a_difference_too() {
    let mut learner = Learner::of("L04");
    learner.act(LessonAct::Next);
    learner.act(LessonAct::Answer("3".into()));
    learner.act(LessonAct::Type);
    let question = learner.view().question.unwrap();
    assert_eq!(
        (question.actual.as_deref(), question.right),
        (Some("0"), Some(false))
    );
    let (what, from) = learner.differs().unwrap();
    assert_eq!((&*what[0], from), ("the number of rows is 0, not 2", 0));
}

#[test]
fn a_read_or_a_step_back_is_no_difference() {
    let mut learner = Learner::of("L04");
    learner.session.exec("get / --prefix");
    learner.session.exec("show key-index /key1");
    for _ in 0..2 {
        learner.go_through(as_it_is);
        learner.session.exec("get /key1 --rev=2");
        learner.session.seek(SeekTo::Step(1));
        learner.session.exec("get /key1");
        learner.session.seek(SeekTo::End);
        assert_eq!(learner.differs(), None);
    }
}

#[test]
fn the_words_of_another_value_are_marked() {
    let mut learner = Learner::of("L04");
    learner.session.exec("put /other 1");
    let LessonItem::Say(opening) = &learner.view().items[0] else {
        panic!("{:?}", learner.view().items);
    };
    let of_kind = |kind| {
        opening
            .iter()
            .find(|run| run.kind == kind)
            .map(|run| &*run.text)
    };
    assert_eq!(of_kind(TextRunKind::Denied), Some("Nothing is written yet"));
    assert_eq!(of_kind(TextRunKind::Changed), Some("2"));
    let (what, _) = learner.differs().unwrap();
    assert_eq!(what[0], "this statement is false: Nothing is written yet");
    assert_eq!(what[1], "the revision of the store is 2, not 1");
}

#[test]
fn cards_are_the_same_after_a_reload() {
    let mut learner = Learner::of("L04");
    learner.session.exec("put /other 1");
    for _ in 0..2 {
        learner.go_through(as_it_is);
    }
    learner.act(LessonAct::Type);
    let was = learner.view();
    let Done::Text(saved) = learner.say(ToEngine::Request(3, Request::Read(Read::Save))) else {
        panic!("no save");
    };
    let mut other = Learner::of("L04");
    let text = was.progress.clone();
    other.say(ToEngine::Request(4, Request::Progress(text)));
    other.session.load(Source::Saved(saved), SeekTo::Default);
    assert_eq!(other.view().items, was.items);
    assert_eq!(other.view().differs, was.differs);
    assert!(other.outputs().contains("5.0(t)"), "{}", other.outputs());
}

/// Adds one write before each of the parts in turn: every card must show the values of the changed run.
#[test]
fn no_card_says_what_the_run_denies() {
    for text in lessons::ALL {
        let parts = Learner::of(text.name).lesson.parts.len();
        for other_at in 0..=parts {
            let mut learner = Learner::of(text.name);
            for part in 0..parts {
                if part == other_at {
                    learner.session.exec("put /a-key-of-mine x");
                }
                learner.go_through(as_it_is);
            }
        }
    }
}

/// A task leaves some values to the learner, so the cards after a task must also be true for other values.
#[test]
fn a_task_solved_with_other_values_is_no_difference() {
    let other = |line: &str| match line.rsplit_once(' ') {
        Some((start, _)) if line.starts_with("put ") => format!("{start} banana"),
        _ => line
            .replace("110ms", "112ms")
            .replace("{1..130}", "{1..150}"),
    };
    for text in lessons::ALL {
        let mut learner = Learner::of(text.name);
        for part in learner.lesson.parts.clone() {
            let in_task = matches!(part.kind, PartKind::Task(_));
            assert_eq!(learner.view().misfit, None, "{}, {}", text.name, part.title);
            learner.go_through(other);
            let view = learner.view();
            if in_task {
                let solved = view.parts.iter().find(|p| p.title == part.title).unwrap();
                assert!(solved.done, "{}, {}", text.name, part.title);
            }
            assert_eq!(learner.differs(), None, "{}, {}", text.name, part.title);
        }
    }
}

/// The text of a lesson must not state a value that a learner could have chosen differently.
#[test]
fn a_sentence_with_a_recorded_value_is_found() {
    let lesson = lessons::ALL.iter().find(|l| l.name == "L04").unwrap().text;
    let recorded = lesson.replacen(
        "Its value is {kv(\"/key1\").value}",
        "Its value is `value3`",
        1,
    );
    assert_ne!(recorded, lesson);
    let faults = rehearse(&recorded).unwrap();
    assert_eq!(faults.len(), 1);
    assert!(
        faults[0].text.contains("a different value than `value3`"),
        "{faults:?}"
    );
    let unknown = lesson.replacen("{kv(\"/key1\").value}", "{kv(\"/key9\").value}", 1);
    let faults = rehearse(&unknown).unwrap();
    assert!(faults[0].text.contains("which has no value"), "{faults:?}");
    let claim = lesson.replacen("if store.rev == 1}", "if store.rev == 2}", 1);
    let faults = rehearse(&claim).unwrap();
    assert!(faults[0].text.contains("does not hold"), "{faults:?}");
}

/// Each wrong choice and each other wrong guess gets an explanation; a right guess gets none.
#[test]
fn a_wrong_guess_gets_its_reason() {
    for text in lessons::ALL {
        let parts = Learner::of(text.name).lesson.parts.clone();
        for (asked, part) in parts.iter().enumerate() {
            let PartKind::Predict(question) = &part.kind else {
                continue;
            };
            let typed = ["no idea".to_owned(), question.answer.clone()];
            let guesses = match &question.choices[..] {
                [] => &typed[..],
                choices => choices,
            };
            for guess in guesses {
                let place = format!("{}, {}: {guess}", text.name, part.title);
                let mut learner = Learner::of(text.name);
                for _ in 0..asked {
                    learner.go_through(as_it_is);
                }
                learner.act(LessonAct::Answer(guess.clone()));
                assert_eq!(learner.view().question.unwrap().why, [], "{place}");
                for _ in part.blocks() {
                    learner.act(LessonAct::Type);
                }
                let view = learner.view().question.unwrap();
                assert_eq!(view.right, Some(*guess == question.answer), "{place}");
                assert_eq!(view.why.is_empty(), *guess == question.answer, "{place}");
            }
        }
    }
}

#[test]
fn the_reason_fits_the_guess() {
    let guess = |guess: &str| {
        let mut learner = Learner::of("L02");
        learner.go_through(as_it_is);
        learner.act(LessonAct::Answer(guess.into()));
        learner.act(LessonAct::Type);
        let question = learner.view().question.unwrap();
        (question.right, words(&question.why))
    };
    let (right, why) = guess("revision four");
    assert_eq!(right, Some(false));
    assert_eq!(why, "The empty store was already at revision 1.");
    assert!(
        guess("77")
            .1
            .contains("each of the 4 puts advanced the revision by one")
    );
    for five in ["5", "5.0", " Five", "revision 5"] {
        assert_eq!(guess(five), (Some(true), String::new()), "{five}");
    }
}

/// If the store differs from the text, the card notes the difference, and omits an explanation that would not fit the
/// actual answer.
#[test]
fn a_reason_about_another_answer_is_not_given() {
    let mut learner = Learner::of("L02");
    learner.go_through(as_it_is);
    learner.session.exec("put /mine 1");
    learner.act(LessonAct::Answer("4".into()));
    learner.act(LessonAct::Type);
    let question = learner.view().question.unwrap();
    assert_eq!(
        (question.actual.as_deref(), &question.why[..]),
        (Some("6"), &[][..])
    );
    assert!(learner.differs().is_some());
}

/// If the learner's store makes a task impossible, the page says so and offers a restart from the part in which the
/// store first differed from the lesson's store. Restarting the task itself would not help.
#[test]
fn an_impossible_task_leads_back_to_the_first_other_command() {
    let mut learner = Learner::of("L02");
    learner.follow_to(2);
    for _ in 0..4 {
        learner.session.exec("put /mine x");
    }
    learner.follow_to(5);
    let view = learner.view();
    let task = view.task.unwrap();
    assert_eq!((view.misfit, task.solved), (Some(2), false));
    assert!(words(&task.conditions[0].why).ends_with("undo or restart."));
    learner.reset(Act::ResetPart);
    assert_eq!(learner.view().misfit, Some(2));
    learner.reset(Act::ResetFrom(2));
    assert_eq!((learner.view().part, learner.view().misfit), (2, None));
    learner.follow_to(5);
    assert_eq!(learner.view().misfit, None);
    // Commands of the task itself can be undone within the task.
    for _ in 0..9 {
        learner.session.exec("put /mine x");
    }
    assert_eq!(learner.view().misfit, None);
}

/// In an impossible task, a condition can hold by accident. The page does not mark such a condition as one that already
/// held before the task.
#[test]
fn a_condition_of_an_impossible_task_is_not_given() {
    let mut learner = Learner::of("L04");
    learner.follow_to(3);
    let task = learner.view().task.unwrap();
    assert!(task.conditions.iter().any(|condition| condition.is_given));
    let mut learner = Learner::of("L04");
    learner.session.exec("put /key1 value3");
    learner.follow_to(3);
    let view = learner.view();
    let task = view.task.unwrap();
    assert_eq!(view.misfit, Some(0));
    assert!(task.conditions.iter().any(|condition| condition.ok));
    assert!(task.conditions.iter().all(|condition| !condition.is_given));
}

/// If the store differs from the lesson's store, but the task is still possible, the part of the lesson is not blocked.
/// If the store differs only because the learner solved a task in another way, this does not count as a difference.
#[test]
fn a_task_that_the_store_allows_is_not_impossible() {
    for text in lessons::ALL {
        let mut learner = Learner::of(text.name);
        for _ in 0..learner.lesson.parts.len() {
            assert_eq!(learner.view().misfit, None, "{}", text.name);
            learner.go_through(as_it_is);
        }
    }
    let mut learner = Learner::of("L01");
    learner.session.exec("put /mine x");
    learner.follow_to(5);
    assert!(learner.view().task.is_some());
    assert_eq!(learner.view().misfit, None);
}

/// If the choices of a question do not contain the actual answer, the lesson says so before the guess.
#[test]
fn a_question_without_the_actual_answer_leads_back() {
    let mut learner = Learner::of("L04");
    learner.session.exec("put /key1 value0");
    learner.session.exec("put /key1 value0");
    learner.go_through(as_it_is);
    let view = learner.view();
    assert!(!view.question.unwrap().choices.contains(&"5".to_owned()));
    assert_eq!(view.misfit, Some(0));
    learner.follow("3");
    assert_eq!(learner.view().misfit, None, "the guess was submitted");

    // A command in the part of the question has the same effect.
    let mut learner = Learner::of("L04");
    learner.follow_to(1);
    assert_eq!(learner.view().misfit, None);
    learner.session.exec("put /key2 x");
    assert_eq!(learner.view().misfit, Some(1));
    learner.reset(Act::Undo);
    assert_eq!(learner.view().misfit, None);
}

/// A card marks the error lines in the output of a command. The card marks the command as failed only if the lesson
/// does not expect the error.
#[test]
fn a_card_marks_error_lines_and_a_failure_that_the_lesson_does_not_expect() {
    let marks = |learner: &Learner| {
        let items = learner.view().items.into_iter();
        let marks = items.filter_map(|item| match item {
            LessonItem::Command {
                text,
                error_lines,
                typed: true,
                failed,
                ..
            } => Some((text, error_lines, failed)),
            _ => None,
        });
        marks.collect::<Vec<_>>()
    };
    let mark = |text: &str, errors: &[u32], failed| (text.to_owned(), errors.to_vec(), failed);

    let mut learner = Learner::of("L05");
    learner.follow("");
    let [rev_2, rev_3] = ["get /key1 --rev=2", "get /key1 --rev=3 -w fields"];
    assert_eq!(
        marks(&learner),
        [mark(rev_2, &[], false), mark(rev_3, &[], false)]
    );
    // The lesson expects the error of a read in the future.
    let mut learner = Learner::of("L05");
    learner.follow_to(2);
    learner.follow("");
    let [future, newest] = ["get /key1 --rev=6", "get /key1 --rev=0"];
    assert_eq!(
        marks(&learner),
        [mark(future, &[0], false), mark(newest, &[], false)]
    );

    let mut learner = Learner::of("L05");
    learner.session.exec("compact 3");
    learner.follow("");
    assert_eq!(
        marks(&learner),
        [mark(rev_2, &[0], true), mark(rev_3, &[], false)]
    );
    // The same command fails with another error than in the lesson.
    let mut learner = Learner::of("L08");
    learner.follow_to(1);
    learner.session.exec("world");
    learner.follow("refused");
    let early = "get /key-9 --rev=10";
    assert_eq!(marks(&learner), [mark(early, &[0], true)]);
}

/// If the learner types a command of the lesson in another form, the lesson accepts it as this command. Another command
/// of the same kind does not count, and the lesson notes the difference.
#[test]
fn a_command_in_another_form_is_the_command_of_the_lesson() {
    let open = |learner: &Learner| {
        let items = learner.view().items.into_iter();
        let mut next = items.filter_map(|item| match item {
            LessonItem::Command {
                text, typed: false, ..
            } => Some(text),
            _ => None,
        });
        next.next_back().unwrap_or_default()
    };
    for form in [
        "get --prefix /",
        "etcdctl get --prefix /",
        "get / --prefix=true",
        "ETCDCTL_API=3 etcdctl get '/' --prefix",
    ] {
        let mut learner = Learner::of("L01");
        learner.act(LessonAct::Type);
        learner.act(LessonAct::Type);
        assert_eq!(open(&learner), "get / --prefix");
        learner.session.exec(form);
        assert_eq!(open(&learner), "", "{form}");
        assert!(!learner.view().near_miss, "{form}");
    }
    let mut learner = Learner::of("L01");
    learner.follow_to(4);
    learner
        .session
        .exec("get /servers/group-0 --keys-only --prefix");
    assert_eq!(open(&learner), "");
    let mut learner = Learner::of("L02");
    learner.session.exec("get / --write-out=fields");
    assert_eq!(open(&learner), "");

    let mut learner = Learner::of("L01");
    assert!(!learner.view().near_miss);
    learner.session.exec("put /mykey1 other");
    assert!(learner.view().near_miss);
    assert_eq!(open(&learner), "put /mykey1 somevalue");
    learner.session.exec("get /mykey1");
    assert!(!learner.view().near_miss);
    learner.session.exec("put /mykey1 \"somevalue\"");
    assert!(!learner.view().near_miss);
    assert_eq!(open(&learner), "put /mykey2 someothervalue");
}

/// The key `/servers/group-1` equals the prefix, so it is not the key of a server in another group.
#[test]
fn the_prefix_itself_is_no_server_of_another_group() {
    let mut learner = Learner::of("L01");
    learner.follow_to(5);
    learner.session.exec("put /servers/group-1 oops");
    learner.session.exec("get /servers/group-1 --prefix");
    let holds = |learner: &Learner| {
        let task = learner.view().task.unwrap();
        let conditions = task.conditions.iter();
        conditions.map(|condition| condition.ok).collect::<Vec<_>>()
    };
    assert_eq!(holds(&learner), [false, false]);
    learner.session.exec("put /servers/group-1x/server-01 lost");
    assert_eq!(holds(&learner), [true, false]);
    learner.session.exec("get /servers/group-1 --prefix");
    assert_eq!(holds(&learner), [true, true]);
}

/// The page describes differences in words, and describes each difference once.
#[test]
fn differences_are_sentences() {
    let mut learner = Learner::of("L04");
    learner.session.exec("put /key1 value0");
    for _ in 0..2 {
        learner.go_through(as_it_is);
    }
    learner.follow("");
    let (what, _) = learner.differs().unwrap();
    assert!(
        what.contains(
            &"the change count of the first generation of `/key1` is 4, not 3".replace('`', "")
        ),
        "{what:?}"
    );
    let unique: std::collections::BTreeSet<_> = what.iter().collect();
    assert_eq!(unique.len(), what.len());
    let all = what.join("; ");
    for broken in ["what follows", "a generation of", "the revisions of"] {
        assert!(!all.contains(broken), "{all}");
    }
}
