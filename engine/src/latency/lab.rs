//! The program of the latency lab. The program receives settings, simulates them one after another in small slices of
//! work, and reports the results.
//!
//! The lab is separate from the session's program, so that a run of the lab does not delay the session.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Accuracy, AccuracyRow, AccuracySetting, LabReport, LabSetting, Simulation};

/// The number of simulation steps in one slice. A slice is short enough that the page's main thread stays responsive.
const STEPS: u32 = 100;
/// The number of arrivals that one slice of an accuracy measurement simulates.
const ARRIVALS: u32 = 2_000;
/// The maximum number of settings in one message.
const SETTINGS_MAX: usize = 100;

/// A message from the page to the latency lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToLab {
    /// Simulate lists with each of these settings. If a run is in progress, this message cancels it, and the lab sends
    /// no report for it.
    Run {
        id: u32,
        /// The settings, in the order of their simulation.
        settings: Vec<LabSetting>,
    },
    /// Measure how accurately etcd QoS enforces its limits. If a run is in progress, this message cancels it, and the
    /// lab sends no report for it.
    Accuracy { id: u32, setting: AccuracySetting },
    /// Cancel the current run. The lab sends no report for it.
    Cancel,
}

/// A message from the latency lab to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromLab {
    /// The progress of the run: the number of completed lists, or the number of completed runs of an accuracy
    /// measurement.
    Progress { id: u32, done: u64, total: u64 },
    /// The simulation of lists has finished.
    Done {
        id: u32,
        /// The reports, one for each setting.
        reports: Vec<LabReport>,
    },
    Accuracy {
        id: u32,
        /// The rows of the accuracy table, one for each discipline and arrival rate.
        rows: Vec<AccuracyRow>,
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
    run: Option<(u32, Run)>,
}

#[derive(Debug)]
enum Run {
    Lists(ListsRun),
    Accuracy(Accuracy),
}

#[derive(Debug)]
struct ListsRun {
    simulation: Option<Box<Simulation>>,
    waiting: VecDeque<LabSetting>,
    done: Vec<LabReport>,
    total: u64,
}

impl Lab {
    /// Handles a message. This method only starts or cancels a run; [`pump_while`](Self::pump_while) does the work.
    pub fn handle(&mut self, message: ToLab) {
        self.run = match message {
            ToLab::Run { id, settings } => Some((id, Run::Lists(ListsRun::new(settings)))),
            ToLab::Accuracy { id, setting } => Some((id, Run::Accuracy(Accuracy::new(setting)))),
            ToLab::Cancel => None,
        };
    }

    /// Runs slices while `has_time` returns true. Returns true if the run has not finished.
    pub fn pump_while(
        &mut self,
        mut has_time: impl FnMut() -> bool,
        out: &mut Vec<FromLab>,
    ) -> bool {
        while let Some((id, run)) = &mut self.run {
            let id = *id;
            if !has_time() {
                let (done, total) = run.progress();
                out.push(FromLab::Progress { id, done, total });
                return true;
            }
            let is_over = match run {
                Run::Lists(run) => !run.advance(),
                Run::Accuracy(accuracy) => !accuracy.advance(ARRIVALS),
            };
            if is_over {
                let ended = self.run.take().map(|(_, run)| match run {
                    Run::Lists(run) => FromLab::Done {
                        id,
                        reports: run.done,
                    },
                    Run::Accuracy(accuracy) => FromLab::Accuracy {
                        id,
                        rows: accuracy.into_rows(),
                    },
                });
                out.extend(ended);
            }
        }
        false
    }
}

impl Run {
    /// Returns the number of completed lists and the total number of lists of the run. For an accuracy measurement,
    /// returns the number of completed runs and the total number of runs.
    fn progress(&self) -> (u64, u64) {
        match self {
            Self::Lists(run) => (run.lists_done(), run.total),
            Self::Accuracy(accuracy) => (accuracy.runs_done(), accuracy.runs()),
        }
    }
}

impl ListsRun {
    fn new(settings: Vec<LabSetting>) -> Self {
        let settings = settings.into_iter().take(SETTINGS_MAX);
        let waiting: VecDeque<LabSetting> = settings.map(LabSetting::clamped).collect();
        Self {
            simulation: None,
            total: waiting.iter().map(|setting| setting.requests).sum(),
            waiting,
            done: Vec::new(),
        }
    }

    /// Runs a slice of work. Returns false when the run has finished.
    fn advance(&mut self) -> bool {
        if self.simulation.is_none() {
            let next = self.waiting.pop_front();
            self.simulation = next.map(|setting| Box::new(Simulation::new(setting)));
        }
        let Some(simulation) = &mut self.simulation else {
            return false;
        };
        if !simulation.advance(STEPS) {
            self.done.push(simulation.report());
            self.simulation = None;
        }
        true
    }

    fn lists_done(&self) -> u64 {
        let before: u64 = self.done.iter().map(|report| report.wait.count).sum();
        before + self.simulation.as_ref().map_or(0, |running| running.done())
    }
}
