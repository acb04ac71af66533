//! Tests of the reducer without an engine: the messages it sends, and the effects of the engine's responses.

mod author;
mod figure;
mod file;
mod lab;
mod run;
mod text;

use std::rc::Rc;

use watchglass_engine::session::protocol::{
    Act, Done, Executed, FromEngine, LessonAct, Move, Notification, Read, Request, SeekTo, Source,
    TextReport, ToEngine,
};
use watchglass_engine::view::{
    BeatView, GuessView, IndexView, LaneOrder, LessonCard, LessonView, Marker, MarkerKind,
    PictureView, StatusView, TimelineView, Views,
};

use crate::host::{Failure, FailureKind};
use crate::keep::{Found, Wanted};
use crate::state::action::LayoutAct;
use crate::state::action::PlaybackAct;
use crate::state::action::RunAct;
use crate::state::action::TerminalAct;
use crate::state::action::ViewAct;
use crate::state::action::{Action, Ask};
use crate::state::choices::{Subject, Tone, View};
use crate::state::effect::{Effect, Happened, ScriptReply};
use crate::state::flow::{Purpose, State};
use crate::state::prefs::Prefs;
use crate::state::reduce::reduce;
use crate::state::ui::{Dialog, EngineState, Offer, TERMINAL_EARLIER};
use crate::state::view_text::{looked_at, show_view};

/// Returns a page that shows the story with ten steps; the cursor is at `step`.
fn page(step: u64) -> State {
    let mut state = State::new(Prefs::default());
    reduce(&mut state, Action::Run(RunAct::Begin(Wanted::Last)));
    found(&mut state, 1, Found::Nothing);
    done(&mut state, 1, loaded());
    views(&mut state, step, 10);
    state
}

fn found(state: &mut State, number: u32, found: Found) -> Vec<Effect> {
    reduce(state, Action::Run(RunAct::Found { number, found }))
}

fn loaded() -> Done {
    Done::Loaded {
        text: TextReport::default(),
        view: String::new(),
    }
}

fn views(state: &mut State, step: u64, steps: u64) -> Vec<Effect> {
    let kinds = [MarkerKind::Write, MarkerKind::Read];
    let markers = (1..=steps).map(|step| Marker {
        step,
        time_us: step * 1000,
        revision: 1 + (step as i64 + 1) / 2,
        kind: kinds[(step as usize + 1) % 2],
        label: String::new(),
    });
    let timeline = TimelineView {
        steps,
        markers: markers.collect(),
        ..TimelineView::default()
    };
    let status = StatusView {
        step,
        steps,
        ..StatusView::default()
    };
    let views = Views {
        status,
        timeline: Some(timeline),
        ..Views::default()
    };
    reduce(state, Action::Engine(FromEngine::Views(Box::new(views))))
}

fn done(state: &mut State, id: u32, done: Done) -> Vec<Effect> {
    reduce(state, Action::Engine(FromEngine::Done { id, done }))
}

fn sent(effects: &[Effect]) -> Vec<&ToEngine> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(message) => Some(message),
            _ => None,
        })
        .collect()
}

fn id_of(message: &ToEngine) -> u32 {
    match message {
        ToEngine::Request(id, _) => *id,
        ToEngine::Notification(_) => 0,
    }
}

#[test]
fn a_snapshot_is_downloaded_under_its_name() {
    let mut state = page(10);
    let asked = reduce(
        &mut state,
        Action::Run(RunAct::SaveSnapshot("monday.db".to_owned())),
    );
    let [ToEngine::Request(id, Request::Read(Read::Snapshot { name }))] = sent(&asked)[..] else {
        panic!("{asked:?}");
    };
    assert_eq!(name, "monday.db");
    let (name, bytes) = (name.clone(), vec![1, 2, 3]);
    let file = Done::File {
        name: name.clone(),
        bytes: bytes.clone(),
    };
    let answer = done(&mut state, *id, file);
    assert!(answer.contains(&Effect::SaveFile { name, bytes }));
}

#[test]
fn opens_on_the_story_at_its_start_and_stands_still() {
    let mut state = State::new(Prefs::default());
    let effects = reduce(&mut state, Action::Run(RunAct::Begin(Wanted::Last)));
    assert_eq!(effects[0], Effect::RestartHost);
    let effects = found(&mut state, 1, Found::Nothing);
    let story = Source::Story("two-generations".to_owned());
    assert!(matches!(
        sent(&effects)[0],
        ToEngine::Request(_, Request::Load { source, at: SeekTo::Step(0), .. }) if *source == story
    ));
    assert!(matches!(
        sent(&effects)[1],
        ToEngine::Notification(Notification::Show(_))
    ));
    assert_eq!(state.ui.engine, EngineState::Starting);
    assert!(!page(0).ui.playing);
}

#[test]
fn while_a_move_is_under_way_wishes_become_one() {
    let mut state = page(0);
    let first = reduce(
        &mut state,
        Action::Playback(PlaybackAct::Move(Move::BySteps(1))),
    );
    assert!(matches!(
        sent(&first)[..],
        [ToEngine::Request(_, Request::Move(Move::BySteps(1)))]
    ));
    assert!(
        sent(&reduce(
            &mut state,
            Action::Playback(PlaybackAct::Move(Move::BySteps(1)))
        ))
        .is_empty()
    );
    assert!(
        sent(&reduce(
            &mut state,
            Action::Playback(PlaybackAct::Move(Move::BySteps(1)))
        ))
        .is_empty()
    );
    let next = done(&mut state, id_of(sent(&first)[0]), Done::Moved { step: 1 });
    assert!(matches!(
        sent(&next)[..],
        [ToEngine::Request(_, Request::Move(Move::BySteps(2)))]
    ));
    // A move to a position replaces all moves that were requested earlier.
    reduce(
        &mut state,
        Action::Playback(PlaybackAct::Move(Move::BySteps(5))),
    );
    reduce(&mut state, Action::seek(SeekTo::Step(7)));
    let last = done(&mut state, id_of(sent(&next)[0]), Done::Moved { step: 3 });
    let to = SeekTo::Step(7);
    assert!(
        matches!(sent(&last)[..], [ToEngine::Request(_, Request::Move(Move::To(there)))] if *there == to)
    );
}

#[test]
fn at_most_one_change_of_the_queries_is_under_way() {
    let mut state = page(0);
    let first = reduce(&mut state, Action::View(ViewAct::Filter("a".to_owned())));
    assert!(
        sent(&first).is_empty(),
        "no index is shown, so nothing changes for the engine"
    );
    assert_eq!(
        sent(&reduce(
            &mut state,
            Action::View(ViewAct::TimelineWidth(500))
        ))
        .len(),
        1
    );
    assert!(
        sent(&reduce(
            &mut state,
            Action::View(ViewAct::TimelineWidth(600))
        ))
        .is_empty()
    );
    assert!(
        sent(&reduce(
            &mut state,
            Action::View(ViewAct::TimelineWidth(700))
        ))
        .is_empty()
    );
    let effects = views(&mut state, 0, 10);
    let [ToEngine::Notification(Notification::Show(queries))] = sent(&effects)[..] else {
        panic!("one question: {effects:?}");
    };
    assert_eq!(
        queries.timeline.as_ref().map(|query| query.columns),
        Some(700)
    );
    assert!(
        sent(&views(&mut state, 0, 10)).is_empty(),
        "nothing new to ask"
    );
}

#[test]
fn playing_waits_for_each_picture_and_stops_at_the_end() {
    let mut state = page(8);
    let first = reduce(&mut state, Action::Playback(PlaybackAct::TogglePlay));
    assert!(state.ui.playing);
    assert!(matches!(
        sent(&first)[..],
        [ToEngine::Request(_, Request::Move(Move::PlayOn(1)))]
    ));
    done(&mut state, id_of(sent(&first)[0]), Done::Moved { step: 9 });
    let number = timer(&views(&mut state, 9, 10)).expect("the picture is shown for a while");
    assert!(
        reduce(&mut state, Action::Playback(PlaybackAct::Tick(number + 7))).is_empty(),
        "a stale timer"
    );
    let second = reduce(&mut state, Action::Playback(PlaybackAct::Tick(number)));
    let id = id_of(sent(&second)[0]);
    done(&mut state, id, Done::Moved { step: 10 });
    assert_eq!(timer(&views(&mut state, 10, 10)), None, "none at the end");
    assert!(!state.ui.playing);
}

fn timer(effects: &[Effect]) -> Option<u32> {
    effects.iter().find_map(|effect| match effect {
        Effect::TickIn { number, .. } => Some(*number),
        _ => None,
    })
}

#[test]
fn a_pause_makes_the_running_timer_stale() {
    let mut state = page(2);
    let first = reduce(&mut state, Action::Playback(PlaybackAct::Play));
    done(&mut state, id_of(sent(&first)[0]), Done::Moved { step: 3 });
    let number = timer(&views(&mut state, 3, 10)).expect("a timer");
    reduce(&mut state, Action::Playback(PlaybackAct::TogglePlay));
    assert!(reduce(&mut state, Action::Playback(PlaybackAct::Tick(number))).is_empty());
}

/// Playback passes a beat that asks for a guess only after the reader has guessed or pressed *Play* again.
#[test]
fn playback_pauses_before_a_beat_whose_result_the_reader_can_guess() {
    for is_asked in [false, true] {
        let mut state = page(2);
        let first = reduce(&mut state, Action::Playback(PlaybackAct::Play));
        done(&mut state, id_of(sent(&first)[0]), Done::Moved { step: 3 });
        let status = StatusView {
            step: 3,
            steps: 10,
            beat: BeatView {
                number: 1,
                count: 2,
                first: 1,
                last: 3,
                guess: is_asked.then(GuessView::default),
                ..BeatView::default()
            },
            ..StatusView::default()
        };
        let views = Views {
            status,
            ..Views::default()
        };
        let effects = reduce(
            &mut state,
            Action::Engine(FromEngine::Views(Box::new(views))),
        );
        let number = timer(&effects).expect("the beat is shown for a while");
        let moves = reduce(&mut state, Action::Playback(PlaybackAct::Tick(number)));
        assert_eq!(sent(&moves).is_empty(), is_asked);
        assert_eq!(state.ui.playing, !is_asked);
    }
}

#[test]
fn a_run_that_is_followed_shows_the_pictures_that_it_names() {
    let mut state = page(0);
    let told = |state: &mut State, number: u64, view: &str, target: &str| {
        let picture = (!view.is_empty()).then(|| PictureView {
            view: view.into(),
            target: target.into(),
        });
        let status = StatusView {
            step: number,
            steps: 10,
            beat: BeatView {
                number,
                count: 10,
                picture,
                ..BeatView::default()
            },
            ..StatusView::default()
        };
        let views = Views {
            status,
            ..Views::default()
        };
        reduce(state, Action::Engine(FromEngine::Views(Box::new(views))));
        state.ui.prefs.view
    };
    assert_eq!(
        told(&mut state, 1, "messages", ""),
        View::Index,
        "one did not come by beats"
    );
    reduce(
        &mut state,
        Action::Playback(PlaybackAct::Move(Move::ByBeats(1))),
    );
    assert_eq!(told(&mut state, 1, "messages", ""), View::Messages);
    // The view that the reader chose stays until the run names another picture.
    reduce(&mut state, Action::View(ViewAct::Show(View::Watch)));
    assert_eq!(told(&mut state, 1, "messages", ""), View::Watch);
    assert_eq!(told(&mut state, 2, "", ""), View::Watch);
    assert_eq!(told(&mut state, 3, "storage", "/key1"), View::Storage);
    let chosen = state.ui.selection.clone().expect("a key");
    assert_eq!(chosen.key, b"/key1");
    assert!(!state.ui.inspector_open, "nobody asked for it");
    // A jump keeps the view, except before an audience.
    reduce(&mut state, Action::seek(SeekTo::End));
    assert_eq!(told(&mut state, 9, "cache", ""), View::Storage);
    reduce(&mut state, Action::Layout(LayoutAct::Present));
    reduce(&mut state, Action::seek(SeekTo::End));
    assert_eq!(told(&mut state, 10, "cache", ""), View::Cache);
}

#[test]
fn a_blank_screen_stops_playback() {
    let mut state = page(2);
    reduce(&mut state, Action::Layout(LayoutAct::Present));
    reduce(&mut state, Action::Playback(PlaybackAct::Play));
    reduce(&mut state, Action::Layout(LayoutAct::Blank));
    assert!(!state.ui.playing);
}

#[test]
fn at_the_end_play_begins_again() {
    let mut state = page(10);
    let effects = reduce(&mut state, Action::Playback(PlaybackAct::Play));
    let start = SeekTo::Step(0);
    assert!(
        matches!(sent(&effects)[..], [ToEngine::Request(_, Request::Move(Move::To(to)))] if *to == start)
    );
    assert!(state.ui.playing);
}

#[test]
fn jumps_are_instant_and_a_step_to_a_neighbour_is_not() {
    let mut state = page(5);
    for delta in [-1, 1] {
        reduce(
            &mut state,
            Action::Playback(PlaybackAct::Move(Move::BySteps(delta))),
        );
        assert!(!state.ui.instant);
    }
    reduce(&mut state, Action::seek(SeekTo::End));
    assert!(state.ui.instant);
}

#[test]
fn the_page_requests_the_terminal_entries_that_fit() {
    let mut state = page(0);
    let last = |effects: &[Effect]| -> Option<u32> {
        let [ToEngine::Notification(Notification::Show(queries))] = sent(effects)[..] else {
            return None;
        };
        Some(queries.terminal.as_ref()?.last)
    };
    let small = reduce(&mut state, Action::Terminal(TerminalAct::Fits(8)));
    assert_eq!(last(&small), Some(8));
    views(&mut state, 0, 10);
    let earlier = reduce(&mut state, Action::Terminal(TerminalAct::OlderEntries));
    assert_eq!(last(&earlier), Some(8 + TERMINAL_EARLIER));
    views(&mut state, 0, 10);
    let large = reduce(&mut state, Action::Terminal(TerminalAct::Fits(20)));
    assert_eq!(last(&large), Some(20 + TERMINAL_EARLIER));
}

#[test]
fn markers_are_changes_of_the_store() {
    let mut state = page(4);
    // The steps with odd numbers write.
    let effects = reduce(
        &mut state,
        Action::Playback(PlaybackAct::Marker { forward: true }),
    );
    assert!(matches!(
        sent(&effects)[..],
        [ToEngine::Request(
            _,
            Request::Move(Move::To(SeekTo::Step(5)))
        )]
    ));
    let mut state = page(3);
    let effects = reduce(
        &mut state,
        Action::Playback(PlaybackAct::Marker { forward: false }),
    );
    assert!(matches!(
        sent(&effects)[..],
        [ToEngine::Request(
            _,
            Request::Move(Move::To(SeekTo::Step(1)))
        )]
    ));
    let mut state = page(1);
    let effects = reduce(
        &mut state,
        Action::Playback(PlaybackAct::Marker { forward: false }),
    );
    assert!(matches!(
        sent(&effects)[..],
        [ToEngine::Request(
            _,
            Request::Move(Move::To(SeekTo::Step(0)))
        )]
    ));
}

#[test]
fn nothing_is_kept_before_the_user_did_anything() {
    let mut state = page(0);
    let step = reduce(
        &mut state,
        Action::Playback(PlaybackAct::Move(Move::BySteps(1))),
    );
    let answer = done(&mut state, id_of(sent(&step)[0]), Done::Moved { step: 1 });
    assert!(!answer.contains(&Effect::SaveSoon));
    assert!(reduce(&mut state, Action::Run(RunAct::SaveNow)).is_empty());
}

#[test]
fn a_refused_text_leaves_the_run_and_says_why() {
    let mut state = page(3);
    let before = state.views.clone();
    reduce(
        &mut state,
        Action::Run(RunAct::OpenText("Dear sir".to_owned())),
    );
    let effects = found(&mut state, 2, Found::Nothing);
    let message = "Line 1: no command".to_owned();
    done(
        &mut state,
        id_of(sent(&effects)[0]),
        Done::Refused { message },
    );
    assert_eq!(state.views, before);
    let notice = state.ui.notice.as_ref().unwrap();
    assert_eq!(notice.tone, Tone::Bad);
    // The pasted text is not lost.
    assert_eq!(notice.offers, [Offer::EditText("Dear sir".to_owned())]);
}

fn panicked() -> Failure {
    Failure::new(FailureKind::Stopped, "panicked at lib.rs:1:1")
}

#[test]
fn trying_again_asks_for_the_address_until_its_run_was_shown() {
    let mut state = State::new(Prefs::default());
    let source = Source::Link("v1.x".to_owned());
    let at = SeekTo::Default;
    let asked = Wanted::Source {
        source: source.clone(),
        at,
    };
    let first_load = |effects: &[Effect]| {
        let load = sent(effects).into_iter().find_map(|message| match message {
            ToEngine::Request(id, Request::Load { source, .. }) => Some((*id, source.clone())),
            _ => None,
        });
        load.expect("a load")
    };
    reduce(&mut state, Action::Run(RunAct::Begin(asked)));
    found(&mut state, 1, Found::Nothing);
    let failure = Failure::new(FailureKind::NotLoaded, "404");
    reduce(&mut state, Action::HostFailed(failure));
    let again = reduce(&mut state, Action::Run(RunAct::TryAgain));
    assert_eq!(again[0], Effect::RestartHost);
    let (id, asked) = first_load(&again);
    assert_eq!(asked, source);
    done(&mut state, id, loaded());
    reduce(&mut state, Action::HostFailed(panicked()));
    let again = reduce(&mut state, Action::Run(RunAct::TryAgain));
    assert_eq!(first_load(&again).1, source);
}

#[test]
fn a_silent_engine_is_said_to_be_silent_until_it_speaks() {
    let mut state = page(4);
    let ask = Ask::Read(Read::State);
    reduce(&mut state, Action::Ask { ticket: 9, ask });
    let effects = reduce(&mut state, Action::HostSilent(true));
    assert!(matches!(effects[..], [Effect::Emit(Happened::Error(_))]));
    assert_eq!(state.ui.engine, EngineState::Running, "it may yet answer");
    reduce(&mut state, Action::HostSilent(false));
    assert!(!state.ui.is_silent);

    reduce(&mut state, Action::HostSilent(true));
    let effects = reduce(&mut state, Action::Run(RunAct::TryAgain));
    let is_refused = |effect: &Effect| {
        let Effect::Reply { ticket: 9, reply } = effect else {
            return false;
        };
        matches!(reply, ScriptReply::Refused(_))
    };
    assert!(effects.iter().any(is_refused), "{effects:?}");
    assert!(!state.ui.is_silent);
}

#[test]
fn a_failure_tells_the_run_before_it_and_the_lines_since() {
    let mut state = page(10);
    let typed = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned()))),
    );
    let executed = Done::Executed(Executed::default());
    done(&mut state, id_of(sent(&typed)[0]), executed);
    let save = reduce(&mut state, Action::Run(RunAct::SaveNow));
    let kept = Done::Text("run".to_owned());
    let link = done(&mut state, id_of(sent(&save)[0]), kept);
    let [ToEngine::Request(id, Request::Read(Read::Link { .. }))] = sent(&link)[..] else {
        panic!("{link:?}");
    };
    reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("kubectl get -é".to_owned()))),
    );
    done(&mut state, *id, Done::Text("v1.abc".to_owned()));
    reduce(&mut state, Action::HostFailed(panicked()));
    let EngineState::Failed(_, report) = &state.ui.engine else {
        panic!("{:?}", state.ui.engine);
    };
    assert_eq!(report.address, "#v1.abc");
    assert_eq!(report.lines, ["kubectl get -é"]);
}

#[test]
fn when_the_engine_dies_scripts_are_told_and_the_picture_stays() {
    let mut state = page(4);
    let ask = Action::Ask {
        ticket: 9,
        ask: Ask::Read(Read::State),
    };
    reduce(&mut state, ask);
    let effects = reduce(&mut state, Action::HostFailed(panicked()));
    let words = panicked().text();
    let reply = ScriptReply::Refused(words.clone());
    let told = Effect::Emit(Happened::Error(words));
    assert_eq!(effects, [Effect::Reply { ticket: 9, reply }, told]);
    assert_eq!(state.views.status.step, 4);
    let EngineState::Failed(failure, report) = &state.ui.engine else {
        panic!("{:?}", state.ui.engine);
    };
    assert_eq!(*failure, panicked());
    assert_eq!(report.address, "?scenario=two-generations");
}

#[test]
fn what_does_not_change_anything_keeps_the_same_state() {
    let mut state = page(4);
    let ui = state.ui.clone();
    reduce(&mut state, Action::Playback(PlaybackAct::Tick(999)));
    reduce(&mut state, Action::Playback(PlaybackAct::Pause));
    reduce(
        &mut state,
        Action::View(ViewAct::TimelineWidth(ui.timeline_columns)),
    );
    assert!(std::rc::Rc::ptr_eq(&ui, &state.ui));
}

/// Returns the queries that were sent last.
fn shown(effects: &[Effect]) -> Option<&watchglass_engine::view::Queries> {
    sent(effects)
        .into_iter()
        .rev()
        .find_map(|message| match message {
            ToEngine::Notification(Notification::Show(queries)) => Some(&**queries),
            _ => None,
        })
}

#[test]
fn the_order_of_lanes_is_asked_for_kept_and_in_the_link() {
    let mut state = page(3);
    assert_eq!(looked_at(&state.ui), "index");
    reduce(
        &mut state,
        Action::View(ViewAct::IndexViewport(
            watchglass_engine::view::IndexQuery::default(),
        )),
    );
    views(&mut state, 3, 10);
    let effects = reduce(&mut state, Action::View(ViewAct::Order(LaneOrder::Key)));
    let index = shown(&effects).and_then(|queries| queries.index.as_ref());
    assert_eq!(index.map(|index| index.order), Some(LaneOrder::Key));
    assert!(effects.iter().any(
        |effect| matches!(effect, Effect::WritePrefs(prefs) if prefs.order == LaneOrder::Key)
    ));
    views(&mut state, 3, 10);
    let effects = reduce(&mut state, Action::View(ViewAct::SelectWatcher(1)));
    let index = shown(&effects).and_then(|queries| queries.index.as_ref());
    assert_eq!(index.and_then(|index| index.watcher), Some(1));

    let link = looked_at(&state.ui);
    assert_eq!(link, "index key");
    let mut other = State::new(Prefs::default());
    show_view(&mut other, &link);
    assert_eq!(
        (other.ui.prefs.view, other.ui.prefs.order),
        (View::Index, LaneOrder::Key)
    );
    // The default order is not in a link: each reader keeps the preferred order.
    show_view(&mut other, "index");
    assert_eq!(other.ui.prefs.order, LaneOrder::Key);
}

#[test]
fn only_the_picture_on_the_stage_is_asked_for() {
    let mut state = page(3);
    reduce(
        &mut state,
        Action::View(ViewAct::IndexViewport(
            watchglass_engine::view::IndexQuery::default(),
        )),
    );
    views(&mut state, 3, 10);
    let effects = reduce(&mut state, Action::View(ViewAct::Show(View::Messages)));
    let queries = shown(&effects).expect("other queries");
    assert!(queries.index.is_none() && queries.watch.is_none());
    assert!(queries.messages.is_some() && queries.key.is_none());
    assert!(
        effects.iter().any(
            |effect| matches!(effect, Effect::WritePrefs(prefs) if prefs.view == View::Messages)
        )
    );
    views(&mut state, 3, 10);
    let effects = reduce(&mut state, Action::View(ViewAct::Show(View::Watch)));
    let queries = shown(&effects).expect("other queries");
    assert!(queries.index.is_none() && queries.watch.is_some() && queries.messages.is_none());
    views(&mut state, 3, 10);
    let effects = reduce(&mut state, Action::View(ViewAct::Show(View::Index)));
    let queries = shown(&effects).expect("other queries");
    assert!(queries.index.is_some() && queries.messages.is_none());
    assert!(
        queries.watch.is_some(),
        "watchers stand in the Index view too"
    );
    assert!(
        reduce(&mut state, Action::View(ViewAct::Show(View::Index))).is_empty(),
        "nothing new"
    );
}

#[test]
fn choosing_a_message_inspects_it_and_does_not_move() {
    let mut state = page(3);
    reduce(&mut state, Action::View(ViewAct::Show(View::Messages)));
    let effects = reduce(&mut state, Action::View(ViewAct::SelectMessage(7)));
    let moves = sent(&effects)
        .into_iter()
        .filter(|message| matches!(message, ToEngine::Request(_, Request::Move(Move::To(_)))));
    assert_eq!(moves.count(), 0);
    assert_eq!(state.ui.subject, Subject::Message);
    assert_eq!(state.ui.message, Some(7));
}

#[test]
fn newer_messages_are_back_once_the_cursor_moves() {
    let mut state = page(3);
    reduce(&mut state, Action::View(ViewAct::SkipMessages(48)));
    assert_eq!(state.ui.messages_skipped, 48);
    views(&mut state, 3, 10);
    assert_eq!(state.ui.messages_skipped, 48);
    views(&mut state, 4, 10);
    assert_eq!(state.ui.messages_skipped, 0);
}

#[test]
fn a_watcher_stays_the_subject_in_the_index_view_but_not_among_messages() {
    let mut state = page(3);
    reduce(&mut state, Action::View(ViewAct::Show(View::Watch)));
    assert_eq!(state.ui.subject, Subject::Watcher);
    reduce(&mut state, Action::View(ViewAct::SelectWatcher(4)));
    reduce(&mut state, Action::View(ViewAct::Show(View::Index)));
    assert_eq!(state.ui.subject, Subject::Watcher);
    reduce(&mut state, Action::View(ViewAct::Show(View::Messages)));
    assert_eq!(state.ui.subject, Subject::Message);
    reduce(&mut state, Action::View(ViewAct::Show(View::Index)));
    assert_eq!(state.ui.subject, Subject::Key);
}

fn in_lesson(state: &mut State, progress: &str) -> Vec<Effect> {
    let mut with = (*state.views).clone();
    with.lesson = Some(LessonView {
        name: "L04".to_owned(),
        progress: progress.to_owned(),
        ..LessonView::default()
    });
    reduce(state, Action::Engine(FromEngine::Views(Box::new(with))))
}

#[test]
fn progress_is_kept_once_and_given_back_before_the_run() {
    let mut state = page(0);
    let kept = |effects: &[Effect]| {
        let kept = |effect: &&Effect| matches!(effect, Effect::WriteProgress(_));
        effects.iter().filter(kept).count()
    };
    assert_eq!(kept(&in_lesson(&mut state, "half")), 1);
    assert_eq!(kept(&in_lesson(&mut state, "half")), 0);
    assert_eq!(kept(&in_lesson(&mut state, "more")), 1);
    let effects = reduce(&mut state, Action::Run(RunAct::TryAgain));
    assert!(matches!(
        sent(&effects)[..2],
        [ToEngine::Request(_, Request::Progress(text)), ToEngine::Request(_, Request::Load { .. })] if text == "more"
    ));
}

#[test]
fn with_nothing_typed_there_is_nothing_to_undo() {
    let mut state = page(0);
    assert!(
        sent(&reduce(
            &mut state,
            Action::Terminal(TerminalAct::Do(Act::Undo))
        ))
        .is_empty()
    );
    let notice = state.ui.notice.as_ref().expect("a notice");
    assert_eq!(notice.text, "There is nothing to undo.");
    let next = Action::Lesson(LessonAct::Next);
    assert!(sent(&reduce(&mut state, next)).is_empty());
}

#[test]
fn the_list_of_lessons_asks_for_each_goal_once() {
    let mut state = page(0);
    let card = |name: &str| LessonCard {
        name: name.to_owned(),
        ..LessonCard::default()
    };
    let cards = vec![card("L01"), card("L04")];
    let mut goals = Vec::new();
    for _ in 0..2 {
        let asked = reduce(&mut state, Action::OpenDialog(Dialog::Lessons));
        let id = id_of(sent(&asked)[0]);
        let effects = done(&mut state, id, Done::Lessons(cards.clone()));
        for message in sent(&effects) {
            goals.push(id_of(message));
        }
        reduce(&mut state, Action::CloseDialog);
    }
    assert_eq!(goals.len(), 2);
    let progress = |id| {
        Action::Engine(FromEngine::Progress {
            id,
            done: 1,
            total: 9,
            running: None,
        })
    };
    reduce(&mut state, progress(goals[1]));
    assert_eq!(state.ui.progress, None, "a goal is not the run of the page");
    let views = Box::new((*state.views).clone());
    done(&mut state, goals[1], Done::Views(views));
    reduce(&mut state, progress(goals[1] + 1));
    assert!(state.ui.progress.is_some());
    assert!(state.ui.goals.contains_key("L04"));
}

#[test]
fn the_routes_are_asked_for_only_in_the_cache_view() {
    let mut state = page(3);
    let effects = reduce(&mut state, Action::View(ViewAct::Show(View::Cache)));
    let asked = |effects: &[Effect]| {
        let queries = shown(effects).expect("other queries");
        queries.cache.clone().expect("the caches")
    };
    let cache = asked(&effects);
    assert_eq!(cache.ask.map(|ask| ask.verb).as_deref(), Some("LIST"));
    views(&mut state, 3, 10);
    let cache = asked(&reduce(&mut state, Action::View(ViewAct::SelectRequest(7))));
    assert_eq!(cache.selected, Some(7));
    assert!(
        cache.ask.is_some(),
        "the view shows the routes beside the pictures"
    );
    assert_eq!(state.ui.subject, Subject::Cache);
    views(&mut state, 3, 10);
    let cache = asked(&reduce(
        &mut state,
        Action::View(ViewAct::Show(View::Index)),
    ));
    assert!(cache.ask.is_none() && cache.selected.is_none());
    views(&mut state, 3, 10);
    let effects = reduce(&mut state, Action::View(ViewAct::Show(View::Messages)));
    assert!(shown(&effects).is_some_and(|queries| queries.cache.is_none()));
}

#[test]
fn the_way_to_the_terminal_leaves_the_lab() {
    let mut state = page(4);
    reduce(&mut state, Action::View(ViewAct::Show(View::Lab)));
    assert!(state.ui.has_lab_alone(&state.views));
    reduce(&mut state, Action::Terminal(TerminalAct::Focus));
    assert_eq!(state.ui.prefs.view, View::Index);
}

#[test]
fn the_engine_is_told_when_its_picture_is_drawn() {
    let mut state = page(0);
    let effects = views(&mut state, 1, 10);
    assert!(effects.contains(&Effect::SayWhenDrawn { goes_on: false }));
    state.request(Purpose::Place, Request::Move(Move::To(SeekTo::End)));
    let effects = views(&mut state, 1, 10);
    assert!(effects.contains(&Effect::SayWhenDrawn { goes_on: true }));
    // A change of a view that the page does not show causes no new queries.
    let index = IndexView {
        head: 77,
        ..IndexView::default()
    };
    let part = Views {
        is_part: true,
        index: Some(index),
        ..Views::default()
    };
    let effects = reduce(
        &mut state,
        Action::Engine(FromEngine::Views(Box::new(part))),
    );
    let is_of_drawing = |effect: &Effect| matches!(effect, Effect::SayWhenDrawn { .. });
    assert!(!effects.iter().any(is_of_drawing));
    let views = &state.views;
    assert_eq!(views.index.as_ref().map(|index| index.head), Some(77));
    assert!(views.status.step == 1 && views.timeline.is_some());
}

#[test]
fn a_key_at_the_prompt_changes_nothing_but_the_line() {
    let mut state = page(5);
    let (views, ui) = (state.views.clone(), state.ui.clone());
    reduce(
        &mut state,
        Action::Terminal(TerminalAct::Draft("put /key1".to_owned())),
    );
    assert_eq!(state.line.draft, "put /key1");
    assert!(Rc::ptr_eq(&state.views, &views) && Rc::ptr_eq(&state.ui, &ui));
}

#[test]
fn a_story_shows_the_workbench_once_the_reader_wants_it() {
    let mut state = page(3);
    let told = |state: &mut State, typed: u64| {
        let views = Rc::make_mut(&mut state.views);
        (views.status.is_told, views.status.typed) = (true, typed);
        views.status.title = "a story".into();
    };
    told(&mut state, 0);
    let is_reading = |state: &State| state.ui.is_reading(&state.views);
    let toggle = || Action::Layout(LayoutAct::ToggleWorkbench);
    assert!(is_reading(&state));
    reduce(&mut state, toggle());
    assert!(
        !is_reading(&state) && state.ui.prefs.workbench,
        "kept for the next visit"
    );
    reduce(&mut state, toggle());
    assert!(is_reading(&state) && !state.ui.prefs.workbench);
    reduce(&mut state, Action::Terminal(TerminalAct::Focus));
    assert!(
        !is_reading(&state) && !state.ui.prefs.workbench,
        "for this run only"
    );
    state.ui_mut().forget_run();
    assert!(is_reading(&state));
    told(&mut state, 1);
    assert!(
        !is_reading(&state),
        "a command of the user needs the terminal"
    );
    reduce(&mut state, toggle());
    assert!(!state.ui.prefs.workbench, "there is nothing to choose");
}
