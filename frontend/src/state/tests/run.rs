//! Tests of saved runs: the writes before a line is sent, the replay after a start, and the lines that are set aside.

use watchglass_engine::session::protocol::{
    Act, DifferingEntry, Done, Executed, FromEngine, LessonAct, Move, Notification, Read, Request,
    SeekTo, Source, TextReport, ToEngine,
};
use watchglass_engine::view::{LessonItem, LessonView, StatusView, Views};

use crate::host::{Failure, FailureKind};
use crate::keep::journal::{Aside, AsideReason, Attempt, JournalEntry, Place};
use crate::keep::{Found, Keep, KeptRun, Meta, Wanted};
use crate::state::action::PlaybackAct;
use crate::state::action::RunAct;
use crate::state::action::TerminalAct;
use crate::state::action::ViewAct;
use crate::state::action::{Action, Ask};
use crate::state::choices::{Panel, Tone, View};
use crate::state::effect::{Effect, ScriptReply};
use crate::state::flow::State;
use crate::state::loaded::loaded_sentence;
use crate::state::prefs::Prefs;
use crate::state::reduce::reduce;
use crate::state::run;
use crate::state::ui::{Dialog, EngineState, Offer};

const HERE: Place = Place {
    branch: 0,
    step: 10,
};

fn done(state: &mut State, id: u32, done: Done) -> Vec<Effect> {
    reduce(state, Action::Engine(FromEngine::Done { id, done }))
}

fn loaded() -> Done {
    loaded_with(TextReport::default())
}

fn loaded_with(text: TextReport) -> Done {
    Done::Loaded {
        text,
        view: String::new(),
    }
}

fn executed() -> Done {
    Done::Executed(Executed::default())
}

fn refused(message: &str) -> Done {
    Done::Refused {
        message: message.to_owned(),
    }
}

/// Views of the story with ten steps; the cursor is at the end.
fn views(state: &mut State) -> Vec<Effect> {
    let status = StatusView {
        title: "A story".to_owned(),
        step: 10,
        steps: 10,
        typed: 3,
        ..StatusView::default()
    };
    let views = Views {
        status,
        lesson: state.views.lesson.clone(),
        ..Views::default()
    };
    reduce(state, Action::Engine(FromEngine::Views(Box::new(views))))
}

fn found(state: &mut State, number: u32, found: Found) -> Vec<Effect> {
    reduce(state, Action::Run(RunAct::Found { number, found }))
}

/// Returns a page that shows the story; no run is saved.
fn page() -> State {
    let mut state = State::new(Prefs::default());
    state.flow.runs.ids = "new".to_owned();
    reduce(&mut state, Action::Run(RunAct::Begin(Wanted::Last)));
    let effects = found(&mut state, 1, Found::Nothing);
    let id = load_id(&effects);
    done(&mut state, id, loaded());
    views(&mut state);
    state
}

/// Returns a page that begins with lesson L04, and the effects of its start.
fn beginning_with_lesson() -> (State, Vec<Effect>) {
    let mut state = State::new(Prefs::default());
    let wanted = Wanted::Source {
        source: Source::Lesson("L04".to_owned()),
        at: SeekTo::Default,
    };
    reduce(&mut state, Action::Run(RunAct::Begin(wanted)));
    let effects = found(&mut state, 1, Found::Nothing);
    assert!(state.ui.has_lesson(&state.views));
    (state, effects)
}

#[test]
fn the_place_of_a_lesson_stays_its_own_until_its_text_is_here() {
    let (mut state, effects) = beginning_with_lesson();
    done(&mut state, load_id(&effects), loaded());
    views(&mut state);
    assert!(
        state.ui.has_lesson(&state.views),
        "views of before say nothing of the lesson"
    );
    in_lesson(&mut state);
    assert!(!state.ui.begins_with_lesson, "the views say it now");
    assert!(state.ui.has_lesson(&state.views));
}

#[test]
fn the_place_of_a_lesson_goes_when_another_run_is_loaded() {
    let (mut state, effects) = beginning_with_lesson();
    let answer = refused("There is no lesson L04.");
    done(&mut state, load_id(&effects), answer);
    // The story opens instead, as with an address that names no run.
    let effects = found(&mut state, 2, Found::Nothing);
    done(&mut state, load_id(&effects), loaded());
    assert!(!state.ui.has_lesson(&state.views));
}

/// Returns a page that has begun to load a saved run with these entries.
fn restoring(entries: Vec<JournalEntry>) -> (State, Vec<Effect>) {
    let mut state = State::new(Prefs::default());
    state.flow.runs.ids = "new".to_owned();
    reduce(&mut state, Action::Run(RunAct::Begin(Wanted::Last)));
    let effects = found(&mut state, 1, kept(entries));
    (state, effects)
}

fn kept(entries: Vec<JournalEntry>) -> Found {
    Found::Kept(Box::new(run(entries)))
}

fn run(entries: Vec<JournalEntry>) -> KeptRun {
    KeptRun {
        id: "old".to_owned(),
        meta: Meta {
            slot: "story:slow-client".to_owned(),
            title: "A slow client".to_owned(),
            covers: 4,
            ..Meta::default()
        },
        base: Source::Saved("base".to_owned()),
        at: SeekTo::Default,
        entries,
        asides: Vec::new(),
        attempts: 0,
        is_elsewhere: false,
    }
}

fn typed(number: u64, text: &str) -> JournalEntry {
    JournalEntry {
        number,
        place: Some(HERE),
        act: Act::Type(text.to_owned()),
    }
}

fn load_id(effects: &[Effect]) -> u32 {
    let mut ids = effects.iter().filter_map(|effect| match effect {
        Effect::Send(ToEngine::Request(id, Request::Load { .. })) => Some(*id),
        _ => None,
    });
    ids.next_back().expect("a run is asked for")
}

/// Returns the numbers and texts of the lines that are sent to the engine.
fn sent(effects: &[Effect]) -> Vec<(u32, &str)> {
    let lines = effects.iter().filter_map(|effect| match effect {
        Effect::Send(ToEngine::Request(id, Request::Act(Act::Type(text)))) => {
            Some((*id, text.as_str()))
        }
        _ => None,
    });
    lines.collect()
}

fn move_id(effects: &[Effect]) -> u32 {
    let id = effects.iter().find_map(|effect| match effect {
        Effect::Send(ToEngine::Request(id, Request::Move(Move::BySteps(_)))) => Some(*id),
        _ => None,
    });
    id.expect("a move")
}

fn save_id(effects: &[Effect]) -> Option<u32> {
    effects.iter().find_map(|effect| match effect {
        Effect::Send(ToEngine::Request(id, Request::Read(Read::Save))) => Some(*id),
        _ => None,
    })
}

fn keeps(effects: &[Effect]) -> Vec<&Keep> {
    let keeps = effects.iter().filter_map(|effect| match effect {
        Effect::Keep(keep) => Some(keep),
        _ => None,
    });
    keeps.collect()
}

fn place_of(effects: &[Effect], wanted: impl Fn(&Effect) -> bool) -> usize {
    let place = effects.iter().position(wanted);
    place.unwrap_or_else(|| panic!("it is there: {effects:?}"))
}

fn failure() -> Failure {
    Failure::new(FailureKind::Stopped, "panicked at lib.rs:1:1")
}

fn offer(state: &State) -> Option<Offer> {
    let notice = state.ui.notice.as_ref();
    notice.and_then(|notice| notice.offers.last().cloned())
}

#[test]
fn the_first_line_is_written_with_what_it_is_typed_into_before_it_is_sent() {
    let mut state = page();
    let effects = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned()))),
    );
    let begun = place_of(&effects, |effect| {
        matches!(effect, Effect::Keep(Keep::Begin { id, meta, base: Source::Story(_), .. })
            if id == "new.1" && meta.title == "A story" && meta.slot == "story:two-generations")
    });
    let opened = place_of(&effects, |effect| {
        matches!(effect, Effect::Keep(Keep::Opened { .. }))
    });
    let written = place_of(&effects, |effect| {
        matches!(effect, Effect::Keep(Keep::Write { id, entries })
            if id == "new.1" && *entries == [typed(1, "put a 1")])
    });
    let sent = place_of(&effects, |effect| {
        matches!(effect, Effect::Send(ToEngine::Request(_, Request::Act(_))))
    });
    assert!(begun < written && opened < sent && written < sent);
    assert_eq!(state.ui.running, ["put a 1"]);
    let again = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 2".to_owned()))),
    );
    assert!(
        keeps(&again)
            .iter()
            .all(|keep| !matches!(keep, Keep::Begin { .. }))
    );
}

#[test]
fn a_base_is_asked_for_when_everything_is_answered_and_covers_exactly_that() {
    let mut state = page();
    let first = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned()))),
    );
    let second = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put b 2".to_owned()))),
    );
    let answer = done(&mut state, sent(&first)[0].0, executed());
    assert!(answer.contains(&Effect::SaveSoon));
    let early = reduce(&mut state, Action::Run(RunAct::SaveNow));
    assert_eq!(
        save_id(&early),
        None,
        "b is not answered, and half of it may be done"
    );
    done(&mut state, sent(&second)[0].0, executed());
    let asked = reduce(&mut state, Action::Run(RunAct::SaveNow));
    let save = save_id(&asked).expect("a base");
    // A line that is typed while the engine writes the base is not part of the base.
    reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put c 3".to_owned()))),
    );
    let kept = done(&mut state, save, Done::Text("base".to_owned()));
    assert!(matches!(keeps(&kept)[..], [Keep::Base { meta, text, .. }]
        if meta.covers == 2 && meta.typed == 3 && text == "base"));
    let run = state.flow.runs.run.as_ref().expect("a run");
    let left: Vec<_> = run.items.iter().map(|item| item.entry.number).collect();
    assert_eq!(left, [3]);
}

#[test]
fn the_run_is_not_saved_while_the_cursor_moves() {
    let mut state = page();
    let typed = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned()))),
    );
    done(&mut state, sent(&typed)[0].0, executed());
    let first = move_id(&reduce(
        &mut state,
        Action::Playback(PlaybackAct::Move(Move::BySteps(-1))),
    ));
    // This move is sent when the first move is done.
    reduce(
        &mut state,
        Action::Playback(PlaybackAct::Move(Move::BySteps(-1))),
    );
    let answer = done(&mut state, first, Done::Moved { step: 9 });
    assert!(!answer.contains(&Effect::SaveSoon));
    assert_eq!(
        save_id(&reduce(&mut state, Action::Run(RunAct::SaveNow))),
        None
    );
    let answer = done(&mut state, move_id(&answer), Done::Moved { step: 8 });
    assert!(answer.contains(&Effect::SaveSoon));
    assert!(save_id(&reduce(&mut state, Action::Run(RunAct::SaveNow))).is_some());
}

#[test]
fn a_save_is_not_lost_when_playback_begins() {
    let mut state = page();
    let typed = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned()))),
    );
    let answer = done(&mut state, sent(&typed)[0].0, executed());
    assert!(answer.contains(&Effect::SaveSoon));
    reduce(
        &mut state,
        Action::Playback(PlaybackAct::Move(Move::BySteps(-1))),
    );
    state.ui_mut().playing = true;
    assert!(save_id(&reduce(&mut state, Action::Run(RunAct::SaveNow))).is_some());
}

#[test]
fn keeping_a_loaded_text_begins_with_the_text_that_the_engine_wrote() {
    let mut state = page();
    let text = Source::Text("put a 1".to_owned());
    reduce(&mut state, Action::Run(RunAct::Open(text, SeekTo::End)));
    let load = found(&mut state, 2, Found::Nothing);
    done(&mut state, load_id(&load), loaded());
    views(&mut state);
    assert!(state.ui.dirty);
    let asked = reduce(&mut state, Action::Run(RunAct::SaveNow));
    assert!(
        keeps(&asked).is_empty(),
        "the page would compress the whole text itself"
    );
    let save = save_id(&asked).expect("a base");
    let kept = done(&mut state, save, Done::Text("base".to_owned()));
    let [Keep::Begin { base, .. }, .., Keep::Base { text, .. }] = keeps(&kept)[..] else {
        panic!("{kept:?}");
    };
    assert_eq!(*base, Source::Saved("base".to_owned()));
    assert_eq!(text, "base");
}

#[test]
fn nothing_is_kept_before_the_user_did_anything() {
    let mut state = page();
    let step = move_id(&reduce(
        &mut state,
        Action::Playback(PlaybackAct::Move(Move::BySteps(-1))),
    ));
    let answer = done(&mut state, step, Done::Moved { step: 9 });
    assert!(!answer.contains(&Effect::SaveSoon));
    assert!(reduce(&mut state, Action::Run(RunAct::SaveNow)).is_empty());
}

#[test]
fn a_line_is_journaled_with_the_place_where_it_is_typed() {
    let mut state = page();
    reduce(&mut state, Action::seek(SeekTo::Step(4)));
    reduce(
        &mut state,
        Action::Playback(PlaybackAct::Move(Move::BySteps(-1))),
    );
    let effects = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned()))),
    );
    let place = keeps(&effects).iter().find_map(|keep| match keep {
        Keep::Write { entries, .. } => Some(entries[0].place),
        _ => None,
    });
    assert_eq!(place, Some(Some(Place { branch: 0, step: 3 })));
    // The cursor's position after the previous line is not known yet.
    let effects = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put b 1".to_owned()))),
    );
    assert!(
        matches!(keeps(&effects)[..], [Keep::Write { entries, .. }] if entries[0].place.is_none())
    );
}

#[test]
fn a_kept_run_is_replayed_line_by_line_each_after_the_answer_to_the_one_before() {
    let (mut state, effects) = restoring(vec![typed(5, "put a 1"), typed(6, "put b 2")]);
    let attempt = Keep::Attempt {
        id: "old".to_owned(),
        attempt: Attempt::Base(1),
    };
    assert_eq!(keeps(&effects), [&attempt]);
    let first = done(&mut state, load_id(&effects), loaded());
    assert!(keeps(&first).contains(&&Keep::AttemptDone {
        id: "old".to_owned()
    }));
    let [(a, "put a 1")] = sent(&first)[..] else {
        panic!("one line: {first:?}");
    };
    let marked = place_of(&first, |effect| {
        matches!(
            effect,
            Effect::Keep(Keep::Attempt {
                attempt: Attempt::Entry(5),
                ..
            })
        )
    });
    let moved = place_of(&first, |effect| {
        matches!(
            effect,
            Effect::Send(ToEngine::Request(
                _,
                Request::Move(Move::To(SeekTo::Step(10)))
            ))
        )
    });
    let run = place_of(&first, |effect| {
        matches!(effect, Effect::Send(ToEngine::Request(_, Request::Act(_))))
    });
    assert!(marked < run && moved < run);
    // A line that is typed during the replay is sent after the replayed lines.
    let meanwhile = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put c 3".to_owned()))),
    );
    assert!(sent(&meanwhile).is_empty());
    assert!(
        matches!(keeps(&meanwhile)[..], [Keep::Write { entries, .. }] if entries[0].number == 7)
    );
    let second = done(&mut state, a, executed());
    let [(b, "put b 2")] = sent(&second)[..] else {
        panic!("the next: {second:?}");
    };
    let third = done(&mut state, b, executed());
    assert!(keeps(&third).contains(&&Keep::AttemptDone {
        id: "old".to_owned()
    }));
    assert!(matches!(sent(&third)[..], [(_, "put c 3")]));
    assert_eq!(offer(&state), Some(Offer::StartOver));
}

#[test]
fn scripts_wait_until_the_run_is_whole() {
    let (mut state, effects) = restoring(vec![typed(5, "put a 1")]);
    let ready = Action::Ask {
        ticket: 7,
        ask: Ask::Ready,
    };
    reduce(&mut state, ready);
    let reply = Effect::Reply {
        ticket: 7,
        reply: ScriptReply::Done,
    };
    let first = done(&mut state, load_id(&effects), loaded());
    assert!(!views(&mut state).contains(&reply));
    let last = done(&mut state, sent(&first)[0].0, executed());
    assert!(last.contains(&reply));
}

#[test]
fn the_line_that_stops_the_engine_is_set_aside_and_the_rest_comes_back() {
    let mut state = page();
    let good = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned()))),
    );
    done(&mut state, sent(&good)[0].0, executed());
    reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("poison".to_owned()))),
    );
    reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put b 2".to_owned()))),
    );
    let effects = reduce(&mut state, Action::HostFailed(failure()));
    let aside = Aside {
        number: 2,
        text: "poison".to_owned(),
        why: AsideReason::Stopped,
    };
    let kept = Keep::SetAside {
        id: "new.1".to_owned(),
        aside: aside.clone(),
    };
    assert!(keeps(&effects).contains(&&kept), "{effects:?}");
    assert_eq!(state.ui.asides, [aside]);
    let effects = reduce(&mut state, Action::Run(RunAct::TryAgain));
    let first = done(&mut state, load_id(&effects), loaded());
    assert!(matches!(sent(&first)[..], [(_, "put a 1")]));
    let second = done(&mut state, sent(&first)[0].0, executed());
    assert!(matches!(sent(&second)[..], [(_, "put b 2")]));
    // The line can be retyped as a new line.
    done(&mut state, sent(&second)[0].0, executed());
    let again = reduce(&mut state, Action::Run(RunAct::TryAside(2)));
    assert!(matches!(sent(&again)[..], [(_, "poison")]));
    assert!(state.ui.asides.is_empty());
}

#[test]
fn a_line_that_was_set_aside_can_be_tried_while_the_run_is_loaded_again() {
    let mut state = page();
    reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("poison".to_owned()))),
    );
    reduce(&mut state, Action::HostFailed(failure()));
    let restart = reduce(&mut state, Action::Run(RunAct::TryAgain));
    assert_eq!(
        state.ui.asides.len(),
        1,
        "it is shown while the run is loaded"
    );
    let again = reduce(&mut state, Action::Run(RunAct::TryAside(1)));
    assert!(sent(&again).is_empty(), "the run comes first");
    assert!(state.ui.asides.is_empty());
    let effects = done(&mut state, load_id(&restart), loaded());
    assert!(matches!(sent(&effects)[..], [(_, "poison")]), "{effects:?}");
}

#[test]
fn a_death_while_no_line_is_under_way_sets_nothing_aside() {
    let mut state = page();
    let good = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned()))),
    );
    done(&mut state, sent(&good)[0].0, executed());
    let effects = reduce(&mut state, Action::HostFailed(failure()));
    assert!(keeps(&effects).is_empty(), "{effects:?}");
    assert!(state.ui.asides.is_empty());
}

#[test]
fn the_story_from_its_start_never_has_the_lines_of_the_run_before() {
    let mut state = page();
    reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("poison".to_owned()))),
    );
    reduce(&mut state, Action::HostFailed(failure()));
    let effects = reduce(&mut state, Action::Run(RunAct::RestartWithStory));
    assert!(matches!(
        effects.iter().find_map(|effect| match effect {
            Effect::Send(ToEngine::Request(_, Request::Load { source, .. })) => Some(source),
            _ => None,
        }),
        Some(Source::Story(_))
    ));
    let effects = done(&mut state, load_id(&effects), loaded());
    assert!(sent(&effects).is_empty());
    assert_eq!(offer(&state), Some(Offer::Back("new.1".to_owned())));
    assert!(
        !keeps(&effects)
            .iter()
            .any(|keep| matches!(keep, Keep::Delete { .. }))
    );
}

#[test]
fn a_base_that_twice_did_not_open_is_opened_only_on_request() {
    let mut state = State::new(Prefs::default());
    reduce(&mut state, Action::Run(RunAct::Begin(Wanted::Last)));
    let twice = KeptRun {
        attempts: 2,
        ..run(Vec::new())
    };
    let effects = found(&mut state, 1, Found::Kept(Box::new(twice.clone())));
    done(&mut state, load_id(&effects), loaded());
    assert_eq!(offer(&state), Some(Offer::TryAgain("old".to_owned())));
    let again = Action::Run(RunAct::OpenSaved {
        id: "old".to_owned(),
        is_forced: true,
    });
    reduce(&mut state, again);
    let effects = found(&mut state, 2, Found::Kept(Box::new(twice)));
    assert!(effects.iter().any(|effect| {
        matches!(
            effect,
            Effect::Send(ToEngine::Request(
                _,
                Request::Load {
                    source: Source::Saved(_),
                    ..
                }
            ))
        )
    }));
    done(&mut state, load_id(&effects), loaded());
    assert_eq!(offer(&state), Some(Offer::StartOver));
}

#[test]
fn opening_something_else_counts_no_attempt_of_a_kept_run() {
    let mut state = State::new(Prefs::default());
    let at = SeekTo::Default;
    let source = Source::Story("slow-client".to_owned());
    reduce(
        &mut state,
        Action::Run(RunAct::Begin(Wanted::Source { source, at })),
    );
    let effects = found(&mut state, 1, Found::Nothing);
    assert!(keeps(&effects).is_empty(), "{effects:?}");
}

#[test]
fn a_kept_run_that_cannot_be_read_gives_the_story_and_says_so() {
    let (mut state, effects) = restoring(Vec::new());
    let effects = done(&mut state, load_id(&effects), refused("line 1"));
    assert!(effects.iter().any(|effect| {
        matches!(
            effect,
            Effect::Send(ToEngine::Request(
                _,
                Request::Load {
                    source: Source::Story(_),
                    ..
                }
            ))
        )
    }));
    done(&mut state, load_id(&effects), loaded());
    assert_eq!(
        state.ui.notice.as_ref().map(|notice| notice.tone),
        Some(Tone::Bad)
    );
}

#[test]
fn leaving_a_run_of_ones_own_offers_the_way_back() {
    let mut state = page();
    let typed = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned()))),
    );
    done(&mut state, sent(&typed)[0].0, executed());
    reduce(
        &mut state,
        Action::Run(RunAct::OpenText("$ etcdctl get a".to_owned())),
    );
    let effects = found(&mut state, 2, Found::Nothing);
    assert!(save_id(&effects).is_some(), "what was typed is kept first");
    let differs = loaded_with(TextReport {
        compared: 5,
        differences: 2,
        differing: [3, 7]
            .map(|step| DifferingEntry { entry: step, step })
            .into(),
        skipped: 1,
        ..TextReport::default()
    });
    let effects = done(&mut state, load_id(&effects), differs);
    assert!(keeps(&effects).contains(&&Keep::Leave {
        id: "new.1".to_owned()
    }));
    assert_eq!(offer(&state), Some(Offer::Back("new.1".to_owned())));
    let notice = state.ui.notice.clone().expect("a notice");
    assert!(notice.text.starts_with("2 of 5 outputs differ"));
    let edit = Offer::EditText("$ etcdctl get a".to_owned());
    assert_eq!(notice.offers[..2], [Offer::Differences, edit]);
    // A run from a file or a pasted text is saved as soon as it is open.
    assert!(effects.contains(&Effect::SaveSoon));

    let mut show = |is_next| {
        reduce(&mut state, Action::Run(RunAct::ShowDifference { is_next }));
        state.ui.differences.entry().map(|entry| entry.step)
    };
    assert_eq!(
        [show(true), show(true), show(true)],
        [Some(3), Some(7), Some(3)]
    );
    assert_eq!(show(false), Some(7));
    assert_eq!(
        (state.ui.sheet, state.ui.sheet_tall),
        (Panel::Terminal, true)
    );
    reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("get a".to_owned()))),
    );
    assert_eq!(state.ui.differences.entry(), None);
}

#[test]
fn a_new_sandbox_and_a_pasted_text_open_in_the_index_view() {
    let empty = Source::Empty {
        profile: "3.6".to_owned(),
        seed: 1,
    };
    for source in [empty, Source::Text("put /a 1".to_owned())] {
        let mut state = page();
        reduce(&mut state, Action::View(ViewAct::Show(View::Storage)));
        reduce(
            &mut state,
            Action::Run(RunAct::Open(source, SeekTo::Step(0))),
        );
        found(&mut state, 2, Found::Nothing);
        assert_eq!(state.ui.prefs.view, View::Index);
    }
}

#[test]
fn a_scenario_of_the_address_is_saved_only_after_the_first_command() {
    let text = || Source::Text("put /a 1".to_owned());
    let mut state = State::new(Prefs::default());
    state.flow.runs.ids = "new".to_owned();
    let wanted = Wanted::Source {
        source: text(),
        at: SeekTo::Default,
    };
    reduce(&mut state, Action::Run(RunAct::Begin(wanted.clone())));
    let effects = found(&mut state, 1, Found::Nothing);
    let skipped = loaded_with(TextReport {
        skipped: 1,
        ..TextReport::default()
    });
    done(&mut state, load_id(&effects), skipped);
    assert!(!state.ui.dirty);
    assert_eq!(state.ui.notice, None, "a scenario explains its own errors");
    // The same is true when the user returns to this address later.
    reduce(&mut state, Action::Run(RunAct::Follow(wanted)));
    let effects = found(&mut state, 2, Found::Nothing);
    done(&mut state, load_id(&effects), loaded());
    assert!(!state.ui.dirty);
    // Another page has not been opened with this text, so the text is the user's.
    let mut state = page();
    reduce(&mut state, Action::Run(RunAct::Open(text(), SeekTo::End)));
    let effects = found(&mut state, 2, Found::Nothing);
    done(&mut state, load_id(&effects), loaded());
    assert!(state.ui.dirty);
}

#[test]
fn a_pasted_text_stays_in_the_dialog() {
    let mut state = page();
    let open = |state: &mut State| {
        reduce(state, Action::OpenDialog(Dialog::Open(String::new())));
        state.ui.transcript.clone()
    };
    assert_eq!(open(&mut state), "");
    reduce(
        &mut state,
        Action::Run(RunAct::KeepTranscript("$ etcdctl ge".to_owned())),
    );
    reduce(&mut state, Action::CloseDialog);
    assert_eq!(open(&mut state), "$ etcdctl ge");
    reduce(
        &mut state,
        Action::OpenDialog(Dialog::Open("$ etcdctl get b".to_owned())),
    );
    reduce(&mut state, Action::CloseDialog);
    assert_eq!(open(&mut state), "$ etcdctl get b");
}

#[test]
fn the_dialog_has_the_text_of_the_open_run() {
    let mut state = page();
    let pasted = "$ etcdctl get a".to_owned();
    let text = Source::Text(pasted.clone());
    reduce(&mut state, Action::Run(RunAct::Open(text, SeekTo::End)));
    let effects = found(&mut state, 2, Found::Nothing);
    let compared = loaded_with(TextReport {
        compared: 1,
        ..TextReport::default()
    });
    done(&mut state, load_id(&effects), compared);
    let edit = Offer::EditText(pasted.clone());
    let offers = state.ui.notice.as_ref().map(|notice| notice.offers.clone());
    assert!(offers.is_some_and(|offers| offers.contains(&edit)));
    // After a reload, the dialog begins without a text.
    assert_eq!(state.ui.transcript, "");
    reduce(&mut state, Action::OpenDialog(Dialog::Open(String::new())));
    assert_eq!(state.ui.transcript, pasted);
}

#[test]
fn a_text_runs_with_the_version_of_the_sandbox_in_which_it_is_pasted() {
    let mut state = page();
    let base = |state: &State| state.flow.runs.run.as_ref().map(|run| run.base.clone());
    let empty = Source::Empty {
        profile: "3.4".to_owned(),
        seed: 42,
    };
    reduce(&mut state, Action::Run(RunAct::Open(empty, SeekTo::End)));
    let effects = found(&mut state, 2, Found::Nothing);
    done(&mut state, load_id(&effects), loaded());
    reduce(
        &mut state,
        Action::Run(RunAct::OpenText("$ etcdctl get a\n".to_owned())),
    );
    let effects = found(&mut state, 3, Found::Nothing);
    done(&mut state, load_id(&effects), loaded());
    let text = "$ etcdctl get a\n\n\n#! profile: 3.4\n";
    assert_eq!(base(&state), Some(Source::Text(text.to_owned())));
    assert_eq!(run::without_profile(text), "$ etcdctl get a\n");
    assert_eq!(run::without_profile("$ etcdctl get a"), "$ etcdctl get a");
}

#[test]
fn the_message_about_a_text_counts_outputs_and_skipped_lines() {
    let sentence = |report: &TextReport| loaded_sentence(report);
    let same = TextReport {
        compared: 3,
        ..TextReport::default()
    };
    assert_eq!(sentence(&same), "All 3 outputs are the same.");
    let skipped = TextReport {
        compared: 3,
        differences: 1,
        skipped: 2,
        skipped_writes: 1,
        ..TextReport::default()
    };
    assert_eq!(
        sentence(&skipped),
        "1 of 3 outputs differs from the output of Watchglass. 2 lines skipped, including 1 write; later outputs may \
         differ."
    );
    assert_eq!(sentence(&TextReport::default()), "");
}

#[test]
fn what_is_typed_while_a_run_loads_waits_for_it() {
    let mut state = page();
    let source = Source::Story("slow-client".to_owned());
    reduce(
        &mut state,
        Action::Run(RunAct::Open(source, SeekTo::Step(0))),
    );
    let early = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned()))),
    );
    assert!(sent(&early).is_empty(), "storage has not answered");
    let effects = found(&mut state, 2, Found::Nothing);
    let late = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put b 2".to_owned()))),
    );
    assert!(sent(&effects).is_empty() && sent(&late).is_empty());
    let effects = done(&mut state, load_id(&effects), loaded());
    let lines: Vec<_> = sent(&effects).iter().map(|(_, text)| *text).collect();
    assert_eq!(lines, ["put a 1", "put b 2"]);
    assert!(keeps(&effects).iter().any(|keep| {
        matches!(keep, Keep::Write { id, entries } if id == "new.2" && entries.len() == 2)
    }));
}

#[test]
fn a_run_that_is_open_elsewhere_becomes_a_copy_with_an_id_of_its_own() {
    let mut state = State::new(Prefs::default());
    state.flow.runs.ids = "new".to_owned();
    reduce(&mut state, Action::Run(RunAct::Begin(Wanted::Last)));
    let elsewhere = KeptRun {
        is_elsewhere: true,
        ..run(Vec::new())
    };
    let effects = found(&mut state, 1, Found::Kept(Box::new(elsewhere)));
    assert!(
        keeps(&effects).is_empty(),
        "the run is the other tab's: {effects:?}"
    );
    done(&mut state, load_id(&effects), loaded());
    let text = state.ui.notice.as_ref().map(|notice| notice.text.clone());
    assert!(text.is_some_and(|text| text.contains("another tab")));
    let effects = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned()))),
    );
    assert!(keeps(&effects).iter().all(|keep| match keep {
        Keep::Begin { id, .. } | Keep::Write { id, .. } | Keep::Opened { id, .. } => id == "new.1",
        _ => false,
    }));
}

#[test]
fn a_page_whose_run_was_taken_over_goes_on_as_a_copy() {
    let mut state = page();
    let typed = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put a 1".to_owned()))),
    );
    done(&mut state, sent(&typed)[0].0, executed());
    let effects = reduce(&mut state, Action::Run(RunAct::Taken("new.1".to_owned())));
    assert!(keeps(&effects).iter().any(|keep| {
        matches!(keep, Keep::Write { id, entries } if id == "new.2" && entries.len() == 1)
    }));
}

#[test]
fn a_stop_drops_what_waits_and_nothing_else() {
    let mut state = page();
    let going = reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("run 1h".to_owned()))),
    );
    reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("put b 2".to_owned()))),
    );
    let effects = reduce(&mut state, Action::Terminal(TerminalAct::Interrupt));
    let dropped = Keep::Drop {
        id: "new.1".to_owned(),
        numbers: vec![2],
    };
    assert!(keeps(&effects).contains(&&dropped));
    // The effects of the interrupted first line belong to the next base, which is requested immediately.
    let effects = done(&mut state, sent(&going)[0].0, Done::Interrupted);
    assert!(save_id(&effects).is_some());
}

#[test]
fn an_interrupt_at_an_empty_prompt_ends_a_watch() {
    let ends_watch = |effects: &[Effect]| sent(effects).iter().any(|(_, line)| *line == "^C");
    let mut state = page();
    reduce(
        &mut state,
        Action::Terminal(TerminalAct::Draft("put a".to_owned())),
    );
    assert!(!ends_watch(&reduce(
        &mut state,
        Action::Terminal(TerminalAct::Interrupt)
    )));
    let ended = reduce(&mut state, Action::Terminal(TerminalAct::Interrupt));
    assert!(ends_watch(&ended));
    assert!(!ended.contains(&Effect::Send(ToEngine::Notification(
        Notification::Interrupt
    ))));
    // A command that waits is interrupted instead.
    reduce(
        &mut state,
        Action::Terminal(TerminalAct::Do(Act::Type("run 1h".to_owned()))),
    );
    let stopped = reduce(&mut state, Action::Terminal(TerminalAct::Interrupt));
    assert!(!ends_watch(&stopped));
    assert!(stopped.contains(&Effect::Send(ToEngine::Notification(
        Notification::Interrupt
    ))));
}

fn in_lesson(state: &mut State) {
    let mut with = (*state.views).clone();
    with.status.can_undo = true;
    with.lesson = Some(LessonView {
        name: "L04".to_owned(),
        title: "Time travel".to_owned(),
        items: vec![LessonItem::Command {
            text: "put /key1 value1".to_owned(),
            output: String::new(),
            error_lines: Vec::new(),
            more_lines: 0,
            typed: false,
            failed: false,
        }],
        ..LessonView::default()
    });
    reduce(state, Action::Engine(FromEngine::Views(Box::new(with))));
}

fn lesson_id(effects: &[Effect], wanted: &LessonAct) -> Option<u32> {
    effects.iter().find_map(|effect| match effect {
        Effect::Send(ToEngine::Request(id, Request::Lesson(act))) if act == wanted => Some(*id),
        _ => None,
    })
}

#[test]
fn what_a_lesson_types_is_journaled_and_so_is_an_undo() {
    let mut state = page();
    in_lesson(&mut state);
    let effects = reduce(&mut state, Action::Lesson(LessonAct::Type));
    assert!(matches!(sent(&effects)[..], [(_, "put /key1 value1")]));
    assert!(
        keeps(&effects)
            .iter()
            .any(|keep| matches!(keep, Keep::Write { .. }))
    );
    done(&mut state, sent(&effects)[0].0, executed());
    let effects = reduce(&mut state, Action::Terminal(TerminalAct::Do(Act::Undo)));
    assert!(
        matches!(keeps(&effects)[..], [Keep::Write { entries, .. }] if entries[0].act == Act::Undo)
    );
    let undo = effects.iter().find_map(|effect| match effect {
        Effect::Send(ToEngine::Request(id, Request::Act(Act::Undo))) => Some(*id),
        _ => None,
    });
    let effects = done(&mut state, undo.expect("an undo"), Done::Moved { step: 0 });
    assert!(
        save_id(&effects).is_some(),
        "the base is out of date at once"
    );
}

#[test]
fn a_skipped_task_runs_its_solution_before_the_next_part() {
    let mut state = page();
    in_lesson(&mut state);
    let effects = reduce(&mut state, Action::SkipTask);
    let asked = lesson_id(&effects, &LessonAct::Solution).expect("the solution");
    let solution = Done::Text("put /a 1\ndel /a".to_owned());
    let effects = done(&mut state, asked, solution);
    let sends = effects.iter().filter_map(|effect| match effect {
        Effect::Send(ToEngine::Request(_, Request::Act(Act::Type(text)))) => Some(text.as_str()),
        Effect::Send(ToEngine::Request(_, Request::Lesson(LessonAct::Next))) => Some("next"),
        _ => None,
    });
    assert_eq!(sends.collect::<Vec<_>>(), ["put /a 1\ndel /a", "next"]);
}

#[test]
fn the_label_of_a_lesson_names_the_current_part() {
    let (mut state, effects) = beginning_with_lesson();
    done(&mut state, load_id(&effects), loaded());
    in_lesson(&mut state);
    let effects = reduce(&mut state, Action::Lesson(LessonAct::Type));
    let opened = keeps(&effects).into_iter().find_map(|keep| match keep {
        Keep::Opened { label, .. } => Some(label.clone()),
        _ => None,
    });
    assert_eq!(opened.as_deref(), Some("L04, part 1: Time travel"));
    let mut next = (*state.views).clone();
    if let Some(lesson) = &mut next.lesson {
        lesson.part = 2;
    }
    let labels = |state: &mut State| {
        let views = FromEngine::Views(Box::new(next.clone()));
        let effects = reduce(state, Action::Engine(views));
        let labels = keeps(&effects).into_iter().filter_map(|keep| match keep {
            Keep::Label { label, .. } => Some(label.clone()),
            _ => None,
        });
        labels.collect::<Vec<_>>()
    };
    assert_eq!(labels(&mut state), ["L04, part 3: Time travel"]);
    assert!(labels(&mut state).is_empty(), "the label has not changed");
}

#[test]
fn a_lesson_that_is_left_goes_on_as_a_run_of_its_own() {
    let mut state = page();
    in_lesson(&mut state);
    let effects = reduce(&mut state, Action::Lesson(LessonAct::Leave));
    let asked = lesson_id(&effects, &LessonAct::Leave).expect("the run without its lesson");
    let effects = done(
        &mut state,
        asked,
        Done::Text("watchglass-run-1.".to_owned()),
    );
    assert!(matches!(
        keeps(&effects).last(),
        Some(Keep::Find { number: 2, .. })
    ));
    let effects = found(&mut state, 2, Found::Nothing);
    let load = effects.iter().find_map(|effect| match effect {
        Effect::Send(ToEngine::Request(
            id,
            Request::Load {
                source: Source::Saved(_),
                ..
            },
        )) => Some(*id),
        _ => None,
    });
    let effects = done(&mut state, load.expect("it is loaded"), loaded());
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::SaveSoon)),
        "a reload leads back to it: {effects:?}"
    );
}

#[test]
fn starting_over_empties_the_slot_and_offers_the_run_back() {
    let (mut state, effects) = restoring(Vec::new());
    done(&mut state, load_id(&effects), loaded());
    views(&mut state);
    let effects = reduce(&mut state, Action::Run(RunAct::StartOver));
    let detached = Keep::Detach {
        slot: "story:slow-client".to_owned(),
    };
    assert!(keeps(&effects).contains(&&detached));
    done(&mut state, load_id(&effects), loaded());
    assert_eq!(offer(&state), Some(Offer::Back("old".to_owned())));
    assert!(!state.ui.dirty);
}

#[test]
fn a_damaged_link_leads_to_the_kept_run() {
    let mut state = State::new(Prefs::default());
    let at = SeekTo::Default;
    let source = Source::Link("v1.x".to_owned());
    reduce(
        &mut state,
        Action::Run(RunAct::Begin(Wanted::Source { source, at })),
    );
    let effects = found(&mut state, 1, Found::Nothing);
    let effects = done(&mut state, load_id(&effects), refused("damaged"));
    assert!(matches!(
        keeps(&effects)[..],
        [Keep::Find {
            number: 2,
            wanted: Wanted::Last
        }]
    ));
    let effects = found(&mut state, 2, kept(Vec::new()));
    done(&mut state, load_id(&effects), loaded());
    assert_eq!(state.ui.engine, EngineState::Running);
    let text = state.ui.notice.as_ref().map(|notice| notice.text.clone());
    assert_eq!(text.as_deref(), Some("damaged"));
    assert_eq!(offer(&state), Some(Offer::Find));
}
