//! The learner's progress in all lessons, as a short text that the page stores.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::base64;
use crate::words::lesson_run as words;

use super::lesson_run::LessonState;

const MAGIC: &str = "watchglass-progress-1.";

/// The maximum size of a progress text, in bytes.
const BYTES_MAX: usize = 1 << 20;

/// The learner's progress in all lessons.
///
/// ```
/// use watchglass_engine::session::progress::LearnerProgress;
/// let progress = LearnerProgress::default();
/// assert_eq!(LearnerProgress::from_text(&progress.to_text()).unwrap(), progress);
/// assert!(LearnerProgress::from_text("elsewhere").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LearnerProgress {
    lessons: BTreeMap<String, LessonProgress>,
    /// For each lesson in which the learner went back: the earlier part that is displayed. The engine still reads texts
    /// that end before this field.
    shown: BTreeMap<String, u32>,
    /// For each solved challenge: the smallest number of commands. The engine still reads texts that end
    /// before this field.
    best: BTreeMap<String, u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct LessonProgress {
    /// For each part: whether the learner has ever finished the part. A restart of the lesson does not change these
    /// values.
    done: Vec<bool>,
    state: LessonState,
}

impl LearnerProgress {
    /// Returns true if every part of a lesson was done at least once.
    pub fn finished(&self, name: &str) -> bool {
        let done = self.lessons.get(name).map(|kept| &kept.done);
        done.is_some_and(|done| !done.is_empty() && done.iter().all(|done| *done))
    }

    /// Returns the number of finished parts of a lesson.
    pub fn done(&self, name: &str) -> u32 {
        let done = self.lessons.get(name).map(|kept| &kept.done);
        done.map_or(0, |done| done.iter().filter(|done| **done).count() as u32)
    }

    pub(super) fn state(&self, name: &str) -> Option<&LessonState> {
        self.lessons.get(name).map(|kept| &kept.state)
    }

    /// Returns the earlier part that the learner went back to.
    pub(super) fn shown(&self, name: &str) -> Option<u32> {
        self.shown.get(name).copied()
    }

    pub(super) fn note(&mut self, name: &str, state: &LessonState, shown: Option<u32>) {
        match shown {
            Some(part) => self.shown.insert(name.into(), part),
            None => self.shown.remove(name),
        };
        let kept = self.lessons.entry(name.into()).or_default();
        // Another edition of a lesson may have another number of parts.
        kept.done.resize(state.marks.len(), false);
        for (done, mark) in kept.done.iter_mut().zip(&state.marks) {
            *done |= mark.done;
        }
        kept.state = state.clone();
    }

    /// Returns the smallest number of commands with which the learner solved a challenge.
    pub fn best(&self, name: &str) -> Option<u32> {
        self.best.get(name).copied()
    }

    pub(super) fn note_best(&mut self, name: &str, commands: u32) {
        let best = self.best.entry(name.into()).or_insert(commands);
        *best = commands.min(*best);
    }

    pub fn to_text(&self) -> String {
        // The progress consists of strings and numbers, so serialization cannot fail.
        let bytes = postcard::to_allocvec(self).unwrap_or_default();
        format!("{MAGIC}{}", base64::encode(&bytes))
    }

    /// Parses a progress text.
    ///
    /// # Errors
    /// Returns a message with the reason why the text cannot be read.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let body = text.trim().strip_prefix(MAGIC);
        let body = body.ok_or_else(|| words::not_progress(MAGIC))?;
        let bytes = (body.len() <= BYTES_MAX)
            .then(|| base64::decode(body))
            .flatten();
        let progress = bytes.and_then(|bytes| Self::from_bytes(&bytes));
        progress.ok_or_else(|| words::PROGRESS_DAMAGED.to_owned())
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (lessons, rest) = postcard::take_from_bytes(bytes).ok()?;
        let (shown, rest) = numbers(rest)?;
        let (best, rest) = numbers(rest)?;
        rest.is_empty().then_some(Self {
            lessons,
            shown,
            best,
        })
    }
}

/// Reads the next field of a progress text, and returns the bytes after it. The field is empty if the text ends before
/// it.
fn numbers(bytes: &[u8]) -> Option<(BTreeMap<String, u32>, &[u8])> {
    match bytes {
        [] => Some((BTreeMap::new(), bytes)),
        bytes => postcard::take_from_bytes(bytes).ok(),
    }
}
