//! The Index view's picture as a still: drawn without a browser, for pages that show it before their program runs.
//!
//! A still has no pointer, focus or canvas. A scene of more than [`SVG_NODES_MAX`](super::lod::SVG_NODES_MAX) nodes
//! would need a canvas, so stills exist only for small runs.

use std::rc::Rc;

use watchglass_engine::view::{IndexQuery, IndexView, Views};
use yew::prelude::*;

use super::camera::{Camera, Names, fitted_to};
use super::geometry::Stage;
use super::lod;
use super::picture::is_bulk;
use super::scene::{Highlights, IndexScene, name_cells};
use super::strip::Strip;
use super::svg::{self, Extras};
use crate::draw::Font;
use crate::draw::scale::RevScale;
use crate::draw::surface::num;
use crate::draw::tokens::DEFAULT_ADVANCE;
use crate::widgets::shared::Shared;

fn layout(view: &IndexView, width: f64, height: f64) -> (Stage, RevScale) {
    let stage = Stage::new(width, height, view.lanes_end, DEFAULT_ADVANCE);
    let names = Names {
        cells: name_cells(view),
        are_alike: false,
    };
    let (stage, _) = fitted_to(view, stage, view.lanes_end, names, view.end);
    let head = view.head.max(1);
    let scale = Camera::default().scale(&stage, view.in_sight(), view.end.max(head));
    (stage, scale)
}

/// Returns the query for a still. `view` may be any earlier view of the run: the query needs only the numbers of keys
/// and revisions.
pub fn query(view: &IndexView, width: f64, height: f64) -> IndexQuery {
    let (stage, scale) = layout(view, width, height);
    lod::query(&stage, scale, None, 0.0, "")
}

/// Returns true if the page would draw the picture on a canvas, which a still cannot do.
pub fn is_canvas(view: &IndexView, width: f64, height: f64) -> bool {
    let (stage, scale) = layout(view, width, height);
    is_bulk(&IndexScene::new(
        view,
        stage,
        scale,
        0.0,
        &Highlights::default(),
    ))
}

/// Draws the picture for a drawing area of this size in CSS pixels, and the watchers below it. In a drawing area of
/// another size, the picture is scaled.
pub fn draw(views: &Rc<Views>, width: f64, height: f64) -> Html {
    let Some(view) = &views.index else {
        return html! {};
    };
    let (stage, scale) = layout(view, width, height);
    let scene = IndexScene::new(view, stage, scale, 0.0, &Highlights::default());
    let view_box = format!("0 0 {} {}", num(width), num(height));
    html! {
        <div class="loom">
            <svg class="loom-svg loom-still" viewBox={view_box} preserveAspectRatio="xMinYMin" aria-hidden="true">
                { svg::ground(&scene) }
                { svg::draw(&scene, Extras::default()) }
            </svg>
            <Strip views={Shared(views.clone())} {scale} {width} font={Font::of(DEFAULT_ADVANCE)} selected={None::<u64>}
                on_watcher={Callback::noop()} on_highlight={Callback::noop()} />
        </div>
    }
}
