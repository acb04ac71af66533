//! Beats: the thoughts that a run is told in. A comment in a scenario begins one, and all commands up to the next
//! comment belong to it. In a transcript, a comment tells of the one command below it.
//!
//! Each command without a comment, and each that a person types, is a beat of its own; it needs no [`Beat`].

use super::format::Block;
use super::picture::Picture;
use std::sync::Arc;

/// What a comment says, and what is looked at meanwhile.
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
    /// The comment on one line, without `#`; empty when only the picture changes.
    pub text: String,
    /// What is looked at from here on; `None` when it stays as it was.
    pub picture: Option<Picture>,
}

/// Gives commands without a comment the beat of the command before.
pub(super) fn fill(blocks: &mut [Block]) {
    let mut last: Option<Arc<Beat>> = None;
    for block in blocks {
        match &block.beat {
            Some(beat) => last = Some(beat.clone()),
            None => block.beat.clone_from(&last),
        }
    }
}
