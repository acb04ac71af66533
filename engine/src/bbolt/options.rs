//! Settings of a database, and differences between bbolt's releases.

/// The rule that decides after a delete whether a node is small enough to be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MergeBelow {
    /// A node is small if it takes at most a quarter of a page: bbolt 1.3 and earlier (etcd 3.4 and 3.5).
    QuarterPage,
    /// A node is small if it takes at most half of the space that the fill percent allows on a page: bbolt 1.4 and
    /// later (etcd 3.6). With the default fill percent, the limit is also a quarter of a page.
    HalfFill,
}

/// Which commits grow the file before they write their pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrowFile {
    /// Only commits that store the free list on new pages grow the file: bbolt 1.3.6 and earlier. If the free list is
    /// not stored, as in etcd, the file never grows ahead of the writes. The length of the file is then the size of its
    /// pages.
    WithFreelist,
    /// All commits that use new pages grow the file: bbolt 1.3.7 and later. The simulator uses the size thresholds of
    /// bbolt 1.4.
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
    /// The page size of a new file in bytes, a power of two from 1024 to 65,536. bbolt uses the page size of the
    /// operating system.
    pub page_size: u32,
    /// Whether commits store the free list (the opposite of `NoFreelistSync`). Opening a file without a stored free
    /// list reads all pages.
    pub stores_freelist: bool,
    pub merge_below: MergeBelow,
    pub grow_file: GrowFile,
    /// The number of bytes by which the file grows ahead of the writes (`AllocSize`). While the memory map is smaller
    /// than this number, the file grows to the size of the map instead.
    pub growth_bytes: u64,
    /// The initial size of the memory map, in bytes (`InitialMmapSize`). A map that is too small doubles in size.
    pub initial_map_bytes: u64,
}

impl Default for Options {
    /// Returns the options of bbolt 1.3.6 on a machine with pages of 4 KiB.
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
    /// Returns the options of etcd 3.4 on Linux: no stored free list, a memory map of 10 GiB.
    pub fn etcd_3_4() -> Self {
        Self {
            stores_freelist: false,
            initial_map_bytes: 10 << 30,
            ..Self::default()
        }
    }

    /// Returns the options of etcd 3.6 on Linux, except that the free list has the array type. etcd 3.6 uses the
    /// hashmap type, which chooses among free runs at random.
    pub fn etcd_3_6() -> Self {
        Self {
            merge_below: MergeBelow::HalfFill,
            grow_file: GrowFile::WithCommit,
            ..Self::etcd_3_4()
        }
    }
}
