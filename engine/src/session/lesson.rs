//! The actions of a learner in the current lesson besides typing commands: moves between parts, predictions, hints and
//! restarts.

use crate::scenario::expr::Facts;
use crate::scenario::lesson::PartKind;
use crate::words::lesson_run as words;

use super::answer::Answer;
use super::jobs::Work;
use super::lesson_run::{LessonRun, LessonState, Match, PartState};
use super::loading::Loading;
use super::protocol::{Done, LessonAct, Source};
use super::save::Saved;
use super::stand::Stand;
use super::texts::Texts;
use super::typing::Typed;
use super::workspace::Workspace;
use super::workspace::{Before, Reset};

/// The maximum length of a stored prediction, in characters.
const ANSWER_CHARS_MAX: usize = 200;

impl Workspace {
    pub(super) fn act(&mut self, act: LessonAct) -> Result<Answer, String> {
        let stand = self.stand();
        let typed = self.typed_commands();
        let lesson = self.lesson.as_mut().ok_or(words::NO_LESSON)?;
        self.dirty = true;
        let part = lesson.part();
        match act {
            LessonAct::Next => {
                let solving = matches!(lesson.lesson.parts[part].kind, PartKind::Task(_));
                lesson.mark().done |= !solving;
                lesson.next(stand);
            }
            LessonAct::Back => lesson.show(part.saturating_sub(1)),
            LessonAct::Part(part) if part as usize > lesson.last_begun() => {
                return Err(words::PART_NOT_STARTED.into());
            }
            LessonAct::Part(part) => lesson.show(part as usize),
            LessonAct::Leave => {
                return Ok(Answer::Done(Done::Text(self.without_lesson().to_text())));
            }
            LessonAct::Type => {
                let next = typed.iter().position(|typed| !typed.done);
                let blocks: Vec<_> = lesson.lesson.parts[part].blocks().collect();
                let block = next.and_then(|next| blocks.get(next));
                let block = block.ok_or(words::NO_MORE_COMMANDS)?;
                return Ok(Answer::Work(Work::Exec(Typed::new(&block.input).into())));
            }
            LessonAct::Answer(given) => match lesson.lesson.parts[part].kind {
                PartKind::Predict(_) => {
                    let is_first = lesson.mark().answer.is_none();
                    let kept = given.trim().chars().take(ANSWER_CHARS_MAX).collect();
                    lesson.mark().answer.get_or_insert(kept);
                    if is_first && lesson.lesson.is_exercise() {
                        let blocks = lesson.lesson.parts[part].blocks();
                        let lines: Vec<_> = blocks.map(|block| &*block.input).collect();
                        let typed = Typed::new(&lines.join("\n"));
                        return Ok(Answer::Work(Work::Exec(typed.into())));
                    }
                }
                PartKind::Step | PartKind::Task(_) => {
                    return Err(words::NO_QUESTION.into());
                }
            },
            LessonAct::Hint => match &lesson.lesson.parts[part].kind {
                PartKind::Task(task) => {
                    let all = task.hints.len() as u32;
                    let mark = lesson.mark();
                    mark.hints = (mark.hints + 1).min(all);
                }
                PartKind::Step | PartKind::Predict(_) => {
                    return Err(words::NO_HINTS.into());
                }
            },
            LessonAct::Solution => match &lesson.lesson.parts[part].kind {
                PartKind::Task(task) => {
                    let lines: Vec<_> = task.solution.iter().map(|b| b.input.clone()).collect();
                    lesson.mark().solution = true;
                    self.note_progress();
                    return Ok(Answer::Done(Done::Text(lines.join("\n"))));
                }
                PartKind::Step | PartKind::Predict(_) => {
                    return Err(words::NO_SOLUTION.into());
                }
            },
        }
        self.note_progress();
        Ok(Answer::Done(self.moved()))
    }

    /// Completes the displayed part of a preview with the right answer, and starts the next part.
    pub(super) fn finish_part(&mut self) {
        let stand = self.stand();
        let Some(run) = &mut self.lesson else {
            return;
        };
        let answer = match &run.lesson.parts[run.part()].kind {
            PartKind::Predict(question) => Some(question.answer.clone()),
            PartKind::Step | PartKind::Task(_) => None,
        };
        let mark = run.mark();
        (mark.done, mark.answer) = (true, answer);
        run.next(stand);
    }

    /// Returns the displayed part of the current lesson.
    pub(super) fn part(&self) -> Option<usize> {
        self.lesson.as_ref().map(LessonRun::part)
    }

    /// Returns the run as a saved run without the lesson. Its source is the commands at the start of the lesson.
    fn without_lesson(&self) -> Saved {
        let config = self.branches[0].run.head().config();
        let lesson = self.lesson.as_ref().map(|run| &run.lesson);
        let source = match lesson.filter(|lesson| !lesson.start.is_empty()) {
            Some(lesson) => Source::Text(lesson.start_text()),
            None => Source::Empty {
                profile: config.profile.to_string(),
                seed: config.seed,
            },
        };
        Saved {
            source,
            log: self.log.clone(),
            at: self.moment(),
            format: config.format,
            profile: config.profile,
            beat: 0,
        }
    }

    /// Restarts the part `from`, which must have started, or the whole lesson if `from` is `None`. Undo reverses the
    /// restart.
    pub(super) fn restart(&self, from: Option<usize>, texts: &Texts) -> Result<Loading, String> {
        let lesson = self.lesson.as_ref();
        let lesson = lesson.ok_or(words::NO_LESSON)?;
        let mut reset = lesson.clone();
        let to = match from {
            None => {
                reset.state = LessonState::new(lesson.lesson.parts.len());
                Stand::START
            }
            Some(part) if part > lesson.last_begun() => return Err(words::PART_NOT_STARTED.into()),
            Some(part) => {
                for mark in &mut reset.state.marks[part..=lesson.last_begun()] {
                    *mark = PartState::default();
                }
                reset.state.began.truncate(part + 1);
                reset.show(part);
                match part {
                    0 => Stand::START,
                    _ => lesson.state.began[part],
                }
            }
        };
        let (saved, lesson) = (self.saved(), lesson.clone());
        let mut before = self.before.clone();
        before.push(Before::Reset(Reset { saved, lesson }.into()));
        let mut loading = self.back_to(to, before, texts)?;
        loading.keep_lesson(reset);
        Ok(loading)
    }

    /// Returns where the log contains the commands of the lesson's current part.
    pub(super) fn typed_commands(&self) -> Vec<Match> {
        let Some(lesson) = &self.lesson else {
            return Vec::new();
        };
        let began = lesson.state.began[lesson.part()].log as usize;
        let since = self.log.get(began..).unwrap_or_default();
        let mut typed = lesson.match_part(lesson.part(), since.iter().map(|item| &*item.text));
        for at in typed.iter_mut().flat_map(|typed| &mut typed.commands) {
            *at += began;
        }
        typed
    }

    /// Checks whether the learner has finished the current part, and records the result.
    pub(super) fn check_lesson(&mut self) {
        let Some(lesson) = &self.lesson else {
            return;
        };
        let part = lesson.part();
        let mark = &lesson.state.marks[part];
        if mark.done {
            return;
        }
        let all_typed = || {
            let typed = self.typed_commands();
            !typed.is_empty() && typed.iter().all(|typed| typed.done)
        };
        let done = match &lesson.lesson.parts[part].kind {
            PartKind::Step => all_typed(),
            PartKind::Predict(_) => mark.answer.is_some() && all_typed(),
            PartKind::Task(task) => self.is_solved(task, &lesson.answers()),
        };
        if done && let Some(lesson) = &mut self.lesson {
            lesson.state.marks[part].done = true;
            if lesson.lesson.challenge().is_some() {
                let name = lesson.lesson.name.clone();
                self.note_best(&name);
            }
            self.note_progress();
        }
    }

    /// Returns the facts at the cursor, for the checks of a lesson.
    pub(super) fn facts<'a>(&'a self, answers: &'a [String]) -> Facts<'a> {
        let run = self.run();
        Facts {
            past: run.past(self.cursor, self.world(), &[]),
            last: run.last_exchange(self.cursor),
            answers,
        }
    }

    /// Restores the learner's stored position in the lesson if the run was saved (`is_kept`) or if its log contains
    /// commands.
    pub(super) fn resume_lesson(&mut self, is_kept: bool) {
        let Some(lesson) = self.lesson.as_mut().filter(|run| !run.is_preview) else {
            return;
        };
        let name = &lesson.lesson.name;
        if let Some(state) = self.progress.state(name)
            && (is_kept || !self.log.is_empty())
        {
            let shown = self.progress.shown(name);
            lesson.resume(state, shown);
        }
        self.resume_challenge();
        self.note_progress();
    }

    /// Marks a challenge as solved if the loaded run solves it. Its commands can be those of another person, so they
    /// are not counted.
    fn resume_challenge(&mut self) {
        self.find_goal();
        let task = self.lesson.as_ref().and_then(|run| run.lesson.challenge());
        let is_solved = task.is_some_and(|task| self.is_solved(task, &[]));
        if let Some(run) = &mut self.lesson
            && run.lesson.challenge().is_some()
        {
            run.state.marks[0].done |= is_solved;
        }
    }

    pub(super) fn note_progress(&mut self) {
        // The page stores the results of exercises. A preview is no progress of a learner.
        let is_kept = |run: &&LessonRun| !run.lesson.is_exercise() && !run.is_preview;
        if let Some(lesson) = self.lesson.as_ref().filter(is_kept) {
            let earlier = lesson.part() < lesson.last_begun();
            let shown = earlier.then_some(lesson.part() as u32);
            self.progress
                .note(&lesson.lesson.name, &lesson.state, shown);
        }
    }
}
