//! The comparison of the run with and without the QoS rules: the request, its progress and its result.

use std::rc::Rc;

use watchglass_engine::session::protocol::{Done, Notification, Request};

use super::flow::{Purpose, State};
use super::ui::QosComparing;

/// Requests the comparison up to the cursor.
pub fn compare(state: &mut State) {
    let id = state.request(Purpose::CompareQos, Request::CompareQos);
    state.ui_mut().qos = QosComparing::Running {
        id,
        done: 0,
        total: 0,
    };
}

/// Closes the result, or cancels the comparison.
pub fn close(state: &mut State) {
    let before = std::mem::take(&mut state.ui_mut().qos);
    if matches!(before, QosComparing::Running { .. }) {
        state.notify(Notification::StopBackground);
    }
}

/// Updates the progress. Returns false if the progress belongs to another request.
pub fn progressed(state: &mut State, id: u32, progress: (u64, u64)) -> bool {
    let is_own = matches!(state.ui.qos, QosComparing::Running { id: running, .. } if running == id);
    if is_own {
        let (done, total) = progress;
        state.ui_mut().qos = QosComparing::Running { id, done, total };
    }
    is_own
}

/// Handles the response to a comparison. The response to an earlier, canceled comparison has no effect.
pub fn compared(state: &mut State, answered: u32, done: Done) {
    let is_own =
        matches!(state.ui.qos, QosComparing::Running { id: running, .. } if running == answered);
    if is_own {
        state.ui_mut().qos = match done {
            Done::Qos(view) => QosComparing::Ready(Rc::new(*view)),
            _ => QosComparing::None,
        };
    }
}

#[cfg(test)]
mod tests {
    use watchglass_engine::session::protocol::ToEngine;

    use super::*;
    use crate::state::effect::Effect;
    use crate::state::prefs::Prefs;

    #[test]
    fn only_the_newest_comparison_is_shown() {
        let mut state = State::new(Prefs::default());
        compare(&mut state);
        compare(&mut state);
        let [first, second] = &state.effects[..] else {
            panic!("{:?}", state.effects);
        };
        let id = |effect: &Effect| match effect {
            Effect::Send(ToEngine::Request(id, Request::CompareQos)) => *id,
            other => panic!("{other:?}"),
        };
        let (first, second) = (id(first), id(second));
        compared(&mut state, first, Done::Interrupted);
        assert!(!progressed(&mut state, first, (1, 9)));
        assert!(progressed(&mut state, second, (2, 9)));
        let running = QosComparing::Running {
            id: second,
            done: 2,
            total: 9,
        };
        assert_eq!(state.ui.qos, running);
        compared(&mut state, second, Done::Qos(Box::default()));
        assert_eq!(state.ui.qos, QosComparing::Ready(Rc::default()));
        state.effects.clear();
        close(&mut state);
        assert!(state.effects.is_empty(), "nothing runs");
        compare(&mut state);
        close(&mut state);
        assert!(matches!(
            state.effects[1],
            Effect::Send(ToEngine::Notification(Notification::StopBackground))
        ));
        assert_eq!(state.ui.qos, QosComparing::None);
    }
}
