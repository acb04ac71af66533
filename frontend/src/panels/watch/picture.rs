//! Draws the bands (one for each pool of watchers): their background, the watchers, and the marks in front of the
//! watchers.
//!
//! A watcher keeps its element when it changes its band, so that a single step forward can animate the move.

use yew::prelude::*;

use super::scene::WatchScene;
use crate::draw::axis::RULER;
use crate::draw::marks;
use crate::draw::surface::num;

/// Renders the scene. The figure's caption and the table contain the same information in words. Watchers may glide if
/// the last step went forward by one; a sync pass is animated once per step.
pub fn picture(scene: &WatchScene, glide: bool, step: u64) -> Html {
    let class = if glide {
        "watch-svg glide"
    } else {
        "watch-svg"
    };
    let width = num(scene.width);
    html! {
        <>
        // This part stays at the top while the bands are scrolled.
        { scene.ruler.svg("watch-ruler watch-svg", scene.width, RULER) }
        <svg {class} {width} height={num(scene.height)} aria-hidden="true">
            <defs>
                { marks::hatch("watch-hatch-lag", "7", "2") }
                { marks::hatch("watch-hatch-victim", "7", "2") }
                { marks::hatch("watch-hatch-gone", "8", "1.4") }
            </defs>
            if let Some(area) = scene.sync_pass {
                <g key={step} class="watch-sync-pass">
                    <rect x={num(area.x)} y={num(area.y)} width={num(area.width)} height={num(area.height)} />
                </g>
            }
            <g key="back">{ marks::draw(&scene.back) }</g>
            <g key="pills">
                { for scene.pills.iter().map(|pill| {
                    let place = format!("translate({} {})", num(pill.x), num(pill.y));
                    html! {
                        <g key={pill.id} class="watch-watcher" transform={place} data-watcher={pill.id.to_string()}>
                            <title>{ &pill.title }</title>
                            { marks::draw(&pill.marks) }
                        </g>
                    }
                }) }
            </g>
            <g key="front">{ marks::draw(&scene.front) }</g>
        </svg>
        </>
    }
}
