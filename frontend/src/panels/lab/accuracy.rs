//! The page of the Lab that shows how accurate the limits of etcd QoS are: the achieved rate of each queue discipline
//! over many runs, compared with the theory.

use watchglass_engine::session::latency::{AccuracyRow, AccuracySetting};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::panel::{progress, trouble};
use crate::browser::file::save_text;
use crate::state::Action;
use crate::state::lab::{LabAct, LabRunKind, Measured};
use crate::store::use_store;
use crate::words::lab::{count, fixed};
use crate::words::{lab_knobs, lab_qos as words};

/// The limits to choose from, in requests per second.
const LIMITS: [u64; 5] = [1, 2, 10, 50, 100];
/// The numbers of runs to choose from.
const RUNS: [u64; 4] = [5, 20, 50, 100];

/// Renders the page about the accuracy of limits.
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
                        <option selected={*each == value}>{ count(*each) }</option>
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
                <h2>{ words::HEADING }</h2>
                <p>{ lab.accuracy.as_ref().map(finding).unwrap_or_default() }</p>
            </header>
            { trouble(&store) }
            <form class="lab-run" aria-label={words::SETTING}
                onsubmit={|event: SubmitEvent| event.prevent_default()}>
                { choose("lab-limit", words::LIMIT, &LIMITS, chosen.qps, |setting, qps| setting.qps = qps) }
                { choose("lab-runs", words::RUNS, &RUNS, chosen.runs, |setting, runs| setting.runs = runs) }
                <button type="button" class="wg-button is-primary" onclick={run}>{ lab_knobs::RUN }</button>
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

/// Returns the main result of the measurement in a sentence.
fn finding(measured: &Measured) -> String {
    let known = measured.rows.iter().filter_map(AccuracyRow::is_accurate);
    let known: Vec<bool> = known.collect();
    let agree = known.iter().filter(|is| **is).count() as u64;
    words::finding(measured.setting, agree, known.len() as u64)
}

/// Formats a number with two digits after the point.
fn number(value: f64) -> String {
    fixed((value.max(0.0) * 100.0).round() as u64, 2)
}

/// Returns the cells of a row, without the first cell, which names the queue discipline.
fn cells(row: &AccuracyRow) -> [String; 6] {
    let none = || words::NO_THEORY.to_owned();
    [
        number(row.offered),
        number(row.mean),
        number(row.deviation()),
        number(row.variance),
        row.theory.map_or_else(none, number),
        words::agrees(row.is_accurate()).to_owned(),
    ]
}

fn table(measured: &Measured) -> Html {
    html! {
        <div class="lab-table wg-wide-table" tabindex="0" role="region" aria-label={words::ACCURACY}>
            <table>
                <caption class="wg-unseen">{ words::TABLE }</caption>
                <thead><tr>
                    <th scope="col">{ words::DISCIPLINE }</th>
                    { for words::COLUMNS.map(|head| html! { <th scope="col">{ head }</th> }) }
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
        <div class="lab-exports" role="group" aria-label={words::SAVE}>
            <button type="button" class="wg-button is-small" onclick={save}>{ "CSV" }</button>
        </div>
    }
}

/// Returns the table as CSV; each line also contains the limit and the number of runs.
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
            <summary>{ words::ABOUT }</summary>
            <p>{ words::ABOUT_RUNS }</p>
            <p>{ words::ABOUT_THEORY }</p>
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
        assert!(finding(&measured).ends_with("1 of 2 mean rates agree with the theory."));
    }
}
