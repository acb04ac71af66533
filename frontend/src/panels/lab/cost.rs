//! Compares the cost of a list from the cache and from etcd. The test plan of KEP-2340 requires this comparison; a
//! model with named constants computes it.

use watchglass_engine::session::latency::cost::{
    CostModel, Experiment, OBJECT_BYTES, crossing, experiments,
};
use yew::prelude::*;

use super::plot::{Curve, LabPlot, plot};
use super::words;
use crate::hooks::size::use_size;

const HEIGHT: f64 = 300.0;

/// Renders the page of costs.
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
                <h2>{ "The same list from the cache and from etcd" }</h2>
                <p>{ finding(&experiments, *all_match) }</p>
            </header>
            <label class="lab-check">
                <input type="checkbox" checked={*all_match} onchange={toggle} />
                { "Every object matches and is sent (otherwise none, as in KEP-2340's benchmark)" }
            </label>
            <h3>{ "Latency" }</h3>
            <div class="lab-picture" data-lab-picture="cost-latency">
                if width > 0.0 { { picture(false) } }
            </div>
            <h3>{ "Throughput" }</h3>
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
            let who = if from_cache { "cache" } else { "etcd" };
            let class = if from_cache { "lab-b" } else { "lab-a" };
            if let Some(same) = curves.iter_mut().find(|known| known.line == line) {
                same.name = who.to_owned();
                continue;
            }
            let name = format!("{who}, {} kB", words::count(bytes / 1_000));
            curves.push(Curve {
                name,
                class,
                points: line.clone(),
                line,
            });
        }
    }
    let y_name = if is_rate { "lists per second" } else { "ms" };
    LabPlot {
        alt: format!(
            "{y_name} against objects in the list, from cache and from etcd: see the table below."
        ),
        x_name: "objects in the list",
        y_name,
        is_log: true,
        curves,
        width,
        height: HEIGHT,
    }
}

/// Returns the main result in a sentence.
fn finding(experiments: &[Experiment], all_match: bool) -> String {
    let pods = experiments
        .iter()
        .rev()
        .find(|one| one.object_bytes == OBJECT_BYTES[0]);
    let Some(pods) = pods else {
        return String::new();
    };
    let at = |us: u64| words::ms_unit(us * 1_000);
    format!(
        "{} objects of 5 kB: {} from the cache, {} from etcd. From {} objects of 5 kB on, \
         the cache is faster; for shorter lists, etcd reads faster than the cache catches up.",
        words::count(pods.size),
        at(pods.from_cache.0),
        at(pods.from_etcd.0),
        words::count(crossing(&CostModel::KEP_2340, all_match, pods.object_bytes))
    )
}

fn table(experiments: &[Experiment]) -> Html {
    let ms = |us: u64| words::ms(us * 1_000);
    let per_s = |thousandths: u64| match thousandths {
        0..=99_999 => words::fixed((thousandths + 5) / 10, 2),
        _ => words::count(thousandths / 1_000),
    };
    let rows = experiments.iter().map(|one| {
        let times = words::fixed(one.from_etcd.0 * 10 / one.from_cache.0.max(1), 1);
        let cells = [
            words::count(one.object_bytes / 1_000),
            ms(one.from_cache.0),
            ms(one.from_etcd.0),
            times,
            per_s(one.cache_rate.0),
            per_s(one.etcd_rate.0),
        ];
        html! {
            <tr>
                <th scope="row">{ words::count(one.size) }</th>
                { for cells.into_iter().map(|cell| html! { <td>{ cell }</td> }) }
            </tr>
        }
    });
    let heads = [
        "kB each",
        "cache, ms",
        "etcd, ms",
        "times",
        "cache, /s",
        "etcd, /s",
    ];
    html! {
        <div class="lab-table">
            <table>
                <caption class="wg-unseen">{ "Lists from the cache and from etcd" }</caption>
                <thead><tr>
                    <th scope="col">{ "Objects" }</th>
                    { for heads.map(|head| html! { <th scope="col">{ head }</th> }) }
                </tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
        </div>
    }
}

fn about() -> Html {
    html! {
        <details class="lab-details">
            <summary>{ "Where these numbers come from" }</summary>
            <p>
                { "Nothing was measured for this picture. KEP-2340 published a benchmark: a list each second with a \
                   selector that matches nothing, over 300 objects of 1 MB and over 300,000 of 1 kB. Both lists have \
                   300 MB, so the results give a cost per object and a cost per byte: from etcd 30.2 µs and 4.76 ns of \
                   latency, 16.3 µs and 10.0 ns of the API server's CPU, 8.0 µs and 5.1 ns of etcd's; from the cache \
                   1.66 µs for each object that it reads, and 1.77 µs of CPU." }
            </p>
            <p>
                { "Each request also costs 0.22 ms of CPU: an etcd 3.4.23 served 9,111 linearizable reads a \
                   second on two cores. Both machines have 8 cores here. The cache's latency \
                   includes the request for the revision (1 ms) and the wait in current Kubernetes at \
                   one list per second. Sending objects costs 10 ns per byte in both cases." }
            </p>
            <p>
                { "We assume that the costs per object and per byte also hold for other sizes. The cost of \
                   sending is assumed, not measured. Left out: memory and garbage collection, the slowdown \
                   of concurrent lists, and paging. A hundred thousand objects of 100 kB are 10 GB: more \
                   than etcd should hold." }
            </p>
        </details>
    }
}
