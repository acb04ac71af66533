//! The pace of playing: how long to wait, and how many steps to take then.

/// A power of two, from 1/16 to 64 times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Speed(i8);

/// One step takes this long at normal speed: time to read a sentence's beginning.
const STEP_MS: u32 = 1200;
/// Pictures need not follow each other faster than this.
const FRAME_MS: u32 = 40;

impl Speed {
    const SLOWEST: i8 = -4;
    const FASTEST: i8 = 6;

    /// All of them, slowest first.
    pub fn all() -> impl Iterator<Item = Speed> {
        (Self::SLOWEST..=Self::FASTEST).map(Speed)
    }

    /// Twice as fast, if there is such a speed.
    #[must_use]
    pub fn faster(self) -> Speed {
        Speed(self.0.saturating_add(1).min(Self::FASTEST))
    }

    /// Half as fast, if there is such a speed.
    #[must_use]
    pub fn slower(self) -> Speed {
        Speed(self.0.saturating_sub(1).max(Self::SLOWEST))
    }

    /// The exponent, for keeping it in a form.
    pub fn exponent(self) -> i8 {
        self.0
    }

    /// From an exponent; whatever lies outside is clamped.
    pub fn from_exponent(exponent: i8) -> Speed {
        Speed(exponent.clamp(Self::SLOWEST, Self::FASTEST))
    }

    /// As shown: `1/4×`, `1×`, `8×`.
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

    /// How long to wait before the next move, and how many steps it is.
    pub fn pace(self) -> (u32, i64) {
        if self.0 < 0 {
            return (STEP_MS << self.0.unsigned_abs(), 1);
        }
        // Faster than the eye: several steps at a time instead of a shorter wait.
        let mut ms = STEP_MS >> self.0;
        let mut steps = 1;
        while ms < FRAME_MS {
            ms *= 2;
            steps *= 2;
        }
        (ms, steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_speed_twice_as_fast_as_the_one_before() {
        let per_second = |speed: Speed| {
            let (ms, steps) = speed.pace();
            steps as f64 * 1000.0 / f64::from(ms)
        };
        let all: Vec<Speed> = Speed::all().collect();
        assert_eq!(all.len(), 11);
        for pair in all.windows(2) {
            let ratio = per_second(pair[1]) / per_second(pair[0]);
            assert!((1.8..2.5).contains(&ratio), "{pair:?}: {ratio}");
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

    #[test]
    fn never_faster_than_the_eye() {
        for speed in Speed::all() {
            assert!(speed.pace().0 >= FRAME_MS);
        }
    }
}
