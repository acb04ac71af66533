//! The texts of the engine's host: the failures of the engine, and advice to the user.

pub const NOT_LOADED: &str = "The simulator could not be loaded.";
pub const NOT_LOADED_ADVICE: &str =
    "A file is missing, blocked or incomplete. Check the connection, then try again.";
pub const OTHER_RELEASE: &str = "The simulator and this page have different versions.";
pub const OTHER_RELEASE_ADVICE: &str = "Reload the page.";
pub const STOPPED: &str = "The simulator stopped because of a defect.";
pub const STOPPED_ADVICE: &str =
    "The page still shows the last picture. Please report the defect with the details.";
pub const OUT_OF_MEMORY: &str = "The simulator ran out of memory.";
pub const OUT_OF_MEMORY_ADVICE: &str = "The page still shows the last picture. To continue, use a run with fewer keys, \
    watchers or clients.";
pub const NO_WORKER: &str = "This frame does not let the figure run in a worker.";
pub const NO_WORKER_ADVICE: &str = "Open the figure in a separate tab.";
pub const NO_TEXT: &str = "The text of this run could not be loaded.";
pub const NO_TEXT_ADVICE: &str = "The file is missing, blocked or has the wrong type. If the site was \
    updated, reload the page. Otherwise, check the connection, then try again.";

/// The details of failures.
pub const CANNOT_READ_MESSAGE: &str = "The page cannot read a message from the simulator.";
pub const NO_WORKERS_IN_FRAME: &str = "The frame has an opaque origin or no Worker constructor.";

/// Returns the details of a file that the browser could not load.
pub fn file_not_loaded(address: &str) -> String {
    format!("{address} could not be loaded.")
}
