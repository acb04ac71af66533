//! The program of the latency lab. It receives settings, runs them one after another in slices, and reports the
//! results.
//!
//! The lab is separate from the session's program, so that a run of the lab does not delay the session.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{LabReport, LabSetting, Simulation};

/// The number of simulation steps in one slice. A slice is short enough that the page's main thread stays responsive.
const STEPS: u32 = 100;
/// The maximum number of settings in one message.
const SETTINGS_MAX: usize = 100;

/// A message to the lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToLab {
    /// Run each of these settings. A run in progress ends without a report.
    Run {
        /// The id of the run.
        id: u32,
        /// The settings, in the order in which they run.
        settings: Vec<LabSetting>,
    },
    /// End the current run without a report.
    Cancel,
}

/// A message from the lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromLab {
    /// The progress of the run, counted in lists.
    Progress {
        /// The id of the run.
        id: u32,
        /// The number of completed lists.
        done: u64,
        /// The total number of lists.
        total: u64,
    },
    /// The run has finished.
    Done {
        /// The id of the run.
        id: u32,
        /// The reports, one for each setting.
        reports: Vec<LabReport>,
    },
}

/// The latency lab, with its current run.
///
/// ```
/// use watchglass_engine::latency::lab::{FromLab, Lab, ToLab};
/// use watchglass_engine::latency::{Scheme, LabSetting};
/// let setting = LabSetting { requests: 100, ..LabSetting::of(Scheme::TimerOnly) };
/// let mut lab = Lab::default();
/// lab.handle(ToLab::Run { id: 1, settings: vec![setting] });
/// let mut out = Vec::new();
/// while lab.pump_while(|| true, &mut out) {}
/// assert!(matches!(&out[..], [FromLab::Done { id: 1, reports }] if reports[0].wait.count == 100));
/// ```
#[derive(Debug, Default)]
pub struct Lab {
    run: Option<Run>,
}

/// The current run.
#[derive(Debug)]
struct Run {
    id: u32,
    simulation: Option<Box<Simulation>>,
    waiting: VecDeque<LabSetting>,
    done: Vec<LabReport>,
    total: u64,
}

impl Lab {
    /// Handles a message. [`pump_while`](Self::pump_while) does the work of a run.
    pub fn handle(&mut self, message: ToLab) {
        self.run = match message {
            ToLab::Run { id, settings } => Some(Run::new(id, settings)),
            ToLab::Cancel => None,
        };
    }

    /// Runs slices while `has_time` returns true. Returns true if the run has not finished.
    pub fn pump_while(
        &mut self,
        mut has_time: impl FnMut() -> bool,
        out: &mut Vec<FromLab>,
    ) -> bool {
        while let Some(run) = &mut self.run {
            if !has_time() {
                let (done, total) = (run.lists_done(), run.total);
                let id = run.id;
                out.push(FromLab::Progress { id, done, total });
                return true;
            }
            if let Some(reports) = run.advance() {
                let id = run.id;
                out.push(FromLab::Done { id, reports });
                self.run = None;
            }
        }
        false
    }
}

impl Run {
    fn new(id: u32, settings: Vec<LabSetting>) -> Self {
        let settings = settings.into_iter().take(SETTINGS_MAX);
        let waiting: VecDeque<LabSetting> = settings.map(LabSetting::clamped).collect();
        Self {
            id,
            simulation: None,
            total: waiting.iter().map(|setting| setting.requests).sum(),
            waiting,
            done: Vec::new(),
        }
    }

    /// Runs a slice. Returns all reports when the run has finished.
    fn advance(&mut self) -> Option<Vec<LabReport>> {
        if self.simulation.is_none() {
            let next = self.waiting.pop_front();
            self.simulation = next.map(|setting| Box::new(Simulation::new(setting)));
        }
        let Some(simulation) = &mut self.simulation else {
            return Some(std::mem::take(&mut self.done));
        };
        if !simulation.advance(STEPS) {
            self.done.push(simulation.report());
            self.simulation = None;
        }
        None
    }

    fn lists_done(&self) -> u64 {
        let before: u64 = self.done.iter().map(|report| report.wait.count).sum();
        before + self.simulation.as_ref().map_or(0, |running| running.done())
    }
}
