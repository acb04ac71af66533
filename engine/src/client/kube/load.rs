//! A load generator for API servers, which creates, deletes and lists objects at specified rates.
//!
//! The gaps between requests are random and evenly distributed from 0 to twice their mean. Random gaps of this kind
//! need only integer arithmetic, so a seed produces the same load on every machine. [`LoadPace`] determines whether the
//! generator waits for responses. If the generator does not wait, a slow server receives as many requests as a fast
//! server.

use std::sync::Arc;

use crate::base::digest::Sparse;
use crate::base::rng::Rng;
use crate::base::time::SimDuration;
use crate::client::load_calls::{LoadCalls, LoadPace};
use crate::kube::list_options::{ListOptions, ResourceVersion};
use crate::kube::request::WatchTarget;
use crate::kube::{DeleteOptions, KubeRequest, KubeVerb, Object, Resource};

/// The maximum number of requests of one kind per second.
pub const RATE_MAX: u64 = 10_000;

/// The specification of a load: its requests and their rates per second.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoadSpec {
    /// The resource whose objects the load generator creates, deletes and lists.
    pub resource: &'static Resource,
    /// The number of creates per second.
    pub creates: u64,
    /// The number of deletes per second; the oldest created object is deleted first.
    pub deletes: u64,
    /// The number of lists of all objects per second.
    pub lists: u64,
    pub resource_version: Sparse<ResourceVersion>,
    /// The assumed size of each object, in bytes.
    pub size_bytes: u64,
    /// Whether the load waits for responses.
    pub pace: LoadPace,
}

/// The state of a running load generator.
#[derive(Clone, Debug, Hash)]
pub struct Load {
    spec: LoadSpec,
    created: u64,
    deleted: u64,
    pub(super) calls: LoadCalls<KubeRequest>,
}

impl Load {
    pub fn new(spec: LoadSpec) -> Self {
        Self {
            calls: LoadCalls::new(spec.pace),
            spec,
            created: 0,
            deleted: 0,
        }
    }

    /// Chooses a random time until the next request.
    pub fn gap(&self, rng: &mut Rng) -> SimDuration {
        let in_a_second = self.spec.creates + self.spec.deletes + self.spec.lists;
        SimDuration(1 + rng.below(2_000_000 / in_a_second.max(1)))
    }

    pub fn spec(&self) -> &LoadSpec {
        &self.spec
    }

    /// Returns the calls of the load, with their counts and latencies.
    pub fn calls(&self) -> &LoadCalls<KubeRequest> {
        &self.calls
    }

    /// Returns the request to repeat, or chooses the next request at random. `client` is the name of the client, which
    /// prefixes the names of created objects.
    pub fn next(&mut self, client: &str, rng: &mut Rng) -> KubeRequest {
        if let Some(request) = self.calls.repeated() {
            return request;
        }
        let spec = &self.spec;
        let drawn = rng.below((spec.creates + spec.deletes + spec.lists).max(1));
        let name = |n: u64| format!("{client}-{n}");
        let verb = if drawn < spec.lists {
            KubeVerb::List {
                target: WatchTarget::everything(),
                options: ListOptions {
                    resource_version: *spec.resource_version,
                    ..ListOptions::default()
                },
            }
        } else if drawn < spec.lists + spec.deletes && self.deleted < self.created {
            self.deleted += 1;
            KubeVerb::Delete {
                namespace: "default".into(),
                name: name(self.deleted),
                options: DeleteOptions::default(),
            }
        } else {
            self.created += 1;
            let object = Object::new(spec.resource.kind, "default", &name(self.created));
            KubeVerb::Create(object.with_size(spec.size_bytes))
        };
        KubeRequest {
            resource: spec.resource,
            verb,
        }
    }

    /// Returns the numbers of created and deleted objects.
    pub fn done(&self) -> (u64, u64) {
        (self.created, self.deleted)
    }
}

/// Returns the names of the clients of a load: `NAME-1`, `NAME-2` and so on.
pub fn names(name: &str, clients: u32) -> impl Iterator<Item = Arc<str>> {
    let name = name.to_owned();
    (1..=clients).map(move |n| format!("{name}-{n}").into())
}
