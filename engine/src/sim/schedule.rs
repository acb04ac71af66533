//! What is due when: a queue with a total order, so that every run of it is the same.

use crate::base::ordered::OrdMap;

use crate::base::time::SimTime;

/// Where something stands in a schedule: when it is due, and how many were added before it.
pub type Place = (SimTime, u64);

/// Things due, first by time, then in the order they were added.
///
/// ```
/// use watchglass_engine::{base::time::SimTime, sim::Schedule};
/// let mut s = Schedule::default();
/// s.add(SimTime(5), "b");
/// s.add(SimTime(5), "c");
/// s.add(SimTime(1), "a");
/// let order: Vec<_> = std::iter::from_fn(|| s.pop()).map(|(_, what)| what).collect();
/// assert_eq!(order, ["a", "b", "c"]);
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Schedule<T: Clone> {
    due: OrdMap<(SimTime, u64), T>,
    added: u64,
}

impl<T: Clone> Default for Schedule<T> {
    fn default() -> Self {
        Self {
            due: OrdMap::new(),
            added: 0,
        }
    }
}

impl<T: Clone> Schedule<T> {
    /// Adds something that is due at `at`.
    pub fn add(&mut self, at: SimTime, what: T) -> Place {
        let place = (at, self.added);
        self.due.insert(place, what);
        self.added += 1;
        place
    }

    /// Takes out what stands there; nothing if it was due already.
    pub fn remove(&mut self, place: Place) -> Option<T> {
        self.due.remove(&place)
    }

    /// The next thing.
    pub fn next(&self) -> Option<&T> {
        self.due.get_min().map(|(_, what)| what)
    }

    /// When the next thing is due.
    pub fn next_at(&self) -> Option<SimTime> {
        self.due.get_min().map(|((at, _), _)| *at)
    }

    /// Takes the next thing.
    pub fn pop(&mut self) -> Option<(SimTime, T)> {
        let ((at, seq), what) = self.due.get_min()?.clone();
        self.due.remove(&(at, seq));
        Some((at, what))
    }

    /// Keeps only the things that `keep` names; says how many went.
    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) -> u64 {
        let before = self.due.len();
        self.due = self
            .due
            .iter()
            .filter(|(_, what)| keep(what))
            .map(|(k, v)| (*k, v.clone()))
            .collect();
        (before - self.due.len()) as u64
    }

    /// Takes the next thing if it is due at that very moment and `takes` agrees.
    pub fn pop_if(&mut self, at: SimTime, takes: impl Fn(&T) -> bool) -> Option<T> {
        let ((due, _), what) = self.due.get_min()?;
        if *due != at || !takes(what) {
            return None;
        }
        self.pop().map(|(_, what)| what)
    }

    /// Takes out everything that `takes` names, in order, with its time.
    pub fn extract(&mut self, takes: impl Fn(&T) -> bool) -> Vec<(SimTime, T)> {
        let taken: Vec<((SimTime, u64), T)> = self
            .due
            .iter()
            .filter(|(_, what)| takes(what))
            .map(|(place, what)| (*place, what.clone()))
            .collect();
        taken
            .into_iter()
            .map(|(place, what)| {
                self.due.remove(&place);
                (place.0, what)
            })
            .collect()
    }

    /// Everything that waits, in order.
    pub fn iter(&self) -> impl Iterator<Item = (SimTime, &T)> {
        self.due.iter().map(|((at, _), what)| (*at, what))
    }

    /// How many things wait.
    pub fn len(&self) -> u64 {
        self.due.len() as u64
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.due.is_empty()
    }

    /// When and in which place each waiting thing stands, for digests.
    pub fn slots(&self) -> impl Iterator<Item = (SimTime, u64)> {
        self.due.keys().copied()
    }
}
