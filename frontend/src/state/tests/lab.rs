//! Tests of the Lab.

use watchglass_engine::session::latency::lab::{FromLab, ToLab};
use watchglass_engine::session::latency::{AccuracyRow, AccuracySetting, LabSetting, Scheme};

use crate::host::{Failure, FailureKind};
use crate::state::action::Action;
use crate::state::choices::View;
use crate::state::effect::Effect;
use crate::state::flow::State;
use crate::state::lab::{LabAct, LabRunKind, SweepKnob};
use crate::state::prefs::Prefs;
use crate::state::reduce::reduce;
use crate::state::view_text::{looked_at, show_view};

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
    let link = looked_at(&state.ui);
    assert_eq!(link, format!("lab {kept}"));
    let mut other = State::new(Prefs::default());
    show_view(&mut other, &link);
    assert_eq!(
        (other.ui.prefs.view, other.ui.lab.settings),
        (View::Lab, settings)
    );
    // An older link names only the view; a damaged link also shows the view.
    for link in ["lab", "lab nonsense"] {
        let mut other = State::new(Prefs::default());
        show_view(&mut other, link);
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
