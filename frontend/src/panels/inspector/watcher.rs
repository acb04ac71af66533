//! The inspector of a watcher: its state and next batch, the output of its client, and the causes of its state.

use crate::draw::text;
use watchglass_engine::view::watch::{WatchLimitsView, WatcherDetail, WatcherPool};
use yew::prelude::*;

use super::panel::{hint, tabbed};
use super::why::{Cause, why};
use crate::draw::shapes::pool_icon;
use crate::draw::text::{grouped, range};
use crate::store::StoreHandle;
use crate::words::inspector as words;
use crate::words::watch::state;

/// Renders the selected watcher, or a hint.
pub fn watcher(store: &StoreHandle, tab: usize, on_tab: Callback<usize>) -> Html {
    let view = store.views.watch.as_ref();
    let detail = view.and_then(|view| view.selected.as_ref());
    let Some(chosen) = store.ui.watcher else {
        return hint(words::WATCHER_HINT);
    };
    let Some(detail) = detail.filter(|detail| detail.watcher.id == chosen) else {
        return hint(words::NO_WATCHER);
    };
    let watcher = &detail.watcher;
    let shown = match tab {
        0 => state_tab(
            detail,
            &view.map(|view| view.limits.clone()).unwrap_or_default(),
        ),
        1 => printed(detail),
        _ => {
            let causes = detail.why.iter().enumerate();
            let causes: Vec<Cause> = causes
                .map(|(at, (step, sentence))| Cause {
                    number: at as u32 + 1,
                    step: *step,
                    at_us: None,
                    sentence,
                })
                .collect();
            why(store, &causes)
        }
    };
    let tabs = &[words::STATE_TAB, words::PRINTED_TAB, words::CAUSES_TAB];
    html! {
        <>
            <header class="insp-head">
                { pool_icon(watcher.pool) }
                <h2 class="insp-key">{ &watcher.name }{ " " }<span>{ &watcher.range }</span></h2>
                <span class="insp-state">{ state(watcher.pool) }</span>
            </header>
            { tabbed(words::WATCHER_VIEWS, tabs, tab, on_tab, shown) }
        </>
    }
}

fn state_tab(detail: &WatcherDetail, limits: &WatchLimitsView) -> Html {
    let watcher = &detail.watcher;
    let start = match detail.start_revision {
        0 => words::NOW.to_owned(),
        revision => grouped(revision),
    };
    let head = watcher.next + watcher.behind - 1;
    let lacks = if watcher.behind > 0 {
        words::not_sent(&range(watcher.next, head), watcher.behind)
    } else {
        words::NOTHING.to_owned()
    };
    let mut fields: Vec<(&str, String)> = vec![
        (words::CLIENT, detail.client.clone()),
        (
            words::STREAM_AND_WATCH_ID,
            [watcher.stream.to_string(), watcher.watch_id.to_string()].join(" · "),
        ),
        (words::KEYS, watcher.range.clone()),
        ("start_revision", start),
        (words::NEXT, grouped(watcher.next)),
        (words::NOT_SENT, lacks),
    ];
    if !detail.options.is_empty() {
        fields.push((words::OPTIONS, detail.options.join(", ")));
    }
    html! {
        <>
            <dl class="insp-pairs">
                { for fields.into_iter().map(|(name, value)| html! { <><dt>{ name }</dt><dd>{ value }</dd></> }) }
            </dl>
            if let Some(last) = detail.last {
                <section class="insp-card">
                    <h3><span>{ words::LAST_RESPONSE }</span><span>{ words::ago(last.ago_us) }</span></h3>
                    <dl class="insp-pairs">
                        <dt>{ words::EVENTS }</dt>
                        <dd>{ text::count(last.events) }</dd>
                        <dt>{ "header.revision" }</dt><dd>{ grouped(last.header_revision) }</dd>
                        if let Some((from, to)) = last.revisions {
                            <dt>{ words::REVISIONS }</dt><dd>{ range(from, to) }</dd>
                        }
                    </dl>
                </section>
            }
            if let Some((from, to)) = watcher.next_batch {
                <section class="insp-card now">
                    <h3><span>{ words::NEXT_BATCH }</span></h3>
                    <dl class="insp-pairs">
                        <dt>{ words::REVISIONS }</dt>
                        <dd>{ range(from, to) }</dd>
                        <dt>{ words::AT_MOST }</dt>
                        <dd>{ words::batch(limits.batch_revs) }</dd>
                    </dl>
                </section>
            }
            if let Some(kept) = watcher.kept.filter(|_| watcher.pool == WatcherPool::Victim) {
                <p class="insp-note">{ words::held_batch(kept) }</p>
            }
            if !detail.forecast.is_empty() {
                <p>{ &detail.forecast }</p>
            }
        </>
    }
}

fn printed(detail: &WatcherDetail) -> Html {
    if detail.printed.is_empty() {
        return html! { <p class="insp-note">{ words::NO_OUTPUT }</p> };
    }
    html! {
        <pre class="insp-json" tabindex="0" aria-label={words::OUTPUT}>{ &detail.printed }</pre>
    }
}
