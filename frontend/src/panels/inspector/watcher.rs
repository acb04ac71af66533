//! The inspector of a watcher: its state and next batch, the output of its client, and the causes of its state.

use crate::draw::text;
use watchglass_engine::view::watch::{WatchLimitsView, WatcherDetail, WatcherPool};
use yew::prelude::*;

use super::panel::{hint, tabbed};
use super::why::{Cause, why};
use crate::draw::text::{duration, grouped, range};
use crate::panels::watch::shape::pool_icon;
use crate::store::StoreHandle;
use crate::words::watch::state;

/// The hint if no watcher is selected.
const HINT: &str = "Select a watcher to see its next revision, the last response from etcd, and the client's output.";

/// Renders the selected watcher, or a hint.
pub fn watcher(store: &StoreHandle, tab: usize, on_tab: Callback<usize>) -> Html {
    let view = store.views.watch.as_ref();
    let detail = view.and_then(|view| view.selected.as_ref());
    let Some(chosen) = store.ui.watcher else {
        return hint(HINT);
    };
    let Some(detail) = detail.filter(|detail| detail.watcher.id == chosen) else {
        return hint("The selected watcher does not exist at this step.");
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
    html! {
        <>
            <header class="insp-head">
                { pool_icon(watcher.pool) }
                <h2 class="insp-key">{ &watcher.name }{ " " }<span>{ &watcher.range }</span></h2>
                <span class="insp-state">{ state(watcher.pool) }</span>
            </header>
            { tabbed("Views of the watcher", &["State", "Printed", "Why"], tab, on_tab, shown) }
        </>
    }
}

fn state_tab(detail: &WatcherDetail, limits: &WatchLimitsView) -> Html {
    let watcher = &detail.watcher;
    let start = match detail.start_revision {
        0 => "now".to_owned(),
        revision => grouped(revision),
    };
    let head = watcher.next + watcher.behind - 1;
    let lacks = if watcher.behind > 0 {
        let range = range(watcher.next, head);
        format!("{range}, {} in total", grouped(watcher.behind))
    } else {
        "nothing".to_owned()
    };
    let mut fields: Vec<(&str, String)> = vec![
        ("client", detail.client.clone()),
        (
            "stream · watch_id",
            [watcher.stream.to_string(), watcher.watch_id.to_string()].join(" · "),
        ),
        ("keys", watcher.range.clone()),
        ("start_revision", start),
        ("next (minRev)", grouped(watcher.next)),
        ("not yet sent", lacks),
    ];
    if !detail.options.is_empty() {
        fields.push(("options", detail.options.join(", ")));
    }
    html! {
        <>
            <dl class="insp-pairs">
                { for fields.into_iter().map(|(name, value)| html! { <><dt>{ name }</dt><dd>{ value }</dd></> }) }
            </dl>
            if let Some(last) = detail.last {
                <section class="insp-card">
                    <h3><span>{ "Last response" }</span><span>{ duration(last.ago_us) }{ " ago" }</span></h3>
                    <dl class="insp-pairs">
                        <dt>{ "events" }</dt>
                        <dd>{ text::count(last.events) }</dd>
                        <dt>{ "header.revision" }</dt><dd>{ grouped(last.header_revision) }</dd>
                        if let Some((from, to)) = last.revisions {
                            <dt>{ "revisions" }</dt><dd>{ range(from, to) }</dd>
                        }
                    </dl>
                </section>
            }
            if let Some((from, to)) = watcher.next_batch {
                <section class="insp-card now">
                    <h3><span>{ "Next sync pass sends" }</span></h3>
                    <dl class="insp-pairs">
                        <dt>{ "revisions" }</dt>
                        <dd>{ range(from, to) }</dd>
                        <dt>{ "at most" }</dt>
                        <dd>{ grouped(limits.batch_revs.into()) }{ " revisions per response" }</dd>
                    </dl>
                </section>
            }
            if let Some(kept) = watcher.kept.filter(|_| watcher.pool == WatcherPool::Victim) {
                <p class="insp-note">
                    { "etcd holds the batch of revision " }{ grouped(kept) }{ " until the channel has room." }
                </p>
            }
            if !detail.forecast.is_empty() {
                <p>{ &detail.forecast }</p>
            }
        </>
    }
}

fn printed(detail: &WatcherDetail) -> Html {
    if detail.printed.is_empty() {
        return html! { <p class="insp-note">{ "The client has printed nothing yet." }</p> };
    }
    html! {
        <pre class="insp-json" tabindex="0" aria-label="Output of the client">{ &detail.printed }</pre>
    }
}
