//! The program of the lab: it takes settings, runs one after the other in slices, and reports.
//!
//! It is a program of its own, beside the session's, so that a run of the lab holds up nothing else.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{LabReport, LabSetting, Simulation};

/// Things that are done in one slice: few enough that a page's own thread stays free.
const STEPS: u32 = 100;
/// Settings in one message.
const SETTINGS_MAX: usize = 100;

/// A message to the lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToLab {
    /// Run each of these settings. A run that is under way ends without a report.
    Run {
        /// The number of the run.
        id: u32,
        /// The settings.
        settings: Vec<LabSetting>,
    },
    /// End the run that is under way, without a report.
    Cancel,
}

/// A message from the lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromLab {
    /// The progress of the run, in lists.
    Progress {
        /// The number of the run.
        id: u32,
        /// Lists that are done.
        done: u64,
        /// Lists in all.
        total: u64,
    },
    /// The run has ended.
    Done {
        /// The number of the run.
        id: u32,
        /// One report for each setting.
        reports: Vec<LabReport>,
    },
}

/// The lab.
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

/// The run under way.
#[derive(Debug)]
struct Run {
    id: u32,
    simulation: Option<Box<Simulation>>,
    waiting: VecDeque<LabSetting>,
    done: Vec<LabReport>,
    total: u64,
}

impl Lab {
    /// Takes a message; the work is done by [`pump_while`](Self::pump_while).
    pub fn handle(&mut self, message: ToLab) {
        self.run = match message {
            ToLab::Run { id, settings } => Some(Run::new(id, settings)),
            ToLab::Cancel => None,
        };
    }

    /// Works in slices while `has_time` says so; returns whether there is more to do.
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

    /// Does a slice; returns all reports when nothing is left.
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
