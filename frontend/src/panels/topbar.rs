//! The top bar: the title of the run, the simulated version, and the menu of other runs.

use watchglass_engine::session::protocol::{SeekTo, Source};
use watchglass_engine::session::stories;
use watchglass_engine::view::StatusView;
use yew::prelude::*;

use crate::state::Action;
use crate::state::ui::{Dialog, EngineState, Theme};
use crate::store::use_store;
use crate::widgets::icon::Logo;
use crate::widgets::{Dropdown, Glyph, Icon};

/// The seed of an empty store. Any number would do; a fixed seed makes runs comparable.
const SEED: u64 = 42;

#[component]
pub fn TopBar() -> Html {
    let store = use_store();
    let status = &store.views.status;
    let known = store.ui.engine != EngineState::Starting;
    html! {
        <header class="wg-top">
            <a class="wg-logo" href="." title="Start page">
                <Logo /><span class="wg-logo-name">{ "Watchglass" }</span>
            </a>
            <button type="button" class="wg-button wg-lessons" title="Lessons (l)"
                onclick={store.on_click(Action::OpenDialog(Dialog::Lessons))}>{ "Lessons" }</button>
            <OpenMenu />
            <h1 class="wg-run-title" title={status.title.clone()}>
                { if known { status.title.as_str() } else { "Loading…" } }
            </h1>
            if known {
                <Branches />
                <span class="wg-chips">
                    <button type="button" class="wg-chip is-button"
                        title="Simplifications of this simulator"
                        onclick={store.on_click(Action::OpenDialog(Dialog::Fidelity(None)))}>
                        { "simulated etcd " }{ &status.profile }
                    </button>
                    <span class="wg-chip" title="The seed of all random choices: the same seed gives the same run">
                        { "seed " }{ status.seed }
                    </span>
                </span>
            }
            <span class="wg-spring"></span>
            <button type="button" class="wg-button is-quiet wg-fidelity-link"
                onclick={store.on_click(Action::OpenDialog(Dialog::Fidelity(None)))}>
                { "How faithful is it?" }
            </button>
            <button type="button" class="wg-button is-icon wg-find" aria-label="Find (Ctrl+K)"
                title="Find a lesson, a run, a term, a key or a command (Ctrl+K)"
                onclick={store.on_click(Action::OpenDialog(Dialog::Palette))}>
                <Icon glyph={Glyph::Find} />
            </button>
            <button type="button" class="wg-button is-icon wg-present" aria-label="Presenter mode (p)"
                title="Presenter mode (p)" onclick={store.on_click(Action::Present)}>
                <Icon glyph={Glyph::Present} />
            </button>
            <ThemeMenu />
            <button type="button" class="wg-button is-icon" aria-label="Help: keys and commands"
                title="Keys and commands (?)"
                onclick={store.on_click(Action::OpenDialog(Dialog::Help))}>
                <Icon glyph={Glyph::Help} />
            </button>
        </header>
    }
}

/// Renders the menu of runs that can be opened.
#[component]
fn OpenMenu() -> Html {
    let store = use_store();
    let button = html! { <>{ "Open" }<Icon glyph={Glyph::Down} /></> };
    let empty = |profile: &str| {
        Action::Open(
            Source::Empty {
                profile: profile.to_owned(),
                seed: SEED,
            },
            SeekTo::End,
        )
    };
    html! {
        <Dropdown {button} class="wg-open">
            <p class="wg-list-head">{ "Lessons" }</p>
            { item("All lessons…", "short, each with a task at the end",
                store.on_click(Action::OpenDialog(Dialog::Lessons))) }
            <p class="wg-list-head">{ "Stories" }</p>
            { for stories::ALL.iter().map(|story| {
                let open = Action::Open(Source::Story(story.name.to_owned()), SeekTo::Step(0));
                item(story.header("title"), story.header("about"), store.on_click(open))
            }) }
            <a class="wg-list-item" href="scenarios.html">
                <span>{ "All runs…" }</span>
                <small>{ "all runs by topic, and a glossary" }</small>
            </a>
            <p class="wg-list-head">{ "Empty store" }</p>
            { item("etcd 3.6", "the default of this page", store.on_click(empty("3.6"))) }
            { item("etcd 3.4", "3.4.23, released in 2022", store.on_click(empty("3.4"))) }
            <p class="wg-list-head">{ "Your own" }</p>
            { item("Your runs…", "the runs saved in this browser",
                store.on_click(Action::OpenDialog(Dialog::Runs))) }
            { item("Open a snapshot…", "the database of your etcd; it never leaves this tab",
                store.on_click(Action::OpenDialog(Dialog::File))) }
            { item("Paste or open a transcript…", "or drop a file anywhere on the page",
                store.on_click(Action::OpenDialog(Dialog::Open(String::new())))) }
        </Dropdown>
    }
}

fn item(title: &str, about: &str, onclick: Callback<MouseEvent>) -> Html {
    html! {
        <button type="button" class="wg-list-item" data-close="" {onclick}>
            <span>{ title.to_owned() }</span>
            <small>{ about.to_owned() }</small>
        </button>
    }
}

/// Renders the menu of branches, if there is more than one branch.
#[component]
fn Branches() -> Html {
    let store = use_store();
    let status = &store.views.status;
    if status.branches.len() < 2 {
        return html! {};
    }
    let button = html! {
        <><span class="wg-branch-word">{ word(status) }{ "\u{a0}" }</span>
            { status.branch + 1 }{ " of " }{ status.branches.len() }
            <Icon glyph={Glyph::Down} /></>
    };
    html! {
        <Dropdown {button} class="is-chip" label="Branches of this run">
            <p class="wg-list-head">{ "Branches" }</p>
            { item("Compare two…", "the last common step, and the differences at the ends",
                store.on_click(Action::OpenDialog(Dialog::Branches(pair(status))))) }
            { for status.branches.iter().map(|branch| {
                let current = branch.id == status.branch;
                html! {
                    <button type="button" class="wg-list-item" data-close="" key={branch.id}
                        aria-current={current.then_some("true")}
                        onclick={store.on_click(Action::Branch(branch.id))}>
                        <span>
                            <b>{ branch.id + 1 }{ " · " }{ &branch.label }</b>
                            if current { <Icon glyph={Glyph::Check} /> }
                        </span>
                        <small>
                            { branch.steps }{ " steps" }
                            if let Some(parent) = branch.parent {
                                { ", from branch " }{ parent.branch + 1 }{ " at step " }{ parent.step }
                            } else if branch.id > 0 {
                                { ", a new store" }
                            }
                        </small>
                    </button>
                }
            }) }
        </Dropdown>
    }
}

/// Returns the branches to compare first: the parent of the current branch, and the current branch. The first branch
/// has no parent, so it is compared with the newest branch.
fn pair(status: &StatusView) -> [u32; 2] {
    let here = status.branches.get(status.branch as usize);
    match here.and_then(|branch| branch.parent) {
        Some(parent) => [parent.branch, status.branch],
        None if status.branch > 0 => [0, status.branch],
        None => [0, status.branches.len() as u32 - 1],
    }
}

/// Returns the noun for the branches: "store" if every branch starts with a new store, as after `world`.
fn word(status: &StatusView) -> &'static str {
    match status.branches.iter().all(|branch| branch.parent.is_none()) {
        true => "store",
        false => "branch",
    }
}

/// Renders the menu of colour themes.
#[component]
fn ThemeMenu() -> Html {
    let store = use_store();
    let button = html! { <Icon glyph={Glyph::Theme} /> };
    html! {
        <Dropdown {button} class="is-icon wg-theme" label="Theme">
            <p class="wg-list-head">{ "Theme" }</p>
            { for Theme::ALL.into_iter().map(|theme| {
                let chosen = store.ui.prefs.theme == theme;
                let (name, about) = match theme {
                    Theme::Auto => ("Auto", "same as the system setting"),
                    Theme::Light => ("Light", ""),
                    Theme::Dark => ("Dark", ""),
                    Theme::Projector => ("Projector", "black on white, thicker lines"),
                };
                html! {
                    <button type="button" class="wg-list-item" data-close=""
                        aria-pressed={if chosen { "true" } else { "false" }}
                        onclick={store.on_click(Action::Theme(theme))}>
                        <span>{ name }if chosen { <Icon glyph={Glyph::Check} /> }</span>
                        if !about.is_empty() { <small>{ about }</small> }
                    </button>
                }
            }) }
        </Dropdown>
    }
}
