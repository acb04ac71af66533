//! The actions on the open run and on saved runs.

use std::rc::Rc;

use watchglass_engine::session::permalink::is_link;
use watchglass_engine::session::protocol::{Move, Notification, Read, Request, SeekTo, Source};

use super::action::RunAct;
use super::choices::{Panel, Tone};
use super::effect::Effect;
use super::flow::{Purpose, State};
use super::playback::move_cursor;
use super::run;
use super::runs::OpenFor;
use super::view_text::looked_at;
use crate::keep::{Keep, Wanted};
use crate::words::state as words;

/// Executes the action.
pub fn act(state: &mut State, act: RunAct) {
    match act {
        RunAct::Begin(wanted) => run::begin(state, wanted),
        RunAct::TryAgain => run::restart_with_run(state),
        RunAct::RestartWithStory => {
            forget_place(state);
            run::restart_with_story(state);
        }
        RunAct::Open(source, at) => {
            state.user_chose();
            let wanted = Wanted::Source { source, at };
            run::look_for(state, wanted, OpenFor::Choice, false);
        }
        RunAct::Follow(wanted) => {
            state.user_chose();
            run::look_for(state, wanted, OpenFor::Choice, false);
        }
        RunAct::OpenSaved { id, is_forced } => {
            state.user_chose();
            run::look_for(state, Wanted::Run(id), OpenFor::Choice, is_forced);
        }
        RunAct::Found { number, found } => run::found(state, number, found),
        RunAct::Listed(runs) => state.ui_mut().runs = Some(Rc::new(runs)),
        RunAct::Taken(id) => run::taken(state, &id),
        RunAct::NotDeleted => {
            state.tell(Tone::Bad, words::NOT_DELETED.to_owned());
        }
        RunAct::Name { id, name } => run::name(state, id, name),
        RunAct::Delete(id) => {
            if state.ui.open_run.as_ref() != Some(&id) {
                state.effects.push(Effect::Keep(Keep::Delete { id }));
            }
        }
        RunAct::TryAside(number) => {
            if let Some(text) = run::take_aside(state, number) {
                run::exec(state, text);
            }
        }
        RunAct::DropAside(number) => {
            run::take_aside(state, number);
        }
        RunAct::KeepTranscript(text) => state.ui_mut().transcript = text,
        RunAct::ShowDifference { is_next } => {
            let ui = state.ui_mut();
            ui.differences.choose(is_next);
            ui.cleared_below = 0;
            // Two outputs need more lines than the usual sheet has.
            ui.sheet = Panel::Terminal;
            ui.sheet_tall = true;
            if let Some(step) = ui.differences.entry().map(|entry| entry.step) {
                move_cursor(state, Move::To(SeekTo::Step(step)));
            }
        }
        RunAct::OpenText(text) => {
            state.ui_mut().transcript.clone_from(&text);
            state.user_chose();
            // A `.watchglass` file contains a link that is too long for an address.
            let (source, at) = if is_link(text.trim()) && !text.trim().contains(char::is_whitespace)
            {
                (Source::Link(text), SeekTo::Default)
            } else {
                (Source::Text(run::with_profile(state, text)), SeekTo::End)
            };
            let wanted = Wanted::Source { source, at };
            run::look_for(state, wanted, OpenFor::Choice, false);
        }
        RunAct::Continue => {
            if state.ui_mut().paused.take().is_some() {
                state.notify(Notification::Continue);
            }
        }
        RunAct::Share(how) => {
            let view = looked_at(&state.ui);
            state.request(Purpose::Share(how), Request::Read(Read::Link { view }));
        }
        RunAct::SavePicture(picture, format) => {
            state.effects.push(Effect::SavePicture(picture, format));
        }
        RunAct::RepeatAs(profile) => {
            state.request(Purpose::RepeatAs, Request::Read(Read::Commands { profile }));
        }
        RunAct::SaveSnapshot(name) => {
            state.request(Purpose::Download, Request::Read(Read::Snapshot { name }));
        }
        RunAct::Export(form) => {
            state.request(Purpose::Download, Request::Export(form));
        }
        RunAct::StartOver => {
            forget_place(state);
            run::start_over(state);
        }
        RunAct::SaveNow => run::save(state),
        RunAct::SaveFailed(why) => {
            if !state.flow.save_failed {
                state.flow.save_failed = true;
                state.tell(Tone::Bad, why);
            }
        }
    }
}

/// Resets the selections, because the run restarts from its beginning.
fn forget_place(state: &mut State) {
    state.user_chose();
    state.flow.follows_beats = true;
    state.forget_run();
}
