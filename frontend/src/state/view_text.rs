//! The text that describes the current view, for links and lessons.

use watchglass_engine::session::latency::LabSetting;
use watchglass_engine::view::LaneOrder;

use super::choices::View;
use super::flow::State;
use super::prefs::{order_from_name, order_name};
use super::ui::Ui;

/// Returns a description of the current view for a link: the name of the view, the settings of the Lab, and the order
/// of lanes in the Index view unless it is the default order.
pub(super) fn looked_at(ui: &Ui) -> String {
    let name = ui.prefs.view.name();
    match ui.prefs.view {
        View::Lab => format!("{name} {}", LabSetting::to_text(&ui.lab.settings)),
        View::Index if ui.prefs.order != LaneOrder::default() => {
            format!("{name} {}", order_name(ui.prefs.order))
        }
        _ => name.to_owned(),
    }
}

/// Shows the view that a link or a lesson describes.
pub(super) fn show_view(state: &mut State, name: &str) {
    let (name, settings) = name.split_once(' ').unwrap_or((name, ""));
    if let Some(settings) = LabSetting::from_text(settings) {
        state.ui_mut().lab.settings = settings;
    }
    if let (Some(View::Index), Some(order)) = (View::from_name(name), order_from_name(settings)) {
        state.ui_mut().prefs.order = order;
    }
    let view = View::from_name(name).filter(|view| state.ui.offers(*view));
    if let Some(view) = view {
        state.ui_mut().prefs.view = view;
        state.ui_mut().subject = view.subject();
    }
}
