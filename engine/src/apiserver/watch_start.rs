//! The preparation of a watch: its start, its first bookmark and its scope.
//!
//! Mirrors the first half of `Cacher.Watch`: `getWatchCacheResourceVersion`,
//! `getBookmarkAfterResourceVersionLockedFunc`, `getStartResourceVersionForWatchLockedFunc` and the choice of scope and
//! trigger. Upstream executes these steps in this order:
//!
//! 1. check the readiness (429, as a plain response) and record the generation,
//! 2. determine the scope, the trigger and the channel size,
//! 3. request the current revision, if [`needs_current_revision`],
//! 4. with initial events: wait until the cache has reached [`required_rv`] (504),
//! 5. create the interval and register the watcher under one lock, if the generation is unchanged; otherwise close
//!    the watch without an error.
//!
//! The client receives an error in step 2 or later as an event of type ERROR in a response with code 200.

use crate::kube::label_rules::subdomain_errors;
use crate::kube::request::WatchTarget;

use super::cache_watcher::WatchSpec;
use super::dispatch::{Registration, Scope};
use super::interval::CacheInterval;
use super::watch_cache::WatchCache;
use crate::kube::list_options::{ListOptions, ResourceVersion};
use crate::kube::object::Key;
use crate::kube::resource::Resource;
use crate::kube::status::StatusError;

/// Returns true if the server first requests etcd's current revision. This applies to a watch without a resource
/// version, unless the watch is a legacy watch, which accepts any state of the cache.
pub fn needs_current_revision(options: &ListOptions) -> bool {
    options.resource_version == ResourceVersion::Unset && options.send_initial_events.is_some()
}

/// Returns the resource version that the watch requires, given etcd's current revision.
///
/// ```
/// use watchglass_engine::kube::list_options::{ListOptions, ResourceVersion};
/// use watchglass_engine::apiserver::watch_start::required_rv;
/// let mut options = ListOptions::default();
/// assert_eq!(required_rv(&options, 100), 0); // legacy: any state of the cache
/// options.send_initial_events = Some(true);
/// assert_eq!(required_rv(&options, 100), 100);
/// options.resource_version = ResourceVersion::At(95);
/// assert_eq!(required_rv(&options, 100), 95);
/// ```
pub fn required_rv(options: &ListOptions, current_revision: u64) -> u64 {
    if needs_current_revision(options) {
        current_revision
    } else {
        options.resource_version.parsed()
    }
}

/// Returns the resource version that the options request: `required_rv` if the options contain no version, `cache_rv`
/// if they accept any version, and otherwise the version in the options.
fn common_rv(options: &ListOptions, required_rv: u64, cache_rv: u64) -> u64 {
    match options.resource_version {
        ResourceVersion::Unset => required_rv,
        ResourceVersion::Any => cache_rv,
        ResourceVersion::At(rv) => rv,
    }
}

/// Returns the lowest resource version of the bookmark that ends the initial events; 0 if the watch expects no such
/// bookmark.
pub fn bookmark_after_rv(options: &ListOptions, required_rv: u64, cache_rv: u64) -> u64 {
    if options.send_initial_events == Some(true) && options.allow_watch_bookmarks {
        common_rv(options, required_rv, cache_rv)
    } else {
        0
    }
}

/// Returns the resource version after which the watch starts.
pub fn start_rv(options: &ListOptions, required_rv: u64, cache_rv: u64) -> u64 {
    match options.send_initial_events {
        None | Some(true) => options.resource_version.parsed(),
        Some(false) => common_rv(options, required_rv, cache_rv),
    }
}

/// Returns the initial events of a watch: the current objects, or a part of the history.
///
/// # Errors
/// Returns the errors of [`WatchCache::since`].
pub fn interval(
    cache: &WatchCache,
    options: &ListOptions,
    start_rv: u64,
    one_key: Option<&str>,
) -> Result<CacheInterval, StatusError> {
    let wants_state = match options.send_initial_events {
        Some(wants) => wants,
        // A watch from version 0 starts with the existing objects, as it did up to Kubernetes 1.0.
        None => start_rv == 0,
    };
    if wants_state {
        return Ok(cache.initial_state(one_key));
    }
    let start_rv = if start_rv == 0 {
        cache.cache_rv()
    } else {
        start_rv
    };
    cache.since(start_rv)
}

impl WatchTarget {
    /// Creates a target that selects all objects of a resource.
    pub fn everything() -> Self {
        Self::default()
    }

    /// Returns the namespace and the name that the request or its field selector requires. An empty text means any.
    pub fn scope(&self) -> Scope {
        Scope {
            namespace: self
                .or_selector(&self.namespace, "metadata.namespace")
                .into(),
            name: self.single_name().into(),
        }
    }

    /// Returns the single namespace that the request or its field selector requires; empty for any namespace.
    fn single_namespace(&self, resource: &Resource) -> &str {
        let required = self.or_selector(&self.namespace, "metadata.namespace");
        let narrows = resource.is_namespaced && is_namespace_name(required);
        if self.namespace.is_empty() && !narrows {
            return "";
        }
        required
    }

    /// Returns the single name that the request or its field selector requires; empty for any name.
    fn single_name(&self) -> &str {
        self.or_selector(&self.name, "metadata.name")
    }

    fn or_selector<'a>(&'a self, given: &'a str, field: &str) -> &'a str {
        match given {
            "" => self
                .predicate
                .fields
                .requires_exact_match(field)
                .unwrap_or(""),
            given => given,
        }
    }

    /// Returns the registration of the watcher: the required value of the resource's trigger (an indexed field) if the
    /// field selector requires exactly one value, and otherwise the scope.
    pub fn registration(&self, resource: &Resource) -> Registration {
        let value = resource
            .trigger
            .and_then(|field| self.predicate.fields.requires_exact_match(field));
        match value {
            Some(value) => Registration::Trigger(value.into()),
            None => Registration::Scope(self.scope()),
        }
    }

    /// Returns the watched key or prefix; the boolean is true for a prefix.
    pub fn key(&self, resource: &Resource) -> (Key, bool) {
        self.list_key(resource, false)
    }

    /// Returns the listed key or prefix; the boolean is true for a prefix. The later pages of a list always have a
    /// prefix: upstream ignores the names in a field selector if the request has a continue token.
    pub fn list_key(&self, resource: &Resource, continues: bool) -> (Key, bool) {
        let prefix = resource.prefix;
        let (namespace, name) = match continues {
            true => (self.namespace.as_str(), self.name.as_str()),
            false => (self.single_namespace(resource), self.single_name()),
        };
        let namespace = match namespace {
            "" => String::new(),
            namespace => format!("{namespace}/"),
        };
        // A name identifies one key only within a namespace, or in a resource without namespaces.
        if name.is_empty() || (resource.is_namespaced && namespace.is_empty()) {
            (format!("{prefix}{namespace}").into(), true)
        } else {
            (format!("{prefix}{namespace}{name}").into(), false)
        }
    }

    pub fn spec(
        &self,
        cache: &WatchCache,
        options: &ListOptions,
        required_rv: u64,
        deadline: Option<crate::base::time::SimTime>,
    ) -> WatchSpec {
        let resource = cache.resource();
        let (key, is_recursive) = self.key(resource);
        let uses_trigger = matches!(self.registration(resource), Registration::Trigger(_));
        let ring = cache.ring();
        WatchSpec {
            key,
            is_recursive,
            predicate: self.predicate.clone(),
            channel_size: ring.suggested_channel_size(resource.trigger.is_some(), uses_trigger),
            deadline,
            allow_bookmarks: options.allow_watch_bookmarks,
            bookmark_after_rv: bookmark_after_rv(options, required_rv, cache.cache_rv()),
        }
    }
}

/// Returns true if the text can be the name of a namespace (`ValidateNamespaceName`).
fn is_namespace_name(text: &str) -> bool {
    !text.contains('.') && text.len() < 64 && subdomain_errors(text).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube::resource::{NODES, PODS};
    use crate::kube::selector::Predicate;

    #[test]
    fn a_kubelet_is_registered_by_its_node() {
        let kubelet = WatchTarget {
            predicate: Predicate::by_fields("spec.nodeName=node-7").expect("a selector"),
            ..WatchTarget::everything()
        };
        assert_eq!(
            kubelet.registration(&PODS),
            Registration::Trigger("node-7".into())
        );
        // The trigger of nodes is the name, so a watch of one node is registered by its name.
        let node = WatchTarget {
            predicate: Predicate::by_fields("metadata.name=node-7").expect("a selector"),
            ..WatchTarget::everything()
        };
        assert_eq!(
            node.registration(&NODES),
            Registration::Trigger("node-7".into())
        );
        let scope = Scope {
            namespace: "".into(),
            name: "node-7".into(),
        };
        assert_eq!(node.registration(&PODS), Registration::Scope(scope));
        assert_eq!(kubelet.key(&PODS), ("/registry/pods/".into(), true));
    }

    #[test]
    fn one_object_is_one_key() {
        let one = WatchTarget {
            namespace: "default".into(),
            name: "web-1".into(),
            predicate: Predicate::everything(),
        };
        assert_eq!(
            one.key(&PODS),
            ("/registry/pods/default/web-1".into(), false)
        );
        let namespace = WatchTarget {
            name: String::new(),
            ..one
        };
        assert_eq!(
            namespace.key(&PODS),
            ("/registry/pods/default/".into(), true)
        );
    }
}
