//! The texts beside the bands (one band for each pool of watchers): the names of the pools, the time until the next
//! sync pass, and the limits in force.
//!
//! The axis shows revisions and not time. Therefore, a dial shows the time until the next sync pass, not a position on
//! the axis.

use crate::draw::text;
use watchglass_engine::view::WatchView;
use watchglass_engine::view::watch::WatcherPool;
use yew::prelude::*;

use super::ruler::{FLAGS, RULER};
use super::scene::{PoolBand, WatchScene, is_dense};
use super::shape::{name, pool_icon};
use crate::draw::surface::num;
use crate::draw::text::{duration, grouped};
use crate::widgets::Explain;

/// Renders one section for each band, with the height of the band.
pub fn bands(scene: &WatchScene, view: &WatchView, wide: bool) -> Html {
    let used: f64 = scene.bands.iter().map(|band| band.height).sum();
    let rest = scene.height - used - RULER - FLAGS;
    let bands = scene.bands.iter().map(|band| {
            html! {
                <section key={name(band.pool)} class="watch-band">
                    // The height of the band is an attribute, because the page's policy allows no styles.
                    <svg class="watch-strut" width="1" height={num(band.height)} aria-hidden="true"></svg>
                    <div class="watch-head">
                        <h3>
                            { pool_icon(band.pool) }
                            { name(band.pool) }
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
                html! { <>{ "retried every " }{ duration(limits.victim_retry_us) }</> },
                "A victim's channel was full. etcd holds the batch that did not fit and retries it.",
                "syncVictimsLoop, server/storage/mvcc/watchable_store.go",
            ) }</p>
        },
        WatcherPool::Unsynced => html! {
            <>
                { clock(view) }
                if wide && is_dense(view) {
                    { key(view) }
                } else if wide {
                    <p>{ limit(
                        html! { <>{ "≤ " }{ grouped(limits.watchers_per_sync.into()) }{ " watchers a pass" }</> },
                        "The maximum number of unsynced watchers in one sync pass. etcd does \
                         not prefer the slowest watchers.",
                        "maxWatchersPerSync, server/storage/mvcc/watchable_store.go",
                    ) }</p>
                    <p>{ limit(
                        html! { <>{ "≤ " }{ grouped(limits.batch_revs.into()) }{ " revisions each" }</> },
                        "The maximum number of revisions in one response. Later revisions wait for \
                         the next sync pass; a revision is never split.",
                        "watchBatchMaxRevs, server/storage/mvcc/watcher_group.go",
                    ) }</p>
                }
            </>
        },
        WatcherPool::Synced if wide => html! { <p>{ "notified in the same write" }</p> },
        WatcherPool::Compacted if wide => html! { <p>{ "overtaken by compaction" }</p> },
        WatcherPool::Synced | WatcherPool::Compacted => html! {},
    }
}

/// Renders a limit with its explanation and its source.
fn limit(text: Html, about: &'static str, source: &'static str) -> Html {
    html! {
        <Explain class="watch-limit" button={text} hover=true>
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
                <span>{ "to the next sync pass" }</span>
            </span>
        </>
    };
    html! {
        <Explain class="watch-clock" button={said} hover=true>
            { "Every " }{ duration(period) }{ " a sync pass (a sweep in the picture) reads the missing \
               revisions of all unsynced watchers once and sends each watcher its part. If a pass \
               syncs some watchers and leaves others unsynced, the next pass follows immediately." }
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
            <p class="watch-key"><i class="is-now"></i>{ text::count(now) }{ " in this pass" }</p>
            <p class="watch-key"><i></i>{ text::count(view.unsynced.saturating_sub(now)) }{ " in a later pass" }</p>
        </>
    }
}
