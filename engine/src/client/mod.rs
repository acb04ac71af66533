//! Clients of etcd and clients of API servers: programs that use watches and leases, each with its client library.

pub mod etcd;
pub mod kube;
pub mod load_calls;
