//! The run that survives a reload, in `localStorage`.
//!
//! Four keys: the run as the engine wrote it, the lines run since then, the half-typed line, and a
//! mark that counts how often a kept run was begun to be loaded without getting through. A run that
//! ended the page twice is set aside and not tried again by itself. Private windows and full disks
//! make every call here a quiet failure, never an error.

use web_sys::{Storage, window};

/// The version in each key: another format gets another number and old texts are left alone.
const RUN: &str = "watchglass.1.run";
const TAIL: &str = "watchglass.1.tail";
const DRAFT: &str = "watchglass.1.draft";
const MARK: &str = "watchglass.1.loading";
const PREFS: &str = "watchglass.1.prefs";
const PROGRESS: &str = "watchglass.1.progress";
const LESSON: &str = "watchglass.1.lesson";

/// Between the commands of the tail, each of which may have several lines.
const BETWEEN: char = '\u{1e}';

/// What was found at the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// The run, if one was kept and may be tried.
    pub run: Option<String>,
    /// Commands run after it was kept, oldest first.
    pub tail: Vec<String>,
    /// The half-typed line.
    pub draft: String,
    /// A run that was kept, but loading it has ended the page before.
    pub suspect: Option<String>,
}

/// A kept run is tried so often: the first time may have been cut short by an impatient reload.
const TRIES: u32 = 2;

/// Reads what was kept, and counts the mark up if there is a run to try.
pub fn read() -> Kept {
    let Some(storage) = storage() else {
        return Kept::default();
    };
    let run = get(&storage, RUN).filter(|text| !text.is_empty());
    let tail: Vec<String> = get(&storage, TAIL)
        .map(|text| text.split_terminator(BETWEEN).map(str::to_owned).collect())
        .unwrap_or_default();
    let begun: u32 = get(&storage, MARK)
        .and_then(|mark| mark.parse().ok())
        .unwrap_or(0);
    if run.is_none() && tail.is_empty() {
        storage.remove_item(MARK).ok();
    } else {
        set(&storage, MARK, &(begun + 1).to_string());
    }
    let suspect = begun >= TRIES;
    Kept {
        tail: if suspect { Vec::new() } else { tail },
        suspect: run.clone().filter(|_| suspect),
        run: run.filter(|_| !suspect),
        draft: get(&storage, DRAFT).unwrap_or_default(),
    }
}

/// The kept run, for a fresh engine on this page.
pub fn read_run() -> Option<String> {
    storage().and_then(|storage| get(&storage, RUN))
}

/// Keeps the run; false when the browser does not let it.
pub fn write_run(text: &str) -> bool {
    storage().is_some_and(|storage| set(&storage, RUN, text))
}

/// Keeps the commands run since the run was kept.
pub fn write_tail(tail: &[String]) {
    let Some(storage) = storage() else { return };
    if tail.is_empty() {
        storage.remove_item(TAIL).ok();
        return;
    }
    let mut text = String::new();
    for command in tail {
        text.push_str(command);
        text.push(BETWEEN);
    }
    set(&storage, TAIL, &text);
}

/// Keeps the half-typed line.
pub fn write_draft(text: &str) {
    if let Some(storage) = storage() {
        if text.is_empty() {
            storage.remove_item(DRAFT).ok();
        } else {
            set(&storage, DRAFT, text);
        }
    }
}

/// The kept run was loaded whole.
pub fn clear_mark() {
    if let Some(storage) = storage() {
        storage.remove_item(MARK).ok();
    }
}

/// Forgets the run.
pub fn forget() {
    if let Some(storage) = storage() {
        storage.remove_item(RUN).ok();
        storage.remove_item(TAIL).ok();
        storage.remove_item(MARK).ok();
    }
}

/// The lesson that the kept run belongs to.
pub fn read_lesson() -> Option<String> {
    storage().and_then(|storage| get(&storage, LESSON))
}

/// Keeps which lesson is under way.
pub fn write_lesson(name: Option<&str>) {
    if let Some(storage) = storage() {
        match name {
            Some(name) => drop(set(&storage, LESSON, name)),
            None => drop(storage.remove_item(LESSON)),
        }
    }
}

/// How far the learner is with the lessons.
pub fn read_progress() -> String {
    storage()
        .and_then(|storage| get(&storage, PROGRESS))
        .unwrap_or_default()
}

/// Keeps that; false when the browser does not let it.
pub fn write_progress(text: &str) -> bool {
    storage().is_some_and(|storage| set(&storage, PROGRESS, text))
}

/// The line of preferences.
pub fn read_prefs() -> String {
    storage()
        .and_then(|storage| get(&storage, PREFS))
        .unwrap_or_default()
}

/// Keeps the line of preferences.
pub fn write_prefs(line: &str) {
    if let Some(storage) = storage() {
        set(&storage, PREFS, line);
    }
}

fn storage() -> Option<Storage> {
    window()?.local_storage().ok().flatten()
}

fn get(storage: &Storage, key: &str) -> Option<String> {
    storage.get_item(key).ok().flatten()
}

fn set(storage: &Storage, key: &str, value: &str) -> bool {
    storage.set_item(key, value).is_ok()
}
