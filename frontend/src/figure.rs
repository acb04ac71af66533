//! A figure shows one picture of one run inside the text of another page. The figure is a separate page in a frame of
//! the other page.
//!
//! A figure saves nothing and never takes the keyboard focus by itself. If a figure cannot show the requested picture,
//! it shows an error and no other picture. `static/embed_boot.js` exchanges messages with the page around the frame.

use yew::prelude::*;

use crate::address::Address;
use crate::app;
use crate::host::{self, Failure};
use crate::panels::figure::FigurePage;
use crate::state::Action;
use crate::state::action::RunAct;
use crate::state::prefs::Prefs;
use crate::store::Store;
use crate::store::api;
use crate::store::theme;
use crate::words::figure::SAVED_RUN;

pub fn mount() {
    let address = Address::of_page();
    let prefs = Prefs {
        theme: address.theme.unwrap_or_default(),
        ..Prefs::default()
    };
    theme::apply(prefs.theme);
    let store = Store::new(prefs, host::choose_for_figure());
    store.be_figure(address.figure());
    if let Some(view) = address.views.first() {
        store.show_first(*view);
    } else {
        store.follow_beats();
    }
    api::offer(&store);
    app::render(&store, html! { <FigurePage /> });
    // A figure has no access to saved runs.
    let saved = address.run.as_ref().map(|_| SAVED_RUN.to_owned());
    match address.wrong.clone().or(saved) {
        None => store.dispatch(Action::Run(RunAct::Begin(address.wanted()))),
        Some(why) => store.dispatch(Action::HostFailed(Failure::refused(why))),
    }
}
