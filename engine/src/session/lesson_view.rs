//! The view of the current lesson at the cursor, and the list of lessons.

use crate::scenario::expr::Facts;
use crate::scenario::format::{Block, Expected};
use crate::scenario::included::Included;
use crate::scenario::lesson::{Condition, Item, Part, PartKind, Text, number_in, same_answer};
use crate::scenario::lessons;
use crate::view::{
    ConditionView, LessonCard, LessonEnd, LessonItem, LessonView, PartMark, PartName, QuestionView,
    TaskView, TextRun,
};

use super::lesson_cards::aim;
use super::lesson_run::{LessonRun, Match, PartState};
use super::workspace::Workspace;

impl Workspace {
    pub(super) fn lesson_view(&self) -> Option<LessonView> {
        let run = self.lesson.as_ref()?;
        let answers = run.answers();
        let facts = self.facts(&answers);
        let typed = self.typed_commands();
        let lesson = &*run.lesson;
        let last_done = run.state.marks.last().is_some_and(|mark| mark.done);
        let is_last = run.part() + 1 == lesson.parts.len();
        let mut differs = Vec::new();
        let items = self.items(run, &typed, &mut differs);
        let question = self.question(run, &typed, &mut differs);
        let mut at_the_end = Vec::new();
        let has_end = last_done && !lesson.is_exercise() && lesson.challenge().is_none();
        let end = has_end.then(|| self.end(run, &mut at_the_end));
        if is_last {
            differs.append(&mut at_the_end);
        }
        let marks = lesson.parts.iter().zip(&run.state.marks);
        Some(LessonView {
            name: lesson.name.clone(),
            title: lesson.title.clone(),
            goal: aim(&lesson.goal, &facts),
            minutes: lesson.minutes,
            source: lesson.source.clone(),
            parts: marks
                .enumerate()
                .map(|(number, (part, mark))| part_mark(part, mark, number <= run.last_begun()))
                .collect(),
            part: run.part() as u32,
            items,
            question,
            task: self.task(run, &facts),
            challenge: self.challenge_view(),
            differs: self.differs(run, differs),
            misfit: self.misfit(run).map(|from| from as u32),
            near_miss: self.is_near_miss(run, &typed),
            end,
            finished: run.finished(),
            progress: self.progress.to_text(),
        })
    }

    /// Returns the part from which the learner should restart; `None` if the current part fits the learner's store.
    fn misfit(&self, run: &LessonRun) -> Option<usize> {
        let trial = self
            .trial
            .filter(|trial| trial.part == run.part() && !trial.fits);
        trial.map(|trial| trial.from)
    }

    /// Returns true if the solution of the current task no longer solves the task.
    fn is_stuck(&self, run: &LessonRun) -> bool {
        self.solution_trial
            .is_some_and(|trial| trial.part == run.part() && !trial.solves)
    }

    pub(super) fn lessons(&self) -> Vec<LessonCard> {
        let challenges = lessons::CHALLENGES.iter().map(|one| LessonCard {
            is_challenge: true,
            best: self.progress.best(one.name),
            ..self.card_of(one)
        });
        let lessons = lessons::ALL.iter().map(|one| self.card_of(one));
        lessons.chain(challenges).collect()
    }

    fn card_of(&self, lesson: &Included) -> LessonCard {
        let goal = Text::parse(lesson.header("goal")).unwrap_or_default();
        LessonCard {
            name: lesson.name.into(),
            title: lesson.header("title").into(),
            goal: aim(&goal, &self.facts(&[])),
            minutes: lesson.header("minutes").parse().unwrap_or_default(),
            picture: lesson.header("picture").into(),
            parts: lesson.parts,
            done: self.progress.done(lesson.name),
            finished: self.progress.finished(lesson.name),
            ..LessonCard::default()
        }
    }

    /// Returns the paragraphs and commands of the current part, up to the next command to type. For a question, the
    /// commands and the text about them appear only after the prediction, because they reveal the answer.
    fn items(
        &self,
        run: &LessonRun,
        typed: &[Match],
        differs: &mut Vec<Vec<TextRun>>,
    ) -> Vec<LessonItem> {
        let (part, mark) = (&run.lesson.parts[run.part()], &run.state.marks[run.part()]);
        let asks = matches!(part.kind, PartKind::Predict(_));
        let asking = asks && mark.answer.is_none() && !mark.done;
        let mut items = Vec::new();
        if run.lesson.is_exercise() {
            items.extend(run.lesson.start.iter().map(start_card));
        }
        let mut typed_left = typed.iter();
        for (number, item) in part.items.iter().enumerate() {
            match item {
                Item::Say(_) => {
                    let mut filled = self.paragraph(run, number, typed);
                    differs.append(&mut filled.differs);
                    items.push(LessonItem::Say(filled.runs));
                }
                Item::Note(title, _) => {
                    let mut filled = self.paragraph(run, number, typed);
                    differs.append(&mut filled.differs);
                    items.push(LessonItem::Note {
                        title: title.clone(),
                        text: filled.runs,
                    });
                }
                Item::Type(_) if asking => break,
                Item::Type(block) => {
                    let typed = typed_left.next();
                    items.push(self.card(block, typed));
                    if typed.is_none_or(|typed| !typed.done) {
                        break;
                    }
                }
            }
        }
        items
    }

    fn question(
        &self,
        run: &LessonRun,
        typed: &[Match],
        differs: &mut Vec<Vec<TextRun>>,
    ) -> Option<QuestionView> {
        let (part, mark) = (&run.lesson.parts[run.part()], &run.state.marks[run.part()]);
        let PartKind::Predict(question) = &part.kind else {
            return None;
        };
        let answered = mark.answer.is_some() || mark.done;
        let outcome = self.outcome(run, typed).filter(|_| answered);
        let (actual, mut why) = outcome.map(|outcome| (outcome.actual, outcome.why)).unzip();
        let right = match (&mark.answer, &actual) {
            // A presenter shows the answer without a guess.
            (Some(given), Some(actual)) if !given.is_empty() => Some(same_answer(actual, given)),
            _ => None,
        };
        if let Some(why) = &mut why {
            differs.append(&mut why.differs);
        }
        Some(QuestionView {
            choices: question.choices.clone(),
            is_number: question.choices.is_empty() && number_in(&question.answer).is_some(),
            given: mark.answer.clone(),
            actual,
            right,
            why: why
                .filter(|_| right.is_some())
                .map(|why| why.runs)
                .unwrap_or_default(),
        })
    }

    fn task(&self, run: &LessonRun, facts: &Facts<'_>) -> Option<TaskView> {
        let (part, mark) = (&run.lesson.parts[run.part()], &run.state.marks[run.part()]);
        let PartKind::Task(task) = &part.kind else {
            return None;
        };
        // If the task does not fit the store, a condition can hold by accident.
        let is_given = !self.is_changed(run) && self.misfit(run).is_none();
        let condition = |condition: &Condition| {
            let why = condition.unmet(facts);
            ConditionView {
                want: aim(&condition.want, facts),
                ok: why.is_none(),
                is_given: why.is_none() && is_given,
                why: why.map(|why| aim(why, facts)).unwrap_or_default(),
            }
        };
        let hints = (mark.hints as usize).min(task.hints.len());
        let solution = task.solution.iter().filter(|_| mark.solution);
        let mut conditions: Vec<_> = match task.conditions.is_empty() {
            true => self.goal_conditions(task),
            false => task.conditions.iter().map(condition).collect(),
        };
        // A reason before the learner has tried anything would be a hint.
        let has_tried =
            self.log.len() > run.state.began[run.part()].log as usize || self.misfit(run).is_some();
        if !has_tried {
            conditions.iter_mut().for_each(|one| one.why.clear());
        }
        Some(TaskView {
            conditions,
            hints: task.hints[..hints]
                .iter()
                .map(|hint| aim(hint, facts))
                .collect(),
            hints_left: (task.hints.len() - hints) as u32,
            solution: solution.map(|block| block.input.clone()).collect(),
            solved: mark.done,
            is_stuck: self.is_stuck(run) || self.is_past_goal(task),
        })
    }

    fn end(&self, run: &LessonRun, differs: &mut Vec<Vec<TextRun>>) -> LessonEnd {
        let mut say = |text: &Text| {
            let mut filled = self.finally(run, text);
            differs.append(&mut filled.differs);
            filled.runs
        };
        let aha = say(&run.lesson.aha);
        let pairs = run.lesson.misconceptions.iter();
        LessonEnd {
            aha,
            misconceptions: pairs
                .map(|(claim, truth)| (say(claim), say(truth)))
                .collect(),
        }
    }
}

/// Returns the card of a command that ran before the page showed the exercise.
fn start_card(block: &Block) -> LessonItem {
    LessonItem::Command {
        text: block.input.clone(),
        output: match &block.expected {
            Expected::Output(output) => output.clone(),
            Expected::Unsaid | Expected::Nothing => String::new(),
        },
        error_lines: Vec::new(),
        more_lines: 0,
        typed: true,
        failed: false,
    }
}

fn part_mark(part: &Part, mark: &PartState, has_begun: bool) -> PartMark {
    PartMark {
        title: part.title.clone(),
        kind: match part.kind {
            PartKind::Step => PartName::Step,
            PartKind::Predict(_) => PartName::Predict,
            PartKind::Task(_) => PartName::Task,
        },
        done: mark.done,
        has_begun,
    }
}
