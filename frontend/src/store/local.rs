//! Small things that survive a reload, in `localStorage`: the half-typed line, the preferences, how far the learner is,
//! and the lab's settings.
//!
//! Runs are kept by [`crate::keep`]. Private windows and full disks make every call here a quiet failure, never an
//! error.

use watchglass_engine::session::latency::LabSetting;
use web_sys::{Storage, window};

/// The version in each key: another format gets another number and old texts are left alone.
const DRAFT: &str = "watchglass.1.draft";
const PREFS: &str = "watchglass.1.prefs";
const PROGRESS: &str = "watchglass.1.progress";
const LAB: &str = "watchglass.1.lab";

/// The half-typed line.
pub fn read_draft() -> String {
    storage()
        .and_then(|storage| get(&storage, DRAFT))
        .unwrap_or_default()
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

/// The learner's progress with the lessons.
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

/// The lab's settings.
pub fn read_lab() -> Option<[LabSetting; 2]> {
    LabSetting::from_text(&get(&storage()?, LAB)?)
}

/// Keeps the lab's settings.
pub fn write_lab(text: &str) {
    if let Some(storage) = storage() {
        set(&storage, LAB, text);
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
