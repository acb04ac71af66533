//! Tests of database files in the reducer: opening, cancelling, and runs that wait for a file.

use watchglass_engine::session::protocol::{
    Done, FileAsk, FileIdentity, FileRole, FileStage, FromEngine, Notification, Request,
    TextReport, ToEngine, ValueForm,
};
use watchglass_engine::view::StoredValue;
use watchglass_engine::view::file::comparison::ComparisonQuery;
use watchglass_engine::view::file::key_list::{KeyFilter, KeyList, KeyListQuery};
use watchglass_engine::view::file::maintenance::{MaintenanceQuery, MaintenanceStage};

use crate::keep::{Found, Wanted};
use crate::state::action::Action;
use crate::state::action::RunAct;
use crate::state::effect::Effect;
use crate::state::file_panel::{ComparisonAct, ComparisonPanel, FileAct};
use crate::state::flow::State;
use crate::state::prefs::Prefs;
use crate::state::reduce::reduce;
use crate::state::ui::{Dialog, EngineState, Figure};

fn page() -> State {
    let mut state = State::new(Prefs::default());
    reduce(&mut state, Action::Run(RunAct::Begin(Wanted::Last)));
    let found = Found::Nothing;
    reduce(&mut state, Action::Run(RunAct::Found { number: 1, found }));
    let done = Done::Loaded {
        text: TextReport::default(),
        view: String::new(),
    };
    reduce(&mut state, Action::Engine(FromEngine::Done { id: 1, done }));
    state
}

/// Begins to open a file of 3 MiB; returns the number of the message.
fn open(state: &mut State) -> u32 {
    let act = FileAct::Open {
        name: "a.db".to_owned(),
        bytes: 3 << 20,
        script: None,
    };
    let effects = reduce(state, Action::File(act));
    let is_offer = |effect: &Effect| *effect == Effect::OfferFile;
    let offered = effects.iter().position(is_offer);
    let opened = effects
        .iter()
        .enumerate()
        .find_map(|(place, effect)| match effect {
            Effect::Send(ToEngine::Request(id, Request::OpenFile { .. })) => Some((place, *id)),
            _ => None,
        });
    let (place, id) = opened.expect("the engine is told");
    assert!(offered.is_some_and(|offered| offered < place));
    id
}

fn progress(state: &mut State, id: u32, stage: FileStage, done: u64) -> Vec<Effect> {
    let total = 3 << 20;
    let message = FromEngine::FileProgress {
        id,
        stage,
        done,
        total,
    };
    reduce(state, Action::Engine(message))
}

#[test]
fn the_page_shows_the_progress() {
    let mut state = page();
    let id = open(&mut state);
    assert_eq!(state.ui.dialog, Some(Dialog::File));
    progress(&mut state, id, FileStage::Reading, 1 << 20);
    let opening = state.ui.file.opening.as_ref();
    let opening = opening.expect("the file is being opened");
    assert_eq!(
        (opening.progress.done, opening.progress.total),
        (1 << 20, 3 << 20)
    );
}

#[test]
fn what_was_given_up_is_read_no_further() {
    let mut state = page();
    let id = open(&mut state);
    let effects = reduce(&mut state, Action::File(FileAct::Close));
    assert!(effects.contains(&Effect::Send(ToEngine::Notification(
        Notification::CloseFile
    ))));
    assert_eq!(state.ui.file.opening, None);
    assert!(progress(&mut state, id, FileStage::Reading, 1 << 20).is_empty());
}

#[test]
fn the_end_of_a_replaced_file_is_not_that_of_the_new_one() {
    let mut state = page();
    let first = open(&mut state);
    let second = open(&mut state);
    let done = Done::Interrupted;
    reduce(
        &mut state,
        Action::Engine(FromEngine::Done { id: first, done }),
    );
    let opening = state
        .ui
        .file
        .opening
        .as_ref()
        .map(|opening| opening.progress.id);
    assert_eq!(
        opening,
        Some(second),
        "the second file is still being opened"
    );
    // A late response to the first file does not affect the second file.
    let done = Done::Refused {
        message: "late".to_owned(),
    };
    reduce(
        &mut state,
        Action::Engine(FromEngine::Done { id: first, done }),
    );
    assert_eq!(state.ui.file.refused, "");
}

#[test]
fn a_file_that_cannot_be_read_says_so() {
    let mut state = page();
    let open = FileAct::Open {
        name: "a.db".to_owned(),
        bytes: 9,
        script: None,
    };
    let why = "It was moved.".to_owned();
    let open = Box::new(open);
    let effects = reduce(&mut state, Action::File(FileAct::Refuse { open, why }));
    assert!(!effects.contains(&Effect::OfferFile));
    assert_eq!(state.ui.file.refused, "It was moved.");
    assert_eq!(state.ui.dialog, Some(Dialog::File));
}

#[test]
fn a_run_asks_for_its_file_and_can_do_without() {
    let mut state = page();
    let file = FileIdentity {
        name: "prod.db".into(),
        bytes: 9,
        sha256: [1; 32],
    };
    let wants = FromEngine::WantsFile {
        file: file.clone(),
        other: None,
    };
    reduce(&mut state, Action::Engine(wants));
    assert_eq!(state.ui.dialog, Some(Dialog::File));
    // Opening another file does not cancel the waiting run.
    open(&mut state);
    let wanted = state.ui.file.wanted.as_ref().expect("still wanted");
    assert_eq!(wanted.file, file);
    // Closing the dialog cancels the waiting run, which would otherwise wait forever.
    let effects = reduce(&mut state, Action::CloseDialog);
    assert!(effects.contains(&Effect::Send(ToEngine::Notification(
        Notification::Interrupt
    ))));
    assert_eq!(
        (state.ui.dialog.clone(), state.ui.file.wanted.clone()),
        (None, None)
    );
}

/// Returns the questions about the open file, each with the number of its message.
fn questions(effects: &[Effect]) -> Vec<(u32, FileAsk)> {
    let asked = effects.iter().filter_map(|effect| match effect {
        Effect::Send(ToEngine::Request(id, Request::AskFile(ask))) => Some((*id, ask.clone())),
        _ => None,
    });
    asked.collect()
}

#[test]
fn an_open_file_is_searched_and_its_values_are_saved() {
    let mut state = page();
    let id = open(&mut state);
    let done = Done::Opened(Box::default());
    let effects = reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
    let [(id, FileAsk::Keys(first))] = &questions(&effects)[..] else {
        panic!("{effects:?}");
    };
    assert_eq!(first.filter, KeyFilter::default());
    let list = KeyList {
        query: first.clone(),
        matches: 7,
        ..KeyList::default()
    };
    let (id, done) = (*id, Done::Keys(Box::new(list)));
    reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
    assert_eq!(
        state.ui.file.keys.as_ref().map(|keys| keys.matches),
        Some(7)
    );

    // The table and the script have the keys of the last search.
    let filter = KeyFilter {
        text: "/a".to_owned(),
        is_deleted: true,
    };
    let query = KeyListQuery {
        filter: filter.clone(),
        ..first.clone()
    };
    reduce(&mut state, Action::File(FileAct::Search(query)));
    let effects = reduce(&mut state, Action::File(FileAct::SaveScript));
    assert_eq!(
        questions(&effects)[0].1,
        FileAsk::SaveScript(filter.clone())
    );
    let effects = reduce(&mut state, Action::File(FileAct::SaveTable));
    let (id, ask) = questions(&effects).remove(0);
    assert_eq!(ask, FileAsk::SaveTable(filter));
    let (name, bytes) = ("a.csv".to_owned(), vec![1, 2]);
    let done = Done::File {
        name: name.clone(),
        bytes: bytes.clone(),
    };
    let effects = reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
    assert!(effects.contains(&Effect::SaveFile { name, bytes }));

    // The saved value is the shown one.
    let shown = StoredValue {
        key: b"/a".to_vec(),
        ..StoredValue::default()
    };
    let act = FileAct::Value {
        key: b"/a".to_vec(),
        at: None,
        shows_secret: false,
    };
    let effects = reduce(&mut state, Action::File(act));
    let (id, done) = (questions(&effects)[0].0, Done::Value(Box::new(shown)));
    reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
    let act = FileAct::SaveValue(ValueForm::Script);
    let effects = reduce(&mut state, Action::File(act));
    let expected = FileAsk::SaveValue {
        key: b"/a".to_vec(),
        at: None,
        form: ValueForm::Script,
    };
    assert_eq!(questions(&effects)[0].1, expected);
}

#[test]
fn a_figure_says_that_only_the_app_can_open_the_file() {
    let mut state = page();
    state.ui_mut().figure = Some(Figure::default());
    let file = FileIdentity {
        name: "prod.db".into(),
        bytes: 9,
        sha256: [1; 32],
    };
    let wants = FromEngine::WantsFile { file, other: None };
    reduce(&mut state, Action::Engine(wants));
    let EngineState::Failed(failure, _) = &state.ui.engine else {
        panic!("{:?}", state.ui.engine);
    };
    assert!(failure.text().contains("prod.db"), "{}", failure.text());
    assert_eq!(state.ui.dialog, None);
}

#[test]
fn a_plan_shows_its_progress_and_its_sizes() {
    let mut state = page();
    let id = open(&mut state);
    let done = Done::Opened(Box::default());
    reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
    let query = MaintenanceQuery {
        delete: b"/a".to_vec(),
        ..MaintenanceQuery::default()
    };
    let predict = Action::File(FileAct::Maintain(Ok(query.clone())));
    let effects = reduce(&mut state, predict.clone());
    let (id, ask) = questions(&effects).remove(0);
    assert_eq!(ask, FileAsk::Maintenance(query));
    let stage = FileStage::Maintenance(MaintenanceStage::Compacting);
    let effects = progress(&mut state, id, stage, 7);
    assert!(!effects.contains(&Effect::OfferFile));
    let running = state.ui.file.maintenance.running.as_ref();
    let running = running.map(|running| (running.stage, running.done));
    assert_eq!(running, Some((stage, 7)));
    let done = Done::Maintenance(Box::default());
    reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
    let panel = &state.ui.file.maintenance;
    assert!(panel.running.is_none() && panel.view.is_some());

    // A number that cannot be read is refused without the engine.
    let refused = Action::File(FileAct::Maintain(Err("no number".to_owned())));
    let effects = reduce(&mut state, refused);
    assert!(questions(&effects).is_empty());
    let panel = &state.ui.file.maintenance;
    assert_eq!((&*panel.refused, &panel.view), ("no number", &None));

    // A run on the file and the button cancel the prediction, and a late response is ignored.
    for end in [FileAct::StopMaintenance, FileAct::Explore] {
        let effects = reduce(&mut state, predict.clone());
        let (id, _) = questions(&effects).remove(0);
        let effects = reduce(&mut state, Action::File(end));
        let stop = ToEngine::Notification(Notification::StopMaintenance);
        assert!(effects.contains(&Effect::Send(stop)));
        let done = Done::Maintenance(Box::default());
        reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
        let panel = &state.ui.file.maintenance;
        assert!(panel.running.is_none() && panel.view.is_none());
    }
}

/// Begins to open a file for the comparison; returns the number of the message.
fn open_other(state: &mut State) -> u32 {
    let act = FileAct::Comparison(ComparisonAct::Open {
        name: "b.db".to_owned(),
        bytes: 3 << 20,
    });
    let effects = reduce(state, Action::File(act));
    assert_eq!(effects.first(), Some(&Effect::OfferFile));
    let opened = effects.iter().find_map(|effect| match effect {
        Effect::Send(ToEngine::Request(id, Request::OpenFile { role, .. })) => Some((*id, *role)),
        _ => None,
    });
    let (id, role) = opened.expect("the engine is told");
    assert_eq!(role, FileRole::Other);
    id
}

#[test]
fn another_file_is_compared_as_soon_as_it_is_open() {
    let mut state = page();
    let id = open(&mut state);
    let opened = || Done::Opened(Box::default());
    let done = opened();
    reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
    let id = open_other(&mut state);
    progress(&mut state, id, FileStage::Checking, 7);
    let running = state.ui.file.comparison.running.as_ref();
    assert_eq!(running.map(|running| running.done), Some(7));
    assert!(state.ui.file.opening.is_none() && state.ui.file.overview.is_some());
    let done = opened();
    let effects = reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
    let (id, ask) = questions(&effects).remove(0);
    assert!(matches!(ask, FileAsk::Compare(_)), "{ask:?}");
    assert!(state.ui.file.comparison.other.is_some());

    // The open file stays open when the comparison is cancelled, and a late response is ignored.
    let stop = Action::File(FileAct::Comparison(ComparisonAct::Stop));
    let effects = reduce(&mut state, stop);
    let stopped = ToEngine::Notification(Notification::StopComparison);
    assert!(effects.contains(&Effect::Send(stopped)));
    let message = "late".to_owned();
    let done = Done::Refused { message };
    reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
    let file = &state.ui.file;
    assert_eq!(file.comparison, ComparisonPanel::default());
    assert!(file.overview.is_some());
}

#[test]
fn a_comparison_that_is_not_possible_says_why() {
    let mut state = page();
    let id = open(&mut state);
    let done = Done::Opened(Box::default());
    reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
    let compare = |query| Action::File(FileAct::Comparison(ComparisonAct::Compare(query)));
    let effects = reduce(&mut state, compare(Err("no number".to_owned())));
    assert!(questions(&effects).is_empty());
    assert_eq!(state.ui.file.comparison.refused, "no number");
    let effects = reduce(&mut state, compare(Ok(ComparisonQuery::default())));
    assert_eq!(state.ui.file.comparison.refused, "");
    let (id, _) = questions(&effects).remove(0);
    let message = "compacted".to_owned();
    let done = Done::Refused { message };
    reduce(&mut state, Action::Engine(FromEngine::Done { id, done }));
    let panel = &state.ui.file.comparison;
    assert!(panel.running.is_none());
    assert_eq!(panel.refused, "compacted");
    assert_eq!(
        state.ui.file.refused, "",
        "the report itself shows no error"
    );
}
