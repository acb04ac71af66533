//! Decides whether the cache, a snapshot of the cache or etcd serves a read, and for which reason.
//!
//! Mirrors `CacheDelegator` (`cacher/delegator.go`, `cacher/delegator/interface.go`) and the checks before it. The
//! decision depends only on plain data. The page can therefore show the decision for every combination of verb,
//! resource version, resource version match, limit, continue token, feature gates and state of the cache. Left out:
//! special rules for single objects in resources without a watch cache. Here, etcd serves such reads like all others.
//!
//! etcd can only read at an *exact* revision, current or past. For a read "not older than" a revision, etcd returns the
//! state at its current revision. Before the cache had snapshots, the cache could only serve reads "not older than" a
//! revision. So different lists can be correct responses to the same request.

use crate::kube::reason::Reason;

use super::snapshots::StoreSnapshotter;
use super::watch_cache::WatchCache;
use crate::kube::gates::{ConsistentLists, Gates};
use crate::kube::list_options::{
    ContinueAt, ListOptions, ListVerb, ResourceVersion, ResourceVersionMatch,
};
use crate::kube::selector::SelectorError;
use crate::kube::status::StatusError;

/// The properties of a read that determine its route.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReadRequest {
    pub verb: ListVerb,
    pub options: ListOptions,
    /// Whether the read selects all keys with a prefix (true) or one key (false).
    pub is_recursive: bool,
    /// Whether a label or a field selector is set.
    pub has_selector: bool,
}

/// The state of the server when the request arrives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RoutingCache {
    /// The generation of the cache, or the error for a cache that is not ready.
    pub ready: Result<u64, StatusError>,
    pub cache_rv: u64,
    pub oldest_snapshot: Option<u64>,
    /// Whether the last comparison of the cache with etcd found no difference.
    pub is_consistent: bool,
    /// Whether every member of etcd supports progress requests.
    pub supports_progress: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ServedFrom {
    /// The cache, after the wait that the route requires.
    Cache,
    Snapshot,
    Etcd,
    Refused(StatusError),
}

/// The condition that the cache must meet before it responds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wait {
    No,
    /// The cache has reached the revision that etcd had when the request arrived.
    UntilCurrent,
    /// The cache has reached this resource version.
    Until(u64),
    /// The cache has completed its first list (Kubernetes before 1.31).
    UntilReady,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OnTimeout {
    /// The read fails with error 504.
    Refuse,
    /// etcd serves the whole read.
    AskEtcd,
    /// The read fails with error 429, because a feature gate protects etcd.
    RefuseFor429,
    /// The size of the list decides: etcd serves a small list, and a large list fails (draft of KEP-2340).
    BySize,
}

/// The data that the response is guaranteed to contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// All changes acknowledged before the request arrived.
    MostRecent,
    /// This resource version or a later version.
    NotOlderThan(u64),
    /// Exactly this resource version.
    Exact(u64),
    /// Any data, no matter how old.
    Any,
    /// For a watch: changes after this resource version.
    After(u64),
    /// For a watch: changes after the current revision.
    FromNow,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    pub served_from: ServedFrom,
    pub meaning: Meaning,
    pub wait: Wait,
    pub on_timeout: OnTimeout,
    /// Whether the server applies the limit of the request.
    pub honours_limit: bool,
    pub reason: Reason,
}

impl RoutingCache {
    pub fn of(
        cache: &WatchCache,
        ready: Result<u64, StatusError>,
        supports_progress: bool,
    ) -> Self {
        Self {
            ready,
            cache_rv: cache.cache_rv(),
            oldest_snapshot: cache.snapshots().and_then(StoreSnapshotter::oldest),
            is_consistent: cache.is_consistent(),
            supports_progress,
        }
    }
}

/// Returns the route of a read.
///
/// ```
/// use watchglass_engine::kube::gates::{Gates, KubeVersion};
/// use watchglass_engine::kube::list_options::{ListOptions, ListVerb};
/// use watchglass_engine::apiserver::routing::{ReadRequest, RoutingCache, ServedFrom, Wait, route};
/// use watchglass_engine::kube::Reason;
/// let list = ReadRequest {
///     verb: ListVerb::List,
///     options: ListOptions::default(),
///     is_recursive: true,
///     has_selector: false,
/// };
/// let view = RoutingCache {
///     ready: Ok(1),
///     cache_rv: 100,
///     oldest_snapshot: Some(80),
///     is_consistent: true,
///     supports_progress: true,
/// };
/// let before = route(&list, &Gates::of(KubeVersion::V1_27), &view);
/// assert_eq!(before.served_from, ServedFrom::Etcd);
/// let today = route(&list, &Gates::of(KubeVersion::V1_37), &view);
/// assert_eq!((today.served_from, today.wait), (ServedFrom::Cache, Wait::UntilCurrent));
/// assert_eq!(today.reason, Reason::ConsistentList);
/// ```
pub fn route(request: &ReadRequest, gates: &Gates, view: &RoutingCache) -> Route {
    let options = request.options.clone().with_defaults(request.verb, gates);
    if let Err(error) = options.validate(request.verb, gates) {
        return refused(error, Reason::Refused);
    }
    let is_checked_here = match request.verb {
        // With a continue token, the server refuses every resource version.
        ListVerb::List => options.continue_token.is_none(),
        // If the cache is not ready, the server reads from etcd before it checks the version.
        ListVerb::Get => view.ready.is_ok() || !gates.resilient_initialization,
        ListVerb::Watch => true,
    };
    if let (Some(error), true) = (
        options.version_error(request.verb == ListVerb::List),
        is_checked_here,
    ) {
        return refused(error, Reason::Refused);
    }
    match request.verb {
        ListVerb::Get => get(&options, gates, view),
        ListVerb::List => list(request, &options, gates, view),
        ListVerb::Watch => watch(&options, gates, view),
    }
}

/// Returns the route of a read for a resource without a cache: etcd serves every valid read.
pub fn route_uncached(request: &ReadRequest, gates: &Gates) -> Route {
    let options = request.options.clone().with_defaults(request.verb, gates);
    if let Err(error) = options.validate(request.verb, gates) {
        return refused(error, Reason::Refused);
    }
    if let (Some(error), ListVerb::Watch) = (options.version_error(false), request.verb) {
        return refused(error, Reason::Refused);
    }
    let meaning = match request.verb {
        ListVerb::List => match super::serve::meaning_without_cache(&options) {
            Ok(meaning) => meaning,
            Err(error) => return refused(error, Reason::Refused),
        },
        ListVerb::Get => match options.resource_version {
            ResourceVersion::At(rv) => Meaning::NotOlderThan(rv),
            ResourceVersion::Unset | ResourceVersion::Any => Meaning::MostRecent,
        },
        ListVerb::Watch => match options.resource_version {
            ResourceVersion::At(rv) => Meaning::After(rv),
            ResourceVersion::Unset | ResourceVersion::Any => Meaning::MostRecent,
        },
    };
    etcd(meaning, Reason::NoCache)
}

/// Returns the route of a read whose field selector uses a field that the resource does not offer. The server validates
/// the options first.
pub(super) fn unsupported_field(
    request: &ReadRequest,
    gates: &Gates,
    error: &SelectorError,
) -> Route {
    let options = request.options.clone().with_defaults(request.verb, gates);
    let error = match options.validate(request.verb, gates) {
        Err(invalid) => invalid,
        Ok(()) => StatusError::BadRequest(error.to_string().into()),
    };
    refused(error, Reason::Refused)
}

/// Returns the route of a request that the server refuses because of `--max-requests-inflight`.
pub(super) fn too_many() -> Route {
    refused(StatusError::TooManyInFlight, Reason::TooManyInFlight)
}

fn refused(error: StatusError, reason: Reason) -> Route {
    Route {
        served_from: ServedFrom::Refused(error),
        ..etcd(Meaning::Any, reason)
    }
}

fn etcd(meaning: Meaning, reason: Reason) -> Route {
    Route {
        served_from: ServedFrom::Etcd,
        meaning,
        wait: Wait::No,
        on_timeout: OnTimeout::Refuse,
        honours_limit: true,
        reason,
    }
}

fn cache(meaning: Meaning, wait: Wait, reason: Reason) -> Route {
    Route {
        served_from: ServedFrom::Cache,
        wait,
        ..etcd(meaning, reason)
    }
}

fn list(request: &ReadRequest, options: &ListOptions, gates: &Gates, view: &RoutingCache) -> Route {
    let continue_at = match options.continue_at() {
        Ok(continue_at) => continue_at,
        Err(error) => return refused(error, Reason::Refused),
    };
    let route = match (&options.resource_version_match, continue_at) {
        (Some(ResourceVersionMatch::Exact), _) => {
            exact(options.resource_version.parsed(), request, gates, view)
        }
        (_, Some(at)) => Route {
            // The cache ignores the limit of every list with resource version 0.
            honours_limit: options.resource_version != ResourceVersion::Any,
            ..match at {
                ContinueAt::Exact(rv) => exact(rv, request, gates, view),
                ContinueAt::Latest => continue_latest(request, gates, view),
            }
        },
        (how, None) => match options.resource_version {
            ResourceVersion::Unset => consistent(Reason::ConsistentList, options, gates, view),
            ResourceVersion::Any => Route {
                honours_limit: false,
                ..cache(Meaning::Any, Wait::No, Reason::AnyList)
            },
            ResourceVersion::At(rv) if options.limit == 0 => not_older_than(rv),
            // With a limit and without `resourceVersionMatch`, a resource version has always meant exactly this
            // version.
            ResourceVersion::At(rv) if how.is_none() => exact(rv, request, gates, view),
            ResourceVersion::At(rv) if gates.pages_not_older_than => not_older_than(rv),
            ResourceVersion::At(rv) => etcd(Meaning::NotOlderThan(rv), Reason::NotOlderThanPaged),
        },
    };
    match &view.ready {
        Ok(_) => route,
        Err(_) if route.served_from == ServedFrom::Etcd => route,
        Err(error) => not_ready(route, error, request, options, gates),
    }
}

fn not_older_than(rv: u64) -> Route {
    cache(
        Meaning::NotOlderThan(rv),
        Wait::Until(rv),
        Reason::NotOlderThanList,
    )
}

fn consistent(reason: Reason, options: &ListOptions, gates: &Gates, view: &RoutingCache) -> Route {
    let from_etcd = |reason| etcd(Meaning::MostRecent, reason);
    let route = match gates.consistent_lists {
        ConsistentLists::FromEtcd => return from_etcd(Reason::ConsistentListGateOff),
        ConsistentLists::FromCacheUnlessLimited if options.limit > 0 => {
            return from_etcd(Reason::ConsistentListLimited);
        }
        _ if !view.supports_progress => return from_etcd(Reason::ProgressUnsupported),
        ConsistentLists::FromCacheUnlessLimited
        | ConsistentLists::FromCacheUnpaged
        | ConsistentLists::FromCache => cache(Meaning::MostRecent, Wait::UntilCurrent, reason),
    };
    let is_draft = gates.consistent_lists == ConsistentLists::FromCacheUnpaged;
    // The alpha in Kubernetes 1.28 had no fallback to etcd: the client received error 504.
    let has_fallback = gates.consistent_lists == ConsistentLists::FromCache;
    let on_timeout = match (is_draft, gates.skip_timeout_fallback) {
        (true, _) => OnTimeout::BySize,
        (false, true) => OnTimeout::RefuseFor429,
        (false, false) if has_fallback => OnTimeout::AskEtcd,
        (false, false) => OnTimeout::Refuse,
    };
    Route {
        on_timeout,
        honours_limit: !is_draft,
        ..route
    }
}

fn exact(rv: u64, request: &ReadRequest, gates: &Gates, view: &RoutingCache) -> Route {
    let from_etcd = |reason| etcd(Meaning::Exact(rv), reason);
    if !gates.snapshots {
        return from_etcd(Reason::SnapshotsOff);
    }
    if !request.is_recursive {
        return from_etcd(Reason::SnapshotsOfOneKey);
    }
    if !view.is_consistent {
        return from_etcd(Reason::SnapshotsInconsistent);
    }
    let from_snapshot = |wait, reason| Route {
        served_from: ServedFrom::Snapshot,
        ..cache(Meaning::Exact(rv), wait, reason)
    };
    if rv > view.cache_rv {
        return if view.supports_progress {
            from_snapshot(Wait::Until(rv), Reason::SnapshotOfFuture)
        } else {
            from_etcd(Reason::SnapshotOfFutureUnsupported)
        };
    }
    if view.oldest_snapshot.is_some_and(|oldest| oldest <= rv) {
        from_snapshot(Wait::No, Reason::SnapshotFound)
    } else {
        from_etcd(Reason::SnapshotMissing)
    }
}

fn continue_latest(request: &ReadRequest, gates: &Gates, view: &RoutingCache) -> Route {
    if !gates.snapshots {
        return etcd(Meaning::MostRecent, Reason::SnapshotsOff);
    }
    if !request.is_recursive {
        return etcd(Meaning::MostRecent, Reason::SnapshotsOfOneKey);
    }
    consistent(Reason::ContinueLatest, &request.options, gates, view)
}

/// Returns the route of a list while the cache is not ready.
fn not_ready(
    route: Route,
    error: &StatusError,
    request: &ReadRequest,
    options: &ListOptions,
    gates: &Gates,
) -> Route {
    if !gates.resilient_initialization {
        return if route.meaning == Meaning::Any {
            etcd(Meaning::Any, Reason::NotReadyAnyBefore131)
        } else {
            cache(
                route.meaning,
                Wait::UntilReady,
                Reason::NotReadyWaitsBefore131,
            )
        };
    }
    if options.limit > 0 && !request.has_selector {
        return etcd(route.meaning, Reason::NotReadyPage);
    }
    refused(error.clone(), Reason::NotReadyRefused)
}

fn get(options: &ListOptions, gates: &Gates, view: &RoutingCache) -> Route {
    let (meaning, route) = match options.resource_version {
        ResourceVersion::Unset => return etcd(Meaning::MostRecent, Reason::GetMostRecent),
        ResourceVersion::Any => (Meaning::Any, cache(Meaning::Any, Wait::No, Reason::GetAny)),
        ResourceVersion::At(rv) => (
            Meaning::NotOlderThan(rv),
            cache(
                Meaning::NotOlderThan(rv),
                Wait::Until(rv),
                Reason::GetNotOlderThan,
            ),
        ),
    };
    if view.ready.is_ok() {
        return route;
    }
    if gates.resilient_initialization {
        return etcd(meaning, Reason::GetNotReady);
    }
    match meaning {
        Meaning::Any => etcd(meaning, Reason::NotReadyAnyBefore131),
        _ => cache(meaning, Wait::UntilReady, Reason::NotReadyWaitsBefore131),
    }
}

fn watch(options: &ListOptions, gates: &Gates, view: &RoutingCache) -> Route {
    let wants_state = options.send_initial_events;
    let is_unset = options.resource_version == ResourceVersion::Unset;
    if gates.watch_from_storage_without_rv && is_unset && wants_state.is_none() {
        return etcd(Meaning::FromNow, Reason::WatchFromStorage);
    }
    let route = match (options.resource_version, wants_state) {
        (ResourceVersion::Unset | ResourceVersion::Any, None) => {
            cache(Meaning::Any, Wait::No, Reason::WatchLegacy)
        }
        (ResourceVersion::Unset, Some(true)) => cache(
            Meaning::MostRecent,
            Wait::UntilCurrent,
            Reason::WatchInitialEvents,
        ),
        (ResourceVersion::Unset, Some(false)) => {
            cache(Meaning::FromNow, Wait::No, Reason::WatchFromCurrent)
        }
        (ResourceVersion::Any, Some(true)) => {
            cache(Meaning::Any, Wait::No, Reason::WatchInitialEventsAny)
        }
        (ResourceVersion::Any, Some(false)) => {
            cache(Meaning::FromNow, Wait::No, Reason::WatchFromNow)
        }
        (ResourceVersion::At(rv), Some(true)) => cache(
            Meaning::NotOlderThan(rv),
            Wait::Until(rv),
            Reason::WatchInitialEventsAt,
        ),
        (ResourceVersion::At(rv), None | Some(false)) => {
            cache(Meaning::After(rv), Wait::No, Reason::WatchFromHistory)
        }
    };
    match &view.ready {
        Ok(_) => route,
        Err(error) if gates.resilient_initialization => {
            refused(error.clone(), Reason::NotReadyRefused)
        }
        Err(_) => Route {
            wait: Wait::UntilReady,
            reason: Reason::NotReadyWaitsBefore131,
            ..route
        },
    }
}
