//! What a part says and what is to be typed in it, one command after the other: what is said about
//! a command's result comes when the command was run.

use watchglass_engine::view::LessonItem;
use yew::prelude::*;

use super::words;
use crate::state::{Action, StoreHandle};
use crate::widgets::{Glyph, Icon};

/// Lines of a command's output that the rail repeats; the terminal has all of them.
const OUTPUT_LINES: usize = 6;

/// The items that are shown now: up to the first command that was not yet run.
pub(super) fn shown(items: &[LessonItem]) -> &[LessonItem] {
    let next = items.iter().position(is_next);
    &items[..next.map_or(items.len(), |next| next + 1)]
}

/// The command that comes next.
pub(super) fn next(items: &[LessonItem]) -> Option<&str> {
    items.iter().find_map(|item| match item {
        LessonItem::Command {
            text, typed: false, ..
        } => Some(text.as_str()),
        LessonItem::Command { .. } | LessonItem::Say(_) => None,
    })
}

fn is_next(item: &LessonItem) -> bool {
    matches!(item, LessonItem::Command { typed: false, .. })
}

/// One of them.
pub(super) fn item(item: &LessonItem, store: &StoreHandle) -> Html {
    match item {
        LessonItem::Say(runs) => html! { <p class="lesson-say">{ words::set(runs) }</p> },
        LessonItem::Command {
            text,
            output,
            typed: true,
        } => html! {
            <div class="lesson-command is-typed">
                <pre><span class="wg-dollar" aria-hidden="true">{ "$ " }</span>{ text }
                    <Icon glyph={Glyph::Check} /><span class="wg-unseen">{ " was run" }</span></pre>
                if !output.is_empty() { <pre class="lesson-output">{ start_of(output) }</pre> }
            </div>
        },
        LessonItem::Command { text, .. } => html! {
            <button type="button" class="lesson-command is-next" title="Run it, or type it in the terminal"
                onclick={store.on_click(Action::Exec(text.clone()))}>
                <span class="wg-unseen">{ "Run " }</span>
                <span class="wg-dollar" aria-hidden="true">{ "$ " }</span>{ text }
            </button>
        },
    }
}

/// The first lines, and how many more there are.
fn start_of(output: &str) -> String {
    let lines: Vec<_> = output.lines().collect();
    if lines.len() <= OUTPUT_LINES + 1 {
        return output.trim_end().to_owned();
    }
    let more = (lines.len() - OUTPUT_LINES).to_string();
    let last = ["… ", &more, " more lines"].concat();
    let mut start = lines[..OUTPUT_LINES].join("\n");
    start.push('\n');
    start.push_str(&last);
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str, typed: bool) -> LessonItem {
        LessonItem::Command {
            text: text.to_owned(),
            output: String::new(),
            typed,
        }
    }

    #[test]
    fn what_is_said_of_a_result_waits_for_it() {
        let say = || LessonItem::Say(Vec::new());
        let items = [say(), command("a", true), say(), command("b", false), say()];
        assert_eq!(shown(&items).len(), 4);
        assert_eq!(next(&items), Some("b"));
        let all = [say(), command("a", true), say()];
        assert_eq!(shown(&all).len(), 3);
        assert_eq!(next(&all), None);
    }

    #[test]
    fn long_outputs_are_cut_and_say_so() {
        assert_eq!(start_of("OK\n"), "OK");
        assert_eq!(start_of(&"OK\n".repeat(7)).lines().count(), 7);
        let cut = start_of(&"OK\n".repeat(129));
        assert!(cut.ends_with("OK\n… 123 more lines"), "{cut}");
    }
}
