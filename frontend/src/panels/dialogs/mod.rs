//! The dialogs: the palette, help, the simplifications, the saved runs, two branches, a QR code, a database file, and
//! opening a transcript.

mod branches;
mod export;
mod fidelity;
mod help;
mod nemesis;
mod odds;
mod open;
mod palette;
mod qr_code;
mod runs;
#[cfg(test)]
mod words_tests;

use std::future::ready;

use yew::prelude::*;

use crate::address::link;
use crate::panels::file::{self, FileDialog};
use crate::panels::lesson::LessonIndex;
use crate::state::Action;
use crate::state::ui::Dialog;
use crate::store::use_store;
use crate::widgets::later::{Drawing, Part, later};
use crate::widgets::{Later, Modal};
use crate::words::{
    common, dialogs as words, export as export_words, nemesis as nemesis_words, odds as odds_words,
    topbar,
};

#[component]
pub fn Dialogs() -> Html {
    let store = use_store();
    let Some(dialog) = &store.ui.dialog else {
        return html! {};
    };
    let on_close = store.on(|()| Action::CloseDialog);
    let on_close = match dialog {
        Dialog::Palette { returns: true } => on_close.reform(|()| link::go_back()),
        _ => on_close,
    };
    let file = &store.ui.file;
    let (key, title, class) = match dialog {
        Dialog::Help => ("help", words::HELP.into(), None),
        Dialog::Fidelity(_) => ("fidelity", topbar::FIDELITY.into(), None),
        Dialog::Lessons => ("lessons", common::LESSONS.into(), Some("is-wide")),
        Dialog::Runs => ("runs", words::RUNS.into(), None),
        Dialog::Branches(_) => ("branches", words::BRANCHES.into(), Some("is-wide")),
        Dialog::Palette { .. } => ("palette", words::PALETTE.into(), Some("is-palette")),
        Dialog::QrCode(_) => ("qr", words::QR_CODE.into(), Some("is-qr")),
        Dialog::Export => ("export", export_words::TITLE.into(), None),
        Dialog::Odds => ("odds", odds_words::TITLE.into(), None),
        Dialog::Nemesis => ("nemesis", nemesis_words::TITLE.into(), None),
        Dialog::File => (
            "file",
            AttrValue::from(file::title(file)),
            file.overview.is_some().then_some("is-file"),
        ),
        Dialog::Open(_) => ("open", words::OPEN.into(), None),
    };
    html! {
        <Modal {key} {title} class={classes!(class)} {on_close}>
            <Later<Dialog> part={dialog.clone()} />
        </Modal>
    }
}

later! {
    dialogs: fn dialog(dialog: Dialog) {
        match dialog {
            Dialog::Help => html! { <help::Help /> },
            Dialog::Fidelity(view) => html! { <fidelity::Fidelity {view} /> },
            Dialog::Lessons => html! { <LessonIndex /> },
            Dialog::Runs => html! { <runs::Runs /> },
            Dialog::Branches(chosen) => html! { <branches::Branches {chosen} /> },
            Dialog::QrCode(address) => html! { <qr_code::QrCode {address} /> },
            Dialog::Export => html! { <export::ExportDialog /> },
            Dialog::Odds => html! { <odds::OddsDialog /> },
            Dialog::Nemesis => html! { <nemesis::NemesisDialog /> },
            Dialog::File => html! { <FileDialog /> },
            Dialog::Open(text) => html! { <open::OpenText {text} /> },
            Dialog::Palette { .. } => html! {},
        }
    }
}

impl Part for Dialog {
    fn draw(self) -> Drawing {
        match self {
            // People type into the palette as soon as they have pressed its key, so its code is part of the program.
            Self::Palette { .. } => Box::pin(ready(Ok(html! { <palette::PaletteDialog /> }))),
            other => dialog(other),
        }
    }
}
