//! The current run and the runs that are about to open: typed lines, the engine's responses, and saving.
//!
//! [`crate::keep`] describes how saving works. This file decides which actions are journaled, when a base (the saved
//! text of a run) is requested, which actions are replayed, and which line is set aside (stored but not replayed). A
//! run becomes the current run when the engine has loaded it. A line that is typed earlier waits until its run is
//! loaded.

use watchglass_engine::session::protocol::{Act, Done, Move, Read, Request, SeekTo, Source};
use watchglass_engine::view::Views;

use super::choices::{Tone, View};
use super::effect::{Effect, ScriptReply};
use super::engine::{host_failed, start_engine};
use super::flow::{Purpose, State};
use super::line::PromptLine;
use super::loaded::loaded_sentence;
use super::reply::{no_text, reply_from};
use super::runs::{ItemStage, JournalItem, NextRun, OpenFor, OpenRun, SAME_BRANCH, story};
use super::texts;
use super::ui::{Differences, EngineState, Notice, Offer};
use super::view_text::show_view;
use crate::host::Failure;
use crate::keep::journal::{Attempt, JournalEntry, Place};
use crate::keep::opening::Opening;
use crate::keep::{Found, Keep, Meta, RunId, Wanted, slot};
use crate::words::state as words;

/// The number of consecutive failed attempts to load a base. After this number, the page
/// loads the base only on request.
const ATTEMPTS_MAX: u32 = 2;
/// Returns a pasted text with the etcd version of the current empty store. A text that contains settings (`#! `) stays
/// unchanged, because it can name a version itself.
pub fn with_profile(state: &State, text: String) -> String {
    let origin = state.flow.runs.run.as_ref().map(OpenRun::origin);
    match origin.map(|opening| opening.source) {
        Some(Source::Empty { profile, .. }) if !text.contains("#! ") => {
            format!("{text}\n\n#! profile: {profile}\n")
        }
        _ => text,
    }
}

/// Returns the text from which the open run was started, as the user pasted it; `None` if the run was not started from
/// a text of the user.
pub fn text_of_user(state: &State) -> Option<String> {
    let runs = &state.flow.runs;
    match runs.run.as_ref()?.origin().source {
        source if !runs.is_text_of_user(&source) => None,
        Source::Text(text) => Some(without_profile(&text)),
        Source::Story(_)
        | Source::Empty { .. }
        | Source::Saved(_)
        | Source::Link(_)
        | Source::Lesson(_)
        | Source::Snapshot { .. } => None,
    }
}

/// Returns a text as the user pasted it, without the version that [`with_profile`] adds.
pub(super) fn without_profile(text: &str) -> String {
    let added = text.rsplit_once("\n\n#! profile: ");
    let added = added.filter(|(_, profile)| profile.trim_end().len() == profile.len() - 1);
    added.map_or(text, |(text, _)| text).to_owned()
}

/// The maximum number of lines in the history of the prompt.
const HISTORY_MAX: usize = 500;

// --- Opening ---------------------------------------------------------------------------------

/// Starts the page: starts the engine and searches storage at the same time.
pub fn begin(state: &mut State, wanted: Wanted) {
    state.flow.runs.first = Some(wanted.clone());
    state.ui_mut().begins_with_store = matches!(
        &wanted,
        Wanted::Source {
            source: Source::Empty { .. },
            ..
        }
    );
    state.ui_mut().begins_with_lesson = matches!(
        &wanted,
        Wanted::Source {
            source: Source::Lesson(_),
            ..
        }
    );
    start_engine(state);
    look_for(state, wanted, OpenFor::Start, false);
}

/// Opens a run that starts with a database file.
pub fn explore(state: &mut State, source: Source, at: SeekTo) {
    state.user_chose();
    let wanted = Wanted::Source { source, at };
    look_for(state, wanted, OpenFor::Choice, false);
}

/// Records that a run waits for its database file. The unfinished load must not count as a failed attempt.
pub fn waits_for_file(state: &mut State) {
    let nexts = state.flow.runs.nexts.iter();
    for next in nexts.filter(|next| next.run.is_kept) {
        let id = next.run.id.clone();
        state.effects.push(Effect::Keep(Keep::AttemptDone { id }));
    }
}

/// Searches for a saved run. The result decides whether the saved run or the source itself is opened.
pub fn look_for(state: &mut State, wanted: Wanted, why: OpenFor, is_forced: bool) {
    let runs = &mut state.flow.runs;
    runs.looked += 1;
    let number = runs.looked;
    runs.wanted = Some((number, wanted.clone(), why, is_forced));
    if state.ui.figure.is_some() {
        found(state, number, Found::Nothing);
        return;
    }
    state
        .effects
        .push(Effect::Keep(Keep::Find { number, wanted }));
}

/// Handles the result of a search in storage.
pub fn found(state: &mut State, number: u32, found: Found) {
    let runs = &mut state.flow.runs;
    let is_awaited = runs.wanted.as_ref().is_some_and(|(n, ..)| *n == number);
    let Some((_, wanted, why, is_forced)) = runs.wanted.take_if(|_| is_awaited) else {
        // The user has chosen another run since the search began.
        if let Found::Kept(kept) = found
            && !kept.is_elsewhere
            && !is_open(state, &kept.id)
        {
            state
                .effects
                .push(Effect::Keep(Keep::Leave { id: kept.id }));
        }
        return;
    };
    let opening = match &wanted {
        Wanted::Source { source, at } => Some(Opening {
            source: source.clone(),
            at: *at,
        }),
        Wanted::Last | Wanted::Run(_) => None,
    };
    match found {
        Found::Kept(kept) if is_at_hand(state, &kept.id) => {
            state.ui_mut().dialog = None;
        }
        Found::Kept(kept) if kept.attempts >= ATTEMPTS_MAX && !is_forced => {
            let text = words::failed_to_open(kept.meta.label());
            let id = kept.id.clone();
            state.effects.push(Effect::Keep(Keep::Leave { id }));
            open_fresh(state, opening, why);
            state.ui_mut().notice = Some(Notice {
                tone: Tone::Bad,
                text,
                offers: vec![Offer::TryAgain(kept.id)],
            });
        }
        Found::Kept(kept) if kept.is_elsewhere => {
            let mut run = OpenRun::kept(*kept, opening);
            run.id = state.flow.runs.fresh_id();
            run.is_kept = false;
            run.meta.slot.clear();
            run.asides.clear();
            state.flow.runs.sentence = Some((Tone::Quiet, words::OPEN_ELSEWHERE.to_owned()));
            open(state, run, why);
        }
        Found::Kept(kept) => open(state, OpenRun::kept(*kept, opening), why),
        Found::Nothing => {
            if matches!(wanted, Wanted::Run(_)) {
                state.flow.runs.sentence = Some((Tone::Bad, words::NO_SUCH_RUN.to_owned()));
            }
            open_fresh(state, opening, why);
        }
        Found::Unreadable => {
            state.flow.runs.sentence = Some((Tone::Bad, words::RUN_NOT_READABLE.to_owned()));
            open_fresh(state, opening, why);
        }
    }
}

fn is_open(state: &State, id: &str) -> bool {
    let runs = &state.flow.runs;
    let mut ids = runs.nexts.iter().map(|next| &next.run);
    ids.any(|run| run.id == id) || runs.run.as_ref().is_some_and(|run| run.id == id)
}

/// Returns true if the run is already open and the engine works.
fn is_at_hand(state: &State, id: &str) -> bool {
    let runs = &state.flow.runs;
    state.ui.engine == EngineState::Running
        && runs.nexts.is_empty()
        && runs.run.as_ref().is_some_and(|run| run.id == id)
}

/// Opens a source without its saved run; opens the story if there is no source.
pub fn open_fresh(state: &mut State, opening: Option<Opening>, why: OpenFor) {
    let opening = opening.unwrap_or_else(|| Opening {
        source: story(),
        at: SeekTo::Step(0),
    });
    // The Index view shows the first command in an empty store and the keys of a text; other views may have nothing to
    // show for long.
    let may_be_empty = matches!(opening.source, Source::Empty { .. })
        || state.flow.runs.is_text_of_user(&opening.source);
    if why == OpenFor::Choice && may_be_empty {
        show_view(state, View::Index.name());
    }
    let id = state.flow.runs.fresh_id();
    open(state, OpenRun::fresh(id, opening.source, opening.at), why);
}

/// Requests a run from the engine.
fn open(state: &mut State, mut run: OpenRun, why: OpenFor) {
    if matches!(state.ui.engine, EngineState::Failed(..)) {
        start_engine(state);
    }
    // Save the current run first. Lines without a response stay in the journal.
    save(state);
    if run.is_kept {
        run.attempts += 1;
        state.effects.push(Effect::Keep(Keep::Attempt {
            id: run.id.clone(),
            attempt: Attempt::Base(run.attempts),
        }));
    }
    let is_draft = state.ui.lesson_draft.is_some();
    let request = match (why, run.base.clone()) {
        (OpenFor::Preview(part), Source::Text(text)) => Request::Preview { text, part },
        // After a restart of the engine, the lesson of an author is still a preview.
        (OpenFor::Restart, Source::Text(text)) if is_draft => Request::Preview { text, part: 0 },
        (_, source) => Request::Load { source, at: run.at },
    };
    let load = state.request(Purpose::Load, request);
    state.flow.trail.load_began(load, &run.base);
    texts::fetch_for(state, &run.base);
    state.flow.runs.nexts.push_back(NextRun { load, run, why });
    for (text, ticket) in std::mem::take(&mut state.flow.runs.early) {
        add(state, Act::Type(text), ticket);
    }
}

/// Handles the response to a load: the run is loaded, or the engine refused it.
pub fn loaded(state: &mut State, load: u32, done: Done) {
    let runs = &mut state.flow.runs;
    let Some(place) = runs.nexts.iter().position(|next| next.load == load) else {
        return;
    };
    let Some(next) = runs.nexts.remove(place) else {
        return;
    };
    if next.run.is_kept {
        state.effects.push(Effect::Keep(Keep::AttemptDone {
            id: next.run.id.clone(),
        }));
    }
    let is_loaded = matches!(done, Done::Loaded { .. });
    if let OpenFor::Script(ticket) = next.why {
        let reply = reply_from(done.clone());
        state.effects.push(Effect::Reply { ticket, reply });
    }
    if is_loaded {
        at_hand(state, next, done);
    } else {
        not_loaded(state, next, done);
    }
    if !state.flow.runs.is_loading() && state.ui.file.wanted.is_some() {
        state.ui_mut().end_file_wait(is_loaded);
    }
}

/// Handles a run whose text could not be fetched.
fn without_text(state: &mut State, next: &NextRun) {
    let details = std::mem::take(&mut state.flow.text_failure);
    let failure = no_text(&details);
    if state.flow.runs.run.is_none() && !state.flow.runs.is_loading() {
        host_failed(state, failure);
    } else if !matches!(next.why, OpenFor::Script(_)) {
        let offer = if next.run.is_kept {
            Offer::TryAgain(next.run.id.clone())
        } else {
            Offer::Open(next.run.origin())
        };
        state.ui_mut().notice = Some(Notice {
            tone: Tone::Bad,
            text: failure.text(),
            offers: vec![offer],
        });
    }
    feed(state);
}

fn not_loaded(state: &mut State, next: NextRun, done: Done) {
    for item in &next.run.items {
        if let Some(ticket) = item.ticket {
            let reply = ScriptReply::Refused(words::RUN_NOT_LOADED.to_owned());
            state.effects.push(Effect::Reply { ticket, reply });
        }
    }
    let was_kept = next.run.is_kept;
    if was_kept {
        let id = next.run.id.clone();
        state.effects.push(Effect::Keep(Keep::Leave { id }));
    }
    state.show_runs();
    if matches!(done, Done::Absent { .. }) {
        without_text(state, &next);
        return;
    }
    let message = match done {
        Done::Refused { message } if was_kept => {
            // The text stays in storage, because another version of the page may be able to read it.
            words::saved_run_not_readable(&message)
        }
        Done::Refused { message } => message,
        _ => {
            if next.why == OpenFor::Choice || next.why == OpenFor::StartOver {
                state.tell(Tone::Quiet, words::STOPPED.to_owned());
            }
            if state.flow.runs.run.is_none() && !state.flow.runs.is_loading() {
                open_fresh(state, None, next.why);
            }
            feed(state);
            return;
        }
    };
    if state.ui.figure.is_some() && next.why == OpenFor::Start {
        // A different run would not match the text around the figure.
        host_failed(state, Failure::refused(message));
        return;
    }
    if !matches!(next.why, OpenFor::Script(_)) {
        let offers = match next.run.origin().source {
            Source::Text(text) if next.why == OpenFor::Choice => {
                vec![Offer::EditText(without_profile(&text))]
            }
            _ => Vec::new(),
        };
        state.ui_mut().notice = Some(Notice {
            tone: Tone::Bad,
            text: message.clone(),
            offers,
        });
    }
    if state.flow.runs.run.is_none() && !state.flow.runs.is_loading() {
        // A page with an invalid address opens the same run as a page without an address.
        state.flow.runs.sentence = Some((Tone::Bad, message));
        if was_kept {
            open_fresh(state, None, next.why);
        } else {
            look_for(state, Wanted::Last, next.why, false);
        }
    }
    feed(state);
}

fn at_hand(state: &mut State, next: NextRun, done: Done) {
    let NextRun { mut run, why, .. } = next;
    if state.ui.engine != EngineState::Running {
        state.ui_mut().engine = EngineState::Running;
    }
    if !matches!(why, OpenFor::Preview(_) | OpenFor::Restart) {
        state.ui_mut().lesson_draft = None;
    }
    run.attempts = 0;
    let is_restored = run.is_kept;
    let is_preview = matches!(why, OpenFor::Preview(_));
    let is_own = is_restored
        || matches!(run.base, Source::Saved(_))
        || !is_preview && state.flow.runs.is_text_of_user(&run.base);
    // Views of the previous run may still arrive, so the panel of a lesson stays until the lesson's text is here.
    if !matches!(run.origin().source, Source::Lesson(_)) && state.ui.begins_with_lesson {
        state.ui_mut().begins_with_lesson = false;
    }
    let left = state.flow.runs.run.replace(run);
    let here = state.flow.runs.run.as_ref().map(|run| run.id.clone());
    state.flow.runs.heading = None;
    state.flow.runs.left = None;
    if let Some(left) = left.filter(|left| Some(&left.id) != here.as_ref()) {
        if left.is_kept {
            state.flow.runs.left = Some((left.id.clone(), left.meta.label().to_owned()));
            // If a replay is unfinished, its remaining entries stay in the journal.
            let id = left.id.clone();
            state.effects.push(Effect::Keep(Keep::AttemptDone { id }));
        }
        state
            .effects
            .push(Effect::Keep(Keep::Leave { id: left.id }));
    }
    if why != OpenFor::Restart {
        state.forget_run();
    }
    if why == OpenFor::Choice {
        state.flow.follows_beats = true;
    }
    let ui = state.ui_mut();
    ui.dirty = is_own;
    let is_chosen = why == OpenFor::Choice;
    if is_restored {
        opened(state, is_chosen);
    } else if why != OpenFor::Start && !is_preview {
        let slot = state
            .flow
            .runs
            .run
            .as_ref()
            .map(|run| run.meta.slot.clone());
        state
            .effects
            .push(Effect::Keep(Keep::OpenedFresh { slot, is_chosen }));
    }
    say_what_is_open(state, why, is_restored, done);
    if is_own {
        state.keep_soon();
    }
    state.show_runs();
    feed(state);
}

fn opened(state: &mut State, is_chosen: bool) {
    if let Some(run) = &mut state.flow.runs.run {
        run.label = label(run, &state.views);
        state.effects.push(Effect::Keep(Keep::Opened {
            id: run.id.clone(),
            meta: run.meta.clone(),
            label: run.label.clone(),
            is_chosen,
        }));
    }
}

/// Returns the label of the run on the start page. The label of a lesson names the current part.
fn label(run: &OpenRun, views: &Views) -> String {
    let lesson = views.lesson.as_ref();
    let lesson = lesson.filter(|lesson| run.meta.slot == ["lesson:", &lesson.name].concat());
    match lesson.filter(|_| run.meta.name.is_empty()) {
        Some(lesson) => words::part_of_lesson(&lesson.name, lesson.part + 1, &lesson.title),
        None => run.meta.label().to_owned(),
    }
}

fn say_what_is_open(state: &mut State, why: OpenFor, is_restored: bool, done: Done) {
    let Done::Loaded { mut text, view } = done else {
        return;
    };
    state.ui_mut().differences = Differences::new(&text);
    let runs = &mut state.flow.runs;
    let is_of_site = |source: &Source| match source {
        Source::Story(_) => true,
        Source::Text(_) => !runs.is_text_of_user(source),
        Source::Empty { .. }
        | Source::Saved(_)
        | Source::Link(_)
        | Source::Lesson(_)
        | Source::Snapshot { .. } => false,
    };
    if runs
        .run
        .as_ref()
        .is_some_and(|run| is_of_site(&run.origin().source))
    {
        // A published run contains such lines on purpose, and its texts explain them.
        text.skipped = 0;
    }
    let left = runs.left.take();
    let is_lesson = |slot: &str| slot.starts_with("lesson:");
    let to_lesson = runs
        .run
        .as_ref()
        .is_some_and(|run| is_lesson(&run.meta.slot));
    let in_lessons = state.views.lesson.is_some() && to_lesson;
    if matches!(why, OpenFor::Script(_)) {
        return;
    }
    show_view(state, &view);
    if matches!(why, OpenFor::Preview(_)) {
        return;
    }
    if !view.is_empty() && !to_lesson {
        // A link opens in the view in which it was copied, even if the beat names another view.
        state.flow.follows_beats = false;
    }
    let runs = &mut state.flow.runs;
    if let Some((tone, text)) = runs.sentence.take() {
        // The run that the address names is not open, so the notice offers a search for another run.
        let offers = match tone {
            Tone::Bad => vec![Offer::Find],
            Tone::Brief | Tone::Quiet => Vec::new(),
        };
        state.ui_mut().notice = Some(Notice { tone, text, offers });
        return;
    }
    let mut sentence = loaded_sentence(&text);
    let mut offers = Vec::new();
    if !text.differing.is_empty() {
        offers.push(Offer::Differences);
    }
    let is_read = text.skipped > 0 || text.compared > 0 || !text.differing.is_empty();
    if let Some(transcript) = text_of_user(state).filter(|_| is_read || is_restored) {
        offers.push(Offer::EditText(transcript));
    }
    if is_restored {
        sentence = match sentence.as_str() {
            "" => words::RESTORED.to_owned(),
            more => [words::RESTORED, more].join(" "),
        };
        state.ui_mut().notice = Some(Notice {
            tone: Tone::Quiet,
            text: sentence,
            offers: [offers, vec![Offer::StartOver]].concat(),
        });
        return;
    }
    let is_chosen = matches!(why, OpenFor::Choice | OpenFor::StartOver | OpenFor::Restart);
    match left.filter(|_| is_chosen && (why == OpenFor::StartOver || !in_lessons)) {
        Some((id, label)) => {
            if sentence.is_empty() {
                sentence = words::run_saved(&label);
            }
            state.ui_mut().notice = Some(Notice {
                tone: Tone::Quiet,
                text: sentence,
                offers: [offers, vec![Offer::Back(id)]].concat(),
            });
        }
        None if !sentence.is_empty() => {
            state.ui_mut().notice = Some(Notice {
                tone: Tone::Quiet,
                text: sentence,
                offers,
            });
        }
        None => {}
    }
}

/// Opens the source of the current run from its start. The current run stays in the list.
pub fn start_over(state: &mut State) {
    let run = state.flow.runs.run.as_ref();
    let opening = run.map(OpenRun::origin);
    leave_slot(state);
    open_fresh(state, opening, OpenFor::StartOver);
}

/// Starts a fresh engine with the story. The current run stays in the list.
pub fn restart_with_story(state: &mut State) {
    let slot = slot::of(&story()).unwrap_or_default();
    state.effects.push(Effect::Keep(Keep::Detach { slot }));
    start_engine(state);
    state.flow.runs.nexts.clear();
    open_fresh(state, None, OpenFor::StartOver);
}

/// Starts a fresh engine with the current run.
pub fn restart_with_run(state: &mut State) {
    start_engine(state);
    let runs = &mut state.flow.runs;
    let last = runs.nexts.pop_back().map(|next| next.run);
    runs.nexts.clear();
    match runs.run.take().or(last) {
        Some(mut run) => {
            run.replay_all();
            open(state, run, OpenFor::Restart);
        }
        None if runs.wanted.is_some() => {}
        None => {
            let first = runs.first.clone().unwrap_or(Wanted::Last);
            look_for(state, first, OpenFor::Start, false);
        }
    }
}

fn leave_slot(state: &mut State) {
    if let Some(run) = &state.flow.runs.run
        && run.is_kept
        && !run.meta.slot.is_empty()
    {
        let slot = run.meta.slot.clone();
        state.effects.push(Effect::Keep(Keep::Detach { slot }));
    }
}

// --- Typing ----------------------------------------------------------------------------------

/// Types a text into the terminal.
pub fn exec(state: &mut State, text: String) {
    let ui = state.ui_mut();
    ui.dirty = true;
    ui.instant = false;
    *state.line_mut() = PromptLine::default();
    let ui = state.ui_mut();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if ui.history.last().is_none_or(|last| last != line) {
            ui.history.push(line.to_owned());
        }
    }
    let surplus = ui.history.len().saturating_sub(HISTORY_MAX);
    ui.history.drain(..surplus);
    add(state, Act::Type(text), None);
    state.effects.push(Effect::WriteDraft(String::new()));
}

/// Adds an action to the run for which it is meant: writes the journal entry, and sends the action once the earlier
/// actions permit it.
pub fn add(state: &mut State, act: Act, ticket: Option<u32>) {
    let place = place(state);
    if !state.flow.runs.is_loading() {
        begin_keeping(state);
    }
    let runs = &mut state.flow.runs;
    runs.heading = None;
    let target = if runs.wanted.is_some() {
        None
    } else {
        runs.target()
    };
    let Some(run) = target else {
        if let Act::Type(text) = act {
            runs.early.push((text, ticket));
            state.show_runs();
        }
        return;
    };
    run.number += 1;
    let entry = JournalEntry {
        number: run.number,
        place,
        act,
    };
    run.items.push(JournalItem {
        entry: entry.clone(),
        stage: ItemStage::Waiting,
        ticket,
        is_replayed: false,
    });
    if run.is_kept {
        state.effects.push(Effect::Keep(Keep::Write {
            id: run.id.clone(),
            entries: vec![entry],
        }));
    }
    state.show_runs();
    feed(state);
}

/// Undoes the last typed line, or the last restart of a lesson.
pub fn undo(state: &mut State) {
    if !state.views.status.can_undo {
        state.tell(Tone::Quiet, words::NOTHING_TO_UNDO.to_owned());
        return;
    }
    state.pause();
    state.set_instant(true);
    add(state, Act::Undo, None);
}

/// Returns the branch and the step at which the user types the next entry, if known.
fn place(state: &State) -> Option<Place> {
    let runs = &state.flow.runs;
    if runs.is_loading() {
        return None;
    }
    let run = runs.run.as_ref()?;
    let to_branch = state.pending().find_map(|purpose| match purpose {
        Purpose::Branch(branch) => Some(*branch),
        _ => None,
    });
    if let Some(branch) = to_branch {
        return Some(Place {
            branch,
            step: u64::MAX,
        });
    }
    let status = &state.views.status;
    let is_asked = state
        .pending()
        .any(|purpose| matches!(purpose, Purpose::Ask(_)));
    match (run.is_idle(), state.is_moving() || is_asked) {
        (true, false) => Some(Place {
            branch: status.branch,
            step: status.step,
        }),
        (true, true) => Some(Place {
            branch: status.branch,
            step: runs.heading.unwrap_or(status.step),
        }),
        (false, _) => runs.heading.map(|step| Place {
            branch: SAME_BRANCH,
            step,
        }),
    }
}

/// Sends the waiting actions. Typed actions are sent all at once; replayed actions are sent one at a time.
fn feed(state: &mut State) {
    if state.ui.engine != EngineState::Running || state.flow.runs.is_loading() {
        return;
    }
    let has_waiting = |run: &OpenRun| {
        run.items
            .iter()
            .any(|item| item.stage == ItemStage::Waiting)
    };
    if !state.flow.runs.run.as_ref().is_some_and(has_waiting) {
        return;
    }
    begin_keeping(state);
    loop {
        let Some(run) = state.flow.runs.run.as_mut() else {
            return;
        };
        let is_replaying = run.is_replaying();
        if is_replaying && run.items.iter().any(|item| item.stage == ItemStage::Sent) {
            return;
        }
        let Some(item) = run
            .items
            .iter_mut()
            .find(|it| it.stage == ItemStage::Waiting)
        else {
            return;
        };
        item.stage = ItemStage::Sent;
        let (entry, is_replayed) = (item.entry.clone(), item.is_replayed);
        let purpose = Purpose::Entry {
            number: entry.number,
            ticket: item.ticket.take(),
        };
        if is_replayed {
            if run.is_kept {
                state.effects.push(Effect::Keep(Keep::Attempt {
                    id: run.id.clone(),
                    attempt: Attempt::Entry(entry.number),
                }));
            }
            if let Some(place) = entry.place {
                go_to(state, place);
            }
        }
        if let Act::Type(text) = &entry.act {
            state.flow.trail.typed(text);
        }
        state.request(purpose, Request::Act(entry.act));
    }
}

fn go_to(state: &mut State, place: Place) {
    if place.branch != SAME_BRANCH {
        let branch = place.branch;
        state.request(Purpose::Place, Request::Move(Move::ToBranch(branch)));
    }
    let to = SeekTo::Step(place.step);
    state.request(Purpose::Place, Request::Move(Move::To(to)));
}

pub fn act_of(state: &State, number: u64) -> Option<Act> {
    let run = state.flow.runs.run.as_ref()?;
    let mut items = run.items.iter();
    let item = items.find(|item| item.entry.number == number)?;
    Some(item.entry.act.clone())
}

pub fn answered(state: &mut State, number: u64, done: &Done) {
    if let Some(run) = state.flow.runs.run.as_mut() {
        let is_this =
            |item: &&mut JournalItem| item.entry.number == number && item.stage == ItemStage::Sent;
        if let Some(item) = run.items.iter_mut().find(is_this) {
            item.stage = ItemStage::Answered;
            if item.is_replayed && run.is_kept && !run.is_replaying() {
                state
                    .effects
                    .push(Effect::Keep(Keep::AttemptDone { id: run.id.clone() }));
            }
        }
    }
    state.show_runs();
    feed(state);
    if *done == Done::Interrupted {
        save(state);
    }
    state.keep_soon();
}

/// After an interrupt, removes the typed actions that have no response yet, except the action that is running. Replayed
/// actions continue.
pub fn interrupted(state: &mut State) {
    let Some(run) = state.flow.runs.target() else {
        return;
    };
    let mut is_first = true;
    let mut numbers = Vec::new();
    let mut tickets = Vec::new();
    run.items.retain(|item| {
        let is_going = item.stage == ItemStage::Sent && std::mem::take(&mut is_first);
        let stays = item.stage == ItemStage::Answered || item.is_replayed || is_going;
        if !stays {
            numbers.push(item.entry.number);
            tickets.extend(item.ticket);
        }
        stays
    });
    let id = run.id.clone();
    if !numbers.is_empty() && run.is_kept {
        state.effects.push(Effect::Keep(Keep::Drop { id, numbers }));
    }
    for ticket in tickets {
        let reply = ScriptReply::Refused(words::INTERRUPTED.to_owned());
        state.effects.push(Effect::Reply { ticket, reply });
    }
    state.show_runs();
}

// --- Saving ----------------------------------------------------------------------------------

/// Starts saving the current run. The source and the typed lines are written before any line is sent to the engine.
fn begin_keeping(state: &mut State) {
    // Figures save nothing: the address belongs to the figure's page, and the run belongs to another page's text. A
    // preview changes with the author's text.
    if state.ui.figure.is_some() || state.ui.lesson_draft.is_some() {
        return;
    }
    let run = state.flow.runs.run.as_mut();
    let Some(run) = run.filter(|run| !run.is_kept && !run.stays_in_tab) else {
        return;
    };
    run.is_kept = true;
    if run.meta.title.is_empty() {
        run.meta.title = slot::describe(&run.meta.slot);
    }
    state.effects.push(Effect::Keep(Keep::Begin {
        id: run.id.clone(),
        meta: run.meta.clone(),
        base: run.base.clone(),
        at: run.at,
    }));
    if !run.items.is_empty() {
        let entries = run.items.iter().map(|item| item.entry.clone());
        state.effects.push(Effect::Keep(Keep::Write {
            id: run.id.clone(),
            entries: entries.collect(),
        }));
    }
    opened(state, false);
}

/// Requests the base from the engine if all typed lines have responses. While the user moves the
/// cursor, nothing is saved: the text of a large run has megabytes, and the end of the move schedules a save. During
/// playback, the end of a move schedules no save, so the save is not skipped.
pub fn save(state: &mut State) {
    let waits_for_move = state.is_moving() && !state.ui.playing;
    let may_ask = state.ui.engine == EngineState::Running && !waits_for_move;
    let saves_nothing = state.ui.figure.is_some() || state.ui.lesson_draft.is_some();
    if !state.ui.dirty || !may_ask || saves_nothing || state.flow.runs.is_loading() {
        return;
    }
    let Some(run) = state.flow.runs.run.as_ref().filter(|run| run.is_idle()) else {
        return;
    };
    let is_asked = |purpose: &Purpose| matches!(purpose, Purpose::Save { id, .. } if *id == run.id);
    if state.pending().any(is_asked) {
        return;
    }
    let meta = Meta {
        covers: run.number,
        ..run.meta.clone()
    };
    let id = run.id.clone();
    state.request(Purpose::Save { id, meta }, Request::Read(Read::Save));
}

/// Handles the base that the engine returned: stores the base and removes the journal entries that
/// it contains. If saving has not begun yet, this function begins saving with the base, because the engine has already
/// compressed the base. If the page compressed the source of a large run instead, the page would block.
pub fn saved(state: &mut State, id: RunId, meta: Meta, done: Done) {
    let Done::Text(text) = done else { return };
    if let Some(run) = state.flow.runs.run.as_mut().filter(|run| run.id == id) {
        run.items.retain(|item| item.entry.number > meta.covers);
        run.meta.covers = meta.covers;
        run.base = Source::Saved(text.clone());
        run.at = SeekTo::Default;
        begin_keeping(state);
    }
    state
        .effects
        .push(Effect::Keep(Keep::Base { id, meta, text }));
}

/// Names a run; an empty name restores the run's title.
pub fn name(state: &mut State, id: RunId, name: String) {
    let name = name.trim().to_owned();
    if let Some(run) = state.flow.runs.run.as_mut().filter(|run| run.id == id) {
        run.meta.name.clone_from(&name);
        if run.is_kept {
            opened(state, false);
        }
    }
    state.effects.push(Effect::Keep(Keep::Name { id, name }));
}

/// Copies the title and the number of typed texts from the new views, for the list of runs, and stores a new label for
/// the start page.
pub fn seen(state: &mut State) {
    if state.flow.runs.is_loading() {
        return;
    }
    let status = &state.views.status;
    if let Some(run) = state.flow.runs.run.as_mut() {
        run.meta.typed = status.typed;
        if run.meta.title != status.title {
            run.meta.title.clone_from(&status.title);
        }
        let label = label(run, &state.views);
        if run.is_kept && run.label != label {
            run.label.clone_from(&label);
            let id = run.id.clone();
            state.effects.push(Effect::Keep(Keep::Label { id, label }));
        }
    }
}

/// Handles the loss of the run to another tab: this tab continues with a copy.
pub fn taken(state: &mut State, id: &str) {
    let fresh = state.flow.runs.fresh_id();
    let Some(run) = state.flow.runs.run.as_mut().filter(|run| run.id == id) else {
        return;
    };
    run.id = fresh;
    run.is_kept = false;
    run.meta.slot.clear();
    begin_keeping(state);
    state.keep_soon();
    state.tell(Tone::Quiet, words::TAKEN.to_owned());
    state.show_runs();
}

// --- When the engine stops -------------------------------------------------------------------

/// Removes a line that was set aside from the run; returns the text of the line.
pub fn take_aside(state: &mut State, number: u64) -> Option<String> {
    let run = state.flow.runs.target()?;
    let place = run.asides.iter().position(|aside| aside.number == number)?;
    let aside = run.asides.remove(place);
    state.effects.push(Effect::Keep(Keep::Drop {
        id: run.id.clone(),
        numbers: vec![number],
    }));
    state.show_runs();
    Some(aside.text)
}
