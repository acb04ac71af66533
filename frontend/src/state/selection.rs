//! The view that the page shows, the window of each view, and the subject of the inspector.

use watchglass_engine::view::KeyQuery;

use super::action::ViewAct;
use super::choices::{CacheTab, Panel, Subject, View};
use super::flow::State;

/// Executes the action.
pub fn act(state: &mut State, act: ViewAct) {
    match act {
        ViewAct::Storage(query) => state.ui_mut().storage = query,
        ViewAct::SelectPage(page) => {
            let storage = &mut state.ui_mut().storage;
            (storage.page, storage.element) = (Some(page), Some(0));
            inspect(state, Subject::Page);
        }
        ViewAct::SelectElement { page, place } => {
            let storage = &mut state.ui_mut().storage;
            (storage.page, storage.element) = (Some(page), Some(place));
        }
        ViewAct::FollowRow { key, revision } => {
            choose_key(state, KeyQuery { key, revision });
            inspect(state, Subject::Page);
        }
        ViewAct::Axis(axis) => state.ui_mut().axis = axis,
        ViewAct::Show(view) => {
            if state.ui.prefs.view != view && state.ui.offers(view) {
                let ui = state.ui_mut();
                ui.prefs.view = view;
                // The Index view also shows the watcher, so it stays selected.
                let stays = view == View::Index && ui.watcher.is_some();
                if !(stays && ui.subject == Subject::Watcher) {
                    ui.subject = view.subject();
                }
                ui.highlight = None;
                ui.instant = true;
                state.keep_prefs();
            }
        }
        ViewAct::SelectKey { key, revision } => {
            choose_key(state, KeyQuery { key, revision });
            inspect(state, Subject::Key);
        }
        ViewAct::SelectWatcher(id) => {
            state.ui_mut().watcher = Some(id);
            inspect(state, Subject::Watcher);
        }
        ViewAct::SelectMessage(id) => {
            state.ui_mut().message = Some(id);
            inspect(state, Subject::Message);
        }
        ViewAct::SkipMessages(count) => state.ui_mut().messages_skipped = count,
        ViewAct::SelectRequest(id) => {
            state.ui_mut().cache.selected = Some(id);
            self::act(state, ViewAct::CacheTab(CacheTab::Request));
        }
        ViewAct::CacheTab(tab) => {
            state.ui_mut().cache_tab = tab;
            inspect(state, Subject::Cache);
        }
        ViewAct::CacheQuery(query) => state.ui_mut().cache = query,
        ViewAct::QosQuery(query) => state.ui_mut().qos_query = query,
        ViewAct::PlotSpan(us) => {
            state.ui_mut().prefs.plot_us = us;
            state.keep_prefs();
        }
        ViewAct::Highlight(range) => {
            if state.ui.highlight != range {
                state.ui_mut().highlight = range;
            }
        }
        ViewAct::Filter(text) => state.ui_mut().filter = text,
        ViewAct::Order(order) => {
            state.ui_mut().prefs.order = order;
            state.keep_prefs();
        }
        ViewAct::IndexViewport(window) => {
            if state.ui.index.as_ref() != Some(&window) {
                state.ui_mut().index = Some(window);
            }
        }
        ViewAct::WatchViewport(window) => {
            if state.ui.watch != window {
                state.ui_mut().watch = window;
            }
        }
        ViewAct::TimelineWidth(columns) => {
            if state.ui.timeline_columns != columns {
                state.ui_mut().timeline_columns = columns;
            }
        }
    }
}

/// Selects a key in the inspector and in the Storage view, and unselects the page of the Storage view.
fn choose_key(state: &mut State, key: KeyQuery) {
    let ui = state.ui_mut();
    (ui.storage.page, ui.storage.element) = (None, None);
    ui.selection = Some(key);
}

/// Opens the inspector for a subject.
fn inspect(state: &mut State, subject: Subject) {
    let ui = state.ui_mut();
    ui.subject = subject;
    ui.inspector_open = true;
    ui.sheet = Panel::Inspect;
}
