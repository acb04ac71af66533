//! The palette: a text field and the list of entries that match the typed words.

use wasm_bindgen::JsCast;
use watchglass_engine::session::protocol::{Act, ExportForm, SeekTo, Source};
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

use crate::address::{link, of_scenario};
use crate::browser::address;
use crate::panels::terms::with_code;
use crate::state::action::LayoutAct;
use crate::state::action::RunAct;
use crate::state::action::TerminalAct;
use crate::state::action::ViewAct;
use crate::state::choices::{Picture, PictureFormat, Sharing, Theme, View};
use crate::state::contents::{self, ContentsEntry, ContentsKind};
use crate::state::ui::Dialog;
use crate::state::{Action, Ui};
use crate::store::{StoreHandle, use_store};
use crate::widgets::use_current;
use crate::words::state::INSPECTOR;
use crate::words::{author, common, dialogs as words, export, file, lesson, nemesis, odds, topbar};

/// The maximum number of entries in the palette's list.
const MOST: usize = 80;

#[derive(Clone, PartialEq)]
struct Choice {
    kind: &'static str,
    title: String,
    about: String,
    /// Further words for the search, which the list does not show.
    keywords: String,
    /// Whether the title comes from the table of contents, which exists only in English.
    is_listed: bool,
    leads_to: Lead,
}

#[derive(Clone, PartialEq)]
enum Lead {
    Action(Box<Action>),
    Address(String),
}

#[component]
pub(super) fn PaletteDialog() -> Html {
    let store = use_store();
    let typed = use_current(String::new);
    let at = use_current(|| 0_usize);
    let list = use_node_ref();
    let choices = choices_of(&store.ui, &typed.get());
    {
        let list = list.clone();
        use_effect_with(at.get(), move |at| {
            if let Some(list) = list.cast::<Element>() {
                reveal(&list, *at);
            }
        });
    }
    let on_input = {
        let (store, typed, at) = (store.clone(), typed.clone(), at.clone());
        Callback::from(move |event: InputEvent| {
            let field = event
                .target()
                .and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
            let text = field.map(|field| field.value()).unwrap_or_default();
            store.dispatch(Action::Find(text.clone()));
            typed.set(text);
            at.set(0);
        })
    };
    let here = at.get().min(choices.len().saturating_sub(1));
    let on_key = {
        let (store, typed, at) = (store.clone(), typed.clone(), at.clone());
        Callback::from(move |event: KeyboardEvent| {
            let key = event.key();
            if event.is_composing() || !matches!(key.as_str(), "ArrowDown" | "ArrowUp" | "Enter") {
                return;
            }
            event.prevent_default();
            let choices = choices_of(&store.ui, &typed.get());
            let last = choices.len().saturating_sub(1);
            let here = at.get().min(last);
            match key.as_str() {
                "ArrowDown" => at.set(if here == last { 0 } else { here + 1 }),
                "ArrowUp" => at.set(here.checked_sub(1).unwrap_or(last)),
                _ => {
                    if let Some(choice) = choices.get(here) {
                        choose(&store, choice);
                    }
                }
            }
        })
    };
    let option = |(number, choice): (usize, &Choice)| {
        let (store, chosen) = (store.clone(), choice.clone());
        let onclick = Callback::from(move |_: MouseEvent| choose(&store, &chosen));
        html! {
            <li id={format!("wg-choice-{number}")} role="option" class="wg-choice" {onclick}
                lang={choice.is_listed.then_some("en")}
                aria-selected={if number == here { "true" } else { "false" }}>
                <small class="wg-choice-kind">{ choice.kind }</small>
                <b>{ with_code(&choice.title, |text| html! { <>{ text }</> }) }</b>
                <span>{ with_code(&choice.about, |text| html! { <>{ text }</> }) }</span>
            </li>
        }
    };
    html! {
        <>
            <input type="text" autofocus=true class="wg-palette-field" role="combobox" autocomplete="off"
                spellcheck="false" aria-label={words::PALETTE_FIELD}
                placeholder={words::PALETTE_EXAMPLE} aria-controls="wg-choices"
                aria-expanded="true" aria-activedescendant={format!("wg-choice-{here}")}
                oninput={on_input} onkeydown={on_key} />
            <ul ref={list} id="wg-choices" class="wg-choices wg-fades" role="listbox" aria-label={words::RESULTS}>
                { for choices.iter().enumerate().map(option) }
            </ul>
            <p class="wg-palette-foot">
                <span role="status">
                    if store.ui.palette.has_failed {
                        { words::NO_CONTENTS }
                    } else {
                        { words::results(choices.len()) }
                    }
                </span>
                <a href="scenarios.html">{ words::ONE_PAGE }</a>
            </p>
        </>
    }
}

/// Scrolls the list just far enough to show the entry at index `at`.
fn reveal(list: &Element, at: usize) {
    let Some(entry) = list.children().item(at as u32) else {
        return;
    };
    let (room, entry) = (
        list.get_bounding_client_rect(),
        entry.get_bounding_client_rect(),
    );
    let by = (entry.top() - room.top()).min(0.0) + (entry.bottom() - room.bottom()).max(0.0);
    list.set_scroll_top(list.scroll_top() + by as i32);
}

fn choose(store: &StoreHandle, choice: &Choice) {
    match &choice.leads_to {
        Lead::Action(action) => {
            store.dispatch(Action::CloseDialog);
            store.dispatch((**action).clone());
        }
        Lead::Address(to) => {
            address::open(to);
        }
    }
}

/// Returns the matching entries, best match first. Entries that match equally well stay in the order in which this
/// function adds them.
fn choices_of(ui: &Ui, typed: &str) -> Vec<Choice> {
    let palette = &ui.palette;
    let is_empty = typed.trim().is_empty();
    let mut ranked: Vec<(u8, Choice)> = Vec::new();
    let mut add = |choice: Choice| {
        if let Some(rank) = contents::rank(typed, &choice.title, &[&choice.about, &choice.keywords])
        {
            ranked.push((rank, choice));
        }
    };
    let listed = palette.contents.iter().flat_map(|listed| listed.iter());
    // An empty field lists only the lessons and stories of the table of contents.
    let is_begin = |kind| matches!(kind, ContentsKind::Lesson | ContentsKind::Story);
    for entry in listed.filter(|entry| !is_empty || is_begin(entry.kind)) {
        add(of_listed(entry, ui));
    }
    for view in View::ALL {
        add(does(
            words::KIND_VIEW,
            view.title(),
            "",
            Action::View(ViewAct::Show(view)),
        ));
    }
    for (title, about, action) in settings() {
        add(does(words::KIND_SETTING, title, about, action));
    }
    add(Choice {
        leads_to: Lead::Address(["?", link::WRITE].concat()),
        ..does(
            words::KIND_SETTING,
            words::WRITE_LESSON,
            author::ABOUT,
            Action::CloseDialog,
        )
    });
    for key in &palette.keys {
        let select = Action::View(ViewAct::SelectKey {
            key: key.clone().into_bytes(),
            revision: None,
        });
        add(does(words::KIND_KEY, key, words::IN_THIS_STORE, select));
    }
    for (command, about) in &palette.commands {
        ranked.push((
            1,
            does(
                words::KIND_COMMAND,
                command,
                about,
                Action::Terminal(TerminalAct::Type(format!("{command} "))),
            ),
        ));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(MOST);
    ranked.into_iter().map(|(_, choice)| choice).collect()
}

fn does(kind: &'static str, title: &str, about: &str, action: Action) -> Choice {
    Choice {
        kind,
        title: title.to_owned(),
        about: about.to_owned(),
        keywords: String::new(),
        is_listed: false,
        leads_to: Lead::Action(Box::new(action)),
    }
}

fn of_listed(entry: &ContentsEntry, ui: &Ui) -> Choice {
    let target = &entry.target;
    let leads_to = match entry.kind {
        ContentsKind::Lesson => Lead::Action(Box::new(Action::OpenLesson(target.clone()))),
        ContentsKind::Story => {
            let story = Source::Story(target.clone());
            Lead::Action(Box::new(Action::Run(RunAct::Open(story, SeekTo::Step(0)))))
        }
        ContentsKind::Run => Lead::Address(of_scenario(target, None, ui.presenting.is_some())),
        ContentsKind::Term if target.is_empty() => {
            Lead::Address("scenarios.html#glossary".to_owned())
        }
        ContentsKind::Simplified
        | ContentsKind::Version
        | ContentsKind::Same
        | ContentsKind::Note => Lead::Action(Box::new(Action::OpenDialog(Dialog::Fidelity(None)))),
        ContentsKind::Term => Lead::Action(Box::new(Action::OpenLesson(target.clone()))),
    };
    Choice {
        kind: entry.kind.label(),
        title: entry.title.clone(),
        about: entry.about.clone(),
        keywords: entry.keywords.clone(),
        is_listed: true,
        leads_to,
    }
}

fn settings() -> Vec<(&'static str, &'static str, Action)> {
    let dialog = Action::OpenDialog;
    let theme = |value| Action::Layout(LayoutAct::Theme(value));
    vec![
        (
            words::SANDBOX,
            words::SANDBOX_ABOUT,
            Action::Run(RunAct::Open(empty_store(), SeekTo::End)),
        ),
        (
            lesson::ALL_LESSONS,
            words::ALL_LESSONS_ABOUT,
            dialog(Dialog::Lessons),
        ),
        (words::RUNS, topbar::YOUR_RUNS_ABOUT, dialog(Dialog::Runs)),
        (
            file::OPEN_SNAPSHOT,
            words::SNAPSHOT_ABOUT,
            dialog(Dialog::File),
        ),
        (
            words::PASTE,
            words::PASTE_ABOUT,
            dialog(Dialog::Open(String::new())),
        ),
        (
            common::UNDO,
            words::UNDO_ABOUT,
            Action::Terminal(TerminalAct::Do(Act::Undo)),
        ),
        (
            words::COPY_LINK,
            words::COPY_LINK_ABOUT,
            Action::Run(RunAct::Share(Sharing::Link)),
        ),
        (
            common::COPY_EMBED_CODE,
            topbar::COPY_EMBED_CODE_ABOUT,
            Action::Run(RunAct::Share(Sharing::EmbedCode)),
        ),
        (
            common::SHOW_QR_CODE,
            topbar::SHOW_QR_CODE_ABOUT,
            Action::Run(RunAct::Share(Sharing::QrCode)),
        ),
        (
            common::SAVE_PICTURE,
            topbar::SAVE_PICTURE_ABOUT,
            Action::Run(RunAct::SavePicture(Picture::View, PictureFormat::Svg)),
        ),
        (
            common::SAVE_PNG,
            topbar::SAVE_PNG_ABOUT,
            Action::Run(RunAct::SavePicture(Picture::View, PictureFormat::Png)),
        ),
        (
            words::OTHER_VERSION,
            words::OTHER_VERSION_ABOUT,
            dialog(Dialog::Branches([0; 2])),
        ),
        (export::OPEN, export::ABOUT, dialog(Dialog::Export)),
        (
            export::SCRIPT,
            export::SCRIPT_ABOUT,
            Action::Run(RunAct::Export(ExportForm::EtcdctlScript)),
        ),
        (
            export::TRACE_LINES,
            export::TRACE_LINES_ABOUT,
            Action::Run(RunAct::Export(ExportForm::TraceLines)),
        ),
        (
            export::PERFETTO,
            export::PERFETTO_ABOUT,
            Action::Run(RunAct::Export(ExportForm::Perfetto)),
        ),
        (odds::TITLE, odds::ABOUT, dialog(Dialog::Odds)),
        (nemesis::TITLE, nemesis::ABOUT, dialog(Dialog::Nemesis)),
        (
            words::PRESENTER,
            words::PRESENTER_ABOUT,
            Action::Layout(LayoutAct::Present),
        ),
        (
            topbar::WORKBENCH,
            topbar::WORKBENCH_ABOUT,
            Action::Layout(LayoutAct::ToggleWorkbench),
        ),
        (words::THEME_AUTO, topbar::AUTO_ABOUT, theme(Theme::Auto)),
        (words::THEME_LIGHT, "", theme(Theme::Light)),
        (words::THEME_DARK, "", theme(Theme::Dark)),
        (
            words::THEME_PROJECTOR,
            topbar::PROJECTOR_ABOUT,
            theme(Theme::Projector),
        ),
        (
            INSPECTOR,
            words::OPEN_OR_CLOSE,
            Action::Layout(LayoutAct::ToggleInspector),
        ),
        (
            common::TERMINAL,
            words::OPEN_OR_CLOSE,
            Action::Layout(LayoutAct::ToggleTerminal),
        ),
        (words::HELP, "", dialog(Dialog::Help)),
        (
            topbar::FIDELITY,
            words::FIDELITY_ABOUT,
            dialog(Dialog::Fidelity(None)),
        ),
    ]
}

fn empty_store() -> Source {
    crate::address::source("empty")
}
