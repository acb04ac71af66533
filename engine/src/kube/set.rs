//! A set of names, each with a value: the labels of an object, or the fields that selectors can use (`labels.Set`,
//! `fields.Set`).
//!
//! Upstream uses a map. An object has only a few labels and fields, so a sorted list needs much less memory.

use std::slice;
use std::sync::Arc;

type Pair = (Arc<str>, Arc<str>);

/// A set of names, each with a value, sorted by name.
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
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub fn get(&self, name: &str) -> Option<&Arc<str>> {
        self.place(name).ok().map(|place| &self.pairs[place].1)
    }

    /// Sets the value that belongs to a name. Replaces an existing value.
    pub fn insert(&mut self, name: Arc<str>, value: Arc<str>) {
        match self.place(&name) {
            Ok(place) => self.pairs[place].1 = value,
            Err(place) => self.pairs.insert(place, (name, value)),
        }
    }

    pub fn remove(&mut self, name: &str) {
        if let Ok(place) = self.place(name) {
            self.pairs.remove(place);
        }
    }

    /// Returns an iterator over all pairs, sorted by name.
    pub fn iter(&self) -> slice::Iter<'_, Pair> {
        self.pairs.iter()
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.pairs.binary_search_by(|(own, _)| (**own).cmp(name))
    }
}
