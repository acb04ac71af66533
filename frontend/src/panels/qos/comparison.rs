//! The comparison of the run with and without the rules: a button, the progress, and a table with one column for each
//! run.

use watchglass_engine::view::QosComparisonView;
use watchglass_engine::view::qos::comparison::QosClassOutcome;
use yew::prelude::*;

use super::{gauge, words};
use crate::draw::text::{count, duration};
use crate::state::Action;
use crate::state::qos::QosComparing;
use crate::store::StoreHandle;

/// The explanation above the button.
const ABOUT: &str = "What do the rules change? The engine replays the run up to this step twice with the same seed: \
    with the rules and without them.";

/// Renders the comparison.
pub fn comparison(store: &StoreHandle) -> Html {
    let button = |label: &'static str, action: Action| {
        html! {
            <button type="button" class="wg-button is-small" onclick={store.on_click(action)}>{ label }</button>
        }
    };
    html! {
        <section class="qos-comparison" aria-label="With and without the rules">
            <h3>{ "With and without the rules" }</h3>
            { match &store.ui.qos {
                QosComparing::None => html! {
                    <div class="qos-compare">
                        <p>{ ABOUT }</p>
                        { button("Compare", Action::CompareQos) }
                    </div>
                },
                QosComparing::Running { done, total, .. } => html! {
                    <div class="qos-compare">
                        <p role="status">{ "Replaying the run…" }</p>
                        <progress max={(*total).max(1).to_string()} value={done.to_string()}
                            aria-label="Replayed time" />
                        { button("Cancel", Action::CloseQosComparison) }
                    </div>
                },
                QosComparing::Ready(view) => html! {
                    <>
                        <div class="qos-compare">
                            <p role="status">{ words::conclusion(view) }</p>
                            if view.step != store.views.status.step {
                                { button("Compare at this step", Action::CompareQos) }
                            }
                            { button("Close", Action::CloseQosComparison) }
                        </div>
                        { table(view) }
                    </>
                },
            } }
        </section>
    }
}

fn table(view: &QosComparisonView) -> Html {
    let row = |name: &str, cells: [Html; 2]| {
        html! {
            <tr>
                <th scope="row">{ name }</th>
                { for cells.into_iter().map(|cell| html! { <td>{ cell }</td> }) }
            </tr>
        }
    };
    let sides = view.sides.each_ref();
    let classes = words::compared_classes(view);
    html! {
        <table>
            <caption>{ ["Up to ", &duration(view.time_us), ", step ", &count(view.step)].concat() }</caption>
            <thead>
                <tr>
                    <th scope="col">{ "Outcome" }</th>
                    <th scope="col">{ "With the rules" }</th>
                    <th scope="col">{ "Without the rules" }</th>
                </tr>
            </thead>
            <tbody>
                { row("Quota", sides.map(|side| marked(words::quota(side), side.no_space_us))) }
                { row("Memory", sides.map(|side| marked(words::memory(side), side.killed_us))) }
                { row("Limited requests", sides.map(|side| count(side.limited).into())) }
                { for classes.into_iter().map(|name| {
                    let of = sides.map(|side| side.classes.iter().find(|class| class.name == name));
                    let name = match name {
                        "" => "No rule",
                        name => name,
                    };
                    row(name, of.map(class))
                }) }
            </tbody>
        </table>
    }
}

/// Renders the outcome of a run. If `failed_us` is the time of a failure, the outcome is marked.
fn marked(text: String, failed_us: Option<u64>) -> Html {
    match failed_us {
        Some(_) => html! { <strong class="qos-failure">{ text }</strong> },
        None => text.into(),
    }
}

fn class(outcome: Option<&QosClassOutcome>) -> Html {
    let Some(outcome) = outcome else {
        return "no requests".into();
    };
    html! {
        <>
            <p>{ words::class_outcome(outcome) }</p>
            { gauge::latencies(&outcome.latencies) }
        </>
    }
}
