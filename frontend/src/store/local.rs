//! Small texts in `localStorage`: the half-typed line, the preferences, the learner's progress, the results of
//! practice, the draft of an author's lesson, the Lab's settings, and the names of the opened lessons and runs. Also
//! the local time, which decides the day of practice.
//!
//! [`crate::keep`] saves runs. In private windows and on full disks, all writes here fail silently.

use watchglass_engine::session::latency::LabSetting;
use web_sys::{Storage, window};

/// Each key contains a version. A new format of a text gets a new version, and texts in old formats stay unchanged.
const DRAFT: &str = "watchglass.1.draft";
const PREFS: &str = "watchglass.1.prefs";
const PROGRESS: &str = "watchglass.1.progress";
const PRACTICE: &str = "watchglass.1.practice";
pub const LESSON_DRAFT: &str = "watchglass.1.lesson-draft";
const LAB: &str = "watchglass.1.lab";
/// The filter "Not yet opened" of `static/catalogue.js` reads this list.
const OPENED: &str = "watchglass.1.opened";

/// Reads the half-typed line.
pub fn read_draft() -> String {
    get(DRAFT).unwrap_or_default()
}

/// Stores the half-typed line.
pub fn write_draft(text: &str) {
    match storage() {
        Some(storage) if text.is_empty() => drop(storage.remove_item(DRAFT)),
        _ => drop(set(DRAFT, text)),
    }
}

/// Reads the learner's progress.
pub fn read_progress() -> String {
    get(PROGRESS).unwrap_or_default()
}

/// Stores the learner's progress; returns false if the browser refuses.
pub fn write_progress(text: &str) -> bool {
    set(PROGRESS, text)
}

pub fn read_practice() -> String {
    get(PRACTICE).unwrap_or_default()
}

pub fn write_practice(text: &str) {
    set(PRACTICE, text);
}

/// Reads the draft of the author's lesson.
pub fn read_lesson() -> Option<String> {
    get(LESSON_DRAFT)
}

/// Stores the draft of the author's lesson; returns false if the browser refuses.
pub fn write_lesson(text: &str) -> bool {
    set(LESSON_DRAFT, text)
}

/// Returns the local time, in minutes since the start of the local day 0.
pub fn now_minutes() -> u32 {
    let east = -js_sys::Date::new_0().get_timezone_offset();
    (js_sys::Date::now() / 60_000.0 + east) as u32
}

pub fn read_prefs() -> String {
    get(PREFS).unwrap_or_default()
}

pub fn write_prefs(line: &str) {
    set(PREFS, line);
}

pub fn read_lab() -> Option<[LabSetting; 2]> {
    LabSetting::from_text(&get(LAB)?)
}

pub fn write_lab(text: &str) {
    set(LAB, text);
}

/// Adds a lesson or a run, such as `lesson=L04`, to the list of those that were opened in this browser.
pub fn remember_opened(query: &str) {
    let list = get(OPENED).unwrap_or_default();
    if list.lines().all(|line| line != query) {
        set(OPENED, &[&list, query, "\n"].concat());
    }
}

fn storage() -> Option<Storage> {
    window()?.local_storage().ok().flatten()
}

fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Returns false if the browser refuses.
fn set(key: &str, value: &str) -> bool {
    storage().is_some_and(|storage| storage.set_item(key, value).is_ok())
}
