//! Shapes that several pictures use. A watcher has one of four shapes; both the shape and the colour show the watcher's
//! pool, so a reader can rely on either.

use watchglass_engine::view::watch::WatcherPool;
use yew::prelude::*;

use super::geometry::{Point, pt};
use super::marks::{Marks, draw, svg_path};

impl Marks {
    /// Adds the shape of a pool with radius `r`.
    pub fn shape(&mut self, pool: WatcherPool, middle: Point, r: f64) {
        let Point { x, y } = middle;
        match pool {
            WatcherPool::Synced => self.circle("watch-synced", middle, r),
            WatcherPool::Unsynced => {
                self.circle("watch-unsynced", middle, r);
                let half = svg_path!(M x, y - r; a r, r, 0.0, 0.0, 0.0, 0.0, 2.0 * r; z);
                self.path("watch-unsynced-half", half);
            }
            WatcherPool::Victim => {
                let (a, b) = (r * 1.07, r * 0.45);
                let c = a - b;
                let right = svg_path!(M x - b, y - a; h 2.0 * b; l c, c; v 2.0 * b);
                let left = svg_path!(l -c, c; h -2.0 * b; l -c, -c; v -2.0 * b; z);
                self.path("watch-victim", right + &left);
            }
            WatcherPool::Compacted => {
                self.circle("watch-canceled", middle, r);
                self.path("watch-canceled-cross", cross(middle, r * 0.45, r * 0.45));
            }
        }
    }
}

/// Returns a cross with these distances from its middle to its ends.
pub fn cross(middle: Point, across: f64, down: f64) -> String {
    let (x, y, width, height) = (middle.x - across, middle.y - down, 2.0 * across, 2.0 * down);
    svg_path!(M x, y; l width, height; m 0.0, -height; l -width, height)
}

/// Returns a square that stands on a corner, with this distance from its middle to its corners.
pub fn diamond(middle: Point, size: f64) -> String {
    let Point { x, y } = middle;
    svg_path!(M x, y - size; L x + size, y; L x, y + size; L x - size, y; z)
}

/// Renders the shape of a pool as an icon. A text with the same meaning is beside the icon.
pub fn pool_icon(pool: WatcherPool) -> Html {
    let mut marks = Marks::default();
    marks.shape(pool, pt(8.0, 8.0), 6.4);
    html! {
        <svg class="watch-icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">{ draw(&marks) }</svg>
    }
}
