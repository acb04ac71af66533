//! The terminal: the prompt, its completions, and the visible part of the scrollback.

use watchglass_engine::session::INTERRUPT;
use watchglass_engine::session::protocol::{Act, Notification, Read, Request};

use super::action::{TerminalAct, ViewAct};
use super::choices::{Panel, View};
use super::effect::Effect;
use super::flow::{Purpose, State};
use super::line::PromptLine;
use super::ui::TERMINAL_EARLIER;
use super::{lessons, run, selection};

/// Executes the action.
pub fn act(state: &mut State, act: TerminalAct) {
    match act {
        TerminalAct::Fits(entries) => {
            if state.ui.terminal_fits != entries {
                state.ui_mut().terminal_fits = entries;
            }
        }
        TerminalAct::OlderEntries => {
            let ui = state.ui_mut();
            ui.cleared_below = 0;
            ui.terminal_earlier = ui.terminal_earlier.saturating_add(TERMINAL_EARLIER);
        }
        TerminalAct::Draft(text) => {
            state.effects.push(Effect::WriteDraft(text.clone()));
            *state.line_mut() = PromptLine {
                draft: text,
                completions: None,
            };
        }
        TerminalAct::DraftWithList(text) => {
            state.effects.push(Effect::WriteDraft(text.clone()));
            state.line_mut().draft = text;
        }
        TerminalAct::Do(Act::Type(_) | Act::Undo) | TerminalAct::Type(_)
            if state.ui.is_readonly() => {}
        TerminalAct::Type(text) => {
            self::act(state, TerminalAct::Draft(text));
            self::act(state, TerminalAct::Focus);
        }
        TerminalAct::Do(Act::Type(text)) => {
            state.ui_mut().differences.chosen = None;
            run::exec(state, text);
        }
        TerminalAct::Do(Act::Undo) => run::undo(state),
        TerminalAct::Do(act) => lessons::restart(state, act),
        TerminalAct::Interrupt => {
            let is_idle = state.line.draft.is_empty()
                && state.views.status.pending.is_none()
                && !state.flow.runs.is_waiting()
                && !state.ui.is_readonly();
            state.pause();
            if is_idle {
                // As in a shell, the keys end a watch that is in the foreground.
                run::add(state, Act::Type(INTERRUPT.to_owned()), None);
            } else {
                *state.line_mut() = PromptLine::default();
                state.effects.push(Effect::WriteDraft(String::new()));
                state.notify(Notification::Interrupt);
                run::interrupted(state);
            }
        }
        TerminalAct::Complete { line, cursor } => {
            state.request(
                Purpose::Complete,
                Request::Read(Read::Complete { line, cursor }),
            );
        }
        TerminalAct::CloseCompletions => state.line_mut().completions = None,
        TerminalAct::ClearScreen => {
            let last = state
                .views
                .terminal
                .as_ref()
                .and_then(|view| view.entries.last());
            let below = last.map_or(0, |entry| entry.id.saturating_add(1));
            state.ui_mut().cleared_below = below;
        }
        TerminalAct::Focus => {
            if state.ui.has_lab_alone(&state.views) {
                selection::act(state, ViewAct::Show(View::Index));
            }
            let ui = state.ui_mut();
            match &mut ui.presenting {
                Some(presenting) => {
                    presenting.is_typing = true;
                    presenting.has_moved = true;
                }
                None => ui.workbench = true,
            }
            ui.sheet = Panel::Terminal;
            ui.prefs.terminal_open = true;
            state.effects.push(Effect::FocusPrompt);
        }
    }
}
