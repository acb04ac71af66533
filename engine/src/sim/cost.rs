//! The cost of work: the duration and the CPU time of reading, decoding and encoding.
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
//! The CPU time is the benchmark's CPU usage above its baseline, per completed list. A request for etcd's revision
//! costs the same as a linearizable read: etcd 3.4.23 on two cores, which it shared with its clients, served 9,111 such
//! reads per second. The following parts are assumptions of the simulator: the linear model also applies to other
//! sizes; etcd and the API server share the latency of a list in the ratio of their CPU times; the API server spends as
//! much on a request as etcd; a byte of a response takes 2 ns to encode; each process has eight cores, and each link
//! carries 1 Gbit/s. Left out: garbage collection by itself; the measurements contain its cost.

use crate::base::time::SimDuration;

use super::processor::ProcessorWork;

/// A preset: a named set of prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CostPreset {
    /// No work takes time.
    #[default]
    Free,
    /// The prices derived from the benchmark of KEP-2340.
    Kep2340,
}

impl CostPreset {
    /// All presets.
    pub const ALL: [Self; 2] = [Self::Free, Self::Kep2340];

    /// The name of the preset in the command `cost`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Kep2340 => "kep-2340",
        }
    }

    /// The prices of the preset.
    pub fn model(self) -> CostModel {
        match self {
            Self::Free => CostModel::FREE,
            Self::Kep2340 => CostModel::KEP_2340,
        }
    }
}

/// The price of each kind of work, and the capacity of the machines and links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CostModel {
    /// etcd: the work per object read.
    pub etcd_object: ProcessorWork,
    /// etcd: the work per byte read.
    pub etcd_byte: ProcessorWork,
    /// API server: the work per object decoded.
    pub decode_object: ProcessorWork,
    /// API server: the work per byte decoded.
    pub decode_byte: ProcessorWork,
    /// API server: the work per object of the cache that is checked against the selectors.
    pub cache_object: ProcessorWork,
    /// API server: the work per byte of an encoded response.
    pub encode_byte: ProcessorWork,
    /// etcd and API server: the work per request.
    pub request: ProcessorWork,
    /// The number of cores of a member.
    pub etcd_cores: u32,
    /// The number of cores of an API server.
    pub server_cores: u32,
    /// The bandwidth of each link in bytes per second; 0 for no limit.
    pub bandwidth: u64,
}

impl CostModel {
    /// The prices with which no work takes time.
    pub const FREE: Self = Self {
        etcd_object: NONE,
        etcd_byte: NONE,
        decode_object: NONE,
        decode_byte: NONE,
        cache_object: NONE,
        encode_byte: NONE,
        request: NONE,
        etcd_cores: 8,
        server_cores: 8,
        bandwidth: 0,
    };

    /// The prices derived from the benchmark of KEP-2340.
    pub const KEP_2340: Self = Self {
        etcd_object: work(9_940_000, 8_000_000),
        etcd_byte: work(1_610, 5_100),
        decode_object: work(20_260_000, 16_300_000),
        decode_byte: work(3_150, 10_000),
        cache_object: work(1_660_000, 1_770_000),
        encode_byte: work(2_000, 2_000),
        request: work(220_000_000, 220_000_000),
        etcd_cores: 8,
        server_cores: 8,
        bandwidth: 125_000_000,
    };

    /// Returns etcd's work for reading a range.
    ///
    /// ```
    /// use watchglass_engine::sim::cost::CostModel;
    /// let cost = CostModel::KEP_2340;
    /// let list = |objects, bytes| {
    ///     cost.range(objects, bytes).and(cost.decode(objects, bytes)).alone().0 / 1_000
    /// };
    /// // Published: 1,438 and 10,494 ms.
    /// assert_eq!((list(300, 300_000_000), list(300_000, 300_000_000)), (1_437, 10_488));
    /// ```
    pub fn range(&self, objects: u64, bytes: u64) -> ProcessorWork {
        let objects = self.etcd_object.times(objects);
        objects.and(self.etcd_byte.times(bytes))
    }

    /// Returns an API server's work for decoding a response from etcd.
    pub fn decode(&self, objects: u64, bytes: u64) -> ProcessorWork {
        let objects = self.decode_object.times(objects);
        objects.and(self.decode_byte.times(bytes))
    }

    /// Returns an API server's work for checking objects of its cache.
    pub fn check(&self, objects: u64) -> ProcessorWork {
        self.cache_object.times(objects)
    }

    /// Returns an API server's work for encoding a response.
    pub fn encode(&self, bytes: u64) -> ProcessorWork {
        self.encode_byte.times(bytes)
    }

    /// Returns the time that a link needs to transfer the bytes of a response.
    pub fn transfer(&self, bytes: u64) -> SimDuration {
        match self.bandwidth {
            0 => SimDuration(0),
            bandwidth => SimDuration(bytes.saturating_mul(1_000_000) / bandwidth),
        }
    }
}

const NONE: ProcessorWork = work(0, 0);

const fn work(alone_ps: u64, cpu_ps: u64) -> ProcessorWork {
    ProcessorWork { alone_ps, cpu_ps }
}
