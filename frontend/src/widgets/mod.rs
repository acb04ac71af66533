//! Generic parts that know nothing of etcd.
