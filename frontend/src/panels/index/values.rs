//! Shortens the values in beads, so that different values stay different.

use std::collections::{BTreeMap, BTreeSet};

use watchglass_engine::view::IndexView;

use crate::draw::text;

/// The minimum number of characters of a shortened value; fewer characters say nothing about the value.
const CELLS_MIN: usize = 3;

/// The mark of a value that is not shown, because another value has the same shortened form.
const NOT_SHOWN: &str = "…";

/// If more than this number of values have the same shortened form, the parts in which the values differ are not shown.
const ALIKE_MAX: usize = 16;

/// The different values of a view, and the values of each shortened form.
pub struct Values<'a> {
    all: BTreeSet<&'a str>,
    forms: BTreeMap<usize, BTreeMap<String, Vec<&'a str>>>,
}

impl<'a> Values<'a> {
    pub fn of(view: &'a IndexView) -> Values<'a> {
        let beads = view.lanes.iter().flat_map(|lane| &lane.beads);
        Values {
            all: beads.map(|bead| bead.label.as_str()).collect(),
            forms: BTreeMap::new(),
        }
    }

    /// Shortens a value to `room` cells. If several values have the same shortened form, each of them is shortened to
    /// the part in which the values differ. Returns an ellipsis if no different form is found, and an empty text if
    /// there is almost no room; the tooltip and the inspector show the whole value.
    pub fn cut(&mut self, value: &str, room: usize) -> String {
        if text::cells(value) <= room {
            return value.to_owned();
        }
        if room < CELLS_MIN {
            return String::new();
        }
        let all = &self.all;
        let forms = self.forms.entry(room).or_insert_with(|| {
            let mut forms = BTreeMap::<String, Vec<&str>>::new();
            for value in all {
                let form = text::value(value, room);
                forms.entry(form).or_default().push(value);
            }
            forms
        });
        let form = text::value(value, room);
        match forms.get(&form).map(Vec::as_slice) {
            Some(alike @ [_, _, ..]) if alike.len() <= ALIKE_MAX => end(value, alike, room),
            Some([_]) => form,
            _ => NOT_SHOWN.to_owned(),
        }
    }
}

/// Shortens a value: omits the beginning that all values in `alike` share, and shortens the rest if it is too long.
fn end(value: &str, alike: &[&str], room: usize) -> String {
    let shortened = |value: &str| text::value(text::differing(value, alike), room - 1);
    let end = shortened(value);
    let is_other = |other: &&&str| **other != value && shortened(other) == end;
    match alike.iter().find(is_other) {
        Some(_) => NOT_SHOWN.to_owned(),
        None => [NOT_SHOWN, &end].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_shortened_value_is_never_that_of_another_value() {
        let mut view = fixture::pods();
        let labels = ["Pod web-50-1", "Pod web-60-1", "Pending", "Pod", "Running"];
        for (bead, label) in view
            .lanes
            .iter_mut()
            .flat_map(|lane| &mut lane.beads)
            .zip(labels)
        {
            bead.label = label.to_owned();
        }
        let mut values = Values::of(&view);
        assert_eq!(values.cut("Pod web-50-1", 12), "Pod web-50-1");
        assert_eq!(values.cut("Pod web-50-1", 10), "Pod …-50-1");
        assert_eq!(values.cut("Pod web-50-1", 5), "…50-1");
        assert_eq!(values.cut("Pod web-60-1", 5), "…60-1");
        assert_eq!(values.cut("Running", 4), "Run…");
        assert_eq!(values.cut("Running", 2), "");
        assert_eq!(values.cut("Pod", 3), "Pod");
    }
}
