//! The pace of playback. The steps of a beat (a section of the run with one text) follow each other quickly; then the
//! picture stays long enough for the user to read the text.

use watchglass_engine::view::StatusView;

/// A playback speed, from 1/16 to 64 times normal speed. Contains the exponent of a power of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Speed(i8);

/// The duration of one step at normal speed, in milliseconds; shorter if the beat
/// has many steps.
const STEP_MS: u64 = 500;
/// The maximum duration of all steps of a beat at normal speed, in milliseconds. A beat is a section of the run with
/// one text.
const BEAT_MS: u64 = 3000;
/// The reading time of one word at normal speed, in milliseconds.
const WORD_MS: u64 = 250;
/// The minimum time for which playback shows the end of a beat with a text, at normal speed, in
/// milliseconds.
const READ_MS: u64 = 4000;
/// The time for which playback shows the end of a command without a text, at normal speed, in milliseconds.
const COMMAND_MS: u64 = 1200;
/// The minimum time between two pictures of playback at any speed, in milliseconds.
const FRAME_MS: u64 = 40;

/// The next move of playback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The delay before the move, in milliseconds.
    pub wait_ms: u32,
    /// The number of steps by which playback moves forward. Within a beat, the
    /// move does not pass the end of the beat. At the end of a beat, playback moves to the next beat.
    pub steps: u64,
    /// Whether the delay is reading time. Pointing or typing prolongs reading time.
    pub is_rest: bool,
}

impl Speed {
    const SLOWEST: i8 = -4;
    const FASTEST: i8 = 6;

    /// Returns all speeds, slowest first.
    pub fn all() -> impl Iterator<Item = Speed> {
        (Self::SLOWEST..=Self::FASTEST).map(Speed)
    }

    /// Returns twice the speed, limited to the maximum.
    #[must_use]
    pub fn faster(self) -> Speed {
        Speed(self.0.saturating_add(1).min(Self::FASTEST))
    }

    /// Returns half the speed, limited to the minimum.
    #[must_use]
    pub fn slower(self) -> Speed {
        Speed(self.0.saturating_sub(1).max(Self::SLOWEST))
    }

    /// Returns the exponent of the speed, from which [`Speed::from_exponent`] creates the speed again.
    pub fn exponent(self) -> i8 {
        self.0
    }

    /// Creates a speed from an exponent, limited to the range of speeds.
    pub fn from_exponent(exponent: i8) -> Speed {
        Speed(exponent.clamp(Self::SLOWEST, Self::FASTEST))
    }

    /// Returns the label: `1/4×`, `1×`, `8×`.
    pub fn label(self) -> String {
        let factor = (1u32 << self.0.unsigned_abs()).to_string();
        let mut label = String::new();
        if self.0 < 0 {
            label.push_str("1/");
        }
        label.push_str(&factor);
        label.push('×');
        label
    }

    pub fn pace(self, status: &StatusView) -> Pace {
        let beat = &status.beat;
        let left = beat.last.saturating_sub(status.step);
        if left > 0 {
            let steps = (beat.last + 1 - beat.first).max(1);
            let all_ms = self.scale((STEP_MS * steps).min(BEAT_MS));
            // The steps are too fast to see one by one, so one picture shows several steps.
            let pictures = (all_ms / FRAME_MS).clamp(1, steps);
            let wait = (all_ms / pictures).max(FRAME_MS);
            let steps = steps.div_ceil(pictures).min(left);
            return Pace {
                wait_ms: wait as u32,
                steps,
                is_rest: false,
            };
        }
        let words = |text: &str| text.split_whitespace().count() as u64;
        let wait = match text_of(status) {
            Some(text) => (WORD_MS * (words(text) + words(&status.narration))).max(READ_MS),
            None => COMMAND_MS,
        };
        Pace {
            wait_ms: self.scale(wait).max(FRAME_MS) as u32,
            steps: 1,
            is_rest: true,
        }
    }

    fn scale(self, ms: u64) -> u64 {
        match self.0 {
            ..0 => ms << self.0.unsigned_abs(),
            _ => ms >> self.0,
        }
    }
}

/// Returns the text of the present beat; before the first beat, the opening.
pub fn text_of(status: &StatusView) -> Option<&String> {
    let opening = status.opening.as_ref().filter(|_| status.beat.number == 0);
    status.beat.text.as_ref().or(opening)
}

#[cfg(test)]
mod tests {
    use watchglass_engine::view::BeatView;

    use super::*;

    fn at(step: u64, first: u64, last: u64, text: Option<&str>) -> StatusView {
        StatusView {
            step,
            beat: BeatView {
                first,
                last,
                text: text.map(Into::into),
                ..BeatView::default()
            },
            ..StatusView::default()
        }
    }

    /// Returns the time for which playback shows a beat with `steps` steps, until the next beat
    /// begins, in milliseconds.
    fn played_ms(speed: Speed, steps: u64, text: Option<&str>) -> u64 {
        let (mut step, mut ms) = (1, 0);
        loop {
            let pace = speed.pace(&at(step, 1, steps, text));
            ms += u64::from(pace.wait_ms);
            step += pace.steps;
            if pace.is_rest {
                return ms;
            }
            assert!(step <= steps && pace.wait_ms >= 40);
        }
    }

    #[test]
    fn a_beat_is_shown_for_as_long_as_it_takes_to_read() {
        let normal = Speed::default();
        let long = "word ".repeat(40);
        assert_eq!(normal.pace(&at(3, 1, 3, Some(&long))).wait_ms, 10_000);
        assert_eq!(normal.pace(&at(3, 1, 3, Some("Short."))).wait_ms, 4_000);
        assert_eq!(normal.pace(&at(3, 1, 3, None)).wait_ms, 1_200);
        for steps in [1, 2, 10, 100, 10_000] {
            let ms = played_ms(normal, steps, Some("Short."));
            assert!((4_000..7_500).contains(&ms), "{steps} steps: {ms} ms");
        }
    }

    #[test]
    fn the_opening_is_shown_for_as_long_as_it_takes_to_read() {
        let status = StatusView {
            opening: Some("word ".repeat(40)),
            ..at(0, 0, 0, None)
        };
        let pace = Speed::default().pace(&status);
        assert_eq!((pace.wait_ms, pace.is_rest), (10_000, true));
    }

    #[test]
    fn every_speed_is_twice_as_fast_as_the_one_before() {
        let all: Vec<Speed> = Speed::all().collect();
        assert_eq!(all.len(), 11);
        for pair in all.windows(2) {
            let ms = |speed| played_ms(speed, 4, Some("Short.")) as f64;
            let ratio = ms(pair[0]) / ms(pair[1]);
            assert!((1.3..=2.2).contains(&ratio), "{pair:?}: {ratio}");
        }
    }

    #[test]
    fn labels_and_ends() {
        assert_eq!(Speed::default().label(), "1×");
        assert_eq!(Speed::from_exponent(-100).label(), "1/16×");
        assert_eq!(Speed::from_exponent(100).label(), "64×");
        assert_eq!(Speed::from_exponent(6).faster(), Speed::from_exponent(6));
        assert_eq!(Speed::from_exponent(-4).slower(), Speed::from_exponent(-4));
    }
}
