//! The texts of stories and lessons: which run needs which, and what waits for one.
//!
//! The engine does no I/O. A message that needs a text which is not here is kept as a job; [`FromEngine::Wants`] names
//! the text, and [`ToEngine::Text`] brings it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::scenario::included::{self, Included};
use crate::scenario::{lessons, stories};

use super::loading::Loading;
use super::protocol::{Done, FromEngine, ToEngine};
use super::session::{Job, Session, Work, answer};

/// Stories and lessons by the path of their file, without its end.
#[derive(Clone, Debug)]
pub(super) struct Texts(BTreeMap<String, Cow<'static, str>>);

/// Why a run cannot be made now.
#[derive(Debug)]
pub(super) enum NotNow {
    /// The text of that name is not here.
    Wants(String),
    /// What is wrong with the source.
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
        Self(texts)
    }
}

impl Texts {
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
        match self.0.get(&path) {
            Some(text) => Ok(text),
            None => Err(NotNow::Wants(path)),
        }
    }
}

/// What the text of a story is called in [`FromEngine::Wants`].
pub fn story(name: &str) -> String {
    ["stories/", name].concat()
}

/// What the text of a lesson is called in [`FromEngine::Wants`].
pub fn lesson(name: &str) -> String {
    ["lessons/", name].concat()
}

impl Session {
    /// Forgets all texts, as a session in a browser starts without any; for tests.
    pub fn forget_texts(&mut self) {
        self.texts.0.clear();
    }

    /// Begins what a message asks for, or lets the message wait for the text that it needs.
    pub(super) fn begin_run(&mut self, id: u32, message: ToEngine, out: &mut Vec<FromEngine>) {
        let Some(job) = self.job(id, message, out) else {
            return;
        };
        // Nothing would ever end a stalled load before this one.
        if job.replaces()
            && let Some(stalled) = self.stalled_load()
        {
            self.end_jobs(out, |job| job.id == stalled);
        }
        self.push(job);
    }

    /// The job of a message; none when it is answered at once.
    fn job(&self, id: u32, message: ToEngine, out: &mut Vec<FromEngine>) -> Option<Job> {
        let work = match &message {
            ToEngine::Load { source, at, .. } => {
                let loading = Loading::new(source.clone(), *at, &self.texts);
                loading.map(|loading| Work::Load(loading.into()))
            }
            ToEngine::Goal {
                lesson, queries, ..
            } => {
                let loading = Loading::goal(lesson, &self.texts);
                loading.map(|loading| Work::Goal(loading.into(), queries.clone()))
            }
            _ => return None,
        };
        match work {
            Ok(work) => Some(Job { id, work }),
            Err(NotNow::Wants(name)) => {
                out.push(FromEngine::Wants { name: name.clone() });
                let message = Box::new(message);
                let work = Work::Text { name, message };
                Some(Job { id, work })
            }
            Err(NotNow::Refused(message)) => {
                answer(out, id, Done::Refused { message });
                None
            }
        }
    }

    /// Continues the load that waited for this text, or fails it when the text is missing.
    pub(super) fn take_text(
        &mut self,
        name: &str,
        text: Option<String>,
        out: &mut Vec<FromEngine>,
    ) {
        let has_arrived = text.is_some();
        if let Some(text) = text {
            self.texts.0.insert(name.to_owned(), text.into());
        }
        for job in self.take_jobs() {
            let job = match job.work {
                Work::Text { name: wanted, .. } if wanted == name && !has_arrived => {
                    let name = wanted;
                    answer(out, job.id, Done::Absent { name });
                    continue;
                }
                Work::Text {
                    name: wanted,
                    message,
                } if wanted == name => self.job(job.id, *message, out),
                work => Some(Job { id: job.id, work }),
            };
            if let Some(job) = job {
                self.push(job);
            }
        }
    }
}
