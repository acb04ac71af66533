//! The row of playback controls: buttons, speed, axis, position, and the narration of the current step.

use wasm_bindgen::JsCast;
use watchglass_engine::session::protocol::{Move, SeekTo};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::draw::text::seconds;
use crate::panels::terms::with_names;
use crate::state::Action;
use crate::state::action::LayoutAct;
use crate::state::action::PlaybackAct;
use crate::state::action::RunAct;
use crate::state::action::TerminalAct;
use crate::state::action::ViewAct;
use crate::state::choices::{Axis, Panel, Sharing, Tone};
use crate::state::playback::is_over;
use crate::state::speed::Speed;
use crate::state::ui::EngineState;
use crate::store::use_store;
use crate::widgets::{Glyph, Icon, Segmented};
use crate::words::{common, timeline as words};

#[component]
pub(super) fn Transport() -> Html {
    let store = use_store();
    let status = &store.views.status;
    let ready = store.ui.engine == EngineState::Running;
    // A confirmation is beside the button that copies the link, where it covers nothing.
    let notice = store.ui.notice.as_ref();
    let confirmed = notice.filter(|notice| notice.tone == Tone::Brief);
    let (said, class) = match confirmed {
        Some(notice) => (notice.text.as_str(), Some("is-notice")),
        None if ready => (status.narration.as_str(), None),
        None => ("", None),
    };
    html! {
        <div class="wg-transport">
            <Buttons />
            <SpeedChoice />
            <AxisChoice />
            <p class="wg-readout">
                <span>{ words::step_of(status.step, status.steps) }</span>
                <span>{ words::revision_of(status.revision, status.member.as_deref()) }</span>
                <span class="wg-clock">{ seconds(status.time_us) }</span>
                <span class="is-extra">{ words::keys(status.live_keys) }</span>
                <span class="is-extra" title={words::ROWS_TITLE}>{ words::rows(status.rows) }</span>
            </p>
            <PromptToggle />
            <p class={classes!("wg-narration", class)} title={said.to_owned()}>{ with_names(said) }</p>
            <button type="button" class="wg-button is-small wg-copy-link" disabled={!ready}
                title={words::COPY_LINK_TITLE} onclick={store.on_click(Action::Run(RunAct::Share(Sharing::Link)))}>
                { common::COPY_LINK }
            </button>
        </div>
    }
}

/// Renders the buttons that move the cursor to the start, by one step or to the end, and the button that plays the run.
#[component]
pub fn Buttons() -> Html {
    let store = use_store();
    let status = &store.views.status;
    let ready = store.ui.engine == EngineState::Running;
    let at_start = !ready || (status.step == 0 && status.beat.number == 0);
    let at_end = !ready || is_over(status);
    let by_steps = |steps| Action::Playback(PlaybackAct::Move(Move::BySteps(steps)));
    let button = |glyph: Glyph,
                  label: &'static str,
                  class: &'static str,
                  off: bool,
                  action: Action| {
        // A disabled button would lose the focus when the cursor reaches the end.
        let onclick = (!off).then(|| store.on_click(action));
        html! {
            <button type="button" class={classes!("wg-button", "is-icon", class)}
                aria-label={label} title={label} aria-disabled={off.then_some("true")} {onclick}>
                <Icon {glyph} />
            </button>
        }
    };
    let (glyph, label) = if store.ui.playing {
        (Glyph::Pause, words::PAUSE)
    } else {
        (Glyph::Play, words::PLAY)
    };
    html! {
        <div class="wg-transport-buttons" role="group" aria-label={words::PLAYBACK}>
            { button(Glyph::ToStart, words::TO_START, "", at_start, Action::seek(SeekTo::Step(0))) }
            { button(Glyph::StepBack, words::STEP_BACK, "", at_start, by_steps(-1)) }
            { button(glyph, label, "is-play", !ready || status.steps == 0, Action::Playback(PlaybackAct::TogglePlay)) }
            { button(Glyph::Step, words::STEP, "", at_end, by_steps(1)) }
            { button(Glyph::ToEnd, words::TO_END, "", at_end, Action::seek(SeekTo::End)) }
        </div>
    }
}

/// Renders the button that opens the terminal over the picture. Only small layouts show this button.
#[component]
fn PromptToggle() -> Html {
    let store = use_store();
    let open = store.ui.sheet == Panel::Terminal;
    let action = if open {
        Action::Layout(LayoutAct::Sheet(Panel::Story))
    } else {
        Action::Terminal(TerminalAct::Focus)
    };
    html! {
        <button type="button" class="wg-button is-icon wg-prompt-toggle" aria-label={words::OPEN_TERMINAL}
            title={words::OPEN_TERMINAL} aria-pressed={if open { "true" } else { "false" }}
            onclick={store.on_click(action)}>
            <Icon glyph={Glyph::Terminal} />
        </button>
    }
}

#[component]
pub fn SpeedChoice() -> Html {
    let store = use_store();
    let choose = store.on(|event: Event| {
        let exponent = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlSelectElement>().ok())
            .and_then(|select| select.value().parse().ok());
        Action::Playback(PlaybackAct::Speed(Speed::from_exponent(
            exponent.unwrap_or(0),
        )))
    });
    html! {
        <select class="wg-select wg-speed" aria-label={words::SPEED} title={words::SPEED_TITLE} onchange={choose}>
            { for Speed::all().map(|speed| html! {
                <option value={speed.exponent().to_string()} selected={speed == store.ui.speed}>
                    { speed.label() }
                </option>
            }) }
        </select>
    }
}

/// The choices for the quantity on the timeline's x axis.
const AXES: [(Axis, &str); 3] = [
    (Axis::Step, words::BY_STEP),
    (Axis::Time, words::BY_TIME),
    (Axis::Revision, words::BY_REVISION),
];

#[component]
fn AxisChoice() -> Html {
    let store = use_store();
    let binned = store
        .views
        .timeline
        .as_ref()
        .is_some_and(|view| view.markers.is_empty() && !view.bins.is_empty());
    let title = if binned {
        words::AXIS_FIXED
    } else {
        words::AXIS_TITLE
    };
    let axis = if binned { Axis::Step } else { store.ui.axis };
    let chosen = AXES.iter().position(|(of, _)| *of == axis);
    let on_choose = store.on(|at: usize| {
        Action::View(ViewAct::Axis(
            AXES.get(at).map_or(Axis::Step, |(axis, _)| *axis),
        ))
    });
    html! {
        <Segmented label={words::AXIS} class="wg-axis" names={AXES.map(|(_, name)| name.into()).to_vec()} {chosen}
            {on_choose} disabled={binned} {title} />
    }
}
