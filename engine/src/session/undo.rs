//! Taking back what was typed: the run is made again from what is left.
//!
//! Making it again, rather than cutting pieces off, is always right: the same inputs lead to the
//! same state. A run that a person typed is made again faster than they could tell.

use super::lesson::LessonRun;
use super::loading::Loading;
use super::save::Saved;
use super::session::Session;
use super::texts::NotNow;

/// Where a person stood: how much was typed, and the cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Stand {
    pub(super) log: u32,
    pub(super) branch: u32,
    pub(super) step: u64,
}

impl Stand {
    /// The end of what a run begins with.
    pub(super) const START: Self = Self {
        log: 0,
        branch: 0,
        step: u64::MAX,
    };
}

/// What undo goes back to.
#[derive(Clone, Debug)]
pub(super) enum Before {
    /// Something was typed.
    Typed(Stand),
    /// The lesson, or a part of it, was begun again.
    Reset(Box<Reset>),
}

/// What had been typed and reached before a reset.
#[derive(Clone, Debug)]
pub(super) struct Reset {
    pub(super) saved: Saved,
    pub(super) lesson: LessonRun,
}

impl Session {
    /// Where the person stands now.
    pub(super) fn stand(&self) -> Stand {
        Stand {
            log: self.log.len() as u32,
            branch: self.current as u32,
            step: self.cursor,
        }
    }

    /// Notes that something is about to be typed.
    pub(super) fn before_typing(&mut self) {
        self.before.push(Before::Typed(self.stand()));
    }

    /// Whether there is something to take back.
    pub(super) fn can_undo(&self) -> bool {
        let length = self.log.len() as u32;
        self.before.iter().any(|before| match before {
            Before::Typed(stand) => stand.log < length,
            Before::Reset(_) => true,
        })
    }

    /// Begins to take back what was typed last, or the last reset.
    pub(super) fn undo(&self) -> Result<Loading, String> {
        let length = self.log.len() as u32;
        let mut earlier = self.before.clone();
        while let Some(before) = earlier.pop() {
            match before {
                // What could not be read, or only looked, left nothing to take back.
                Before::Typed(stand) if stand.log >= length => {}
                Before::Typed(stand) => return self.back_to(stand, earlier),
                Before::Reset(reset) => {
                    return self.rewound(reset.saved, Some(reset.lesson), earlier);
                }
            }
        }
        Err("there is nothing to undo".into())
    }

    /// Begins to go back to where a person stood.
    pub(super) fn back_to(&self, stand: Stand, before: Vec<Before>) -> Result<Loading, String> {
        let log = self.log[..(stand.log as usize).min(self.log.len())].to_vec();
        let mut lesson = self.lesson.clone();
        if let Some(lesson) = &mut lesson {
            lesson.back_to(stand.log);
        }
        let saved = Saved {
            source: self.source.clone(),
            log,
            branch: stand.branch,
            step: stand.step,
        };
        self.rewound(saved, lesson, before)
    }

    fn rewound(
        &self,
        saved: Saved,
        lesson: Option<LessonRun>,
        before: Vec<Before>,
    ) -> Result<Loading, String> {
        let loading = Loading::rewound(saved, lesson, before, &self.texts);
        loading.map_err(|why| match why {
            NotNow::Refused(message) => message,
            // The run was made from it.
            NotNow::Wants(name) => unreachable!("the text {name} is here"),
        })
    }
}
