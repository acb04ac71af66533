//! The controls of the Lab: sliders that show their value, and the choice of a scheme for A and for B. A scheme is a
//! way to serve consistent lists.

use watchglass_engine::session::latency::{LabSetting, Scheme};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::knobs::{ARRIVALS, Knob, SHARED, of_scheme};
use crate::words::lab_knobs as words;

fn slider(knob: &'static Knob, id: String, setting: &LabSetting, on_turn: Callback<u64>) -> Html {
    let value = (knob.get)(setting);
    let step = knob.step_of(value);
    let oninput = Callback::from(move |event: InputEvent| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        let step = input.and_then(|input| input.value().parse::<usize>().ok());
        if let Some(value) = step.and_then(|step| knob.values.get(step)) {
            on_turn.emit(*value);
        }
    });
    let shown = (knob.show)(value);
    html! {
        <div class="lab-knob" title={knob.source}>
            <label for={id.clone()}>{ knob.name }</label>
            <span class="lab-value" aria-hidden="true">{ &shown }</span>
            <input type="range" {id} min="0" max={(knob.values.len() - 1).to_string()} step="1"
                value={step.to_string()} aria-valuetext={shown.clone()} {oninput} />
        </div>
    }
}

fn chosen(event: &Event) -> Option<u32> {
    let select = event.target_dyn_into::<HtmlSelectElement>()?;
    u32::try_from(select.selected_index()).ok()
}

/// The properties of both groups of the Lab's sliders.
#[derive(Clone, PartialEq, Properties)]
pub(super) struct ControlsProps {
    /// The settings of A and of B.
    pub(super) settings: [LabSetting; 2],
    pub(super) on_set: Callback<[LabSetting; 2]>,
}

/// Renders the controls for the schemes of A and B. A scheme is a way to serve consistent lists.
#[component]
pub(super) fn Schemes(props: &ControlsProps) -> Html {
    let card = |at: usize| {
        let setting = props.settings[at];
        let series = &super::histogram::SERIES[at];
        let turn = {
            let (settings, on_set) = (props.settings, props.on_set.clone());
            move |change: &dyn Fn(&mut LabSetting)| {
                let mut settings = settings;
                change(&mut settings[at]);
                on_set.emit(settings);
            }
        };
        let onchange = {
            let turn = turn.clone();
            Callback::from(move |event: Event| {
                let scheme =
                    chosen(&event).and_then(|index| Scheme::ALL.get(index as usize).copied());
                if let Some(scheme) = scheme {
                    turn(&|setting| {
                        setting.scheme = scheme;
                        setting.interval = scheme.interval();
                        setting.gap = scheme.gap();
                    });
                }
            })
        };
        let id = format!("lab-scheme-{at}");
        let knobs = of_scheme(setting.scheme)
            .into_iter()
            .enumerate()
            .map(|(knob_at, knob)| {
                let turn = turn.clone();
                let on_turn =
                    Callback::from(move |value| turn(&|setting| (knob.set)(setting, value)));
                slider(knob, format!("{id}-{knob_at}"), &setting, on_turn)
            });
        html! {
            <fieldset class={classes!("lab-card", series.class)}>
                <legend>
                    <svg class="lab-key" width="14" height="14" aria-hidden="true">
                        <rect class={series.bar} x="1" y="1" width="12" height="12" />
                    </svg>
                    { series.name }
                </legend>
                <label class="wg-unseen" for={id.clone()}>{ words::SCHEME }</label>
                <select id={id.clone()} class="lab-select" {onchange}>
                    { for Scheme::ALL.iter().map(|scheme| html! {
                        <option selected={*scheme == setting.scheme}>{ words::scheme(*scheme) }</option>
                    }) }
                </select>
                <p class="lab-gloss">{ words::about_scheme(setting.scheme) }</p>
                { for knobs }
            </fieldset>
        }
    };
    html! { <div class="lab-cards">{ card(0) }{ card(1) }</div> }
}

/// Renders the sliders that A and B share.
#[component]
pub(super) fn Shared(props: &ControlsProps) -> Html {
    let (settings, on_set) = (props.settings, props.on_set.clone());
    let turn = move |change: &dyn Fn(&mut LabSetting)| {
        let mut settings = settings;
        settings.iter_mut().for_each(change);
        on_set.emit(settings);
    };
    let knobs = SHARED.iter().enumerate().map(|(at, knob)| {
        let turn = turn.clone();
        let on_turn = Callback::from(move |value| turn(&|setting| (knob.set)(setting, value)));
        slider(knob, format!("lab-knob-{at}"), &settings[0], on_turn)
    });
    let on_arrivals = {
        let turn = turn.clone();
        Callback::from(move |event: Event| {
            if let Some(arrivals) = chosen(&event).and_then(|index| ARRIVALS.get(index as usize)) {
                turn(&|setting| setting.arrivals = *arrivals);
            }
        })
    };
    let toggle = |change: fn(&mut LabSetting)| {
        let turn = turn.clone();
        Callback::from(move |_: Event| turn(&change))
    };
    let first = &settings[0];
    html! {
        <fieldset class="lab-shared">
            <legend>{ words::SHARED }</legend>
            { for knobs }
            <div class="lab-knob">
                <label for="lab-arrivals">{ words::LISTS_ARRIVE }</label>
                <select id="lab-arrivals" class="lab-select" onchange={on_arrivals}>
                    { for ARRIVALS.iter().map(|arrivals| html! {
                        <option selected={*arrivals == first.arrivals}>{ words::arrivals(*arrivals) }</option>
                    }) }
                </select>
            </div>
            <label class="lab-check">
                <input type="checkbox" checked={first.elides}
                    onchange={toggle(|setting| setting.elides = !setting.elides)} />
                { words::SKIP_TICK }
            </label>
            <label class="lab-check">
                <input type="checkbox" checked={first.is_limited}
                    onchange={toggle(|setting| setting.is_limited = !setting.is_limited)} />
                { words::CAN_TIME_OUT }
            </label>
        </fieldset>
    }
}
