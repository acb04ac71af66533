//! The texts of all figures, for the programs that build documentation (`integrations/`): what readers see where
//! scripts do not run, as in a feed.
//!
//! `figures.json` has an object for each run by its name: its `title` and its `beats`, each with a `text` and the
//! `commands` with their output. A beat is a section of the run's narration; `beats[0]` is the start of the run.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;
use watchglass_engine::session::Session;
use watchglass_engine::view::{Queries, TerminalEntry, TerminalQuery};
use watchglass_frontend::state::speed::text_of;

use crate::look;

/// The texts of all runs by their names.
pub(crate) type Figures = BTreeMap<String, Figure>;

#[derive(Serialize)]
pub(crate) struct Figure {
    title: String,
    beats: Vec<Beat>,
}

#[derive(Serialize)]
struct Beat {
    text: String,
    commands: String,
}

/// The maximum number of commands of a beat, and of lines of an output.
const COMMANDS: u32 = 4;
const LINES: usize = 8;

impl Figure {
    pub(crate) fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            beats: Vec::new(),
        }
    }

    /// Adds the session's current beat, which has this number.
    pub(crate) fn add(&mut self, session: &mut Session, number: u64) {
        let views = look(
            session,
            Queries {
                terminal: Some(TerminalQuery {
                    last: 0,
                    beat: if number == 0 { 0 } else { COMMANDS },
                }),
                ..Queries::default()
            },
        );
        let terminal = views.terminal.unwrap_or_default();
        let earlier = (terminal.beat_earlier > 0 && number > 0).then(|| "…\n".to_owned());
        self.beats.push(Beat {
            text: text_of(&views.status).cloned().unwrap_or_default(),
            commands: earlier
                .into_iter()
                .chain(terminal.beat.iter().map(typed))
                .collect(),
        });
    }
}

/// Returns a command with its output, as a terminal shows them.
fn typed(entry: &TerminalEntry) -> String {
    let mut text = format!("$ {}\n", entry.command);
    let output = [&*entry.stdout, &*entry.stderr].concat();
    let mut lines = output.lines();
    for line in lines.by_ref().take(LINES) {
        writeln!(text, "{line}").expect("a string accepts all text");
    }
    if lines.next().is_some() {
        text.push_str("…\n");
    }
    text
}
