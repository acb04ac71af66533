//! The Lab: two settings, their results, and the current run.

use std::rc::Rc;

use watchglass_engine::session::latency::lab::{FromLab, ToLab};
use watchglass_engine::session::latency::{
    AccuracyRow, AccuracySetting, LabReport, LabSetting, Rate, Scheme,
};

use super::effect::Effect;
use super::progress::RunProgress;
use crate::host::Failure;

/// The number of lists for each point of a sweep.
const SWEEP_LISTS: u64 = 20_000;

#[derive(Clone, Debug, PartialEq)]
pub struct LabState {
    /// The current settings of A and B.
    pub settings: [LabSetting; 2],
    /// The result of the last run.
    pub reports: Option<Rc<Vec<LabReport>>>,
    /// The result of the last sweep. A sweep runs A and B with each value of one slider.
    pub sweep: Option<Swept>,
    /// The accuracy of the limits of etcd QoS, as last measured.
    pub accuracy: Option<Measured>,
    pub running: Option<LabRunning>,
    /// The kind of the last run, so that the user can repeat the run.
    pub last: LabRunKind,
    /// The number of runs started so far, which is also the number of the last run.
    pub runs: u32,
    /// The reason why the Lab's program failed.
    pub failure: Option<Failure>,
    /// Whether the Lab's program has been silent for seconds although a response is due.
    pub is_silent: bool,
}

/// The result of a sweep, which runs A and B with each value of one slider.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    /// The slider whose values the sweep used.
    pub knob: SweepKnob,
    /// One report for each value of the slider, first for A and then for B.
    pub reports: Rc<Vec<LabReport>>,
}

/// The measured accuracy of the limits of etcd QoS.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub setting: AccuracySetting,
    pub rows: Rc<Vec<AccuracyRow>>,
}

/// A slider whose values a sweep can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepKnob {
    /// The interval of progress requests.
    Interval,
    /// The number of lists per second.
    Lists,
    /// The number of writes to the listed resource per second.
    Own,
    /// The duration of a round trip to etcd.
    RoundTrip,
}

impl SweepKnob {
    /// Returns the values of a sweep, in the slider's own unit.
    pub fn values(self) -> &'static [u64] {
        match self {
            Self::Interval => &[20, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500],
            Self::Lists => &[1, 2, 5, 10, 20, 30, 40, 50, 75, 100],
            Self::Own => &[0, 1, 2, 5, 10, 15, 20, 30, 40, 50],
            Self::RoundTrip => &[0, 1, 2, 5, 10, 15, 20, 30, 40, 50],
        }
    }

    fn set(self, setting: &mut LabSetting, value: u64) {
        match self {
            Self::Interval => setting.interval.0 = value * 1_000,
            Self::Lists => setting.lists = Rate::per_second(value),
            Self::Own => setting.own = Rate::per_second(value),
            Self::RoundTrip => setting.round_trip.0 = value * 1_000,
        }
    }

    /// Returns the settings of A with each value of the slider, followed by the settings of B with each value.
    fn settings(self, both: &[LabSetting; 2]) -> Vec<LabSetting> {
        let at = |setting: &LabSetting| {
            let requests = SWEEP_LISTS.min(setting.requests);
            let setting = LabSetting {
                requests,
                ..*setting
            };
            self.values().iter().map(move |value| {
                let mut setting = setting;
                self.set(&mut setting, *value);
                setting
            })
        };
        both.iter().flat_map(at).collect()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct LabRunning {
    pub id: u32,
    pub kind: LabRunKind,
    pub progress: RunProgress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabRunKind {
    /// One run with the settings of A and one run with the settings of B.
    Both,
    /// A sweep: runs of A and B with each value of one slider.
    Sweep(SweepKnob),
    /// A measurement of the accuracy of limits.
    Accuracy(AccuracySetting),
}

#[derive(Clone, Debug, PartialEq)]
pub enum LabAct {
    /// Set both settings.
    Set(Box<[LabSetting; 2]>),
    /// Run A and B once.
    Run,
    /// Run an example of KEP-2340's draft. In this example, etcd's own timer also sends progress notifications.
    RunExample,
    /// Run A and B with each value of one slider.
    Sweep(SweepKnob),
    /// Measure the accuracy of limits.
    Accuracy(AccuracySetting),
    Cancel,
    /// Restart the Lab's program and repeat the last run.
    TryAgain,
}

impl Default for LabState {
    fn default() -> Self {
        Self {
            settings: [
                LabSetting::of(Scheme::TimerOnly),
                LabSetting::of(Scheme::Today),
            ],
            reports: None,
            sweep: None,
            accuracy: None,
            running: None,
            last: LabRunKind::Both,
            runs: 0,
            failure: None,
            is_silent: false,
        }
    }
}

impl LabState {
    pub(super) fn act(&mut self, act: LabAct) -> Vec<Effect> {
        match act {
            LabAct::Set(settings) => {
                self.settings = *settings;
                vec![Effect::WriteLab(LabSetting::to_text(&self.settings))]
            }
            LabAct::Run => vec![self.begin(LabRunKind::Both)],
            LabAct::RunExample => {
                self.settings = LabSetting::example_of_the_draft();
                let text = LabSetting::to_text(&self.settings);
                vec![Effect::WriteLab(text), self.begin(LabRunKind::Both)]
            }
            LabAct::Sweep(knob) => vec![self.begin(LabRunKind::Sweep(knob))],
            LabAct::Accuracy(setting) => vec![self.begin(LabRunKind::Accuracy(setting))],
            LabAct::Cancel => {
                let running = self.running.take();
                running
                    .map(|_| Effect::SendLab(ToLab::Cancel))
                    .into_iter()
                    .collect()
            }
            LabAct::TryAgain => vec![Effect::EndLab, self.begin(self.last)],
        }
    }

    /// Starts a run with the current settings; cancels the previous run.
    fn begin(&mut self, kind: LabRunKind) -> Effect {
        self.runs = self.runs.wrapping_add(1);
        let id = self.runs;
        let message = match kind {
            LabRunKind::Both => ToLab::Run {
                id,
                settings: self.settings.to_vec(),
            },
            LabRunKind::Sweep(knob) => ToLab::Run {
                id,
                settings: knob.settings(&self.settings),
            },
            LabRunKind::Accuracy(setting) => ToLab::Accuracy { id, setting },
        };
        let total = match &message {
            ToLab::Run { settings, .. } => settings.iter().map(|setting| setting.requests).sum(),
            // The first report of the progress has the number.
            ToLab::Accuracy { .. } | ToLab::Cancel => 0,
        };
        self.last = kind;
        self.failure = None;
        self.is_silent = false;
        self.running = Some(LabRunning {
            id,
            kind,
            progress: RunProgress {
                done: 0,
                total,
                running: None,
            },
        });
        Effect::SendLab(message)
    }

    /// Handles a message of the Lab's program. Ignores messages about earlier runs.
    pub(super) fn take(&mut self, message: FromLab) {
        let (FromLab::Progress { id, .. }
        | FromLab::Done { id, .. }
        | FromLab::Accuracy { id, .. }) = message;
        let Some(running) = self.running.as_mut().filter(|running| running.id == id) else {
            return;
        };
        match message {
            FromLab::Progress { done, total, .. } => {
                running.progress = RunProgress {
                    done,
                    total,
                    running: None,
                };
            }
            FromLab::Done { reports, .. } => {
                let reports = Rc::new(reports);
                match running.kind {
                    LabRunKind::Both => self.reports = Some(reports),
                    LabRunKind::Sweep(knob) => self.sweep = Some(Swept { knob, reports }),
                    LabRunKind::Accuracy(_) => {}
                }
                self.running = None;
            }
            FromLab::Accuracy { rows, .. } => {
                if let LabRunKind::Accuracy(setting) = running.kind {
                    let rows = Rc::new(rows);
                    self.accuracy = Some(Measured { setting, rows });
                }
                self.running = None;
            }
        }
    }

    /// Handles a failure of the Lab's program. The engine is not affected, because it is a separate program.
    pub(super) fn failed(&mut self, failure: Failure) {
        self.running = None;
        self.is_silent = false;
        self.failure = Some(failure);
    }
}
