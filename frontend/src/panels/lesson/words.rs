//! A lesson's text: words, code, and values of the learner's run.

use watchglass_engine::view::{Run, RunKind};
use yew::prelude::*;

/// A paragraph as HTML.
pub(super) fn set(runs: &[Run]) -> Html {
    runs.iter()
        .map(|run| match run.kind {
            RunKind::Plain => html! { <>{ &run.text }</> },
            RunKind::Code => html! { <code>{ &run.text }</code> },
            RunKind::Number => html! { <b class="lesson-number">{ &run.text }</b> },
            RunKind::Changed => html! { <b class="lesson-number is-changed">{ &run.text }</b> },
            RunKind::Denied => html! { <s class="lesson-denied">{ &run.text }</s> },
        })
        .collect()
}

/// The same as a plain sentence.
pub(super) fn plain(runs: &[Run]) -> String {
    runs.iter().map(|run| run.text.as_str()).collect()
}
