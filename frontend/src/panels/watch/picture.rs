//! Draws the bands (one for each pool of watchers): their background, the watchers, and the marks in front of the
//! watchers.
//!
//! A watcher keeps its identity when it changes its band, so that its move is animated.

use yew::prelude::*;

use super::scene::WatchScene;
use crate::draw::axis::RULER;
use crate::draw::marks;
use crate::draw::order;
use crate::draw::surface::num;

/// Renders the scene. The figure's caption and the table contain the same information in words. The area of a sync
/// pass belongs to one step.
pub fn picture(scene: &WatchScene, step: u64) -> Html {
    let width = num(scene.width);
    html! {
        <>
        // This part stays at the top while the bands are scrolled.
        { scene.ruler.svg("watch-ruler watch-svg", scene.width, RULER) }
        <svg class="watch-svg" {width} height={num(scene.height)} aria-hidden="true">
            <defs>
                { marks::hatch("watch-hatch-lag", "7", "2") }
                { marks::hatch("watch-hatch-victim", "7", "2") }
                { marks::hatch("watch-hatch-gone", "8", "1.4") }
            </defs>
            if let Some(area) = scene.sync_pass {
                <g key={step} class="watch-sync-pass" data-mark={format!("pass:{step}")}
                    data-order={order::STORE.to_string()} data-way="grow">
                    <rect x={num(area.x)} y={num(area.y)} width={num(area.width)} height={num(area.height)} />
                </g>
            }
            <g key="back">{ marks::draw(&scene.back) }</g>
            <g key="pills">
                { for scene.pills.iter().map(|pill| {
                    let place = format!("translate({} {})", num(pill.x), num(pill.y));
                    html! {
                        <g key={pill.id} class="watch-watcher" transform={place} data-watcher={pill.id.to_string()}
                            data-mark={format!("watcher:{}", pill.id)} data-order={order::WATCHER.to_string()}>
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
