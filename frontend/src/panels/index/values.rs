//! Shortens the values in beads, so that different values stay different.

use std::collections::{BTreeMap, BTreeSet};

use watchglass_engine::view::IndexView;

use crate::draw::text;

/// The minimum number of characters of a shortened value; fewer characters say nothing about the value.
const CELLS_MIN: usize = 3;

/// The different values of a view, and how often each shortened form occurs among them.
pub struct Values<'a> {
    all: BTreeSet<&'a str>,
    forms: BTreeMap<usize, BTreeMap<String, u32>>,
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

    /// Shortens a value to `room` cells. Returns an empty text if too little would remain, or if another value has the
    /// same shortened form; the tooltip and the inspector show the whole value.
    pub fn cut(&mut self, value: &str, room: usize) -> String {
        if text::cells(value) <= room {
            return value.to_owned();
        }
        if room < CELLS_MIN {
            return String::new();
        }
        let all = &self.all;
        let forms = self.forms.entry(room).or_insert_with(|| {
            let mut forms = BTreeMap::new();
            for value in all {
                *forms.entry(text::value(value, room)).or_default() += 1;
            }
            forms
        });
        let form = text::value(value, room);
        match forms.get(&form) {
            Some(2..) => String::new(),
            _ => form,
        }
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
        assert_eq!(values.cut("Pod web-50-1", 5), "");
        assert_eq!(values.cut("Running", 4), "Run…");
        assert_eq!(values.cut("Running", 2), "");
        assert_eq!(values.cut("Pod", 3), "Pod");
    }
}
