//! Draws bars and beads on the canvas, grouped by state, with the same shapes as in the SVG.

use watchglass_engine::view::BeadState;
use web_sys::CanvasRenderingContext2d;

use super::canvas::{dash, font, stroke};
use super::scene::{BeadShape, IndexScene};
use super::svg_beads::radius;
use crate::draw::tokens::Tokens;

/// The height of the mark above an important column, in pixels. The mark is at the upper edge of the lane.
const MARK: f64 = 3.0;

/// The drawing order: more important states are drawn later and cover the others.
const STATES: [BeadState; 6] = [
    BeadState::Gone,
    BeadState::Doomed,
    BeadState::Superseded,
    BeadState::Kept,
    BeadState::Live,
    BeadState::Tombstone,
];

/// Draws columns of changes. The height of a column shows the number of changes. A thick mark above a column means that
/// the column contains a delete; a thin mark means that it contains a row that a compaction preserved. These marks make
/// the states distinguishable without colour.
pub fn bars(context: &CanvasRenderingContext2d, scene: &IndexScene, tokens: &Tokens) {
    for state in STATES {
        context.set_fill_style_str(colour(state, tokens));
        for bar in scene.bars.iter().filter(|bar| bar.state == state) {
            let area = bar.area;
            context.fill_rect(area.x, area.y, area.width, area.height);
            match state {
                BeadState::Tombstone => {
                    context.fill_rect(area.x - 1.0, bar.top, area.width + 2.0, MARK);
                }
                BeadState::Kept => context.fill_rect(area.x, bar.top, area.width, 1.0),
                _ => {}
            }
        }
    }
}

pub fn beads(context: &CanvasRenderingContext2d, scene: &IndexScene, tokens: &Tokens) {
    for state in STATES {
        let of_state = || scene.beads.iter().filter(move |bead| bead.state == state);
        let trace = |bead: &BeadShape| outline(context, bead);
        match state {
            BeadState::Gone => {
                dash(context, &[2.0, 2.0]);
                stroke(context, &tokens.old, tokens.stroke, || {
                    for bead in of_state() {
                        let half = (bead.height * 0.3).max(3.0);
                        context.move_to(bead.x, bead.y - half);
                        context.line_to(bead.x, bead.y + half);
                    }
                });
                dash(context, &[]);
            }
            BeadState::Live => {
                context.set_fill_style_str(&tokens.live);
                context.begin_path();
                of_state().for_each(trace);
                context.fill();
            }
            BeadState::Superseded | BeadState::Kept | BeadState::Doomed | BeadState::Tombstone => {
                context.set_fill_style_str(&tokens.bg);
                context.begin_path();
                of_state().for_each(trace);
                context.fill();
                if state == BeadState::Doomed {
                    dash(context, &[3.0, 2.0]);
                }
                stroke(context, colour(state, tokens), 1.6 * tokens.stroke, || {
                    of_state().for_each(trace);
                });
                dash(context, &[]);
            }
        }
    }
    pins(context, scene, tokens);
    texts(context, scene, tokens);
}

fn outline(context: &CanvasRenderingContext2d, bead: &BeadShape) {
    let (x, y) = (bead.x, bead.y);
    if bead.state == BeadState::Tombstone {
        let r = radius(bead);
        context.move_to(x, y - r);
        context.line_to(x + r, y);
        context.line_to(x, y + r);
        context.line_to(x - r, y);
        context.close_path();
        if r >= 5.0 {
            let arm = r * 0.27;
            context.move_to(x - arm, y - arm);
            context.line_to(x + arm, y + arm);
            context.move_to(x + arm, y - arm);
            context.line_to(x - arm, y + arm);
        }
        return;
    }
    let (w, h) = (bead.width, bead.height);
    let (l, t) = (x - w / 2.0, y - h / 2.0);
    let r = (h * 0.25).min(w * 0.3);
    context.move_to(l + r, t);
    for (cx, cy, ex, ey) in [
        (l + w, t, l + w, t + h),
        (l + w, t + h, l, t + h),
        (l, t + h, l, t),
        (l, t, l + w, t),
    ] {
        // The browser rounds each corner with an arc towards the next point.
        context.arc_to(cx, cy, ex, ey, r).ok();
    }
    context.close_path();
}

fn pins(context: &CanvasRenderingContext2d, scene: &IndexScene, tokens: &Tokens) {
    stroke(context, &tokens.live, 1.8 * tokens.stroke, || {
        for bead in scene.beads.iter().filter(|bead| bead.pinned) {
            let top = bead.y - bead.height / 2.0;
            context.move_to(bead.x, top);
            context.line_to(bead.x, top - 3.5);
            context.move_to(bead.x - 3.0, top - 3.5);
            context.line_to(bead.x + 3.0, top - 3.5);
        }
    });
}

fn texts(context: &CanvasRenderingContext2d, scene: &IndexScene, tokens: &Tokens) {
    let size = scene.stage.tier.font;
    context.set_text_align("center");
    for live in [false, true] {
        let (weight, ink) = if live {
            ("700", &tokens.on_live)
        } else {
            ("500", &tokens.ink)
        };
        context.set_font(&font(size, weight, tokens));
        context.set_fill_style_str(ink);
        for bead in &scene.beads {
            if (bead.state == BeadState::Live) == live && !bead.text.is_empty() {
                context
                    .fill_text(&bead.text, bead.x, bead.y + size * 0.35)
                    .ok();
            }
        }
    }
}

fn colour(state: BeadState, tokens: &Tokens) -> &str {
    match state {
        BeadState::Live | BeadState::Kept => &tokens.live,
        BeadState::Superseded | BeadState::Doomed | BeadState::Gone => &tokens.old,
        BeadState::Tombstone => &tokens.tomb,
    }
}
