//! The row below the drawing area: legend, filter, order, and buttons that pan and zoom.

use watchglass_engine::view::LaneOrder;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::widgets::Segmented;
use crate::words::{common, index as words};

/// The action of a button below the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Pan by half a screen to older revisions.
    Older,
    /// Pan by half a screen to newer revisions.
    Newer,
    ZoomIn,
    ZoomOut,
    Fit,
    /// Follow the head revision. This is the default.
    Follow,
    Legend,
    /// Hide (fold) the lanes without a change in the visible revisions, or show them again.
    Fold,
}

#[derive(Properties, PartialEq)]
pub struct ToolbarProps {
    pub legend: bool,
    pub filterable: bool,
    /// The text that keys must contain to be shown.
    pub filter: AttrValue,
    pub order: LaneOrder,
    /// The number of matching keys and the number of all keys.
    pub matching: (u32, u32),
    /// Whether the toolbar has the button that hides (folds) the keys without a visible change.
    pub foldable: bool,
    /// The number of hidden (folded) lanes; `None` while no lane is hidden.
    pub folded: Option<u32>,
    /// Whether the axis has revisions outside the visible range, so that panning is possible.
    pub pannable: bool,
    /// Whether the user has panned or zoomed.
    pub free: bool,
    pub on_tool: Callback<Tool>,
    pub on_filter: Callback<String>,
    pub on_order: Callback<LaneOrder>,
}

/// The orders of the lanes, with their labels.
const ORDERS: [(LaneOrder, &str); 2] = [
    (LaneOrder::Key, words::BY_KEY),
    (LaneOrder::Creation, words::BY_CREATION),
];

#[component]
pub fn Toolbar(props: &ToolbarProps) -> Html {
    let button = |tool: Tool, name: &'static str, drawing: &'static str| {
        let on_tool = props.on_tool.clone();
        html! {
            <button type="button" class="loom-tool" aria-label={name} title={name}
                onclick={move |_| on_tool.emit(tool)}>
                <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><path d={drawing} /></svg>
            </button>
        }
    };
    let on_legend = {
        let on_tool = props.on_tool.clone();
        move |_| on_tool.emit(Tool::Legend)
    };
    let on_fold = {
        let on_tool = props.on_tool.clone();
        move |_| on_tool.emit(Tool::Fold)
    };
    let on_follow = {
        let on_tool = props.on_tool.clone();
        move |_| on_tool.emit(Tool::Follow)
    };
    let on_input = {
        let on_filter = props.on_filter.clone();
        move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                on_filter.emit(input.value());
            }
        }
    };
    let on_order = {
        let on_order = props.on_order.clone();
        move |place: usize| {
            if let Some((order, _)) = ORDERS.get(place) {
                on_order.emit(*order);
            }
        }
    };
    let chosen = ORDERS.iter().position(|(order, _)| *order == props.order);
    let (matching, total) = props.matching;
    let is_part = !props.filter.is_empty() || props.folded.is_some();
    html! {
        <div class="loom-bar-row" role="group" aria-label={words::CONTROLS}>
            <button type="button" class="loom-tool wide" aria-expanded={props.legend.to_string()}
                aria-controls="loom-legend" onclick={on_legend}>
                { common::LEGEND }
            </button>
            if props.filterable {
                <label class="loom-filter">
                    <span class="wg-unseen">{ words::FILTER_LABEL }</span>
                    <input type="search" class="wg-field" placeholder={words::FILTER} spellcheck="false"
                        autocomplete="off" value={props.filter.clone()} oninput={on_input} />
                </label>
                <span class="loom-count">
                    { words::keys_found(is_part.then_some(matching), total) }
                </span>
            }
            if total > 1 {
                <Segmented label={words::ORDER} class="is-small loom-order"
                    names={ORDERS.map(|(_, name)| name.into()).to_vec()} {chosen} on_choose={on_order} />
            }
            if props.foldable {
                <button type="button" class="loom-tool wide" aria-expanded={props.folded.is_none().to_string()}
                    title={words::ABOUT_FOLD} onclick={on_fold}>
                    { words::fold(props.folded) }
                </button>
            }
            <span class="loom-space"></span>
            if props.free {
                <button type="button" class="loom-tool wide" title={words::ABOUT_FOLLOW}
                    onclick={on_follow}>{ words::FOLLOW }</button>
            }
            if props.pannable {
                { button(Tool::Older, words::OLDER, "M10 3L5 8L10 13") }
                { button(Tool::Newer, words::NEWER, "M6 3L11 8L6 13") }
            }
            { button(Tool::ZoomOut, words::ZOOM_OUT, "M3 8H13") }
            { button(Tool::ZoomIn, words::ZOOM_IN, "M3 8H13M8 3V13") }
            { button(Tool::Fit, words::FIT, "M2 5V2H5M11 2H14V5M14 11V14H11M5 14H2V11M5 8H11") }
        </div>
    }
}
