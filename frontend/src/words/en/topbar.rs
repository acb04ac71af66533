//! The texts of the top bar: its buttons, the menu of runs, the menu of branches, and the menu of themes.

use watchglass_engine::view::BranchView;
use yew::prelude::*;

use super::common;

pub const START_PAGE: &str = "Start page";
pub const NAME: &str = "Watchglass";

/// The labels and tooltips of the buttons in the top bar.
pub const LESSONS_TITLE: &str = "Lessons (l)";
pub const SIMPLIFICATIONS: &str = "Simplifications of this simulator";
pub const FIDELITY: &str = "How faithful is it?";
pub const FIND: &str = "Find (Ctrl+K)";
pub const FIND_TITLE: &str = "Find a lesson, a run, a term, a key or a command (Ctrl+K)";
pub const WORKBENCH: &str = "Workbench";
pub const WORKBENCH_TITLE: &str = "The terminal, all views, single steps and the inspector (w)";
pub const WORKBENCH_ABOUT: &str =
    "the terminal, all views, single steps and the inspector beside a story";
pub const PRESENTER_MODE: &str = "Presenter mode (p)";
pub const HELP: &str = "Help: keys and commands";
pub const HELP_TITLE: &str = "Keys and commands (?)";

/// The title of the run until the title is known, and the explanation of the seed.
pub const LOADING: &str = "Loading…";
pub const SEED_TITLE: &str = "The seed of all random choices: the same seed gives the same run";

/// The texts of the menu of runs.
pub const OPEN: &str = "Open";
pub const ALL_LESSONS: &str = "All lessons…";
pub const ALL_LESSONS_ABOUT: &str = "short, each with a task at the end";
pub const STORIES: &str = "Stories";
pub const ALL_RUNS: &str = "All runs…";
pub const ALL_RUNS_ABOUT: &str = "all runs by topic, and a glossary";
pub const EMPTY_STORE: &str = "Empty store";
/// The versions of etcd that an empty store can have, the default first, and a description of each.
pub const ETCD_VERSIONS: [(&str, &str); 2] = [
    ("3.7", "3.7.1, the default version"),
    ("3.4", "3.4.23, released in 2022"),
];
/// The name of an empty store in the menu of runs.
pub fn etcd(profile: &str) -> String {
    format!("etcd {profile}")
}
pub const YOUR_OWN: &str = "Your own";
pub const YOUR_RUNS: &str = "Your runs…";
pub const YOUR_RUNS_ABOUT: &str = "the runs saved in this browser";
pub const SNAPSHOT: &str = "Open a snapshot…";
pub const SNAPSHOT_ABOUT: &str = "the database of your etcd; the file never leaves this tab";
pub const TRANSCRIPT: &str = "Paste or open a transcript…";
pub const TRANSCRIPT_ABOUT: &str = "or drop a file anywhere on the page";
pub const COPY_LINK_ABOUT: &str = "the run at the current step";
pub const SHOW_QR_CODE_ABOUT: &str = "the link to this step, for the phones of an audience";
pub const SAVE_PICTURE_ABOUT: &str = "as SVG, sharp at every size";
pub const SAVE_PNG_ABOUT: &str = "for slides, at twice the size of the screen";
pub const COPY_EMBED_CODE_ABOUT: &str = "this step as a figure on your page";

pub const BRANCHES_LABEL: &str = "Branches of this run";
pub const BRANCHES: &str = "Branches";
pub const COMPARE: &str = "Compare two…";
pub const COMPARE_ABOUT: &str = "the last common step, and how the branches differ at the end";

pub const THEME: &str = "Theme";
pub const AUTO: &str = "Auto";
pub const AUTO_ABOUT: &str = "same as the system setting";
pub const LIGHT: &str = "Light";
pub const DARK: &str = "Dark";
pub const PROJECTOR: &str = "Projector";
pub const PROJECTOR_ABOUT: &str = "black on white, thicker lines";

pub fn simulated(version: &str) -> String {
    ["simulated etcd ", version].concat()
}

pub fn seed(seed: u64) -> String {
    ["seed ", &seed.to_string()].concat()
}

/// Returns the number of the current branch, counted from 1. If every branch starts with a new store (`are_stores`),
/// the text says "store".
pub fn branch_of(are_stores: bool, number: u32, branches: usize) -> Html {
    let noun = if are_stores { "store" } else { "branch" };
    html! {
        <><span class="wg-branch-word">{ noun }{ "\u{a0}" }</span>{ number }{ " of " }{ branches }</>
    }
}

pub fn steps_and_start(branch: &BranchView) -> String {
    let steps = common::count(branch.steps, "step", "steps");
    match branch.parent {
        Some(parent) => {
            let (number, step) = ((parent.branch + 1).to_string(), parent.step.to_string());
            [&steps, ", from branch ", &number, " at step ", &step].concat()
        }
        None if branch.id > 0 => [&steps, ", a new store"].concat(),
        None => steps,
    }
}
