//! The charts of a member's metrics. A chart shows the same numbers as `show metrics`, and ends at the cursor.

use crate::support::session_after;
use watchglass_engine::api::Profile;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{Move, Notification, Request, SeekTo, ToEngine};
use watchglass_engine::view::metrics::{MetricChart, MetricsView, POINTS_MAX};
use watchglass_engine::view::{Queries, StorageQuery};

fn metrics(session: &mut Session) -> MetricsView {
    let query = StorageQuery {
        has_metrics: true,
        ..StorageQuery::default()
    };
    let queries = Queries {
        storage: Some(query.into()),
        ..Queries::default()
    };
    session.handle(
        ToEngine::Notification(Notification::Show(queries.into())),
        &mut Vec::new(),
    );
    let storage = session.views().storage.expect("the view was requested");
    storage.metrics.expect("the metrics were requested")
}

/// Returns a session with requests of all kinds, a watcher that falls behind, slow reads, and commits.
fn busy() -> Session {
    session_after(
        Profile::V3_6,
        &[
            "populate --nodes=100 --pods=300 --size=1kB",
            "watch --prefix /a as w1",
            "for i in {1..40}; do put /a$i v; done",
            "get --prefix /a",
            "del /a1",
            "load reader /registry/pods/ --ranges=1 --timeout=5s",
            "run 3s",
            "pause w1",
            "for i in {1..40}; do put /a$i w; done",
            "run 200ms",
        ],
    )
}

fn shown(session: &mut Session, name: &str) -> u64 {
    let text = session.exec(&format!("show metrics {name}")).stdout;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{name} ")));
    line.expect(name).parse().expect("a number")
}

#[test]
fn each_chart_ends_at_the_number_that_show_metrics_prints() {
    let mut session = busy();
    let view = metrics(&mut session);
    for chart in &view.charts {
        assert_eq!(
            chart.value,
            shown(&mut session, &chart.name),
            "{}",
            chart.name
        );
        assert!(
            (10..=POINTS_MAX).contains(&(chart.points.len() as u64)),
            "{}",
            chart.points.len()
        );
        assert_eq!(
            chart.points.last().map(|point| point.at_us),
            Some(view.now_us)
        );
    }
    let idle: Vec<&str> = view
        .charts
        .iter()
        .filter(|chart| chart.value == 0)
        .map(|chart| &*chart.name)
        .collect();
    assert_eq!(
        idle,
        [
            "etcd_mvcc_txn_total",
            "etcd_debugging_mvcc_slow_watcher_total",
            "etcd_debugging_mvcc_pending_events_total",
            "etcd_server_proposals_pending",
        ]
    );
    for durations in &view.histograms {
        assert_eq!(
            durations.count,
            shown(&mut session, &format!("{}_count", durations.name))
        );
        let text = session
            .exec(&format!("show metrics {}_bucket", durations.name))
            .stdout;
        let mut below = 0;
        let printed = text.lines().filter(|line| line.contains("_bucket"));
        for ((_, count), line) in durations.bins.iter().zip(printed) {
            below += count;
            assert!(line.ends_with(&format!(" {below}")), "{line} {durations:?}");
        }
        assert!(below > 0);
    }
    assert_eq!(view.text, session.exec("show metrics").stdout);
}

/// Returns the sum of the rates in a counter's chart, each multiplied by the duration for which it applies. The sum
/// must equal the value of the counter.
fn sum(chart: &MetricChart) -> f64 {
    let mut before = 0;
    let parts = chart.points.iter().map(|point| {
        let us = point.at_us - before;
        before = point.at_us;
        point.value * us as f64 / 1e6
    });
    parts.sum()
}

#[test]
fn rates_add_up_to_the_counter() {
    let view = metrics(&mut busy());
    let counters = view.charts.iter().filter(|chart| chart.is_counter);
    for chart in counters {
        let sum = sum(chart);
        assert!(
            (sum - chart.value as f64).abs() < 0.01,
            "{}: {sum}",
            chart.name
        );
    }
}

#[test]
fn a_restart_resets_the_counters_and_not_the_charts() {
    let mut session = session_after(
        Profile::V3_6,
        &["run 1s", "put a 1", "put b 2", "put c 3", "run 1s"],
    );
    session.exec("stop etcd");
    session.exec("start etcd");
    session.exec("run 1s");
    session.exec("put d 4");
    let view = metrics(&mut session);
    let puts = view
        .charts
        .iter()
        .find(|chart| chart.name == "etcd_mvcc_put_total");
    let puts = puts.expect("a chart of puts");
    assert_eq!(puts.value, 1);
    assert!((sum(puts) - 4.0).abs() < 0.01, "{puts:?}");
}

#[test]
fn a_seek_shows_the_charts_of_that_step() {
    let mut session = session_after(
        Profile::V3_6,
        &["for i in {1..20}; do put a$i 1; run 100ms; done"],
    );
    let (step, then) = (session.run().len(), metrics(&mut session));
    session.exec("for i in {1..50}; do put b$i 1; run 300ms; done");
    let end = metrics(&mut session);
    assert!(end.now_us > then.now_us && end != then);
    let mut out = Vec::new();
    let to = SeekTo::Step(step);
    session.handle(ToEngine::Request(1, Request::Move(Move::To(to))), &mut out);
    while session.pump(1000, &mut out) {}
    assert_eq!(metrics(&mut session), then);
    // A branch has the samples of the run up to the branch.
    session.exec("put c 1");
    let branch = metrics(&mut session);
    let puts = |view: &MetricsView| view.charts[1].clone();
    assert_eq!((puts(&then).value, puts(&branch).value), (20, 21));
    assert!((sum(&puts(&branch)) - 21.0).abs() < 0.01);
}
