//! The reasons why the engine is not available, in plain words, each with a technical text for bug reports.

use crate::words::host as words;

/// A failure of the engine, or the reason why the page has no engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub kind: FailureKind,
    /// The technical text; empty if there is none.
    pub details: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A file of the engine is missing, blocked, incomplete or of the wrong type.
    NotLoaded,
    /// The page and the engine cannot read each other's messages.
    OtherRelease,
    /// The engine stopped because of a defect.
    Stopped,
    OutOfMemory,
    /// The browser allows no worker in this frame, and a figure does not use the thread of the surrounding page.
    NoWorker,
    /// The text of a run is missing, blocked or of the wrong type.
    NoText,
    /// The requested run cannot be shown; contains the reason, written for the author of the link.
    Refused(String),
}

impl Failure {
    pub fn new(kind: FailureKind, details: impl Into<String>) -> Self {
        Failure {
            kind,
            details: details.into(),
        }
    }

    /// Creates the failure for a message that the page cannot read.
    pub fn other_release() -> Self {
        Failure::new(FailureKind::OtherRelease, words::CANNOT_READ_MESSAGE)
    }

    pub fn refused(why: impl Into<String>) -> Self {
        Failure::new(FailureKind::Refused(why.into()), "")
    }

    pub fn sentence(&self) -> &str {
        match &self.kind {
            FailureKind::NotLoaded => words::NOT_LOADED,
            FailureKind::OtherRelease => words::OTHER_RELEASE,
            FailureKind::Stopped => words::STOPPED,
            FailureKind::OutOfMemory => words::OUT_OF_MEMORY,
            FailureKind::NoWorker => words::NO_WORKER,
            FailureKind::NoText => words::NO_TEXT,
            FailureKind::Refused(why) => why,
        }
    }

    pub fn advice(&self) -> &'static str {
        match &self.kind {
            FailureKind::NotLoaded => words::NOT_LOADED_ADVICE,
            FailureKind::OtherRelease => words::OTHER_RELEASE_ADVICE,
            FailureKind::Stopped => words::STOPPED_ADVICE,
            FailureKind::OutOfMemory => words::OUT_OF_MEMORY_ADVICE,
            FailureKind::NoWorker => words::NO_WORKER_ADVICE,
            FailureKind::NoText => words::NO_TEXT_ADVICE,
            FailureKind::Refused(_) => "",
        }
    }

    /// Returns the sentence and the advice as one text, for scripts and screen readers.
    pub fn text(&self) -> String {
        let (sentence, advice) = (self.sentence(), self.advice());
        if advice.is_empty() {
            sentence.to_owned()
        } else {
            format!("{sentence} {advice}")
        }
    }

    /// Returns true if the engine never ran. In this case, there is no last picture and no run to restart.
    pub fn is_at_start(&self) -> bool {
        matches!(
            self.kind,
            FailureKind::NotLoaded
                | FailureKind::NoWorker
                | FailureKind::NoText
                | FailureKind::Refused(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn technical_text_is_in_the_details_alone() {
        let panic = "RuntimeError: panicked at engine/src/shell/kubectl.rs:114:9: byte index 2";
        for kind in [
            FailureKind::NotLoaded,
            FailureKind::OtherRelease,
            FailureKind::Stopped,
            FailureKind::OutOfMemory,
            FailureKind::NoWorker,
            FailureKind::NoText,
        ] {
            let failure = Failure::new(kind, panic);
            assert!(!failure.text().contains("panicked"), "{failure:?}");
            assert!(!failure.advice().is_empty(), "{failure:?}");
            assert_eq!(failure.details, panic);
        }
    }
}
