//! A fault in a database file, with its page, its offset in the file, and the values found there.

use std::fmt;

use crate::words::database_file as words;

/// One fault at one position in a file.
///
/// ```
/// use watchglass_engine::bbolt::{Damage, Fault};
/// let damage = Damage { page: 7, offset: 28_682, fault: Fault::Count { count: 9_999, room: 255 } };
/// assert_eq!(damage.to_string(), "page 7, byte 28682: the page claims 9999 elements, but has room for 255");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Damage {
    pub page: u64,
    /// The position of the fault, in bytes from the start of the file.
    pub offset: u64,
    /// The kind of fault, with the values found.
    pub fault: Fault,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The file is too short for a meta page. Contains the length of the file in bytes.
    FileTooShort(u64),
    /// The file has more than 16 GiB. Contains the length of the file in bytes.
    FileTooLong(u64),
    /// A meta page has a magic number other than bbolt's. Contains the number found.
    Magic(u32),
    /// A meta page has a format version other than 2. Contains the version found.
    Version(u32),
    /// A meta page has a page size that is not a power of two from 1 KiB to 64 KiB. Contains the size found.
    PageSize(u32),
    /// A meta page has a wrong checksum.
    Checksum {
        stored: u64,
        /// The checksum of the bytes before the stored checksum.
        computed: u64,
    },
    /// Neither meta page is valid. Contains the fault of the first meta page and the fault of the second.
    NoMeta(Box<[Damage; 2]>),
    /// The meta page counts more pages than the file contains.
    Truncated {
        /// The number of pages in the meta page.
        counted: u64,
        /// The number of whole pages in the file.
        held: u64,
    },
    /// A link leads to a page beyond the end of the file.
    NoSuchPage {
        linked: u64,
        held: u64,
    },
    /// The page number in a page's header is wrong. Contains the number found.
    WrongId(u64),
    /// A page has the flags of a kind of page that is not allowed at its position.
    WrongKind {
        flags: u16,
        expected: AllowedKinds,
    },
    /// A page claims more overflow pages than follow it in the file.
    Overflow {
        /// The number of overflow pages in the page's header.
        overflow: u32,
        /// The number of pages in the file.
        held: u64,
    },
    /// A page has more overflow pages than can be read at once. Contains the number of overflow pages.
    TooLong(u32),
    /// A page claims more elements than fit in the page.
    Count {
        /// The number of elements in the page's header.
        count: u64,
        /// The number of elements that fit in the page.
        room: u64,
    },
    /// The key or value of an element extends beyond the end of the page. Contains the index of the element.
    Element(u32),
    /// An element overlaps other elements: the total size of this element and all preceding elements exceeds the size
    /// of the page. Contains the index of the element.
    Overlap(u32),
    /// An element has an empty key. Contains the index of the element.
    EmptyKey(u32),
    /// The key of an element is not greater than the previous key, or is outside the range that the parent branch pages
    /// allow. Contains the index of the element.
    KeyOrder(u32),
    EmptyBranch,
    /// A branch page has a single element. bbolt never writes such a page. A split leaves at least two elements, and a
    /// rebalance merges or replaces a branch node with a single child.
    SingleBranch,
    /// A leaf page has no elements although a branch page leads to it.
    EmptyLeaf,
    /// The number of the last transaction is so high that transaction numbers could overflow. Contains that number.
    Transaction(u64),
    /// The value of a bucket is shorter than a bucket header. Contains the index of the element.
    BucketValue(u32),
    /// Two links lead to the same page, or the links form a cycle.
    ReachedTwice,
    /// A tree has more levels of branch pages than any valid file.
    TooDeep,
    /// The free list contains a nonexistent page, a meta page, or the same page twice. Contains the number of the page.
    FreelistEntry(u64),
    /// A page is in use and also in the free list.
    FreeInUse,
    /// A page is neither in use nor in the free list.
    Lost,
    /// The SHA-256 at the end of the file does not match the pages.
    Trailer,
}

/// The kinds of pages that are allowed at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllowedKinds {
    All,
    BranchOrLeaf,
    Leaf,
    Meta,
    Freelist,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            // These faults concern the whole file, so the text names no page.
            Fault::FileTooShort(_) | Fault::FileTooLong(_) | Fault::Trailer => self.fault.fmt(f),
            Fault::NoMeta(both) => f.write_str(&words::both_meta_pages(&both[0], &both[1])),
            fault => f.write_str(&words::at_page(self.page, self.offset, fault)),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::FileTooShort(bytes) => words::file_too_short(*bytes),
            Self::FileTooLong(bytes) => words::file_too_long(*bytes),
            Self::Magic(found) => words::magic(*found),
            Self::Version(found) => words::format_version(*found),
            Self::PageSize(found) => words::page_size(*found),
            Self::Checksum { stored, computed } => words::checksum(*stored, *computed),
            Self::NoMeta(both) => words::no_meta_page(&both[0], &both[1]),
            Self::Truncated { counted, held } => words::truncated(*counted, *held),
            Self::NoSuchPage { linked, held } => words::no_such_page(*linked, *held),
            Self::WrongId(found) => words::wrong_id(*found),
            Self::WrongKind { flags, expected } => match expected {
                AllowedKinds::All => words::unknown_kind(*flags),
                AllowedKinds::BranchOrLeaf => words::not_branch_or_leaf(*flags),
                AllowedKinds::Leaf => words::not_leaf(*flags),
                AllowedKinds::Meta => words::not_meta(*flags),
                AllowedKinds::Freelist => words::not_freelist(*flags),
            },
            Self::Overflow { overflow, held } => words::overflow(*overflow, *held),
            Self::TooLong(overflow) => words::page_too_long(*overflow),
            Self::Count { count, room } => words::element_count(*count, *room),
            Self::Element(index) => words::element_beyond_page(*index),
            Self::Overlap(index) => words::overlap(*index),
            Self::EmptyKey(index) => words::element_without_key(*index),
            Self::KeyOrder(index) => words::key_order(*index),
            Self::EmptyBranch => words::EMPTY_BRANCH.to_owned(),
            Self::SingleBranch => words::SINGLE_BRANCH.to_owned(),
            Self::EmptyLeaf => words::EMPTY_LEAF.to_owned(),
            Self::Transaction(txid) => words::transaction(*txid),
            Self::BucketValue(index) => words::bucket_value(*index),
            Self::ReachedTwice => words::REACHED_TWICE.to_owned(),
            Self::TooDeep => words::TOO_DEEP.to_owned(),
            Self::FreelistEntry(page) => words::freelist_entry(*page),
            Self::FreeInUse => words::FREE_IN_USE.to_owned(),
            Self::Lost => words::LOST.to_owned(),
            Self::Trailer => words::WRONG_TRAILER.to_owned(),
        };
        f.write_str(&text)
    }
}
