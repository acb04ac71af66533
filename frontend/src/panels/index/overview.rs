//! The overview: a narrow strip at the right edge that represents all lanes, with a box around the visible lanes. The
//! user can drag the box to scroll.
//!
//! The overview replaces the browser's scroll bar if not all lanes fit. Its shades show the number of changes near the
//! visible revisions. With the keyboard, PageUp and PageDown scroll the lanes.

use watchglass_engine::view::IndexView;
use web_sys::Element;
use yew::prelude::*;

use super::geometry::{OVERVIEW, RULER, Stage};
use crate::draw::surface::{num, place_in, within};

/// The minimum height of one row of the overview. A row represents one or more lanes and has one shade.
pub const ROW: f64 = 3.0;
/// The minimum height of the box, so that it is easy to grab.
const BOX_MIN: f64 = 24.0;
/// The number of shades, which show how many changes the lanes of a row have.
const SHADES: usize = 3;
/// The CSS classes of the shades, lightest first.
const SHADE_CLASSES: [&str; SHADES] = [
    "loom-overview-shade few",
    "loom-overview-shade some",
    "loom-overview-shade most",
];

/// The content of the overview; all y coordinates are relative to its top.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverviewScene {
    pub height: f64,
    /// The upper edge of the box around the visible lanes.
    pub top: f64,
    /// The height of the box around the visible lanes.
    pub box_height: f64,
    /// The maximum scroll position of the lanes.
    pub scroll_max: f64,
    /// The rows with each shade, as the `d` attribute of a path.
    pub shades: [String; SHADES],
    /// The upper and the lower edge of the range of keys that the picture marks with a bracket.
    pub range: Option<(f64, f64)>,
    /// The y coordinate of the middle of the lane that was written last.
    pub written: Option<f64>,
}

impl OverviewScene {
    /// Computes the overview: the strip beside the drawing area that represents all lanes.
    pub fn new(view: &IndexView, stage: &Stage, scroll_top: f64) -> OverviewScene {
        let height = stage.lanes_height();
        let lanes = f64::from(view.lanes_matching.max(1));
        let scroll_max = stage.scroll_max(view.lanes_matching);
        let share = height / (lanes * stage.tier.lane).max(height);
        let box_height = (height * share).max(BOX_MIN).min(height);
        let top = if scroll_max > 0.0 {
            (height - box_height) * scroll_top / scroll_max
        } else {
            0.0
        };
        let most = view.overview.iter().copied().max().unwrap_or(0).max(1);
        let row = height / (view.overview.len().max(1) as f64);
        let mut shades = <[String; SHADES]>::default();
        for (at, changes) in view.overview.iter().enumerate() {
            // One change gets the lightest shade; more than a third and more than two thirds of the maximum get darker
            // shades.
            let shade = (changes * SHADES as u32).saturating_sub(1) / most;
            if *changes > 0
                && let Some(path) = shades.get_mut(shade as usize)
            {
                let (y, high) = (num(at as f64 * row), num((row - 0.5).max(1.0)));
                path.push_str(&format!("M3 {y}h10v{high}h-10z"));
            }
        }
        let place = |lane: f64| lane / lanes * height;
        OverviewScene {
            height,
            top,
            box_height,
            scroll_max,
            shades,
            range: view.bracket.as_ref().map(|bracket| {
                let (first, last) = (f64::from(bracket.first), f64::from(bracket.last));
                (place(first), place(last + 1.0))
            }),
            written: view.written.map(|lane| place(f64::from(lane) + 0.5)),
        }
    }

    /// Returns the scroll position for which the upper edge of the box is at `top`.
    pub fn scroll_for(&self, top: f64) -> f64 {
        let free = self.height - self.box_height;
        if free <= 0.0 {
            return 0.0;
        }
        within(top / free, 0.0, 1.0) * self.scroll_max
    }

    /// Returns the point of the box that stays at the pointer during a drag, in pixels from the upper edge of the box:
    /// the position of the pointer if the pointer is on the box, otherwise the middle of the box.
    pub fn grip(&self, y: f64) -> f64 {
        let inside = y - self.top;
        if (0.0..=self.box_height).contains(&inside) {
            inside
        } else {
            self.box_height / 2.0
        }
    }
}

#[derive(Properties, PartialEq)]
pub struct LaneOverviewProps {
    pub scene: OverviewScene,
    pub on_scroll: Callback<f64>,
}

#[component]
pub fn Overview(props: &LaneOverviewProps) -> Html {
    let node = use_node_ref();
    let grip = use_mut_ref(|| None::<f64>);
    let scene = &props.scene;
    let onpointerdown = {
        let (node, grip) = (node.clone(), grip.clone());
        let (scene, on_scroll) = (scene.clone(), props.on_scroll.clone());
        Callback::from(move |event: PointerEvent| {
            event.stop_propagation();
            let Some(strip) = node.cast::<Element>().filter(|_| event.button() == 0) else {
                return;
            };
            strip.set_pointer_capture(event.pointer_id()).ok();
            let (_, y) = place_in(&strip, &event);
            let caught = scene.grip(y);
            grip.replace(Some(caught));
            on_scroll.emit(scene.scroll_for(y - caught));
        })
    };
    let onpointermove = {
        let (node, grip) = (node.clone(), grip.clone());
        let (scene, on_scroll) = (scene.clone(), props.on_scroll.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(caught) = *grip.borrow() else { return };
            event.stop_propagation();
            if let Some(strip) = node.cast::<Element>() {
                let (_, y) = place_in(&strip, &event);
                on_scroll.emit(scene.scroll_for(y - caught));
            }
        })
    };
    let onlostpointercapture = Callback::from(move |_: PointerEvent| {
        grip.replace(None);
    });
    let onclick = Callback::from(|event: MouseEvent| event.stop_propagation());
    let shades = SHADE_CLASSES.iter().zip(&scene.shades);
    html! {
        <div ref={node} class="loom-overview" aria-hidden="true" {onpointerdown} {onpointermove}
            {onlostpointercapture} {onclick}>
            <svg class="loom-svg" width={num(OVERVIEW)} height={num(scene.height)}>
                { for shades.filter(|(_, d)| !d.is_empty()).map(|(class, d)| html! {
                    <path class={*class} d={d.clone()} />
                }) }
                if let Some((y1, y2)) = scene.range {
                    <rect class="loom-overview-range" x="0" y={num(y1)} width="2" height={num((y2 - y1).max(2.0))} />
                }
                if let Some(y) = scene.written {
                    <rect class="loom-overview-written" x="1" y={num(y - 1.0)} width="14" height="2" />
                }
                <rect class="loom-overview-box" x="1" y={num(scene.top + 1.0)} width="14"
                    height={num(scene.box_height - 2.0)} rx="3" />
            </svg>
        </div>
    }
}

/// The overview begins below the ruler: `.loom-overview` in `static/index.css` uses the same sizes.
const _: () = assert!(RULER == 34.0 && OVERVIEW == 16.0);

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn view(lanes: u32) -> IndexView {
        IndexView {
            lanes_total: lanes,
            lanes_matching: lanes,
            overview: vec![0, 1, 5, 9],
            written: Some(lanes - 1),
            ..fixture::pods()
        }
    }

    #[test]
    fn the_box_reaches_both_ends_and_leads_back() {
        let view = view(2_000);
        let stage = Stage::new(760.0, 418.0, 2_000, 0.6);
        let max = stage.scroll_max(2_000);
        for scroll in [0.0, max / 3.0, max] {
            let scene = OverviewScene::new(&view, &stage, scroll);
            assert!(scene.top >= 0.0 && scene.top + scene.box_height <= scene.height + 1e-6);
            assert!((scene.scroll_for(scene.top) - scroll).abs() < 1e-6);
        }
        let scene = OverviewScene::new(&view, &stage, max);
        assert_eq!(scene.scroll_for(-99.0), 0.0);
        assert_eq!(scene.scroll_for(1e9), max);
        assert!(scene.written.is_some_and(|y| y > scene.height - 1.0));
    }

    #[test]
    fn a_press_beside_the_box_centres_it_and_a_press_on_it_moves_nothing() {
        let stage = Stage::new(760.0, 418.0, 60, 0.6);
        let scene = OverviewScene::new(&view(60), &stage, 100.0);
        let y = scene.top + 5.0;
        assert!((scene.scroll_for(y - scene.grip(y)) - 100.0).abs() < 1e-6);
        let y = scene.height - scene.box_height / 2.0;
        assert!((scene.scroll_for(y - scene.grip(y)) - scene.scroll_max).abs() < 1e-6);
    }

    #[test]
    fn more_changes_are_darker_and_none_are_blank() {
        let stage = Stage::new(760.0, 418.0, 60, 0.6);
        let scene = OverviewScene::new(&view(60), &stage, 0.0);
        let rows = |path: &String| path.matches('M').count();
        assert_eq!(scene.shades.each_ref().map(rows), [1, 1, 1]);
    }

    #[test]
    fn with_fewer_lanes_than_fit_the_box_is_the_strip() {
        let stage = Stage::new(760.0, 418.0, 60, 0.6);
        let scene = OverviewScene::new(&view(5), &stage, 0.0);
        assert_eq!((scene.top, scene.box_height), (0.0, scene.height));
        assert_eq!(scene.scroll_for(40.0), 0.0);
    }
}
