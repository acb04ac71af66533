//! A deterministic simulator of etcd and of Kubernetes' watch cache: pure Rust, driven by its caller.
//!
//! The folders, from the lowest layer to the highest. A folder may use only folders in lower layers.
//!
//! | folder | contents |
//! |---|---|
//! | [`base`] | bytes, time, random numbers, digests |
//! | [`words`] | the texts of the engine that the page shows |
//! | [`kube`], [`qos`], [`raft`] | Kubernetes' objects and requests; limits on expensive requests; a replicated log |
//! | [`transcript`] | the words of the commands in typed lines and in pasted transcripts |
//! | [`api`], [`bbolt`] | etcd's requests, responses and errors; a database file, page by page |
//! | [`trace`] | the events of a run, each with its cause: a closed enum |
//! | [`sim`], [`backend`] | the schedule of events; the buckets and rows of the database |
//! | [`mvcc`], [`lease`] | the store and its watchers; leases |
//! | [`auth`], [`client`] | users, roles and tokens; clients of etcd and of API servers |
//! | [`etcd`], [`apiserver`] | an etcd member, which checks, applies and answers requests; Kubernetes' watch cache |
//! | [`latency`] | the waiting time of consistent lists, from 100,000 simulated lists and from formulas |
//! | [`world`] | all nodes and the network between them; `step()` handles the next due event |
//! | [`observe`], [`shell`] | the history of a run; etcdctl's language and printers |
//! | [`view`] | the content of the page, as plain data |
//! | [`scenario`] | behaviour files, stories, transcripts and lessons |
//! | [`session`] | the message interface of a page: the run, its branches, the cursor |
//!
//! Invariants:
//!
//! 1. The engine has no clock, I/O, threads, globals or JS types: time, seed and config are arguments.
//! 2. Nodes receive requests and timers and fill an outbox. Only [`world`] knows all nodes.
//! 3. The trace is write-only: every state is the same with tracing on or off.
//! 4. The same version, config, seed and inputs lead to the same digest, natively and in wasm.
//! 5. Every queue, batch and loop has a named limit.
//! 6. Each mechanism has the name that it has upstream, and its documentation lists what the simulator leaves out.

pub mod api;
pub mod apiserver;
pub mod auth;
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
pub mod qos;
pub mod raft;
pub mod scenario;
pub mod session;
pub mod shell;
pub mod sim;
pub mod trace;
pub mod transcript;
pub mod view;
pub mod words;
pub mod world;
