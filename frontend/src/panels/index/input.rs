//! Translates key presses and wheel events in the drawing area into actions.

use super::walk::Step;
use crate::draw::surface::within;

/// An action that the user requests with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Walk(Step),
    Choose,
    ZoomIn,
    ZoomOut,
    Fit,
    Dismiss,
}

/// Returns the action for a key, given the key's DOM name. Returns `None` if a modifier is pressed, because such keys
/// belong to the page or the browser.
pub fn wish(key: &str, modified: bool) -> Option<Wish> {
    if modified {
        return None;
    }
    Some(match key {
        "ArrowLeft" => Wish::Walk(Step::Left),
        "ArrowRight" => Wish::Walk(Step::Right),
        "ArrowUp" => Wish::Walk(Step::Up),
        "ArrowDown" => Wish::Walk(Step::Down),
        "Home" => Wish::Walk(Step::Home),
        "End" => Wish::Walk(Step::End),
        "PageUp" => Wish::Walk(Step::PageUp),
        "PageDown" => Wish::Walk(Step::PageDown),
        "Enter" | " " => Wish::Choose,
        "+" | "=" => Wish::ZoomIn,
        "-" => Wish::ZoomOut,
        "0" => Wish::Fit,
        "Escape" => Wish::Dismiss,
        _ => return None,
    })
}

/// An action that the user requests with the wheel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wheel {
    /// Zoom by this factor around the pointer.
    Zoom(f64),
    /// Pan by this number of pixels along the axis.
    Pan(f64),
    /// No action: the lanes or the page scroll as usual.
    Leave,
}

/// Returns the action for a wheel event; converts lines and pages to pixels.
pub fn wheel(delta_x: f64, delta_y: f64, mode: u32, zoom: bool, shift: bool) -> Wheel {
    let unit = match mode {
        1 => 16.0,
        2 => 240.0,
        _ => 1.0,
    };
    if zoom {
        // A notch of a wheel is about 100 pixels and a pinch only a few; the exponent makes both feel the same.
        let notches = within(-delta_y * unit / 100.0, -3.0, 3.0);
        Wheel::Zoom(1.25_f64.powf(notches))
    } else if shift && delta_x == 0.0 {
        Wheel::Pan(delta_y * unit)
    } else if delta_x.abs() > delta_y.abs() {
        Wheel::Pan(delta_x * unit)
    } else {
        Wheel::Leave
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_with_modifiers_are_left_alone() {
        assert_eq!(wish("ArrowLeft", false), Some(Wish::Walk(Step::Left)));
        assert_eq!(wish("ArrowLeft", true), None);
        assert_eq!(wish("x", false), None);
    }

    #[test]
    fn the_wheel() {
        assert_eq!(wheel(0.0, 100.0, 0, false, false), Wheel::Leave);
        assert_eq!(wheel(30.0, 4.0, 0, false, false), Wheel::Pan(30.0));
        assert_eq!(wheel(0.0, 3.0, 1, false, true), Wheel::Pan(48.0));
        assert!(
            matches!(wheel(0.0, -100.0, 0, true, false), Wheel::Zoom(f) if (f - 1.25).abs() < 1e-9)
        );
        assert!(matches!(wheel(0.0, 1e9, 0, true, false), Wheel::Zoom(f) if f > 0.5));
    }
}
