//! The message about a loaded text.

use watchglass_engine::session::protocol::TextReport;

use crate::words::state as words;

/// The maximum number of skipped lines for which the message about a loaded text gives a reason.
const SKIPPED_SHOWN: usize = 3;

/// Returns the message about a loaded text: how many outputs differ and how many lines were skipped.
pub(super) fn loaded_sentence(report: &TextReport) -> String {
    let mut sentences = Vec::new();
    if report.differences > 0 {
        sentences.push(words::outputs_differ(report.differences, report.compared));
    } else if report.compared > 0 {
        sentences.push(words::outputs_same(report.compared));
    }
    if report.uncompared > 0 {
        sentences.push(words::outputs_not_compared(report.uncompared));
    }
    sentences.extend(report.notes.iter().cloned());
    if report.skipped > 0 {
        sentences.push(words::lines_skipped(report.skipped, report.skipped_writes));
        let reasons = report.first_skipped.iter().take(SKIPPED_SHOWN);
        sentences.extend(reasons.map(|skipped| words::line_skipped(skipped.line, &skipped.why)));
        if report.skipped > SKIPPED_SHOWN as u64 {
            sentences.push(words::OTHER_SKIPPED_LINES.to_owned());
        }
    }
    sentences.join(" ")
}
