//! What is asked of the run and answered at once: a move of the cursor, a text, a completion.
//!
//! At once, while a long command goes on, too; but not while another run is about to take this one's place. What is
//! asked after that was asked is meant for the other run, and would be lost with this one: it waits its turn.

use crate::shell;

use super::permalink::Permalink;
use super::protocol::{Done, SeekTo};
use super::save::{LogItem, Saved};
use super::session::Session;

/// Keys that completion looks at.
const COMPLETION_KEYS_MAX: usize = 10_000;

/// See the module.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    Seek(SeekTo),
    StepBy(i64),
    Branch(u32),
    State,
    Save,
    Link { view: String },
    Complete { line: String, cursor: u32 },
}

impl Session {
    pub(super) fn answer_to(&mut self, asked: Asked) -> Done {
        match asked {
            Asked::Seek(to) => self.seek(to),
            Asked::StepBy(delta) => {
                self.seek(SeekTo::Step(self.cursor.saturating_add_signed(delta)));
            }
            Asked::Branch(branch) => self.switch(branch),
            Asked::State => return Done::Text(self.state_json()),
            Asked::Save => return Done::Text(self.saved().to_text()),
            Asked::Link { view } => return Done::Text(self.link(view)),
            Asked::Complete { line, cursor } => return self.complete(&line, cursor),
        }
        Done::Moved { step: self.cursor }
    }

    /// Everything that makes this work again.
    pub(super) fn saved(&self) -> Saved {
        Saved {
            source: self.source.clone(),
            log: self.log.iter().cloned().chain(self.half_typed()).collect(),
            branch: self.current as u32,
            step: self.cursor,
        }
    }

    /// The moment at hand as a link.
    fn link(&self, view: String) -> String {
        let saved = self.saved();
        Permalink { saved, view }.to_text()
    }

    /// A transaction that is not complete, as something typed where the cursor stands.
    fn half_typed(&self) -> Option<LogItem> {
        (!self.half_typed.is_empty()).then(|| LogItem {
            branch: self.current as u32,
            step: self.cursor,
            text: self.half_typed.join("\n"),
        })
    }

    fn complete(&self, line: &str, cursor: u32) -> Done {
        let keys: Vec<_> = self
            .world()
            .etcd()
            .store()
            .index()
            .iter()
            .take(COMPLETION_KEYS_MAX)
            .map(|ki| ki.key.clone())
            .collect();
        let completion = shell::complete(line, cursor as usize, &keys);
        Done::Completions {
            start: completion.start,
            items: completion
                .items
                .into_iter()
                .map(|i| (i.text, i.gloss))
                .collect(),
        }
    }
}
