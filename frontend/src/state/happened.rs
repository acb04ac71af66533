//! What scripts are told of by events: that time moved, that the run changed, that something failed.

use super::flow::State;
use super::ui::{EngineState, Tone};

/// The engine owes an answer and sends nothing.
pub const SILENT: &str = "The simulator does not respond.";

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// The cursor stands somewhere else now.
    Step {
        /// The step it stands after.
        step: u64,
        /// Steps of the run.
        steps: u64,
        /// The store's revision there.
        revision: i64,
        /// Simulated time there.
        time_us: u64,
    },
    /// Another run or branch, more steps, another picture, or playing began or ended.
    Change {
        /// The run's title.
        title: String,
        /// The branch.
        branch: u32,
        /// Steps of the run.
        steps: u64,
        /// The picture.
        view: &'static str,
        /// Whether steps follow one another.
        playing: bool,
    },
    /// A load has reached the limit of a figure after so many steps, and waits for its reader.
    Paused(u64),
    /// Something could not be done; why.
    Error(String),
    /// The link to the moment at hand was copied.
    LinkCopied(String),
}

/// The part of the state that events are about.
#[derive(Debug, PartialEq)]
pub struct Announced {
    step: Happened,
    change: Happened,
    paused: Option<u64>,
    error: Option<String>,
}

impl Announced {
    /// As it is now.
    pub fn of(state: &State) -> Announced {
        let (status, ui) = (&state.views.status, &state.ui);
        let notice = ui.notice.as_ref();
        let notice = notice.filter(|notice| notice.tone == Tone::Bad);
        Announced {
            step: Happened::Step {
                step: status.step,
                steps: status.steps,
                revision: status.revision,
                time_us: status.time_us,
            },
            change: Happened::Change {
                title: status.title.clone(),
                branch: status.branch,
                steps: status.steps,
                view: ui.prefs.view.name(),
                playing: ui.playing,
            },
            paused: ui.paused.map(|paused| paused.steps),
            error: match &ui.engine {
                EngineState::Failed(failure, _) => Some(failure.text()),
                _ if ui.is_silent => Some(SILENT.to_owned()),
                _ => notice.map(|notice| notice.text.clone()),
            },
        }
    }

    /// What has happened since then.
    pub fn since(self, before: &Announced) -> Vec<Happened> {
        let mut events = Vec::new();
        if self.change != before.change {
            events.push(self.change);
        }
        if self.step != before.step {
            events.push(self.step);
        }
        if self.paused != before.paused {
            events.extend(self.paused.map(Happened::Paused));
        }
        if self.error != before.error {
            events.extend(self.error.map(Happened::Error));
        }
        events
    }
}
