//! The texts of the dialog that searches for a failure with random commands.

use super::common::count;
use crate::draw::text::count as grouped;

pub const TITLE: &str = "Search for a failure";
pub const ABOUT: &str =
    "type random commands and faults on copies of this run until something forbidden happens";
pub const SEARCH_FOR: &str = "Search for";
pub const FORBIDDEN: &str = "Anything that etcd and Kubernetes promise to avoid";
pub const SEARCH: &str = "Search";
pub const SEARCH_ON: &str = "Search on";
pub const SEARCH_OTHER: &str = "Search for another bug";
pub const STOP: &str = "Stop";
pub const COMMANDS: &str = "The commands that are needed";
pub const OPEN: &str = "Type these commands";

pub fn introduction(step: u64) -> String {
    format!(
        "The simulator copies the run at step {} and types random commands: writes, reads, watches, compactions, \
         pauses, slow links and partitions. It begins again with other commands until a failure occurs. Then it leaves \
         out all commands that the failure does not need. Your run does not change.",
        grouped(step)
    )
}

pub fn progress(tried: u64) -> String {
    format!("{} so far", attempts(tried))
}

pub fn nothing_found(tried: u64) -> String {
    format!(
        "No failure in {}. This does not prove that there is none: an attempt types only a few dozen commands.",
        attempts(tried)
    )
}

/// Returns the result: after how many attempts the failure occurred, and how many of the drawn commands are needed.
pub fn found(tried: u64, drawn: u32, needed: u32) -> String {
    let needed = match needed {
        1 => "1 is needed".into(),
        many => format!("{many} are needed"),
    };
    format!(
        "Found after {}. Of {drawn} commands, {needed}:",
        attempts(tried)
    )
}

/// Returns the note beside a search that passes over known bugs.
pub fn passed_over(bugs: usize) -> String {
    format!(
        "The search passes over {} that it has found.",
        count(bugs as u64, "known bug", "known bugs")
    )
}

fn attempts(number: u64) -> String {
    count(number, "attempt", "attempts")
}
