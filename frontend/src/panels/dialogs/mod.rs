//! The dialogs: the palette, help, the simplifications, the saved runs, two branches, a database file, and opening a
//! transcript.

mod branches;
mod fidelity;
mod help;
mod odds;
mod open;
mod palette;
mod runs;
#[cfg(test)]
mod words_tests;

use yew::prelude::*;

use crate::address::link;
use crate::panels::file::FileDialog;
use crate::panels::lesson::LessonIndex;
use crate::state::Action;
use crate::state::ui::Dialog;
use crate::store::use_store;
use crate::widgets::Modal;
use crate::words::{common, dialogs as words, odds as odds_words, topbar};

#[component]
pub fn Dialogs() -> Html {
    let store = use_store();
    let on_close = store.on(|()| Action::CloseDialog);
    match &store.ui.dialog {
        None => html! {},
        Some(Dialog::Help) => html! {
            <Modal key="help" title={words::HELP} {on_close}><help::Help /></Modal>
        },
        Some(Dialog::Fidelity(view)) => html! {
            <Modal key="fidelity" title={topbar::FIDELITY} {on_close}><fidelity::Fidelity view={*view} /></Modal>
        },
        Some(Dialog::Lessons) => html! {
            <Modal key="lessons" title={common::LESSONS} class="is-wide" {on_close}><LessonIndex /></Modal>
        },
        Some(Dialog::Runs) => html! {
            <Modal key="runs" title={words::RUNS} {on_close}><runs::Runs /></Modal>
        },
        Some(Dialog::Branches(chosen)) => html! {
            <Modal key="branches" title={words::BRANCHES} class="is-wide" {on_close}>
                <branches::Branches chosen={*chosen} />
            </Modal>
        },
        Some(Dialog::Palette { returns }) => {
            let returns = *returns;
            let on_close = on_close.reform(move |()| {
                if returns {
                    link::go_back();
                }
            });
            html! {
                <Modal key="palette" title={words::PALETTE} class="is-palette" {on_close}>
                    <palette::PaletteDialog />
                </Modal>
            }
        }
        Some(Dialog::Odds) => html! {
            <Modal key="odds" title={odds_words::TITLE} {on_close}><odds::OddsDialog /></Modal>
        },
        Some(Dialog::File) => html! { <FileDialog /> },
        Some(Dialog::Open(text)) => html! {
            <Modal key="open" title={words::OPEN} {on_close}>
                <open::OpenText text={if text.is_empty() { store.ui.transcript.clone() } else { text.clone() }} />
            </Modal>
        },
    }
}
