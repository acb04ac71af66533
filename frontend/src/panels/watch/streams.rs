//! The streams: all watches of a stream share one channel in etcd. Each stream has a receive loop, whose responses pass
//! a control channel, and a send loop, which empties both channels.

use watchglass_engine::view::WatchView;
use watchglass_engine::view::watch::StreamView;
use yew::prelude::*;

use crate::draw::order;
use crate::draw::shapes::pool_icon;
use crate::widgets::meter;
use crate::words::watch as words;

/// Renders a card for each stream, or a histogram of the channels if there are too many streams.
pub fn streams(view: &WatchView, selected: Option<u64>, on_select: &Callback<u64>) -> Html {
    let channel = view.limits.channel;
    if let Some(fill) = view.stream_fill {
        return fill_cards(view.streams_total, channel, fill);
    }
    if view.streams.is_empty() {
        return html! {};
    }
    html! {
        <section class="watch-streams wg-part" aria-label={words::STREAMS} data-mark="streams"
            data-order={order::AXIS.to_string()}>
            <h3>{ words::shared_channel(channel) }</h3>
            <ul>
                { for view.streams.iter().map(|stream| card(stream, selected, on_select)) }
            </ul>
        </section>
    }
}

fn card(stream: &StreamView, selected: Option<u64>, on_select: &Callback<u64>) -> Html {
    let full = stream.capacity > 0 && stream.channel >= stream.capacity;
    let more = stream
        .watchers_total
        .saturating_sub(stream.watchers.len() as u64);
    html! {
        <li key={stream.id} class={if full { "watch-stream is-full" } else { "watch-stream" }}>
            <p class="watch-stream-head">
                <b>{ &stream.client }</b>
                <span class="watch-slots">{ stream.channel }{ "/" }{ stream.capacity }</span>
            </p>
            { meter(stream.channel.into(), stream.capacity.into()) }
            <dl class="watch-loops">
                { for words::loops(stream).into_iter().map(|(part, content, about, is_idle)| html! {
                    <div key={part} class={is_idle.then_some("is-idle")} title={about}>
                        <dt translate="no">{ part }</dt><dd>{ content }</dd>
                    </div>
                }) }
            </dl>
            <div class="watch-stream-watchers">
                { for stream.watchers.iter().map(|(id, name, pool)| {
                    let (id, on_select) = (*id, on_select.clone());
                    html! {
                        <button key={id} type="button" data-watcher={id.to_string()}
                            aria-pressed={if selected == Some(id) { "true" } else { "false" }}
                            onclick={move |_| on_select.emit(id)}>
                            { pool_icon(*pool) }<span title={name.clone()}>{ name }</span>
                        </button>
                    }
                }) }
                if more > 0 { <span>{ words::and_more(&more.to_string()) }</span> }
                if !stream.client_state.is_empty() {
                    <span class="watch-state">{ &stream.client_state }</span>
                }
            </div>
        </li>
    }
}

fn fill_cards(total: u64, channel: u32, fill: [u64; 4]) -> Html {
    let quarter = channel / 4;
    let names = [
        words::EMPTY_CHANNEL.to_owned(),
        format!("1–{quarter}"),
        [
            (quarter + 1).to_string(),
            channel.saturating_sub(1).to_string(),
        ]
        .join("–"),
        words::full_channel(channel),
    ];
    let most = fill.iter().copied().max().unwrap_or(0);
    html! {
        <section class="watch-streams wg-part" aria-label={words::STREAMS}>
            <h3>{ words::streams_by_fill(total, channel) }</h3>
            <ul>
                { for names.into_iter().zip(fill).enumerate().map(|(at, (name, count))| {
                    let full = at == 3 && count > 0;
                    html! {
                        <li key={at} class={if full { "watch-stream is-full" } else { "watch-stream" }}>
                            <p class="watch-stream-head">
                                <span>{ name }</span><span class="watch-slots">{ count }</span>
                            </p>
                            { meter(count, most) }
                        </li>
                    }
                }) }
            </ul>
        </section>
    }
}
