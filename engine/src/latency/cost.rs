//! The cost of a whole list from the cache and from etcd: a linear model, and the measurements behind it.
//!
//! The only published measurement with enough data is the benchmark of KEP-2340: one list per second with a selector
//! that matches no objects, over 300,000 objects of 1 kB or over 300 objects of 1 MB. The two experiments have the same
//! total size, so they determine two unknowns, the cost per object and the cost per byte:
//!
//! | | 300 × 1 MB | 300,000 × 1 kB | per object | per byte |
//! |---|---|---|---|---|
//! | latency from etcd (p50) | 1,438 ms | 10,494 ms | 30.2 µs | 4.76 ns |
//! | latency from the cache (p50) | under 50 ms | 499 ms | 1.66 µs | none |
//! | API server, from etcd | 3.03 cores·s | 7.93 cores·s | 16.3 µs | 10.0 ns |
//! | etcd, from etcd | 1.55 cores·s | 3.94 cores·s | 8.0 µs | 5.1 ns |
//! | API server, from the cache | none | 0.53 cores·s | 1.77 µs | none |
//!
//! The CPU cost is the benchmark's CPU usage above its baseline, per completed list. A request for etcd's revision
//! costs the same as a linearizable read: etcd 3.4.23 on two cores, which it shared with its clients, served 9,111 such
//! reads per second. The following parts are assumptions of the simulator: the linear model also applies to other
//! sizes, the API server spends as much on a request as etcd, and encoding and sending matching objects costs the same
//! from the cache and from etcd. Left out: memory and garbage collection, which slow down lists from etcd most, and
//! lists that slow down each other. The measurement with 300,000 objects is from a system that was overloaded.

use serde::{Deserialize, Serialize};

use crate::base::time::SimDuration;

use super::closed_form::ClosedForm;
use super::gaps::Rate;
use super::setting::{LabSetting, Scheme};

/// The coefficients of the linear model, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The latency per object that etcd lists.
    pub etcd_object_ps: u64,
    /// The latency per byte that etcd lists.
    pub etcd_byte_ps: u64,
    /// The latency per object that the cache checks.
    pub cache_object_ps: u64,
    /// The CPU time of the API server per object from etcd.
    pub server_object_ps: u64,
    /// The CPU time of the API server per byte from etcd.
    pub server_byte_ps: u64,
    /// The CPU time of etcd per object.
    pub etcd_cpu_object_ps: u64,
    /// The CPU time of etcd per byte.
    pub etcd_cpu_byte_ps: u64,
    /// The CPU time of the API server per object that the cache checks.
    pub cache_cpu_object_ps: u64,
    /// The latency per byte sent to the client: 8 ns on a link of 1 Gbit/s and 2 ns of encoding. The value is an
    /// assumption of the simulator.
    pub answer_byte_ps: u64,
    /// The CPU time per byte for encoding the response.
    pub encode_byte_ps: u64,
    /// The fixed CPU time per request, both in the API server and in etcd.
    pub request_ps: u64,
}

/// A comparison from the test plan of KEP-2340, for one list size and one object size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experiment {
    /// The number of objects in the list.
    pub size: u64,
    /// The size of each object, in bytes.
    pub object_bytes: u64,
    /// The latency from the cache, including the wait.
    pub from_cache: SimDuration,
    /// The latency from etcd.
    pub from_etcd: SimDuration,
    /// The maximum rate of lists from the cache, which the CPU limits.
    pub cache_rate: Rate,
    /// The maximum rate of lists from etcd, which the CPU limits.
    pub etcd_rate: Rate,
}

/// The numbers of objects per list in the test plan.
pub const SIZES: [u64; 6] = [1, 10, 100, 1_000, 10_000, 100_000];
/// The sizes of objects in the test plan, in bytes.
pub const OBJECT_BYTES: [u64; 3] = [5_000, 25_000, 100_000];

impl Default for Cost {
    fn default() -> Self {
        Self {
            etcd_object_ps: 30_200_000,
            etcd_byte_ps: 4_760,
            cache_object_ps: 1_660_000,
            server_object_ps: 16_300_000,
            server_byte_ps: 10_000,
            etcd_cpu_object_ps: 8_000_000,
            etcd_cpu_byte_ps: 5_100,
            cache_cpu_object_ps: 1_770_000,
            answer_byte_ps: 10_000,
            encode_byte_ps: 2_000,
            request_ps: 220_000_000,
        }
    }
}

const PS_PER_US: u64 = 1_000_000;
const PS_PER_S: u64 = 1_000_000_000_000;
/// The number of units of a [`Rate`] in one event per second.
const MILLI: u64 = 1_000;

impl Cost {
    /// Returns the time that etcd and the API server need to list `size` objects of `object_bytes` bytes each.
    ///
    /// ```
    /// use watchglass_engine::latency::cost::Cost;
    /// let ms = |size, bytes| Cost::default().from_etcd(size, bytes).0 / 1_000;
    /// assert_eq!((ms(300, 1_000_000), ms(300_000, 1_000)), (1_437, 10_488)); // published: 1,438 and 10,494
    /// ```
    pub fn from_etcd(&self, size: u64, object_bytes: u64) -> SimDuration {
        let of_each = self.etcd_object_ps + self.etcd_byte_ps * object_bytes;
        SimDuration(size.saturating_mul(of_each) / PS_PER_US)
    }

    /// Returns the time that the cache needs to check `size` objects.
    pub fn from_cache(&self, size: u64) -> SimDuration {
        SimDuration(size * self.cache_object_ps / PS_PER_US)
    }

    /// Returns the time for encoding and sending a response of `bytes` bytes.
    pub fn answer(&self, bytes: u64) -> SimDuration {
        SimDuration(bytes.saturating_mul(self.answer_byte_ps) / PS_PER_US)
    }

    /// Returns the comparisons of the test plan. The API server and etcd have `cores` cores each. Either all objects
    /// match the selector or none.
    ///
    /// ```
    /// use watchglass_engine::latency::cost::Cost;
    /// let all = Cost::default().experiments(8, false);
    /// let pods = all.iter().find(|e| e.size == 100_000 && e.object_bytes == 5_000).unwrap();
    /// assert!(pods.from_etcd.0 > 20 * pods.from_cache.0); // "20-50x less latency"
    /// ```
    pub fn experiments(&self, cores: u64, all_match: bool) -> Vec<Experiment> {
        // One list a second, as in the benchmark.
        let lists = Rate::per_second(1);
        let setting = LabSetting {
            lists,
            ..LabSetting::of(Scheme::Today)
        };
        let wait_us = ClosedForm::of(&setting).map_or(0, |closed| closed.mean_ns() / 1_000);
        let round_trip = setting.round_trip.0;
        let sizes = SIZES
            .into_iter()
            .flat_map(|size| OBJECT_BYTES.map(|bytes| (size, bytes)));
        let experiment = |(size, object_bytes)| {
            let all_bytes = size * object_bytes;
            let sent = if all_match { all_bytes } else { 0 };
            let answer = self.answer(sent).0;
            let encode = sent * self.encode_byte_ps + self.request_ps;
            let in_cache = size * self.cache_cpu_object_ps + encode;
            let in_server = size * self.server_object_ps + all_bytes * self.server_byte_ps + encode;
            let in_etcd = size * self.etcd_cpu_object_ps
                + all_bytes * self.etcd_cpu_byte_ps
                + self.request_ps;
            let rate = |ps: u64| Rate(cores * PS_PER_S / (ps / MILLI));
            Experiment {
                size,
                object_bytes,
                from_cache: SimDuration(round_trip + wait_us + self.from_cache(size).0 + answer),
                from_etcd: SimDuration(round_trip + self.from_etcd(size, object_bytes).0 + answer),
                cache_rate: rate(in_cache.max(self.request_ps)),
                etcd_rate: rate(in_server.max(in_etcd)),
            }
        };
        sizes.map(experiment).collect()
    }
}
