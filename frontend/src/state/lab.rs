//! The Lab: two settings, their results, and the current run.

use std::rc::Rc;

use watchglass_engine::session::latency::lab::{FromLab, ToLab};
use watchglass_engine::session::latency::{
    AccuracyRow, AccuracySetting, LabReport, LabSetting, Rate, Scheme,
};

use super::effect::Effect;
use super::flow::State;
use super::ui::RunProgress;
use crate::host::Failure;

/// The number of lists for each point of a sweep.
const SWEEP_LISTS: u64 = 20_000;

/// The state of the Lab.
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
    /// The current run.
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
    /// The setting.
    pub setting: AccuracySetting,
    /// The rows of the table of measured rates.
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

/// The current run of the Lab.
#[derive(Clone, Debug, PartialEq)]
pub struct LabRunning {
    /// The number of the run.
    pub id: u32,
    /// The kind of the run.
    pub kind: LabRunKind,
    /// The progress of the run.
    pub progress: RunProgress,
}

/// The kinds of runs of the Lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabRunKind {
    /// One run with the settings of A and one run with the settings of B.
    Both,
    /// A sweep: runs of A and B with each value of one slider.
    Sweep(SweepKnob),
    /// A measurement of the accuracy of limits.
    Accuracy(AccuracySetting),
}

/// The actions of the Lab.
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
    /// Cancel the current run.
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

/// Executes the action.
pub(super) fn act(state: &mut State, act: LabAct) {
    match act {
        LabAct::Set(settings) => {
            state
                .effects
                .push(Effect::WriteLab(LabSetting::to_text(&settings)));
            state.ui_mut().lab.settings = *settings;
        }
        LabAct::Run => begin(state, LabRunKind::Both),
        LabAct::RunExample => {
            let settings = LabSetting::example_of_the_draft();
            self::act(state, LabAct::Set(settings.into()));
            begin(state, LabRunKind::Both);
        }
        LabAct::Sweep(knob) => begin(state, LabRunKind::Sweep(knob)),
        LabAct::Accuracy(setting) => begin(state, LabRunKind::Accuracy(setting)),
        LabAct::Cancel => {
            if state.ui_mut().lab.running.take().is_some() {
                state.effects.push(Effect::SendLab(ToLab::Cancel));
            }
        }
        LabAct::TryAgain => {
            let kind = state.ui.lab.last;
            state.effects.push(Effect::EndLab);
            begin(state, kind);
        }
    }
}

/// Starts a run with the current settings; cancels the previous run.
fn begin(state: &mut State, kind: LabRunKind) {
    let lab = &mut state.ui_mut().lab;
    lab.runs = lab.runs.wrapping_add(1);
    let id = lab.runs;
    let message = match kind {
        LabRunKind::Both => ToLab::Run {
            id,
            settings: lab.settings.to_vec(),
        },
        LabRunKind::Sweep(knob) => ToLab::Run {
            id,
            settings: knob.settings(&lab.settings),
        },
        LabRunKind::Accuracy(setting) => ToLab::Accuracy { id, setting },
    };
    let total = match &message {
        ToLab::Run { settings, .. } => settings.iter().map(|setting| setting.requests).sum(),
        // The first report of the progress has the number.
        ToLab::Accuracy { .. } | ToLab::Cancel => 0,
    };
    lab.last = kind;
    lab.failure = None;
    lab.is_silent = false;
    lab.running = Some(LabRunning {
        id,
        kind,
        progress: RunProgress {
            done: 0,
            total,
            running: None,
        },
    });
    state.effects.push(Effect::SendLab(message));
}

/// Handles a message of the Lab's program. Ignores messages about earlier runs.
pub(super) fn take(state: &mut State, message: FromLab) {
    let (FromLab::Progress { id, .. } | FromLab::Done { id, .. } | FromLab::Accuracy { id, .. }) =
        message;
    let lab = &mut state.ui_mut().lab;
    let Some(running) = lab.running.as_mut().filter(|running| running.id == id) else {
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
                LabRunKind::Both => lab.reports = Some(reports),
                LabRunKind::Sweep(knob) => lab.sweep = Some(Swept { knob, reports }),
                LabRunKind::Accuracy(_) => {}
            }
            lab.running = None;
        }
        FromLab::Accuracy { rows, .. } => {
            if let LabRunKind::Accuracy(setting) = running.kind {
                let rows = Rc::new(rows);
                lab.accuracy = Some(Measured { setting, rows });
            }
            lab.running = None;
        }
    }
}

/// Handles a failure of the Lab's program. The engine is not affected, because it is a separate program.
pub(super) fn failed(state: &mut State, failure: Failure) {
    let lab = &mut state.ui_mut().lab;
    lab.running = None;
    lab.is_silent = false;
    lab.failure = Some(failure);
}

#[cfg(test)]
mod tests {
    use super::super::action::Action;
    use super::super::answers;
    use super::super::prefs::Prefs;
    use super::super::reduce::reduce;
    use super::super::ui::View;
    use super::*;
    use crate::host::FailureKind;

    fn run(state: &mut State, act: LabAct) -> (Vec<Effect>, u32) {
        let effects = reduce(state, Action::Lab(act));
        let ids = effects.iter().filter_map(|effect| match effect {
            Effect::SendLab(ToLab::Run { id, .. }) => Some(*id),
            _ => None,
        });
        let id = ids.sum();
        (effects, id)
    }

    #[test]
    fn settings_travel_in_a_link_and_are_kept() {
        let mut state = State::new(Prefs::default());
        let mut settings = state.ui.lab.settings;
        settings[0] = LabSetting::of(Scheme::Echo);
        let effects = reduce(&mut state, Action::Lab(LabAct::Set(settings.into())));
        let kept = LabSetting::to_text(&settings);
        assert_eq!(effects, [Effect::WriteLab(kept.clone())]);
        state.ui_mut().prefs.view = View::Lab;
        let link = answers::looked_at(&state.ui);
        assert_eq!(link, format!("lab {kept}"));
        let mut other = State::new(Prefs::default());
        answers::show_view(&mut other, &link);
        assert_eq!(
            (other.ui.prefs.view, other.ui.lab.settings),
            (View::Lab, settings)
        );
        // An older link names only the view; a damaged link also shows the view.
        for link in ["lab", "lab nonsense"] {
            let mut other = State::new(Prefs::default());
            answers::show_view(&mut other, link);
            assert_eq!(other.ui.prefs.view, View::Lab);
        }
    }

    #[test]
    fn the_example_of_the_draft_is_set_and_run() {
        let mut state = State::new(Prefs::default());
        let (effects, _) = run(&mut state, LabAct::RunExample);
        let settings = LabSetting::example_of_the_draft();
        assert_eq!(state.ui.lab.settings, settings);
        assert_eq!(effects[0], Effect::WriteLab(LabSetting::to_text(&settings)));
        assert!(
            matches!(&effects[1], Effect::SendLab(ToLab::Run { settings: ran, .. }) if *ran == settings)
        );
    }

    #[test]
    fn a_run_asks_the_engine_for_nothing_and_outlives_it() {
        let mut state = State::new(Prefs::default());
        let (effects, id) = run(&mut state, LabAct::Run);
        assert_eq!(effects.len(), 1, "{effects:?}");
        assert_eq!(state.pending().count(), 0);
        let failure = Failure::new(FailureKind::Stopped, "");
        reduce(&mut state, Action::HostFailed(failure));
        let (done, total) = (5, 10);
        reduce(
            &mut state,
            Action::LabSaid(FromLab::Progress { id, done, total }),
        );
        let running = state.ui.lab.running.clone().expect("the lab is running");
        assert_eq!((running.progress.done, running.progress.total), (5, 10));
        let reports = Vec::new();
        reduce(&mut state, Action::LabSaid(FromLab::Done { id, reports }));
        assert!(state.ui.lab.reports.is_some() && state.ui.lab.running.is_none());
    }

    #[test]
    fn a_measured_table_has_its_setting() {
        let mut state = State::new(Prefs::default());
        let setting = AccuracySetting { qps: 2, runs: 3 };
        let effects = reduce(&mut state, Action::Lab(LabAct::Accuracy(setting)));
        let id = state.ui.lab.runs;
        let sent = Effect::SendLab(ToLab::Accuracy { id, setting });
        assert_eq!(effects, [sent]);
        let rows = vec![AccuracyRow::default()];
        let said = Action::LabSaid(FromLab::Accuracy { id, rows });
        reduce(&mut state, said);
        let lab = &state.ui.lab;
        let measured = lab.accuracy.as_ref().expect("a table");
        assert_eq!((measured.setting, measured.rows.len()), (setting, 1));
        assert_eq!(lab.running, None);
    }

    #[test]
    fn what_an_earlier_run_came_to_is_ignored() {
        let mut state = State::new(Prefs::default());
        let (_, first) = run(&mut state, LabAct::Run);
        let (_, second) = run(&mut state, LabAct::Sweep(SweepKnob::Lists));
        let done = |id| {
            let reports = Vec::new();
            Action::LabSaid(FromLab::Done { id, reports })
        };
        reduce(&mut state, done(first));
        assert!(state.ui.lab.running.is_some() && state.ui.lab.reports.is_none());
        reduce(&mut state, done(second));
        assert!(state.ui.lab.running.is_none() && state.ui.lab.sweep.is_some());
        let (effects, _) = run(&mut state, LabAct::Cancel);
        assert_eq!(effects, [], "nothing runs");
    }

    #[test]
    fn a_program_that_is_gone_is_started_again_with_the_last_run() {
        let mut state = State::new(Prefs::default());
        run(&mut state, LabAct::Sweep(SweepKnob::Own));
        let failure = Failure::new(FailureKind::NotLoaded, "status 404");
        reduce(&mut state, Action::LabFailed(failure.clone()));
        assert_eq!(state.ui.lab.failure, Some(failure));
        assert_eq!(state.ui.lab.running, None);
        let (effects, id) = run(&mut state, LabAct::TryAgain);
        assert_eq!(effects[0], Effect::EndLab);
        let running = state.ui.lab.running.clone().expect("a run");
        assert_eq!(
            (running.id, running.kind),
            (id, LabRunKind::Sweep(SweepKnob::Own))
        );
        assert_eq!(state.ui.lab.failure, None);
    }
}
