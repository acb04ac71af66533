//! The panel of the QoS view.

use watchglass_engine::view::QosView;
use watchglass_engine::view::qos::{
    QosClassView, QosRequestView, QosRuleView, QosVerdict, RequestOutcome,
};
use yew::prelude::*;

use super::comparison::comparison;
use super::stream::{legend, stream};
use super::{gauge, words};
use crate::draw::text::{bytes, count, duration};
use crate::hooks::use_stage;
use crate::panels::blank::blank;
use crate::store::use_store;
use crate::widgets::{Glyph, Icon};

/// The explanation that an empty view shows.
const ABOUT: &str = "etcd QoS is a proposal of 2020 that was never merged into etcd. Rules select expensive requests, \
    and the class of each rule limits their rate or their number.";
/// The command that an empty view suggests.
const FIRST: [(&str, &str); 1] = [(
    "set experimental-enable-qos 1",
    "turns QoS on, with the proposal's class and rule for slow reads",
)];

/// Renders the QoS view.
#[component]
pub fn QosPanel() -> Html {
    let store = use_store();
    let node = use_node_ref();
    let stage = use_stage(&node, &store);
    let view = store.views.qos.as_deref();
    html! {
        <figure class="wg-view" aria-label="QoS: classes, rules and the requests that they limit">
            <figcaption class="wg-unseen">{ view.map(words::figure).unwrap_or_default() }</figcaption>
            <div ref={node} class="wg-view-scroll" tabindex="0" role="region" aria-label="QoS of the member">
                if let Some(view) = view {
                    if !view.is_on {
                        { blank(&store, "QoS is off", ABOUT, &FIRST) }
                    } else {
                        <div class="qos-body">
                            { head(view) }
                            if stage.width > 0.0 && !view.marks.is_empty() {
                                { stream(view, stage.width, stage.advance) }
                            }
                            { rules(view) }
                            if !view.rules.is_empty() { { comparison(&store) } }
                            <div class="qos-classes">{ for view.classes.iter().map(class) }</div>
                            if !view.requests.is_empty() { { requests(view) } }
                        </div>
                    }
                }
            </div>
            if view.is_some_and(|view| view.is_on) {
                <div class="wg-view-foot">{ legend() }</div>
            }
        </figure>
    }
}

fn head(view: &QosView) -> Html {
    let expensive = view.expensive.iter();
    let expensive = expensive.map(|(name, number)| [&count(*number), " (", name, ")"].concat());
    let expensive: Vec<String> = expensive.collect();
    html! {
        <header class="qos-head">
            <span class="wg-chip qos-proposal">{ "Proposal, not in etcd" }</span>
            <p>{ words::counts(&view.counts) }</p>
            if !expensive.is_empty() {
                <p>{ "Expensive requests: " }{ expensive.join(", ") }</p>
            }
            <p>{ words::storage(view) }</p>
        </header>
    }
}

/// Renders the rules. For each rule, shows whether the rule matches the newest request.
fn rules(view: &QosView) -> Html {
    let newest = view.newest.as_ref().map(|request| {
        let outcome = words::outcome(request.outcome);
        let scan = match request.scan {
            0 => String::new(),
            keys => [" of ", &count(keys), " keys"].concat(),
        };
        let at = duration(request.at_us);
        [&request.operation, &scan, " at ", &at, ": ", outcome].concat()
    });
    html! {
        <section class="qos-rules" aria-label="Rules">
            <h3>{ "Rules" }</h3>
            if let Some(newest) = newest {
                <p>{ "Newest request: " }<b>{ newest }</b></p>
            }
            if view.rules.is_empty() {
                <p>{ "There is no rule, so no request is limited." }</p>
            } else {
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ "Priority" }</th>
                            <th scope="col">{ "Rule" }</th>
                            <th scope="col">{ "Class" }</th>
                            <th scope="col">{ "Selects" }</th>
                            <th scope="col">{ "Newest request" }</th>
                            <th scope="col">{ "Requests" }</th>
                        </tr>
                    </thead>
                    <tbody>{ for view.rules.iter().map(rule) }</tbody>
                </table>
            }
        </section>
    }
}

fn rule(rule: &QosRuleView) -> Html {
    let (class, glyph) = match rule.verdict {
        QosVerdict::None => ("", None),
        QosVerdict::Wins => ("is-winner", Some(Glyph::Check)),
        QosVerdict::Unused => ("is-unused", Some(Glyph::Check)),
        QosVerdict::Mismatch(_) => ("is-mismatch", Some(Glyph::Close)),
    };
    let selects = [&rule.ops, &rule.selects, &rule.conditions];
    let selects = selects.into_iter().filter(|part| !part.is_empty());
    html! {
        <tr {class}>
            <td>{ rule.priority }</td>
            <th scope="row">{ &rule.name }</th>
            <td>{ &rule.class }</td>
            <td class="qos-selects">{ for selects.map(|part| html! { <span>{ part }</span> }) }</td>
            <td class="qos-verdict">
                if let Some(glyph) = glyph { <Icon {glyph} /> }
                { words::verdict(&rule.verdict) }
            </td>
            <td>{ words::counts(&rule.counts) }</td>
        </tr>
    }
}

fn class(class: &QosClassView) -> Html {
    let discipline = class.discipline;
    let more = class.group_count.saturating_sub(class.groups.len() as u64);
    html! {
        <section class="qos-class" aria-label={["Class ", &class.name].concat()}>
            <h3>{ &class.name }<small>{ words::discipline(discipline) }</small></h3>
            <p class="qos-parameters">{ &class.parameters }</p>
            <div class="qos-limiter">
                { gauge::gauge(class) }
                <div>
                    <p class="qos-level">{ words::level(discipline, &class.level) }</p>
                    if class.queue > 0 || class.waiting > 0 {
                        { gauge::queue(class) }
                        <p>{ if class.waiting == 0 { "no request waits".to_owned() } else { words::queue(class) } }</p>
                    }
                    <p>{ words::counts(&class.counts) }</p>
                    { gauge::latencies(&class.latencies) }
                </div>
            </div>
            if !class.groups.is_empty() {
                <ul class="qos-groups">
                    { for class.groups.iter().map(|group| html! {
                        <li><code>{ &group.group }</code>{ " " }{ words::level(discipline, group) }</li>
                    }) }
                    if more > 0 { <li>{ "and " }{ count(more) }{ " more groups" }</li> }
                </ul>
            }
        </section>
    }
}

/// Renders the newest requests with their costs.
fn requests(view: &QosView) -> Html {
    html! {
        <section class="qos-monitor" aria-label="Newest requests">
            <h3>{ "Monitor" }</h3>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{ "Time" }</th>
                        <th scope="col">{ "Request" }</th>
                        <th scope="col">{ "Caller" }</th>
                        <th scope="col">{ "Keys" }</th>
                        <th scope="col">{ "Traffic" }</th>
                        <th scope="col">{ "Latency" }</th>
                        <th scope="col">{ "Rule" }</th>
                        <th scope="col">{ "Outcome" }</th>
                    </tr>
                </thead>
                <tbody>{ for view.requests.iter().rev().map(request) }</tbody>
            </table>
        </section>
    }
}

fn request(request: &QosRequestView) -> Html {
    let outcome = match request.outcome {
        RequestOutcome::Delayed => ["delayed ", &duration(request.wait_us)].concat(),
        outcome => words::outcome(outcome).to_owned(),
    };
    let latency = request.latency_us.map(duration);
    html! {
        <tr class={(request.outcome == RequestOutcome::Limited).then_some("is-limited")}>
            <td>{ duration(request.at_us) }</td>
            <th scope="row">{ &request.operation }</th>
            <td>{ &request.caller }</td>
            <td>{ count(request.scan) }</td>
            <td>{ bytes(request.traffic) }</td>
            <td>{ latency.unwrap_or_else(|| "–".to_owned()) }</td>
            <td>{ if request.rule.is_empty() { "–" } else { &request.rule } }</td>
            <td>{ outcome }</td>
        </tr>
    }
}
