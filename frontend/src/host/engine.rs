//! The engine behind the messages, run in slices so that whoever hosts it stays responsive.
//!
//! The engine knows no clock; the slice is timed here, in the host.

use js_sys::Date;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{FromEngine, ToEngine};

/// What is done sooner than this needs no bar, which would only flicker.
const PATIENCE_MS: f64 = 300.0;
/// A bar that moves more often than this moves no smoother.
const PROGRESS_MS: f64 = 100.0;

/// A session and its clock-watching.
#[derive(Debug)]
pub struct Pump {
    session: Session,
    /// When the present work began.
    began: Option<f64>,
    reported: f64,
}

impl Default for Pump {
    fn default() -> Self {
        let mut session = Session::default();
        // The page cannot show more than its frames.
        session.pace();
        Self {
            session,
            began: None,
            reported: 0.0,
        }
    }
}

impl Pump {
    /// Hears a message.
    pub fn hear(&mut self, message: ToEngine, out: &mut Vec<FromEngine>) {
        self.session.handle(message, out);
    }

    /// Works for about so long; true when there is more to do.
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

/// Of the pictures and the reports of progress in one slice only the last would be seen.
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
