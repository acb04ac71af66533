//! How far a learner is with every lesson, as a small text that the page keeps and gives back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::base64;

use super::lesson::LessonState;

/// What every such text begins with.
const MAGIC: &str = "watchglass-progress-1.";

/// Bytes of such a text that are still read.
const BYTES_MAX: usize = 1 << 20;

/// How far a learner is with every lesson.
///
/// ```
/// use watchglass_engine::session::progress::Progress;
/// let progress = Progress::default();
/// assert_eq!(Progress::from_text(&progress.to_text()).unwrap(), progress);
/// assert!(Progress::from_text("elsewhere").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    lessons: BTreeMap<String, LessonProgress>,
}

/// How far a learner is with one lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct LessonProgress {
    /// Every part of it was done, once.
    finished: bool,
    state: LessonState,
}

impl Progress {
    /// Whether every part of a lesson was done, once.
    pub fn finished(&self, name: &str) -> bool {
        self.lessons.get(name).is_some_and(|kept| kept.finished)
    }

    pub(super) fn state(&self, name: &str) -> Option<&LessonState> {
        self.lessons.get(name).map(|kept| &kept.state)
    }

    pub(super) fn note(&mut self, name: &str, finished: bool, state: &LessonState) {
        let kept = self.lessons.entry(name.into()).or_default();
        kept.finished |= finished;
        kept.state = state.clone();
    }

    /// As text.
    pub fn to_text(&self) -> String {
        // Strings and numbers: there is nothing in it that cannot be written.
        let bytes = postcard::to_allocvec(self).unwrap_or_default();
        format!("{MAGIC}{}", base64::encode(&bytes))
    }

    /// Reads such a text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let body = text.trim().strip_prefix(MAGIC).ok_or_else(|| {
            format!("this is not a learner's progress: it does not begin with `{MAGIC}`")
        })?;
        let bytes = (body.len() <= BYTES_MAX)
            .then(|| base64::decode(body))
            .flatten();
        let progress = bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        progress.ok_or_else(|| "this progress is damaged or from another version".to_owned())
    }
}
