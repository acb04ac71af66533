//! The comparison of the run with and without the rules: a button, the progress, and a table with one column for each
//! run.

use watchglass_engine::view::QosComparisonView;
use watchglass_engine::view::qos::comparison::QosClassOutcome;
use yew::prelude::*;

use super::gauge;
use crate::draw::text::count;
use crate::state::Action;
use crate::state::ui::QosComparing;
use crate::store::StoreHandle;
use crate::words::{common, qos as words, widgets};

pub fn comparison(store: &StoreHandle) -> Html {
    let button = |label: &'static str, action: Action| {
        html! {
            <button type="button" class="wg-button is-small" onclick={store.on_click(action)}>{ label }</button>
        }
    };
    // After the user has pressed *Compare*, presenter mode and figures do not leave this section out.
    let is_open = store.ui.qos != QosComparing::None;
    let class = classes!(
        "qos-comparison",
        "wg-wide-table",
        (!is_open).then_some("wg-part")
    );
    html! {
        <section {class} aria-label={words::COMPARISON}>
            <h3>{ words::COMPARISON }</h3>
            { match &store.ui.qos {
                QosComparing::None => html! {
                    <div class="qos-compare">
                        <p>{ words::ABOUT_COMPARISON }</p>
                        { button(words::COMPARE, Action::CompareQos) }
                    </div>
                },
                QosComparing::Running { done, total, .. } => html! {
                    <div class="qos-compare">
                        <p role="status">{ words::REPLAYING }</p>
                        <progress max={(*total).max(1).to_string()} value={done.to_string()}
                            aria-label={words::REPLAYED_TIME} />
                        { button(common::CANCEL, Action::CloseQosComparison) }
                    </div>
                },
                QosComparing::Ready(view) => html! {
                    <>
                        <div class="qos-compare">
                            <p role="status">{ words::conclusion(view) }</p>
                            if view.step != store.views.status.step {
                                { button(words::COMPARE_HERE, Action::CompareQos) }
                            }
                            { button(widgets::CLOSE, Action::CloseQosComparison) }
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
    let classes = compared_classes(view);
    html! {
        <table>
            <caption>{ words::compared_up_to(view) }</caption>
            <thead>
                <tr>
                    <th scope="col">{ words::OUTCOME }</th>
                    <th scope="col">{ words::WITH_RULES }</th>
                    <th scope="col">{ words::WITHOUT_RULES }</th>
                </tr>
            </thead>
            <tbody>
                { row(words::QUOTA, sides.map(|side| marked(words::quota(side), side.no_space_us))) }
                { row(words::MEMORY, sides.map(|side| marked(words::memory(side), side.killed_us))) }
                { row(words::LIMITED_REQUESTS, sides.map(|side| count(side.limited).into())) }
                { for classes.into_iter().map(|name| {
                    let of = sides.map(|side| side.classes.iter().find(|class| class.name == name));
                    let name = match name {
                        "" => words::NO_RULE,
                        name => name,
                    };
                    row(name, of.map(class))
                }) }
            </tbody>
        </table>
    }
}

/// Returns the names of the classes of both runs in alphabetical order, each name once.
pub(super) fn compared_classes(view: &QosComparisonView) -> Vec<&str> {
    let classes = view.sides.iter().flat_map(|side| &side.classes);
    let mut names: Vec<&str> = classes.map(|class| &*class.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Renders the outcome of a run. If the run failed, `failed_us` is the time of the failure, and the outcome is marked.
fn marked(text: String, failed_us: Option<u64>) -> Html {
    match failed_us {
        Some(_) => html! { <strong class="qos-failure">{ text }</strong> },
        None => text.into(),
    }
}

fn class(outcome: Option<&QosClassOutcome>) -> Html {
    let Some(outcome) = outcome else {
        return words::NO_REQUESTS.into();
    };
    html! {
        <>
            <p>{ words::class_outcome(outcome) }</p>
            { gauge::latencies(&outcome.latencies) }
        </>
    }
}
