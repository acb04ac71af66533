//! A command that takes long: `run 10m`, or a cluster's pods that are put there. It is done in
//! slices, so that an interrupt is heard and the pictures follow.

use std::sync::Arc;

use crate::base::time::SimTime;
use crate::scenario::transcript;
use crate::shell::Output;
use crate::view::EntryKind;

use super::run::{Entry, STEPS_PER_COMMAND_MAX};
use super::session::Session;

/// Steps of one slice: a fraction of a millisecond, unless thousands of objects move in one of them.
const STEPS_A_SLICE: u64 = 8;

/// What goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Time passes until then, and can be stopped.
    Time(SimTime),
    /// Something is done whose last step comes then; it cannot be half done.
    Done(SimTime),
}

/// The command.
#[derive(Debug)]
pub(super) struct Going {
    until: Until,
    branch: usize,
    /// The step at which it began.
    began: u64,
    text: Arc<str>,
    remark: Arc<str>,
    expected: Option<String>,
}

impl Session {
    /// Begins a command that goes on for long, and does its first slice.
    pub(super) fn begin_going(
        &mut self,
        until: Until,
        (text, remark, expected): (&Arc<str>, &Arc<str>, Option<&str>),
    ) {
        let differs = expected.filter(|expected| !transcript::same_output(expected, ""));
        self.going = Some(Going {
            until,
            branch: self.current,
            began: self.run().len(),
            text: text.clone(),
            remark: remark.clone(),
            expected: differs.map(Into::into),
        });
        self.go_on();
    }

    /// Whether a command is not over.
    pub(super) fn is_going(&self) -> bool {
        self.going.is_some()
    }

    /// Does a slice of the command that is not over; false when it is, or when there is none.
    pub(super) fn go_on(&mut self) -> bool {
        let Some(going) = self.going.take() else {
            return false;
        };
        let follows = self.current == going.branch && self.cursor == self.run().len();
        let run = &mut self.branches[going.branch].run;
        let (Until::Time(until) | Until::Done(until)) = going.until;
        let steps = match going.until {
            Until::Time(_) => STEPS_A_SLICE,
            Until::Done(_) => 1,
        };
        let more = run.go_on(until, steps, &going.text, &going.remark);
        let is_endless = run.len() - going.began >= STEPS_PER_COMMAND_MAX;
        if !more && matches!(going.until, Until::Done(_)) {
            run.settle(&going.text, &going.remark);
        }
        // Whoever looks at an earlier moment meanwhile stays there.
        if follows {
            self.go_to_head();
        }
        self.dirty = true;
        if !more {
            self.gone(going, Output::default());
            return false;
        }
        if is_endless {
            let why = format!(
                "stopped after {STEPS_PER_COMMAND_MAX} steps; type the rest of the time again"
            );
            self.gone(going, Output::error(&why, 1));
            return false;
        }
        self.going = Some(going);
        true
    }

    /// Ends it early. What was typed then counts as so many steps, so that the run can be made again.
    pub(super) fn stop_going(&mut self) {
        let Some(going) = self.going.take() else {
            return;
        };
        if matches!(going.until, Until::Done(_)) {
            self.going = Some(going);
            while self.go_on() {}
            return;
        }
        let run = &mut self.branches[going.branch].run;
        run.stop_here();
        let steps = run.len() - going.began;
        if let Some(last) = self.log.last_mut().filter(|last| *last.text == *going.text) {
            last.text = format!("step {steps}");
        }
        self.dirty = true;
        let why = format!("stopped after {steps} steps");
        self.gone(going, Output::error(&why, 130));
    }

    fn gone(&mut self, going: Going, output: Output) {
        let run = &mut self.branches[going.branch].run;
        let step = run.len();
        let id = run.note(Entry {
            id: 0,
            step,
            command: going.text,
            remark: going.remark,
            output,
            kind: EntryKind::Step,
            expected: going.expected,
            exchange: None,
        });
        self.command_ended(going.branch, step, id);
    }
}
