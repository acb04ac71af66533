//! Shortens the values in beads, so that different values stay different.

use std::collections::{BTreeMap, BTreeSet};

use watchglass_engine::view::IndexView;

use crate::draw::text;

/// The minimum number of characters of a shortened value; fewer characters say nothing about the value.
const CELLS_MIN: usize = 3;

/// The mark of a value that is not shown: too little would remain of it.
const NOT_SHOWN: &str = "…";

/// The different values of a view, and their shortened forms for each width.
pub struct Values<'a> {
    all: BTreeSet<&'a str>,
    forms: BTreeMap<usize, BTreeMap<&'a str, String>>,
}

impl<'a> Values<'a> {
    /// Returns the values of a view.
    pub fn of(view: &'a IndexView) -> Values<'a> {
        let beads = view.lanes.iter().flat_map(|lane| &lane.beads);
        Values {
            all: beads.map(|bead| bead.label.as_str()).collect(),
            forms: BTreeMap::new(),
        }
    }

    /// Shortens a value to `room` cells. Values whose beginnings are alike are shortened to the parts that differ.
    /// Returns an ellipsis if too little would remain; the tooltip and the inspector show the whole value.
    pub fn cut(&mut self, value: &str, room: usize) -> String {
        if text::cells(value) <= room {
            return value.to_owned();
        }
        if room < CELLS_MIN {
            return NOT_SHOWN.to_owned();
        }
        let all = &self.all;
        let forms = self.forms.entry(room);
        let forms = forms.or_insert_with(|| shortened(all, room));
        let form = forms.get(value);
        form.map_or_else(|| NOT_SHOWN.to_owned(), String::clone)
    }
}

/// Returns the shortened form of each value, without the values of which no form is different from the others.
fn shortened<'a>(all: &BTreeSet<&'a str>, room: usize) -> BTreeMap<&'a str, String> {
    let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for value in all {
        let form = text::value(value, room);
        alike.entry(form).or_default().push(value);
    }
    let mut forms = BTreeMap::new();
    for (form, values) in alike {
        if let [value] = values[..] {
            forms.insert(value, form);
            continue;
        }
        let ends = values.iter().map(|value| {
            let others: Vec<&str> = values.iter().copied().filter(|it| it != value).collect();
            let end = text::value(text::differing(value, &others), room - 1);
            [NOT_SHOWN, &end].concat()
        });
        let ends: Vec<String> = ends.collect();
        if ends.iter().collect::<BTreeSet<_>>().len() == ends.len() {
            forms.extend(values.into_iter().zip(ends));
        }
    }
    forms
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
        assert_eq!(values.cut("Running", 2), "…");
        assert_eq!(values.cut("Pod", 3), "Pod");
    }
}
