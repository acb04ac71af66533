//! Tests of the texts of stories and lessons: when the page fetches a text, and what it shows if a text is missing.

use watchglass_engine::session::protocol::{
    Done, FromEngine, Notification, Request, SeekTo, Source, TextReport, ToEngine,
};

use crate::host::FailureKind;
use crate::keep::{Found, Wanted};
use crate::state::action::RunAct;
use crate::state::action::{Action, Ask};
use crate::state::effect::{Effect, ScriptReply};
use crate::state::flow::State;
use crate::state::prefs::Prefs;
use crate::state::reduce::reduce;
use crate::state::ui::{EngineState, Offer};

fn begun() -> (State, Vec<Effect>) {
    let mut state = State::new(Prefs::default());
    reduce(&mut state, Action::Run(RunAct::Begin(Wanted::Last)));
    let number = 1;
    let found = Found::Nothing;
    let effects = reduce(&mut state, Action::Run(RunAct::Found { number, found }));
    (state, effects)
}

fn page() -> State {
    let (mut state, effects) = begun();
    let done = Done::Loaded {
        text: TextReport::default(),
        view: String::new(),
    };
    answer(&mut state, load_id(&effects), done);
    state
}

fn open(state: &mut State, source: Source) -> Vec<Effect> {
    reduce(state, Action::Run(RunAct::Open(source, SeekTo::Default)));
    let found = Found::Nothing;
    reduce(state, Action::Run(RunAct::Found { number: 2, found }))
}

fn answer(state: &mut State, id: u32, done: Done) -> Vec<Effect> {
    reduce(state, Action::Engine(FromEngine::Done { id, done }))
}

fn absent(state: &mut State, id: u32, name: &str) -> Vec<Effect> {
    let name = name.to_owned();
    answer(state, id, Done::Absent { name })
}

fn load_id(effects: &[Effect]) -> u32 {
    let mut ids = effects.iter().rev().filter_map(|effect| match effect {
        Effect::Send(ToEngine::Request(id, Request::Load { .. })) => Some(*id),
        _ => None,
    });
    ids.next().expect("a run is loaded")
}

fn fetched(effects: &[Effect]) -> Vec<&str> {
    let names = effects.iter().filter_map(|effect| match effect {
        Effect::Fetch(name) => Some(&**name),
        _ => None,
    });
    names.collect()
}

fn fetch_fails(state: &mut State, name: &str) -> Vec<Effect> {
    let name = name.to_owned();
    let text = Err("status 404".to_owned());
    reduce(state, Action::Fetched { name, text })
}

#[test]
fn the_text_of_the_story_is_fetched_before_the_engine_asks() {
    let (mut state, effects) = begun();
    assert_eq!(fetched(&effects), ["stories/two-generations"]);
    let name = "stories/two-generations".to_owned();
    let asked = FromEngine::Wants { name: name.clone() };
    assert_eq!(reduce(&mut state, Action::Engine(asked)), []);
    let text = Ok("#! title: X".to_owned());
    let effects = reduce(
        &mut state,
        Action::Fetched {
            name: name.clone(),
            text,
        },
    );
    let text = Some("#! title: X".to_owned());
    assert_eq!(
        effects,
        [Effect::Send(ToEngine::Notification(Notification::Text {
            name,
            text
        }))]
    );
}

#[test]
fn what_a_link_is_made_from_is_fetched_when_the_engine_asks() {
    let mut state = page();
    let effects = open(&mut state, Source::Link("v1.x".to_owned()));
    assert_eq!(fetched(&effects), [""; 0]);
    let name = "lessons/L04".to_owned();
    let effects = reduce(&mut state, Action::Engine(FromEngine::Wants { name }));
    assert_eq!(fetched(&effects), ["lessons/L04"]);
}

#[test]
fn a_first_text_that_cannot_be_had_is_said_and_tried_again() {
    let (mut state, effects) = begun();
    let name = "stories/two-generations";
    let told = fetch_fails(&mut state, name);
    let text = None;
    let message = ToEngine::Notification(Notification::Text {
        name: name.to_owned(),
        text,
    });
    assert_eq!(told, [Effect::Send(message)]);
    let ticket = 3;
    let ask = Ask::Ready;
    reduce(&mut state, Action::Ask { ticket, ask });
    let effects = absent(&mut state, load_id(&effects), name);
    let EngineState::Failed(failure, _) = &state.ui.engine else {
        panic!("{:?}", state.ui.engine);
    };
    assert_eq!(failure.kind, FailureKind::NoText);
    assert_eq!(failure.details, "status 404");
    let reply = ScriptReply::Refused(failure.text());
    assert!(effects.contains(&Effect::Reply { ticket, reply }));

    reduce(&mut state, Action::Run(RunAct::TryAgain));
    let found = Found::Nothing;
    let effects = reduce(&mut state, Action::Run(RunAct::Found { number: 2, found }));
    assert_eq!(fetched(&effects), [name]);
}

#[test]
fn a_text_that_cannot_be_had_leaves_the_run_at_hand() {
    let mut state = page();
    let lesson = || Source::Lesson("L04".to_owned());
    let effects = open(&mut state, lesson());
    assert_eq!(fetched(&effects), ["lessons/L04"]);
    fetch_fails(&mut state, "lessons/L04");
    absent(&mut state, load_id(&effects), "lessons/L04");
    assert_eq!(state.ui.engine, EngineState::Running);
    let notice = state.ui.notice.clone().expect("a note");
    assert!(
        notice.text.contains("could not be loaded"),
        "{}",
        notice.text
    );
    let [Offer::Open(opening)] = notice.offers.as_slice() else {
        panic!("{notice:?}");
    };
    assert_eq!(opening.source, lesson());
}

#[test]
fn a_fresh_engine_gets_the_texts_anew() {
    let mut state = page();
    let effects = reduce(&mut state, Action::Run(RunAct::TryAgain));
    assert_eq!(fetched(&effects), ["stories/two-generations"]);
}
