//! The journal stores the actions on a run that are not yet part of a committed base (the saved text of the run). It is
//! in localStorage, with one key for each entry.
//!
//! All functions work on a [`Shelf`], so that tests run natively.

use watchglass_engine::session::protocol::{Act, SeekTo, Source};
use watchglass_engine::session::save::Saved;
use watchglass_engine::view::Moment;

use super::{Meta, RunId, slot};
use crate::words::state as words;

/// The prefix of all keys of the journal. A new storage format gets a new number.
const PREFIX: &str = "watchglass.2.";
/// The number of digits of an entry's number in its key.
const DIGITS: usize = 12;

/// A store of texts by key, like `localStorage`. No method fails: a text that the browser did not store is absent.
pub trait Shelf {
    fn get(&self, key: &str) -> Option<String>;
    /// Stores a text; returns false if the browser refuses.
    fn set(&self, key: &str, value: &str) -> bool;
    fn remove(&self, key: &str);
    fn keys(&self) -> Vec<String>;
}

/// A position in a run: a branch, and a step of that branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub branch: u32,
    /// The step before the cursor.
    pub step: u64,
}

/// An action on a run, with the number of its entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// The number of the entry; later entries have greater numbers.
    pub number: u64,
    /// The cursor's position; `None` if the cursor had not moved since the previous entry.
    pub place: Option<Place>,
    pub act: Act,
}

/// The reason why a line was set aside: the line is stored, but not replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsideReason {
    /// The engine stopped during the action.
    Stopped,
    /// An earlier start of the page began to replay the action and did not finish.
    Unfinished,
}

/// A line that is set aside: the browser stores the line, but no start of the page replays it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    pub number: u64,
    pub text: String,
    pub why: AsideReason,
}

/// A replay that started and has not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// The base is being loaded; contains the number of attempts.
    Base(u32),
    /// The entry with this number is being replayed.
    Entry(u64),
}

/// The source of a run that has no committed base (saved text) yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    pub meta: Meta,
    pub base: Source,
    /// The position of the cursor after the run is loaded.
    pub at: SeekTo,
}

/// The content of the journal of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recovered {
    /// The source of the run, if no base is committed.
    pub head: Option<Head>,
    /// The entries to replay, oldest first.
    pub entries: Vec<JournalEntry>,
    /// The lines that are set aside: stored, but not replayed.
    pub asides: Vec<Aside>,
    /// The number of attempts to load the base that did not finish.
    pub attempts: u32,
}

fn key(kind: &str, name: &str) -> String {
    format!("{PREFIX}{kind}.{name}")
}

fn entry_key(id: &str, number: u64) -> String {
    let digits = number.to_string();
    let zeros = "0".repeat(DIGITS.saturating_sub(digits.len()));
    key("line", &format!("{id}.{zeros}{digits}"))
}

/// Writes an entry; returns false if the browser refuses to store the entry.
pub fn write(shelf: &impl Shelf, id: &str, entry: &JournalEntry) -> bool {
    let part;
    let (kind, text) = match &entry.act {
        Act::Type(text) => ("type", text.as_str()),
        Act::ResetFrom(from) => {
            part = from.to_string();
            ("reset-from", part.as_str())
        }
        Act::Undo => ("undo", ""),
        Act::ResetPart => ("reset-part", ""),
        Act::Reset => ("reset", ""),
    };
    let place = entry.place.map_or_else(
        || "-".to_owned(),
        |place| format!("{}.{}", place.branch, place.step),
    );
    let value = format!("{kind} {place}\n{text}");
    shelf.set(&entry_key(id, entry.number), &value)
}

/// Replaces an entry with a line that the browser stores but no start of the page replays. Returns false if the browser
/// refuses to store the line.
pub fn set_aside(shelf: &impl Shelf, id: &str, aside: &Aside) -> bool {
    let kind = match aside.why {
        AsideReason::Stopped => "stopped",
        AsideReason::Unfinished => "unfinished",
    };
    let value = format!("{kind} -\n{}", aside.text);
    shelf.set(&entry_key(id, aside.number), &value)
}

/// Removes an entry, or a line that is set aside.
pub fn remove(shelf: &impl Shelf, id: &str, number: u64) {
    shelf.remove(&entry_key(id, number));
}

enum Line {
    Entry(JournalEntry),
    Aside(Aside),
}

fn line(number: u64, value: &str) -> Option<Line> {
    let (first, text) = value.split_once('\n')?;
    let (kind, place) = first.split_once(' ')?;
    let aside = |why| {
        let text = text.to_owned();
        Some(Line::Aside(Aside { number, text, why }))
    };
    let act = match kind {
        "type" => Act::Type(text.to_owned()),
        "undo" => Act::Undo,
        "reset-part" => Act::ResetPart,
        "reset-from" => Act::ResetFrom(text.parse().ok()?),
        "reset" => Act::Reset,
        "stopped" => return aside(AsideReason::Stopped),
        "unfinished" => return aside(AsideReason::Unfinished),
        _ => return None,
    };
    let place = place.split_once('.').and_then(|(branch, step)| {
        Some(Place {
            branch: branch.parse().ok()?,
            step: step.parse().ok()?,
        })
    });
    Some(Line::Entry(JournalEntry { number, place, act }))
}

/// Returns the number and the key of each line of a run, ordered by number.
fn lines(shelf: &impl Shelf, id: &str) -> Vec<(u64, String)> {
    let prefix = key("line", &format!("{id}."));
    let mut found: Vec<_> = shelf
        .keys()
        .into_iter()
        .filter_map(|key| {
            let number = key.strip_prefix(&prefix)?.parse().ok()?;
            Some((number, key))
        })
        .collect();
    found.sort_unstable();
    found
}

/// Returns the journal. Omits the entries whose number is at most `covers`, because the base (the saved text of the
/// run) already contains these entries. If a replay of a line started and did not finish, this function first sets the
/// line aside.
pub fn recover(shelf: &impl Shelf, id: &str, covers: u64) -> Recovered {
    let mut recovered = Recovered {
        head: read_head(shelf, id),
        ..Recovered::default()
    };
    let attempt = attempt(shelf, id);
    if let Some(Attempt::Base(count)) = attempt {
        recovered.attempts = count;
    }
    for (number, key) in lines(shelf, id) {
        match shelf.get(&key).and_then(|value| line(number, &value)) {
            Some(Line::Aside(aside)) => recovered.asides.push(aside),
            Some(Line::Entry(entry)) if number > covers => match entry.act {
                Act::Type(text) if attempt == Some(Attempt::Entry(number)) => {
                    let why = AsideReason::Unfinished;
                    let aside = Aside { number, text, why };
                    set_aside(shelf, id, &aside);
                    attempt_done(shelf, id);
                    recovered.asides.push(aside);
                }
                act => recovered.entries.push(JournalEntry { act, ..entry }),
            },
            // The base contains this entry: the page was closed before the entry could be removed.
            Some(Line::Entry(_)) | None => shelf.remove(&key),
        }
    }
    recovered
}

/// Removes the head and all entries with a number up to `covers`, because a committed base (the
/// saved text of the run) contains them.
pub fn committed(shelf: &impl Shelf, id: &str, covers: u64) {
    for (number, key) in lines(shelf, id) {
        let value = shelf.get(&key).unwrap_or_default();
        let is_aside = matches!(line(number, &value), Some(Line::Aside(_)));
        if number <= covers && !is_aside {
            shelf.remove(&key);
        }
    }
    shelf.remove(&key("head", id));
}

pub fn forget(shelf: &impl Shelf, id: &str, slot: &str) {
    for (_, key) in lines(shelf, id) {
        shelf.remove(&key);
    }
    for kind in ["head", "attempt", "owner"] {
        shelf.remove(&key(kind, id));
    }
    if slot_leads_to(shelf, slot).as_deref() == Some(id) {
        detach(shelf, slot);
    }
    if last(shelf).as_deref() == Some(id) {
        shelf.remove(&key("last", "run"));
    }
}

// The head: the source of a run without a committed base.

/// Writes the head, which is the source of a run that has no committed base (saved text) yet. Returns false if the
/// browser refuses.
pub fn write_head(shelf: &impl Shelf, id: &str, head: &Head) -> bool {
    let (kind, text) = match &head.base {
        Source::Saved(text) => ("saved", text.clone()),
        Source::Link(text) => ("link", text.clone()),
        source => {
            let saved = Saved::new(
                source.clone(),
                Vec::new(),
                Moment {
                    branch: 0,
                    step: match head.at {
                        SeekTo::Step(step) => step,
                        SeekTo::Default if !matches!(source, Source::Lesson(_)) => 0,
                        _ => u64::MAX,
                    },
                },
            );
            ("saved", saved.to_text())
        }
    };
    let one_line = |text: &str| text.replace('\n', " ");
    let meta = &head.meta;
    let value = [
        kind,
        &one_line(&meta.slot),
        &one_line(&meta.title),
        &one_line(&meta.name),
        &meta.when_ms.to_string(),
        &text,
    ];
    shelf.set(&key("head", id), &value.join("\n"))
}

pub fn read_head(shelf: &impl Shelf, id: &str) -> Option<Head> {
    let value = shelf.get(&key("head", id))?;
    let mut lines = value.splitn(6, '\n');
    let mut next = || lines.next().map(str::to_owned);
    let kind = next()?;
    let meta = Meta {
        slot: next()?,
        title: next()?,
        name: next()?,
        when_ms: next()?.parse().unwrap_or_default(),
        ..Meta::default()
    };
    let text = next()?;
    let base = match kind.as_str() {
        "saved" => Source::Saved(text),
        "link" => Source::Link(text),
        _ => return None,
    };
    let at = SeekTo::Default;
    Some(Head { meta, base, at })
}

/// Returns the runs that have no committed base (no saved text in the database), each with its number of journal
/// entries.
pub fn heads(shelf: &impl Shelf) -> Vec<(RunId, Meta)> {
    let prefix = key("head", "");
    let keys = shelf.keys();
    let ids = keys.iter().filter_map(|key| key.strip_prefix(&prefix));
    ids.filter_map(|id| {
        let head = read_head(shelf, id)?;
        let typed = lines(shelf, id).len() as u64;
        Some((id.to_owned(), Meta { typed, ..head.meta }))
    })
    .collect()
}

// Attempts to replay.

pub fn begin_attempt(shelf: &impl Shelf, id: &str, attempt: Attempt) {
    let value = match attempt {
        Attempt::Base(count) => format!("base {count}"),
        Attempt::Entry(number) => format!("entry {number}"),
    };
    shelf.set(&key("attempt", id), &value);
}

pub fn attempt_done(shelf: &impl Shelf, id: &str) {
    shelf.remove(&key("attempt", id));
}

fn attempt(shelf: &impl Shelf, id: &str) -> Option<Attempt> {
    let value = shelf.get(&key("attempt", id))?;
    match value.split_once(' ')? {
        ("base", count) => Some(Attempt::Base(count.parse().ok()?)),
        ("entry", number) => Some(Attempt::Entry(number.parse().ok()?)),
        _ => None,
    }
}

// Slots, the last run and owners.

/// A slot is the identity of a source; when the user opens the source, the page opens this run.
pub fn slot_leads_to(shelf: &impl Shelf, slot: &str) -> Option<RunId> {
    shelf.get(&key("slot", slot))
}

/// Assigns the run to the slot, unless the slot already has another run. Returns true if the
/// slot has this run afterwards.
pub fn attach(shelf: &impl Shelf, slot: &str, id: &str) -> bool {
    if slot.is_empty() {
        return false;
    }
    match slot_leads_to(shelf, slot) {
        Some(there) => there == id,
        None => shelf.set(&key("slot", slot), id),
    }
}

/// Empties the slot, so that opening this source does not open a saved run.
pub fn detach(shelf: &impl Shelf, slot: &str) {
    shelf.remove(&key("slot", slot));
}

/// Returns the run that was open last.
pub fn last(shelf: &impl Shelf) -> Option<RunId> {
    let value = shelf.get(&key("last", "run"))?;
    let id = value.split('\n').next().unwrap_or_default();
    (!id.is_empty()).then(|| id.to_owned())
}

/// Records the run that was open last, with its label. The start page reads the label.
pub fn write_last(shelf: &impl Shelf, id: &str, label: &str) {
    shelf.set(&key("last", "run"), &format!("{id}\n{label}"));
}

/// Makes a page the owner of the run; `token` identifies the page.
pub fn own(shelf: &impl Shelf, id: &str, token: &str) {
    shelf.set(&key("owner", id), token);
}

/// Returns true if another page owns the run.
pub fn is_taken(shelf: &impl Shelf, id: &str, token: &str) -> bool {
    shelf
        .get(&key("owner", id))
        .is_some_and(|owner| owner != token)
}

// Storage format 1, which stored a single run.

const OLD_RUN: &str = "watchglass.1.run";
const OLD_TAIL: &str = "watchglass.1.tail";
const OLD_MARK: &str = "watchglass.1.loading";
const OLD_LESSON: &str = "watchglass.1.lesson";
/// The separator between the commands at the end of a run in format 1.
const OLD_BETWEEN: char = '\u{1e}';

/// Converts the run of format 1 into a saved run and removes the old keys. Returns false if the old run could not be
/// read.
pub fn migrate(shelf: &impl Shelf, id: &str, now_ms: u64, story: &str) -> bool {
    let run = shelf.get(OLD_RUN).filter(|text| !text.is_empty());
    let tail = shelf.get(OLD_TAIL).unwrap_or_default();
    // Remove the old keys first: localStorage may have no room for two copies of a long run.
    for key in [OLD_RUN, OLD_TAIL, OLD_MARK, OLD_LESSON] {
        shelf.remove(key);
    }
    let (base, source) = match run {
        Some(text) => match Saved::from_text(&text) {
            Ok(saved) => (Source::Saved(text), saved.source),
            Err(_) => return false,
        },
        None if tail.is_empty() => return true,
        None => {
            let story = Source::Story(story.to_owned());
            (story.clone(), story)
        }
    };
    let slot = slot::of(&source).unwrap_or_default();
    let meta = Meta {
        title: words::EARLIER_RUN.to_owned(),
        when_ms: now_ms,
        slot,
        ..Meta::default()
    };
    let head = Head {
        meta: meta.clone(),
        base,
        at: SeekTo::End,
    };
    write_head(shelf, id, &head);
    for (place, text) in tail.split_terminator(OLD_BETWEEN).enumerate() {
        let entry = JournalEntry {
            number: place as u64 + 1,
            place: None,
            act: Act::Type(text.to_owned()),
        };
        write(shelf, id, &entry);
    }
    attach(shelf, &meta.slot, id);
    write_last(shelf, id, &meta.title);
    true
}

#[cfg(test)]
mod tests;
