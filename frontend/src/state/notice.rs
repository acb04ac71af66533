//! What most actions of the user do besides their own effect: they stop playback, close or show a notice, and schedule
//! a save.

use super::choices::Tone;
use super::effect::Effect;
use super::flow::State;
use super::ui::Notice;

impl State {
    /// Shows a notice at the top.
    pub fn tell(&mut self, tone: Tone, text: String) {
        self.ui_mut().notice = Some(Notice {
            tone,
            text,
            offers: Vec::new(),
        });
    }

    /// Schedules a save if the run contains input of the user.
    pub fn keep_soon(&mut self) {
        if self.ui.dirty && !self.ui.playing {
            self.effects.push(Effect::SaveSoon);
        }
    }

    /// Closes the notice and the dialog and stops playback, because the user changes the run.
    pub fn user_did(&mut self) {
        self.user_chose();
        self.ui_mut().dirty = true;
    }

    /// Closes the notice and the dialog and stops playback, because the user chose another run.
    pub fn user_chose(&mut self) {
        self.pause();
        let ui = self.ui_mut();
        ui.notice = None;
        ui.dialog = None;
    }

    /// Stops playing; a timer that fires later is stale.
    pub fn pause(&mut self) {
        self.flow.tick = self.flow.tick.wrapping_add(1);
        if self.ui.playing {
            self.ui_mut().playing = false;
        }
    }

    /// Stores the preferences.
    pub fn keep_prefs(&mut self) {
        let prefs = self.ui.prefs.clone();
        self.effects.push(Effect::WritePrefs(prefs));
    }
}
