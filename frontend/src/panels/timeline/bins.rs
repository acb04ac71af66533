//! Draws a run that has too many steps for single marks. Each column stands for several steps; the height of the column
//! shows their number, and a line on top of it shows a refused request or a fault.

use wasm_bindgen::JsCast;
use watchglass_engine::view::{MarkerKind, TimelineView};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, window};
use yew::prelude::*;

use super::scale::PAD;
use crate::draw::tokens::Tokens;
use crate::hooks::tokens::use_tokens;

const HEIGHT: f64 = 36.0;
/// The height of the mark on a column with a refused request or a fault.
const CAP: f64 = 2.0;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct BinsProps {
    pub(super) view: TimelineView,
    pub(super) columns: u32,
    pub(super) width: f64,
    /// The name of the theme, which decides the colours.
    pub(super) theme: &'static str,
}

#[component]
pub(super) fn Bins(props: &BinsProps) -> Html {
    let canvas = use_node_ref();
    // Read the tokens only when the theme changes: reading forces the browser to lay out the page, which takes longer
    // than drawing.
    let tokens = use_tokens(&canvas, props.theme);
    {
        let canvas = canvas.clone();
        use_effect_with((props.clone(), tokens), move |(props, tokens)| {
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>() {
                draw(&canvas, props, tokens);
            }
        });
    }
    html! { <canvas ref={canvas} class="wg-bins" aria-hidden="true"></canvas> }
}

fn draw(canvas: &HtmlCanvasElement, props: &BinsProps, tokens: &Tokens) -> Option<()> {
    let window = window()?;
    let ratio = window.device_pixel_ratio().max(1.0);
    canvas.set_width((props.width * ratio) as u32);
    canvas.set_height((HEIGHT * ratio) as u32);
    let context = canvas
        .get_context("2d")
        .ok()??
        .dyn_into::<CanvasRenderingContext2d>()
        .ok()?;
    context.scale(ratio, ratio).ok()?;
    let most = props.view.bins.iter().map(|bin| bin.count).max()?;
    let room = props.width - 2.0 * PAD;
    let pitch = room / f64::from(props.columns.max(1));
    for bin in &props.view.bins {
        // The square root keeps small numbers visible beside large ones.
        let part = (f64::from(bin.count) / f64::from(most)).sqrt();
        let height = (part * (HEIGHT - 4.0)).max(2.0).round();
        // Columns begin at whole pixels; otherwise, antialiasing would draw a pattern that is not in the data.
        let x = (f64::from(bin.column) * pitch).floor();
        let next = (f64::from(bin.column + 1) * pitch).floor();
        let (x, width) = (PAD + x, (next - x).max(1.0));
        context.set_fill_style_str(&tokens.hatch);
        context.fill_rect(x, HEIGHT - height, width, height);
        if matches!(bin.kind, MarkerKind::Fault | MarkerKind::Refused) {
            context.set_fill_style_str(&tokens.error);
            context.fill_rect(x, HEIGHT - height, width, CAP);
        }
    }
    Some(())
}
