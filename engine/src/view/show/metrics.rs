//! Prints the output of `show metrics` and `show slow`: a member's page `/metrics`, and its log of slow reads.

use std::fmt::{self, Write};

use crate::base::bytes::escape;
use crate::base::durations::Durations;
use crate::base::time::SimDuration;
use crate::etcd::EtcdServer;
use crate::etcd::metrics::SLOW;
use crate::qos;
use crate::world::World;

/// The type of a metric in Prometheus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MetricType {
    Counter,
    Gauge,
}

/// Prints the metrics of the member that the terminal uses, in the text format of Prometheus, with etcd's names. Prints
/// only the metrics whose names begin with `prefix`.
pub fn metrics(world: &World, prefix: &str) -> String {
    let all = all(world);
    let named = all.lines().filter(|line| {
        let name = line.strip_prefix("# TYPE ").unwrap_or(line);
        name.starts_with(prefix)
    });
    named.flat_map(|line| [line, "\n"]).collect()
}

fn all(world: &World) -> String {
    use MetricType::{Counter, Gauge};
    let member = world.at_endpoint();
    let counters = member.metrics();
    let watches = member.watchable();
    let (synced, unsynced, victims) = watches.counts();
    let store = member.store();
    let backend = world.backend(world.endpoint());
    let backend = backend.as_ref().unwrap_or_else(|| store.backend());
    let entries = member.raft_index();
    let readers = member.open_snapshots().count() as u64 + 1;
    let mut out = String::new();
    let mut show = |name: &str, kind: MetricType, value: &dyn fmt::Display| {
        let kind = match kind {
            Counter => "counter",
            Gauge => "gauge",
        };
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "# TYPE {name} {kind}\n{name} {value}");
    };
    show(
        "etcd_debugging_lease_granted_total",
        Counter,
        &counters.granted,
    );
    show(
        "etcd_debugging_lease_renewed_total",
        Counter,
        &counters.renewed,
    );
    show(
        "etcd_debugging_lease_revoked_total",
        Counter,
        &counters.revoked,
    );
    show(
        "etcd_debugging_mvcc_compact_revision",
        Gauge,
        &store.compact_rev(),
    );
    show(
        "etcd_debugging_mvcc_current_revision",
        Gauge,
        &store.current_rev(),
    );
    show(
        "etcd_debugging_mvcc_events_total",
        Counter,
        &counters.events,
    );
    show("etcd_debugging_mvcc_keys_total", Gauge, &store.live_keys());
    show(
        "etcd_debugging_mvcc_pending_events_total",
        Gauge,
        &watches.pending_events(),
    );
    show(
        "etcd_debugging_mvcc_slow_watcher_total",
        Gauge,
        &(unsynced + victims),
    );
    show(
        "etcd_debugging_mvcc_total_put_size_in_bytes",
        Gauge,
        &counters.put_bytes,
    );
    show(
        "etcd_debugging_mvcc_watch_stream_total",
        Gauge,
        &watches.stream_count(),
    );
    show(
        "etcd_debugging_mvcc_watcher_total",
        Gauge,
        &(synced + unsynced + victims),
    );
    show(
        "etcd_debugging_server_lease_expired_total",
        Counter,
        &counters.expired,
    );
    show("etcd_mvcc_db_open_read_transactions", Gauge, &readers);
    show(
        "etcd_mvcc_db_total_size_in_bytes",
        Gauge,
        &backend.db().bytes(),
    );
    show(
        "etcd_mvcc_db_total_size_in_use_in_bytes",
        Gauge,
        &backend.db().bytes_in_use(),
    );
    show("etcd_mvcc_delete_total", Counter, &counters.deletes);
    show("etcd_mvcc_put_total", Counter, &counters.puts);
    show("etcd_mvcc_range_total", Counter, &counters.ranges);
    show("etcd_mvcc_txn_total", Counter, &counters.txns);
    show(
        "etcd_network_client_grpc_received_bytes_total",
        Counter,
        &counters.received_bytes,
    );
    show("etcd_server_has_leader", Gauge, &1);
    show("etcd_server_is_leader", Gauge, &1);
    show("etcd_server_proposals_applied_total", Gauge, &entries);
    show("etcd_server_proposals_committed_total", Gauge, &entries);
    show(
        "etcd_server_proposals_failed_total",
        Counter,
        &counters.failed_proposals,
    );
    show(
        "etcd_server_proposals_pending",
        Gauge,
        &member.proposals_pending(),
    );
    show(
        "etcd_server_quota_backend_bytes",
        Gauge,
        &member.quota_bytes(),
    );
    show(
        "etcd_server_slow_apply_total",
        Counter,
        &counters.slow_applies,
    );
    show(
        "process_cpu_seconds_total",
        Counter,
        &seconds(member.processor().used()),
    );
    for (name, durations) in durations(world) {
        histogram(&mut out, name, &durations);
    }
    if let Some(qos) = EtcdServer::qos(member) {
        let now = world.time_of(world.endpoint());
        let spent = seconds(qos.spent());
        let _ = writeln!(out, "etcd_qos_decision_seconds_total {spent}");
        out.push_str(&qos::metrics::text(qos.state(), now));
    }
    out
}

/// Returns the durations of the member's disk operations, by the name of the metric.
pub fn durations(world: &World) -> [(&'static str, Durations); 2] {
    let member = world.at_endpoint();
    let backend = world.backend(world.endpoint());
    let backend = backend.as_ref().unwrap_or_else(|| member.store().backend());
    [
        (
            "etcd_disk_backend_commit_duration_seconds",
            backend.commits().clone(),
        ),
        (
            "etcd_disk_wal_fsync_duration_seconds",
            member.metrics().syncs.clone(),
        ),
    ]
}

fn histogram(out: &mut String, name: &str, durations: &Durations) {
    let _ = writeln!(out, "# TYPE {name} histogram");
    for (bound, count) in durations.buckets() {
        let bound = seconds(SimDuration(bound));
        let _ = writeln!(out, "{name}_bucket{{le=\"{bound}\"}} {count}");
    }
    let (sum, count) = (seconds(durations.sum), durations.count);
    let _ = writeln!(
        out,
        "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {sum}\n{name}_count {count}"
    );
}

/// Formats a duration as a number of seconds, without trailing zeros.
fn seconds(duration: SimDuration) -> String {
    let text = format!("{}.{:06}", duration.0 / 1_000_000, duration.0 % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Prints the slow reads of the member that the terminal uses, with the words of etcd's log.
pub fn slow(world: &World) -> String {
    let member = world.at_endpoint();
    let mut out = String::new();
    for read in member.metrics().slow() {
        let range = match read.request.range_end.is_empty() {
            true => format!("key:\"{}\"", escape(&read.request.key)),
            false => {
                let (key, end) = (escape(&read.request.key), escape(&read.request.range_end));
                format!("key:\"{key}\" range_end:\"{end}\"")
            }
        };
        let (response, backend) = match read.response {
            Some((rows, bytes)) => (
                format!("range_response_count:{rows} size:{bytes}"),
                format!("; range keys from bolt db {}", read.backend),
            ),
            None => (
                "\"\"  error \"rangeKeys: context cancelled: context canceled\"".into(),
                String::new(),
            ),
        };
        let _ = writeln!(
            out,
            "{} apply request took too long  took {}  expected-duration {SLOW}  prefix \"read-only range \"  \
             request {range}  response {response}\n    \
             range keys from in-memory index tree {}{backend}",
            read.at, read.took, read.index
        );
    }
    match out.is_empty() {
        true => format!("no read took longer than {SLOW}\n"),
        false => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_no_trailing_zeros() {
        let texts = [0, 1_000, 2_048_000, 10_000_000].map(|us| seconds(SimDuration(us)));
        assert_eq!(texts, ["0", "0.001", "2.048", "10"]);
    }
}
