//! Detects an engine that stopped responding.
//!
//! A worker that hangs, or that the browser has ended, sends no event. While a response is due, the page sends a ping
//! to the worker at every beat of a timer; the worker responds between two slices of work. The page counts beats only
//! while the page is visible. Because the page counts beats and not seconds, a browser that slows the timers of a
//! background tab also slows the count.

/// The interval between two beats of the timer, in milliseconds.
pub(super) const BEAT_MS: u32 = 500;

/// The number of beats without a message after which the engine counts as silent. The engine thus counts as silent
/// after at most 3 s, including the time until the first beat.
const QUIET_BEATS_MAX: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PulseAction {
    Rest,
    Ping,
    /// Report that the engine is silent, and ping it.
    FellSilent,
}

/// Counts the beats of the timer since the engine's last message.
#[derive(Clone, Debug, Default)]
pub(super) struct Pulse {
    has_begun: bool,
    is_silent: bool,
    quiet_beats: u32,
}

impl Pulse {
    /// Records that a message arrived. Returns true if the engine counted as silent until now.
    pub(super) fn received(&mut self) -> bool {
        self.has_begun = true;
        self.quiet_beats = 0;
        std::mem::take(&mut self.is_silent)
    }

    /// Returns true if any message has arrived since the engine started.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Resets the count because no response is due any more.
    pub(super) fn rest(&mut self) {
        self.quiet_beats = 0;
    }

    /// Counts a beat of the timer while a response is due. A worker whose script is still loading sends nothing; if
    /// loading fails, the worker reports an error itself.
    pub(super) fn beat(&mut self, is_visible: bool) -> PulseAction {
        if !self.has_begun {
            return PulseAction::Rest;
        }
        if !is_visible {
            self.quiet_beats = 0;
            return PulseAction::Ping;
        }
        self.quiet_beats = self.quiet_beats.saturating_add(1);
        if self.quiet_beats >= QUIET_BEATS_MAX && !self.is_silent {
            self.is_silent = true;
            return PulseAction::FellSilent;
        }
        PulseAction::Ping
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun() -> Pulse {
        let mut pulse = Pulse::default();
        assert!(!pulse.received());
        pulse
    }

    fn beats(pulse: &mut Pulse, count: u32, is_visible: bool) -> Vec<PulseAction> {
        (0..count).map(|_| pulse.beat(is_visible)).collect()
    }

    #[test]
    fn silence_is_reported_once_and_within_three_seconds() {
        let mut pulse = begun();
        let all = beats(&mut pulse, 20, true);
        let first = all.iter().position(|beat| *beat == PulseAction::FellSilent);
        let first = first.expect("a silent engine is noticed");
        // A response may become due right after a beat.
        assert!((first as u32 + 1) * BEAT_MS < 3_000);
        let again = all[first + 1..]
            .iter()
            .all(|beat| *beat == PulseAction::Ping);
        assert!(again, "{all:?}");
    }

    #[test]
    fn an_engine_that_answers_pings_may_work_as_long_as_it_likes() {
        let mut pulse = begun();
        for _ in 0..1_000 {
            assert_eq!(pulse.beat(true), PulseAction::Ping);
            pulse.received();
        }
    }

    #[test]
    fn a_page_in_the_background_counts_nothing() {
        let mut pulse = begun();
        assert!(
            beats(&mut pulse, 100, false)
                .iter()
                .all(|beat| *beat == PulseAction::Ping)
        );
        // In a visible tab, the count starts again.
        assert_eq!(pulse.beat(true), PulseAction::Ping);
    }

    #[test]
    fn a_script_that_is_still_loading_is_not_silent() {
        let mut pulse = Pulse::default();
        assert!(
            beats(&mut pulse, 100, true)
                .iter()
                .all(|beat| *beat == PulseAction::Rest)
        );
    }

    #[test]
    fn a_word_after_the_silence_ends_it() {
        let mut pulse = begun();
        beats(&mut pulse, 20, true);
        assert!(pulse.received(), "it was silent");
        assert!(!pulse.received(), "it is no more");
        assert_eq!(pulse.beat(true), PulseAction::Ping);
    }

    #[test]
    fn beats_of_different_waits_are_not_added_up() {
        let mut pulse = begun();
        for _ in 0..10 {
            beats(&mut pulse, 2, true);
            pulse.rest();
        }
        assert_eq!(pulse.beat(true), PulseAction::Ping);
    }
}
