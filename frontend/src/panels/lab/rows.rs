//! The rows of the Lab's table of results.

use watchglass_engine::session::latency::{ClosedForm, LabReport, SimDuration, Slo};

use crate::words::lab::{self as words, fixed, ms, per_second, percent};

/// Returns the number of lists that wait for one round trip or less.
pub fn within_round_trip(report: &LabReport) -> u64 {
    let us = report.setting.round_trip.0;
    let bins = report.wait.bins.iter().filter(|bin| bin.from <= us);
    bins.map(|bin| bin.count).sum()
}

/// A row of the table of results.
pub struct LabRow {
    pub name: &'static str,
    /// Whether the row is indented below the previous row.
    pub is_sub: bool,
    /// The cells of the row: one cell for each setting (A and B).
    pub cells: Vec<String>,
}

pub fn rows(reports: &[LabReport]) -> Vec<LabRow> {
    let closed: Vec<Option<ClosedForm>> = reports
        .iter()
        .map(|report| ClosedForm::of(&report.setting).ok())
        .collect();
    let of = |name, is_sub, cell: &dyn Fn(&LabReport) -> String| LabRow {
        name,
        is_sub,
        cells: reports.iter().map(cell).collect(),
    };
    let closed_form = |cell: &dyn Fn(&ClosedForm) -> u64| LabRow {
        name: words::CLOSED_FORM,
        is_sub: true,
        cells: closed
            .iter()
            .map(|closed| {
                closed
                    .as_ref()
                    .map_or(words::NO_CLOSED_FORM.to_owned(), |closed| ms(cell(closed)))
            })
            .collect(),
    };
    let us = |us: u64| ms(us * 1_000);
    let met = |report: &LabReport, slo: Slo| {
        words::met(slo.is_met(SimDuration(report.whole.p99_us))).to_owned()
    };
    vec![
        of(words::MEAN_WAIT, false, &|r| ms(r.wait.mean_ns)),
        closed_form(&|closed| closed.mean_ns()),
        of(words::P50, false, &|r| us(r.wait.p50_us)),
        of(words::P90, false, &|r| us(r.wait.p90_us)),
        of(words::P99, false, &|r| us(r.wait.p99_us)),
        closed_form(&|closed| closed.quantile_us(990_000) * 1_000),
        of(words::LONGEST, false, &|r| us(r.wait.max_us)),
        of(words::FRESH, false, &|r| percent(r.fresh, r.wait.count)),
        of(words::ROUND_TRIP, false, &|r| {
            percent(within_round_trip(r), r.wait.count)
        }),
        of(words::BY_EVENT, false, &|r| {
            percent(r.by_event, r.wait.count)
        }),
        of(words::WHOLE_MEAN, false, &|r| ms(r.whole.mean_ns)),
        of(words::WHOLE_P99, true, &|r| us(r.whole.p99_us)),
        of(words::SLO_OBJECT, true, &|r| met(r, Slo::OneObject)),
        of(words::SLO_LISTS, true, &|r| met(r, Slo::List)),
        of(words::TO_ETCD, false, &|r| {
            percent(r.from_etcd, r.wait.count)
        }),
        of(words::FAILED, true, &|r| percent(r.refused, r.wait.count)),
        of(words::NOTIFICATIONS, false, &|r| {
            per_second(r.notifications, r.simulated_us)
        }),
        of(words::PROGRESS_REQUESTS, true, &|r| {
            per_second(r.requests, r.simulated_us)
        }),
        of(words::REVISION_REQUESTS, false, &|r| {
            per_second(r.questions, r.simulated_us)
        }),
        of(words::SIMULATED, false, &|r| {
            fixed(r.simulated_us / 1_000_000, 0)
        }),
    ]
}
