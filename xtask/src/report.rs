//! The report of a stage in `cargo xtask test`: the numbers of passed and failed tests, and a note that the summary
//! shows.

/// The numbers of passed and failed tests, and a note for the summary.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) note: String,
}

impl Report {
    /// Parses the last line that a script in `e2e/` prints: `12 passed, 1 failed`.
    pub(crate) fn of_summary(line: &str) -> Option<Report> {
        let (passed, failed) = line.split_once(", ")?;
        Some(Report {
            passed: passed.strip_suffix(" passed")?.parse().ok()?,
            failed: failed.strip_suffix(" failed")?.parse().ok()?,
            note: String::new(),
        })
    }
}
