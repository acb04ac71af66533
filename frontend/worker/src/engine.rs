//! Runs the engine in slices, so that its host stays responsive.
//!
//! The engine has no clock, so this host measures the duration of each slice.

use js_sys::Date;
use watchglass_engine::bbolt::Source;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{FromEngine, ToEngine};

/// The duration of work below which no progress bar is shown, because the bar would only flicker.
const PATIENCE_MS: f64 = 300.0;
/// The minimum time between two progress reports. More frequent reports would not make the bar smoother.
const PROGRESS_MS: f64 = 100.0;

/// Runs a session in slices and limits its progress reports.
#[derive(Debug)]
pub struct Pump {
    session: Session,
    began: Option<f64>,
    reported: f64,
}

impl Default for Pump {
    fn default() -> Self {
        let mut session = Session::default();
        // The session waits for the page before it sends the next picture: with more pictures than frames, some would
        // never be visible.
        session.pace();
        Self {
            session,
            began: None,
            reported: 0.0,
        }
    }
}

impl Pump {
    /// Takes a database file that the next message opens.
    pub fn offer_file(&mut self, source: Source) {
        self.session.offer_file(source);
    }

    pub fn hear(&mut self, message: ToEngine, out: &mut Vec<FromEngine>) {
        self.session.handle(message, out);
    }

    /// Works for about `slice_ms` milliseconds; returns true if work remains.
    pub fn run_for(&mut self, slice_ms: f64, out: &mut Vec<FromEngine>) -> bool {
        let start = Date::now();
        let until = start + slice_ms;
        let more = self.session.pump_while(|| Date::now() < until, out);
        newest_only(out);
        let began = *self.began.get_or_insert(start);
        let now = Date::now();
        if now - began < PATIENCE_MS || now - self.reported < PROGRESS_MS {
            out.retain(|message| !matches!(message, FromEngine::Progress { .. }));
        } else {
            self.reported = now;
        }
        if !more {
            self.began = None;
        }
        more
    }
}

/// Removes, from the messages of a slice, all pictures except the newest picture, and all progress reports except the
/// newest report. The removed messages would never be visible.
fn newest_only(out: &mut Vec<FromEngine>) {
    let last_of = |wanted: fn(&FromEngine) -> bool| out.iter().rposition(wanted);
    let views = last_of(|message| matches!(message, FromEngine::Views(_)));
    let progress = last_of(|message| matches!(message, FromEngine::Progress { .. }));
    let mut place = 0;
    out.retain(|message| {
        let here = Some(place);
        place += 1;
        match message {
            FromEngine::Done { .. }
            | FromEngine::Paused { .. }
            | FromEngine::Wants { .. }
            | FromEngine::FileProgress { .. }
            | FromEngine::WantsFile { .. } => true,
            FromEngine::Views(_) => here == views,
            FromEngine::Progress { .. } => here == progress,
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchglass_engine::session::protocol::Done;

    #[test]
    fn answers_stay_and_reports_do_not_pile_up() {
        let progress = |done| FromEngine::Progress {
            id: 1,
            done,
            total: 9,
            running: None,
        };
        let answer = FromEngine::Done {
            id: 1,
            done: Done::Moved { step: 1 },
        };
        let mut out = vec![progress(1), answer.clone(), progress(2), progress(3)];
        newest_only(&mut out);
        assert_eq!(out, [answer, progress(3)]);
    }
}
