//! Practice: exercises that are made from a form and a number.
//!
//! An exercise is the text of a lesson with one question. A form draws a few commands, a question, and choices, each of
//! which states a misconception. [`Item::text`] runs the commands, so the simulator, not the form, decides which choice
//! is right. If two choices are right, or too few are wrong, the form draws again. The same form and number always lead
//! to the same text, so a link only names both.

mod caches;
mod compaction;
mod dice;
mod draft;
mod form;
mod generations;
mod leases;
mod quorums;
mod reads;
mod revisions;
mod watches;
mod writes;

use std::fmt;

use dice::Dice;
pub use form::{Form, Topic};

/// The maximum number of attempts to draw an exercise. A test draws the first exercises of each form; most need one or
/// two attempts.
const ATTEMPTS_MAX: u64 = 200;

/// An exercise. It is displayed as its name in links, such as `value-at-revision-7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    pub form: Form,
    pub number: u32,
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.form.name(), self.number)
    }
}

impl Item {
    /// Returns the exercise with this name.
    ///
    /// ```
    /// use watchglass_engine::session::practice::Item;
    /// let item = Item::named("value-at-revision-7").unwrap();
    /// assert_eq!((item.number, item.to_string().as_str()), (7, "value-at-revision-7"));
    /// assert_eq!(Item::named("L05"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let (form, number) = name.rsplit_once('-')?;
        let form = Form::ALL.into_iter().find(|known| known.name() == form)?;
        let item = Self {
            form,
            number: number.parse().ok()?,
        };
        (item.to_string() == name).then_some(item)
    }

    /// Makes the text of the exercise, in the format of a lesson; `None` if no attempt had enough wrong choices.
    pub fn text(self) -> Option<String> {
        let mut attempts = 0..ATTEMPTS_MAX;
        attempts.find_map(|attempt| {
            let seed = u64::from(self.number) * ATTEMPTS_MAX + attempt;
            let mut dice = Dice::new(seed, self.form.name());
            self.form.draft(&mut dice).text(self, &mut dice)
        })
    }
}
