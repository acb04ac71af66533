//! The first exercises of each form: a valid text, one right answer, wrong answers with reasons, no repetition.

use std::collections::BTreeSet;

use watchglass_engine::scenario::lesson::{self, Lesson, PartKind, Question};
use watchglass_engine::session::practice::{Form, Item};
use watchglass_engine::session::rehearsal::rehearse;
use watchglass_engine::session::{
    LessonAct, Notification, Request, SeekTo, Session, Source, ToEngine,
};
use watchglass_engine::view::{LessonItem, Queries};

/// A thousand exercises, over all forms.
fn items() -> impl Iterator<Item = Item> {
    let numbers = 1000_u32.div_ceil(Form::ALL.len() as u32);
    let forms = Form::ALL.into_iter();
    forms.flat_map(move |form| (0..numbers).map(move |number| Item { form, number }))
}

fn text(item: Item) -> String {
    let text = item.text();
    text.unwrap_or_else(|| panic!("{item}: no attempt has enough choices"))
}

fn question(lesson: &Lesson) -> &Question {
    match &lesson.parts[..] {
        [part] => match &part.kind {
            PartKind::Predict(question) => question,
            other => panic!("{other:?}"),
        },
        parts => panic!("{} parts", parts.len()),
    }
}

#[test]
fn an_exercise_has_one_right_answer_and_a_reason_for_each_wrong_one() {
    let mut wrong = Vec::new();
    let mut texts = BTreeSet::new();
    for item in items() {
        let text = text(item);
        let without_name = text.replacen(&item.to_string(), "", 1);
        assert!(
            texts.insert(without_name),
            "{item} repeats another exercise\n{text}"
        );
        let lesson = lesson::parse(&text).unwrap_or_else(|e| panic!("{item}: {e}\n{text}"));
        let question = question(&lesson);
        let right = question.choices.iter().filter(|c| question.is_right(c));
        assert_eq!(right.count(), 1, "{item}\n{text}");
        assert!((3..=4).contains(&question.choices.len()), "{item}\n{text}");
        let guesses = question.choices.iter().filter(|c| !question.is_right(c));
        let reasons: BTreeSet<String> = guesses
            .map(|guess| match question.why(guess) {
                Some(why) if !why.is_empty() => format!("{guess}: {why}"),
                _ => panic!("{item}: no reason why {guess} is wrong\n{text}"),
            })
            .collect();
        assert_eq!(reasons.len() + 1, question.choices.len(), "{item}\n{text}");
        // The rehearsal runs the commands again, and compares the answer with the run.
        let faults = rehearse(&text).unwrap_or_else(|e| panic!("{item}: {e}\n{text}"));
        wrong.extend(faults.iter().map(|f| format!("{item}: {}", f.text)));
    }
    assert!(texts.len() >= 1000);
    assert!(
        wrong.is_empty(),
        "{} faults\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}

/// In a session, each choice of an exercise is graded by the run, and nothing shows the answer before the choice.
#[test]
fn a_session_grades_every_choice() {
    for form in Form::ALL {
        let item = Item { form, number: 3 };
        let parsed = lesson::parse(&text(item)).unwrap();
        let question = question(&parsed);
        for choice in &question.choices {
            let mut session = Session::default();
            let mut out = Vec::new();
            let queries = Queries {
                lesson: true,
                ..Queries::default()
            };
            let show = Notification::Show(queries.into());
            session.handle(ToEngine::Notification(show), &mut out);
            session.load(Source::Lesson(item.to_string()), SeekTo::Default);
            let before = session.views().lesson.unwrap();
            let is_start =
                |item: &LessonItem| matches!(item, LessonItem::Command { typed: true, .. });
            let starts = before.items.iter().filter(|item| is_start(item)).count();
            assert_eq!(
                (starts, before.items.len()),
                (parsed.start.len(), starts + 1),
                "{item}"
            );
            let request = Request::Lesson(LessonAct::Answer(choice.clone()));
            session.handle(ToEngine::Request(1, request), &mut out);
            while session.pump(100, &mut out) {}
            let view = session.views().lesson.unwrap();
            let graded = view.question.unwrap();
            assert_eq!(graded.actual.as_ref(), Some(&question.answer), "{item}");
            assert_eq!(
                graded.right,
                Some(question.is_right(choice)),
                "{item}: {choice}"
            );
            assert_eq!(
                graded.why.is_empty(),
                question.is_right(choice),
                "{item}: {choice}"
            );
            assert_eq!((view.differs, view.end), (None, None), "{item}");
            assert!(
                !view.progress.contains(form.name()),
                "the page stores the results"
            );
        }
    }
}

#[test]
fn an_exercise_needs_no_task_but_a_lesson_does() {
    let exercise = text(Item::named("version-0").unwrap());
    assert!(lesson::parse(&exercise).unwrap().is_exercise());
    let (head, question) = exercise.split_once("#: predict").unwrap();
    let lesson = format!("{head}#: step First\n# A step.\n\n#: predict{question}");
    assert!(
        lesson::parse(&lesson)
            .unwrap_err()
            .message
            .contains("#: task")
    );
    for unknown in ["version", "version-", "version-x", "version-007", "other-1"] {
        assert_eq!(Item::named(unknown), None, "{unknown}");
    }
}

#[test]
fn an_answer_may_have_a_condition() {
    let exercise = text(Item::named("compact-again-0").unwrap());
    let parsed = lesson::parse(&exercise).unwrap();
    let question = question(&parsed);
    assert!(question.is_condition);
    let line = exercise
        .lines()
        .find(|line| line.starts_with("#: answer"))
        .unwrap();
    let (answer, condition) = line.split_once(" if ").unwrap();
    let negated = exercise.replace(line, &format!("{answer} if not ({condition})"));
    let faults = rehearse(&negated).unwrap();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(
        faults[0].text.contains("does not hold after the commands"),
        "{faults:?}"
    );
}
