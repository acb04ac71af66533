//! Practice: which exercise comes next, the results of the current round, and the day on which each form comes again.
//!
//! Each form (a kind of question) has a box. A right answer moves the form to the next box, a wrong answer moves it to
//! the first. The number of the box decides after how many days the form comes again.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use watchglass_engine::session::practice::{Form, Item, Topic};

/// A round ends after this number of exercises or minutes.
pub const ROUND_ITEMS: usize = 10;
const ROUND_MINUTES: u32 = 10;
/// The days after which the forms of each box come again.
const DAYS: [u32; 5] = [1, 2, 4, 8, 16];
const MINUTES_OF_DAY: u32 = 24 * 60;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Practice {
    boxes: BTreeMap<Form, FormBox>,
    /// The local time at which the round began, in minutes.
    began: u32,
    /// The forms of the round and whether the answer was right, in the order of the answers.
    results: Vec<(Form, bool)>,
    /// Whether the page shows the summary of the round.
    pub is_over: bool,
}

/// The box of a form that was answered at least once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct FormBox {
    /// The number of the box; an index into [`DAYS`].
    number: usize,
    /// The day on which the form comes again.
    due: u32,
    /// The number of answered exercises of the form, which is also the number of its next exercise.
    answered: u32,
}

impl Practice {
    /// Continues the round of this day, or begins the first one. `now` is the local time in minutes.
    pub fn begin(&mut self, now: u32) {
        if now / MINUTES_OF_DAY != self.today() {
            self.results.clear();
        }
        self.began = now;
        self.is_over = self.results.len() >= ROUND_ITEMS;
    }

    /// Begins another round.
    pub fn begin_again(&mut self, now: u32) {
        self.results.clear();
        self.begin(now);
    }

    /// Ends the round if it has had enough exercises or minutes.
    pub fn go_on(&mut self, now: u32) {
        let is_late = now.saturating_sub(self.began) >= ROUND_MINUTES;
        self.is_over = self.results.len() >= ROUND_ITEMS || is_late && !self.results.is_empty();
    }

    /// Forgets all results.
    pub fn forget(&mut self) {
        self.boxes.clear();
        self.results.clear();
    }

    /// Records an answer. Returns false if the exercise is not the next one of its form: it was answered before, or a
    /// link led to it.
    pub fn record(&mut self, item: Item, is_right: bool) -> bool {
        let today = self.today();
        let of_form = self.boxes.entry(item.form).or_default();
        if item.number != of_form.answered {
            return false;
        }
        of_form.answered += 1;
        of_form.number = match is_right {
            true => (of_form.number + 1).min(DAYS.len() - 1),
            false => 0,
        };
        of_form.due = today + DAYS[of_form.number];
        self.results.push((item.form, is_right));
        true
    }

    /// Returns the next exercise: first the forms that are due, then new forms, then the others. Neighbours have
    /// different topics if possible.
    pub fn next_item(&self) -> Item {
        let last = self.results.last().map(|(form, _)| form.topic());
        let rank = |form: &Form| {
            let of_form = self.boxes.get(form).filter(|known| known.answered > 0);
            let due = of_form.map_or(0, |known| known.due);
            let order = match of_form {
                Some(known) if known.due <= self.today() => 0,
                None => 1,
                Some(_) => 2,
            };
            let is_done = self.results.iter().any(|(done, _)| done == form);
            (is_done, order, Some(form.topic()) == last, due, *form)
        };
        let form = Form::ALL
            .into_iter()
            .min_by_key(rank)
            .unwrap_or(Form::Version);
        Item {
            form,
            number: self.boxes.get(&form).map_or(0, |known| known.answered),
        }
    }

    pub fn results(&self) -> &[(Form, bool)] {
        &self.results
    }

    pub fn right(&self) -> usize {
        self.results
            .iter()
            .filter(|(_, is_right)| *is_right)
            .count()
    }

    /// Returns the topics with a wrong answer in this round, which come again tomorrow.
    pub fn again(&self) -> Vec<Topic> {
        let wrong = self.results.iter().filter(|(_, is_right)| !is_right);
        let mut topics: Vec<_> = wrong.map(|(form, _)| form.topic()).collect();
        topics.sort_unstable();
        topics.dedup();
        topics
    }

    fn today(&self) -> u32 {
        self.began / MINUTES_OF_DAY
    }

    pub fn to_text(&self) -> String {
        let mut text = format!("began:{}", self.began);
        // A write to a `String` cannot fail.
        for (form, is_right) in &self.results {
            let sign = if *is_right { '+' } else { '-' };
            let _ = write!(text, " {}{sign}", form.name());
        }
        for (form, of_form) in &self.boxes {
            let FormBox {
                number,
                due,
                answered,
            } = of_form;
            let _ = write!(text, " {}:{number}:{due}:{answered}", form.name());
        }
        text
    }

    /// Reads a stored text. Ignores words that it does not know, such as forms of a later version.
    pub fn from_text(text: &str) -> Self {
        let mut practice = Self::default();
        let form = |name: &str| Form::ALL.into_iter().find(|form| form.name() == name);
        for word in text.split(' ') {
            if let Some(name) = word.strip_suffix(['+', '-']) {
                let result = form(name).map(|form| (form, word.ends_with('+')));
                practice.results.extend(result);
                continue;
            }
            let mut parts = word.split(':');
            let name = parts.next().unwrap_or_default();
            let numbers: Vec<u32> = parts.filter_map(|part| part.parse().ok()).collect();
            match (form(name), &numbers[..]) {
                (None, [began]) if name == "began" => practice.began = *began,
                (Some(form), [number, due, answered]) => {
                    let of_form = FormBox {
                        number: (*number as usize).min(DAYS.len() - 1),
                        due: *due,
                        answered: *answered,
                    };
                    practice.boxes.insert(form, of_form);
                }
                _ => {}
            }
        }
        practice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MONDAY: u32 = 20_000 * MINUTES_OF_DAY + 600;
    const DAY: u32 = MINUTES_OF_DAY;

    /// Answers the next exercises, and returns their forms.
    fn answer(practice: &mut Practice, count: usize, is_right: bool) -> Vec<Form> {
        let forms = (0..count).map(|_| {
            let item = practice.next_item();
            assert!(practice.record(item, is_right));
            item.form
        });
        forms.collect()
    }

    #[test]
    fn a_round_has_ten_forms_of_mixed_topics() {
        let mut practice = Practice::default();
        practice.begin(MONDAY);
        let forms = answer(&mut practice, ROUND_ITEMS, true);
        let topics: Vec<_> = forms.iter().map(|form| form.topic()).collect();
        assert!(
            topics.windows(2).all(|pair| pair[0] != pair[1]),
            "{topics:?}"
        );
        let different: std::collections::BTreeSet<_> = forms.iter().collect();
        assert_eq!(different.len(), ROUND_ITEMS);
        practice.go_on(MONDAY + 1);
        assert!(practice.is_over);
    }

    #[test]
    fn a_round_ends_after_ten_minutes_but_not_without_an_answer() {
        let mut practice = Practice::default();
        practice.begin(MONDAY);
        practice.go_on(MONDAY + ROUND_MINUTES);
        assert!(!practice.is_over);
        answer(&mut practice, 1, true);
        practice.go_on(MONDAY + ROUND_MINUTES - 1);
        assert!(!practice.is_over);
        practice.go_on(MONDAY + ROUND_MINUTES);
        assert!(practice.is_over);
    }

    #[test]
    fn a_wrong_form_comes_tomorrow_and_a_right_one_later_each_time() {
        let mut practice = Practice::default();
        practice.begin(MONDAY);
        let wrong = answer(&mut practice, 1, false)[0];
        let right = answer(&mut practice, 1, true)[0];
        assert_eq!(practice.again(), [wrong.topic()]);
        let mut day = 0;
        for days in [1, 2, 4, 8, 16, 16] {
            day += days;
            practice.begin(MONDAY + (day - 1) * DAY);
            assert_ne!(practice.next_item().form, wrong, "before day {day}");
            practice.begin(MONDAY + day * DAY);
            let item = practice.next_item();
            // The other form is due at times, too.
            let item = if item.form == right {
                practice.record(item, true);
                practice.next_item()
            } else {
                item
            };
            assert_eq!(item.form, wrong, "day {day}");
            assert!(practice.record(item, true));
        }
        practice.begin(MONDAY + (day + 1) * DAY);
        let item = Item {
            form: wrong,
            number: 7,
        };
        practice.record(item, false);
        practice.begin(MONDAY + (day + 2) * DAY);
        assert!([wrong, right].contains(&practice.next_item().form));
    }

    #[test]
    fn an_exercise_counts_once() {
        let mut practice = Practice::default();
        practice.begin(MONDAY);
        let item = practice.next_item();
        assert!(practice.record(item, false));
        assert!(!practice.record(item, true));
        let linked = Item { number: 99, ..item };
        assert!(!practice.record(linked, true));
        assert_eq!(practice.results().len(), 1);
        let next = Item { number: 1, ..item };
        assert!(practice.record(next, true));
    }

    #[test]
    fn the_results_of_the_day_survive_a_reload_and_the_boxes_survive_the_day() {
        let mut practice = Practice::default();
        practice.begin(MONDAY);
        answer(&mut practice, 3, true);
        answer(&mut practice, 1, false);
        let mut reloaded = Practice::from_text(&practice.to_text());
        assert_eq!(reloaded, practice);
        reloaded.begin(MONDAY + 30);
        assert_eq!((reloaded.results().len(), reloaded.right()), (4, 3));
        assert_eq!(reloaded.next_item(), practice.next_item());
        reloaded.begin(MONDAY + DAY);
        assert_eq!(reloaded.results(), []);
        assert_eq!(reloaded.boxes.len(), 4);
        let other =
            Practice::from_text("began:5 nonsense version:1:2 unknown:1:2:3 version:99:7:8");
        assert_eq!((other.began, other.boxes.len()), (5, 1));
    }
}
