//! A fault in a file: the page, the offset in the file, the value found and the value expected.

use std::fmt;

/// One fault at one position in a file.
///
/// ```
/// use watchglass_engine::bbolt::{Damage, Fault};
/// let damage = Damage { page: 7, offset: 28_682, fault: Fault::Count { count: 9_999, room: 255 } };
/// assert_eq!(damage.to_string(), "page 7, byte 28682: the page claims 9999 elements, but has room for 255");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Damage {
    /// The number of the damaged page.
    pub page: u64,
    /// The position of the fault, in bytes from the start of the file.
    pub offset: u64,
    /// The kind of fault, with the values found.
    pub fault: Fault,
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The file is too short for a meta page. Contains the length of the file in bytes.
    FileTooShort(u64),
    /// The file has 4 GiB or more. Contains the length of the file in bytes.
    FileTooLong(u64),
    /// A meta page has a magic number other than bbolt's. Contains the number found.
    Magic(u32),
    /// A meta page has a format version other than 2. Contains the version found.
    Version(u32),
    /// A meta page has a page size that is not a power of two from 1 KiB to 64 KiB. Contains the size found.
    PageSize(u32),
    /// A meta page has a wrong checksum.
    Checksum {
        /// The checksum in the file.
        stored: u64,
        /// The checksum of the preceding bytes.
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
        /// The page that the link leads to.
        linked: u64,
        /// The number of pages in the file.
        held: u64,
    },
    /// The page number in a page's header is wrong. Contains the number found.
    WrongId(u64),
    /// A page has the flags of a kind of page that is not allowed at its position.
    WrongKind {
        /// The flags of the page.
        flags: u16,
        /// The kinds of pages that are allowed.
        expected: &'static str,
    },
    /// A page claims more overflow pages than follow it in the file.
    Overflow {
        /// The number of overflow pages in the page's header.
        overflow: u32,
        /// The number of pages in the file.
        held: u64,
    },
    /// A page claims more elements than fit in the page.
    Count {
        /// The number of elements in the page's header.
        count: u64,
        /// The number of elements that fit in the page.
        room: u64,
    },
    /// The key or value of an element extends beyond the end of the page. Contains the index of the element.
    Element(u32),
    /// An element overlaps other elements: its bytes and the bytes of the preceding elements exceed the size of the
    /// page. Contains the index of the element.
    Overlap(u32),
    /// An element has an empty key. Contains the index of the element.
    EmptyKey(u32),
    /// The key of an element is not greater than the previous key, or is outside the range that the parent branch pages
    /// allow. Contains the index of the element.
    KeyOrder(u32),
    /// A branch page has no elements.
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

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            // These faults concern the whole file, so the text names no page.
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
                    "the file has {bytes} bytes, too few for the two meta pages of a database"
                )
            }
            Self::FileTooLong(bytes) => {
                write!(
                    f,
                    "the file has {bytes} bytes; files of 4 GiB or more cannot be read"
                )
            }
            Self::Magic(found) => {
                write!(
                    f,
                    "this is not a bbolt meta page: the magic number is {found:#010x}, expected 0xed0cdaed"
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
                    "the checksum is {stored:#018x}, expected {computed:#018x}"
                )
            }
            Self::NoMeta(both) => write!(f, "neither meta page is valid: {}; {}", both[0], both[1]),
            Self::Truncated { counted, held } => {
                write!(
                    f,
                    "the meta page counts {counted} pages, but the file has {held}: the end of the file is missing"
                )
            }
            Self::NoSuchPage { linked, held } => {
                write!(
                    f,
                    "a link leads to page {linked}, but the file has {held} pages"
                )
            }
            Self::WrongId(found) => write!(f, "the page number in the page header is {found}"),
            Self::WrongKind { flags, expected } => {
                write!(
                    f,
                    "the page has the flags {flags:#06x}, expected the flags of a {expected} page"
                )
            }
            Self::Overflow { overflow, held } => {
                write!(
                    f,
                    "the page claims {overflow} overflow pages, but the file has {held} pages in all"
                )
            }
            Self::Count { count, room } => {
                write!(
                    f,
                    "the page claims {count} elements, but has room for {room}"
                )
            }
            Self::Element(index) => write!(f, "element {index} extends beyond the end of the page"),
            Self::Overlap(index) => write!(
                f,
                "element {index} overlaps other elements: together they are longer than the page"
            ),
            Self::EmptyKey(index) => write!(f, "element {index} has an empty key"),
            Self::KeyOrder(index) => write!(f, "the key of element {index} is out of order"),
            Self::EmptyBranch => f.write_str("the branch page has no elements"),
            Self::SingleBranch => f.write_str("the branch page has 1 element, expected at least 2"),
            Self::EmptyLeaf => {
                f.write_str("the leaf page has no elements, but a branch page links to it")
            }
            Self::Transaction(txid) => {
                write!(
                    f,
                    "the last transaction has the number {txid}, which leaves no numbers for later transactions"
                )
            }
            Self::BucketValue(index) => {
                write!(
                    f,
                    "element {index} is a bucket, but its value is not a bucket header"
                )
            }
            Self::ReachedTwice => f.write_str("two links lead to the page"),
            Self::TooDeep => f.write_str("the page is deeper in its tree than in any valid file"),
            Self::FreelistEntry(id) => {
                write!(
                    f,
                    "the free list contains page {id}, which cannot be free or is listed twice"
                )
            }
            Self::FreeInUse => f.write_str("the page is in use, but also in the free list"),
            Self::Lost => f.write_str("the page is neither in use nor in the free list"),
            Self::Trailer => {
                f.write_str("the SHA-256 at the end of the file does not match the pages before it")
            }
        }
    }
}
