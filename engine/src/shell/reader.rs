//! Lines in, commands out; remembers a transaction that is still being typed.

use super::{Command, ParseError};
use crate::api::Profile;

/// Reads lines.
#[derive(Clone, Debug)]
pub struct Reader {
    profile: Profile,
}

/// What a line came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// Nothing: an empty line or a comment.
    Blank,
    /// A block that goes on with the next line.
    More {
        /// What to ask for it with.
        prompt: &'static str,
    },
    /// One command or several.
    Commands(Vec<Command>),
}

impl Reader {
    /// A reader of what etcdctl of this profile understands.
    pub fn new(profile: Profile) -> Self {
        Self { profile }
    }

    /// Reads one line.
    pub fn line(&mut self, line: &str) -> Result<Read, ParseError> {
        let _ = (line, self.profile);
        Ok(Read::Blank)
    }

    /// Forgets a half-typed block.
    pub fn abandon(&mut self) {}

    /// The prompt of the block that is being typed, if one is.
    pub fn pending(&self) -> Option<&'static str> {
        None
    }

    /// The input ends: a block that was cut short becomes etcdctl's own complaint.
    pub fn finish(&mut self) -> Result<Read, ParseError> {
        Ok(Read::Blank)
    }
}
