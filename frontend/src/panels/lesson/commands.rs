//! The text and the commands of one part of a lesson.

use watchglass_engine::session::protocol::Act;
use watchglass_engine::view::{LessonItem, LessonView};
use yew::prelude::*;

use super::runs;
use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::state::lessons::next_to_run;
use crate::store::StoreHandle;
use crate::widgets::{Glyph, Icon};
use crate::words::{common, lesson as words};

/// Renders a paragraph, a folded note or a command.
pub(super) fn item(item: &LessonItem, store: &StoreHandle) -> Html {
    match item {
        LessonItem::Say(runs) => {
            html! { <p class="lesson-say">{ runs::set_with_terms(runs) }</p> }
        }
        LessonItem::Note { title, text } => html! {
            <details class="lesson-note">
                <summary>{ words::note(title) }</summary>
                <p>{ runs::set(text) }</p>
            </details>
        },
        LessonItem::Command {
            text,
            output,
            error_lines,
            more_lines,
            typed: true,
            failed,
        } => html! {
            <div class="lesson-command is-typed">
                <pre>{ lines(text, html! {
                    if *failed {
                        <span class="wg-unseen">{ words::FAILED_UNSEEN }</span>
                    } else {
                        <Icon glyph={Glyph::Check} /><span class="wg-unseen">{ words::WAS_RUN_UNSEEN }</span>
                    }
                }) }</pre>
                if !output.is_empty() {
                    <pre class="lesson-output">
                        { for printed(output, error_lines, *more_lines).iter().map(stretch) }
                    </pre>
                }
            </div>
        },
        LessonItem::Command { text, .. } => html! {
            <button type="button" class="lesson-command is-next" title={words::RUN_TITLE}
                onclick={store.on_click(Action::Terminal(TerminalAct::Do(Act::Type(text.clone()))))}>
                <span class="wg-unseen">{ words::RUN_UNSEEN }</span>
                { lines(text, Html::default()) }
            </button>
        },
    }
}

/// Renders the lines of a command, or of several commands; `end` follows the last line. A line that is too long
/// continues indented, so that the next command is recognised.
fn lines(text: &str, end: Html) -> Html {
    let last = text.matches('\n').count();
    let line = |(at, line): (usize, &str)| {
        html! {
            <span class="lesson-line">
                if at == 0 { <span class="wg-dollar" aria-hidden="true">{ "$ " }</span> }
                { runs::code(line) }
                if at == last { { end.clone() } } else { { "\n" } }
            </span>
        }
    };
    text.split('\n').enumerate().map(line).collect()
}

/// Consecutive lines of an output that a command printed to the same stream: standard output or standard error.
#[derive(Debug, Default, PartialEq)]
struct Stretch {
    text: String,
    is_error: bool,
}

fn stretch(stretch: &Stretch) -> Html {
    let text = runs::code(&stretch.text);
    if stretch.is_error {
        html! { <span class="lesson-error">{ text }</span> }
    } else {
        text
    }
}

/// Returns the first lines of an output, followed by the number of omitted lines. `error_lines` are the numbers of the
/// lines of `output` that are error output; the first line has the number 0.
fn printed(output: &str, error_lines: &[u32], more_lines: u32) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut push = |line: &str, is_error: bool| match stretches.last_mut() {
        Some(last) => {
            last.text.push('\n');
            if last.is_error == is_error {
                last.text.push_str(line);
            } else {
                let text = line.to_owned();
                stretches.push(Stretch { text, is_error });
            }
        }
        None => stretches.push(Stretch {
            text: line.to_owned(),
            is_error,
        }),
    };
    for (number, line) in output.trim_end().split('\n').enumerate() {
        push(line, error_lines.contains(&(number as u32)));
    }
    if more_lines > 0 {
        push(&common::more_lines(more_lines), false);
    }
    stretches
}

/// Returns the lesson's next command, which an empty view offers. Any other command would make the run differ from the
/// lesson.
pub fn next_command(lesson: &LessonView) -> Option<&str> {
    next_to_run(&lesson.items).filter(|command| !command.contains('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str, typed: bool) -> LessonItem {
        LessonItem::Command {
            text: text.to_owned(),
            output: String::new(),
            error_lines: Vec::new(),
            more_lines: 0,
            typed,
            failed: false,
        }
    }

    fn plain(text: &str) -> Stretch {
        Stretch {
            text: text.to_owned(),
            is_error: false,
        }
    }

    #[test]
    fn the_next_command_is_the_first_that_was_not_run() {
        let say = || LessonItem::Say(Vec::new());
        let mut lesson = LessonView {
            items: vec![say(), command("a", true), say(), command("b", false)],
            ..LessonView::default()
        };
        assert_eq!(next_command(&lesson), Some("b"));
        lesson.items[3] = command("b\nc", false);
        assert_eq!(
            (next_to_run(&lesson.items), next_command(&lesson)),
            (Some("b\nc"), None)
        );
        lesson.items.pop();
        assert_eq!(next_to_run(&lesson.items), None);
    }

    #[test]
    fn a_cut_output_says_so() {
        assert_eq!(printed("OK\n", &[], 0), [plain("OK")]);
        let cut = printed("OK\nOK\n", &[], 123);
        assert_eq!(cut, [plain("OK\nOK\n… 123 more lines")]);
    }

    #[test]
    fn error_lines_are_apart_from_the_other_lines() {
        let error = |text: &str| Stretch {
            text: text.to_owned(),
            is_error: true,
        };
        assert_eq!(printed("Error: a\n", &[0], 0), [error("Error: a")]);
        assert_eq!(
            printed("OK\nError: a\nError: b\nOK\n", &[1, 2], 2),
            [
                plain("OK\n"),
                error("Error: a\nError: b\n"),
                plain("OK\n… 2 more lines")
            ]
        );
    }
}
