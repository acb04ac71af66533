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
//! CPU is what the benchmark had above its baseline, for each list that was answered. Ours: that the
//! line goes on to other sizes, and what making and sending an answer adds, the same for both ways,
//! when objects do match. Left out: memory and its collection, which hit the first way hardest, and
//! lists that disturb each other: the 300,000 came from a system that could not keep up.

use crate::base::time::SimDuration;

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
    /// The part of it that is CPU.
    pub encode_byte_ps: u64,
}

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
        }
    }
}

const PS_PER_US: u64 = 1_000_000;

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

    /// How long the cache takes to look at so many objects.
    pub fn from_cache(&self, size: u64) -> SimDuration {
        SimDuration(size * self.cache_object_ps / PS_PER_US)
    }

    /// How long the answer takes, when this many bytes of it match.
    pub fn answer(&self, bytes: u64) -> SimDuration {
        SimDuration(bytes.saturating_mul(self.answer_byte_ps) / PS_PER_US)
    }
}
