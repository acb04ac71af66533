//! Shows two branches side by side: their last common step, and the differences at their ends.

use watchglass_engine::view::{BranchView, BranchesView, KeyEnd, WatcherEnd};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::draw::text::count;
use crate::state::Action;
use crate::state::ui::Dialog;
use crate::store::use_store;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct BranchesProps {
    /// The numbers of the branches.
    pub(super) chosen: [u32; 2],
}

#[component]
pub(super) fn Branches(props: &BranchesProps) -> Html {
    let store = use_store();
    let chosen = props.chosen;
    let all = &store.views.status.branches;
    let select = |side: usize, label: &'static str| {
        let onchange = store.on(move |event: Event| {
            let mut chosen = chosen;
            let select = event.target_dyn_into::<HtmlSelectElement>();
            if let Some(select) = select {
                chosen[side] = select.selected_index().max(0) as u32;
            }
            Action::OpenDialog(Dialog::Branches(chosen))
        });
        html! {
            <select class="wg-select" aria-label={label} {onchange}>
                { for all.iter().map(|branch| html! {
                    <option selected={branch.id == chosen[side]}>{ name(branch) }</option>
                }) }
            </select>
        }
    };
    html! {
        <div class="wg-branches">
            <p class="wg-branches-choice">
                { select(0, "First branch") }
                { " and " }
                { select(1, "Second branch") }
            </p>
            if let Some(view) = &store.ui.comparison {
                { comparison(view) }
            } else {
                <p role="status">{ "Comparing the branches…" }</p>
            }
        </div>
    }
}

/// Returns the name of a branch in the choice: its number and its first command.
fn name(branch: &BranchView) -> String {
    format!("{} · {}", branch.id + 1, branch.label)
}

/// Returns the sentence about the point where two branches part.
fn parting(view: &BranchesView) -> String {
    let [a, b] = view.branches.map(|branch| branch + 1);
    match view.shared_steps {
        _ if a == b => format!("Both are branch {a}."),
        0 => format!("Branches {a} and {b} have no step in common."),
        1 => format!("Branches {a} and {b} share step 1 and part after it."),
        steps => format!(
            "Branches {a} and {b} share steps 1 to {} and part after step {}.",
            count(steps),
            count(steps)
        ),
    }
}

fn comparison(view: &BranchesView) -> Html {
    let heads = view.branches.map(|branch| format!("Branch {}", branch + 1));
    let head = |first: &'static str| {
        html! {
            <thead><tr>
                <th scope="col">{ first }</th>
                { for heads.iter().map(|head| html! { <th scope="col">{ head }</th> }) }
            </tr></thead>
        }
    };
    let row = |name: Html, cells: [Html; 2]| html! { <tr><th scope="row">{ name }</th>{ for cells.map(cell) }</tr> };
    let ends = [
        ("steps", view.ends.each_ref().map(|end| count(end.steps))),
        (
            "revision",
            view.ends.each_ref().map(|end| number(end.revision)),
        ),
        (
            "compacted revision",
            view.ends.each_ref().map(|end| match end.compact_revision {
                ..=0 => "none".to_owned(),
                revision => number(revision),
            }),
        ),
    ];
    let commands = view.commands.each_ref().map(|(commands, omitted)| {
        html! {
            <>
                if commands.is_empty() {
                    { "none" }
                }
                <ol>{ for commands.iter().map(|command| html! { <li><code>{ command }</code></li> }) }</ol>
                if *omitted > 0 {
                    { counted(*omitted, "more command", "more commands") }
                }
            </>
        }
    });
    let keys = view.keys.iter().map(|(key, ends)| {
        row(
            html! { <code>{ key }</code> },
            ends.each_ref().map(|end| key_cell(end.as_ref())),
        )
    });
    let watchers = view.watchers.iter().map(|(name, ends)| {
        row(
            html! { <code>{ name }</code> },
            ends.each_ref().map(|end| watcher_cell(end.as_ref())),
        )
    });
    html! {
        <>
            <p>{ parting(view) }</p>
            <h3>{ "At the end" }</h3>
            <table>
                { head("State") }
                <tbody>
                    { for ends.into_iter().map(|(name, cells)| row(name.into(), cells.map(Html::from))) }
                    { row("commands after the shared steps".into(), commands) }
                </tbody>
            </table>
            <h3>{ "Keys" }</h3>
            if !view.keys.is_empty() {
                <table>{ head("Key") }<tbody>{ for keys }</tbody></table>
            }
            <p>{ rest("key", "keys", view.keys.len(), view.keys_omitted, view.same_keys) }</p>
            if view.has_more_keys {
                <p>{ "A branch has more keys than this comparison reads: 10,000 keys, in key order." }</p>
            }
            <h3>{ "Watchers" }</h3>
            if !view.watchers.is_empty() {
                <table>{ head("Watcher") }<tbody>{ for watchers }</tbody></table>
            }
            <p>{ rest("watcher", "watchers", view.watchers.len(), view.watchers_omitted, view.same_watchers) }</p>
        </>
    }
}

fn cell(content: Html) -> Html {
    html! { <td>{ content }</td> }
}

fn number(revision: i64) -> String {
    count(revision.max(0) as u64)
}

fn key_cell(end: Option<&KeyEnd>) -> Html {
    let Some(end) = end else {
        return "absent".into();
    };
    html! {
        <>
            <code>{ &end.value }</code>
            <small>{ format!("mod_revision {}, version {}", end.mod_revision, end.version) }</small>
        </>
    }
}

fn watcher_cell(end: Option<&WatcherEnd>) -> Html {
    let Some(end) = end else {
        return "absent".into();
    };
    let behind = match end.behind {
        ..=0 => String::new(),
        1 => ", 1 revision behind".to_owned(),
        behind => format!(", {} revisions behind", number(behind)),
    };
    html! { <>{ &end.state }{ behind }<small>{ "watches " }<code>{ &end.range }</code></small></> }
}

fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Returns the sentence below a table: the number of rows that the table omits, and the number of equal items.
fn rest(
    one: &'static str,
    many: &'static str,
    differing: usize,
    omitted: u64,
    same: u64,
) -> String {
    let mut sentence = match (differing, same) {
        (0, 0) => return format!("Neither branch has a {one}."),
        (0, _) => format!("No {one} differs."),
        _ => String::new(),
    };
    let mut add = |text: String| {
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        sentence.push_str(&text);
    };
    if omitted > 0 {
        let more = counted(omitted, one, many);
        add(format!("{more} more differ."));
    }
    if same > 0 {
        let same = counted(same, one, many);
        add(format!("The same in both: {same}."));
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentences_state_where_branches_part_and_what_is_left_out() {
        let view = |shared_steps, branches| BranchesView {
            branches,
            shared_steps,
            ..BranchesView::default()
        };
        assert_eq!(
            parting(&view(0, [0, 1])),
            "Branches 1 and 2 have no step in common."
        );
        assert_eq!(
            parting(&view(12, [0, 2])),
            "Branches 1 and 3 share steps 1 to 12 and part after step 12."
        );
        assert_eq!(parting(&view(12, [1, 1])), "Both are branch 2.");
        assert_eq!(rest("key", "keys", 0, 0, 0), "Neither branch has a key.");
        assert_eq!(
            rest("key", "keys", 0, 0, 3),
            "No key differs. The same in both: 3 keys."
        );
        assert_eq!(
            rest("key", "keys", 200, 2, 1),
            "2 keys more differ. The same in both: 1 key."
        );
    }
}
