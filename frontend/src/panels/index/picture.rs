//! The drawn layers of the drawing area: the backgrounds of lanes, a canvas, and an SVG. These layers are rendered
//! again only if the scene changes.

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::canvas;
use super::lod::{Detail, SVG_NODES_MAX};
use super::scene::IndexScene;
use super::svg::{self, Extras};
use crate::draw::surface::num;
use crate::draw::tokens::Tokens;
use crate::widgets::shared::Shared;

#[derive(Properties, PartialEq)]
pub struct PictureProps {
    pub scene: Shared<IndexScene>,
    /// The theme's colours, for the canvas.
    pub tokens: Shared<Tokens>,
    /// Whether the last move of the cursor jumped.
    pub instant: bool,
}

/// Returns true if the scene has too many nodes for an SVG.
pub fn is_bulk(scene: &IndexScene) -> bool {
    scene.detail < Detail::Shape || scene.nodes() > SVG_NODES_MAX
}

/// Renders the layers of the Index view's picture: backgrounds, canvas and SVG.
#[component]
pub fn Picture(props: &PictureProps) -> Html {
    let node = use_node_ref();
    let scene = &props.scene;
    let bulk = is_bulk(scene);
    {
        let node = node.clone();
        use_effect_with(
            (scene.clone(), props.tokens.clone(), bulk),
            move |(scene, tokens, bulk)| {
                if let Some(element) = node.cast::<HtmlCanvasElement>() {
                    canvas::paint(&element, bulk.then_some(&**scene), tokens);
                }
            },
        );
    }
    let (width, height) = (num(scene.stage.width), num(scene.stage.height));
    html! {
        <>
            <svg class="loom-svg" width={width.clone()} height={height.clone()} aria-hidden="true">
                { svg::ground(scene) }
            </svg>
            <canvas ref={node} class="loom-canvas" aria-hidden="true" />
            <svg class="loom-svg" {width} {height} aria-hidden="true">
                { svg::draw(scene, Extras { bulk_elsewhere: bulk, keeps_beads: !props.instant }) }
            </svg>
        </>
    }
}
