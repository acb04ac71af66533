//! The jobs of a session: work that may take several slices.

use crate::view::Queries;

use super::export::Export;
use super::inputs::Replay;
use super::loading::Loading;
use super::odds;
use super::protocol::{Act, FileIdentity, Request};
use super::qos_comparison::QosComparison;
use super::rehearsal::Rehearsal;
use super::typing::Typed;

/// A job, with the id of the message that started the job.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: u32,
    pub(super) work: Work,
}

#[derive(Debug)]
pub(super) enum Work {
    Exec(Box<Typed>),
    Load(Box<Loading>),
    /// A request that begins when the earlier jobs are done.
    Request(Box<Request>),
    /// Computes the state of the run at the goal of a lesson, and returns the views of that state for these queries.
    Goal(Box<Loading>, Box<Queries>),
    /// A long replay for a cursor move or for the views of another step. The replay runs before all other work.
    Replaying(Replaying),
    /// Compares the run with and without the QoS rules. This job runs in the background: only while there is no other
    /// work.
    Comparing(Box<QosComparison>),
    /// Searches the run for endings, or repeats the run, in the background.
    Odds(odds::Work),
    /// Writes a file of the run, in the background.
    Exporting(Box<Export>),
    /// Checks the text of a lesson, in the background.
    Rehearsing(Box<Rehearsal>),
    /// A request that waits for the text of a story or lesson.
    Text {
        name: String,
        request: Box<Request>,
    },
    /// A load that waits for a database file.
    File {
        wanted: FileIdentity,
        request: Box<Request>,
    },
}

#[derive(Debug)]
pub(super) enum Replaying {
    /// The replay belongs to a move of the cursor.
    Seek(Replay),
    /// The replay creates the world at a step of a branch. The response contains the views of this world that the
    /// queries select.
    Look {
        branch: u32,
        replay: Replay,
        queries: Box<Queries>,
    },
}

impl Job {
    /// Returns true if the job runs only while there is no other work.
    pub(super) fn is_in_the_background(&self) -> bool {
        self.reads_the_run() || matches!(self.work, Work::Rehearsing(_))
    }

    /// Returns true if the job reads the current run, in the background.
    pub(super) fn reads_the_run(&self) -> bool {
        matches!(
            self.work,
            Work::Comparing(_) | Work::Odds(_) | Work::Exporting(_)
        )
    }

    /// Returns true if the job may replace the current run, or if it waits for such a job.
    pub(super) fn replaces(&self) -> bool {
        match &self.work {
            Work::Request(request) => !matches!(**request, Request::Act(Act::Type(_))),
            Work::Load(_) | Work::File { .. } => true,
            Work::Text { request, .. } => matches!(**request, Request::Load { .. }),
            Work::Exec(_)
            | Work::Goal(..)
            | Work::Replaying(_)
            | Work::Comparing(_)
            | Work::Odds(_)
            | Work::Exporting(_)
            | Work::Rehearsing(_) => false,
        }
    }
}
