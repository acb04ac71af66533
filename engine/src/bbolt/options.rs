//! Settings of a database, and differences between bbolt's releases.

/// The size below which a node is merged after a delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MergeBelow {
    /// A quarter of a page, up to bbolt 1.3 (etcd 3.4 and 3.5).
    QuarterPage,
    /// Half of the fill percent, from bbolt 1.4 on (etcd 3.6). The same at the default fill percent.
    HalfFill,
}

/// When the file grows ahead of the writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrowFile {
    /// When the free list was stored on new pages: up to bbolt 1.3.6. Without a stored free list the file never grows
    /// ahead: etcd's file is as long as its pages.
    WithFreelist,
    /// In every commit that used new pages: bbolt 1.3.7 and later, with the bounds of 1.4.
    WithCommit,
}

/// Settings of a database.
///
/// ```
/// use watchglass_engine::bbolt::Options;
/// assert!(Options::default().stores_freelist);
/// assert!(!Options::etcd_3_4().stores_freelist);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Bytes of a page of a new file, a power of two from 1024 to 65,536. bbolt takes the operating system's.
    pub page_size: u32,
    /// Whether commits store the free list (`NoFreelistSync` is its opposite). Without it opening reads all pages.
    pub stores_freelist: bool,
    /// The limit below which nodes are merged.
    pub merge_below: MergeBelow,
    /// When the file grows ahead.
    pub grow_file: GrowFile,
    /// Bytes by which the file grows ahead once its memory map is as large (`AllocSize`).
    pub growth_bytes: u64,
    /// Bytes of the memory map at the start (`InitialMmapSize`). A map that is too small doubles.
    pub initial_map_bytes: u64,
}

impl Default for Options {
    /// bbolt 1.3.6, opened without options on a machine with pages of 4 KiB.
    fn default() -> Self {
        Self {
            page_size: 4096,
            stores_freelist: true,
            merge_below: MergeBelow::QuarterPage,
            grow_file: GrowFile::WithFreelist,
            growth_bytes: 16 << 20,
            initial_map_bytes: 0,
        }
    }
}

impl Options {
    /// As etcd 3.4 opens it on Linux: no stored free list, a map of 10 GiB.
    pub fn etcd_3_4() -> Self {
        Self {
            stores_freelist: false,
            initial_map_bytes: 10 << 30,
            ..Self::default()
        }
    }

    /// As etcd 3.6 opens it on Linux, but with the free list of type array: 3.6 uses the hashmap, which chooses among
    /// the free runs at random.
    pub fn etcd_3_6() -> Self {
        Self {
            merge_below: MergeBelow::HalfFill,
            grow_file: GrowFile::WithCommit,
            ..Self::etcd_3_4()
        }
    }
}
