//! The latency lab: two settings, what they came to, and the run that is under way.

use std::rc::Rc;

use watchglass_engine::session::latency::{Rate, Report, Scheme, Setting};
use watchglass_engine::session::protocol::{Done, ToEngine};

use super::effect::Effect;
use super::flow::{Purpose, State};
use super::ui::{Notice, Progress, Tone};

/// Lists of one point of a sweep.
const SWEEP_LISTS: u64 = 20_000;

/// What the lab knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Lab {
    /// The settings at the knobs, A and B.
    pub settings: [Setting; 2],
    /// What the last run came to.
    pub reports: Option<Rc<Vec<Report>>>,
    /// What the last sweep came to: all of A's, then all of B's.
    pub sweep: Option<Swept>,
    /// The run under way.
    pub running: Option<Running>,
}

/// A sweep over one knob.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    /// The knob.
    pub knob: SweepKnob,
    /// One report for each of its values, those of A first.
    pub reports: Rc<Vec<Report>>,
}

/// A knob that can be swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepKnob {
    /// The interval.
    Interval,
    /// How often lists come.
    Lists,
    /// How often the listed resource is written.
    Own,
    /// The round trip.
    RoundTrip,
}

impl SweepKnob {
    /// Its values, in its own unit.
    pub fn values(self) -> &'static [u64] {
        match self {
            Self::Interval => &[20, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500],
            Self::Lists => &[1, 2, 5, 10, 20, 30, 40, 50, 75, 100],
            Self::Own => &[0, 1, 2, 5, 10, 15, 20, 30, 40, 50],
            Self::RoundTrip => &[0, 1, 2, 5, 10, 15, 20, 30, 40, 50],
        }
    }

    fn set(self, setting: &mut Setting, value: u64) {
        match self {
            Self::Interval => setting.interval.0 = value * 1_000,
            Self::Lists => setting.lists = Rate::per_second(value),
            Self::Own => setting.own = Rate::per_second(value),
            Self::RoundTrip => setting.round_trip.0 = value * 1_000,
        }
    }

    /// Both settings with each of its values, those of A first.
    fn settings(self, both: &[Setting; 2]) -> Vec<Setting> {
        let at = |setting: &Setting| {
            let requests = SWEEP_LISTS.min(setting.requests);
            let setting = Setting {
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

/// A run under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    /// Its number.
    pub id: u32,
    /// What it is for.
    pub kind: RunKind,
    /// How far it is.
    pub progress: Progress,
}

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// A and B.
    Both,
    /// A knob is swept.
    Sweep(SweepKnob),
}

/// What can be done in the lab.
#[derive(Clone, Debug, PartialEq)]
pub enum LabAct {
    /// Turn knobs.
    Set(Box<[Setting; 2]>),
    /// Run A and B.
    Run,
    /// Sweep a knob, for A and B.
    Sweep(SweepKnob),
    /// Stop.
    Cancel,
}

impl Default for Lab {
    fn default() -> Self {
        Self {
            settings: [Setting::of(Scheme::TimerOnly), Setting::of(Scheme::Today)],
            reports: None,
            sweep: None,
            running: None,
        }
    }
}

/// Does it.
pub(super) fn act(state: &mut State, act: LabAct, effects: &mut Vec<Effect>) {
    match act {
        LabAct::Set(settings) => state.ui_mut().lab.settings = *settings,
        LabAct::Run => {
            let settings = state.ui.lab.settings.to_vec();
            begin(state, RunKind::Both, settings, effects);
        }
        LabAct::Sweep(knob) => {
            let settings = knob.settings(&state.ui.lab.settings);
            begin(state, RunKind::Sweep(knob), settings, effects);
        }
        LabAct::Cancel => {
            if let Some(running) = &state.ui.lab.running {
                let id = running.id;
                effects.push(Effect::Send(ToEngine::CancelLatency { id }));
            }
        }
    }
}

fn begin(state: &mut State, kind: RunKind, settings: Vec<Setting>, effects: &mut Vec<Effect>) {
    // One at a time: the newest is the one that is wanted.
    act(state, LabAct::Cancel, effects);
    let id = state.number(Purpose::Lab(kind));
    let total = settings.iter().map(|setting| setting.requests).sum();
    state.ui_mut().lab.running = Some(Running {
        id,
        kind,
        progress: Progress {
            done: 0,
            total,
            running: None,
        },
    });
    effects.push(Effect::Send(ToEngine::Latency { id, settings }));
}

/// Whether this report of progress is about the lab; then it is taken.
pub(super) fn progress(state: &mut State, id: u32, done: u64, total: u64) -> bool {
    let is_lab = (state.ui.lab.running.as_ref()).is_some_and(|running| running.id == id);
    if let Some(running) = state.ui_mut().lab.running.as_mut().filter(|_| is_lab) {
        running.progress = Progress {
            done,
            total,
            running: None,
        };
    }
    is_lab
}

/// A run ended.
pub(super) fn answered(state: &mut State, kind: RunKind, id: u32, done: Done) {
    let lab = &mut state.ui_mut().lab;
    if lab.running.as_ref().is_some_and(|running| running.id == id) {
        lab.running = None;
    }
    match (done, kind) {
        (Done::Latency(reports), RunKind::Both) => lab.reports = Some(Rc::new(reports)),
        (Done::Latency(reports), RunKind::Sweep(knob)) => {
            let reports = Rc::new(reports);
            lab.sweep = Some(Swept { knob, reports });
        }
        (Done::Refused { message }, _) => {
            state.ui_mut().notice = Some(Notice {
                tone: Tone::Bad,
                text: message,
                offer: None,
            });
        }
        _ => {}
    }
}
