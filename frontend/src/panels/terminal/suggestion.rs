//! The commands that the terminal of an empty sandbox suggests: a first put, and then a read of the put's revision or a
//! watch of its key. A click puts a command into the prompt. After the second command, the terminal suggests nothing.

use watchglass_engine::view::TerminalEntry;
use yew::prelude::*;

use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::store::StoreHandle;
use crate::words::terminal as words;

/// Renders the suggested commands; nothing in a story, in a lesson, and before the end of a run.
pub(super) fn suggestion(store: &StoreHandle) -> Html {
    let status = &store.views.status;
    let entries = store
        .views
        .terminal
        .as_ref()
        .map_or(&[][..], |view| &view.entries);
    let is_sandbox = store.views.lesson.is_none()
        && !status.is_told
        && status.steps == status.step
        && status.pending.is_none()
        && store.ui.running.is_empty()
        && store.ui.cleared_below == 0
        && !store.ui.is_readonly();
    let lines = match is_sandbox {
        true => lines(entries, status.revision),
        false => Vec::new(),
    };
    if lines.is_empty() {
        return html! {};
    }
    html! {
        <p class="wg-suggestion">
            { words::SUGGESTION }
            { for lines.into_iter().map(|line| html! {
                <button key={line.clone()} type="button" class="wg-button is-code is-small" translate="no"
                    onclick={store.on_click(Action::Terminal(TerminalAct::Type(line.clone())))}>
                    <span class="wg-dollar" aria-hidden="true">{ "$ " }</span>{ &line }
                </button>
            }) }
        </p>
    }
}

/// Returns the suggested commands after these entries; `revision` is the store's revision.
fn lines(entries: &[TerminalEntry], revision: i64) -> Vec<String> {
    let only = match entries {
        // A snapshot has more revisions than an empty store.
        [] if revision <= 1 => return vec![words::FIRST_PUT.to_owned()],
        [only] if only.exit == 0 => only,
        _ => return Vec::new(),
    };
    let is_plain = |key: &&str| !key.starts_with('-') && !key.contains(['"', '\'', '\\', '$']);
    let mut typed = only.command.split_ascii_whitespace();
    match (typed.next(), typed.next().filter(is_plain)) {
        (Some("put"), Some(key)) => {
            vec![
                format!("get {key} --rev={revision}"),
                format!("watch {key} as w1"),
            ]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(command: &str, exit: u8) -> TerminalEntry {
        TerminalEntry {
            command: command.to_owned(),
            exit,
            ..TerminalEntry::default()
        }
    }

    #[test]
    fn a_put_and_then_a_read_or_a_watch_are_suggested() {
        assert_eq!(lines(&[], 1), ["put /key1 value1"]);
        assert!(lines(&[], 7_312).is_empty(), "a snapshot has data");
        let put = entry("put /a 1", 0);
        assert_eq!(
            lines(std::slice::from_ref(&put), 2),
            ["get /a --rev=2", "watch /a as w1"]
        );
        assert!(lines(&[put.clone(), entry("get /a --rev=2", 0)], 2).is_empty());
        for other in ["get /a", "put \"a b\" 1", "put --lease=1 a b", "put"] {
            assert!(lines(&[entry(other, 0)], 2).is_empty(), "{other}");
        }
        assert!(
            lines(&[entry("put /a 1", 1)], 1).is_empty(),
            "the put failed"
        );
    }
}
