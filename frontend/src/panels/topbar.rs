//! The top bar: the title of the run, the simulated version, and the menu of other runs.

use watchglass_engine::session::protocol::{Move, SeekTo, Source};
use watchglass_engine::session::stories;
use watchglass_engine::view::StatusView;
use yew::prelude::*;

use crate::state::Action;
use crate::state::action::LayoutAct;
use crate::state::action::PlaybackAct;
use crate::state::action::RunAct;
use crate::state::choices::{Sharing, Theme};
use crate::state::ui::{Dialog, EngineState};
use crate::store::use_store;
use crate::widgets::icon::Logo;
use crate::widgets::{Dropdown, Glyph, Icon};
use crate::words::{common, dialogs, export, nemesis, odds, topbar as words};

/// The seed of an empty store. Any number would do; a fixed seed makes runs comparable.
const SEED: u64 = 42;

#[component]
pub fn TopBar() -> Html {
    let store = use_store();
    let status = &store.views.status;
    let known = store.ui.engine != EngineState::Starting;
    html! {
        <header class="wg-top">
            <a class="wg-logo" href="." target="_top" title={words::START_PAGE}>
                <Logo /><span class="wg-logo-name">{ words::NAME }</span>
            </a>
            <button type="button" class="wg-button wg-lessons" title={words::LESSONS_TITLE}
                onclick={store.on_click(Action::OpenDialog(Dialog::Lessons))}>{ common::LESSONS }</button>
            <OpenMenu />
            <h1 class="wg-run-title" title={status.title.clone()}>
                { if known { status.title.as_str() } else { words::LOADING } }
            </h1>
            if known {
                <Branches />
                <span class="wg-chips">
                    <button type="button" class="wg-chip is-button"
                        title={words::SIMPLIFICATIONS}
                        onclick={store.on_click(Action::OpenDialog(Dialog::Fidelity(None)))}>
                        { words::simulated(&status.profile) }
                    </button>
                    <span class="wg-chip" title={words::SEED_TITLE}>
                        { words::seed(status.seed) }
                    </span>
                </span>
            }
            <span class="wg-spring"></span>
            if store.ui.can_read(&store.views) {
                <button type="button" class="wg-button wg-workbench" title={words::WORKBENCH_TITLE}
                    aria-label={words::WORKBENCH} aria-pressed={if store.ui.workbench { "true" } else { "false" }}
                    onclick={store.on_click(Action::Layout(LayoutAct::ToggleWorkbench))}>
                    <Icon glyph={Glyph::Terminal} /><span>{ words::WORKBENCH }</span>
                </button>
            }
            <button type="button" class="wg-button is-quiet wg-fidelity-link"
                onclick={store.on_click(Action::OpenDialog(Dialog::Fidelity(None)))}>
                { words::FIDELITY }
            </button>
            <button type="button" class="wg-button is-icon wg-find" aria-label={words::FIND}
                title={words::FIND_TITLE}
                onclick={store.on_click(Action::OpenDialog(Dialog::Palette { returns: false }))}>
                <Icon glyph={Glyph::Find} />
            </button>
            <button type="button" class="wg-button is-icon wg-present" aria-label={words::PRESENTER_MODE}
                title={words::PRESENTER_MODE} onclick={store.on_click(Action::Layout(LayoutAct::Present))}>
                <Icon glyph={Glyph::Present} />
            </button>
            <ThemeMenu />
            <button type="button" class="wg-button is-icon wg-help" aria-label={words::HELP}
                title={words::HELP_TITLE}
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
    let status = &store.views.status;
    let button = html! { <>{ words::OPEN }<Icon glyph={Glyph::Down} /></> };
    let empty = |profile: &str| {
        Action::Run(RunAct::Open(
            Source::Empty {
                profile: profile.to_owned(),
                seed: SEED,
            },
            SeekTo::End,
        ))
    };
    html! {
        <Dropdown {button} class="wg-open">
            <p class="wg-list-head">{ common::LESSONS }</p>
            { item(words::ALL_LESSONS, words::ALL_LESSONS_ABOUT,
                store.on_click(Action::OpenDialog(Dialog::Lessons))) }
            <p class="wg-list-head">{ words::STORIES }</p>
            { for stories::ALL.iter().map(|story| {
                let open = Action::Run(RunAct::Open(Source::Story(story.name.to_owned()), SeekTo::Step(0)));
                item(story.header("title"), story.header("about"), store.on_click(open))
            }) }
            <a class="wg-list-item" href="scenarios.html">
                <span>{ words::ALL_RUNS }</span>
                <small>{ words::ALL_RUNS_ABOUT }</small>
            </a>
            <p class="wg-list-head">{ words::EMPTY_STORE }</p>
            { for words::ETCD_VERSIONS.iter().map(|(profile, about)| {
                item(&words::etcd(profile), about, store.on_click(empty(profile)))
            }) }
            <p class="wg-list-head">{ words::YOUR_OWN }</p>
            { item(words::YOUR_RUNS, words::YOUR_RUNS_ABOUT,
                store.on_click(Action::OpenDialog(Dialog::Runs))) }
            { item(common::COPY_LINK, words::COPY_LINK_ABOUT,
                store.on_click(Action::Run(RunAct::Share(Sharing::Link)))) }
            { item(export::OPEN, export::ABOUT, store.on_click(Action::OpenDialog(Dialog::Export))) }
            // On phones, the palette offers these.
            <div class="wg-not-on-phones">
                { item(common::COPY_EMBED_CODE, words::COPY_EMBED_CODE_ABOUT,
                    store.on_click(Action::Run(RunAct::Share(Sharing::EmbedCode)))) }
                { item(common::SHOW_QR_CODE, words::SHOW_QR_CODE_ABOUT,
                    store.on_click(Action::Run(RunAct::Share(Sharing::QrCode)))) }
                { item(dialogs::OTHER_VERSION, dialogs::OTHER_VERSION_ABOUT,
                    store.on_click(Action::OpenDialog(Dialog::Branches([status.branch; 2])))) }
                { item(odds::TITLE, odds::ABOUT, store.on_click(Action::OpenDialog(Dialog::Odds))) }
                { item(nemesis::TITLE, nemesis::ABOUT, store.on_click(Action::OpenDialog(Dialog::Nemesis))) }
            </div>
            { item(words::SNAPSHOT, words::SNAPSHOT_ABOUT,
                store.on_click(Action::OpenDialog(Dialog::File))) }
            { item(words::TRANSCRIPT, words::TRANSCRIPT_ABOUT,
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
        <>
            { words::branch_of(are_stores(status), status.branch + 1, status.branches.len()) }
            <Icon glyph={Glyph::Down} />
        </>
    };
    html! {
        <Dropdown {button} class="is-chip" label={words::BRANCHES_LABEL}>
            <p class="wg-list-head">{ words::BRANCHES }</p>
            { item(words::COMPARE, words::COMPARE_ABOUT,
                store.on_click(Action::OpenDialog(Dialog::Branches(pair(status))))) }
            { for status.branches.iter().map(|branch| {
                let current = branch.id == status.branch;
                html! {
                    <button type="button" class="wg-list-item" data-close="" key={branch.id}
                        aria-current={current.then_some("true")}
                        onclick={store.on_click(Action::Playback(PlaybackAct::Move(Move::ToBranch(branch.id))))}>
                        <span>
                            <b>{ branch.id + 1 }{ " · " }{ &branch.label }</b>
                            if current { <Icon glyph={Glyph::Check} /> }
                        </span>
                        <small>{ words::steps_and_start(branch) }</small>
                    </button>
                }
            }) }
        </Dropdown>
    }
}

/// Returns the two branches that the dialog compares at first: the current branch and its parent. A later branch
/// without a parent is compared with the first branch, and the first branch is compared with the newest branch.
fn pair(status: &StatusView) -> [u32; 2] {
    let here = status.branches.get(status.branch as usize);
    match here.and_then(|branch| branch.parent) {
        Some(parent) => [parent.branch, status.branch],
        None if status.branch > 0 => [0, status.branch],
        None => [0, status.branches.len() as u32 - 1],
    }
}

/// Returns true if every branch starts with a new store, as after the command `world`.
fn are_stores(status: &StatusView) -> bool {
    status.branches.iter().all(|branch| branch.parent.is_none())
}

#[component]
fn ThemeMenu() -> Html {
    let store = use_store();
    let button = html! { <Icon glyph={Glyph::Theme} /> };
    html! {
        <Dropdown {button} class="is-icon wg-theme" label={words::THEME}>
            <p class="wg-list-head">{ words::THEME }</p>
            { for Theme::ALL.into_iter().map(|theme| {
                let chosen = store.ui.prefs.theme == theme;
                let (name, about) = match theme {
                    Theme::Auto => (words::AUTO, words::AUTO_ABOUT),
                    Theme::Light => (words::LIGHT, ""),
                    Theme::Dark => (words::DARK, ""),
                    Theme::Projector => (words::PROJECTOR, words::PROJECTOR_ABOUT),
                };
                html! {
                    <button type="button" class="wg-list-item" data-close=""
                        aria-pressed={if chosen { "true" } else { "false" }}
                        onclick={store.on_click(Action::Layout(LayoutAct::Theme(theme)))}>
                        <span>{ name }if chosen { <Icon glyph={Glyph::Check} /> }</span>
                        if !about.is_empty() { <small>{ about }</small> }
                    </button>
                }
            }) }
        </Dropdown>
    }
}
