//! Beats: the sections of a run's narration. Each beat explains one idea. A comment in a scenario starts a beat, and
//! all commands up to the next comment belong to the beat. In a transcript, a comment belongs only to the next command.
//!
//! Some commands have no comment: commands before the first comment of a scenario, commands without a comment in a
//! transcript, and commands that a person types. Each of these commands is a beat of its own, without a [`Beat`] value.

use super::format::Block;
use super::guess::Guess;
use super::picture::Picture;
use std::sync::Arc;

/// The text of a beat, and the picture that the page shows with the text: a view and a highlighted object.
///
/// ```
/// use watchglass_engine::scenario::{format, picture::NamedView};
/// let text = "#! picture: watch w1\n# A write\n# is sent.\nput a 1\n----\nOK\n";
/// let scenario = format::parse(text).unwrap();
/// let beat = scenario.blocks[0].beat.clone().unwrap();
/// assert_eq!(beat.text, "A write is sent.");
/// let picture = beat.picture.clone().unwrap();
/// assert_eq!((picture.view, picture.target.as_deref()), (NamedView::Watch, Some("w1")));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beat {
    /// The text of the comment as one line, without `#`; empty if the beat changes only the picture.
    pub text: String,
    /// The picture that the page shows from this beat on; `None` if the picture stays the same.
    pub picture: Option<Picture>,
    /// The question that the reader can answer before this beat.
    pub guess: Option<Guess>,
}

/// Copies the beat of the previous command to each command that has no comment.
pub(super) fn fill(blocks: &mut [Block]) {
    let mut last: Option<Arc<Beat>> = None;
    for block in blocks {
        match &block.beat {
            Some(beat) => last = Some(beat.clone()),
            None => block.beat.clone_from(&last),
        }
    }
}
