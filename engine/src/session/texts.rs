//! The texts of stories and lessons: which run needs which, and what waits for one.
//!
//! The engine does no I/O. A message that needs a text which is not here is kept as a job; `FromEngine::Wants` names
//! the text, and `ToEngine::Text` brings it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::etcd::FileIdentity;
use crate::scenario::included::{self, Included};
use crate::scenario::{lessons, stories};

use super::files::Files;

/// What runs are made from and the engine has to be given: stories and lessons by the path of their file, without its
/// end, and database files.
#[derive(Debug)]
pub(super) struct Texts {
    texts: BTreeMap<String, Cow<'static, str>>,
    pub(super) files: Files,
}

/// Why a run cannot be made now.
#[derive(Debug)]
pub(super) enum NotNow {
    /// The text of that name is not here.
    Wants(String),
    /// The file with this content is not here.
    WantsFile(FileIdentity),
    /// The source is invalid; the reason.
    Refused(String),
}

impl From<String> for NotNow {
    fn from(message: String) -> Self {
        Self::Refused(message)
    }
}

impl Default for Texts {
    /// Those that are part of the program: all natively, none in a browser.
    fn default() -> Self {
        #[cfg(target_family = "wasm")]
        let texts = BTreeMap::new();
        #[cfg(not(target_family = "wasm"))]
        let texts = {
            let stories = stories::ALL.iter().map(|one| (story(one.name), one.text));
            let lessons = lessons::ALL.iter().map(|one| (lesson(one.name), one.text));
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
    /// Removes all texts.
    pub(super) fn clear(&mut self) {
        self.texts.clear();
    }

    /// Takes the text of that name.
    pub(super) fn insert(&mut self, name: &str, text: String) {
        self.texts.insert(name.to_owned(), text.into());
    }

    pub(super) fn story(&self, name: &str) -> Result<&str, NotNow> {
        self.text(&stories::ALL, "story", name, story)
    }

    pub(super) fn lesson(&self, name: &str) -> Result<&str, NotNow> {
        self.text(&lessons::ALL, "lesson", name, lesson)
    }

    fn text(
        &self,
        all: &[Included],
        kind: &str,
        name: &str,
        path: fn(&str) -> String,
    ) -> Result<&str, NotNow> {
        included::find(all, kind, name)?;
        let path = path(name);
        match self.texts.get(&path) {
            Some(text) => Ok(text),
            None => Err(NotNow::Wants(path)),
        }
    }
}

/// The name of a story's text in `FromEngine::Wants`.
pub fn story(name: &str) -> String {
    ["stories/", name].concat()
}

/// The name of a lesson's text in `FromEngine::Wants`.
pub fn lesson(name: &str) -> String {
    ["lessons/", name].concat()
}
