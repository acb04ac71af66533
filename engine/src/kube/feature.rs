//! The feature gates that a user can set, and the versions that have them.
//!
//! Mirrors `apiserver/pkg/features/kube_features.go` and `component-base/featuregate`. The draft of KEP-2340 counts as
//! the version before 1.26 and has its own gate. Left out: gates without an effect in the simulator.

use super::gates::KubeVersion;

/// A feature gate of the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    ConsistentListFromCache,
    /// The gate of the draft of KEP-2340 for the same feature.
    WatchCacheConsistentReads,
    /// A list that timed out in the cache gets 429 instead of a response from etcd.
    ConsistentListFromCacheSkipTimeoutFallback,
    /// The cache keeps snapshots and serves exact lists.
    ListFromCacheSnapshot,
    /// Watches can start with all objects.
    WatchList,
    /// No request waits for a cache that is not ready.
    ResilientWatchCacheInitialization,
    /// A watch without a resource version is served from etcd.
    WatchFromStorageWithoutResourceVersion,
    SelectorIndex,
    /// The cache decodes ten events at a time.
    ConcurrentWatchObjectDecode,
    /// The server compares each cache with etcd.
    DetectCacheInconsistency,
    /// A read of objects that cannot be decoded names all of them.
    AllowUnsafeMalformedObjectDeletion,
    /// The seats of a list depend on the size of its objects.
    SizeBasedListCostEstimate,
    /// Lists are encoded piece by piece.
    StreamingCollectionEncodingToJson,
    /// A complete list from etcd arrives in chunks.
    EtcdRangeStream,
}

/// The state of a gate in a version and in the later versions, up to the next state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The gate can be set, and is off by default.
    Off,
    /// The gate can be set, and is on by default.
    On,
    /// The gate has this value and cannot be changed.
    Locked(bool),
    Removed,
}

impl Feature {
    pub const ALL: [Self; 14] = [
        Self::ConsistentListFromCache,
        Self::WatchCacheConsistentReads,
        Self::ConsistentListFromCacheSkipTimeoutFallback,
        Self::ListFromCacheSnapshot,
        Self::WatchList,
        Self::ResilientWatchCacheInitialization,
        Self::WatchFromStorageWithoutResourceVersion,
        Self::SelectorIndex,
        Self::ConcurrentWatchObjectDecode,
        Self::DetectCacheInconsistency,
        Self::AllowUnsafeMalformedObjectDeletion,
        Self::SizeBasedListCostEstimate,
        Self::StreamingCollectionEncodingToJson,
        Self::EtcdRangeStream,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::ConsistentListFromCache => "ConsistentListFromCache",
            Self::WatchCacheConsistentReads => "WatchCacheConsistentReads",
            Self::ConsistentListFromCacheSkipTimeoutFallback => {
                "ConsistentListFromCacheSkipTimeoutFallback"
            }
            Self::ListFromCacheSnapshot => "ListFromCacheSnapshot",
            Self::WatchList => "WatchList",
            Self::ResilientWatchCacheInitialization => "ResilientWatchCacheInitialization",
            Self::WatchFromStorageWithoutResourceVersion => {
                "WatchFromStorageWithoutResourceVersion"
            }
            Self::SelectorIndex => "SelectorIndex",
            Self::ConcurrentWatchObjectDecode => "ConcurrentWatchObjectDecode",
            Self::DetectCacheInconsistency => "DetectCacheInconsistency",
            Self::AllowUnsafeMalformedObjectDeletion => "AllowUnsafeMalformedObjectDeletion",
            Self::SizeBasedListCostEstimate => "SizeBasedListCostEstimate",
            Self::StreamingCollectionEncodingToJson => "StreamingCollectionEncodingToJSON",
            Self::EtcdRangeStream => "EtcdRangeStream",
        }
    }

    /// The states of the gate, each with its first version, oldest first.
    fn stages(self) -> &'static [(KubeVersion, Stage)] {
        use KubeVersion::{
            DraftKep, V1_26, V1_27, V1_28, V1_30, V1_31, V1_32, V1_33, V1_34, V1_36, V1_37,
        };
        match self {
            Self::ConsistentListFromCache => &[
                (V1_28, Stage::Off),
                (V1_31, Stage::On),
                (V1_34, Stage::Locked(true)),
                (V1_37, Stage::Removed),
            ],
            Self::WatchCacheConsistentReads => &[(DraftKep, Stage::On), (V1_26, Stage::Removed)],
            Self::ConsistentListFromCacheSkipTimeoutFallback => &[(V1_37, Stage::Off)],
            Self::ListFromCacheSnapshot => &[(V1_33, Stage::Off), (V1_34, Stage::On)],
            Self::WatchList => &[
                (V1_27, Stage::Off),
                (V1_32, Stage::On),
                (V1_33, Stage::Off),
                (V1_34, Stage::On),
            ],
            Self::ResilientWatchCacheInitialization => &[
                (V1_31, Stage::On),
                (V1_34, Stage::Locked(true)),
                (V1_37, Stage::Removed),
            ],
            Self::WatchFromStorageWithoutResourceVersion => &[
                (V1_30, Stage::Off),
                (V1_33, Stage::Locked(false)),
                (V1_36, Stage::Removed),
            ],
            // Upstream locked this gate in 1.20. The simulator keeps it, to show the work that the index saves.
            Self::SelectorIndex => &[(DraftKep, Stage::On)],
            Self::ConcurrentWatchObjectDecode => &[(V1_31, Stage::Off), (V1_37, Stage::On)],
            Self::DetectCacheInconsistency => &[(V1_34, Stage::On)],
            Self::AllowUnsafeMalformedObjectDeletion => &[(V1_32, Stage::Off), (V1_37, Stage::On)],
            Self::SizeBasedListCostEstimate => &[(V1_34, Stage::On)],
            Self::EtcdRangeStream => &[(V1_37, Stage::On)],
            Self::StreamingCollectionEncodingToJson => &[
                (V1_33, Stage::On),
                (V1_34, Stage::Locked(true)),
                (V1_37, Stage::Removed),
            ],
        }
    }

    fn stage(self, version: KubeVersion) -> Option<Stage> {
        let stages = self.stages().iter();
        let reached = stages.take_while(|(first, _)| *first <= version);
        reached.last().map(|(_, stage)| *stage)
    }

    /// Returns true if the gate is on by default in a version.
    pub fn is_default(self, version: KubeVersion) -> bool {
        matches!(self.stage(version), Some(Stage::On | Stage::Locked(true)))
    }

    /// Reads a gate for a version, such as `WatchList=false`.
    ///
    /// # Errors
    /// Returns upstream's error message if the version does not have the gate or does not let it be set.
    ///
    /// ```
    /// use watchglass_engine::kube::feature::Feature;
    /// use watchglass_engine::kube::gates::KubeVersion;
    /// let set = |text: &str, version| Feature::parse(text, version);
    /// assert_eq!(set("WatchList=false", KubeVersion::V1_36), Ok((Feature::WatchList, false)));
    /// assert_eq!(
    ///     set("ConsistentListFromCacheSkipTimeoutFallback=true", KubeVersion::V1_36).unwrap_err(),
    ///     "unrecognized feature gate: ConsistentListFromCacheSkipTimeoutFallback"
    /// );
    /// assert_eq!(
    ///     set("ConsistentListFromCache=false", KubeVersion::V1_35).unwrap_err(),
    ///     "cannot set feature gate ConsistentListFromCache to false, feature is locked to true"
    /// );
    /// ```
    pub fn parse(text: &str, version: KubeVersion) -> Result<(Self, bool), String> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| format!("missing bool value for {text}"))?;
        let is_on = match value {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => true,
            "0" | "f" | "F" | "false" | "FALSE" | "False" => false,
            _ => {
                return Err(format!(
                    "invalid value of {name}={value}, err: strconv.ParseBool: parsing {value:?}: invalid syntax"
                ));
            }
        };
        let unknown = || format!("unrecognized feature gate: {name}");
        let feature = Self::ALL.into_iter().find(|feature| feature.name() == name);
        let feature = feature.ok_or_else(unknown)?;
        match feature.stage(version) {
            None | Some(Stage::Removed) => Err(unknown()),
            Some(Stage::Locked(value)) if is_on != value => Err(format!(
                "cannot set feature gate {name} to {is_on}, feature is locked to {value}"
            )),
            Some(Stage::Locked(_) | Stage::On | Stage::Off) => Ok((feature, is_on)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_states_of_a_gate_are_in_the_order_of_their_versions() {
        for feature in Feature::ALL {
            let stages = feature.stages();
            assert!(
                stages.windows(2).all(|pair| pair[0].0 < pair[1].0),
                "{feature:?}"
            );
        }
    }

    #[test]
    fn a_gate_exists_in_some_versions() {
        let is_known = |gate: &str, version| Feature::parse(gate, version).is_ok();
        assert!(is_known("ConsistentListFromCache=true", KubeVersion::V1_28));
        assert!(!is_known(
            "ConsistentListFromCache=true",
            KubeVersion::V1_27
        ));
        assert!(!is_known(
            "ConsistentListFromCache=true",
            KubeVersion::V1_37
        ));
        assert!(is_known(
            "DetectCacheInconsistency=false",
            KubeVersion::V1_36
        ));
        assert!(!is_known(
            "DetectCacheInconsistency=false",
            KubeVersion::V1_33
        ));
        assert!(!is_known("WatchList=maybe", KubeVersion::V1_36));
    }
}
