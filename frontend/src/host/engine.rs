//! The engine behind the messages, run in slices so that whoever hosts it stays responsive.
//!
//! The engine knows no clock; the slice is timed here, in the host.

use js_sys::Date;
use watchglass_engine::session::protocol::{FromEngine, ToEngine};

use super::stand_in::Session;

/// Commands to run before the clock is looked at again.
const BUDGET: u64 = 64;

/// A session and its clock-watching.
#[derive(Debug)]
pub struct Pump {
    session: Session,
}

impl Default for Pump {
    fn default() -> Self {
        Pump {
            session: Session::new(),
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
        let until = Date::now() + slice_ms;
        while self.session.pump(BUDGET, out) {
            if Date::now() >= until {
                return true;
            }
        }
        false
    }
}
