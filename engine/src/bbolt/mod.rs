//! The database bbolt, which etcd uses as its storage. A database is one file of pages, which contain nested buckets of
//! sorted keys. Transactions never overwrite a page in use: they write changed pages to free pages (copy-on-write).
//!
//! Mirrors go.etcd.io/bbolt: the file format byte for byte, and the algorithms for nodes, splits, merges and free
//! pages. bbolt can open the files that [`Db`] writes. Left out: locks, mmap, fsync (a [`Report`] lists the writes in
//! order), `Batch`, and the hashmap free list, which chooses pages at random.
//!
//! | module | contents |
//! |---|---|
//! | [`page`], [`meta`], [`leaf`], [`branch`], [`freelist`] | the kinds of pages |
//! | [`pages`], [`span`] | the pages of a file, shared between clones; a range of shared bytes |
//! | [`source`], [`blocks`], [`loaded`] | where the bytes of a file are: in memory, or in a file of the host |
//! | [`read_ahead`], [`read_plan`], [`page_links`] | the pages that are loaded before a walk reads them |
//! | [`node`], [`bucket`], [`rebalance`], [`spill`], [`space`] | the changes of a transaction; page allocation |
//! | [`cursor`], [`lookup`], [`view`], [`file`](mod@file) | reads, page by page; files from outside the simulator |
//! | [`tx`], [`db`], [`report`] | write transactions, the database, the report of a commit |
//! | [`check`], [`damage`] | a consistency check of all pages; a fault and its position |

pub mod blocks;
pub mod branch;
pub mod bucket;
pub mod check;
pub mod cursor;
pub mod damage;
pub mod db;
pub mod disk;
pub mod file;
pub mod freelist;
pub mod leaf;
pub mod loaded;
pub mod lookup;
pub mod meta;
pub mod node;
pub mod options;
pub mod page;
pub mod page_links;
pub mod pages;
pub mod read_ahead;
pub mod read_plan;
pub mod rebalance;
pub mod report;
pub mod source;
pub mod space;
pub mod span;
pub mod spill;
pub mod tx;
pub mod view;

pub use cursor::{Cursor, Entry};
pub use damage::{AllowedKinds, Damage, Fault};
pub use db::Db;
pub use disk::{Crash, Disk};
pub use file::File;
pub use lookup::Lookup;
pub use options::Options;
pub use report::Report;
pub use source::Source;
pub use span::Span;
pub use tx::{Tx, TxError};
pub use view::View;
