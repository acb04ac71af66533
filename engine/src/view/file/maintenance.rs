//! A plan that makes the database of an imported file smaller: delete keys, compact, defragment. The prediction of the
//! plan has the sizes before and after each step, and the commands for the real cluster.

use serde::{Deserialize, Serialize};

use super::value::plain_text;
use crate::base::Bytes;
use crate::words::maintenance as words;

/// The revision at which a plan compacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CompactAt {
    /// The newest revision, after the delete.
    #[default]
    Newest,
    /// The newest revision minus this number, so that reads of this number of earlier revisions still succeed.
    KeepLast(i64),
    Revision(i64),
    /// The plan does not compact.
    Never,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaintenanceQuery {
    /// The prefix of the keys to delete; empty to delete no keys.
    pub delete: Vec<u8>,
    pub compact: CompactAt,
}

/// The part of a prediction that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MaintenanceStage {
    /// The store is restored from the rows; progress in rows.
    Restoring,
    /// Progress in keys.
    Deleting,
    /// The compaction examines the rows; progress in rows.
    Compacting,
    /// The defragmentation copies the rows of all buckets; progress in rows.
    Defragmenting,
}

/// The prediction of a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MaintenanceView {
    pub query: MaintenanceQuery,
    /// The sizes of the file, and after each step of the plan.
    pub steps: Vec<MaintenanceStep>,
    /// The commands that do the same on the real cluster, as a shell script with comments.
    pub script: String,
}

/// The sizes after a step, as etcd reports them in the status of an endpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaintenanceStep {
    pub change: MaintenanceChange,
    /// The size of the database in bytes (`dbSize`).
    pub bytes: u64,
    /// The size of the database without its free pages, in bytes (`dbSizeInUse`).
    pub bytes_in_use: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MaintenanceChange {
    /// No change: the sizes of the file.
    Start,
    Delete {
        /// The number of deleted keys. The delete adds a tombstone for each of them.
        keys: u64,
    },
    Compact {
        revision: i64,
        /// Whether the compaction is not a part of the plan: it did not finish before the file was saved.
        is_scheduled: bool,
        /// The number of removed rows.
        rows: u64,
        /// The size of the keys and values of the removed rows, in bytes.
        bytes: u64,
    },
    Defragment,
}

/// The revisions of a store that limit its compactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RevisionLimits {
    pub newest: i64,
    /// The compact revision; negative if the store was never compacted.
    pub compacted: i64,
}

impl MaintenanceQuery {
    /// Checks the plan for a file with these revisions. `keys` is the number of live keys that the plan deletes.
    ///
    /// # Errors
    /// Returns an error message for the user if the plan is not possible.
    pub fn check(&self, limits: RevisionLimits, keys: u64) -> Result<(), String> {
        if plain_text(&self.delete, "").is_none() {
            return Err(words::PREFIX_IS_NO_TEXT.to_owned());
        }
        if !self.delete.is_empty() && keys == 0 {
            return Err(words::no_keys(&Bytes::from(&self.delete[..]).to_text()));
        }
        let newest = limits.newest + i64::from(keys > 0);
        let limits = RevisionLimits { newest, ..limits };
        self.compact.revision(limits).map(drop)
    }
}

impl CompactAt {
    /// Returns the revision of the compaction; `None` if the plan does not compact.
    ///
    /// # Errors
    /// Returns an error message for the user if the store cannot be compacted at this revision.
    pub fn revision(self, limits: RevisionLimits) -> Result<Option<i64>, String> {
        let RevisionLimits { newest, compacted } = limits;
        let oldest = compacted.max(0) + 1;
        let revision = match self {
            Self::Never => return Ok(None),
            _ if oldest > newest => return Err(words::nothing_to_compact(newest)),
            Self::Newest => newest,
            Self::KeepLast(count) => newest.saturating_sub(count.max(0)),
            Self::Revision(revision) => revision,
        };
        match self {
            Self::KeepLast(count) if revision < oldest => {
                Err(words::keeps_all(count, newest - oldest))
            }
            _ if revision > newest => Err(words::future_revision(revision, oldest, newest)),
            _ if revision < oldest => Err(words::compacted_revision(revision, oldest, newest)),
            _ => Ok(Some(revision)),
        }
    }
}
