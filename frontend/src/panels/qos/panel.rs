//! The panel of the QoS view.

use watchglass_engine::view::QosView;
use watchglass_engine::view::qos::{
    QosClassView, QosRequestView, QosRuleView, QosVerdict, RequestOutcome,
};
use yew::prelude::*;

use super::comparison::comparison;
use super::estimate::estimate;
use super::gauge;
use super::stream::{legend, stream};
use crate::draw::text::{bytes, count, duration};
use crate::panels::blank::blank;
use crate::panels::frame::use_frame;
use crate::widgets::{Glyph, Icon};
use crate::words::qos as words;

/// The command that the QoS view suggests while QoS is off.
const FIRST: [(&str, &str); 1] = [("set experimental-enable-qos 1", words::TURNS_ON)];

#[component]
pub fn QosPanel() -> Html {
    let frame = use_frame();
    let (store, room) = (&frame.store, frame.stage.room);
    let view = store.views.qos.as_deref();
    let shown = view.filter(|view| view.is_on);
    let body = html! {
        if let Some(view) = shown {
            <div class="qos-body">
                { head(view) }
                if frame.is_laid_out() && !view.marks.is_empty() {
                    { stream(view, room.width, room.font) }
                }
                { rules(view, frame.is_low()) }
                if !view.rules.is_empty() { { comparison(store) } }
                <div class="qos-classes wg-part">{ for view.classes.iter().map(class) }</div>
                if !view.requests.is_empty() { { requests(view) } }
                { estimate(store, &view.estimate, room.width, room.font) }
            </div>
        } else if view.is_some() {
            { blank(store, words::OFF, words::ABOUT, &FIRST) }
        }
    };
    let caption = view.map(words::figure);
    frame.view(
        words::VIEW,
        caption,
        Some(words::MEMBER),
        body,
        shown.map(|_| legend()),
    )
}

fn head(view: &QosView) -> Html {
    html! {
        <header class="qos-head">
            <span class="wg-chip qos-proposal">{ words::PROPOSAL }</span>
            <p>{ words::counts(&view.counts) }</p>
            if !view.expensive.is_empty() {
                <p>{ words::expensive(&view.expensive) }</p>
            }
            <p>{ words::storage(view) }</p>
        </header>
    }
}

/// Renders the rules. For each rule, shows whether the rule matches the newest request.
fn rules(view: &QosView, is_short: bool) -> Html {
    html! {
        <section class="qos-rules wg-part wg-wide-table" aria-label={words::RULES}>
            <h3>{ words::RULES }</h3>
            if let Some(newest) = &view.newest {
                <p>{ words::newest(newest) }</p>
            }
            if view.rules.is_empty() {
                <p>{ words::NO_RULES }</p>
            } else {
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ words::PRIORITY }</th>
                            <th scope="col">{ words::RULE }</th>
                            <th scope="col">{ words::CLASS }</th>
                            <th scope="col">{ words::SELECTS }</th>
                            <th scope="col">{ words::NEWEST_REQUEST }</th>
                            <th scope="col">{ words::REQUESTS }</th>
                        </tr>
                    </thead>
                    <tbody>{ for by_importance(&view.rules, is_short).into_iter().map(rule) }</tbody>
                </table>
            }
        </section>
    }
}

/// Returns the rules by priority. If `is_short` is true, there may be room for only the first rows, so the rule that
/// decides about the newest request comes first.
fn by_importance(rules: &[QosRuleView], is_short: bool) -> Vec<&QosRuleView> {
    let mut rules: Vec<_> = rules.iter().collect();
    rules.sort_by_key(|rule| is_short && rule.verdict != QosVerdict::Wins);
    rules
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
        <tr class={classes!("wg-part", class)}>
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
        <section class="qos-class" aria-label={words::class(&class.name)}>
            <h3>{ &class.name }<small>{ words::discipline(discipline) }</small></h3>
            <p class="qos-parameters">{ &class.parameters }</p>
            <div class="qos-limiter">
                { gauge::gauge(class) }
                <div>
                    <p class="qos-level">{ words::level(discipline, &class.level) }</p>
                    if class.queue > 0 || class.waiting > 0 {
                        { gauge::queue(class) }
                        <p>{ if class.waiting == 0 { words::NO_WAITING.to_owned() } else { words::queue(class) } }</p>
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
                    if more > 0 { <li>{ words::more_groups(more) }</li> }
                </ul>
            }
        </section>
    }
}

/// Renders the newest requests with their costs.
fn requests(view: &QosView) -> Html {
    html! {
        <section class="qos-monitor wg-part wg-wide-table" aria-label={words::NEWEST_REQUESTS}>
            <h3>{ words::MONITOR }</h3>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{ words::TIME }</th>
                        <th scope="col">{ words::REQUEST }</th>
                        <th scope="col">{ words::CALLER }</th>
                        <th scope="col">{ words::KEYS }</th>
                        <th scope="col">{ words::TRAFFIC }</th>
                        <th scope="col">{ words::LATENCY }</th>
                        <th scope="col">{ words::RULE }</th>
                        <th scope="col">{ words::OUTCOME }</th>
                    </tr>
                </thead>
                <tbody>{ for view.requests.iter().rev().map(request) }</tbody>
            </table>
        </section>
    }
}

fn request(request: &QosRequestView) -> Html {
    let latency = request.latency_us.map(duration);
    html! {
        <tr class={classes!("wg-part", (request.outcome == RequestOutcome::Limited).then_some("is-limited"))}>
            <td>{ duration(request.at_us) }</td>
            <th scope="row">{ &request.operation }</th>
            <td>{ &request.caller }</td>
            <td>{ count(request.scan) }</td>
            <td>{ bytes(request.traffic) }</td>
            <td>{ latency.unwrap_or_else(|| "–".to_owned()) }</td>
            <td>{ if request.rule.is_empty() { "–" } else { &request.rule } }</td>
            <td>{ words::request_outcome(request) }</td>
        </tr>
    }
}
