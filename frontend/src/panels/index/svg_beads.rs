//! Renders beads as SVG, with one shape per state, so that colour is not the only difference.

use watchglass_engine::view::BeadState;
use yew::prelude::*;

use super::scene::{BeadShape, IndexScene};
use crate::draw::order;
use crate::draw::surface::num;

/// Renders all beads; tombstones are in front. With `keeps`, each bead keeps its element from picture to picture, so
/// that a transition can show a bead that goes. Without, the elements of the last picture show the beads of this
/// picture in the same order: while the cursor is dragged, most beads are new, and changing an element is faster than
/// creating it. The first picture after a change of `keeps` creates all elements.
pub fn draw(scene: &IndexScene, keeps: bool) -> Html {
    let bars = scene.bars.iter().map(|bar| {
        let area = bar.area;
        html! {
            <rect class={bar_class(bar.state)} x={num(area.x)} y={num(area.y)} width={num(area.width)}
                height={num(area.height)} />
        }
    });
    let drawn = |beads: Vec<&BeadShape>| -> Html {
        let beads = beads.into_iter().enumerate().map(|(place, bead)| {
            let key = if keeps { key(bead) } else { place.to_string() };
            shape(scene, bead, key)
        });
        beads.collect()
    };
    // Tombstones have a group of their own. Otherwise, an element with the rectangle of a put would often show a
    // tombstone, and the shapes in it would be created again.
    let is_tombstone = |bead: &&BeadShape| bead.state == BeadState::Tombstone;
    let (tombstones, others) = scene.beads.iter().partition(is_tombstone);
    html! {
        <>
            <g key="bars">{ for bars }</g>
            <g key="beads">{ drawn(others) }</g>
            <g key="tombstones">{ drawn(tombstones) }</g>
        </>
    }
}

/// Renders the rings around changed beads and returned beads. The rings are above everything else, even if the canvas
/// draws the beads. If the step deleted the row of a change, the change is a thin line and gets no ring.
pub fn rings(scene: &IndexScene) -> Html {
    let is_changed = |bead: &BeadShape| bead.changed && bead.state != BeadState::Gone;
    let ringed = |bead: &&BeadShape| bead.answered || is_changed(bead);
    let answered = match scene.cut.is_some_and(|cut| cut.is_aside) {
        true => "loom-ring answered aside",
        false => "loom-ring answered",
    };
    let rings = scene.beads.iter().filter(ringed).map(|bead| {
        let (width, height) = extent(bead);
        let ring = |class: &'static str, out: f64| {
            let (w, h) = (width + 2.0 * out, height + 2.0 * out);
            html! {
                <rect {class} x={num(bead.x - w / 2.0)} y={num(bead.y - h / 2.0)} width={num(w)}
                    height={num(h)} rx={num((h * 0.28).min(9.0))} />
            }
        };
        // The outer ring needs some distance from the inner ring.
        let out_of_changed = if bead.answered { 7.5 } else { 4.0 };
        html! {
            <g key={key(bead)} data-mark={mark("ring", bead)} data-order={order::WATCHER.to_string()} data-way="pop">
                if bead.answered { { ring("loom-ring gap", 1.5) } { ring(answered, 3.5) } }
                if is_changed(bead) {
                    { ring("loom-ring changed-edge", out_of_changed) }
                    { ring("loom-ring changed", out_of_changed) }
                }
            </g>
        }
    });
    html! { <g key="rings">{ for rings }</g> }
}

fn key(bead: &BeadShape) -> String {
    [
        bead.lane.to_string(),
        bead.main.to_string(),
        bead.sub.to_string(),
    ]
    .join(".")
}

/// Returns the identity of a mark at a bead. A revision changes each key at most once, so it identifies the bead.
fn mark(kind: &str, bead: &BeadShape) -> String {
    format!("{kind}:{}.{}", bead.main, bead.sub)
}

fn shape(scene: &IndexScene, bead: &BeadShape, key: String) -> Html {
    let changed = if bead.changed { " changed" } else { "" };
    let class = [state_class(bead.state), changed].concat();
    let body = match bead.state {
        BeadState::Tombstone => tombstone(bead),
        BeadState::Gone => {
            let half = (bead.height * 0.3).max(3.0);
            html! { <line x1={num(bead.x)} x2={num(bead.x)} y1={num(bead.y - half)} y2={num(bead.y + half)} /> }
        }
        BeadState::Live | BeadState::Superseded | BeadState::Kept | BeadState::Doomed => {
            let (w, h) = (bead.width, bead.height);
            html! {
                <rect x={num(bead.x - w / 2.0)} y={num(bead.y - h / 2.0)} width={num(w)} height={num(h)}
                    rx={num((h * 0.25).min(w * 0.3))} />
            }
        }
    };
    let size = scene.stage.tier.font;
    html! {
        <g {key} {class} data-mark={mark("bead", bead)} data-order={order::STORE.to_string()} data-way="pop">
            { body }
            if !bead.text.is_empty() {
                <text font-size={num(size)} x={num(bead.x)} y={num(bead.y + size * 0.35)}>{ &bead.text }</text>
            }
            if bead.pinned {
                { pin(bead) }
            }
        </g>
    }
}

/// Renders a pin above a bead; a pin marks a row that a compaction preserved.
fn pin(bead: &BeadShape) -> Html {
    let top = bead.y - bead.height / 2.0;
    let (x, up) = (num(bead.x), num(top - 3.5));
    let half = if bead.width >= 12.0 { "3.5" } else { "2.5" };
    let across = if bead.width >= 12.0 { "7" } else { "5" };
    let d = format!("M{x} {}V{up}m-{half} 0h{across}", num(top));
    html! { <path class="loom-pin" {d} /> }
}

/// Returns half the diagonal of a tombstone's diamond.
pub fn radius(bead: &BeadShape) -> f64 {
    (bead.height * 0.5).min(bead.width * 0.62)
}

/// Returns the width and height that a ring encloses. The corners of a tombstone's diamond extend beyond the bead's
/// width.
pub fn extent(bead: &BeadShape) -> (f64, f64) {
    match bead.state {
        BeadState::Tombstone => {
            let side = (2.0 * radius(bead)).max(bead.width);
            (side, side)
        }
        BeadState::Gone => (bead.width.min(8.0), bead.height * 0.7),
        BeadState::Live | BeadState::Superseded | BeadState::Kept | BeadState::Doomed => {
            (bead.width, bead.height)
        }
    }
}

fn tombstone(bead: &BeadShape) -> Html {
    let r = radius(bead);
    let (x, y) = (bead.x, bead.y);
    let diamond = format!(
        "M{} {}L{} {}L{} {}L{} {}Z",
        num(x),
        num(y - r),
        num(x + r),
        num(y),
        num(x),
        num(y + r),
        num(x - r),
        num(y)
    );
    let arm = r * 0.27;
    let cross = format!(
        "M{} {}L{} {}M{} {}L{} {}",
        num(x - arm),
        num(y - arm),
        num(x + arm),
        num(y + arm),
        num(x + arm),
        num(y - arm),
        num(x - arm),
        num(y + arm)
    );
    html! {
        <>
            <path class="loom-diamond" d={diamond} />
            if r >= 5.0 {
                <path class="loom-cross" d={cross} />
            }
        </>
    }
}

fn state_class(state: BeadState) -> &'static str {
    match state {
        BeadState::Live => "loom-bead live",
        BeadState::Superseded => "loom-bead old",
        BeadState::Kept => "loom-bead kept",
        BeadState::Doomed => "loom-bead doomed",
        BeadState::Gone => "loom-bead gone",
        BeadState::Tombstone => "loom-bead tomb",
    }
}

fn bar_class(state: BeadState) -> &'static str {
    match state {
        BeadState::Live => "loom-bar live",
        BeadState::Superseded | BeadState::Doomed => "loom-bar old",
        BeadState::Kept => "loom-bar kept",
        BeadState::Gone => "loom-bar gone",
        BeadState::Tombstone => "loom-bar tomb",
    }
}

/// Renders the dotted outline around the focused item.
pub fn focus(x: f64, y: f64, width: f64, height: f64) -> Html {
    let place = |class: &'static str, out: f64| {
        html! {
            <rect {class} x={num(x - width / 2.0 - out)} y={num(y - height / 2.0 - out)}
                width={num(width + 2.0 * out)} height={num(height + 2.0 * out)} rx="7" />
        }
    };
    html! { <g key="focus">{ place("loom-ring gap wide", 4.0) }{ place("loom-ring focus", 5.0) }</g> }
}
