//! A client of an API server, and the client library in it: the reflector, which lists and watches, and how long it
//! waits between.
//!
//! The library mirrors `k8s.io/client-go/tools/cache`.

pub mod backoff;
pub mod client;
pub mod kubelets;
pub mod load;
pub mod reflector;

pub use backoff::ReflectorBackoff;
pub use reflector::{Reflector, ReflectorAct, ReflectorSpec};
