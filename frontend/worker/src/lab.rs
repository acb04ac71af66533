//! Runs the Lab in slices, so that its host stays responsive.

use js_sys::Date;
use watchglass_engine::session::latency::lab::{FromLab, Lab, ToLab};

/// The minimum time between two progress reports. More frequent reports would not make the bar smoother.
const PROGRESS_MS: f64 = 100.0;

/// Runs the Lab in slices and limits its progress reports.
#[derive(Debug, Default)]
pub struct LabPump {
    lab: Lab,
    reported: f64,
}

impl LabPump {
    pub fn hear(&mut self, message: ToLab) {
        self.lab.handle(message);
    }

    /// Works for about `slice_ms` milliseconds; returns true if work remains.
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
