//! The layout of the page: panels, the presenter mode, the theme and notices.

use super::action::LayoutAct;
use super::effect::Effect;
use super::flow::State;
use super::ui::Presenting;

/// The range of the terminal's height, in pixels.
pub const TERMINAL_HEIGHT: std::ops::RangeInclusive<u16> = 96..=640;
/// The range of the inspector's width, in pixels.
pub const INSPECTOR_WIDTH: std::ops::RangeInclusive<u16> = 240..=640;

/// Executes the action.
pub fn act(state: &mut State, act: LayoutAct) {
    match act {
        LayoutAct::Present => {
            let ui = state.ui_mut();
            ui.presenting = match ui.presenting {
                None => Some(Presenting::default()),
                Some(_) => None,
            };
            ui.dialog = None;
            ui.notice = None;
        }
        LayoutAct::ToggleWorkbench if state.ui.can_read(&state.views) => {
            let ui = state.ui_mut();
            ui.workbench = !ui.workbench;
            ui.prefs.workbench = ui.workbench;
            state.keep_prefs();
        }
        // All other runs have the workbench always.
        LayoutAct::ToggleWorkbench => {}
        LayoutAct::Blank => {
            // Nobody sees what happens on a black screen.
            state.pause();
            if let Some(presenting) = &mut state.ui_mut().presenting {
                presenting.is_blank = !presenting.is_blank;
                presenting.has_moved = true;
            }
        }
        LayoutAct::EndTyping => {
            if let Some(presenting) = &mut state.ui_mut().presenting {
                presenting.is_typing = false;
            }
        }
        LayoutAct::Theme(theme) => {
            state.ui_mut().prefs.theme = theme;
            state.effects.push(Effect::ApplyTheme(theme));
            state.keep_prefs();
        }
        LayoutAct::ToggleInspector => {
            let is_reading = state.ui.is_reading(&state.views);
            let ui = state.ui_mut();
            // A reader's page hides the inspector even if it is open.
            ui.inspector_open = !ui.inspector_open || is_reading;
            ui.workbench = true;
        }
        LayoutAct::ToggleTerminal => {
            let ui = state.ui_mut();
            ui.prefs.terminal_open = !ui.prefs.terminal_open;
            state.keep_prefs();
        }
        LayoutAct::TerminalActive(is_active) => state.ui_mut().terminal_active = is_active,
        LayoutAct::TerminalHeight(height) => {
            let height = height.clamp(*TERMINAL_HEIGHT.start(), *TERMINAL_HEIGHT.end());
            state.ui_mut().prefs.panel_sizes_mut().terminal = height;
            state.keep_prefs();
        }
        LayoutAct::InspectorWidth(width) => {
            let width = width.clamp(*INSPECTOR_WIDTH.start(), *INSPECTOR_WIDTH.end());
            state.ui_mut().prefs.panel_sizes_mut().inspector = width;
            state.keep_prefs();
        }
        LayoutAct::Sheet(panel) => state.ui_mut().sheet = panel,
        LayoutAct::ToggleSheet => {
            let ui = state.ui_mut();
            ui.sheet_tall = !ui.sheet_tall;
        }
        LayoutAct::Tell(notice) => state.ui_mut().notice = Some(notice),
        LayoutAct::DismissNotice => state.ui_mut().notice = None,
        LayoutAct::SingleKeys(on) => {
            state.ui_mut().prefs.single_keys = on;
            state.keep_prefs();
        }
    }
}
