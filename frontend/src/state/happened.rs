//! The events for scripts: time moved, the run changed, or something failed.

use super::choices::Tone;
use super::effect::Happened;
use super::flow::State;
use super::ui::EngineState;
use crate::words::state as words;

/// The part of the state that is compared to detect events.
#[derive(Debug, PartialEq)]
pub struct Announced {
    step: Happened,
    change: Happened,
    paused: Option<u64>,
    error: Option<String>,
}

impl Announced {
    pub fn of(state: &State) -> Announced {
        let (status, ui) = (&state.views.status, &state.ui);
        let notice = ui.notice.as_ref();
        let notice = notice.filter(|notice| notice.tone == Tone::Bad);
        Announced {
            step: Happened::Step {
                step: status.step,
                steps: status.steps,
                beat: status.beat.number,
                beats: status.beat.count,
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
                _ if ui.is_silent => Some(words::SILENT.to_owned()),
                _ => notice.map(|notice| notice.text.clone()),
            },
        }
    }

    /// Returns the events that report the changes from the state `before` to this state.
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
