//! Marks glossary terms in a text: each term shows its meaning and a link to its lesson.

use std::rc::Rc;

use yew::prelude::*;

use crate::state::Action;
use crate::state::contents::{ContentsEntry, ContentsKind};
use crate::store::use_store;
use crate::widgets::Explain;
use crate::words::page as words;

#[derive(Clone, PartialEq, Properties)]
pub struct TermsProps {
    /// The text, without markup.
    pub text: AttrValue,
}

/// Renders the text, with an explanation at the first mention of each term.
#[component]
pub fn Terms(props: &TermsProps) -> Html {
    let store = use_store();
    let contents = store.ui.palette.contents.clone();
    {
        let (store, is_missing) = (store.clone(), contents.is_none());
        use_effect_with((), move |()| {
            if is_missing {
                store.dispatch(Action::FetchContents);
            }
        });
    }
    let Some(contents) = contents else {
        return html! { <span key="plain">{ with_names(&props.text) }</span> };
    };
    let beat = store.views.status.beat.number;
    // The lesson of a term does not link to itself.
    let here = store.views.lesson.as_ref().map(|lesson| &lesson.name);
    let piece = |piece: Piece| match piece {
        Piece::Text(text) => with_names(text),
        Piece::Term(word, marks, term) => html! {
            <span class="wg-short">
                <Explain class="wg-term" button={html! { <>{ word }</> }} hover=true text={beat}>
                    { &term.about }
                    if !term.target.is_empty() && here != Some(&term.target) {
                        <button type="button" class="wg-button is-small"
                            onclick={store.on_click(Action::OpenLesson(term.target.clone()))}>
                            { words::OPEN_LESSON }
                        </button>
                    }
                </Explain>
                { marks }
            </span>
        },
    };
    pieces(&props.text, &contents)
        .into_iter()
        .map(piece)
        .collect()
}

/// Renders a text. A name with a number, such as `api-2`, stays on one line. Keys and selectors break after `/` and
/// `=`.
pub fn with_names(text: &str) -> Html {
    let part = |(part, is_name): (&str, bool)| match is_name {
        true => html! { <span class="wg-short">{ part }</span> },
        false => breaking_after(part, &['/', '=']),
    };
    names(text).into_iter().map(part).collect()
}

/// Splits a text into its names with a number and the texts between them. The flag is true for a name.
fn names(text: &str) -> Vec<(&str, bool)> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    for word in text.split_inclusive(' ') {
        let name = word.trim_end();
        let has_number = name.as_bytes().windows(3).any(|three| {
            three[0].is_ascii_alphanumeric() && three[1] == b'-' && three[2].is_ascii_digit()
        });
        if has_number && name.chars().count() <= SHORT_CODE {
            if from < at {
                parts.push((&text[from..at], false));
            }
            parts.push((name, true));
            from = at + name.len();
        }
        at += word.len();
    }
    if from < at {
        parts.push((&text[from..at], false));
    }
    parts
}

/// The maximum number of characters of code that stays on one line.
const SHORT_CODE: usize = 24;

/// Renders a text with code between backticks; `plain` renders the parts outside the backticks.
pub fn with_code(text: &str, plain: impl Fn(&str) -> Html) -> Html {
    let part = |(place, part): (usize, &str)| match place % 2 {
        0 => plain(part),
        _ => {
            if part.chars().count() <= SHORT_CODE {
                html! { <code class="wg-short">{ part }</code> }
            } else {
                html! { <code>{ code_words(part) }</code> }
            }
        }
    };
    text.split('`').enumerate().map(part).collect()
}

/// Renders code whose lines break only between words, if the words fit. Longer words break after `/`, `=` and `,`.
pub fn code_words(code: &str) -> Html {
    let word = |(place, word): (usize, &str)| {
        let parts = breaking_after(word, &['/', '=', ',']);
        html! { <>if place > 0 { { " " } }<span class="wg-word">{ parts }</span></> }
    };
    code.split(' ').enumerate().map(word).collect()
}

/// Renders a command or an output whose lines do not break inside flags. Only the flags get elements, because a
/// terminal shows much text.
pub fn flag_words(text: &str) -> Html {
    let mut parts = text.split(" --");
    let before = parts.next().unwrap_or_default();
    let flag = |part: &str| {
        let end = part.find(char::is_whitespace).unwrap_or(part.len());
        let (flag, after) = part.split_at(end);
        html! { <>{ " " }<span class="wg-word">{ "--" }{ flag }</span>{ after }</> }
    };
    html! { <>{ before }{ for parts.map(flag) }</> }
}

/// Renders a text that may break after each of the `marks`.
pub fn breaking_after(text: &str, marks: &[char]) -> Html {
    if !text.contains(marks) {
        return html! { { text } };
    }
    let parts = text.split_inclusive(marks);
    parts.map(|part| html! { <>{ part }<wbr /></> }).collect()
}

#[derive(Debug, PartialEq)]
enum Piece<'a> {
    Text(&'a str),
    /// The term, and the punctuation marks after the term, which stay on the same line as the term.
    Term(&'a str, &'a str, &'a ContentsEntry),
}

/// Splits a text at the first mention of each term. If two mentions begin at the same position, the longer term wins.
fn pieces<'a>(text: &'a str, contents: &'a Rc<Vec<ContentsEntry>>) -> Vec<Piece<'a>> {
    let terms = contents
        .iter()
        .filter(|entry| entry.kind == ContentsKind::Term);
    let mut found: Vec<(usize, usize, &ContentsEntry)> = terms
        .filter_map(|term| {
            let mentions = term.forms().filter_map(|form| mention(text, form));
            mentions.min().map(|(from, to)| (from, to, term))
        })
        .collect();
    found.sort_by_key(|(from, to, _)| (*from, std::cmp::Reverse(*to)));
    let (mut pieces, mut at) = (Vec::new(), 0);
    for (from, to, term) in found {
        if from < at {
            continue;
        }
        pieces.push(Piece::Text(&text[at..from]));
        let after = text[to..].trim_start_matches([',', '.', ';', ':', '?', '!', ')']);
        at = text.len() - after.len();
        pieces.push(Piece::Term(&text[from..to], &text[to..at], term));
    }
    pieces.push(Piece::Text(&text[at..]));
    pieces
}

/// Returns the byte range of a form of a term in a text, as a whole word in the singular or plural. A text may write
/// the term `resourceVersion` as two words.
fn mention(text: &str, term: &str) -> Option<(usize, usize)> {
    let inside = term.get(1..).unwrap_or_default();
    let apart = match inside.find(|c: char| c.is_ascii_uppercase()) {
        Some(at) => mention(
            text,
            &[&term[..=at], " ", &inside[at..].to_ascii_lowercase()].concat(),
        ),
        None => None,
    };
    let (lower, term) = (text.to_ascii_lowercase(), term.to_ascii_lowercase());
    let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let all = lower.match_indices(&term);
    all.map(|(from, word)| {
        let to = from + word.len();
        (
            from,
            if lower[to..].starts_with('s') {
                to + 1
            } else {
                to
            },
        )
    })
    .find(|(from, to)| !lower[..*from].ends_with(is_word) && !lower[*to..].starts_with(is_word))
    .into_iter()
    .chain(apart)
    .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(titles: &[&str]) -> Rc<Vec<ContentsEntry>> {
        let listed = |title: &&str| ContentsEntry {
            kind: ContentsKind::Term,
            target: String::new(),
            title: (*title).to_owned(),
            about: String::new(),
            keywords: String::new(),
        };
        Rc::new(titles.iter().map(listed).collect())
    }

    #[test]
    fn names_with_a_number_stay_on_one_line() {
        let text = "At api-1, web-2 is gone; the read-only copy in 2026-07-01 stays on etcd-3.";
        let found = names(text);
        let whole: String = found.iter().map(|(part, _)| *part).collect();
        assert_eq!(whole, text);
        let names: Vec<_> = found.into_iter().filter(|(_, is_name)| *is_name).collect();
        let names: Vec<_> = names.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["api-1,", "web-2", "2026-07-01", "etcd-3."]);
    }

    fn marked(text: &str, titles: &[&str]) -> Vec<String> {
        let contents = terms(titles);
        let word = |piece: Piece| match piece {
            Piece::Term(word, _, _) => Some(word.to_owned()),
            Piece::Text(_) => None,
        };
        pieces(text, &contents)
            .into_iter()
            .filter_map(word)
            .collect()
    }

    #[test]
    fn the_first_mention_of_a_term_is_marked_and_the_longer_term_counts() {
        let all = ["revision", "compact revision", "watch"];
        let text =
            "Watches end at the compact revision. A revision is a number; watched, re-watch.";
        assert_eq!(marked(text, &all), ["compact revision"]);
        assert_eq!(
            marked("A revision, then another revision.", &all),
            ["revision"]
        );
        assert_eq!(marked("Two watchs and watching", &all), ["watchs"]);
        assert_eq!(marked("The unwatched", &all), Vec::<String>::new());
        let both = ["revision", "resourceVersion"];
        let text = "A list without a resource version, then with resourceVersion 7.";
        assert_eq!(marked(text, &both), ["resource version"]);
        assert_eq!(marked("resourceVersion 7", &both), ["resourceVersion"]);
    }

    #[test]
    fn a_plain_word_is_marked_only_in_the_forms_of_the_term() {
        let mut contents = terms(&["page"]);
        Rc::make_mut(&mut contents)[0].keywords = "leaf page, page of the file".to_owned();
        let marked = |text| {
            let word = |piece| match piece {
                Piece::Term(word, _, _) => Some(word),
                Piece::Text(_) => None,
            };
            pieces(text, &contents).into_iter().find_map(word)
        };
        assert_eq!(marked("The list has two pages."), None);
        assert_eq!(marked("A page, then two leaf pages."), Some("leaf pages"));
        assert_eq!(marked("Each page of the file"), Some("page of the file"));
    }

    #[test]
    fn the_pieces_are_the_text() {
        let contents = terms(&["key index", "row"]);
        let text = "Rows of the key index.";
        let words = pieces(text, &contents)
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.to_owned(),
                Piece::Term(word, marks, _) => [word, marks].concat(),
            });
        assert_eq!(words.collect::<String>(), text);
    }
}
