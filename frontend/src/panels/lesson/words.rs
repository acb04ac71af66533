//! A lesson's text: words, code, and numbers that the engine has checked.

use watchglass_engine::view::{Run, RunKind};
use yew::prelude::*;

/// A paragraph as HTML.
pub(super) fn set(runs: &[Run]) -> Html {
    runs.iter()
        .map(|run| match run.kind {
            RunKind::Plain => html! { <>{ &run.text }</> },
            RunKind::Code => html! { <code>{ &run.text }</code> },
            RunKind::Number => html! { <b class="lesson-number">{ &run.text }</b> },
        })
        .collect()
}

/// The same as a plain sentence.
pub(super) fn plain(runs: &[Run]) -> String {
    runs.iter().map(|run| run.text.as_str()).collect()
}
