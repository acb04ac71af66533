//! The beats of a run (the sections of its narration, or single commands) and their first steps.

use std::sync::Arc;

use crate::base::shared_list::SharedList;
use crate::scenario::Beat;

/// The beats of a run, oldest first. Beats are numbered from 1; beat 0 is the state before the first step.
///
/// In a long run, most commands make the same number of steps. To save memory, consecutive beats of such commands share
/// one entry.
#[derive(Clone, Debug, Default)]
pub struct Beats(SharedList<Stretch>);

/// A stretch: one beat, or several consecutive beats that begin at equal intervals. If a stretch has several beats,
/// each of these beats is a command without a comment.
#[derive(Clone, Debug)]
struct Stretch {
    /// The number of the first beat in this stretch.
    number: u64,
    /// The first step of the first beat. A beat without steps has the same first step as the next beat.
    step: u64,
    /// The number of steps in each beat, except possibly the last beat.
    interval: u32,
    count: u32,
    /// The text of the beat; `None` for commands.
    beat: Option<Arc<Beat>>,
}

impl Stretch {
    /// Returns the first step of the beat at `place` in this stretch; the first beat has place 0.
    fn first(&self, place: u64) -> u64 {
        self.step + place * u64::from(self.interval)
    }

    /// Returns the number of the last beat in this stretch, plus 1.
    fn end(&self) -> u64 {
        self.number + u64::from(self.count)
    }

    /// Returns the number of beats in this stretch that begin at or before a step; at least one.
    fn begun(&self, step: u64) -> u64 {
        let further = (step - self.step).checked_div(u64::from(self.interval));
        let count = u64::from(self.count);
        further.map_or(count, |further| count.min(further + 1))
    }

    /// Adds a command as the next beat if the command's first step, `step`, continues the regular interval. Returns
    /// true if the command was added.
    fn takes(&mut self, step: u64) -> bool {
        let interval = step - self.first(u64::from(self.count) - 1);
        let fits = self.count == 1 || interval == u64::from(self.interval);
        match (u32::try_from(interval), self.count.checked_add(1)) {
            (Ok(interval), Some(count)) if fits && self.beat.is_none() => {
                (self.interval, self.count) = (interval, count);
                true
            }
            _ => false,
        }
    }
}

impl Beats {
    /// Adds a beat whose first step is `step`.
    pub(super) fn begin(&mut self, step: u64, beat: Option<Arc<Beat>>) {
        let last = self.0.len().checked_sub(1);
        let last = last.filter(|_| beat.is_none());
        if last
            .and_then(|last| self.0.get_mut(last))
            .is_some_and(|last| last.takes(step))
        {
            return;
        }
        self.0.push(Stretch {
            number: self.len() + 1,
            step,
            interval: 0,
            count: 1,
            beat,
        });
    }

    pub(super) fn is_newest(&self, beat: &Arc<Beat>) -> bool {
        let newest = self.0.last().and_then(|stretch| stretch.beat.as_ref());
        newest.is_some_and(|newest| Arc::ptr_eq(newest, beat))
    }

    pub fn len(&self) -> u64 {
        self.0.last().map_or(0, |last| last.end() - 1)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of the beat to which a step belongs.
    pub fn at(&self, step: u64) -> u64 {
        let stretches = self.0.partition_point(|stretch| stretch.step <= step);
        let last = stretches.checked_sub(1).and_then(|at| self.0.get(at));
        last.map_or(0, |last| last.number - 1 + last.begun(step))
    }

    /// Returns the text and the picture of a beat; `None` for a command without a comment.
    pub fn beat(&self, number: u64) -> Option<&Arc<Beat>> {
        self.stretch(number)?.beat.as_ref()
    }

    /// Returns the first step of the beat with this number; 0 for beat 0.
    pub fn first(&self, number: u64) -> u64 {
        let stretch = self.stretch(number);
        stretch.map_or(0, |stretch| stretch.first(number - stretch.number))
    }

    /// Returns the last step of a beat in a run of `steps` steps. For a beat without steps, returns the step before the
    /// beat.
    pub fn last(&self, number: u64, steps: u64) -> u64 {
        match self.stretch(number + 1) {
            Some(_) => self.first(number + 1) - 1,
            None => steps,
        }
    }

    /// Returns true if a step belongs to a beat in a run of `steps` steps. For a beat without steps, returns true for
    /// the step before the beat.
    pub fn has(&self, number: u64, step: u64, steps: u64) -> bool {
        let (first, last) = (self.first(number), self.last(number, steps));
        number <= self.len() && step <= last && step >= first.min(last)
    }

    /// Returns true if a beat in a run of `steps` steps has no steps. Such a beat is at the step of an earlier beat.
    pub fn is_without_steps(&self, number: u64, steps: u64) -> bool {
        number > 0 && number <= self.len() && self.last(number, steps) < self.first(number)
    }

    /// Returns the number of beats without steps that follow a step in a run of `steps` steps.
    pub fn without_steps_at(&self, step: u64, steps: u64) -> u64 {
        let begun = self.at(step + 1) - self.at(step);
        // The last of these beats begins with the next step, if there is one.
        match step < steps {
            true => begun.saturating_sub(1),
            false => begun,
        }
    }

    /// Returns the place of a beat among the beats without steps at its step, counted from 1; 0 for a beat with steps.
    pub fn place(&self, number: u64, steps: u64) -> u64 {
        match self.is_without_steps(number, steps) {
            true => number - self.at(self.last(number, steps)),
            false => 0,
        }
    }

    fn stretch(&self, number: u64) -> Option<&Stretch> {
        let at = self.0.partition_point(|stretch| stretch.number <= number);
        let stretch = self.0.get(at.checked_sub(1)?)?;
        (number < stretch.end()).then_some(stretch)
    }

    /// Returns the beats up to a step in a run of `steps` steps, for a fork of the run. Includes the beats without
    /// steps at this step.
    pub(super) fn fork(&self, step: u64, steps: u64) -> Self {
        let beats = self.at(step) + self.without_steps_at(step, steps);
        let mut kept = self
            .0
            .first(self.0.partition_point(|stretch| stretch.number <= beats));
        if let Some(last) = kept
            .len()
            .checked_sub(1)
            .and_then(|last| kept.get_mut(last))
        {
            // The count of a stretch fits into a `u32`.
            last.count = u32::try_from(beats + 1 - last.number).unwrap_or(last.count);
        }
        Self(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    /// A plain list of all beats, the reference for the tests of [`Beats`].
    #[derive(Default)]
    struct Naive(Vec<(u64, bool)>);

    impl Naive {
        fn at(&self, step: u64) -> u64 {
            self.0.iter().filter(|(first, _)| *first <= step).count() as u64
        }

        /// Returns the first and the last step of each beat in a run of `steps` steps.
        fn steps(&self, steps: u64) -> Vec<(u64, u64)> {
            let next = self.0.iter().skip(1).map(|(first, _)| first - 1);
            let firsts = self.0.iter().map(|(first, _)| *first);
            firsts.zip(next.chain([steps])).collect()
        }
    }

    #[test]
    fn stretches_say_what_every_beat_says() {
        for seed in 0..200 {
            let mut rng = Rng::stream(seed, "beats");
            let (mut beats, mut naive) = (Beats::default(), Naive::default());
            let mut step = 1;
            for _ in 0..60 {
                if rng.chance(1, 20) {
                    let at = rng.below(step);
                    beats = beats.fork(at, step - 1);
                    let all = naive.steps(step - 1);
                    let is_kept = |&(first, last): &(u64, u64)| first <= at || last == at;
                    naive.0.truncate(all.into_iter().filter(is_kept).count());
                    step = at + 1;
                }
                let is_told = rng.chance(1, 4);
                beats.begin(step, is_told.then(Arc::default));
                naive.0.push((step, is_told));
                step += if rng.chance(3, 4) { 1 } else { rng.below(4) };
            }
            assert_eq!(beats.len(), naive.0.len() as u64);
            for step in 0..step + 3 {
                assert_eq!(beats.at(step), naive.at(step), "seed {seed}, step {step}");
            }
            for (number, (first, last)) in (1..).zip(naive.steps(step)) {
                let is_without_steps = beats.is_without_steps(number, step);
                assert_eq!(is_without_steps, last < first, "seed {seed}, beat {number}");
                let place = beats.place(number, step);
                assert_eq!(place > 0, is_without_steps, "seed {seed}, beat {number}");
                assert!(
                    place <= beats.without_steps_at(last, step) && beats.has(number, last, step)
                );
            }
            for (number, (first, is_told)) in (1..).zip(&naive.0) {
                assert_eq!(beats.first(number), *first, "seed {seed}, beat {number}");
                assert_eq!(beats.beat(number).is_some(), *is_told);
                let next = naive.0.get(number as usize);
                let last = next.map_or(step, |(next, _)| next - 1);
                assert_eq!(beats.last(number, step), last, "seed {seed}, beat {number}");
            }
        }
    }

    #[test]
    fn a_million_commands_are_one_stretch() {
        let mut beats = Beats::default();
        (1..=1_000_000).for_each(|step| beats.begin(step, None));
        assert_eq!(beats.0.len(), 1);
        assert_eq!(
            (beats.len(), beats.at(777), beats.first(500)),
            (1_000_000, 777, 500)
        );
    }
}
