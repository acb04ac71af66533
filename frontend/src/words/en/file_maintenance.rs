//! The texts about a maintenance plan for the cluster of a database file.

use watchglass_engine::view::file::maintenance::{
    MaintenanceChange, MaintenanceStage, MaintenanceView,
};

use super::common::grouped_count as count;
use super::file::{number, share, size};

pub const WHAT_IF: &str = "What if I compact and defragment?";
pub const ABOUT: &str = "Watchglass runs the plan on a copy of the store in this tab and reads the sizes of its \
    database. The file and the cluster are not changed.";
/// The choices of the plan.
pub const PLAN: &str = "Plan";
pub const DELETE: &str = "Delete keys with prefix ";
pub const NO_PREFIX: &str = "none";
pub const COMPACT: &str = "Compact ";
pub const AT_NEWEST: &str = "at the newest revision";
pub const KEEP_LAST: &str = "and keep the last revisions";
pub const AT_REVISION: &str = "at a revision";
pub const NEVER: &str = "do not compact";
/// The labels of the field with a number.
pub const REVISIONS: &str = "Revisions to keep ";
pub const REVISION: &str = "Revision ";
pub const THEN_DEFRAGMENT: &str = "Then defragment";
pub const PREDICT: &str = "Predict the sizes";
/// The headings of the columns.
pub const STEPS: &str = "Sizes after each step";
pub const STEP: &str = "Step";
pub const CHANGE: &str = "Change";
pub const IN_USE: &str = "Size in use";
pub const SIZE: &str = "Size";
pub const BAR: &str = "Sizes as a bar";
pub const FREE: &str = "free pages";
pub const NOTE: &str = "The sizes are dbSizeInUse and dbSize of etcdctl endpoint status. A compaction frees pages, but \
    only a defragmentation makes the file smaller. Other members have the same keys, but can have other free pages.";
pub const COMMANDS: &str = "Commands for the cluster";
pub const SAVE_SCRIPT: &str = "Save as a script";
pub const SCRIPT_NAME: &str = "maintenance.sh";

/// Returns the answer: the size before and after the plan.
pub fn answer(view: &MaintenanceView) -> String {
    let (Some(first), Some(last)) = (view.steps.first(), view.steps.last()) else {
        return String::new();
    };
    let (before, after) = (first.bytes, last.bytes);
    let verb = match after {
        _ if after < before => "shrinks",
        _ if after > before => "grows",
        _ => return format!("The size of the database stays at {}.", size(before)),
    };
    format!(
        "The database {verb} from {} to {}, {} of its size.",
        size(before),
        size(after),
        share(after, before)
    )
}

pub fn step(change: &MaintenanceChange) -> String {
    match change {
        MaintenanceChange::Start => "The file".to_owned(),
        MaintenanceChange::Delete { .. } => "Delete keys".to_owned(),
        MaintenanceChange::Compact {
            revision,
            is_scheduled: true,
            ..
        } => format!("Finish the compaction at {}", number(*revision)),
        MaintenanceChange::Compact { revision, .. } => {
            format!("Compact at revision {}", number(*revision))
        }
        MaintenanceChange::Defragment => "Defragment".to_owned(),
    }
}

/// Describes how a step changed the rows.
pub fn change(change: &MaintenanceChange) -> String {
    match change {
        MaintenanceChange::Start | MaintenanceChange::Defragment => "–".to_owned(),
        MaintenanceChange::Delete { keys } => {
            format!("{} deleted", count(*keys, "key", "keys"))
        }
        MaintenanceChange::Compact { rows, bytes, .. } => {
            format!("{} removed, {}", count(*rows, "row", "rows"), size(*bytes))
        }
    }
}

/// Returns the progress of a prediction.
pub fn stage(stage: MaintenanceStage, done: u64, total: u64) -> String {
    let (verb, total) = match stage {
        MaintenanceStage::Restoring => ("Restoring the store", count(total, "row", "rows")),
        MaintenanceStage::Deleting => ("Deleting keys", count(total, "key", "keys")),
        MaintenanceStage::Compacting => ("Compacting", count(total, "row", "rows")),
        MaintenanceStage::Defragmenting => ("Defragmenting", count(total, "row", "rows")),
    };
    format!("{verb}: {} of {total}", number(done))
}
