//! Work of a session that takes more than a moment.

use crate::view::Queries;

use super::asked::{Asked, Replaying};
use super::loading::Loading;
use super::protocol::{Act, FileIdentity, LessonAct, ToEngine};
use super::typing::Typed;

/// A long-running job.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: u32,
    pub(super) work: Work,
}

#[derive(Debug)]
pub(super) enum Work {
    Exec(Box<Typed>),
    Load(Box<Loading>),
    /// An undo or a restart; what is typed is [`Work::Exec`].
    Act(Act),
    Lesson(LessonAct),
    /// A lesson's last moment is made, to be shown in these pictures.
    Goal(Box<Loading>, Queries),
    /// It was asked for while another run was about to take the place.
    Asked(Asked),
    /// The cursor, or a picture of another moment, is on a long way, which goes before whatever else is to be done.
    Replaying(Replaying),
    /// A message waits for a text.
    Text {
        name: String,
        message: Box<ToEngine>,
    },
    /// A load waits for a file.
    File {
        wanted: FileIdentity,
        message: Box<ToEngine>,
    },
}

impl Job {
    /// Whether this may put another run in the place of this one, or waits for that.
    pub(super) fn replaces(&self) -> bool {
        match &self.work {
            Work::Load(_) | Work::Act(_) | Work::Lesson(_) | Work::Asked(_) | Work::File { .. } => {
                true
            }
            Work::Text { message, .. } => matches!(**message, ToEngine::Load { .. }),
            Work::Exec(_) | Work::Goal(..) | Work::Replaying(_) => false,
        }
    }
}
