//! What a whole list costs, from the cache and from etcd: a straight line, and where it comes from.
//!
//! The only published measurement with enough of it is KEP-2340's own benchmark: a list each second
//! with a selector that matches nothing, over 300,000 objects of 1 kB, or over 300 of 1 MB. Two
//! sizes with the same bytes give two unknowns, time for each object and for each byte:
//!
//! | | 300 × 1 MB | 300,000 × 1 kB | so each object | and each byte |
//! |---|---|---|---|---|
//! | latency from etcd (p50) | 1,438 ms | 10,494 ms | 30.2 µs | 4.76 ns |
//! | latency from the cache (p50) | under 50 ms | 499 ms | 1.66 µs | none |
//! | API server, from etcd | 3.03 cores·s | 7.93 cores·s | 16.3 µs | 10.0 ns |
//! | etcd, from etcd | 1.55 cores·s | 3.94 cores·s | 8.0 µs | 5.1 ns |
//! | API server, from the cache | none | 0.53 cores·s | 1.77 µs | none |
//!
//! CPU is what the benchmark had above its baseline, for each list that was answered. A question for
//! etcd's revision costs what a linearizable read costs: an etcd 3.4.23 on two cores, shared with its
//! clients, answered 9,111 a second. Ours: that the line goes on to other sizes, that the API server
//! spends on a request what etcd does, and what making and sending an answer adds, the same for both
//! ways, when objects do match. Left out: memory and its collection, which hit the first way hardest, and
//! lists that disturb each other: the 300,000 came from a system that could not keep up.

use serde::{Deserialize, Serialize};

use crate::base::time::SimDuration;

use super::closed_form::ClosedForm;
use super::gaps::Rate;
use super::setting::{LabSetting, Scheme};

/// The line, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Latency of each object that etcd lists.
    pub etcd_object_ps: u64,
    /// Latency of each byte that etcd lists.
    pub etcd_byte_ps: u64,
    /// Latency of each object that the cache looks at.
    pub cache_object_ps: u64,
    /// CPU of the API server for each object that comes from etcd.
    pub server_object_ps: u64,
    /// CPU of the API server for each byte that comes from etcd.
    pub server_byte_ps: u64,
    /// CPU of etcd for each object.
    pub etcd_cpu_object_ps: u64,
    /// CPU of etcd for each byte.
    pub etcd_cpu_byte_ps: u64,
    /// CPU of the API server for each object that the cache looks at.
    pub cache_cpu_object_ps: u64,
    /// Latency and CPU of each byte that is sent to the client: 8 ns on a wire of 1 Gbit/s, 2 ns to
    /// encode it. Ours.
    pub answer_byte_ps: u64,
    /// The CPU part of the encoding time.
    pub encode_byte_ps: u64,
    /// CPU of a request, whatever it asks for: in the API server, and in etcd.
    pub request_ps: u64,
}

/// A size of list and of object, as the test plan of KEP-2340 wants them compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experiment {
    /// Objects in the list.
    pub size: u64,
    /// Bytes of each.
    pub object_bytes: u64,
    /// The latency from the cache, including the wait.
    pub from_cache: SimDuration,
    /// The latency from etcd.
    pub from_etcd: SimDuration,
    /// The maximum rate of lists from the cache, limited by CPU.
    pub cache_rate: Rate,
    /// The maximum rate of lists from etcd.
    pub etcd_rate: Rate,
}

/// Sizes of lists in the test plan.
pub const SIZES: [u64; 6] = [1, 10, 100, 1_000, 10_000, 100_000];
/// Sizes of objects in the test plan.
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
/// Rates are in thousandths.
const MILLI: u64 = 1_000;

impl Cost {
    /// How long etcd and the API server take to list so many objects of so many bytes.
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

    /// The time that the cache needs to check `size` objects.
    pub fn from_cache(&self, size: u64) -> SimDuration {
        SimDuration(size * self.cache_object_ps / PS_PER_US)
    }

    /// The time of the response with this number of matching bytes.
    pub fn answer(&self, bytes: u64) -> SimDuration {
        SimDuration(bytes.saturating_mul(self.answer_byte_ps) / PS_PER_US)
    }

    /// The comparisons of the test plan: the API server and etcd have so many cores each, and every
    /// object matches or none does.
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
