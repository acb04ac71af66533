//! bbolt: one file of pages that holds nested buckets of sorted keys, changed by copy-on-write transactions.
//!
//! Mirrors go.etcd.io/bbolt: the file format byte for byte, and the algorithms for nodes, splits, merges and free
//! pages. Real bbolt opens the files of [`Db`]. Left out: locks, mmap, fsync (a [`Report`] lists the writes in order),
//! `Batch`, and the hashmap free list, which chooses pages at random.
//!
//! | file | what it is |
//! |---|---|
//! | [`page`], [`meta`], [`leaf`], [`branch`], [`freelist`] | the kinds of pages |
//! | [`pages`], [`span`] | the pages of a file, shared between clones; a range of shared bytes |
//! | [`node`], [`bucket`], [`rebalance`], [`spill`], [`space`] | the changes of a transaction, and the pages for them |
//! | [`cursor`], [`lookup`], [`view`], [`file`] | reading page by page; files that the simulator did not write |
//! | [`tx`], [`db`], [`report`] | write transactions, the database, the report of a commit |
//! | [`check`], [`damage`] | a consistency check of all pages; a fault and its place |

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
pub mod lookup;
pub mod meta;
pub mod node;
pub mod options;
pub mod page;
pub mod pages;
pub mod rebalance;
pub mod report;
pub mod space;
pub mod span;
pub mod spill;
pub mod tx;
pub mod view;

pub use cursor::{Cursor, Entry};
pub use damage::{Damage, Fault};
pub use db::Db;
pub use disk::{Crash, Disk};
pub use file::File;
pub use lookup::Lookup;
pub use options::Options;
pub use report::Report;
pub use span::Span;
pub use tx::{Tx, TxError};
pub use view::View;
