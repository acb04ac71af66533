//! The texts of the dialog that saves the run as a file for another program.

pub const TITLE: &str = "Export";
/// The item of the menu that opens the dialog, and its explanation.
pub const OPEN: &str = "Export…";
pub const ABOUT: &str = "a script for a real etcd, the trace, the picture";

/// The heading of the dialog.
pub fn up_to(step: u64) -> String {
    ["The run from its start to step ", &step.to_string()].concat()
}

pub const RUN: &str = "Commands";
pub const SCRIPT: &str = "Script for a real etcd";
pub const SCRIPT_ABOUT: &str =
    "the etcdctl commands with their outputs as comments; the script compares both";

pub const TRACE: &str = "Trace";
pub const TRACE_LINES: &str = "Trace as JSON lines";
pub const TRACE_LINES_ABOUT: &str = "one object per event, for your own program";
pub const PERFETTO: &str = "Trace for Perfetto";
pub const PERFETTO_ABOUT: &str =
    "nodes, requests and messages on a time axis; open the file on ui.perfetto.dev";

pub const PICTURE: &str = "Picture of this view";
pub const SVG: &str = "Picture as SVG";
pub const SVG_ABOUT: &str = "sharp at every size";
pub const PNG: &str = "Picture as PNG";

pub const ELSEWHERE: &str = "Tables have their own buttons for CSV, in the Lab and in the dialog of an opened \
    snapshot. The terminal saves long outputs.";
