//! The list of watches that have no watcher in etcd: waiting watches, each with the command that continues it, and the
//! watches that ended last, each with the reason.

use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::WatchView;
use watchglass_engine::view::watch::{AwayState, AwayView};
use yew::prelude::*;

use crate::draw::text;
use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::store::StoreHandle;
use crate::words::{common, watch as words};

/// Renders the list of watches that have no watcher; renders nothing if every watch has a watcher.
pub fn away(store: &StoreHandle, view: &WatchView) -> Html {
    if view.away.is_empty() {
        return html! {};
    }
    let more = view.away_total.saturating_sub(view.away.len() as u64);
    html! {
        <section class="watch-away wg-part" aria-label={words::AWAY}>
            <h3>{ words::AWAY }</h3>
            <ul>{ for view.away.iter().map(|watch| row(store, watch)) }</ul>
            if more > 0 { <p>{ words::and_more(&text::count(more)) }</p> }
        </section>
    }
}

fn row(store: &StoreHandle, watch: &AwayView) -> Html {
    let is_over = matches!(watch.state, AwayState::Ended | AwayState::Stopped);
    html! {
        <li key={watch.name.clone()} class={classes!("wg-part", is_over.then_some("is-over"))}>
            <b>{ &watch.name }</b>
            <code>{ &watch.range }</code>
            <span class="watch-state">{ watch.state.word() }</span>
            <span>{ &watch.about }</span>
            if let Some(command) = &watch.command {
                <button type="button" class="wg-button is-code is-small"
                    onclick={store.on_click(Action::Terminal(TerminalAct::Type(command.clone())))}>
                    <span class="wg-dollar" aria-hidden="true">{ "$ " }</span>{ command }
                </button>
            }
            if let Some(step) = watch.step {
                <button type="button" class="wg-button is-small"
                    onclick={store.on_click(Action::seek(SeekTo::Step(step)))}>
                    { common::go_to_step(step) }
                </button>
            }
        </li>
    }
}
