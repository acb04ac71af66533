//! The loom connected to the page: its view in, its actions out.

use watchglass_engine::view::KeyQuery;
use yew::prelude::*;

use super::loom::Loom;
use super::scene::Marks;
use super::shared::Shared;
use crate::state::{Action, use_store};

/// The Index view.
#[component]
pub fn IndexPanel() -> Html {
    let store = use_store();
    let ui = &store.ui;
    let marks = Marks {
        key: ui.selection.as_ref().map(|query| query.key.clone()),
        revision: ui.selection.as_ref().and_then(|query| query.revision),
    };
    html! {
        <Loom
            views={Shared(store.views.clone())}
            {marks}
            filter={AttrValue::from(ui.filter.clone())}
            instant={ui.instant}
            theme={ui.prefs.theme.name()}
            on_query={store.on(Action::IndexViewport)}
            on_select={store.on(|KeyQuery { key, revision }| Action::SelectKey { key, revision })}
            on_filter={store.on(Action::Filter)}
            on_exec={store.on(Action::Exec)}
        />
    }
}
