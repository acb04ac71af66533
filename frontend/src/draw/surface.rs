//! Prepares a canvas with the resolution of the screen and with CSS pixels as its unit.

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, HtmlElement, MouseEvent};

/// Resizes the canvas to `width` by `height` CSS pixels, clears the canvas, and returns a context whose unit is the
/// CSS pixel. Returns `None` if the browser cannot draw on a canvas; the picture then has no canvas layer.
pub fn prepare(
    canvas: &HtmlCanvasElement,
    width: f64,
    height: f64,
) -> Option<CanvasRenderingContext2d> {
    let ratio = within(web_sys::window()?.device_pixel_ratio(), 1.0, 4.0);
    let (across, down) = (
        (width * ratio).round() as u32,
        (height * ratio).round() as u32,
    );
    // Setting a size discards the old pixels, which costs more than clearing them.
    if canvas.width() != across || canvas.height() != down {
        canvas.set_width(across);
        canvas.set_height(down);
        let style = canvas.style();
        style.set_property("width", &px(width)).ok()?;
        style.set_property("height", &px(height)).ok()?;
    }
    let context = canvas
        .get_context("2d")
        .ok()??
        .dyn_into::<CanvasRenderingContext2d>()
        .ok()?;
    context
        .set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0)
        .ok()?;
    context.clear_rect(0.0, 0.0, width, height);
    Some(context)
}

/// Returns the position of the pointer in an element, in the element's own CSS pixels, which are larger on a zoomed
/// page.
pub fn place_in(element: &Element, event: &MouseEvent) -> (f64, f64) {
    let rect = element.get_bounding_client_rect();
    let zoom = match f64::from(element.client_width()) {
        0.0 => 1.0,
        width => rect.width() / width,
    };
    (
        (f64::from(event.client_x()) - rect.left()) / zoom,
        (f64::from(event.client_y()) - rect.top()) / zoom,
    )
}

/// Limits `value` to the range `from..=to`. This function replaces `f64::clamp`, which panics if `from > to`. The panic
/// message of `f64::clamp` contains floats, and the code that formats floats would enlarge the download.
pub fn within(value: f64, from: f64, to: f64) -> f64 {
    value.max(from).min(to)
}

/// Moves an absolutely positioned element. A style in the markup would violate a strict Content-Security-Policy.
pub fn move_to(element: &HtmlElement, left: f64, top: f64) {
    let style = element.style();
    style.set_property("left", &px(left)).ok();
    style.set_property("top", &px(top)).ok();
}

pub fn px(length: f64) -> String {
    let mut text = num(length);
    text.push_str("px");
    text
}

/// Formats a coordinate with at most one decimal digit. Full formatting of floats would add more code than the rest of
/// this file, and a tenth of a pixel is invisible.
pub fn num(value: f64) -> String {
    let tenths = (value * 10.0).round() as i64;
    let mut text = String::new();
    if tenths < 0 {
        text.push('-');
    }
    let tenths = tenths.unsigned_abs();
    text.push_str(&(tenths / 10).to_string());
    if !tenths.is_multiple_of(10) {
        text.push('.');
        text.push_str(&(tenths % 10).to_string());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::num;

    #[test]
    fn coordinates_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (12.34, "12.3"),
            (-0.26, "-0.3"),
            (7.0, "7"),
            (-0.01, "0"),
            (99.96, "100"),
        ] {
            assert_eq!(num(value), text);
        }
    }
}
