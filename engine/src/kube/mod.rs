//! Kubernetes' API as far as it is simulated: objects, what is asked of an API server, what it answers.
//!
//! Mirrors `k8s.io/apimachinery` and `k8s.io/api`. Plain data: who serves it is the API server's matter.

pub mod codec;
pub mod continue_token;
pub mod gates;
pub mod list_options;
pub mod object;
pub mod reason;
pub mod request;
pub mod resource;
pub mod selector;
pub mod set;
pub mod status;
pub mod watch_event;

pub use object::{Key, Object};
pub use reason::Reason;
pub use request::{KubeAnswer, KubeRequest, KubeResponse, KubeVerb, ObjectList, ServedBy};
pub use resource::Resource;
pub use selector::Predicate;
pub use set::Set;
pub use status::StatusError;
pub use watch_event::KubeWatchEvent;
