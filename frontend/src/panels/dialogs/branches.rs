//! Shows two branches side by side: their last common step, and the differences at their ends.

use watchglass_engine::view::{BranchView, BranchesView, KeyEnd, WatcherEnd};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::draw::text::count;
use crate::state::Action;
use crate::state::action::RunAct;
use crate::state::ui::Dialog;
use crate::store::use_store;
use crate::words::{dialogs as words, topbar};

#[derive(Clone, PartialEq, Properties)]
pub(super) struct BranchesProps {
    /// The numbers of the two branches that the dialog compares.
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
            if all.len() > 1 {
                <p class="wg-branches-choice">
                    { words::choice_of_branches(select(0, words::FIRST_BRANCH), select(1, words::SECOND_BRANCH)) }
                </p>
            } else {
                <p>{ words::ONE_BRANCH }</p>
            }
            <p class="wg-branches-choice">
                { words::REPEAT_AS }
                { for words::VERSIONS_OF_ETCD.iter().map(|profile| html! {
                    <button type="button" class="wg-button is-small" key={*profile}
                        onclick={store.on_click(Action::Run(RunAct::RepeatAs((*profile).to_owned())))}>
                        { topbar::etcd(profile) }
                    </button>
                }) }
            </p>
            if all.len() > 1 {
                if let Some(view) = &store.ui.comparison {
                    { comparison(view) }
                } else {
                    <p role="status">{ words::COMPARING }</p>
                }
            }
        </div>
    }
}

/// Returns the name of a branch in the choice: its number and its first command.
fn name(branch: &BranchView) -> String {
    format!("{} · {}", branch.id + 1, branch.label)
}

fn comparison(view: &BranchesView) -> Html {
    let heads = view.branches.map(|branch| words::branch(branch + 1));
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
        (
            words::STEPS,
            view.ends.each_ref().map(|end| count(end.steps)),
        ),
        (
            words::REVISION,
            view.ends.each_ref().map(|end| number(end.revision)),
        ),
        (
            words::COMPACTED_REVISION,
            view.ends.each_ref().map(|end| match end.compact_revision {
                ..=0 => words::NONE.to_owned(),
                revision => number(revision),
            }),
        ),
    ];
    let commands = view.commands.each_ref().map(|(commands, omitted)| {
        html! {
            <>
                if commands.is_empty() {
                    { words::NONE }
                }
                <ol>{ for commands.iter().map(|command| html! { <li><code>{ command }</code></li> }) }</ol>
                if *omitted > 0 {
                    { words::more_commands(*omitted) }
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
            <p>{ words::parting(view) }</p>
            { differences(view) }
            <h3>{ words::AT_THE_END }</h3>
            <table>
                { head(words::STATE) }
                <tbody>
                    { for ends.into_iter().map(|(name, cells)| row(name.into(), cells.map(Html::from))) }
                    { row(words::COMMANDS_AFTER.into(), commands) }
                </tbody>
            </table>
            <h3>{ words::KEYS }</h3>
            if !view.keys.is_empty() {
                <table>{ head(words::KEY) }<tbody>{ for keys }</tbody></table>
            }
            <p>{ words::rest_of_keys(view) }</p>
            if view.has_more_keys {
                <p>{ words::MORE_KEYS }</p>
            }
            <h3>{ words::WATCHERS }</h3>
            if !view.watchers.is_empty() {
                <table>{ head(words::WATCHER) }<tbody>{ for watchers }</tbody></table>
            }
            <p>{ words::rest_of_watchers(view) }</p>
        </>
    }
}

/// Renders the first step and the first output in which the branches differ.
fn differences(view: &BranchesView) -> Html {
    let [a, b] = view.branches;
    if a == b {
        return html! {};
    }
    let heads = view.branches.map(|branch| words::branch(branch + 1));
    let table = |caption: Html, cells: [Html; 2]| {
        html! {
            <table>
                <caption>{ caption }</caption>
                <thead><tr>{ for heads.iter().map(|head| html! { <th scope="col">{ head }</th> }) }</tr></thead>
                <tbody><tr>{ for cells.map(cell) }</tr></tbody>
            </table>
        }
    };
    html! {
        <>
            <h3>{ words::FIRST_DIFFERENCE }</h3>
            if let Some(first) = &view.first_difference {
                { table(words::first_difference(first.step).into(), first.sides.each_ref().map(|side| match side {
                    Some((at_us, sentence)) => html! { <>{ sentence }<small>{ words::at_time(*at_us) }</small></> },
                    None => words::ENDED_BEFORE.into(),
                })) }
                if first.sides[0] == first.sides[1] {
                    <p>{ words::SAME_SENTENCES }</p>
                }
            } else {
                <p>{ words::SAME_STEPS }</p>
            }
            if let Some((command, outputs)) = &view.first_output {
                { table(words::first_output(html! { <code>{ command }</code> }), outputs.each_ref().map(|output| {
                    html! { <pre>{ output }</pre> }
                })) }
            }
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
        return words::ABSENT.into();
    };
    html! {
        <>
            <code>{ &end.value }</code>
            <small>{ words::key_end(end) }</small>
        </>
    }
}

fn watcher_cell(end: Option<&WatcherEnd>) -> Html {
    let Some(end) = end else {
        return words::ABSENT.into();
    };
    html! { <>{ words::watcher_end(end) }<small>{ words::watches(end) }</small></> }
}
