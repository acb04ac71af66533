//! One list of a run in detail: its interval on a time axis, a table of its parts, and its steps as text.

use std::rc::Rc;

use watchglass_engine::session::latency::LabReport;
use watchglass_engine::session::latency::report::{ListPart, ListParts, WatchMessageKind};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::bins::nice;
use super::histogram::SERIES;
use super::plot::{Base, svg};
use crate::draw::shapes::diamond;
use crate::draw::{Font, Marks, Rect, pt, svg_path};
use crate::widgets::Segmented;
use crate::words::lab_list as words;

const LEFT: f64 = 12.0;
const RIGHT: f64 = 12.0;
/// The height of a list in the picture: a line of text, the bar, and the marks of messages below the bar.
const LANE: f64 = 62.0;
const BAR: f64 = 20.0;
const BAR_TOP: f64 = 20.0;
const AXIS: f64 = 34.0;
/// The font of a label. A label is drawn only if its part of the bar is wide enough.
const NOTE: Font = Font::of(0.55);

#[derive(Clone, PartialEq, Properties)]
pub(super) struct TakenApartProps {
    /// The results of the run: one report for each setting (A and B).
    pub(super) reports: Rc<Vec<LabReport>>,
    pub(super) width: f64,
}

/// Renders a section that compares one list of the run with the slowest list of the run.
#[component]
pub(super) fn TakenApart(props: &TakenApartProps) -> Html {
    let series = use_state_eq(|| 0_usize);
    let chosen = use_state_eq(|| None::<usize>);
    {
        // Another run has other lists, so a new run resets the chosen list.
        let chosen = chosen.clone();
        let run = Rc::as_ptr(&props.reports) as usize;
        use_effect_with((run, *series), move |_| chosen.set(None));
    }
    let Some(report) = props.reports.get(*series).or(props.reports.first()) else {
        return html! {};
    };
    let (Some(median), Some(slowest)) = (report.median_sample(), report.samples.last()) else {
        return html! {};
    };
    let last = report.samples.len() - 1;
    let at = chosen.unwrap_or(median).min(last);
    let list = &report.samples[at];
    let name = match at {
        at if at == median => words::MEDIAN_LIST,
        at if at == last => words::SLOWEST_LIST,
        _ => words::CHOSEN_LIST,
    };
    let on_series = {
        let series = series.clone();
        Callback::from(move |at| series.set(at))
    };
    let oninput = {
        let chosen = chosen.clone();
        Callback::from(move |event: InputEvent| {
            let input = event.target_dyn_into::<HtmlInputElement>();
            chosen.set(input.and_then(|input| input.value().parse().ok()));
        })
    };
    let choose = |at: usize| {
        let chosen = chosen.clone();
        Callback::from(move |_: MouseEvent| chosen.set(Some(at)))
    };
    let whole = words::exact_ms(list.whole_us());
    let names: Vec<AttrValue> = SERIES
        .iter()
        .take(props.reports.len())
        .map(|series| AttrValue::from(series.name))
        .collect();
    html! {
        <section class="lab-section" aria-labelledby="lab-taken-name">
            <div class="lab-bar-row">
                <h3 id="lab-taken-name">{ words::IN_DETAIL }</h3>
                <span class="wg-spring"></span>
                <Segmented label={words::RUN_OF_LIST} {names} chosen={*series} on_choose={on_series} />
            </div>
            <div class="lab-knob">
                <label for="lab-taken-list">{ words::CHOOSE }</label>
                <span class="lab-value" aria-hidden="true">{ &whole }</span>
                <input type="range" id="lab-taken-list" min="0" max={last.to_string()} step="1"
                    value={at.to_string()} aria-valuetext={whole.clone()} {oninput} />
            </div>
            <div class="lab-run">
                <button type="button" class="wg-button is-small" onclick={choose(median)}>{ words::MEDIAN }</button>
                <button type="button" class="wg-button is-small" onclick={choose(last)}>{ words::SLOWEST }</button>
            </div>
            if props.width > 0.0 {
                <div class="lab-picture" data-lab-picture="taken">
                    { picture([(name, list), (words::SLOWEST_LIST, slowest)], props.width) }
                </div>
            }
            <p class="lab-gloss">{ words::LEGEND }</p>
            { table([(name, list), (words::SLOWEST_LIST, slowest)]) }
            <h4>{ words::steps(name) }</h4>
            <ol class="lab-steps">
                { for steps(list).into_iter().map(|(us, text)| html! {
                    <li><b>{ words::exact_ms(us) }</b>{ " " }{ text }</li>
                }) }
            </ol>
        </section>
    }
}

fn part_class(part: ListPart) -> &'static str {
    match part {
        ListPart::Batch => "lab-part is-batch",
        ListPart::Revision => "lab-part is-revision",
        ListPart::Wait => "lab-part is-wait",
        ListPart::FromEtcd => "lab-part is-etcd",
    }
}

fn picture(lists: [(&'static str, &ListParts); 2], width: f64) -> Html {
    let end = lists
        .iter()
        .map(|(_, list)| list.whole_us())
        .max()
        .unwrap_or(0)
        .max(1) as f64;
    let x = |us: u64| LEFT + us as f64 / end * (width - LEFT - RIGHT);
    let height = 2.0 * LANE + AXIS;
    let mut marks = Marks::default();
    for (lane, (name, list)) in lists.iter().enumerate() {
        let top = lane as f64 * LANE;
        let bar = top + BAR_TOP;
        let heading = words::list(name, list);
        marks.text("lab-note is-strong", pt(LEFT, top + 14.0), heading);
        for (part, from, to) in list.parts() {
            let left = x(from);
            // A part that is too short to see is drawn as a line.
            let area = Rect::new(left, bar, (x(to) - left).max(1.5), BAR);
            marks.rect(part_class(part), area, 0.0);
            let label = words::part(part);
            if area.width > NOTE.width(label) + 8.0 {
                marks.text("lab-note", pt(left + 4.0, bar + 14.0), label);
            }
        }
        for message in &list.messages {
            let at = x(message.at_us.saturating_sub(list.arrived_us));
            let (below, bottom) = (bar + BAR + 2.0, bar + BAR + 10.0);
            let (class, d) = match message.kind {
                // A request goes up to etcd; a notification and an event come down.
                WatchMessageKind::Request => (
                    "lab-message is-request",
                    svg_path!(M at, below; l -4.0, 8.0; h 8.0; z),
                ),
                WatchMessageKind::Notification(_) => {
                    let d = svg_path!(M at, bottom; l -4.0, -8.0; h 8.0; z);
                    ("lab-message is-notification", d)
                }
                WatchMessageKind::Event(_) => {
                    ("lab-message is-event", diamond(pt(at, bottom - 4.0), 4.0))
                }
            };
            marks.path(class, d);
        }
    }
    let base = Base::new(LEFT, width - RIGHT, 2.0 * LANE + 2.0);
    base.line(&mut marks);
    let step = (nice(end / 1_000.0 / 6.0) * 1_000.0).max(1.0);
    for tick in 0..=(end / step) as u32 {
        let us = f64::from(tick) * step;
        let class = match tick {
            0 => "lab-tick lab-start",
            _ => "lab-tick lab-middle",
        };
        base.tick(&mut marks, x(us as u64), class, tick_text(us));
    }
    marks.text("lab-tick", pt(LEFT, height - 3.0), words::AXIS);
    let alt = lists.map(|(name, list)| words::list_alt(name, list));
    svg(&marks, alt.join(" "), width, height, Html::default())
}

fn tick_text(us: f64) -> String {
    let text = words::exact(us.round() as u64);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the table of the parts, which add up to the time of the whole request.
fn table(lists: [(&'static str, &ListParts); 2]) -> Html {
    let all = [
        ListPart::Batch,
        ListPart::Revision,
        ListPart::Wait,
        ListPart::FromEtcd,
    ];
    let of = |list: &ListParts, wanted: ListPart| {
        let part = list.parts().into_iter().find(|(part, ..)| *part == wanted);
        part.map(|(_, from, to)| to - from)
    };
    let rows = all.into_iter().filter_map(|part| {
        let cells = lists.map(|(_, list)| of(list, part));
        cells.iter().any(Option::is_some).then(|| {
            (
                words::part(part),
                cells.map(|cell| cell.map_or(words::NO_PART.to_owned(), words::exact)),
            )
        })
    });
    let whole = lists.map(|(_, list)| words::exact(list.whole_us()));
    let whole = (words::WHOLE_REQUEST, whole);
    let ended = lists.map(|(_, list)| words::ended_by(list).to_owned());
    let ended = (words::ENDED_BY, ended);
    html! {
        <div class="lab-table lab-parts wg-wide-table">
            <table>
                <caption class="wg-unseen">{ words::PARTS }</caption>
                <thead><tr>
                    <th scope="col">{ words::PART }</th>
                    { for lists.map(|(name, _)| html! { <th scope="col">{ name }</th> }) }
                </tr></thead>
                <tbody>
                    { for rows.chain([whole, ended]).map(|(name, cells)| html! {
                        <tr>
                            <th scope="row">{ name }</th>
                            { for cells.map(|cell| html! { <td>{ cell }</td> }) }
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

/// Returns the steps of a list in the order of time, each with its time since the arrival in microseconds.
fn steps(list: &ListParts) -> Vec<(u64, String)> {
    let since = |at: u64| at.saturating_sub(list.arrived_us);
    let mut steps = vec![(0, words::ARRIVES.to_owned())];
    let mut add = |us: u64, text: String| steps.push((us, text));
    if let Some(revision) = list.revision {
        add(since(revision.sent_us), words::ASKS_REVISION.to_owned());
        let text = words::revision(list, &revision);
        add(since(revision.received_us), text);
    }
    for message in &list.messages {
        add(since(message.at_us), words::message(message.kind));
    }
    if list.omitted > 0 {
        add(since(list.ended_us), words::omitted(list.omitted));
    }
    // The sort keeps the order of steps at the same time.
    steps.sort_by_key(|(us, _)| *us);
    steps.push((since(list.ended_us), words::end(list).to_owned()));
    if list.etcd_us.is_some() {
        steps.push((list.whole_us(), words::ETCD_RESPONDS.to_owned()));
    }
    steps
}

#[cfg(test)]
mod tests {
    use watchglass_engine::session::latency::lab::{FromLab, Lab, ToLab};
    use watchglass_engine::session::latency::{LabSetting, Scheme};

    use super::*;

    fn report(scheme: Scheme) -> LabReport {
        let settings = vec![LabSetting {
            requests: 2_000,
            ..LabSetting::of(scheme)
        }];
        let mut lab = Lab::default();
        lab.handle(ToLab::Run { id: 1, settings });
        let mut out = Vec::new();
        while lab.pump_while(|| true, &mut out) {}
        let mut reports = out.into_iter().filter_map(|message| match message {
            FromLab::Done { mut reports, .. } => reports.pop(),
            FromLab::Progress { .. } | FromLab::Accuracy { .. } => None,
        });
        reports.next().expect("the lab answers")
    }

    #[test]
    fn the_steps_of_a_list_end_with_its_latency() {
        for scheme in Scheme::ALL {
            let report = report(scheme);
            for list in &report.samples {
                let steps = steps(list);
                assert!(
                    steps.is_sorted_by_key(|(us, _)| *us),
                    "{scheme:?} {steps:?}"
                );
                assert_eq!(
                    steps.last().map(|(us, _)| *us),
                    Some(list.whole_us()),
                    "{steps:?}"
                );
            }
        }
    }

    #[test]
    fn the_steps_of_a_list_name_its_messages() {
        let report = report(Scheme::Today);
        // A list that sends its own request as soon as it has etcd's revision.
        let own = report.samples.iter().find(|list| {
            let received = list.revision.map(|revision| revision.received_us);
            let first = list.messages.first();
            first.is_some_and(|first| {
                first.kind == WatchMessageKind::Request && Some(first.at_us) == received
            })
        });
        let texts: Vec<String> = steps(own.expect("a list that asks"))
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(
            texts[1],
            "The API server asks etcd for etcd's current revision."
        );
        assert!(
            texts[2].ends_with("the cache has not reached this revision."),
            "{texts:?}"
        );
        assert_eq!(texts[3], "The API server sends a progress request.");
        assert!(
            texts[4].starts_with("A progress notification arrives"),
            "{texts:?}"
        );
        assert_eq!(texts[5], "The cache serves the list.");
    }
}
