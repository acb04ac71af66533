//! Tests of figures: the stored data (none), the refused actions, and the errors.

use watchglass_engine::session::protocol::{
    Act, Done, FromEngine, Limits, Move, Notification, Read, Request, SeekTo, Source, TextReport,
    ToEngine,
};
use watchglass_engine::view::{PictureView, Views};

use crate::host::Failure;
use crate::keep::Wanted;
use crate::keep::opening::Opening;
use crate::state::action::LayoutAct;
use crate::state::action::PlaybackAct;
use crate::state::action::RunAct;
use crate::state::action::TerminalAct;
use crate::state::action::ViewAct;
use crate::state::action::{Action, Ask};
use crate::state::choices::View;
use crate::state::effect::{Effect, Happened, ScriptReply};
use crate::state::flow::State;
use crate::state::prefs::Prefs;
use crate::state::reduce::reduce;
use crate::state::ui::{Dialog, EngineState, Figure};

fn figure(figure: Figure) -> State {
    let mut state = State::new(Prefs::default());
    state.ui_mut().figure = Some(figure);
    let asked = Opening {
        source: Source::Story("slow-client".to_owned()),
        at: SeekTo::Step(14),
    };
    reduce(&mut state, Action::Run(RunAct::Begin(Wanted::from(asked))));
    state
}

fn loaded(state: &mut State, view: &str) -> Vec<Effect> {
    let done = Done::Loaded {
        text: TextReport::default(),
        view: view.to_owned(),
    };
    reduce(state, Action::Engine(FromEngine::Done { id: 1, done }))
}

fn seen(state: &mut State, step: u64) -> Vec<Effect> {
    let mut views = Views::clone(&state.views);
    views.status.step = step;
    views.status.steps = 20;
    reduce(state, Action::Engine(FromEngine::Views(Box::new(views))))
}

#[test]
fn nothing_is_kept() {
    let mut state = figure(Figure::default());
    loaded(&mut state, "");
    for action in [
        Action::Terminal(TerminalAct::Do(Act::Type("put /a 1".to_owned()))),
        Action::Terminal(TerminalAct::Draft("put".to_owned())),
        Action::Layout(LayoutAct::Theme(crate::state::choices::Theme::Dark)),
        Action::Run(RunAct::SaveNow),
    ] {
        let effects = reduce(&mut state, action);
        assert!(effects.iter().all(|effect| !effect.keeps()), "{effects:?}");
    }
}

#[test]
fn what_is_readonly_takes_no_commands() {
    let readonly = Figure {
        readonly: true,
        ..Figure::default()
    };
    let mut state = figure(readonly);
    loaded(&mut state, "");
    assert_eq!(
        reduce(
            &mut state,
            Action::Terminal(TerminalAct::Do(Act::Type("put /a 1".to_owned())))
        ),
        []
    );
    let ask = Ask::Exec("put /a 1".to_owned());
    let effects = reduce(&mut state, Action::Ask { ticket: 3, ask });
    assert!(
        matches!(
            &effects[..],
            [Effect::Reply { ticket: 3, reply: ScriptReply::Refused(why) }] if why.contains("read-only")
        ),
        "{effects:?}"
    );
    let moved = reduce(
        &mut state,
        Action::Playback(PlaybackAct::Move(Move::BySteps(1))),
    );
    assert!(
        matches!(
            moved[..],
            [Effect::Send(ToEngine::Request(
                _,
                Request::Move(Move::BySteps(_))
            ))]
        ),
        "time can be moved through: {moved:?}"
    );
}

#[test]
fn another_run_is_never_shown_instead() {
    let mut state = figure(Figure::default());
    reduce(
        &mut state,
        Action::Ask {
            ticket: 4,
            ask: Ask::Ready,
        },
    );
    let message = "there is no story `slow-client`".to_owned();
    let done = Done::Refused {
        message: message.clone(),
    };
    let effects = reduce(&mut state, Action::Engine(FromEngine::Done { id: 1, done }));
    let EngineState::Failed(failure, _) = &state.ui.engine else {
        panic!("{:?}", state.ui.engine);
    };
    assert_eq!(*failure, Failure::refused(message.clone()));
    let told = [
        Effect::Reply {
            ticket: 4,
            reply: ScriptReply::Refused(message.clone()),
        },
        Effect::Emit(Happened::Error(message)),
    ];
    assert_eq!(effects, told);
}

#[test]
fn the_author_chooses_the_pictures() {
    let only_watch = Figure {
        views: vec![View::Watch],
        ..Figure::default()
    };
    let mut state = figure(only_watch);
    state.ui_mut().prefs.view = View::Watch;
    loaded(&mut state, "messages");
    assert_eq!(state.ui.prefs.view, View::Watch, "not the link's own");
    reduce(&mut state, Action::View(ViewAct::Show(View::Index)));
    assert_eq!(state.ui.prefs.view, View::Watch);

    let mut state = figure(Figure::default());
    loaded(&mut state, "messages");
    assert_eq!(state.ui.prefs.view, View::Messages, "none was chosen");
}

#[test]
fn a_key_before_the_first_picture_leaves_the_choice_of_the_view_to_the_beat() {
    let mut state = figure(Figure::default());
    state.flow.follows_beats = true;
    reduce(&mut state, Action::seek(SeekTo::End));
    loaded(&mut state, "");
    let mut views = Views::clone(&state.views);
    views.status.beat.picture = Some(PictureView {
        view: "qos".to_owned(),
        target: String::new(),
    });
    reduce(
        &mut state,
        Action::Engine(FromEngine::Views(Box::new(views))),
    );
    assert_eq!(state.ui.prefs.view, View::Qos);
}

#[test]
fn the_way_out_leads_to_the_moment_shown() {
    let mut state = figure(Figure::default());
    loaded(&mut state, "");
    let effects = seen(&mut state, 14);
    let id = effects.iter().find_map(|effect| match effect {
        Effect::Send(ToEngine::Request(id, Request::Read(Read::Link { .. }))) => Some(*id),
        _ => None,
    });
    let id = id.expect("the link is asked for with each picture");
    let done = Done::Text("v1.abc".to_owned());
    reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
    assert_eq!(state.ui.link, "v1.abc");
}

#[test]
fn a_dialog_would_take_the_keys() {
    let mut state = figure(Figure::default());
    reduce(&mut state, Action::OpenDialog(Dialog::Help));
    assert_eq!(state.ui.dialog, None);
}

#[test]
fn scripts_are_told_when_the_cursor_moves() {
    let mut state = figure(Figure::default());
    loaded(&mut state, "");
    let effects = seen(&mut state, 14);
    let step = Happened::Step {
        step: 14,
        steps: 20,
        beat: 0,
        beats: 0,
        revision: 0,
        time_us: 0,
    };
    assert!(effects.contains(&Effect::Emit(step)), "{effects:?}");
    let again = seen(&mut state, 14);
    let told = again.iter().any(|effect| matches!(effect, Effect::Emit(_)));
    assert!(!told, "once: {again:?}");
}

#[test]
fn the_engine_of_a_figure_has_limits_before_its_first_load() {
    let mut state = State::new(Prefs::default());
    state.ui_mut().figure = Some(Figure::default());
    let story = Source::Story("slow-client".to_owned());
    let asked = Opening {
        source: story.clone(),
        at: SeekTo::End,
    };
    for action in [
        Action::Run(RunAct::Begin(Wanted::from(asked))),
        Action::Run(RunAct::TryAgain),
    ] {
        let effects = reduce(&mut state, action);
        let [
            Effect::RestartHost,
            Effect::Send(limit),
            Effect::Send(load),
            ..,
        ] = &effects[..]
        else {
            panic!("{effects:?}");
        };
        assert_eq!(
            *limit,
            ToEngine::Notification(Notification::Limit(Limits::FIGURE))
        );
        let wanted = Request::Load {
            source: story.clone(),
            at: SeekTo::End,
        };
        let is_asked = matches!(load, ToEngine::Request(_, request) if *request == wanted);
        assert!(is_asked, "{load:?}");
    }
}

#[test]
fn a_load_at_its_limit_waits_for_the_reader() {
    let mut state = figure(Figure::default());
    let paused = FromEngine::Paused {
        id: 1,
        steps: 20_000,
        done: 3,
        total: 9,
    };
    let effects = reduce(&mut state, Action::Engine(paused.clone()));
    assert_eq!(effects, [Effect::Emit(Happened::Paused(20_000))]);
    assert!(state.ui.paused.is_some());
    let effects = reduce(&mut state, Action::Run(RunAct::Continue));
    assert_eq!(
        effects,
        [Effect::Send(ToEngine::Notification(Notification::Continue))]
    );
    assert_eq!(state.ui.paused, None);
    assert_eq!(
        reduce(&mut state, Action::Run(RunAct::Continue)),
        [],
        "once"
    );

    reduce(&mut state, Action::Engine(paused));
    loaded(&mut state, "");
    assert_eq!(state.ui.paused, None, "its load has ended");
}
