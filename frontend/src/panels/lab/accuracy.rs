//! The page of the Lab that shows how accurate the limits of etcd QoS are: the achieved rate of each queue discipline
//! over many runs, compared with the theory.

use watchglass_engine::session::latency::accuracy::BINS;
use watchglass_engine::session::latency::{AccuracyRow, AccuracySetting};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::panel::{progress, trouble};
use super::words;
use crate::browser::file::save_text;
use crate::state::Action;
use crate::state::lab::{LabAct, LabRunKind, Measured};
use crate::store::use_store;

/// The limits to choose from, in requests per second.
const LIMITS: [u64; 5] = [1, 2, 10, 50, 100];
/// The numbers of runs to choose from.
const RUNS: [u64; 4] = [5, 20, 50, 100];

/// Renders the page.
#[component]
pub(super) fn Accuracies() -> Html {
    let store = use_store();
    let lab = &store.ui.lab;
    let chosen = use_state_eq(|| {
        let measured = lab.accuracy.as_ref();
        measured.map_or_else(AccuracySetting::default, |measured| measured.setting)
    });
    let choose = |id: &'static str,
                  name: &'static str,
                  values: &'static [u64],
                  value: u64,
                  set: fn(&mut AccuracySetting, u64)| {
        let chosen = chosen.clone();
        let onchange = Callback::from(move |event: Event| {
            let select = event.target_dyn_into::<HtmlSelectElement>();
            let at = select.and_then(|select| usize::try_from(select.selected_index()).ok());
            if let Some(value) = at.and_then(|at| values.get(at)) {
                let mut setting = *chosen;
                set(&mut setting, *value);
                chosen.set(setting);
            }
        });
        html! {
            <label for={id}>
                { name }
                <select {id} class="lab-select" {onchange}>
                    { for values.iter().map(|each| html! {
                        <option selected={*each == value}>{ words::count(*each) }</option>
                    }) }
                </select>
            </label>
        }
    };
    let is_running = matches!(
        lab.running.as_ref().map(|running| running.kind),
        Some(LabRunKind::Accuracy(_))
    );
    let has_begun = use_mut_ref(|| false);
    {
        // On the first visit, start a run, so that there is a table.
        let store = store.clone();
        let is_new = lab.accuracy.is_none() && lab.running.is_none();
        let setting = *chosen;
        use_effect_with(is_new, move |is_new| {
            if *is_new && !has_begun.replace(true) {
                store.dispatch(Action::Lab(LabAct::Accuracy(setting)));
            }
        });
    }
    let run = store.on_click(Action::Lab(LabAct::Accuracy(*chosen)));
    html! {
        <div>
            <header class="lab-head">
                <h2>{ "How accurate the limits of etcd QoS are" }</h2>
                <p>{ lab.accuracy.as_ref().map(finding).unwrap_or_default() }</p>
            </header>
            { trouble(&store) }
            <form class="lab-run" aria-label="Setting"
                onsubmit={|event: SubmitEvent| event.prevent_default()}>
                { choose("lab-limit", "Limit, requests/s ", &LIMITS, chosen.qps, |setting, qps| setting.qps = qps) }
                { choose("lab-runs", "Runs ", &RUNS, chosen.runs, |setting, runs| setting.runs = runs) }
                <button type="button" class="wg-button is-primary" onclick={run}>{ "Run" }</button>
                if is_running {
                    { progress(&store, lab.running.as_ref(), None) }
                }
            </form>
            if let Some(measured) = &lab.accuracy {
                { table(measured) }
                { export(measured) }
            }
            { about() }
        </div>
    }
}

/// Returns the main result in a sentence.
fn finding(measured: &Measured) -> String {
    let AccuracySetting { qps, runs } = measured.setting;
    let known = measured.rows.iter().filter_map(AccuracyRow::is_accurate);
    let known: Vec<bool> = known.collect();
    let agree = known.iter().filter(|is| **is).count() as u64;
    [
        "A limit of ",
        &words::count(qps),
        " requests per second, ",
        &words::count(runs),
        " runs of ",
        &words::count(BINS),
        " s: ",
        &words::count(agree),
        " of ",
        &words::count(known.len() as u64),
        " means agree with the theory.",
    ]
    .concat()
}

/// Formats a number with two digits after the point.
fn number(value: f64) -> String {
    words::fixed((value.max(0.0) * 100.0).round() as u64, 2)
}

/// Returns the cells of a row after the name of the discipline.
fn cells(row: &AccuracyRow) -> [String; 6] {
    let none = || "–".to_owned();
    [
        number(row.offered),
        number(row.mean),
        number(row.deviation()),
        number(row.variance),
        row.theory.map_or_else(none, number),
        match row.is_accurate() {
            Some(true) => "yes".to_owned(),
            Some(false) => "no".to_owned(),
            None => none(),
        },
    ]
}

fn table(measured: &Measured) -> Html {
    let heads = [
        "Offered, /s",
        "Mean, /s",
        "Deviation, /s",
        "Variance",
        "Theory, /s",
        "Agrees",
    ];
    html! {
        <div class="lab-table" tabindex="0" role="region" aria-label="Accuracy">
            <table>
                <caption class="wg-unseen">{ "Accuracy of the limits" }</caption>
                <thead><tr>
                    <th scope="col">{ "Discipline" }</th>
                    { for heads.map(|head| html! { <th scope="col">{ head }</th> }) }
                </tr></thead>
                <tbody>{ for measured.rows.iter().map(|row| html! {
                    <tr>
                        <th scope="row">{ &row.discipline }</th>
                        { for cells(row).into_iter().map(|cell| html! { <td>{ cell }</td> }) }
                    </tr>
                }) }</tbody>
            </table>
        </div>
    }
}

fn export(measured: &Measured) -> Html {
    let text = csv(measured);
    let save = move |_: MouseEvent| {
        save_text("qos-accuracy.csv", &text);
    };
    html! {
        <div class="lab-exports" role="group" aria-label="Save the table">
            <button type="button" class="wg-button is-small" onclick={save}>{ "CSV" }</button>
        </div>
    }
}

/// Returns the table as CSV, with the setting in each line.
fn csv(measured: &Measured) -> String {
    let mut text =
        "limit,runs,discipline,offered,mean,standard deviation,variance,theory,tolerance\n"
            .to_owned();
    let setting = measured.setting;
    for row in measured.rows.iter() {
        let theory = row.theory.map(|theory| theory.to_string());
        let line = [
            setting.qps.to_string(),
            setting.runs.to_string(),
            ["\"", &row.discipline, "\""].concat(),
            row.offered.to_string(),
            row.mean.to_string(),
            row.deviation().to_string(),
            row.variance.to_string(),
            theory.unwrap_or_default(),
            row.tolerance.to_string(),
        ];
        text.push_str(&line.join(","));
        text.push('\n');
    }
    text
}

fn about() -> Html {
    html! {
        <details class="lab-details">
            <summary>{ "Meaning of the numbers" }</summary>
            <p>
                { "etcd QoS is a proposal. The limiters are those of a simulated member; requests arrive at random \
                   times, at half of the limit, at the limit, and at 2 and 10 times the limit. Each run counts the \
                   requests that start in each of 300 seconds, after one second without counting. For a discipline \
                   that limits running requests, all requests take the same time: if one request runs at a time, \
                   their rate is the limit." }
            </p>
            <p>
                { "A rate below the limit is usually not an error of the limiter. A bucket of one token refuses a \
                   request that arrives shortly before the next token, and the next request arrives later: at twice \
                   the limit, a third of the rate is lost. The theory is that of an M/D/1/K queue. A mean agrees if \
                   it differs from the theory by at most the sum of 1 % of the limit, the burst at the start of a \
                   run, and three standard errors. A window is not such a queue, so there is no theory for windows \
                   here." }
            </p>
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn a_row_is_in_the_table_and_in_the_csv() {
        let row = AccuracyRow {
            discipline: "tbf 10 per second, burst 1".to_owned(),
            offered: 20.0,
            mean: 6.666,
            variance: 2.25,
            theory: Some(6.667),
            tolerance: 0.1,
        };
        assert_eq!(
            cells(&row),
            ["20.00", "6.67", "1.50", "2.25", "6.67", "yes"]
        );
        let off = AccuracyRow {
            mean: 6.5,
            ..row.clone()
        };
        assert_eq!(cells(&off)[5], "no");
        let measured = Measured {
            setting: AccuracySetting { qps: 10, runs: 5 },
            rows: Rc::new(vec![row, off]),
        };
        let text = csv(&measured);
        let line = text.lines().nth(1);
        let expected = "10,5,\"tbf 10 per second, burst 1\",20,6.666,1.5,2.25,6.667,0.1";
        assert_eq!(line, Some(expected));
        assert!(finding(&measured).ends_with("1 of 2 means agree with the theory."));
    }
}
