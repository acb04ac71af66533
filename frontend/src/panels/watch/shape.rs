//! The four shapes of a watcher. Both the shape and the colour show the watcher's pool, so a reader can rely on either.

use watchglass_engine::view::watch::WatcherPool;
use yew::prelude::*;

use crate::draw::marks::{self, Mark, path};

/// Returns the marks of a shape with its middle at (`x`, `y`) and radius `r`.
pub fn shape(pool: WatcherPool, x: f64, y: f64, r: f64) -> Vec<Mark> {
    let ring = |class| Mark::Rect(class, [x - r, y - r, 2.0 * r, 2.0 * r, r]);
    match pool {
        WatcherPool::Synced => vec![ring("watch-synced")],
        WatcherPool::Unsynced => vec![
            ring("watch-unsynced"),
            Mark::Path(
                "watch-unsynced-half",
                path(&[
                    ("M", &[x, y - r]),
                    ("a", &[r, r, 0.0, 0.0, 0.0, 0.0, 2.0 * r]),
                    ("z", &[]),
                ]),
            ),
        ],
        WatcherPool::Victim => {
            let (a, b) = (r * 1.07, r * 0.45);
            let d = path(&[
                ("M", &[x - b, y - a]),
                ("h", &[2.0 * b]),
                ("l", &[a - b, a - b]),
                ("v", &[2.0 * b]),
                ("l", &[b - a, a - b]),
                ("h", &[-2.0 * b]),
                ("l", &[b - a, b - a]),
                ("v", &[-2.0 * b]),
                ("z", &[]),
            ]);
            vec![Mark::Path("watch-victim", d)]
        }
        WatcherPool::Compacted => {
            let c = r * 0.45;
            let d = path(&[
                ("M", &[x - c, y - c]),
                ("l", &[2.0 * c, 2.0 * c]),
                ("m", &[0.0, -2.0 * c]),
                ("l", &[-2.0 * c, 2.0 * c]),
            ]);
            vec![
                ring("watch-canceled"),
                Mark::Path("watch-canceled-cross", d),
            ]
        }
    }
}

/// Renders the shape as an icon. A text with the same meaning is beside the icon.
pub fn pool_icon(pool: WatcherPool) -> Html {
    html! {
        <svg class="watch-icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
            { marks::draw(&shape(pool, 8.0, 8.0, 6.4)) }
        </svg>
    }
}
