//! Moves the marks of a picture when the cursor moves: `static/motion.js` compares the picture before and after, and
//! animates the difference.
//!
//! Only a move to a neighbouring step or beat is animated. After a jump, the marks of the two pictures have little in
//! common.

use watchglass_engine::view::StatusView;
use web_sys::Element;
use yew::prelude::*;

/// The maximum duration of the transition to another beat, and to another step of the same beat, in milliseconds.
const BEAT_MS: f64 = 900.0;
const STEP_MS: f64 = 300.0;

mod script {
    use wasm_bindgen::prelude::wasm_bindgen;
    use web_sys::Element;

    #[wasm_bindgen(raw_module = "./static/motion.js")]
    extern "C" {
        pub fn remember(root: &Element);
        pub fn play(root: &Element, is_forward: bool, ms: f64);
        pub fn settle();
    }
}

/// The position of the cursor in a run.
#[derive(Clone, Debug, Default, PartialEq)]
struct Place {
    title: String,
    seed: u64,
    branch: u32,
    beat: u64,
    step: u64,
}

/// A move of the cursor.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shift {
    /// To a neighbouring step or beat.
    Near {
        is_forward: bool,
        ms: f64,
    },
    Far,
}

impl Place {
    fn of(status: &StatusView) -> Place {
        Place {
            title: status.title.clone(),
            seed: status.seed,
            branch: status.branch,
            beat: status.beat.number,
            step: status.step,
        }
    }

    /// Returns the move from this place to another; `None` if the places are equal.
    fn to(&self, next: &Place) -> Option<Shift> {
        if self == next {
            return None;
        }
        let run = |place: &Place| (place.title.clone(), place.seed, place.branch);
        let beats = self.beat.abs_diff(next.beat);
        let is_step = self.step.abs_diff(next.step) <= 1;
        if run(self) != run(next) || (beats > 1 && !is_step) {
            return Some(Shift::Far);
        }
        Some(Shift::Near {
            is_forward: (next.beat, next.step) > (self.beat, self.step),
            ms: if beats == 0 && is_step {
                STEP_MS
            } else {
                BEAT_MS
            },
        })
    }
}

/// Animates the marks of the picture in `node` when the cursor moves.
#[hook]
pub fn use_motion(node: &NodeRef, status: &StatusView) {
    let last = use_mut_ref(|| None::<Place>);
    let shift = use_mut_ref(|| None::<Shift>);
    let place = Place::of(status);
    // The components of the picture are rendered after this component, so the document still has the old picture.
    let before = last.replace(Some(place.clone()));
    if let Some(moved) = before.and_then(|before| before.to(&place)) {
        match (moved, node.cast::<Element>()) {
            (Shift::Near { .. }, Some(root)) => script::remember(&root),
            _ => script::settle(),
        }
        *shift.borrow_mut() = Some(moved);
    }
    let node = node.clone();
    use_effect(move || {
        if let (Some(Shift::Near { is_forward, ms }), Some(root)) =
            (shift.take(), node.cast::<Element>())
        {
            script::play(&root, is_forward, ms);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(beat: u64, step: u64) -> Place {
        Place {
            beat,
            step,
            ..Place::default()
        }
    }

    fn near(is_forward: bool, ms: f64) -> Option<Shift> {
        Some(Shift::Near { is_forward, ms })
    }

    #[test]
    fn only_a_move_to_a_neighbour_is_animated() {
        assert_eq!(at(2, 7).to(&at(2, 7)), None);
        assert_eq!(at(2, 7).to(&at(2, 8)), near(true, STEP_MS));
        assert_eq!(at(2, 7).to(&at(2, 6)), near(false, STEP_MS));
        assert_eq!(at(2, 7).to(&at(3, 19)), near(true, BEAT_MS));
        assert_eq!(at(3, 19).to(&at(2, 7)), near(false, BEAT_MS));
        assert_eq!(
            at(2, 7).to(&at(3, 7)),
            near(true, BEAT_MS),
            "a beat without steps"
        );
        assert_eq!(at(2, 7).to(&at(9, 60)), Some(Shift::Far));
        let other = Place {
            branch: 1,
            ..at(2, 8)
        };
        assert_eq!(at(2, 7).to(&other), Some(Shift::Far));
    }
}
