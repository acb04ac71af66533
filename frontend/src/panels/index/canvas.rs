//! Draws most of a dense scene on a canvas: key lines, brackets, labels, bars and beads.
//!
//! The canvas is drawn once per change of the scene. Marks that follow the pointer or the focus are in the SVG above,
//! so hovering redraws nothing here.

use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::canvas_shapes::{bars, beads};
use super::geometry::RULER;
use super::scene::{IndexScene, Life};
use crate::draw::surface;
use crate::draw::tokens::Tokens;

/// Draws the scene, or clears the canvas if there is no scene.
pub fn paint(canvas: &HtmlCanvasElement, scene: Option<&IndexScene>, tokens: &Tokens) {
    let size = scene.map_or((1.0, 1.0), |scene| (scene.stage.width, scene.stage.height));
    let Some(context) = surface::prepare(canvas, size.0, size.1) else {
        return;
    };
    let Some(scene) = scene else { return };
    context.save();
    context.begin_path();
    context.rect(
        scene.scale.left,
        RULER,
        scene.scale.width,
        (scene.lanes_bottom - RULER).max(0.0),
    );
    context.clip();
    threads(&context, scene, tokens);
    labels(&context, scene, tokens);
    bars(&context, scene, tokens);
    beads(&context, scene, tokens);
    context.restore();
}

/// Draws a set of equal strokes as a single path, which needs only one call to the rasterizer.
pub fn stroke(context: &CanvasRenderingContext2d, colour: &str, width: f64, trace: impl FnOnce()) {
    context.set_stroke_style_str(colour);
    context.set_line_width(width);
    context.begin_path();
    trace();
    context.stroke();
}

/// Sets the dash pattern of the following strokes; an empty pattern means solid strokes.
pub fn dash(context: &CanvasRenderingContext2d, lengths: &[f64]) {
    let list: js_sys::Array = lengths
        .iter()
        .map(|length| wasm_bindgen::JsValue::from(*length))
        .collect();
    context.set_line_dash(&list).ok();
}

fn threads(context: &CanvasRenderingContext2d, scene: &IndexScene, tokens: &Tokens) {
    let trace = |life: Life| {
        for thread in scene.threads.iter().filter(|thread| thread.life == life) {
            context.move_to(thread.x1, thread.y);
            context.line_to(thread.x2, thread.y);
        }
    };
    context.set_line_cap("round");
    let width = scene.stage.tier.thread;
    stroke(context, &tokens.thread, width, || trace(Life::Alive));
    stroke(context, &tokens.old, 2.0 * tokens.stroke, || {
        trace(Life::Ended)
    });
    dash(context, &[0.5, 4.0]);
    stroke(context, &tokens.old, 1.5 * tokens.stroke, || {
        trace(Life::Forgotten)
    });
    dash(context, &[]);
    context.set_line_cap("butt");
    stroke(context, &tokens.old, tokens.stroke, || {
        for bracket in &scene.brackets {
            context.move_to(bracket.x1, bracket.y - 4.0);
            context.line_to(bracket.x1, bracket.y);
            context.line_to(bracket.x2, bracket.y);
            if !bracket.open {
                context.line_to(bracket.x2, bracket.y - 4.0);
            }
        }
    });
}

fn labels(context: &CanvasRenderingContext2d, scene: &IndexScene, tokens: &Tokens) {
    context.set_font(&font(scene.stage.tier.small, "", tokens));
    context.set_text_align("left");
    for label in &scene.labels {
        context.set_fill_style_str(&tokens.bg);
        context.fill_rect(
            label.x - 3.0,
            label.plate.0,
            label.width + 6.0,
            label.plate.1,
        );
        context.set_fill_style_str(&tokens.ink_quiet);
        context.fill_text(&label.text, label.x, label.y).ok();
    }
}

/// Returns the value of the CSS property `font` for this size and weight.
pub fn font(size: f64, weight: &str, tokens: &Tokens) -> String {
    format!("{weight} {} {}", surface::px(size), tokens.mono)
}
