//! bbolt: one file of pages that holds nested buckets of sorted keys, changed by copy-on-write transactions.
//!
//! Mirrors go.etcd.io/bbolt: the file format byte for byte, and its algorithm for nodes, splits, merges and free pages,
//! so that real bbolt opens what [`Db`] writes. Left out: locks, mmap, fsync (a [`Report`] lists the writes in order),
//! `Batch`, and the hashmap free list, whose choice of pages differs from run to run.
//!
//! | file | what it is |
//! |---|---|
//! | [`page`], [`meta`], [`leaf`], [`branch`], [`freelist`] | the kinds of pages |
//! | [`pages`], [`span`] | the pages of a file, shared between clones; a range of shared bytes |
//! | [`node`], [`bucket`], [`rebalance`], [`spill`], [`space`] | what a transaction changes, and where it puts pages |
//! | [`cursor`], [`view`], [`file`] | reading, one page after the other; a file from elsewhere |
//! | [`tx`], [`db`], [`report`] | write transactions, the database, what a commit did |
//! | [`check`], [`damage`] | all pages of a file examined; what is wrong, and where |

pub mod branch;
pub mod bucket;
pub mod check;
pub mod cursor;
pub mod damage;
pub mod db;
pub mod file;
pub mod freelist;
pub mod leaf;
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
pub use file::File;
pub use options::Options;
pub use report::Report;
pub use span::Span;
pub use tx::{Tx, TxError};
pub use view::View;
