//! The texts beside the bands (one band for each pool of watchers): the names of the pools, the time until the next
//! sync pass, and the limits in force.
//!
//! The axis shows revisions and not time. Therefore, a dial shows the time until the next sync pass, not a position on
//! the axis.

use crate::draw::text;
use watchglass_engine::view::WatchView;
use watchglass_engine::view::watch::WatcherPool;
use yew::prelude::*;

use super::scene::{PoolBand, WatchScene};
use crate::draw::axis::RULER;
use crate::draw::order;
use crate::draw::shapes::pool_icon;
use crate::draw::surface::num;
use crate::draw::text::duration;
use crate::widgets::Explain;
use crate::words::watch as words;

/// Renders one section for each band. The section is as high as the band.
pub fn bands(scene: &WatchScene, view: &WatchView, wide: bool) -> Html {
    let used: f64 = scene.bands.iter().map(|band| band.height).sum();
    let rest = scene.height - used - RULER;
    let bands = scene.bands.iter().map(|band| {
            html! {
                <section key={words::pool(band.pool)} data-mark={["pool:", words::pool(band.pool)].concat()}
                    data-order={order::AXIS.to_string()}
                    class={classes!("watch-band", scene.is_tight.then_some("is-tight"))}>
                    // The height of the band is an attribute, because the page's policy allows no styles.
                    <svg class="watch-strut" width="1" height={num(band.height)} aria-hidden="true"></svg>
                    <div class="watch-head">
                        <h3>
                            { pool_icon(band.pool) }
                            { words::pool(band.pool) }
                            <b>{ text::count(band.count) }</b>
                        </h3>
                        { about(band, view, wide) }
                    </div>
                </section>
            }
    });
    html! {
        <>
            { for bands }
            // Room for the flags below the bands.
            <svg class="watch-strut" width="1" height={num(rest)} aria-hidden="true"></svg>
        </>
    }
}

fn about(band: &PoolBand, view: &WatchView, wide: bool) -> Html {
    if band.count == 0 {
        return html! {};
    }
    let limits = &view.limits;
    match band.pool {
        WatcherPool::Victim => html! {
            <p>{ limit(
                words::retried_every(limits.victim_retry_us),
                words::ABOUT_VICTIMS,
                "syncVictimsLoop, server/storage/mvcc/watchable_store.go",
            ) }</p>
        },
        WatcherPool::Unsynced => html! {
            <>
                { clock(view) }
                if wide && view.is_dense() {
                    { key(view) }
                } else if wide {
                    <p>{ limit(
                        words::watchers_per_pass(limits.watchers_per_sync),
                        words::ABOUT_WATCHERS_PER_PASS,
                        "maxWatchersPerSync, server/storage/mvcc/watchable_store.go",
                    ) }</p>
                    <p>{ limit(
                        words::revisions_each(limits.batch_revs),
                        words::ABOUT_REVISIONS_EACH,
                        "watchBatchMaxRevs, server/storage/mvcc/watcher_group.go",
                    ) }</p>
                }
            </>
        },
        WatcherPool::Synced if wide => html! { <p>{ words::IN_THE_WRITE }</p> },
        WatcherPool::Compacted if wide => html! { <p>{ words::OVERTAKEN }</p> },
        WatcherPool::Synced | WatcherPool::Compacted => html! {},
    }
}

/// Renders a limit with its explanation and its source.
fn limit(text: String, about: &'static str, source: &'static str) -> Html {
    html! {
        <Explain class="watch-limit" button={html! { { text } }} hover=true>
            { about }<code>{ source }</code>
        </Explain>
    }
}

/// Renders the time until the next sync pass, as a dial and as a number.
fn clock(view: &WatchView) -> Html {
    let period = view.limits.resync_us.max(1);
    let Some(next) = &view.next_sync else {
        return html! {};
    };
    let gone = 1000 - next.in_us.min(period) * 1000 / period;
    let said = html! {
        <>
            { dial(gone) }
            <span class="watch-clock-text">
                <b>{ duration(next.in_us) }</b>
                <span>{ words::TO_NEXT_PASS }</span>
            </span>
        </>
    };
    html! {
        <Explain class="watch-clock" button={said} hover=true>
            { words::about_passes(period) }
            <code>{ "watchResyncPeriod, server/storage/mvcc/watchable_store.go" }</code>
        </Explain>
    }
}

/// Renders a dial; `gone` thousandths of the dial are filled.
fn dial(gone: u64) -> Html {
    // `pathLength` sets the circumference to 1000, so that no sine is needed.
    let dashes = format!("{gone} 1000");
    let turn = format!("rotate({} 18 18)", (gone * 360 / 1000));
    html! {
        <svg class="watch-dial" width="36" height="36" viewBox="0 0 36 36" aria-hidden="true">
            <circle cx="18" cy="18" r="14" />
            <path class="is-gone" d="M18 4a14 14 0 010 28a14 14 0 010-28" pathLength="1000" stroke-dasharray={dashes} />
            <path class="is-hand" d="M18 18V8.5" transform={turn} />
        </svg>
    }
}

/// Renders the legend that explains filled and hollow columns.
fn key(view: &WatchView) -> Html {
    let now = view.next_sync.as_ref().map_or(0, |next| next.picks);
    html! {
        <>
            <p class="watch-key"><i class="is-now"></i>{ words::in_this_pass(now) }</p>
            <p class="watch-key"><i></i>{ words::in_later_pass(view.unsynced.saturating_sub(now)) }</p>
        </>
    }
}
