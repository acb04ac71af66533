//! The comparison of the open database file with another file, or of two revisions of the open file.

use std::rc::Rc;

use watchglass_engine::session::protocol::{
    Done, FileAsk, FileRole, FileStage, Notification, Request,
};
use watchglass_engine::view::file::comparison::ComparisonQuery;

use super::effect::Effect;
use super::file_panel::{ComparisonAct, ComparisonPanel, ComparisonQuestion, FileProgress};
use super::flow::{Purpose, State};

/// The number of changed keys that the list shows at first, and by which it grows.
pub const CHANGES_AT_ONCE: u32 = 50;

pub fn act(state: &mut State, act: ComparisonAct) {
    match act {
        ComparisonAct::Open { name, bytes } => {
            state.effects.push(Effect::OfferFile);
            let role = FileRole::Other;
            let id = ask(
                state,
                ComparisonQuestion::Open,
                Request::OpenFile { name, role },
            );
            state.ui_mut().file.comparison = ComparisonPanel {
                running: Some(FileProgress {
                    id,
                    stage: FileStage::Reading,
                    done: 0,
                    total: bytes,
                }),
                ..ComparisonPanel::default()
            };
        }
        ComparisonAct::Compare(Ok(query)) => {
            let compare = Request::AskFile(FileAsk::Compare(query.clone()));
            let id = ask(state, ComparisonQuestion::Compare, compare);
            let panel = &mut state.ui_mut().file.comparison;
            panel.running = Some(FileProgress {
                id,
                stage: FileStage::Comparing,
                done: 0,
                total: 0,
            });
            panel.query = query;
            panel.refused.clear();
        }
        ComparisonAct::Compare(Err(why)) => state.ui_mut().file.comparison.refused = why,
        ComparisonAct::Save => {
            let query = state.ui.file.comparison.query.clone();
            let save = Request::AskFile(FileAsk::SaveComparison(query));
            ask(state, ComparisonQuestion::Part, save);
        }
        ComparisonAct::Difference { key, shows_secret } => {
            let difference = FileAsk::Difference { key, shows_secret };
            ask(
                state,
                ComparisonQuestion::Part,
                Request::AskFile(difference),
            );
        }
        ComparisonAct::CloseDifference => state.ui_mut().file.comparison.difference = None,
        ComparisonAct::Stop => {
            state.notify(Notification::StopComparison);
            state.ui_mut().file.comparison = ComparisonPanel::default();
        }
    }
}

fn ask(state: &mut State, question: ComparisonQuestion, request: Request) -> u32 {
    state.request(Purpose::Comparison(question), request)
}

/// Handles the response to request `id`, unless the comparison was stopped or replaced in the meantime.
pub fn answered(state: &mut State, id: u32, question: ComparisonQuestion, done: Done) {
    let panel = &state.ui.file.comparison;
    let is_awaited = match question {
        ComparisonQuestion::Open | ComparisonQuestion::Compare => panel
            .running
            .as_ref()
            .is_some_and(|running| running.id == id),
        ComparisonQuestion::Part => panel.view.is_some(),
    };
    if !is_awaited {
        return;
    }
    let panel = &mut state.ui_mut().file.comparison;
    if question != ComparisonQuestion::Part {
        panel.running = None;
    }
    match done {
        Done::Opened(other) => {
            panel.other = Some(Rc::new(*other));
            let query = ComparisonQuery {
                limit: CHANGES_AT_ONCE,
                ..ComparisonQuery::default()
            };
            act(state, ComparisonAct::Compare(Ok(query)));
        }
        Done::Comparison(view) => (panel.view, panel.difference) = (Some(Rc::new(*view)), None),
        Done::Difference(difference) => panel.difference = Some(Rc::new(*difference)),
        Done::File { name, bytes } => state.effects.push(Effect::SaveFile { name, bytes }),
        Done::Refused { message } => panel.refused = message,
        _ => {}
    }
}
