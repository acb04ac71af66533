//! Renders the text of a lesson, which consists of pieces (text runs): words, code, and values of the learner's run.

use watchglass_engine::view::{TextRun, TextRunKind};
use yew::prelude::*;

use crate::panels::terms::Terms;

pub fn set(runs: &[TextRun]) -> Html {
    set_with(runs, |text| html! { <>{ text }</> })
}

/// Renders a paragraph with explanations of its glossary terms.
pub fn set_with_terms(runs: &[TextRun]) -> Html {
    set_with(runs, |text| html! { <Terms text={text.to_owned()} /> })
}

fn set_with(runs: &[TextRun], plain: impl Fn(&str) -> Html) -> Html {
    runs.iter()
        .map(|run| match run.kind {
            TextRunKind::Plain => plain(&run.text),
            TextRunKind::Code => html! { <code>{ code(&run.text) }</code> },
            TextRunKind::Number => html! { <b class="lesson-number">{ &run.text }</b> },
            TextRunKind::Changed => html! { <b class="lesson-number is-changed">{ &run.text }</b> },
            TextRunKind::Denied => html! { <s class="lesson-denied">{ &run.text }</s> },
        })
        .collect()
}

/// Renders code that breaks only at its spaces. A word is broken if the line is too short for the word.
pub(super) fn code(text: &str) -> Html {
    let words = text.split_inclusive([' ', '\n']);
    words
        .map(|word| {
            let (word, space) = word.split_at(word.trim_end_matches([' ', '\n']).len());
            match word.contains(|c: char| !c.is_alphanumeric()) {
                true => html! { <><span class="lesson-word">{ word }</span>{ space }</> },
                false => html! { <>{ word }{ space }</> },
            }
        })
        .collect()
}

pub(super) fn plain(runs: &[TextRun]) -> String {
    runs.iter().map(|run| run.text.as_str()).collect()
}
