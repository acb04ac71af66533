//! The text and the commands of one part of a lesson.

use watchglass_engine::session::protocol::Act;
use watchglass_engine::view::{LessonItem, LessonView};
use yew::prelude::*;

use super::runs;
use crate::state::Action;
use crate::store::StoreHandle;
use crate::widgets::{Glyph, Icon};
use crate::words::{common, lesson as words};

/// Returns the next command of a lesson's part that the learner has not run.
pub(super) fn next(items: &[LessonItem]) -> Option<&str> {
    items.iter().find_map(|item| match item {
        LessonItem::Command {
            text, typed: false, ..
        } => Some(text.as_str()),
        LessonItem::Command { .. } | LessonItem::Say(_) | LessonItem::Note { .. } => None,
    })
}

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
            more_lines,
            typed: true,
        } => html! {
            <div class="lesson-command is-typed">
                <pre><span class="wg-dollar" aria-hidden="true">{ "$ " }</span>{ runs::code(text) }
                    <Icon glyph={Glyph::Check} /><span class="wg-unseen">{ words::WAS_RUN_UNSEEN }</span></pre>
                if !output.is_empty() {
                    <pre class="lesson-output">{ runs::code(&printed(output, *more_lines)) }</pre>
                }
            </div>
        },
        LessonItem::Command { text, .. } => html! {
            <button type="button" class="lesson-command is-next" title={words::RUN_TITLE}
                onclick={store.on_click(Action::Do(Act::Type(text.clone())))}>
                <span class="wg-unseen">{ words::RUN_UNSEEN }</span>
                <span class="wg-dollar" aria-hidden="true">{ "$ " }</span>{ runs::code(text) }
            </button>
        },
    }
}

/// Returns the first lines of an output, followed by the number of omitted lines.
fn printed(output: &str, more_lines: u32) -> String {
    let lines = output.trim_end();
    match more_lines {
        0 => lines.to_owned(),
        more => [lines, "\n", &common::more_lines(more)].concat(),
    }
}

/// Returns the lesson's next command, which an empty view offers. Any other command would make the run differ from the
/// lesson.
pub fn next_command(lesson: &LessonView) -> Option<&str> {
    next(&lesson.items).filter(|command| !command.contains('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str, typed: bool) -> LessonItem {
        LessonItem::Command {
            text: text.to_owned(),
            output: String::new(),
            more_lines: 0,
            typed,
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
            (next(&lesson.items), next_command(&lesson)),
            (Some("b\nc"), None)
        );
        lesson.items.pop();
        assert_eq!(next(&lesson.items), None);
    }

    #[test]
    fn a_cut_output_says_so() {
        assert_eq!(printed("OK\n", 0), "OK");
        assert_eq!(printed("OK\nOK\n", 123), "OK\nOK\n… 123 more lines");
    }
}
