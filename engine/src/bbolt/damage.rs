//! What is wrong with a file: which page, at which byte of the file, what was found and what was expected.

use std::fmt;

/// One fault at one place of a file.
///
/// ```
/// use watchglass_engine::bbolt::{Damage, Fault};
/// let damage = Damage { page: 7, offset: 28_682, fault: Fault::Count { count: 9_999, room: 255 } };
/// assert_eq!(damage.to_string(), "page 7, byte 28682: the page claims 9999 elements and has room for 255");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Damage {
    /// The number of the page.
    pub page: u64,
    /// Where the fault lies, in bytes from the start of the file.
    pub offset: u64,
    /// The fault.
    pub fault: Fault,
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The file ends before the first two pages do; its length in bytes.
    FileTooShort(u64),
    /// The file has 4 GiB or more; its length in bytes.
    FileTooLong(u64),
    /// A meta page has another magic number than bbolt's.
    Magic(u32),
    /// A meta page has another format version than 2.
    Version(u32),
    /// A meta page has a page size that is no power of two from 1 to 64 KiB.
    PageSize(u32),
    /// A meta page with a wrong checksum.
    Checksum {
        /// The checksum in the file.
        stored: u64,
        /// The checksum of the preceding bytes.
        computed: u64,
    },
    /// Neither meta page is valid: what is wrong with the first, and with the second.
    NoMeta(Box<[Damage; 2]>),
    /// The meta page counts more pages than the file holds.
    Truncated {
        /// Pages that the meta page counts.
        counted: u64,
        /// Whole pages in the file.
        held: u64,
    },
    /// A link leads to a page that the file does not have.
    NoSuchPage {
        /// The page that the link names.
        linked: u64,
        /// Pages that exist.
        held: u64,
    },
    /// The number on a page is not the page's number.
    WrongId(u64),
    /// A page has other flags than the place where it stands asks for.
    WrongKind {
        /// The flags of the page.
        flags: u16,
        /// The kinds that would be right.
        expected: &'static str,
    },
    /// A page claims more overflow pages than exist after it.
    Overflow {
        /// Overflow pages that the page claims.
        overflow: u32,
        /// Pages that exist.
        held: u64,
    },
    /// A page claims more elements than it has room for.
    Count {
        /// Elements that the page claims.
        count: u64,
        /// Elements that would fit.
        room: u64,
    },
    /// The key or value of an element reaches outside the page; the index of the element.
    Element(u32),
    /// An element takes bytes that belong to other elements: together they have more than the page; its index.
    Overlap(u32),
    /// An element has an empty key; its index.
    EmptyKey(u32),
    /// The key of an element is not greater than the previous key, or not what the branch pages above say; its index.
    KeyOrder(u32),
    /// A branch page has no elements.
    EmptyBranch,
    /// A branch page has a single element. bbolt never writes one: a split leaves two, and a merge replaces the parent
    /// of a single child.
    SingleBranch,
    /// A leaf page has no elements although a branch page leads to it.
    EmptyLeaf,
    /// The number of the last transaction leaves no room for more; the number.
    Transaction(u64),
    /// The value of a bucket is shorter than its header, or its inline page is cut off; the index of the element.
    BucketValue(u32),
    /// Two links lead to a page, or a cycle does.
    ReachedTwice,
    /// More levels of branch pages than a file of this size can need.
    TooDeep,
    /// The free list holds a page that does not exist, a meta page, or a page twice; the page that it names.
    FreelistEntry(u64),
    /// A page is in the free list and in use.
    FreeInUse,
    /// A page is neither in use nor in the free list.
    Lost,
    /// The SHA-256 behind the pages is not the one of the pages.
    Trailer,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            // About the file as a whole.
            Fault::FileTooShort(_) | Fault::FileTooLong(_) | Fault::Trailer => self.fault.fmt(f),
            Fault::NoMeta(both) => write!(f, "{}; {}", both[0], both[1]),
            fault => write!(f, "page {}, byte {}: {fault}", self.page, self.offset),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FileTooShort(bytes) => {
                write!(
                    f,
                    "the file has {bytes} bytes, less than the two meta pages of a database"
                )
            }
            Self::FileTooLong(bytes) => {
                write!(
                    f,
                    "the file has {bytes} bytes; files of 4 GiB and more cannot be read"
                )
            }
            Self::Magic(found) => {
                write!(
                    f,
                    "no bbolt meta page: the magic number is {found:#010x}, expected 0xed0cdaed"
                )
            }
            Self::Version(found) => write!(f, "the format version is {found}, expected 2"),
            Self::PageSize(found) => {
                write!(
                    f,
                    "the page size is {found} bytes, expected a power of two from 1024 to 65536"
                )
            }
            Self::Checksum { stored, computed } => {
                write!(
                    f,
                    "the checksum is {stored:#018x}, but the bytes before it give {computed:#018x}"
                )
            }
            Self::NoMeta(both) => write!(f, "neither meta page is valid: {}; {}", both[0], both[1]),
            Self::Truncated { counted, held } => {
                write!(
                    f,
                    "the meta page counts {counted} pages and the file holds {held}: its end is missing"
                )
            }
            Self::NoSuchPage { linked, held } => {
                write!(
                    f,
                    "a link leads to page {linked}, but there are {held} pages"
                )
            }
            Self::WrongId(found) => write!(f, "the page says that it is page {found}"),
            Self::WrongKind { flags, expected } => {
                write!(
                    f,
                    "the page has the flags {flags:#06x}, expected {expected}"
                )
            }
            Self::Overflow { overflow, held } => {
                write!(
                    f,
                    "the page claims {overflow} overflow pages, but there are {held} pages in all"
                )
            }
            Self::Count { count, room } => {
                write!(
                    f,
                    "the page claims {count} elements and has room for {room}"
                )
            }
            Self::Element(index) => write!(f, "element {index} reaches outside the page"),
            Self::Overlap(index) => write!(
                f,
                "element {index} overlaps others: together they have more bytes than the page"
            ),
            Self::EmptyKey(index) => write!(f, "element {index} has an empty key"),
            Self::KeyOrder(index) => write!(f, "the key of element {index} is out of order"),
            Self::EmptyBranch => f.write_str("the branch page has no elements"),
            Self::SingleBranch => f.write_str("the branch page has 1 element, expected at least 2"),
            Self::EmptyLeaf => {
                f.write_str("the leaf page has no elements although a branch page leads to it")
            }
            Self::Transaction(txid) => {
                write!(
                    f,
                    "the last transaction is number {txid}; there is no room for more"
                )
            }
            Self::BucketValue(index) => {
                write!(
                    f,
                    "element {index} is a bucket, but its value is no bucket header"
                )
            }
            Self::ReachedTwice => f.write_str("two links lead to the page"),
            Self::TooDeep => f.write_str("the page lies deeper than any tree of this file can be"),
            Self::FreelistEntry(id) => {
                write!(
                    f,
                    "the free list names page {id}, which cannot be free or was named before"
                )
            }
            Self::FreeInUse => f.write_str("the page is in use, but the free list names it"),
            Self::Lost => f.write_str("the page is neither in use nor in the free list"),
            Self::Trailer => f.write_str(
                "the SHA-256 at the end of the file is not the one of the pages before it",
            ),
        }
    }
}
