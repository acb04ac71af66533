//! The queue of scheduled events. The queue has a total order, so that runs are deterministic.

use crate::base::ordered::OrdMap;

use crate::base::time::SimTime;

/// The position of an event in a schedule: its time, and the number of events that were added before it.
pub type SchedulePlace = (SimTime, u64);

pub trait ScheduledEvent: Clone {
    /// The type of the names that identify timers.
    type Name: Clone + Ord;

    /// Returns the name if the event is a timer. When a timer is added to a schedule, it replaces the scheduled timer
    /// with the same name.
    fn name(&self) -> Option<Self::Name>;
}

/// Scheduled events, ordered by time, then in the order they were added.
///
/// ```
/// use watchglass_engine::{base::time::SimTime, sim::{Schedule, schedule::ScheduledEvent}};
/// #[derive(Clone)]
/// struct Tick(&'static str);
/// impl ScheduledEvent for Tick {
///     type Name = &'static str;
///     fn name(&self) -> Option<&'static str> { Some(self.0) }
/// }
/// let mut s = Schedule::default();
/// s.add(SimTime(5), Tick("b"));
/// s.add(SimTime(5), Tick("c"));
/// s.add(SimTime(1), Tick("a"));
/// s.add(SimTime(7), Tick("b")); // postpones b
/// let order: Vec<_> = std::iter::from_fn(|| s.pop()).map(|(_, what)| what.0).collect();
/// assert_eq!(order, ["a", "c", "b"]);
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Schedule<T: ScheduledEvent> {
    due: OrdMap<SchedulePlace, T>,
    /// The position of each scheduled timer, by the timer's name.
    timers: OrdMap<T::Name, SchedulePlace>,
    added: u64,
}

impl<T: ScheduledEvent> Default for Schedule<T> {
    fn default() -> Self {
        Self {
            due: OrdMap::new(),
            timers: OrdMap::new(),
            added: 0,
        }
    }
}

impl<T: ScheduledEvent> Schedule<T> {
    /// Schedules an event for the time `at`. A timer replaces the scheduled timer with the same name.
    pub fn add(&mut self, at: SimTime, what: T) -> SchedulePlace {
        let place = (at, self.added);
        self.added += 1;
        if let Some(name) = what.name()
            && let Some(before) = self.timers.insert(name, place)
        {
            self.due.remove(&before);
        }
        self.due.insert(place, what);
        place
    }

    /// Removes and returns an event; `None` if the schedule no longer contains the event.
    pub fn remove(&mut self, place: SchedulePlace) -> Option<T> {
        let what = self.due.remove(&place)?;
        if let Some(name) = what.name() {
            self.timers.remove(&name);
        }
        Some(what)
    }

    /// Returns the time at which the timer with this name is due; `None` if no such timer is scheduled.
    pub fn when(&self, timer: &T::Name) -> Option<SimTime> {
        self.timers.get(timer).map(|(at, _)| *at)
    }

    pub fn next(&self) -> Option<&T> {
        self.due.get_min().map(|(_, what)| what)
    }

    pub fn next_at(&self) -> Option<SimTime> {
        self.due.get_min().map(|((at, _), _)| *at)
    }

    pub fn pop(&mut self) -> Option<(SimTime, T)> {
        let (place, _) = self.due.get_min()?;
        let place = *place;
        self.remove(place).map(|what| (place.0, what))
    }

    /// Removes and returns the next event if its time is exactly `at` and `takes` returns true for it.
    pub fn pop_if(&mut self, at: SimTime, takes: impl Fn(&T) -> bool) -> Option<T> {
        let ((due, _), what) = self.due.get_min()?;
        if *due != at || !takes(what) {
            return None;
        }
        self.pop().map(|(_, what)| what)
    }

    /// Removes all events for which `keep` returns false. Returns the number of removed events.
    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) -> u64 {
        self.extract(|what| !keep(what)).len() as u64
    }

    /// Removes all events for which `takes` returns true. Returns them in order, with their times.
    pub fn extract(&mut self, takes: impl Fn(&T) -> bool) -> Vec<(SimTime, T)> {
        let taken = self.due.iter().filter(|(_, what)| takes(what));
        let taken: Vec<SchedulePlace> = taken.map(|(place, _)| *place).collect();
        let taken = taken.into_iter();
        taken
            .filter_map(|place| Some((place.0, self.remove(place)?)))
            .collect()
    }

    /// Returns all scheduled events, in order.
    pub fn iter(&self) -> impl Iterator<Item = (SimTime, &T)> {
        self.due.iter().map(|((at, _), what)| (*at, what))
    }

    pub fn len(&self) -> u64 {
        self.due.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.due.is_empty()
    }
}
