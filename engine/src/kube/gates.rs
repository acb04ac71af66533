//! The versions of Kubernetes, and the feature gates that decide whether the cache or etcd serves a read.
//!
//! Mirrors `apiserver/pkg/features/kube_features.go`. Gates that do not affect the simulation are left out.

use std::fmt;

/// A version of the API server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KubeVersion {
    /// The draft of KEP-2340 from 2020 and 2021. No release implements the draft.
    DraftKep,
    /// 1.26 and earlier: etcd serves consistent lists.
    V1_26,
    /// 1.27: etcd serves a watch without a resource version.
    V1_27,
    /// 1.28: consistent lists from the cache are alpha and disabled by default.
    V1_28,
    /// 1.29: the simulated gates are the same as in 1.28.
    V1_29,
    /// 1.30: the cache again serves a watch without a resource version.
    V1_30,
    /// 1.31: consistent lists from the cache are enabled by default and fall back to etcd. A cache that is not ready
    /// returns 429.
    V1_31,
    /// 1.32: watches start with initial events by default.
    V1_32,
    /// 1.33: watches start without initial events by default. Snapshots are alpha and disabled by default.
    V1_33,
    /// 1.34: snapshots and initial events are enabled by default.
    V1_34,
    /// 1.35: the simulated gates are the same as in 1.34.
    V1_35,
    /// 1.36: the simulated gates are the same as in 1.34.
    V1_36,
    /// 1.37: the simulated gates are the same as in 1.34.
    #[default]
    V1_37,
}

/// The component that serves consistent lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConsistentLists {
    FromEtcd,
    /// The cache serves consistent lists that have no limit (1.28 to 1.30 with the gate enabled).
    FromCacheUnlessLimited,
    /// The cache serves consistent lists and ignores limits (draft of KEP-2340).
    FromCacheUnpaged,
    /// The cache serves consistent lists, also in pages (1.31 and later).
    FromCache,
}

/// The feature gates of an API server that affect the simulation.
///
/// ```
/// use watchglass_engine::kube::gates::{ConsistentLists, Gates, KubeVersion};
/// assert_eq!(Gates::of(KubeVersion::V1_30).consistent_lists, ConsistentLists::FromEtcd);
/// assert_eq!(Gates::of(KubeVersion::V1_31).consistent_lists, ConsistentLists::FromCache);
/// assert!(!Gates::of(KubeVersion::V1_33).snapshots && Gates::of(KubeVersion::V1_34).snapshots);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gates {
    /// The gate `ConsistentListFromCache`: the component that serves consistent lists.
    pub consistent_lists: ConsistentLists,
    /// The gate `ListFromCacheSnapshot`.
    pub snapshots: bool,
    pub watch_list: bool,
    /// The gate `ResilientWatchCacheInitialization`: no request waits for a cache that is not ready.
    pub resilient_initialization: bool,
    /// The gate `WatchFromStorageWithoutResourceVersion`. The versions 1.27 to 1.29 behave as if the gate were enabled.
    pub watch_from_storage_without_rv: bool,
    /// The gate `ConsistentListFromCacheSkipTimeoutFallback`: after a timeout, a list gets 429 instead of a response
    /// from etcd.
    pub skip_timeout_fallback: bool,
    /// The gate `SelectorIndex`: the cache has indexes for lists with selectors. Since Kubernetes 1.20, this gate
    /// cannot be disabled upstream. The simulator can disable the gate in all versions, to show the work that the index
    /// saves.
    pub selector_index: bool,
    /// Whether the cache can serve the pages of a list with `resourceVersionMatch=NotOlderThan`.
    pub pages_not_older_than: bool,
}

impl KubeVersion {
    /// All versions, oldest first.
    pub const ALL: [Self; 13] = [
        Self::DraftKep,
        Self::V1_26,
        Self::V1_27,
        Self::V1_28,
        Self::V1_29,
        Self::V1_30,
        Self::V1_31,
        Self::V1_32,
        Self::V1_33,
        Self::V1_34,
        Self::V1_35,
        Self::V1_36,
        Self::V1_37,
    ];

    /// Parses `draft` or a version from `1.26` to `1.37`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|version| version.to_string() == text)
    }
}

impl fmt::Display for KubeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DraftKep => "draft",
            Self::V1_26 => "1.26",
            Self::V1_27 => "1.27",
            Self::V1_28 => "1.28",
            Self::V1_29 => "1.29",
            Self::V1_30 => "1.30",
            Self::V1_31 => "1.31",
            Self::V1_32 => "1.32",
            Self::V1_33 => "1.33",
            Self::V1_34 => "1.34",
            Self::V1_35 => "1.35",
            Self::V1_36 => "1.36",
            Self::V1_37 => "1.37",
        })
    }
}

impl Gates {
    pub fn of(version: KubeVersion) -> Self {
        let consistent_lists = match version {
            KubeVersion::DraftKep => ConsistentLists::FromCacheUnpaged,
            old if old < KubeVersion::V1_31 => ConsistentLists::FromEtcd,
            _ => ConsistentLists::FromCache,
        };
        Self {
            consistent_lists,
            snapshots: version >= KubeVersion::V1_34,
            watch_list: version == KubeVersion::V1_32 || version >= KubeVersion::V1_34,
            resilient_initialization: version >= KubeVersion::V1_31,
            watch_from_storage_without_rv: (KubeVersion::V1_27..=KubeVersion::V1_29)
                .contains(&version),
            skip_timeout_fallback: false,
            selector_index: true,
            pages_not_older_than: version >= KubeVersion::V1_31,
        }
    }

    /// Returns these gates with `ConsistentListFromCache` enabled or disabled. The gate can be enabled in 1.28 and
    /// later, and disabled in 1.33 and earlier.
    #[must_use]
    pub fn with_consistent_lists(mut self, version: KubeVersion, is_on: bool) -> Self {
        let (can_be_on, can_be_off) = (version >= KubeVersion::V1_28, version < KubeVersion::V1_34);
        if version == KubeVersion::DraftKep {
            self.consistent_lists = if is_on {
                ConsistentLists::FromCacheUnpaged
            } else {
                ConsistentLists::FromEtcd
            };
        } else if is_on && can_be_on && version < KubeVersion::V1_31 {
            self.consistent_lists = ConsistentLists::FromCacheUnlessLimited;
        } else if !is_on && can_be_off {
            self.consistent_lists = ConsistentLists::FromEtcd;
        }
        self
    }
}
