//! The draft of an author's lesson: its text, the result of its check, and the part that the preview shows.

use std::rc::Rc;

use watchglass_engine::session::protocol::LessonCheck;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LessonDraft {
    pub(super) text: Rc<str>,
    /// The line of the caret, counted from 1.
    pub(super) line: u32,
    /// The result of the last check.
    pub check: Option<Rc<LessonCheck>>,
    /// The id of the check in progress.
    pub(super) asked: Option<u32>,
    /// The text and the part of the preview.
    pub(super) shown: Option<(Rc<str>, u32)>,
}

impl LessonDraft {
    /// Forgets the check and the preview, but not the text.
    pub(super) fn forget(&mut self) {
        (self.asked, self.check, self.shown) = (None, None, None);
    }

    /// Returns true if the result of the check is about the current text.
    pub(super) fn is_checked(&self) -> bool {
        self.asked.is_none() && self.check.is_some()
    }

    /// Returns true if the result of the check is about this text, which the author may have typed since.
    pub fn is_check_of(&self, text: &str) -> bool {
        self.is_checked() && *self.text == *text
    }

    /// Returns the part of the lesson at the caret, if the preview must change to show this part.
    pub(super) fn wanted_part(&self) -> Option<u32> {
        let check = self.check.as_ref().filter(|_| self.is_checked())?;
        if check.parts.is_empty() {
            return None;
        }
        let before = check.parts.iter().take_while(|line| **line <= self.line);
        let part = (before.count() as u32).saturating_sub(1);
        let is_shown = self
            .shown
            .as_ref()
            .is_some_and(|shown| *shown == (self.text.clone(), part));
        (!is_shown).then_some(part)
    }
}
