//! The beats of a run: at which step each begins.

use std::sync::Arc;

use crate::base::shared_list::SharedList;
use crate::scenario::Beat;

/// The beats of a run, oldest first. They are counted from 1; before the first step stands beat 0.
#[derive(Clone, Debug, Default)]
pub struct Beats(SharedList<Start>);

/// The beginning of a beat.
#[derive(Clone, Debug)]
struct Start {
    /// The first step, which is that of the next beat too when this one makes no steps.
    step: u64,
    /// What it says; `None` for a command that is a beat of its own.
    beat: Option<Arc<Beat>>,
}

impl Beats {
    /// Begins a beat with the step that is made next.
    pub(super) fn begin(&mut self, step: u64, beat: Option<Arc<Beat>>) {
        self.0.push(Start { step, beat });
    }

    /// Whether the newest beat is this one.
    pub(super) fn is_newest(&self, beat: &Arc<Beat>) -> bool {
        let newest = self.0.last().and_then(|start| start.beat.as_ref());
        newest.is_some_and(|newest| Arc::ptr_eq(newest, beat))
    }

    /// How many beats there are.
    pub fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// Whether the run has no beats.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The beat that a step belongs to.
    pub fn at(&self, step: u64) -> u64 {
        self.0.partition_point(|start| start.step <= step) as u64
    }

    /// What a beat says; `None` for a command that is a beat of its own.
    pub fn beat(&self, number: u64) -> Option<&Arc<Beat>> {
        self.start(number)?.beat.as_ref()
    }

    /// The first step of a beat; 0 for beat 0.
    pub fn first(&self, number: u64) -> u64 {
        self.start(number).map_or(0, |start| start.step)
    }

    /// The last step of a beat in a run of so many steps. It is the one before the first step when the beat makes none.
    pub fn last(&self, number: u64, steps: u64) -> u64 {
        let next = self.start(number + 1);
        next.map_or(steps, |next| next.step - 1)
    }

    /// Whether a step is one of a beat in a run of so many steps, or the moment of a beat that makes none.
    pub fn has(&self, number: u64, step: u64, steps: u64) -> bool {
        let (first, last) = (self.first(number), self.last(number, steps));
        number <= self.len() && step <= last && step >= first.min(last)
    }

    fn start(&self, number: u64) -> Option<&Start> {
        self.0.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// The beats up to a step, of a run that continues differently.
    pub(super) fn fork(&self, step: u64) -> Self {
        Self(self.0.first(self.at(step) as usize))
    }
}
