//! A deterministic simulator of etcd's storage: pure Rust, driven from outside.
//!
//! The map, from the bottom up; a folder may use only what stands below it.
//!
//! | folder | what it is |
//! |---|---|
//! | [`base`] | bytes, time, random numbers, digests |
//! | [`kube`] | Kubernetes' objects, requests and answers |
//! | [`api`], [`bbolt`] | etcd's requests, responses and errors; a database file, page by page |
//! | [`trace`] | what happened: a closed list of events with causes |
//! | [`sim`], [`backend`] | what is due when; the buckets and rows of the database |
//! | [`mvcc`], [`lease`], [`client`] | the store, its watchers; leases; clients of etcd and of API servers |
//! | [`etcd`], [`apiserver`] | one member: checks, applies, answers; Kubernetes' watch cache |
//! | [`latency`] | what consistent lists wait for: a hundred thousand of them, and closed forms |
//! | [`world`] | all of it together; `step()` does the next thing that is due |
//! | [`observe`], [`shell`] | the history of a run; etcdctl's language and printers |
//! | [`view`] | what a page shows, as plain data |
//! | [`scenario`] | behaviour files, stories, transcripts and lessons |
//! | [`session`] | messages in, messages out: the run, its branches, the cursor |
//!
//! What must stay true:
//!
//! 1. No clock, no I/O, no thread, no global, no JS type: time, seed and config are arguments.
//! 2. Nodes get requests and timers and fill an outbox; only [`world`] knows them all.
//! 3. The trace is write-only: with tracing on or off, every state is the same.
//! 4. The same version, config, seed and inputs lead to the same digest, natively and in wasm.
//! 5. Every queue, batch and loop has a named limit.
//! 6. A mechanism carries its upstream name and says what it leaves out.

pub mod api;
pub mod apiserver;
pub mod backend;
pub mod base;
pub mod bbolt;
pub mod client;
pub mod etcd;
pub mod kube;
pub mod latency;
pub mod lease;
pub mod mvcc;
pub mod observe;
pub mod scenario;
pub mod session;
pub mod shell;
pub mod sim;
pub mod trace;
pub mod view;
pub mod world;
