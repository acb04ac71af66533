//! A figure shows one picture of one run inside the text of another page. The figure is a separate page in a frame of
//! the other page.
//!
//! A figure saves nothing and never takes the keyboard focus by itself. If a figure cannot show the requested picture,
//! it shows an error and no other picture. `static/embed_boot.js` exchanges messages with the page around the frame.

use std::rc::Rc;

use watchglass_engine::session::protocol::{Act, SeekTo, Source};
use web_sys::Element;
use yew::prelude::*;

use crate::address::Address;
use crate::app::{App, AppProps, PageStore};
use crate::host::{self, Failure};
use crate::keep::Wanted;
use crate::keep::opening::Opening;
use crate::panels::figure::FigurePage;
use crate::panels::front::{self, FrontFigure};
use crate::state::Action;
use crate::state::action::RunAct;
use crate::state::action::TerminalAct;
use crate::state::choices::Theme;
use crate::state::prefs::Prefs;
use crate::state::ui::Figure;
use crate::store::Store;
use crate::store::api;
use crate::store::theme;
use crate::words::figure::SAVED_RUN;

const ROOT_ID: &str = "app";
const FRONT_ID: &str = "front-live";

pub fn mount() {
    match gloo::utils::document().get_element_by_id(FRONT_ID) {
        Some(root) => mount_front(root),
        None => mount_figure(),
    }
}

/// Mounts the start page's figure. This figure saves nothing, but uses the theme that the user chose in the app.
fn mount_front(root: Element) {
    let theme = gloo::utils::document()
        .document_element()
        .and_then(|root| root.get_attribute("data-theme"))
        .and_then(|name| Theme::from_name(&name));
    let prefs = Prefs {
        theme: theme.unwrap_or_default(),
        ..Prefs::default()
    };
    let store = Store::new(prefs, host::choose());
    store.be_figure(Figure::default());
    api::offer(&store);
    render(root, &store, html! { <FrontFigure /> });
    let opening = Opening {
        source: Source::Story(front::STORY.to_owned()),
        at: SeekTo::End,
    };
    store.dispatch(Action::Run(RunAct::Begin(Wanted::from(opening))));
    store.dispatch(Action::Terminal(TerminalAct::Do(Act::Type(front::reads()))));
}

fn mount_figure() {
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
    if let Some(root) = gloo::utils::document().get_element_by_id(ROOT_ID) {
        render(root, &store, html! { <FigurePage /> });
    }
    // A figure has no access to saved runs.
    let saved = address.run.as_ref().map(|_| SAVED_RUN.to_owned());
    match address.wrong.clone().or(saved) {
        None => store.dispatch(Action::Run(RunAct::Begin(address.wanted()))),
        Some(why) => store.dispatch(Action::HostFailed(Failure::refused(why))),
    }
}

fn render(root: Element, store: &Rc<Store>, children: Html) {
    let store = PageStore::from(store.clone());
    let props = AppProps { store, children };
    yew::Renderer::<App>::with_root_and_props(root, props).render();
}
