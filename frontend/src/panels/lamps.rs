//! The guarantees of a watch. An indicator beside each guarantee shows whether etcd has kept the guarantee in this run.

use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::watch::{Lamp, LampView, WatcherPool};
use yew::prelude::*;

use crate::draw::shapes::pool_icon;
use crate::state::Action;
use crate::store::StoreHandle;
use crate::widgets::Explain;
use crate::words::{common, watch as words};

/// Renders the row of indicators: one for each guarantee of a watch.
pub fn lamps(store: &StoreHandle, lamps: &[LampView]) -> Html {
    let idle = lamps.len() - shown(lamps).count();
    html! {
        <ul class="watch-lamps" aria-label={words::GUARANTEES}>
            { for shown(lamps).map(|lamp| {
                let class = match lamp.lamp {
                    Lamp::Idle => "watch-lamp idle",
                    Lamp::Holds => "watch-lamp",
                    Lamp::Near => "watch-lamp near",
                    Lamp::Broken => "watch-lamp broken",
                };
                let button = html! {
                    <>
                        { glyph(lamp.lamp) }
                        <b>{ &lamp.name }</b>
                        <span class="wg-unseen">{ words::lamp_between(lamp) }</span>
                        <small>{ &lamp.detail }</small>
                    </>
                };
                html! {
                    <li key={lamp.name.clone()} {class}>
                        <Explain class="watch-lamp-button" {button}>
                            <b>{ words::lamp_state(lamp) }</b>
                            { &lamp.explain }
                            if let Some(step) = lamp.step {
                                <button type="button" class="wg-button is-small"
                                    onclick={store.on_click(Action::seek(SeekTo::Step(step)))}>
                                    { common::go_to_step(step) }
                                </button>
                            }
                        </Explain>
                    </li>
                }
            }) }
            if idle > 0 { <li key="idle" class="watch-lamp idle">{ folded(lamps, idle) }</li> }
        </ul>
    }
}

/// Returns the guarantees that have been exercised.
fn shown(lamps: &[LampView]) -> impl Iterator<Item = &LampView> {
    lamps.iter().filter(|lamp| lamp.lamp != Lamp::Idle)
}

/// Renders one indicator for all guarantees that have not been exercised. The indicator's note has a line for each of
/// these guarantees.
fn folded(lamps: &[LampView], idle: usize) -> Html {
    let names = words::idle_lamps(idle, lamps.len());
    let button = html! {
        <>{ glyph(Lamp::Idle) }<b>{ names }</b><small>{ words::NOT_EXERCISED }</small></>
    };
    html! {
        <Explain class="watch-lamp-button" {button}>
            { for lamps.iter().filter(|lamp| lamp.lamp == Lamp::Idle).map(|lamp| html! {
                <p key={lamp.name.clone()}>{ words::lamp_explained(lamp) }</p>
            }) }
        </Explain>
    }
}

fn glyph(lamp: Lamp) -> Html {
    let (disc, mark) = match lamp {
        // Half a disc, as for an unsynced watcher.
        Lamp::Near => return pool_icon(WatcherPool::Unsynced),
        Lamp::Idle => ("watch-lamp-disc idle", ""),
        Lamp::Holds => ("watch-lamp-disc", "M5 8.2l2.1 2.1 4-4.4"),
        Lamp::Broken => (
            "watch-lamp-disc broken",
            "M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2",
        ),
    };
    html! {
        <svg class="watch-icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
            <circle class={disc} cx="8" cy="8" r="6.6" />
            <path class="watch-lamp-mark" d={mark} />
        </svg>
    }
}
