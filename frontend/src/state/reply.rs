//! Replies to scripts.

use watchglass_engine::session::protocol::Done;

use super::effect::ScriptReply;
use crate::host::{Failure, FailureKind};
use crate::words::state as words;

/// Returns the failure for a run whose text could not be fetched.
pub(super) fn no_text(details: &str) -> Failure {
    Failure::new(FailureKind::NoText, details)
}

pub(super) fn reply_from(done: Done) -> ScriptReply {
    match done {
        Done::Loaded { text, .. } => ScriptReply::Loaded(text),
        Done::Refused { message } => ScriptReply::Refused(message),
        Done::Absent { .. } => ScriptReply::Refused(no_text("").text()),
        Done::Executed(executed) => ScriptReply::Executed {
            output: executed.stdout,
            error: executed.stderr,
            exit: executed.exit,
        },
        Done::Moved { step } => ScriptReply::Number(step as f64),
        Done::Text(text) => ScriptReply::Json(text),
        Done::Completions { .. }
        | Done::Lessons(_)
        | Done::LessonCheck(_)
        | Done::Branches(_)
        | Done::Endings(_)
        | Done::Odds(_)
        | Done::Nemesis(_)
        | Done::Qos(_)
        | Done::Views(_)
        | Done::File { .. }
        | Done::Opened(_)
        | Done::Prefixes(_)
        | Done::Value(_)
        | Done::Keys(_)
        | Done::Maintenance(_)
        | Done::Comparison(_)
        | Done::Difference(_) => ScriptReply::Done,
        Done::Interrupted => ScriptReply::Refused(words::INTERRUPTED.to_owned()),
    }
}
