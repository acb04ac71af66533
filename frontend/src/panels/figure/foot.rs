//! The line below a figure's picture: playback controls, the speed, and a link to the current step.

use yew::prelude::*;

use crate::panels::terms::with_code;
use crate::panels::timeline::{Buttons, SpeedChoice, Track};
use crate::state::Action;
use crate::state::action::LayoutAct;
use crate::state::action::RunAct;
use crate::state::choices::Sharing;
use crate::state::ui::EngineState;
use crate::store::use_store;
use crate::words::{common, timeline, widgets};

#[component]
pub(super) fn Foot() -> Html {
    let store = use_store();
    let ready = store.ui.engine == EngineState::Running;
    let notice = store.ui.notice.as_ref();
    html! {
        <>
            if let Some(notice) = notice {
                <p class="wg-figure-notice" role="status">
                    <span>{ with_code(&notice.text, |text| html! { <>{ text }</> }) }</span>
                    <button type="button" class="wg-button is-quiet is-small"
                        onclick={store.on_click(Action::Layout(LayoutAct::DismissNotice))}>{ widgets::CLOSE }</button>
                </p>
            }
            <footer class="wg-figure-foot">
                <Buttons />
                <Track />
                <SpeedChoice />
                <button type="button" class="wg-button is-small wg-copy-link" disabled={!ready}
                    title={timeline::COPY_LINK_TITLE}
                    onclick={store.on_click(Action::Run(RunAct::Share(Sharing::Link)))}>
                    { common::COPY_LINK }
                </button>
            </footer>
        </>
    }
}
