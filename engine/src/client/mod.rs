//! Programs that hold watches and leases, with the client library in each: clients of etcd, and of API servers.

pub mod etcd;
pub mod kube;
