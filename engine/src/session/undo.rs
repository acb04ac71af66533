//! Undo replays the run without the last typed text.
//!
//! A replay is always correct, because the same inputs lead to the same state. For a run of the length that a person
//! types, the replay takes no noticeable time.

use crate::words::{file as file_words, session as session_words};

use super::lesson_run::LessonRun;
use super::loading::Loading;
use super::save::Saved;
use super::stand::Stand;
use super::texts::{NotNow, Texts};
use super::workspace::{Before, Workspace};

impl Workspace {
    /// Returns the current position, so that undo can later return to this position.
    pub(super) fn stand(&self) -> Stand {
        Stand {
            log: self.log.len() as u32,
            at: self.moment(),
        }
    }

    /// Records the current position as a target of undo. Call this before a text is typed.
    pub(super) fn before_typing(&mut self) {
        self.before.push(Before::Typed(self.stand()));
    }

    pub(super) fn can_undo(&self) -> bool {
        let length = self.log.len() as u32;
        self.before.iter().any(|before| match before {
            Before::Typed(stand) => stand.log < length,
            Before::Reset(_) => true,
        })
    }

    /// Starts to undo the last typed text or the last restart.
    pub(super) fn undo(&self, texts: &Texts) -> Result<Loading, String> {
        let length = self.log.len() as u32;
        let mut earlier = self.before.clone();
        while let Some(before) = earlier.pop() {
            match before {
                // A text that added nothing to the log leaves nothing to undo.
                Before::Typed(stand) if stand.log >= length => {}
                Before::Typed(stand) => return self.back_to(stand, earlier, texts),
                Before::Reset(reset) => {
                    return rewound(reset.saved, Some(reset.lesson), earlier, texts);
                }
            }
        }
        Err(session_words::NOTHING_TO_UNDO.into())
    }

    /// Starts to replay the run up to an earlier position.
    pub(super) fn back_to(
        &self,
        stand: Stand,
        before: Vec<Before>,
        texts: &Texts,
    ) -> Result<Loading, String> {
        let log = self.log[..(stand.log as usize).min(self.log.len())].to_vec();
        let mut lesson = self.lesson.clone();
        if let Some(lesson) = &mut lesson {
            lesson.back_to(stand.log);
        }
        let saved = Saved {
            source: self.source.clone(),
            log,
            at: stand.at,
            format: self.world().config().format,
            profile: self.first_profile(),
            beat: 0,
        };
        rewound(saved, lesson, before, texts)
    }
}

fn rewound(
    saved: Saved,
    lesson: Option<LessonRun>,
    before: Vec<Before>,
    texts: &Texts,
) -> Result<Loading, String> {
    let loading = Loading::rewound(saved, lesson, before, texts);
    loading.map_err(|why| match why {
        NotNow::Refused(message) => message,
        // The current run was loaded from this text, so the session has the text.
        NotNow::Wants(name) => unreachable!("the session has the text {name}"),
        NotNow::WantsFile(file) => file_words::undo_needs(&file.name),
    })
}
