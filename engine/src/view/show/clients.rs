//! Prints the output of `show clients`: the traffic of each etcd client, and the outcome of the requests of each load.
//! Learners use the output to compare polling with watching, and to see how clients behave under overload.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::base::bytes::escape;
use crate::base::histogram::Histogram;
use crate::base::time::{SimDuration, SimTime};
use crate::client::etcd::client::Client;
use crate::client::load_calls::{CallCounts, LoadCalls};
use crate::kube::slo::Slo;
use crate::qos::monitor::MonitorQuery;
use crate::world::World;

use super::number;

/// Prints two lines for each API server, each load, all kubelets of one name, and each client that belongs to no load.
/// The first line is the name and the kind. The second line contains the numbers of requests, keys and events or, for a
/// load, the outcomes of its requests.
pub fn clients(world: &World) -> String {
    let mut text = String::new();
    for (_, server) in world.apiservers() {
        let sums = server.traffic();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            text,
            "{}  API server\n    {}, {} read, {}",
            server.name(),
            number(sums.requests, "request", "requests"),
            number(sums.keys, "key", "keys"),
            number(sums.events, "event", "events")
        );
    }
    for (name, load) in loads(world) {
        let (requests, outcome) = (&load.what, load.outcome());
        let _ = writeln!(text, "{name}  {requests}\n    {outcome}");
    }
    for (_, client) in world.clients() {
        if client.load().is_some() {
            continue;
        }
        let sums = client.traffic();
        let sent = number(sums.requests, "request", "requests");
        let mut parts = vec![match client.monitor_stream() {
            Some(_) => format!("{sent} sent"),
            None => sent,
        }];
        if sums.keys > 0 || client.poller().is_some() {
            parts.push(format!("{} read", number(sums.keys, "key", "keys")));
        }
        match client.poller() {
            Some(poller) => {
                parts.push(format!(
                    "{} found",
                    number(poller.changes(), "change", "changes")
                ));
                if poller.spec().each_revision {
                    let compacted = number(poller.compacted(), "revision", "revisions");
                    parts.push(format!("{compacted} compacted before the read"));
                }
            }
            None => match client.monitor_stream() {
                Some(stream) => parts.push(format!(
                    "{} received",
                    number(stream.received(), "report", "reports")
                )),
                None => parts.push(number(sums.events, "event", "events")),
            },
        }
        let _ = writeln!(
            text,
            "{}  {}\n    {}",
            client.name(),
            kind(client),
            parts.join(", ")
        );
    }
    if text.is_empty() {
        text.push_str("no clients\n");
    }
    text
}

/// The sums over all clients of one load, or over all kubelets of one client: the number of clients or kubelets, the
/// call counts and the latencies.
struct LoadSums {
    what: String,
    are_kubelets: bool,
    clients: u64,
    counts: CallCounts,
    latencies: Histogram,
    /// The number of open requests that are already slower than the objective.
    overdue: u64,
    /// The objective for the latency of requests to API servers; `None` for requests to etcd.
    slo: Option<Slo>,
}

impl LoadSums {
    /// Adds the calls of clients, whose clocks show the time `now`.
    fn add<R: Clone>(&mut self, clients: u64, calls: &LoadCalls<R>, now: SimTime) {
        let counts = calls.counts();
        if let Some(slo) = self.slo {
            self.overdue += calls.open_since(SimTime(now.0.saturating_sub(slo.limit().0)));
        }
        self.clients += clients;
        self.counts.sent += counts.sent;
        self.counts.succeeded += counts.succeeded;
        self.counts.failed += counts.failed;
        self.counts.timed_out += counts.timed_out;
        self.counts.lost += counts.lost;
        self.latencies.merge(calls.latencies());
    }

    fn outcome(&self) -> String {
        let CallCounts {
            sent,
            succeeded,
            failed,
            timed_out,
            lost,
        } = self.counts;
        let mut parts = vec![
            match self.are_kubelets {
                true => number(self.clients, "kubelet", "kubelets"),
                false => number(self.clients, "client", "clients"),
            },
            number(sent, "request", "requests"),
            format!("{succeeded} succeeded"),
        ];
        for (count, word) in [
            (failed, "failed"),
            (timed_out, "timed out"),
            (lost, "lost with their connection"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {word}"));
            }
        }
        if self.latencies.count() > 0 {
            let quantile = |n| SimDuration(self.latencies.quantile(n, 100));
            let (half, p99) = (quantile(50), quantile(99));
            parts.push(format!("latency p50 {half}, p99 {p99}"));
        }
        // An unsuccessful request is slower than any limit.
        let judged = succeeded + failed + timed_out + self.overdue;
        if let Some(slo) = self.slo.filter(|_| judged > 0) {
            let is_served = succeeded * 100 >= judged * 99;
            let p99 = || SimDuration(self.latencies.quantile(judged * 99, succeeded * 100));
            let met = match is_served && slo.is_met(p99()) {
                true => "met",
                false => "missed",
            };
            parts.push(format!("SLO {} for {} {met}", slo.limit(), slo.name()));
        }
        parts.join(", ")
    }
}

/// Returns the numbers of requests of a load or of kubelets with this name; `None` if there is none.
pub fn load_counts(world: &World, name: &str) -> Option<CallCounts> {
    loads(world).remove(name).map(|load| load.counts)
}

/// Returns the loads. The clients of a load have names with a common prefix.
fn loads(world: &World) -> BTreeMap<String, LoadSums> {
    let mut loads = BTreeMap::new();
    let sums = |what: String, slo: Option<Slo>| LoadSums {
        what,
        are_kubelets: false,
        clients: 0,
        counts: CallCounts::default(),
        latencies: Histogram::default(),
        overdue: 0,
        slo,
    };
    let group = |name: &str| name.rsplit_once('-').map_or(name, |(of, _)| of).to_owned();
    for (node, client) in world.clients() {
        if let Some(load) = client.load() {
            let what = || sums(format!("load on {}", escape(&load.spec().prefix)), None);
            let found = loads.entry(group(client.name())).or_insert_with(what);
            found.add(1, load.calls(), world.time_of(node));
        }
    }
    for (node, client) in world.kube_clients() {
        let now = world.time_of(node);
        if let Some(kubelets) = client.kubelets() {
            let mut found = LoadSums {
                are_kubelets: true,
                ..sums("lists of pods".into(), Some(Slo::List))
            };
            found.add(kubelets.spec().nodes.into(), kubelets.calls(), now);
            loads.insert(client.name().to_string(), found);
        }
        if let Some(load) = client.load() {
            let slo = match load.spec().lists {
                0 => Slo::OneObject,
                _ => Slo::List,
            };
            let what = || sums(format!("load on {}", load.spec().resource.name), Some(slo));
            let found = loads.entry(group(client.name())).or_insert_with(what);
            found.add(1, load.calls(), now);
        }
    }
    loads
}

fn kind(client: &Client) -> String {
    if let Some(poller) = client.poller() {
        let spec = poller.spec();
        let what = match spec.each_revision {
            true => "every revision of ",
            false => "",
        };
        let how = match *spec.through_cache {
            true => ", through its cache",
            false => "",
        };
        return format!(
            "polls {what}{} every {}{how}",
            escape(&spec.prefix),
            spec.every
        );
    }
    if let Some(lease) = client.keeps_alive() {
        return format!("keeps lease {:x} alive", lease.lease());
    }
    if let Some(stream) = client.monitor_stream() {
        let MonitorQuery { kind, limit, .. } = stream.query();
        return format!("monitors {}, up to {limit} reports", kind.name());
    }
    match client.app() {
        Some(app) => format!("lists and watches {}", escape(app.prefix())),
        None => "watches".into(),
    }
}
