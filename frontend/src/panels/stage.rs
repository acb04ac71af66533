//! The stage: the tabs of the views there are, where in the run one looks, and the picture.

use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::StatusView;
use yew::prelude::*;

use super::index::IndexPanel;
use crate::state::ui::EngineState;
use crate::state::{Action, Ui, use_store};
use crate::widgets::{Glyph, Icon};

#[component]
pub fn Stage() -> Html {
    let store = use_store();
    let status = &store.views.status;
    let past = is_past(status, &store.ui);
    let starting = store.ui.engine == EngineState::Starting;
    html! {
        <section class={classes!("wg-stage", past.then_some("is-past"))} aria-label="Picture">
            <div class="wg-tabs">
                <h2 class="wg-tab" aria-current="true">{ "Index" }</h2>
                if past {
                    <div class="wg-past">
                        <p>
                            <b>{ "You are at step " }{ status.step }{ " of " }{ status.steps }{ "." }</b>
                            <span class="wg-past-more">
                                { " Reads look at this moment; a write starts a new branch here." }
                            </span>
                        </p>
                        <button type="button" class="wg-button is-small"
                            onclick={store.on_click(Action::Seek(SeekTo::End))}>
                            { "Return to the end" }
                        </button>
                    </div>
                } else {
                    <span class="wg-spring"></span>
                }
                <button type="button" class="wg-button is-quiet is-icon wg-inspector-toggle"
                    aria-label="Inspector (i)" title="Inspector (i)"
                    aria-pressed={if store.ui.inspector_open { "true" } else { "false" }}
                    onclick={store.on_click(Action::ToggleInspector)}>
                    <Icon glyph={Glyph::Panel} />
                </button>
            </div>
            <div class="wg-picture">
                if starting {
                    <Skeleton />
                } else {
                    <IndexPanel />
                }
            </div>
        </section>
    }
}

/// Whether the cursor stands before the end of the run, and not because the story has not begun or
/// is being played.
pub fn is_past(status: &StatusView, ui: &Ui) -> bool {
    let unbegun = status.step == 0 && ui.fresh;
    status.step < status.steps && !unbegun && !ui.playing
}

/// Grey lanes until the engine is there; words only when that takes long.
#[component]
fn Skeleton() -> Html {
    html! {
        <div class="wg-skeleton" role="status">
            <i></i><i></i><i></i><i></i>
            <p class="wg-late">{ "Loading the simulator…" }</p>
        </div>
    }
}
