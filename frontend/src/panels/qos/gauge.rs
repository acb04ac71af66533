//! The pictures of one class: the limiter as a vessel with its level, delayed requests as marks, and the latencies as
//! bars.

use watchglass_engine::view::qos::{Discipline, LATENCY_BINS, QosClassView};
use yew::prelude::*;

use crate::draw::marks;
use crate::draw::surface::num;
use crate::draw::{Identity, Marks, Rect, order, pt, svg_path};
use crate::words::qos as words;

/// The width and the height of a vessel, which represents the limiter of a class, in pixels.
const VESSEL: [f64; 2] = [44.0, 76.0];
/// The space above the vessel in its picture, in pixels.
const TOP: f64 = 16.0;
/// The width and the height of the picture that contains a vessel, in pixels.
const SIZE: [f64; 2] = [60.0, 112.0];
/// The maximum capacity of a vessel for which lines between its units are drawn.
const UNITS_MAX: u64 = 20;
/// The distance between two marks for delayed requests, and between two bars of latencies, in pixels.
const PLACE: f64 = 14.0;
const BIN: f64 = 22.0;
/// The maximum number of marks for delayed requests.
const WAITING_MAX: u64 = 12;

/// The lines between its units, and the drop that enters a token bucket or leaves a leaky bucket.
fn vessel(class: &QosClassView) -> Marks {
    let [width, height] = VESSEL;
    let (left, bottom) = ((SIZE[0] - width) / 2.0, TOP + height);
    let right = left + width;
    let middle = SIZE[0] / 2.0;
    let mut all = Marks::default();
    let max = class.level.max;
    if (2..=UNITS_MAX).contains(&max) {
        for unit in 1..max {
            let y = bottom - height * unit as f64 / max as f64;
            all.level("qos-unit", left, right, y);
        }
    }
    let open = svg_path!(M left, TOP; L left, bottom; L right, bottom; L right, TOP);
    let closed = format!("{open}Z");
    let (outline, drop) = match class.discipline {
        Discipline::TokenBucket => (open, Some(4.0)),
        Discipline::LeakyBucket => (open, Some(bottom + 6.0)),
        Discipline::InFlight | Discipline::Window | Discipline::Priority | Discipline::Discard => {
            (closed, None)
        }
    };
    all.path("qos-vessel", outline);
    if let Some(y) = drop {
        all.rect("qos-drop", Rect::new(middle - 5.0, y, 10.0, 6.0), 2.0);
    }
    if class.discipline == Discipline::Discard {
        let cross = svg_path!(M left, TOP; L right, bottom; M right, TOP; L left, bottom);
        all.path("qos-cross", cross);
    }
    all
}

/// Returns the height of the level in the vessel of a class, in pixels.
fn level_height(class: &QosClassView) -> f64 {
    let level = class.level.level.max(0) as f64;
    let share = level / class.level.max.max(1) as f64;
    VESSEL[1] * share.min(1.0)
}

/// Renders the vessel of a class. The level moves only when the state of the class changes.
pub fn gauge(class: &QosClassView) -> Html {
    let [width, height] = SIZE;
    let filled = level_height(class);
    html! {
        <svg class="qos-svg qos-gauge" width={num(width)} height={num(height)} aria-hidden="true">
            <rect class="qos-fill" data-mark={["level:", &class.name].concat()}
                data-order={order::STORE.to_string()} x={num((width - VESSEL[0]) / 2.0)}
                y={num(TOP + VESSEL[1] - filled)} width={num(VESSEL[0])} height={num(filled)} />
            { marks::draw(&vessel(class)) }
        </svg>
    }
}

/// Renders a mark for each delayed request and for each free place in the queue.
pub fn queue(class: &QosClassView) -> Html {
    let places = class.waiting.max(class.queue).min(WAITING_MAX);
    let mut all = Marks::default();
    for at in 0..places {
        let name = match at < class.waiting {
            true => "qos-waiting",
            false => "qos-place",
        };
        let identity = Identity::new(&class.name, &at.to_string(), order::WATCHER);
        all.part(identity, |all| {
            all.circle(name, pt(at as f64 * PLACE + 6.0, 6.0), 5.0);
        });
    }
    all.svg("qos-svg", places as f64 * PLACE, 12.0)
}

/// Renders the latencies as bars, and adds a text alternative with the same content.
pub fn latencies(bins: &[u64; LATENCY_BINS]) -> Html {
    let most = bins.iter().copied().max().unwrap_or_default();
    if most == 0 {
        return html! {};
    }
    let mut all = Marks::default();
    for (at, count) in bins.iter().enumerate() {
        let least = if *count > 0 { 2.0 } else { 0.0 };
        let height = (26.0 * *count as f64 / most as f64).max(least);
        let bar = Rect::new(at as f64 * BIN + 1.0, 28.0 - height, BIN - 4.0, height);
        all.rect("qos-bar", bar, 0.0);
    }
    all.level("qos-base", 0.0, 132.0, 28.5);
    for (at, name) in words::BIN_LABELS.into_iter().enumerate() {
        let x = (at as f64 * BIN + 10.0).max(14.0);
        all.text("qos-bin", pt(x, 41.0), name);
    }
    html! {
        <div class="qos-latencies">
            <svg class="qos-svg" width="132" height="44" role="img"
                aria-label={words::latency(bins)}>
                { marks::draw(&all) }
            </svg>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_level_fills_its_share_of_the_vessel() {
        let mut class = fixture::busy().classes[0].clone();
        assert!((level_height(&class) - VESSEL[1] * 2.0 / 3.0).abs() < 0.001);
        class.level.level = -4;
        assert_eq!(level_height(&class), 0.0, "reserved tokens");
        class.level.level = 9;
        assert_eq!(level_height(&class), VESSEL[1]);
        let units = vessel(&class);
        assert_eq!(units.lines("qos-unit").count(), 2);
    }
}
