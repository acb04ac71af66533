//! The lab behind its messages, run in slices so that its host stays responsive.

use js_sys::Date;
use watchglass_engine::session::latency::lab::{FromLab, Lab, ToLab};

/// A bar that moves more often than this moves no smoother.
const PROGRESS_MS: f64 = 100.0;

/// The lab and its clock.
#[derive(Debug, Default)]
pub struct LabPump {
    lab: Lab,
    reported: f64,
}

impl LabPump {
    /// Takes a message.
    pub fn hear(&mut self, message: ToLab) {
        self.lab.handle(message);
    }

    /// Works for about so long; returns whether there is more to do.
    pub fn run_for(&mut self, slice_ms: f64, out: &mut Vec<FromLab>) -> bool {
        let until = Date::now() + slice_ms;
        let more = self.lab.pump_while(|| Date::now() < until, out);
        let now = Date::now();
        if now - self.reported < PROGRESS_MS {
            out.retain(|message| !matches!(message, FromLab::Progress { .. }));
        } else {
            self.reported = now;
        }
        more
    }
}
