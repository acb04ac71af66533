//! The commands of a run after a step, as a text that repeats them.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::base::time::{SimDuration, SimTime};
use crate::session::run::Run;
use crate::session::scrollback::LineNumber;

/// A replay leaves out each later command with a probability of one in this number.
const LEFT_OUT_ONE_IN: u64 = 4;

/// The commands of a run after a step.
#[derive(Debug)]
pub(super) struct Later {
    /// The step after which the commands follow.
    pub(super) step: u64,
    /// The rest of the time of the command that is running at the step.
    rest: SimDuration,
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    /// The number of the command in the run.
    number: LineNumber,
    text: Arc<str>,
    /// Whether the command only lets time pass.
    is_wait: bool,
}

impl Later {
    /// Returns the commands between two steps of a run. If a command sends requests after the step `from`, the commands
    /// begin with this command, and the step is the last step before the command.
    pub(super) fn new(run: &Run, from: u64, upto: u64) -> Self {
        let line_at = |step: u64| run.step(step).map(|record| record.line);
        let has_inputs =
            |after: u64, before: u64| run.recording().inputs.has_actions(after, before);
        let mut step = from.min(upto);
        // The last step of the command that made a step.
        let last_of = |step: u64| {
            let line = line_at(step);
            let mut steps = step + 1..=upto;
            steps
                .find(|later| line_at(*later) != line)
                .map_or(upto, |later| later - 1)
        };
        let (mut rest, mut at) = (SimDuration(0), step);
        if step > 0 && step < upto && line_at(step) == line_at(step + 1) {
            let last = last_of(step);
            if has_inputs(step, last) {
                let line = line_at(step);
                while step > 0 && line_at(step) == line {
                    step -= 1;
                }
                at = step;
            } else {
                let time_of = |step| run.step(step).map_or(SimTime(0), |record| record.at);
                rest = SimDuration(time_of(last).0 - time_of(step).0);
                at = last;
            }
        }
        let mut lines = Vec::new();
        while at < upto {
            let last = last_of(at + 1);
            let line = line_at(at + 1).zip(run.line_of(at + 1));
            lines.extend(line.map(|(number, line)| Line {
                number,
                text: line.text.clone(),
                is_wait: !has_inputs(at, last),
            }));
            at = last;
        }
        Self { step, rest, lines }
    }

    /// Returns the text that repeats the commands with the random numbers of a seed. If `leaves_out` is true, the text
    /// leaves out some commands. The seed selects the same commands for all steps from which the run is repeated, so
    /// that neighbouring steps can be compared.
    pub(super) fn text(&self, seed: u64, leaves_out: bool) -> String {
        let mut text = format!("reseed {seed}\n");
        if self.rest > SimDuration(0) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "run {}us", self.rest.0);
        }
        for line in &self.lines {
            let is_left_out =
                leaves_out && !line.is_wait && line.number.is_drawn(seed, LEFT_OUT_ONE_IN);
            if !is_left_out {
                text.push_str(&line.text);
                text.push('\n');
            }
        }
        text
    }
}
