//! A client of an API server with its client library: the reflector, which lists and watches, and its back-off.
//!
//! The library mirrors `k8s.io/client-go/tools/cache`.

pub mod backoff;
pub mod client;
pub mod containers;
pub mod controller;
pub mod kubelets;
pub mod load;
pub mod reflector;
pub mod stateful_set;

pub use backoff::ReflectorBackoff;
pub use reflector::{Reflector, ReflectorAct, ReflectorSpec};
