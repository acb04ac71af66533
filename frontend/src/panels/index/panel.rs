//! The panel of the Index view: reads the view and dispatches actions.

use watchglass_engine::session::protocol::Act;
use watchglass_engine::view::KeyQuery;
use yew::prelude::*;

use super::loom::Loom;
use super::scene::Highlights;
use super::strip::range_of;
use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::state::action::ViewAct;
use crate::state::choices::Subject;
use crate::store::use_store;
use crate::widgets::shared::Shared;

#[component]
pub fn IndexPanel() -> Html {
    let store = use_store();
    let ui = &store.ui;
    let watched = ui.highlight.clone().or_else(|| {
        let detail = store.views.watch.as_ref()?.selected.as_ref()?;
        (ui.subject == Subject::Watcher).then(|| range_of(&detail.watcher))
    });
    let marks = Highlights {
        watched,
        key: ui.selection.as_ref().map(|query| query.key.clone()),
        revision: ui.selection.as_ref().and_then(|query| query.revision),
    };
    // The callbacks never change, so that typing in the terminal does not render the picture.
    let on_query = use_memo((), |()| {
        store.on(|value| Action::View(ViewAct::IndexViewport(value)))
    });
    let on_filter = use_memo((), |()| {
        store.on(|value| Action::View(ViewAct::Filter(value)))
    });
    let on_order = use_memo((), |()| {
        store.on(|value| Action::View(ViewAct::Order(value)))
    });
    let on_exec = use_memo((), |()| {
        store.on(|text| Action::Terminal(TerminalAct::Do(Act::Type(text))))
    });
    let on_watcher = use_memo((), |()| {
        store.on(|value| Action::View(ViewAct::SelectWatcher(value)))
    });
    let on_highlight = use_memo((), |()| {
        store.on(|value| Action::View(ViewAct::Highlight(value)))
    });
    let on_select = use_memo((), |()| {
        store.on(|KeyQuery { key, revision }| Action::View(ViewAct::SelectKey { key, revision }))
    });
    html! {
        <Loom
            views={Shared(store.views.clone())}
            {marks}
            filter={AttrValue::from(ui.filter.clone())}
            order={ui.prefs.order}
            instant={ui.instant}
            is_presented={ui.presenting.is_some()}
            theme={ui.prefs.theme.name()}
            on_query={(*on_query).clone()}
            on_select={(*on_select).clone()}
            on_filter={(*on_filter).clone()}
            on_order={(*on_order).clone()}
            on_exec={(*on_exec).clone()}
            watcher={ui.watcher.filter(|_| ui.subject == Subject::Watcher)}
            on_watcher={(*on_watcher).clone()}
            on_highlight={(*on_highlight).clone()}
        />
    }
}
