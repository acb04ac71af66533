//! The simulated part of the Kubernetes API: objects, requests to an API server, and its responses.
//!
//! Mirrors `k8s.io/apimachinery` and `k8s.io/api`. This module contains plain data only; the module `apiserver` serves
//! the requests.

pub mod codec;
pub mod continue_token;
pub mod encryption;
pub mod feature;
pub mod gates;
mod go_json;
pub mod label_rules;
pub mod list_options;
pub mod object;
pub mod object_json;
pub mod object_rules;
pub mod query;
pub mod reason;
pub mod request;
pub mod resource;
pub mod selector;
pub mod set;
pub mod slo;
pub mod status;
pub mod stored_object;
pub mod timestamp;
pub mod watch_event;

pub use object::{Key, Object};
pub use reason::Reason;
pub use request::{
    DeleteOptions, KubeAnswer, KubeRequest, KubeResponse, KubeVerb, ObjectList, ObjectPatch,
    ServedBy,
};
pub use resource::Resource;
pub use selector::Predicate;
pub use set::Set;
pub use status::StatusError;
pub use watch_event::KubeWatchEvent;
