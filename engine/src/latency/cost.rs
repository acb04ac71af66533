//! The experiments of KEP-2340's test plan: each compares a list from the cache with the same list from etcd.
//! [`CostModel`] defines the costs.
//!
//! Left out: the effect of concurrent lists on each other.

use serde::{Deserialize, Serialize};

use crate::base::time::SimDuration;
pub use crate::sim::cost::CostModel;
use crate::sim::processor::ProcessorWork;

use super::closed_form::ClosedForm;
use super::gaps::Rate;
use super::setting::{LabSetting, Scheme};

/// A list of the test plan of KEP-2340, with its latency and rate from the cache and from etcd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experiment {
    /// The number of objects in the list.
    pub size: u64,
    pub object_bytes: u64,
    /// The latency from the cache, including the wait.
    pub from_cache: SimDuration,
    pub from_etcd: SimDuration,
    /// The maximum rate of lists from the cache. The CPU limits this rate.
    pub cache_rate: Rate,
    /// The maximum rate of lists from etcd. The CPU limits this rate.
    pub etcd_rate: Rate,
}

/// The numbers of objects per list in the test plan.
pub const SIZES: [u64; 6] = [1, 10, 100, 1_000, 10_000, 100_000];
/// The sizes of objects in the test plan, in bytes.
pub const OBJECT_BYTES: [u64; 3] = [5_000, 25_000, 100_000];

const PS_PER_S: u64 = 1_000_000_000_000;
/// The rate of one event per second, in the unit of [`Rate`].
const MILLI: u64 = 1_000;

/// Returns the comparisons of the test plan. The selector of the lists matches every object if `all_match` is true,
/// otherwise no object.
///
/// ```
/// use watchglass_engine::latency::cost::experiments;
/// use watchglass_engine::sim::cost::CostModel;
/// let all = experiments(&CostModel::KEP_2340, false);
/// let pods = all.iter().find(|e| e.size == 100_000 && e.object_bytes == 5_000).unwrap();
/// assert!(pods.from_etcd.0 > 20 * pods.from_cache.0); // "20-50x less latency"
/// ```
pub fn experiments(cost: &CostModel, all_match: bool) -> Vec<Experiment> {
    let wait = usual_wait();
    let sizes = SIZES
        .into_iter()
        .flat_map(|size| OBJECT_BYTES.map(|bytes| (size, bytes)));
    let each = |(size, bytes)| experiment(cost, wait, all_match, size, bytes);
    sizes.map(each).collect()
}

/// Returns the smallest number of objects at which a list from the cache is faster than the same list from etcd. A
/// shorter list is faster from etcd, because the request for etcd's revision and the wait for the cache take longer
/// than the whole list from etcd.
///
/// ```
/// use watchglass_engine::latency::cost::crossing;
/// use watchglass_engine::sim::cost::CostModel;
/// assert_eq!(crossing(&CostModel::KEP_2340, false, 5_000), 113);
/// ```
pub fn crossing(cost: &CostModel, all_match: bool, object_bytes: u64) -> u64 {
    let wait = usual_wait();
    let is_faster = |size: &u64| {
        let one = experiment(cost, wait, all_match, *size, object_bytes);
        one.from_cache <= one.from_etcd
    };
    let (mut below, mut above) = (0, SIZES[SIZES.len() - 1]);
    while above - below > 1 {
        let middle = below.midpoint(above);
        match is_faster(&middle) {
            true => above = middle,
            false => below = middle,
        }
    }
    above
}

/// Returns the mean wait of a list in current Kubernetes, with one list per second, as in the benchmark of KEP-2340.
fn usual_wait() -> SimDuration {
    let setting = usual_setting();
    SimDuration(ClosedForm::of(&setting).map_or(0, |closed| closed.mean_ns() / 1_000))
}

fn usual_setting() -> LabSetting {
    LabSetting {
        lists: Rate::per_second(1),
        ..LabSetting::of(Scheme::Today)
    }
}

fn experiment(
    cost: &CostModel,
    wait: SimDuration,
    all_match: bool,
    size: u64,
    object_bytes: u64,
) -> Experiment {
    let round_trip = usual_setting().round_trip.0;
    let all_bytes = size * object_bytes;
    let sent = if all_match { all_bytes } else { 0 };
    let encode = cost.encode(sent);
    let in_cache = cost.check(size).and(encode);
    let in_server = cost.decode(size, all_bytes).and(encode);
    let in_etcd = cost.range(size, all_bytes);
    let on_the_way = round_trip + cost.transfer(sent).0;
    let rate = |work: ProcessorWork, cores: u64| {
        let each = work.cpu_ps + cost.request.cpu_ps;
        cores * PS_PER_S / (each / MILLI).max(1)
    };
    let by_server = rate(in_server, cost.server_cores);
    Experiment {
        size,
        object_bytes,
        from_cache: SimDuration(on_the_way + wait.0 + in_cache.alone().0),
        from_etcd: SimDuration(on_the_way + in_etcd.and(in_server).alone().0),
        cache_rate: Rate(rate(in_cache, cost.server_cores)),
        etcd_rate: Rate(by_server.min(rate(in_etcd, cost.etcd_cores))),
    }
}
