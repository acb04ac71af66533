//! Names with values: labels, or fields that selectors can name (`labels.Set`, `fields.Set`).
//!
//! Upstream has a map; an object has a handful of them, for which a list in order takes a fraction of the room.

use std::slice;
use std::sync::Arc;

/// A name and its value.
type Pair = (Arc<str>, Arc<str>);

/// Names with values, in the order of the names.
///
/// ```
/// use watchglass_engine::kube::Set;
/// let mut labels = Set::default();
/// labels.insert("tier".into(), "front".into());
/// labels.insert("app".into(), "web".into());
/// labels.insert("tier".into(), "back".into());
/// assert_eq!(labels.get("tier").map(|value| &**value), Some("back"));
/// let names: Vec<&str> = labels.iter().map(|(name, _)| &**name).collect();
/// assert_eq!(names, ["app", "tier"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set {
    pairs: Vec<Pair>,
}

impl Set {
    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Arc<str>> {
        self.place(name).ok().map(|place| &self.pairs[place].1)
    }

    /// Gives a name a value, in the place of the one that it has.
    pub fn insert(&mut self, name: Arc<str>, value: Arc<str>) {
        match self.place(&name) {
            Ok(place) => self.pairs[place].1 = value,
            Err(place) => self.pairs.insert(place, (name, value)),
        }
    }

    /// All pairs.
    pub fn iter(&self) -> slice::Iter<'_, Pair> {
        self.pairs.iter()
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.pairs.binary_search_by(|(own, _)| (**own).cmp(name))
    }
}
