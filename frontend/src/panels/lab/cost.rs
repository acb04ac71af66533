//! Compares the cost of a list from the cache and from etcd. The test plan of KEP-2340 requires this comparison; a
//! model with named constants computes the costs.

use watchglass_engine::session::latency::cost::{
    CostModel, Experiment, OBJECT_BYTES, crossing, experiments,
};
use yew::prelude::*;

use super::histogram::SERIES;
use super::plot::{Curve, LabPlot, plot};
use crate::hooks::size::use_size;
use crate::words::lab::{self, count};
use crate::words::lab_cost as words;

const HEIGHT: f64 = 300.0;

/// Renders the page about the costs of lists.
#[component]
pub(super) fn Costs() -> Html {
    let node = use_node_ref();
    let (width, _) = use_size(&node);
    let all_match = use_state_eq(|| false);
    let experiments = experiments(&CostModel::KEP_2340, *all_match);
    let toggle = {
        let all_match = all_match.clone();
        Callback::from(move |_: Event| all_match.set(!*all_match))
    };
    let picture = |is_rate: bool| plot(&picture_of(&experiments, is_rate, width));
    html! {
        <div class="lab-costs" ref={node}>
            <header class="lab-head">
                <h2>{ words::HEADING }</h2>
                <p>{ finding(&experiments, *all_match) }</p>
            </header>
            <label class="lab-check">
                <input type="checkbox" checked={*all_match} onchange={toggle} />
                { words::ALL_MATCH }
            </label>
            <h3>{ words::LATENCY }</h3>
            <div class="lab-picture" data-lab-picture="cost-latency">
                if width > 0.0 { { picture(false) } }
            </div>
            <h3>{ words::THROUGHPUT }</h3>
            <div class="lab-picture" data-lab-picture="cost-throughput">
                if width > 0.0 { { picture(true) } }
            </div>
            { table(&experiments) }
            { about() }
        </div>
    }
}

/// Returns the plot of the costs: a curve for each object size and each source of lists (cache and etcd). Equal curves
/// are combined into one.
fn picture_of(experiments: &[Experiment], is_rate: bool, width: f64) -> LabPlot {
    let mut curves: Vec<Curve> = Vec::new();
    for from_cache in [true, false] {
        for bytes in OBJECT_BYTES {
            let of_size = experiments.iter().filter(|one| one.object_bytes == bytes);
            let value = |one: &Experiment| match (is_rate, from_cache) {
                (false, true) => one.from_cache.0 as f64 / 1e3,
                (false, false) => one.from_etcd.0 as f64 / 1e3,
                (true, true) => one.cache_rate.0 as f64 / 1e3,
                (true, false) => one.etcd_rate.0 as f64 / 1e3,
            };
            let line: Vec<(f64, f64)> = of_size.map(|one| (one.size as f64, value(one))).collect();
            let (source, series) = match from_cache {
                true => (words::CACHE, &SERIES[1]),
                false => (words::ETCD, &SERIES[0]),
            };
            if let Some(same) = curves.iter_mut().find(|known| known.line == line) {
                same.name = source.to_owned();
                continue;
            }
            curves.push(Curve {
                name: words::curve(source, bytes / 1_000),
                series,
                points: line.clone(),
                line,
            });
        }
    }
    let y_name = match is_rate {
        true => words::THROUGHPUT_AXIS,
        false => words::LATENCY_AXIS,
    };
    LabPlot {
        alt: words::alt(y_name),
        x_name: words::OBJECTS_AXIS,
        y_name,
        is_log: true,
        curves,
        width,
        height: HEIGHT,
    }
}

/// Returns the main result of the comparison in a sentence.
fn finding(experiments: &[Experiment], all_match: bool) -> String {
    let pods = experiments
        .iter()
        .rev()
        .find(|one| one.object_bytes == OBJECT_BYTES[0]);
    let Some(pods) = pods else {
        return String::new();
    };
    let crossing = crossing(&CostModel::KEP_2340, all_match, pods.object_bytes);
    words::finding(pods, crossing)
}

fn table(experiments: &[Experiment]) -> Html {
    let ms = |us: u64| lab::ms(us * 1_000);
    let per_s = |thousandths: u64| match thousandths {
        0..=99_999 => lab::fixed((thousandths + 5) / 10, 2),
        _ => count(thousandths / 1_000),
    };
    let rows = experiments.iter().map(|one| {
        let times = lab::fixed(one.from_etcd.0 * 10 / one.from_cache.0.max(1), 1);
        let cells = [
            count(one.object_bytes / 1_000),
            ms(one.from_cache.0),
            ms(one.from_etcd.0),
            times,
            per_s(one.cache_rate.0),
            per_s(one.etcd_rate.0),
        ];
        html! {
            <tr>
                <th scope="row">{ count(one.size) }</th>
                { for cells.into_iter().map(|cell| html! { <td>{ cell }</td> }) }
            </tr>
        }
    });
    html! {
        <div class="lab-table wg-wide-table">
            <table>
                <caption class="wg-unseen">{ words::TABLE }</caption>
                <thead><tr>
                    <th scope="col">{ words::OBJECTS }</th>
                    { for words::COLUMNS.map(|head| html! { <th scope="col">{ head }</th> }) }
                </tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
        </div>
    }
}

fn about() -> Html {
    html! {
        <details class="lab-details">
            <summary>{ words::ABOUT }</summary>
            <p>{ words::ABOUT_BENCHMARK }</p>
            <p>{ words::ABOUT_REQUESTS }</p>
            <p>{ words::ABOUT_ASSUMPTIONS }</p>
        </details>
    }
}
