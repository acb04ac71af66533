//! The texts of stories and lessons that a session can load.
//!
//! The engine does no I/O. When a message needs a missing text, the message waits as a job, and the engine asks the
//! page for the text with `FromEngine::Wants`. The page sends the text with `Notification::Text`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::etcd::FileIdentity;
use crate::scenario::included::{self, Included};
use crate::scenario::{lessons, stories};
use crate::words::scenario as words;

use super::files::Files;

/// The sources of runs that the engine receives from the page: the texts of stories and lessons, by file path without
/// the extension, and database files.
#[derive(Debug)]
pub(super) struct Texts {
    texts: BTreeMap<String, Cow<'static, str>>,
    pub(super) files: Files,
}

/// The reason why a run cannot be loaded from its source now.
#[derive(Debug)]
pub(super) enum NotNow {
    Wants(String),
    /// The file with this content is missing.
    WantsFile(FileIdentity),
    /// The source is invalid, for this reason.
    Refused(String),
}

impl From<String> for NotNow {
    fn from(message: String) -> Self {
        Self::Refused(message)
    }
}

impl Default for Texts {
    /// Creates the texts that the program contains: all texts in a native program, none in a browser.
    fn default() -> Self {
        #[cfg(target_family = "wasm")]
        let texts = BTreeMap::new();
        #[cfg(not(target_family = "wasm"))]
        let texts = {
            let stories = stories::ALL.iter().map(|one| (story(one.name), one.text));
            let lessons = lessons::ALL.iter().chain(&lessons::CHALLENGES);
            let lessons = lessons.map(|one| (lesson(one.name), one.text));
            let all = stories.chain(lessons);
            all.map(|(name, text)| (name, text.into())).collect()
        };
        Self {
            texts,
            files: Files::default(),
        }
    }
}

impl Texts {
    pub(super) fn clear(&mut self) {
        self.texts.clear();
    }

    pub(super) fn insert(&mut self, name: &str, text: String) {
        self.texts.insert(name.to_owned(), text.into());
    }

    pub(super) fn story(&self, name: &str) -> Result<&str, NotNow> {
        self.text(&stories::ALL, words::no_such_story, name, story)
    }

    /// Returns the text of a lesson. A lesson that the program does not know can be a file that an author has added to
    /// the site.
    pub(super) fn lesson(&self, name: &str) -> Result<&str, NotNow> {
        if !is_name_of_file(name) {
            return Err(words::no_such_lesson(name, &names(&lessons::ALL)).into());
        }
        let path = lesson(name);
        match self.texts.get(&path) {
            Some(text) => Ok(text),
            None => Err(NotNow::Wants(path)),
        }
    }

    fn text(
        &self,
        all: &[Included],
        no_such: fn(&str, &[&str]) -> String,
        name: &str,
        path: fn(&str) -> String,
    ) -> Result<&str, NotNow> {
        if included::find(all, name).is_none() {
            return Err(no_such(name, &names(all)).into());
        }
        let path = path(name);
        match self.texts.get(&path) {
            Some(text) => Ok(text),
            None => Err(NotNow::Wants(path)),
        }
    }
}

/// The maximum length of the name of a lesson that an author has added to the site, in characters.
pub(super) const NAME_CHARS_MAX: usize = 40;

/// Returns true if the name can be the name of a lesson's file.
pub(super) fn is_name_of_file(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=NAME_CHARS_MAX).contains(&name.len()) && name.chars().all(is_plain)
}

/// Returns the error message for the text of a lesson that neither the program nor the site has; `None` if the program
/// knows the text.
pub(super) fn refusal_of_lesson(path: &str) -> Option<String> {
    let name = path.strip_prefix("lessons/")?;
    let is_in = |all: &[Included]| included::find(all, name).is_some();
    let is_known = is_in(&lessons::ALL) || is_in(&lessons::CHALLENGES);
    (!is_known).then(|| words::no_such_lesson(name, &names(&lessons::ALL)))
}

fn names(all: &[Included]) -> Vec<&'static str> {
    all.iter().map(|one| one.name).collect()
}

/// Returns the name that `FromEngine::Wants` uses for a story's text.
pub fn story(name: &str) -> String {
    ["stories/", name].concat()
}

/// Returns the name that `FromEngine::Wants` uses for a lesson's text.
pub fn lesson(name: &str) -> String {
    ["lessons/", name].concat()
}
