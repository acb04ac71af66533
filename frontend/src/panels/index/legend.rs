//! What the shapes mean, in one quiet row.

use yew::prelude::*;

/// The shapes in the order in which one meets them.
#[component]
pub fn Legend() -> Html {
    let item = |drawing: Html, name: &'static str| {
        html! {
            <li>
                <svg width="22" height="20" viewBox="0 0 22 20" aria-hidden="true">{ drawing }</svg>
                { name }
            </li>
        }
    };
    let square = |class: &'static str| {
        html! { <g {class}><rect x="4" y="3" width="14" height="14" rx="4" /></g> }
    };
    let diamond = html! {
        <g class="loom-bead tomb">
            <path class="loom-diamond" d="M11 2L19 10L11 18L3 10Z" />
            <path class="loom-cross" d="M8.8 7.8l4.4 4.4M13.2 7.8l-4.4 4.4" />
        </g>
    };
    let pinned = html! {
        <g class="loom-bead kept">
            <rect x="4" y="5.5" width="14" height="13" rx="4" />
            <path class="loom-pin" d="M11 5V1.5m-3.5 0h7" />
        </g>
    };
    html! {
        <ul class="loom-legend" id="loom-legend">
            { item(square("loom-bead live"), "live") }
            { item(square("loom-bead old"), "superseded") }
            { item(diamond, "deleted") }
            { item(pinned, "kept") }
            { item(square("loom-bead doomed"), "being removed") }
            { item(html! { <g class="loom-bead gone"><line x1="11" x2="11" y1="4" y2="16" /></g> }, "removed") }
            { item(html! { <path class="loom-bracket" d="M3 8V13H19V8" /> }, "generation") }
        </ul>
    }
}
