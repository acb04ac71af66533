//! Runs of the latency lab as work of the session: one setting after the other, in slices.

use std::collections::VecDeque;

use crate::latency::{Report, Setting, Simulation};

/// Things that are done in one slice: few enough that a page's own thread stays free.
const STEPS: u32 = 100;
/// Settings in one message.
const SETTINGS_MAX: usize = 100;

/// What is to be run, and what it came to so far.
#[derive(Debug)]
pub(super) struct Lab {
    running: Option<Box<Simulation>>,
    waiting: VecDeque<Setting>,
    done: Vec<Report>,
    total: u64,
}

impl Lab {
    pub(super) fn new(settings: Vec<Setting>) -> Self {
        let settings = settings.into_iter().take(SETTINGS_MAX);
        let waiting: VecDeque<Setting> = settings.map(Setting::clamped).collect();
        Self {
            running: None,
            total: waiting.iter().map(|setting| setting.requests).sum(),
            waiting,
            done: Vec::new(),
        }
    }

    /// Does a slice; all reports when nothing is left.
    pub(super) fn advance(&mut self) -> Option<Vec<Report>> {
        if self.running.is_none() {
            let next = self.waiting.pop_front();
            self.running = next.map(|setting| Box::new(Simulation::new(setting)));
        }
        match &mut self.running {
            None => return Some(std::mem::take(&mut self.done)),
            Some(simulation) => {
                if simulation.advance(STEPS) {
                    return None;
                }
                self.done.push(simulation.report());
                self.running = None;
            }
        }
        self.waiting
            .is_empty()
            .then(|| std::mem::take(&mut self.done))
    }

    /// Lists that are done.
    pub(super) fn lists_done(&self) -> u64 {
        let before: u64 = self.done.iter().map(|report| report.wait.count).sum();
        before + self.running.as_ref().map_or(0, |running| running.done())
    }

    /// Lists in all.
    pub(super) fn lists_total(&self) -> u64 {
        self.total
    }
}
