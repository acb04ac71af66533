//! Kubernetes' client library: the reflector, which lists and watches, and how long it waits between.
//!
//! Mirrors `k8s.io/client-go/tools/cache`.

pub mod backoff;
pub mod reflector;

pub use backoff::ReflectorBackoff;
pub use reflector::{Act, Reflector, ReflectorSpec};
