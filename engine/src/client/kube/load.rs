//! A client that creates, deletes and lists at a steady rate, as a specification says; nobody types it.
//!
//! Gaps are drawn evenly from nothing to twice their mean, so that a seed makes the same load everywhere.
//! It waits for no answer: a server that is slow gets no fewer requests.

use std::sync::Arc;

use crate::base::rng::Rng;
use crate::base::time::SimDuration;
use crate::kube::list_options::ListOptions;
use crate::kube::request::WatchTarget;
use crate::kube::{KubeRequest, KubeVerb, Object, Resource};

/// The most requests of a kind in a second.
pub const RATE_MAX: u64 = 10_000;

/// The requests of a load, with their rates per second.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoadSpec {
    /// The resource.
    pub resource: &'static Resource,
    /// Creates.
    pub creates: u64,
    /// Deletes, oldest created object first.
    pub deletes: u64,
    /// Consistent lists of everything.
    pub lists: u64,
    /// The assumed size of each object.
    pub size_bytes: u64,
}

/// A load under way.
#[derive(Clone, Debug, Hash)]
pub struct Load {
    spec: LoadSpec,
    created: u64,
    deleted: u64,
}

impl Load {
    /// A load that has sent no request.
    pub fn new(spec: LoadSpec) -> Self {
        Self {
            spec,
            created: 0,
            deleted: 0,
        }
    }

    /// The time until the next request.
    pub fn gap(&self, rng: &mut Rng) -> SimDuration {
        let in_a_second = self.spec.creates + self.spec.deletes + self.spec.lists;
        SimDuration(1 + rng.below(2_000_000 / in_a_second.max(1)))
    }

    /// The next request of the client of this name.
    pub fn next(&mut self, client: &str, rng: &mut Rng) -> KubeRequest {
        let spec = &self.spec;
        let drawn = rng.below((spec.creates + spec.deletes + spec.lists).max(1));
        let name = |n: u64| format!("{client}-{n}");
        let verb = if drawn < spec.lists {
            KubeVerb::List {
                target: WatchTarget::everything(),
                options: ListOptions::default(),
            }
        } else if drawn < spec.lists + spec.deletes && self.deleted < self.created {
            self.deleted += 1;
            KubeVerb::Delete {
                namespace: "default".into(),
                name: name(self.deleted),
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

    /// The numbers of created and deleted objects.
    pub fn done(&self) -> (u64, u64) {
        (self.created, self.deleted)
    }
}

/// The clients of one load, by name.
pub fn names(name: &str, clients: u32) -> impl Iterator<Item = Arc<str>> {
    let name = name.to_owned();
    (1..=clients).map(move |n| format!("{name}-{n}").into())
}
