//! Exports the results of the Lab as CSV.

use watchglass_engine::session::latency::{LabReport, Others};

use crate::words::lab_knobs::scheme;

/// Formats the results as CSV: first the settings, then one line per bin.
pub fn csv(reports: &[LabReport]) -> String {
    let mut out = String::from(
        "run,scheme,interval_us,gap_us,own_per_1000_s,others_per_1000_s,lists_per_1000_s,round_trip_us,jitter_us,\
         objects,lists,seed,mean_ns,p50_us,p90_us,p99_us,max_us,fresh,from_etcd,refused,notifications,requests,\
         simulated_us\n",
    );
    let names = |at: usize| {
        if at < reports.len() / 2 || reports.len() == 1 {
            "A"
        } else {
            "B"
        }
    };
    for (at, report) in reports.iter().enumerate() {
        let (set, wait) = (&report.setting, &report.wait);
        let others = match set.others {
            Others::WithoutPause => "without pause".to_owned(),
            Others::At(rate) => rate.0.to_string(),
        };
        let numbers = |numbers: &[u64]| {
            numbers
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(",")
        };
        let cells = [
            names(at).to_owned(),
            format!("\"{}\"", scheme(set.scheme)),
            numbers(&[set.interval.0, set.gap.0, set.own.0]),
            others,
            numbers(&[
                set.lists.0,
                set.round_trip.0,
                set.jitter.0,
                set.size,
                set.requests,
                set.seed,
            ]),
            numbers(&[
                wait.mean_ns,
                wait.p50_us,
                wait.p90_us,
                wait.p99_us,
                wait.max_us,
            ]),
            numbers(&[report.fresh, report.from_etcd, report.refused]),
            numbers(&[report.notifications, report.requests, report.simulated_us]),
        ];
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    if reports.len() > 2 {
        return out;
    }
    out.push_str("\nrun,wait_from_us,wait_to_us,lists\n");
    for (at, report) in reports.iter().enumerate() {
        for bin in &report.wait.bins {
            let line = [bin.from, bin.to, bin.count]
                .map(|number| number.to_string())
                .join(",");
            out.push_str(&format!("{},{line}\n", names(at)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchglass_engine::session::latency::{LabSetting, Scheme, Simulation};

    #[test]
    fn every_list_is_in_the_csv() {
        let run = |scheme| {
            let mut simulation = Simulation::new(LabSetting {
                requests: 500,
                ..LabSetting::of(scheme)
            });
            while simulation.advance(1_000) {}
            simulation.report()
        };
        let text = csv(&[run(Scheme::TimerOnly), run(Scheme::Today)]);
        let (settings, bins) = text.split_once("\n\n").expect("two tables");
        let columns = |line: &str| line.split(',').count();
        let lines: Vec<&str> = settings.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(
            lines.iter().all(|line| columns(line) == columns(lines[0])),
            "{settings}"
        );
        let lists: u64 = bins
            .lines()
            .skip(1)
            .filter_map(|line| line.rsplit(',').next()?.parse::<u64>().ok())
            .sum();
        assert_eq!(lists, 1_000);
    }
}
