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
use crate::widgets::later::{Drawing, Part, later};
use crate::widgets::{Later, Modal};
use crate::words::{common, dialogs as words, odds as odds_words, topbar};

#[component]
pub fn Dialogs() -> Html {
    let store = use_store();
    let on_close = store.on(|()| Action::CloseDialog);
    let Some(dialog) = &store.ui.dialog else {
        return html! {};
    };
    let part = html! { <Later<Dialog> part={dialog.clone()} /> };
    let (key, title, class) = match dialog {
        Dialog::File => return part,
        Dialog::Palette { returns } => {
            let returns = *returns;
            let on_close = on_close.reform(move |()| {
                if returns {
                    link::go_back();
                }
            });
            return html! {
                <Modal key="palette" title={words::PALETTE} class="is-palette" {on_close}>
                    <palette::PaletteDialog />
                </Modal>
            };
        }
        Dialog::Help => ("help", words::HELP, None),
        Dialog::Fidelity(_) => ("fidelity", topbar::FIDELITY, None),
        Dialog::Lessons => ("lessons", common::LESSONS, Some("is-wide")),
        Dialog::Runs => ("runs", words::RUNS, None),
        Dialog::Branches(_) => ("branches", words::BRANCHES, Some("is-wide")),
        Dialog::Odds => ("odds", odds_words::TITLE, None),
        Dialog::Open(_) => ("open", words::OPEN, None),
    };
    html! {
        <Modal {key} {title} class={classes!(class)} {on_close}>{ part }</Modal>
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
            Dialog::Odds => html! { <odds::OddsDialog /> },
            Dialog::File => html! { <FileDialog /> },
            Dialog::Open(text) => html! { <open::OpenText {text} /> },
            // The palette is there at once, because people type into it.
            Dialog::Palette { .. } => html! {},
        }
    }
}

impl Part for Dialog {
    fn draw(self) -> Drawing {
        dialog(self)
    }
}
