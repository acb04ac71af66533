//! The bands drawn: what is behind, the watchers, what is before them.
//!
//! A watcher keeps its element from band to band, so that one step forward moves it instead of
//! making it anew.

use yew::prelude::*;

use super::ruler::RULER;
use super::scene::WatchScene;
use crate::draw::marks;
use crate::draw::surface::num;

/// The drawing; its words are in the figure's caption and in the table. Watchers may glide where
/// the last step went forward by one; a sweep is shown once for each step.
pub fn picture(scene: &WatchScene, glide: bool, step: u64) -> Html {
    let class = if glide {
        "watch-svg glide"
    } else {
        "watch-svg"
    };
    let width = num(scene.width);
    html! {
        <>
        // Stays at the top while the bands are scrolled.
        <svg class="watch-ruler watch-svg" width={width.clone()} height={num(RULER)} aria-hidden="true">
            { marks::draw(&scene.ruler) }
        </svg>
        <svg {class} {width} height={num(scene.height)} aria-hidden="true">
            <defs>
                { marks::hatch("watch-hatch-lag", "7", "2") }
                { marks::hatch("watch-hatch-victim", "7", "2") }
                { marks::hatch("watch-hatch-gone", "8", "1.4") }
            </defs>
            if let Some([x, y, width, height]) = scene.sweep {
                <g key={step} class="watch-sweep">
                    <rect x={num(x)} y={num(y)} width={num(width)} height={num(height)} />
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
