//! The strip below the Index view, which shows watchers and caches on the same revision axis. Each watcher and each
//! cache is at its revision; a hatched bar up to the head revision shows its lag. Watchers that wait for the same
//! revision share a row. Each cache has its own row with its history window.
//!
//! The strip only shows which writes the watchers and caches have received; the Watch view and the Cache view show
//! more.

use crate::draw::surface::within;
use crate::hooks::pointed;
use watchglass_engine::view::cache::{CacheReady, CacheRow};
use watchglass_engine::view::watch::{WatcherPool, WatcherView};
use watchglass_engine::view::{Views, WatchView};
use yew::prelude::*;

use crate::draw::marks::{self, FONT, Mark, path};
use crate::draw::scale::RevScale;
use crate::draw::surface::num;
use crate::draw::text;
use crate::panels::watch::scene::{is_dense, span};
use crate::panels::watch::shape::shape;
use crate::state::ui::KeySpan;
use crate::widgets::shared::Shared;
use crate::words::cache as cache_words;
use crate::words::index as words;
use crate::words::watch as watch_words;

/// The properties of the component that shows watchers and caches below the lanes.
#[derive(PartialEq, Properties)]
pub struct StripProps {
    /// The current views.
    pub views: Shared<Views>,
    /// The revision axis that the strip shares with the lanes.
    pub scale: RevScale,
    /// The width of the drawing area.
    pub width: f64,
    /// The width of a monospace character as a fraction of the font size.
    pub advance: f64,
    /// The selected watcher.
    pub selected: Option<u64>,
    /// Called when the user selects a watcher.
    pub on_watcher: Callback<u64>,
    /// Called when the user points at a watcher, with the watcher's keys.
    pub on_highlight: Callback<Option<KeySpan>>,
}

/// The height of a row of the strip, in pixels.
const ROW: f64 = 24.0;
/// The maximum number of rows of watchers; further watchers share the last row.
const ROWS_MAX: usize = 3;
/// The maximum number of caches that the strip shows.
const CACHES_MAX: usize = 3;

/// Returns the range of keys of a watcher.
pub fn range_of(watcher: &WatcherView) -> KeySpan {
    KeySpan {
        key: watcher.key.clone(),
        end: watcher.end.clone(),
    }
}

/// Returns the height of the strip, which shows watchers and caches below the lanes.
pub fn height(views: &Views) -> f64 {
    let watchers = views.watch.as_ref().map_or(0, |view| rows(view).len());
    (watchers + caches(views).len()) as f64 * ROW
}

/// Renders the strip below the lanes; empty if there are no watchers and no caches.
#[component]
pub fn Strip(props: &StripProps) -> Html {
    let nothing = use_memo((), |()| WatchView::default());
    let view = props.views.watch.as_ref().unwrap_or(&nothing);
    let rows = rows(view);
    let caches = caches(&props.views);
    // Within a run, the strip never becomes lower, so that the lanes stay in place.
    let tallest = use_mut_ref(|| (None, 0));
    let height = {
        let status = &props.views.status;
        let run = Some((status.title.clone(), status.seed, status.branch));
        let mut seen = tallest.borrow_mut();
        if seen.0 != run {
            *seen = (run, 0);
        }
        seen.1 = seen.1.max(rows.len() + caches.len());
        seen.1 as f64 * ROW
    };
    if height == 0.0 {
        return html! {};
    }
    let find = {
        let views = props.views.clone();
        move |event: &MouseEvent| -> Option<WatcherView> {
            let id = pointed(event, "data-watcher")?;
            let view = views.watch.as_ref()?;
            view.watchers.iter().find(|known| known.id == id).cloned()
        }
    };
    let onclick = {
        let (find, on_watcher) = (find.clone(), props.on_watcher.clone());
        Callback::from(move |event: MouseEvent| {
            if let Some(watcher) = find(&event) {
                on_watcher.emit(watcher.id);
            }
        })
    };
    let onpointerover = {
        let on_highlight = props.on_highlight.clone();
        Callback::from(move |event: PointerEvent| {
            on_highlight.emit(find(&event).as_ref().map(range_of));
        })
    };
    let onpointerleave = {
        let on_highlight = props.on_highlight.clone();
        Callback::from(move |_: PointerEvent| on_highlight.emit(None))
    };
    let above = caches.len() as f64 * ROW;
    let (mut back, named) = lay(props, view, &rows, above);
    for (at, cache) in caches.iter().enumerate() {
        lay_cache(props, cache, at, &mut back);
    }
    let told = props.views.cache.as_ref().filter(|_| !caches.is_empty());
    html! {
        <div class="loom-strip">
            <p class="loom-hidden">
                { watch_words::figure(view) }
                if let Some(view) = told { { " " }{ cache_words::figure(view) } }
            </p>
            <svg class="watch-svg" width={num(props.width)} height={num(height)} aria-hidden="true"
                {onclick} {onpointerover} {onpointerleave}>
                <defs>
                    { marks::hatch("watch-hatch-lag", "7", "2") }
                </defs>
                { marks::draw(&back) }
                { for named.iter().map(|(id, marks)| {
                    let class = if props.selected == Some(*id) {
                        "watch-watcher selected"
                    } else {
                        "watch-watcher"
                    };
                    html! { <g key={*id} {class} data-watcher={id.to_string()}>{ marks::draw(marks) }</g> }
                }) }
            </svg>
        </div>
    }
}

/// Returns the watchers grouped by the revision for which they wait, the slowest first.
fn rows(view: &WatchView) -> Vec<Vec<&WatcherView>> {
    if is_dense(view) {
        return vec![Vec::new()];
    }
    let mut known: Vec<&WatcherView> = view
        .watchers
        .iter()
        .filter(|watcher| watcher.pool != WatcherPool::Compacted)
        .collect();
    known.sort_unstable_by_key(|watcher| (place(view, watcher), watcher.id));
    let mut rows: Vec<Vec<&WatcherView>> = Vec::new();
    for watcher in known {
        let same = rows
            .last()
            .and_then(|row| row.first())
            .is_some_and(|first| place(view, first) == place(view, watcher));
        match rows.last_mut() {
            Some(row) if same => row.push(watcher),
            _ => rows.push(vec![watcher]),
        }
    }
    // If there are too many rows, the watchers nearest to the head revision share the last row.
    while rows.len() > ROWS_MAX {
        let more = rows.remove(ROWS_MAX - 1);
        rows[ROWS_MAX - 2].extend(more);
    }
    rows
}

fn place(view: &WatchView, watcher: &WatcherView) -> i64 {
    watcher.next.min(view.revision + 1)
}

/// Returns the caches that have data, in the order of their servers; at most [`CACHES_MAX`].
fn caches(views: &Views) -> Vec<&CacheRow> {
    let known = views.cache.iter().flat_map(|view| &view.caches);
    let usable = known.filter(|cache| cache.cached && cache.ready != CacheReady::Off);
    usable
        .filter(|cache| cache.revision > 0)
        .take(CACHES_MAX)
        .collect()
}

/// Draws a cache: its history window as a bracket, its revision as a shape, and its lag.
fn lay_cache(props: &StripProps, cache: &CacheRow, at: usize, back: &mut Vec<Mark>) {
    let scale = props.scale;
    let y = at as f64 * ROW + ROW / 2.0;
    if at == 0 {
        back.push(Mark::Line("watch-hair", [0.0, 0.5, props.width, 0.5]));
        let left = if scale.left < 120.0 { 12.0 } else { 16.0 };
        let said = words::CACHES.to_owned();
        back.push(Mark::Text("watch-axis", [left, y + 4.4], said));
    }
    let on_plot = |x: f64| within(x, scale.left + 10.0, scale.right() - 10.0);
    let own = on_plot(scale.x(cache.revision));
    let begin = on_plot(scale.x(cache.window.oldest.unwrap_or(cache.revision)));
    if cache.behind > 0 {
        let head = cache.revision + i64::try_from(cache.behind).unwrap_or(0);
        let to = on_plot(scale.x(head));
        back.push(Mark::Rect("watch-lag", [own, y - 5.0, to - own, 10.0, 0.0]));
    }
    let pool = if cache.behind == 0 {
        WatcherPool::Synced
    } else {
        WatcherPool::Unsynced
    };
    let mut said = text::middle(&cache.server, 12);
    if scale.x(cache.revision) < scale.left {
        // The revision is before the visible range, so it is written as text.
        said = words::cache_before(&said, cache.revision);
    } else {
        let bracket = path(&[
            ("M", &[begin, y - 5.0]),
            ("v", &[10.0]),
            ("M", &[begin, y]),
            ("H", &[own]),
        ]);
        back.push(Mark::Path("cache-window", bracket));
        back.extend(shape(pool, own, y, 6.5));
    }
    let width = text::cells(&said) as f64 * props.advance * FONT;
    let leftwards = own > scale.left + scale.width * 0.4;
    let x = if leftwards {
        own - 12.0 - width
    } else {
        own + 12.0
    };
    if x >= scale.left + 2.0 && x + width <= scale.right() {
        back.push(Mark::Rect(
            "watch-plate",
            [x - 3.0, y - 8.0, width + 6.0, 16.0, 3.0],
        ));
        back.push(Mark::Text("watch-name", [x, y + 4.2], said));
    }
}

/// Lays out the strip: returns the marks that belong to no watcher, and the shape and name of each watcher.
fn lay(
    props: &StripProps,
    view: &WatchView,
    rows: &[Vec<&WatcherView>],
    above: f64,
) -> (Vec<Mark>, Vec<(u64, Vec<Mark>)>) {
    let scale = props.scale;
    let advance = props.advance * FONT;
    let left = if scale.left < 120.0 { 12.0 } else { 16.0 };
    let mut back = Vec::new();
    if rows.is_empty() {
        return (back, Vec::new());
    }
    let line = [0.0, above + 0.5, props.width, above + 0.5];
    back.push(Mark::Line("watch-hair", line));
    let said = words::WATCHERS.to_owned();
    back.push(Mark::Text("watch-axis", [left, above + 16.4], said));
    let on_plot = |x: f64| within(x, scale.left + 10.0, scale.right() - 10.0);
    if is_dense(view) {
        dense(scale, view, advance, above, &mut back);
        return (back, Vec::new());
    }
    let mut named = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let y = above + at as f64 * ROW + ROW / 2.0;
        let mut free = f64::MIN;
        let slowest = row.iter().map(|watcher| watcher.next).min();
        if let Some(next) = slowest.filter(|next| *next <= view.revision) {
            let (from, to) = span(scale, next, view.revision);
            let (from, to) = (from.max(scale.left), to.min(scale.right()));
            if to > from {
                back.push(Mark::Rect(
                    "watch-lag",
                    [from, y - 5.0, to - from, 10.0, 0.0],
                ));
            }
        }
        // The names are on the side that has more room, away from the head revision.
        let first = row
            .first()
            .map_or(0.0, |w| on_plot(scale.x(place(view, w))));
        let leftwards = first > scale.left + scale.width * 0.4;
        let mut x = first;
        let mut nameless = 0;
        for watcher in row {
            let own = on_plot(scale.x(place(view, watcher)));
            let said = text::middle(&watcher.name, 12);
            let width = text::cells(&said) as f64 * advance;
            if own - first > 1.0 {
                x = own;
            }
            let mut marks = shape(watcher.pool, own, y, 6.5);
            let text_x = if leftwards {
                let from = if free == f64::MIN { x - 12.0 } else { free };
                from - width
            } else if free == f64::MIN {
                x + 12.0
            } else {
                free
            };
            if text_x < scale.left + 2.0 || text_x + width > scale.right() {
                nameless += 1;
                named.push((watcher.id, marks));
                continue;
            }
            free = if leftwards {
                text_x - 8.0
            } else {
                text_x + width + 8.0
            };
            let plate = [text_x - 3.0, y - 8.0, width + 6.0, 16.0, 3.0];
            marks.push(Mark::Rect("watch-plate", plate));
            marks.push(Mark::Text("watch-name", [text_x, y + 4.2], said));
            named.push((watcher.id, marks));
        }
        if nameless > 0 && free != f64::MIN {
            let said = words::more_watchers(nameless);
            let width = text::cells(&said) as f64 * advance;
            let x = if leftwards {
                free - width
            } else {
                free.min(props.width - width - 4.0)
            };
            back.push(Mark::Text("watch-axis", [x, y + 4.2], said));
        }
    }
    (back, named)
}

fn dense(scale: RevScale, view: &WatchView, advance: f64, above: f64, back: &mut Vec<Mark>) {
    let count = |bin: &watchglass_engine::view::watch::WatcherBin| {
        bin.unsynced_now + bin.unsynced_later + bin.victims
    };
    let most = view.bins.iter().map(count).max().unwrap_or(0).max(1);
    let mut d = String::new();
    for bin in view.bins.iter().filter(|bin| count(bin) > 0) {
        let (from, to) = span(scale, bin.from, bin.to);
        let (from, to) = (from.max(scale.left), to.min(scale.right()));
        if to > from {
            let height = 3.0 + 14.0 * f64::from(count(bin)) / f64::from(most);
            let width = (to - from - 1.0).max(1.0);
            let base = above + ROW - 3.0;
            d.push_str(&path(&[
                ("M", &[from, base]),
                ("v", &[-height]),
                ("h", &[width]),
                ("v", &[height]),
                ("z", &[]),
            ]));
        }
    }
    back.push(Mark::Path("watch-now", d));
    let x = scale.x(view.revision + 1).min(scale.right() - 10.0);
    let said = text::count(view.synced);
    let width = text::cells(&said) as f64 * advance;
    back.extend(shape(WatcherPool::Synced, x, above + ROW / 2.0, 6.5));
    back.push(Mark::Rect(
        "watch-plate",
        [
            x - 15.0 - width,
            above + ROW / 2.0 - 8.0,
            width + 6.0,
            16.0,
            3.0,
        ],
    ));
    back.push(Mark::Text(
        "watch-name",
        [x - 12.0 - width, above + ROW / 2.0 + 4.2],
        said,
    ));
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    fn marks(revision: i64) -> Vec<Mark> {
        let props = StripProps {
            views: Shared(Rc::default()),
            scale: RevScale {
                left: 150.0,
                width: 600.0,
                from: 100.0,
                pitch: 20.0,
            },
            width: 760.0,
            advance: 0.602,
            selected: None,
            on_watcher: Callback::noop(),
            on_highlight: Callback::noop(),
        };
        let cache = CacheRow {
            server: "api-1".to_owned(),
            cached: true,
            ready: CacheReady::Ready,
            revision,
            behind: (120 - revision).max(0).unsigned_abs(),
            ..CacheRow::default()
        };
        let mut back = Vec::new();
        lay_cache(&props, &cache, 0, &mut back);
        back
    }

    #[test]
    fn a_cache_stands_where_it_knows_everything_and_its_lag_reaches_the_head() {
        let lag = marks(110).into_iter().find_map(|mark| match mark {
            Mark::Rect("watch-lag", [x, _, wide, ..]) => Some((x, x + wide)),
            _ => None,
        });
        assert_eq!(lag, Some((350.0, 550.0)));
        assert!(
            marks(120)
                .iter()
                .any(|mark| matches!(mark, Mark::Rect("watch-synced", _)))
        );
    }

    #[test]
    fn one_that_stands_before_the_window_is_not_drawn_inside_it() {
        let marks = marks(40);
        assert!(
            !marks
                .iter()
                .any(|mark| matches!(mark, Mark::Rect("watch-unsynced", _)))
        );
        let said = |mark: &Mark| matches!(mark, Mark::Text(_, _, text) if text == "‹ api-1 at 40");
        assert!(marks.iter().any(said));
    }
}
