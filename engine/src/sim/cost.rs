//! The cost of work: the duration, the CPU time and the memory of reading, decoding and encoding, and the time of disk
//! accesses.
//!
//! The only published measurement with enough data is the benchmark of KEP-2340. The benchmark sends one list per
//! second. The selector of the list matches no objects. One experiment has 300,000 objects of 1 kB, the other has 300
//! objects of 1 MB. Both have the same total size, so they determine the cost per object and the cost per byte:
//!
//! | | 300 × 1 MB | 300,000 × 1 kB | per object | per byte |
//! |---|---|---|---|---|
//! | latency from etcd (p50) | 1,438 ms | 10,494 ms | 30.2 µs | 4.76 ns |
//! | latency from the cache (p50) | under 50 ms | 499 ms | 1.66 µs | none |
//! | API server, from etcd | 3.03 cores·s | 7.93 cores·s | 16.3 µs | 10.0 ns |
//! | etcd, from etcd | 1.55 cores·s | 3.94 cores·s | 8.0 µs | 5.1 ns |
//! | API server, from the cache | none | 0.53 cores·s | 1.77 µs | none |
//!
//! The CPU time is the benchmark's CPU usage above its baseline, per completed list.
//!
//! Three costs are measured with etcd 3.4.23 on two cores, which etcd shared with its clients:
//!
//! - A linearizable read: etcd served 9,111 such reads per second. A request for etcd's revision costs the same.
//! - A watch response with an event: 38 µs of processor time for each response to one of 200 watchers.
//! - A progress notification: 130 to 270 µs of processor time for each notification on a connection of its own.
//!
//! A sync pass over unsynced watchers reads every row from the oldest missing revision on, and holds the lock that each
//! write needs. A test of upstream reads 20,001 small rows in 17.6 ms; in a report (etcd#22264), 500,000 revisions of
//! Kubernetes take about 1.3 s. Both fit 0.88 µs per row and the cost per byte above.
//!
//! No version of etcd has QoS, so the cost of its decisions is that of the simulator's own QoS (`docs/performance.md`):
//! 1.7 µs with 10,000 keys, and 0.16 µs for each rule.
//!
//! The following values are assumptions of the simulator:
//!
//! - The linear model also applies to other sizes.
//! - etcd and the API server share the latency of a list in the ratio of their CPU times.
//! - The API server needs as much work for a request, an event and a notification as etcd.
//! - Checking a password takes 40 ms of one core: the QoS proposal reports 200 logins per second on eight cores.
//! - Encoding a byte of a response takes 2 ns.
//! - Each process has eight cores and 32 GB of memory, like the machine in the QoS proposal.
//! - Each link carries 1 Gbit/s.
//! - A response that is being processed occupies three times its size, because the rows, the protobuf message and the
//!   send buffer exist at the same time.
//!
//! The measurements contain the collection of garbage, and the selector of their lists matches no object to convert.
//! Both costs are therefore 0 until `cost` sets them. A benchmark of Kubernetes (kubernetes#139770) converts a list of
//! 5,000 pods to v1 in 1.19 ms, 0.24 µs for each pod; the share of the collection is not published.
//!
//! A disk has five durations: one sync of the write-ahead log, and a read and a write of one random and of one
//! sequential page. etcd's documentation gives 10 ms for a sync on a spinning disk, and less than 1 ms on an SSD. The
//! other durations are typical values of such disks. A random write is faster than a random read, because the disk
//! sorts the writes of a commit; the two syncs of a commit are part of its writes.

use crate::base::time::SimDuration;

use super::processor::ProcessorWork;

/// A named set of prices and capacities. A price states how long a kind of work takes. A capacity is the limit of a
/// machine or of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CostPreset {
    Free,
    /// The processor time of the benchmark of KEP-2340. Links and memory have no limit.
    #[default]
    Processor,
    /// The prices derived from the benchmark of KEP-2340, with links of 1 Gbit/s and 32 GB of memory.
    Kep2340,
}

impl CostPreset {
    pub const ALL: [Self; 3] = [Self::Free, Self::Processor, Self::Kep2340];

    /// Returns the name that the command `cost` uses for the preset.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Processor => "processor",
            Self::Kep2340 => "kep-2340",
        }
    }

    pub fn model(self) -> CostModel {
        match self {
            Self::Free => CostModel::FREE,
            Self::Processor => CostModel::PROCESSOR,
            Self::Kep2340 => CostModel::KEP_2340,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Disk {
    /// A disk whose accesses take no time.
    Free,
    Ssd,
    /// A spinning disk with 7,200 revolutions per minute.
    Spinning,
}

impl Disk {
    pub const ALL: [Self; 3] = [Self::Free, Self::Ssd, Self::Spinning];

    /// Returns the name that the command `cost` uses for the disk.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Ssd => "ssd",
            Self::Spinning => "spinning",
        }
    }
}

/// The prices: the cost of each kind of work, and the capacity of machines and links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CostModel {
    /// etcd: the work per object read.
    pub etcd_object: ProcessorWork,
    /// etcd: the work per byte read.
    pub etcd_byte: ProcessorWork,
    /// etcd: the work per row that a sync pass over unsynced watchers reads.
    pub sync_row: ProcessorWork,
    /// API server: the work per object decoded.
    pub decode_object: ProcessorWork,
    /// API server: the work per byte decoded.
    pub decode_byte: ProcessorWork,
    /// API server: the work of converting an object of a response to the requested version.
    pub convert_object: ProcessorWork,
    /// API server: the work of collecting a byte of the objects and buffers of a response.
    pub collect_byte: ProcessorWork,
    /// API server: the work of checking one object of the cache against the selectors.
    pub cache_object: ProcessorWork,
    /// API server: the work per byte of an encoded response.
    pub encode_byte: ProcessorWork,
    /// etcd and API server: the work per request.
    pub request: ProcessorWork,
    /// etcd and API server: the work per response of a watch.
    pub watch_response: ProcessorWork,
    /// etcd and API server: the work per progress notification.
    pub notification: ProcessorWork,
    /// etcd: the work of checking a password.
    pub authenticate: ProcessorWork,
    /// etcd: the work of a TLS handshake; none if connections do not use TLS.
    pub tls_handshake: ProcessorWork,
    /// etcd: the work of a decision of QoS, without the comparison with rules.
    pub qos_decision: ProcessorWork,
    /// etcd: the work of comparing a request with a rule of QoS.
    pub qos_rule: ProcessorWork,
    pub etcd_cores: u64,
    pub server_cores: u64,
    /// The memory limit of a member in bytes; 0 for no limit.
    pub etcd_memory: u64,
    /// The memory limit of an API server in bytes; 0 for no limit.
    pub server_memory: u64,
    /// The number of copies of a response that are in memory until the response is sent.
    pub copies: u64,
    /// The bandwidth of each link in bytes per second; 0 for no limit.
    pub bandwidth: u64,
    /// The duration of one sync of the write-ahead log, in picoseconds.
    pub fsync_ps: u64,
    pub random_page_ps: u64,
    pub sequential_page_ps: u64,
    /// The duration of writing a random page of the database file, in picoseconds.
    pub random_write_ps: u64,
    /// The duration of writing a sequential page of the database file, in picoseconds.
    pub sequential_write_ps: u64,
}

impl CostModel {
    /// The prices of [`CostPreset::Free`], with which no work takes time.
    pub const FREE: Self = Self {
        etcd_object: NONE,
        etcd_byte: NONE,
        sync_row: NONE,
        decode_object: NONE,
        decode_byte: NONE,
        convert_object: NONE,
        collect_byte: NONE,
        cache_object: NONE,
        encode_byte: NONE,
        request: NONE,
        watch_response: NONE,
        notification: NONE,
        authenticate: NONE,
        tls_handshake: NONE,
        qos_decision: NONE,
        qos_rule: NONE,
        etcd_cores: 8,
        server_cores: 8,
        etcd_memory: 0,
        server_memory: 0,
        copies: 3,
        bandwidth: 0,
        fsync_ps: 0,
        random_page_ps: 0,
        sequential_page_ps: 0,
        random_write_ps: 0,
        sequential_write_ps: 0,
    };

    pub const PROCESSOR: Self = Self {
        etcd_object: work(9_940_000, 8_000_000),
        etcd_byte: work(1_610, 5_100),
        sync_row: work(880_000, 880_000),
        decode_object: work(20_260_000, 16_300_000),
        decode_byte: work(3_150, 10_000),
        cache_object: work(1_660_000, 1_770_000),
        encode_byte: work(2_000, 2_000),
        request: work(220_000_000, 220_000_000),
        watch_response: work(40_000_000, 40_000_000),
        notification: work(200_000_000, 200_000_000),
        authenticate: work(40 * PS_PER_MS, 40 * PS_PER_MS),
        qos_decision: work(1_700_000, 1_700_000),
        qos_rule: work(160_000, 160_000),
        ..Self::FREE
    };

    pub const KEP_2340: Self = Self {
        etcd_memory: 32_000_000_000,
        server_memory: 32_000_000_000,
        bandwidth: 125_000_000,
        ..Self::PROCESSOR
    };

    #[must_use]
    pub fn with_disk(self, disk: Disk) -> Self {
        let (fsync, read, write, sequential) = match disk {
            Disk::Free => (0, 0, 0, 0),
            Disk::Ssd => (PS_PER_MS, PS_PER_MS / 10, PS_PER_MS / 20, PS_PER_MS / 100),
            Disk::Spinning => (
                10 * PS_PER_MS,
                10 * PS_PER_MS,
                5 * PS_PER_MS,
                PS_PER_MS / 25,
            ),
        };
        Self {
            fsync_ps: fsync,
            random_page_ps: read,
            sequential_page_ps: sequential,
            random_write_ps: write,
            sequential_write_ps: sequential,
            ..self
        }
    }

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
        let read = objects.and(self.etcd_byte.times(bytes));
        read.with_memory(bytes.saturating_mul(self.copies))
    }

    /// Returns etcd's work for the rows that a sync pass reads. etcd does this work on one core.
    pub fn sync_pass(&self, rows: u64, bytes: u64) -> ProcessorWork {
        let read = self.etcd_byte.times(bytes).alone_ps;
        self.sync_row.times(rows).and(work(read, read))
    }

    /// Returns the work of sending or receiving a watch response. A response without events is a progress notification.
    pub fn watch(&self, events: u64) -> ProcessorWork {
        match events {
            0 => self.notification,
            _ => self.watch_response,
        }
    }

    /// Returns an API server's work for decoding a response from etcd.
    pub fn decode(&self, objects: u64, bytes: u64) -> ProcessorWork {
        let objects = self.decode_object.times(objects);
        let decoded = objects.and(self.decode_byte.times(bytes));
        decoded.with_memory(bytes.saturating_mul(self.copies))
    }

    /// Returns an API server's work for checking objects of its cache.
    pub fn check(&self, objects: u64) -> ProcessorWork {
        self.cache_object.times(objects)
    }

    /// Returns an API server's work for encoding a response.
    pub fn encode(&self, bytes: u64) -> ProcessorWork {
        let encoded = self.encode_byte.times(bytes);
        encoded.with_memory(bytes.saturating_mul(self.copies))
    }

    /// Returns the duration of page reads that miss the page cache. The processor is idle meanwhile.
    pub fn pages(&self, random: u64, sequential: u64) -> ProcessorWork {
        let random = self.random_page_ps.saturating_mul(random);
        let sequential = self.sequential_page_ps.saturating_mul(sequential);
        work(random.saturating_add(sequential), 0)
    }

    pub fn fsync(&self) -> SimDuration {
        work(self.fsync_ps, 0).alone()
    }

    /// Returns the time that a link needs to transfer the bytes of a response.
    pub fn transfer(&self, bytes: u64) -> SimDuration {
        match self.bandwidth {
            0 => SimDuration(0),
            bandwidth => SimDuration(bytes.saturating_mul(1_000_000) / bandwidth),
        }
    }
}

/// The description of a price or capacity that the user can change.
#[derive(Clone, Copy, Debug)]
pub struct CostInfo {
    /// The name that the command `cost` uses for the price or capacity.
    pub name: &'static str,
    pub unit: CostUnit,
    pub gloss: &'static str,
    get: fn(&CostModel) -> u64,
    set: fn(&mut CostModel, u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CostUnit {
    Picoseconds,
    Bytes,
    BytesPerSecond,
    Count,
}

impl CostInfo {
    pub fn value(&self, model: &CostModel) -> u64 {
        (self.get)(model)
    }

    /// Changes the price or capacity in a model. If the value is the duration of work of a processor, the processor
    /// time also changes, so that the ratio of processor time to duration is the same as in the preset `kep-2340`.
    pub fn change(&self, model: &mut CostModel, value: u64) {
        (self.set)(model, value);
    }
}

macro_rules! cost {
    ($name:literal, $unit:ident, $gloss:literal, work $field:ident) => {
        CostInfo {
            name: $name,
            unit: CostUnit::$unit,
            gloss: $gloss,
            get: |model| model.$field.alone_ps,
            set: |model, value| model.$field = scaled(CostModel::KEP_2340.$field, value),
        }
    };
    ($name:literal, $unit:ident, $gloss:literal, $field:ident) => {
        CostInfo {
            name: $name,
            unit: CostUnit::$unit,
            gloss: $gloss,
            get: |model| model.$field,
            set: |model, value| model.$field = value,
        }
    };
}

/// All prices and capacities, in the order in which `show cost` prints them.
pub const COSTS: [CostInfo; 27] = [
    cost!("request", Picoseconds, "etcd and API server: handling a request", work request),
    cost!("watch-response", Picoseconds, "etcd and API server: a watch response", work watch_response),
    cost!("notification", Picoseconds, "etcd and API server: a progress notification", work notification),
    cost!("authenticate", Picoseconds, "etcd: checking a password", work authenticate),
    cost!("tls-handshake", Picoseconds, "etcd: a TLS handshake; 0 for connections without TLS", work tls_handshake),
    cost!("qos-decision", Picoseconds, "etcd: a decision of QoS about a request", work qos_decision),
    cost!("qos-rule", Picoseconds, "etcd: comparing a request with a rule of QoS", work qos_rule),
    cost!("etcd-object", Picoseconds, "etcd: reading an object", work etcd_object),
    cost!("etcd-byte", Picoseconds, "etcd: reading a byte", work etcd_byte),
    cost!("sync-row", Picoseconds, "etcd: reading a row in a sync pass", work sync_row),
    cost!("decode-object", Picoseconds, "API server: decoding an object from etcd", work decode_object),
    cost!("decode-byte", Picoseconds, "API server: decoding a byte from etcd", work decode_byte),
    cost!(
        "convert-object",
        Picoseconds,
        "API server: converting an object to the requested version; upstream measures 0.24 µs",
        work convert_object
    ),
    cost!(
        "collect-byte",
        Picoseconds,
        "API server: collecting a byte as garbage; 0 because decode-object includes it",
        work collect_byte
    ),
    cost!("cache-object", Picoseconds, "API server: checking an object of the cache", work cache_object),
    cost!("encode-byte", Picoseconds, "API server: encoding a byte of a response", work encode_byte),
    cost!(
        "fsync",
        Picoseconds,
        "etcd: a sync of the write-ahead log",
        fsync_ps
    ),
    cost!(
        "random-page",
        Picoseconds,
        "etcd: reading a random page from the disk",
        random_page_ps
    ),
    cost!(
        "sequential-page",
        Picoseconds,
        "etcd: reading a sequential page from the disk",
        sequential_page_ps
    ),
    cost!(
        "random-write",
        Picoseconds,
        "etcd: writing a random page in a commit",
        random_write_ps
    ),
    cost!(
        "sequential-write",
        Picoseconds,
        "etcd: writing a sequential page in a commit",
        sequential_write_ps
    ),
    cost!("etcd-cores", Count, "cores of etcd's machine", etcd_cores),
    cost!(
        "server-cores",
        Count,
        "cores of an API server's machine",
        server_cores
    ),
    cost!(
        "etcd-memory",
        Bytes,
        "memory limit of etcd; 0 for no limit",
        etcd_memory
    ),
    cost!(
        "server-memory",
        Bytes,
        "memory limit of an API server; 0 for no limit",
        server_memory
    ),
    cost!(
        "copies",
        Count,
        "copies of a response in memory until the response is sent",
        copies
    ),
    cost!(
        "bandwidth",
        BytesPerSecond,
        "bandwidth of each link; 0 for no limit",
        bandwidth
    ),
];

/// Returns work with this duration. The ratio of processor time to duration is the same as in `preset`.
fn scaled(preset: ProcessorWork, alone_ps: u64) -> ProcessorWork {
    let cpu = match preset.alone_ps {
        0 => alone_ps,
        preset_ps => {
            let scaled = u128::from(preset.cpu_ps) * u128::from(alone_ps) / u128::from(preset_ps);
            u64::try_from(scaled).unwrap_or(u64::MAX)
        }
    };
    work(alone_ps, cpu)
}

const PS_PER_MS: u64 = 1_000_000_000;
const NONE: ProcessorWork = work(0, 0);

const fn work(alone_ps: u64, cpu_ps: u64) -> ProcessorWork {
    ProcessorWork {
        alone_ps,
        cpu_ps,
        memory: 0,
    }
}
