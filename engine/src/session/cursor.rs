//! The cursor: a step and a beat.
//!
//! A command such as `show` makes no step. A beat (a section of the narration) that contains only such commands has no
//! steps, and is at the last step of the beat before it. So a position consists of a step and a beat: the terminal, the
//! text and the pictures at a position show no command of a later beat. The order of all positions of a run is derived
//! from its steps and beats: step 7 of beat 3, then beats 4 and 5, which have no steps, then step 8 of beat 6.

use super::inputs::Replay;
use super::protocol::SeekTo;
use super::workspace::Workspace;

/// The number of replay steps that a cursor move makes immediately. A longer replay takes several slices of work.
const STEPS_SOUGHT_AT_ONCE: u64 = 32;

/// The maximum number of steps of a relative move that stops at beats without steps. A longer move counts only steps.
const STEPS_WALKED_MAX: u64 = 64;

impl Workspace {
    /// Returns the beat at the cursor. If the cursor stands at a beat without steps, this is the beat that was
    /// requested last.
    pub(super) fn beat(&self) -> u64 {
        self.beat_at(self.cursor)
    }

    /// Returns the beat of the current branch at a step. Of several beats at the step, returns the beat that was
    /// requested last, if it is one of them, and otherwise the beat to which the step belongs.
    fn beat_at(&self, step: u64) -> u64 {
        let run = self.run();
        match run.beats().has(self.wanted_beat, step, run.len()) {
            true => self.wanted_beat,
            false => run.beats().at(step),
        }
    }

    /// Returns the beat at the cursor if it has no steps; otherwise 0.
    pub(super) fn beat_without_steps(&self) -> u64 {
        let (run, beat) = (self.run(), self.beat());
        match run.beats().is_without_steps(beat, run.len()) {
            true => beat,
            false => 0,
        }
    }

    /// Moves the cursor to another beat at its step.
    pub(super) fn stand_in_beat(&mut self, beat: u64) {
        self.wanted_beat = beat;
    }

    /// Returns the beat to which a move by `delta` beats leads from a step; a negative `delta` moves back. If the step
    /// is not the last step of its beat, the first move forward leads only to the end of that beat.
    pub(super) fn beat_by(&self, step: u64, delta: i64) -> u64 {
        let (beats, steps) = (self.run().beats(), self.run().len());
        let beat = self.beat_at(step);
        let completes = delta > 0 && step < beats.last(beat, steps);
        beat.saturating_add_signed(delta - i64::from(completes))
    }

    /// Moves the cursor by `delta` positions from a step. A beat without steps is a position, too. If the move needs a
    /// long replay, returns the replay.
    pub(super) fn begin_steps(&mut self, from: u64, delta: i64) -> Option<Replay> {
        if delta.unsigned_abs() > STEPS_WALKED_MAX {
            return self.begin_seek(SeekTo::Step(from.saturating_add_signed(delta)));
        }
        let mut position = (from, self.beat_at(from));
        for _ in 0..delta.unsigned_abs() {
            position = match delta > 0 {
                true => self.position_after(position),
                false => self.position_before(position),
            };
        }
        self.begin_move(position.0, position.1)
    }

    /// Returns the next position: a beat without steps at the same step, or the next step. At the end of the run,
    /// returns the same position.
    fn position_after(&self, (step, beat): (u64, u64)) -> (u64, u64) {
        let (beats, len) = (self.run().beats(), self.run().len());
        let next = beat + 1;
        if beats.is_without_steps(next, len) && beats.last(next, len) == step {
            return (step, next);
        }
        match step < len {
            true => (step + 1, beats.at(step + 1)),
            false => (step, beat),
        }
    }

    /// Returns the previous position. At the start of the run, returns the same position.
    fn position_before(&self, (step, beat): (u64, u64)) -> (u64, u64) {
        let (beats, len) = (self.run().beats(), self.run().len());
        if beats.is_without_steps(beat, len) {
            return (step, beat - 1);
        }
        let Some(before) = step.checked_sub(1) else {
            return (step, beat);
        };
        // The last of the beats without steps at the previous step, if there are such beats.
        (
            before,
            beats.at(before) + beats.without_steps_at(before, len),
        )
    }

    /// Moves the cursor forward by up to `steps` steps within its beat, or from the end of the beat to the first step
    /// of the next beat. If the move needs a long replay, returns the replay.
    pub(super) fn play_on(&mut self, steps: u64) -> Option<Replay> {
        let (beats, len) = (self.run().beats(), self.run().len());
        let beat = self.beat();
        let last = beats.last(beat, len);
        if self.cursor < last || beat == beats.len() {
            return self.begin_move(self.cursor.saturating_add(steps).min(last), beat);
        }
        let next = beat + 1;
        self.begin_move(beats.first(next).min(beats.last(next, len)), next)
    }

    pub(super) fn seek(&mut self, to: SeekTo) {
        if let Some(mut replay) = self.begin_seek(to) {
            while !self.run().replay_more(&mut replay, u64::MAX) {}
            self.stand_at(replay);
        }
    }

    /// Moves the cursor. If the move needs a long replay, does not move the cursor yet, but returns the replay.
    pub(super) fn begin_seek(&mut self, to: SeekTo) -> Option<Replay> {
        let run = self.run();
        let step = match to {
            SeekTo::Step(step) => step.min(run.len()),
            SeekTo::TimeUs(us) => run.steps().partition_point(|s| s.at.0 <= us) as u64,
            SeekTo::Revision(rev) if rev <= run.first_revision() => 0,
            SeekTo::Revision(rev) => {
                // A restored backup can reduce the revision, so the revisions of the steps are not sorted.
                let steps = run.steps().iter();
                (steps.take_while(|s| s.revision < rev).count() as u64 + 1).min(run.len())
            }
            SeekTo::End => run.len(),
            SeekTo::Beat(beat) => run.beats().last(beat.min(run.beats().len()), run.len()),
            SeekTo::Default => self.cursor.min(run.len()),
        };
        let beat = match to {
            SeekTo::Beat(beat) => beat.min(run.beats().len()),
            // The last beat may have no steps, so its number is not found by its step.
            SeekTo::End => run.beats().len(),
            _ => run.beats().at(step),
        };
        self.begin_move(step, beat)
    }

    /// Moves the cursor to a step of a beat. If the move needs a long replay, returns the replay;
    /// [`stand_at`](Self::stand_at) moves the cursor once the replay has ended.
    fn begin_move(&mut self, step: u64, beat: u64) -> Option<Replay> {
        self.wanted_beat = beat;
        let run = &self.branches[self.current].run;
        if step == self.cursor {
            self.dirty = true;
            return None;
        }
        if step == run.len() {
            self.go_to_head();
            return None;
        }
        let mut replay = run.begin_replay(step);
        if !run.replay_more(&mut replay, STEPS_SOUGHT_AT_ONCE) {
            return Some(replay);
        }
        self.stand_at(replay);
        None
    }

    /// Moves the cursor to the step at which a finished replay has arrived.
    pub(super) fn stand_at(&mut self, replay: Replay) {
        self.cursor = replay.to();
        self.past = (self.cursor < self.run().len()).then(|| replay.into_world());
        self.dirty = true;
    }

    pub(super) fn switch(&mut self, branch: u32) {
        if (branch as usize) < self.branches.len() {
            self.current = branch as usize;
            self.go_to_head();
            self.wanted_beat = self.run().beats().len();
        }
    }

    /// Moves the cursor to the end of the branch.
    pub(super) fn go_to_head(&mut self) {
        self.past = None;
        self.cursor = self.run().len();
        self.dirty = true;
    }
}
