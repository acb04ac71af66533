//! A maintenance plan for the cluster of a database file: the choices, the predicted sizes after each step, and the
//! commands.

use std::rc::Rc;

use watchglass_engine::view::FileOverview;
use watchglass_engine::view::file::maintenance::{
    CompactAt, MaintenanceChange, MaintenanceQuery, MaintenanceStep, MaintenanceView,
};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::export::{self, FileTable};
use super::number_field::{self, NumberField};
use super::progress;
use crate::state::Action;
use crate::state::file_panel::FileAct;
use crate::store::{StoreHandle, use_store};
use crate::words::file::{NO_NUMBER, size};
use crate::words::file_maintenance as words;

/// The length of the longest bar, in pixels.
const BAR: u64 = 160;

/// The number of revisions that the field proposes to keep.
const KEPT: i64 = 1000;

/// The choices of the revision of the compaction, in the order of the list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Newest,
    KeepLast,
    Revision,
    Never,
}

impl Choice {
    const ALL: [Self; 4] = [Self::Newest, Self::KeepLast, Self::Revision, Self::Never];

    fn name(self) -> &'static str {
        match self {
            Self::Newest => words::AT_NEWEST,
            Self::KeepLast => words::KEEP_LAST,
            Self::Revision => words::AT_REVISION,
            Self::Never => words::NEVER,
        }
    }

    /// Returns the label of the field with the number; `None` for a choice without a number.
    fn field(self) -> Option<&'static str> {
        match self {
            Self::KeepLast => Some(words::REVISIONS),
            Self::Revision => Some(words::REVISION),
            Self::Newest | Self::Never => None,
        }
    }

    /// Returns the compaction with the number from the field; `None` if the choice needs a number and has none.
    fn compaction(self, number: Option<i64>) -> Option<CompactAt> {
        Some(match self {
            Self::Newest => CompactAt::Newest,
            Self::KeepLast => CompactAt::KeepLast(number?),
            Self::Revision => CompactAt::Revision(number?),
            Self::Never => CompactAt::Never,
        })
    }
}

#[derive(Clone, PartialEq, Properties)]
pub(super) struct MaintenanceProps {
    pub(super) overview: Rc<FileOverview>,
}

#[component]
pub(super) fn Maintenance(props: &MaintenanceProps) -> Html {
    let store = use_store();
    let panel = &store.ui.file.maintenance;
    let (prefix, at) = (use_node_ref(), use_node_ref());
    let choice = use_state_eq(|| Choice::Newest);
    let on_choose = {
        let choice = choice.clone();
        move |event: Event| {
            let list = event.target_unchecked_into::<HtmlSelectElement>();
            let chosen = usize::try_from(list.selected_index()).ok();
            let chosen = chosen.and_then(|at| Choice::ALL.get(at));
            choice.set(chosen.copied().unwrap_or(Choice::Newest));
        }
    };
    let on_submit = {
        let (store, prefix, at, choice) = (store.clone(), prefix.clone(), at.clone(), *choice);
        move |event: SubmitEvent| {
            event.prevent_default();
            let prefix = prefix.cast::<HtmlInputElement>();
            let delete = prefix.map_or_else(String::new, |field| field.value());
            let query =
                choice
                    .compaction(number_field::number(&at))
                    .map(|compact| MaintenanceQuery {
                        delete: delete.into_bytes(),
                        compact,
                    });
            let query = query.ok_or_else(|| NO_NUMBER.to_owned());
            store.dispatch(Action::File(FileAct::Maintain(query)));
        }
    };
    let proposed = match *choice {
        Choice::KeepLast => KEPT,
        _ => props.overview.revision,
    };
    let groups = store
        .ui
        .file
        .list
        .as_deref()
        .unwrap_or(&props.overview.prefixes);
    let groups = groups.rows.iter().filter(|row| !row.is_key);
    html! {
        <section class="file-part" aria-label={words::WHAT_IF}>
            <h3>{ words::WHAT_IF }</h3>
            <p>{ words::ABOUT }</p>
            <form class="file-tools" aria-label={words::PLAN} onsubmit={on_submit}>
                <label>
                    { words::DELETE }
                    <input ref={prefix} class="wg-field" type="text" list="file-maintenance-prefixes"
                        placeholder={words::NO_PREFIX} spellcheck="false" autocomplete="off" autocapitalize="off" />
                </label>
                <datalist id="file-maintenance-prefixes">
                    { for groups.map(|row| html! { <option value={row.text.clone()}></option> }) }
                </datalist>
                <label>
                    { words::COMPACT }
                    <select class="wg-select" onchange={on_choose}>
                        { for Choice::ALL.iter().map(|c| html! {
                            <option selected={*c == *choice}>{ c.name() }</option>
                        }) }
                    </select>
                </label>
                if let Some(label) = choice.field() {
                    <NumberField key={label} {label} {proposed} field={at} />
                }
                <span>{ words::THEN_DEFRAGMENT }</span>
                <button type="submit" class="wg-button is-small">{ words::PREDICT }</button>
            </form>
            if let Some(running) = &panel.running {
                { progress(&store, running, FileAct::StopMaintenance, None) }
            }
            if !panel.refused.is_empty() {
                <p class="file-refused" role="alert">{ panel.refused.clone() }</p>
            }
            <p role="status">{ panel.view.as_deref().map(words::answer) }</p>
            if let Some(view) = &panel.view {
                { steps(&store, view) }
                { commands(&store, view) }
            }
        </section>
    }
}

/// Renders the sizes after each step.
fn steps(store: &StoreHandle, view: &Rc<MaintenanceView>) -> Html {
    let most = view.steps.iter().map(|step| step.bytes).max().unwrap_or(1);
    let table = {
        let view = view.clone();
        move || FileTable {
            name: "maintenance".to_owned(),
            columns: &["step", "keys", "rows", "row_bytes", "size_in_use", "size"],
            rows: view.steps.iter().map(cells).collect(),
        }
    };
    html! {
        <>
            <div class="wg-wide-table file-wide" tabindex="0" role="group" aria-label={words::STEPS}>
                <table class="file-sizes">
                    <thead>
                        <tr>
                            <th scope="col">{ words::STEP }</th>
                            <th scope="col">{ words::CHANGE }</th>
                            <th scope="col" class="is-number">{ words::IN_USE }</th>
                            <th scope="col" class="is-number">{ words::SIZE }</th>
                            <th scope="col"><span class="wg-unseen">{ words::BAR }</span></th>
                        </tr>
                    </thead>
                    <tbody>
                        { for view.steps.iter().enumerate().map(|(at, step)| html! {
                            <tr key={at}>
                                <th scope="row">{ words::step(&step.change) }</th>
                                <td>{ words::change(&step.change) }</td>
                                <td class="is-number">{ size(step.bytes_in_use) }</td>
                                <td class="is-number">{ size(step.bytes) }</td>
                                <td>{ bar(step, most) }</td>
                            </tr>
                        }) }
                    </tbody>
                </table>
            </div>
            <p class="file-legend">
                <i class="is-newest"></i>{ words::IN_USE }{ " " }<i class="is-free"></i>{ words::FREE }
                { export::buttons(store, table) }
            </p>
            <p>{ words::NOTE }</p>
        </>
    }
}

fn cells(step: &MaintenanceStep) -> Vec<export::Cell> {
    let (keys, rows, bytes) = match step.change {
        MaintenanceChange::Delete { keys } => (keys, 0, 0),
        MaintenanceChange::Compact { rows, bytes, .. } => (0, rows, bytes),
        MaintenanceChange::Start | MaintenanceChange::Defragment => (0, 0, 0),
    };
    vec![
        words::step(&step.change).as_str().into(),
        keys.into(),
        rows.into(),
        bytes.into(),
        step.bytes_in_use.into(),
        step.bytes.into(),
    ]
}

/// Renders the size as a bar with two parts: the pages in use and the free pages.
fn bar(step: &MaintenanceStep, most: u64) -> Html {
    let width = |bytes: u64| (bytes as f64 / most.max(1) as f64 * BAR as f64).to_string();
    let used = width(step.bytes_in_use);
    let free = width(step.bytes.saturating_sub(step.bytes_in_use));
    html! {
        <svg class="file-bar" width={BAR.to_string()} height="12" aria-hidden="true">
            <rect class="is-newest" width={used.clone()} height="12" />
            <rect class="is-free" x={used} width={free} height="12" />
        </svg>
    }
}

fn commands(store: &StoreHandle, view: &MaintenanceView) -> Html {
    let save = {
        let (store, text) = (store.clone(), view.script.clone());
        Callback::from(move |_: MouseEvent| export::save(&store, words::SCRIPT_NAME, &text))
    };
    html! {
        <>
            <h4>
                { words::COMMANDS }
                <button type="button" class="wg-button is-small" onclick={save}>{ words::SAVE_SCRIPT }</button>
            </h4>
            <pre class="file-text" tabindex="0" aria-label={words::COMMANDS}>{ &view.script }</pre>
        </>
    }
}
