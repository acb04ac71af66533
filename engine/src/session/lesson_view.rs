//! The lesson rail and the list of lessons, from the lesson under way and the moment at the cursor.

use crate::scenario::expr::Facts;
use crate::scenario::format::Expected;
use crate::scenario::lesson::{self, Item, Lesson, Part, PartKind, Piece, Text};
use crate::scenario::lessons;
use crate::view::{
    ConditionView, LessonCard, LessonEnd, LessonItem, LessonView, PartMark, PartName, QuestionView,
    Run, RunKind, TaskView,
};

use super::lesson::{LessonRun, Mark};
use super::session::Session;

impl Session {
    /// The lesson under way.
    pub(super) fn lesson_view(&self) -> Option<LessonView> {
        let run = self.lesson.as_ref()?;
        let answers = run.answers();
        let facts = self.facts(&answers);
        let typed = self.typed_commands();
        let lesson = &*run.lesson;
        let part = &lesson.parts[run.part()];
        let mark = &run.state.marks[run.part()];
        let last_done = run.state.marks.last().is_some_and(|mark| mark.done);
        let marks = lesson.parts.iter().zip(&run.state.marks);
        Some(LessonView {
            name: lesson.name.clone(),
            title: lesson.title.clone(),
            goal: runs(&lesson.goal, &facts),
            minutes: lesson.minutes,
            source: lesson.source.clone(),
            parts: marks.map(|(part, mark)| part_mark(part, mark)).collect(),
            part: run.part() as u32,
            items: items(part, mark, &typed, &facts),
            question: question(part, mark, &typed),
            task: task(part, mark, &facts),
            end: last_done.then(|| end(run, &facts)),
            finished: run.finished(),
            can_undo: self.can_undo(),
            progress: self.progress.to_text(),
        })
    }

    /// The lessons there are.
    pub(super) fn lessons(&self) -> Vec<LessonCard> {
        let read = lessons::ALL
            .iter()
            .filter_map(|l| lesson::parse(l.text).ok());
        read.map(|lesson| self.card(&lesson)).collect()
    }

    fn card(&self, lesson: &Lesson) -> LessonCard {
        LessonCard {
            name: lesson.name.clone(),
            title: lesson.title.clone(),
            goal: runs(&lesson.goal, &self.facts(&[])),
            minutes: lesson.minutes,
            picture: lesson.picture.name().into(),
            parts: lesson.parts.len() as u32,
            done: self.progress.done(&lesson.name),
            finished: self.progress.finished(&lesson.name),
        }
    }
}

fn part_mark(part: &Part, mark: &Mark) -> PartMark {
    PartMark {
        title: part.title.clone(),
        kind: match part.kind {
            PartKind::Step => PartName::Step,
            PartKind::Predict(_) => PartName::Predict,
            PartKind::Task(_) => PartName::Task,
        },
        done: mark.done,
    }
}

/// What is said and what is to be typed. A question's commands, and what is said about them, come
/// after the prediction: otherwise there is nothing to predict.
fn items(part: &Part, mark: &Mark, typed: &[bool], facts: &Facts<'_>) -> Vec<LessonItem> {
    let asking = matches!(part.kind, PartKind::Predict(_)) && mark.answer.is_none() && !mark.done;
    let shown = |item: &&Item| !asking || matches!(item, Item::Say(_));
    let mut typed = typed.iter();
    let item = |item: &Item| match item {
        Item::Say(text) => LessonItem::Say(runs(text, facts)),
        Item::Type(block) => LessonItem::Command {
            text: block.input.clone(),
            output: match &block.expected {
                Expected::Output(text) => text.clone(),
                Expected::Unsaid => String::new(),
            },
            typed: typed.next().is_some_and(|typed| *typed),
        },
    };
    part.items.iter().take_while(shown).map(item).collect()
}

fn question(part: &Part, mark: &Mark, typed: &[bool]) -> Option<QuestionView> {
    let PartKind::Predict(question) = &part.kind else {
        return None;
    };
    let came = mark.done || (mark.answer.is_some() && typed.iter().all(|typed| *typed));
    let right = mark.answer.as_deref().map(|given| question.is_right(given));
    Some(QuestionView {
        choices: question.choices.clone(),
        given: mark.answer.clone(),
        came: came.then(|| question.answer.clone()),
        right: right.filter(|_| came),
    })
}

fn task(part: &Part, mark: &Mark, facts: &Facts<'_>) -> Option<TaskView> {
    let PartKind::Task(task) = &part.kind else {
        return None;
    };
    let hints = (mark.hints as usize).min(task.hints.len());
    let solution = task.solution.iter().filter(|_| mark.solution);
    Some(TaskView {
        conditions: task
            .conditions
            .iter()
            .map(|condition| {
                let why = condition.unmet(facts);
                ConditionView {
                    want: runs(&condition.want, facts),
                    ok: why.is_none(),
                    why: why.map(|why| runs(why, facts)).unwrap_or_default(),
                }
            })
            .collect(),
        hints: task.hints[..hints]
            .iter()
            .map(|hint| runs(hint, facts))
            .collect(),
        hints_left: (task.hints.len() - hints) as u32,
        solution: solution.map(|block| block.input.clone()).collect(),
        solved: mark.done,
    })
}

fn end(run: &LessonRun, facts: &Facts<'_>) -> LessonEnd {
    let pairs = run.lesson.misconceptions.iter();
    LessonEnd {
        aha: runs(&run.lesson.aha, facts),
        misconceptions: pairs
            .map(|(claim, truth)| (runs(claim, facts), runs(truth, facts)))
            .collect(),
    }
}

/// A paragraph as the page sets it.
fn runs(text: &Text, facts: &Facts<'_>) -> Vec<Run> {
    let run = |piece: &Piece| {
        let (text, kind) = match piece {
            Piece::Plain(text) => (text.clone(), RunKind::Plain),
            Piece::Code(code) => (code.clone(), RunKind::Code),
            Piece::Said { said, .. } => (said.clone(), RunKind::Number),
            Piece::Now(expr) => (expr.value(facts).to_string(), RunKind::Number),
        };
        Run { text, kind }
    };
    text.pieces.iter().map(run).collect()
}
