//! The texts of the Lab's page that compares the cost of a list from the cache and from etcd.

use watchglass_engine::session::latency::cost::Experiment;

use super::lab::{count, ms_unit};

/// The texts of the page about the cost of a list.
pub const HEADING: &str = "The same list from the cache and from etcd";
pub const ALL_MATCH: &str =
    "Every object matches and is sent (if off: no object matches, as in KEP-2340's benchmark)";
pub const LATENCY: &str = "Latency";
pub const THROUGHPUT: &str = "Throughput";

/// The names of the sources of lists.
pub const CACHE: &str = "cache";
pub const ETCD: &str = "etcd";

/// The names of the axes of the plots.
pub const OBJECTS_AXIS: &str = "objects in the list";
pub const LATENCY_AXIS: &str = "ms";
pub const THROUGHPUT_AXIS: &str = "lists per second";

/// The caption and the headings of the table of costs.
pub const TABLE: &str = "Lists from the cache and from etcd";
pub const OBJECTS: &str = "Objects";
pub const COLUMNS: [&str; 6] = [
    "kB each",
    "cache, ms",
    "etcd, ms",
    "etcd/cache",
    "cache, /s",
    "etcd, /s",
];

/// The explanation of the numbers on the page about the cost of a list.
pub const ABOUT: &str = "Where these numbers come from";
pub const ABOUT_BENCHMARK: &str = "These numbers are calculated, not measured. KEP-2340 published a benchmark: one \
    list per second with a selector that matches nothing, over 300 objects of 1 MB and over 300,000 objects of 1 kB. \
    Both lists read 300 MB, so the two results together give a cost per object and a cost per byte. Latency of a list \
    from etcd: 30.2 µs per object plus 4.76 ns per byte. CPU time of the API server: 16.3 µs per object plus 10.0 ns \
    per byte. CPU time of etcd: 8.0 µs per object plus 5.1 ns per byte. For each object that the cache reads, a list \
    from the cache takes 1.66 µs of latency and 1.77 µs of CPU time.";
pub const ABOUT_REQUESTS: &str = "Each request also costs 0.22 ms of CPU time. This number comes from a measurement: a \
    real etcd 3.4.23 on two cores served 9,111 linearizable reads per second. Here, etcd and the API server have 8 \
    cores each. The cache's latency includes the request for etcd's revision (1 ms) and the average wait in current \
    Kubernetes at one list per second. Sending objects costs 10 ns per byte, from the cache and from etcd.";
pub const ABOUT_ASSUMPTIONS: &str = "We assume that the costs per object and per byte also hold for other sizes. The \
    cost of sending is assumed, not measured. Not included: memory and garbage collection, the slowdown of concurrent \
    lists, and paging. A hundred thousand objects of 100 kB are 10 GB: more than etcd should hold.";

/// Returns the main result in a sentence. `pods` is the experiment with the most objects of 5 kB. For lists of at least
/// `crossing` objects, the cache is faster than etcd.
pub fn finding(pods: &Experiment, crossing: u64) -> String {
    let at = |us: u64| ms_unit(us * 1_000);
    format!(
        "{} objects of 5 kB: {} from the cache, {} from etcd. The cache is faster for lists of \
         at least {} such objects. For shorter lists, etcd is faster, because the API server must first wait for the \
         cache.",
        count(pods.size),
        at(pods.from_cache.0),
        at(pods.from_etcd.0),
        count(crossing)
    )
}

/// Returns the name of the curve of a source and an object size.
pub fn curve(source: &str, kilobytes: u64) -> String {
    format!("{source}, {} kB", count(kilobytes))
}

/// Returns the text alternative of a picture.
pub fn alt(y_axis: &str) -> String {
    format!(
        "{y_axis}, by the number of objects in the list, for lists from the cache and from etcd. The table below has \
        the numbers."
    )
}
