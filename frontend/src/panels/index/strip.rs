//! The strip below the Index view, which shows watchers and caches on the same revision axis. Each watcher and each
//! cache is at its revision; a hatched bar up to the head revision shows its lag. Watchers that wait for the same
//! revision share a row. Each cache has its own row with its history window.
//!
//! The strip only shows which writes the watchers and caches have received; the Watch view and the Cache view show
//! more.

use watchglass_engine::view::cache::{CacheReady, CacheRow};
use watchglass_engine::view::watch::{WatcherBin, WatcherPool, WatcherView};
use watchglass_engine::view::{Views, WatchView};
use yew::prelude::*;

use crate::draw::axis::NAMES_LEFT;
use crate::draw::surface::{num, within};
use crate::draw::{
    Font, Identity, Marks, Rect, RevScale, Side, TextBox, marks, order, pt, svg_path, text,
};
use crate::hooks::pointed;
use crate::state::ui::KeySpan;
use crate::widgets::shared::Shared;
use crate::words::cache as cache_words;
use crate::words::index as words;
use crate::words::watch as watch_words;

#[derive(PartialEq, Properties)]
pub struct StripProps {
    pub views: Shared<Views>,
    /// The revision axis that the strip shares with the lanes.
    pub scale: RevScale,
    pub width: f64,
    pub font: Font,
    pub selected: Option<u64>,
    pub on_watcher: Callback<u64>,
    /// Called when the user points at a watcher, with the watcher's keys.
    pub on_highlight: Callback<Option<KeySpan>>,
}

/// The height of a row of the strip, in pixels.
const ROW: f64 = 24.0;
/// Half the height of the bar that shows a lag, and of a history window.
const HALF: f64 = 5.0;
/// The radius of the shape of a watcher or a cache, and the distance from its middle to its name.
const SHAPE: f64 = 6.5;
const BESIDE: f64 = 12.0;
/// The distance between two names in a row.
const APART: f64 = 8.0;
/// The minimum distance from the middle of a shape to the ends of the axis.
const ENDS: f64 = 10.0;
/// The maximum length of a name, in characters.
const NAME_CELLS: usize = 12;
/// The maximum number of rows of watchers; further watchers share the last row.
const ROWS_MAX: usize = 3;
/// The maximum number of caches that the strip shows.
const CACHES_MAX: usize = 3;

pub fn range_of(watcher: &WatcherView) -> KeySpan {
    KeySpan {
        key: watcher.key.clone(),
        end: watcher.end.clone(),
    }
}

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
            <p class="wg-unseen">
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
                    html! {
                        <g key={*id} {class} data-watcher={id.to_string()} data-mark={format!("watcher:{id}")}
                            data-order={order::WATCHER.to_string()}>{ marks::draw(marks) }</g>
                    }
                }) }
            </svg>
        </div>
    }
}

/// Returns the watchers grouped by the revision for which they wait, the slowest first.
fn rows(view: &WatchView) -> Vec<Vec<&WatcherView>> {
    if view.is_dense() {
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

/// Returns the x coordinate of the texts left of the axis.
fn names_left(scale: RevScale) -> f64 {
    if scale.left < 120.0 { 12.0 } else { NAMES_LEFT }
}

/// Returns an x coordinate on the axis, at some distance from its ends.
fn on_plot(scale: RevScale, x: f64) -> f64 {
    within(x, scale.left + ENDS, scale.right() - ENDS)
}

/// Returns true if a name is at the left of its shape: on the side that has more room, away from the head revision.
fn is_leftwards(scale: RevScale, x: f64) -> bool {
    x > scale.left + scale.width * 0.4
}

/// Adds a hatched bar that shows a lag.
fn lag(marks: &mut Marks, from: f64, to: f64, y: f64) {
    let area = Rect::between(pt(from, y - HALF), pt(to, y + HALF));
    marks.rect("watch-lag", area, 0.0);
}

/// Adds a name that begins at `x`.
fn name(marks: &mut Marks, x: f64, y: f64, said: TextBox) {
    marks.plated("watch-name", pt(x, y), Side::Right, said);
}

/// Draws a cache: its history window as a bracket, its revision as a shape, and its lag.
fn lay_cache(props: &StripProps, cache: &CacheRow, at: usize, back: &mut Marks) {
    let scale = props.scale;
    let y = at as f64 * ROW + ROW / 2.0;
    if at == 0 {
        back.level("watch-hair", 0.0, props.width, 0.5);
        back.label("watch-axis", pt(names_left(scale), y), words::CACHES);
    }
    let own = on_plot(scale, scale.x(cache.revision));
    let oldest = cache.window.oldest.unwrap_or(cache.revision);
    let begin = on_plot(scale, scale.x(oldest));
    if cache.behind > 0 {
        let head = cache.revision + i64::try_from(cache.behind).unwrap_or(0);
        let identity = Identity::new("cache-lag", &cache.server, order::CACHE);
        let to = on_plot(scale, scale.x(head));
        back.part(identity, |marks| lag(marks, own, to, y));
    }
    let pool = match cache.behind {
        0 => WatcherPool::Synced,
        _ => WatcherPool::Unsynced,
    };
    let mut said = text::middle(&cache.server, NAME_CELLS);
    if scale.x(cache.revision) < scale.left {
        // The revision is before the visible range, so it is written as text.
        said = words::cache_before(&said, cache.revision);
    } else {
        let bracket = svg_path!(M begin, y - HALF; v 2.0 * HALF; M begin, y; H own);
        let of_cache = |kind| Identity::new(kind, &cache.server, order::CACHE);
        back.part(of_cache("window"), |marks| {
            marks.path("cache-window", bracket)
        });
        back.part(of_cache("cache"), |marks| {
            marks.shape(pool, pt(own, y), SHAPE)
        });
    }
    let said = props.font.measure(said);
    let x = match is_leftwards(scale, own) {
        true => own - BESIDE - said.width,
        false => own + BESIDE,
    };
    if x >= scale.left + 2.0 && x + said.width <= scale.right() {
        let identity = Identity::new("cache-name", &cache.server, order::CACHE);
        back.part(identity, |marks| name(marks, x, y, said));
    }
}

/// Lays out the strip: returns the marks that belong to no watcher, and the shape and name of each watcher.
fn lay(
    props: &StripProps,
    view: &WatchView,
    rows: &[Vec<&WatcherView>],
    above: f64,
) -> (Marks, Vec<(u64, Marks)>) {
    let (scale, font) = (props.scale, props.font);
    let mut back = Marks::default();
    if rows.is_empty() {
        return (back, Vec::new());
    }
    back.level("watch-hair", 0.0, props.width, above + 0.5);
    let heading = pt(names_left(scale), above + ROW / 2.0);
    back.label("watch-axis", heading, words::WATCHERS);
    if view.is_dense() {
        dense(scale, view, font, above, &mut back);
        return (back, Vec::new());
    }
    let mut named = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let y = above + at as f64 * ROW + ROW / 2.0;
        // The end of the last name, where the next name begins.
        let mut free = None::<f64>;
        let slowest = row.iter().map(|watcher| watcher.next).min();
        if let Some(next) = slowest.filter(|next| *next <= view.revision) {
            let (from, to) = scale.ends(next, view.revision);
            let (from, to) = (from.max(scale.left), to.min(scale.right()));
            if to > from {
                let identity = Identity::of("lag", at as u64, order::WATCHER);
                back.part(identity, |marks| lag(marks, from, to, y));
            }
        }
        let x_of = |watcher: &WatcherView| on_plot(scale, scale.x(place(view, watcher)));
        let first = row.first().map_or(0.0, |watcher| x_of(watcher));
        let leftwards = is_leftwards(scale, first);
        let mut x = first;
        let mut nameless = 0;
        for watcher in row {
            let own = x_of(watcher);
            let said = font.measure(text::middle(&watcher.name, NAME_CELLS));
            if own - first > 1.0 {
                x = own;
            }
            let mut marks = Marks::default();
            marks.shape(watcher.pool, pt(own, y), SHAPE);
            let text_x = match leftwards {
                true => free.unwrap_or(x - BESIDE) - said.width,
                false => free.unwrap_or(x + BESIDE),
            };
            let end = text_x + said.width;
            if text_x < scale.left + 2.0 || end > scale.right() {
                nameless += 1;
            } else {
                free = Some(if leftwards {
                    text_x - APART
                } else {
                    end + APART
                });
                name(&mut marks, text_x, y, said);
            }
            named.push((watcher.id, marks));
        }
        if let Some(free) = free.filter(|_| nameless > 0) {
            let said = font.measure(words::more_watchers(nameless));
            let x = match leftwards {
                true => free - said.width,
                false => free.min(props.width - said.width - 4.0),
            };
            back.label("watch-axis", pt(x, y), said.text);
        }
    }
    (back, named)
}

fn dense(scale: RevScale, view: &WatchView, font: Font, above: f64, back: &mut Marks) {
    let count = |bin: &WatcherBin| bin.unsynced_now + bin.unsynced_later + bin.victims;
    let most = view.bins.iter().map(count).max().unwrap_or(0).max(1);
    let mut d = String::new();
    for bin in view.bins.iter().filter(|bin| count(bin) > 0) {
        let (from, to) = scale.ends(bin.from, bin.to);
        let (from, to) = (from.max(scale.left), to.min(scale.right()));
        if to > from {
            let height = 3.0 + 14.0 * f64::from(count(bin)) / f64::from(most);
            let width = (to - from - 1.0).max(1.0);
            let base = above + ROW - 3.0;
            d.push_str(&svg_path!(M from, base; v -height; h width; v height; z));
        }
    }
    back.path("watch-now", d);
    let x = scale.x(view.revision + 1).min(scale.right() - ENDS);
    let y = above + ROW / 2.0;
    let said = font.measure(text::count(view.synced));
    back.shape(WatcherPool::Synced, pt(x, y), SHAPE);
    name(back, x - BESIDE - said.width, y, said);
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    fn marks(revision: i64) -> Marks {
        let props = StripProps {
            views: Shared(Rc::default()),
            scale: RevScale {
                left: 150.0,
                width: 600.0,
                from: 100.0,
                pitch: 20.0,
            },
            width: 760.0,
            font: Font::of(0.602),
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
        let mut back = Marks::default();
        lay_cache(&props, &cache, 0, &mut back);
        back
    }

    #[test]
    fn a_cache_stands_where_it_knows_everything_and_its_lag_reaches_the_head() {
        let lag = marks(110).rects("watch-lag").next();
        assert_eq!(lag.map(|lag| (lag.x, lag.right())), Some((350.0, 550.0)));
        assert_eq!(marks(120).rects("watch-synced").count(), 1);
    }

    #[test]
    fn one_that_stands_before_the_window_is_not_drawn_inside_it() {
        let marks = marks(40);
        assert_eq!(marks.rects("watch-unsynced").count(), 0);
        let mut names = marks.texts("watch-name");
        assert!(names.any(|(_, said)| said == "‹ api-1 at 40"));
    }
}
