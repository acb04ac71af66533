//! The axis of revisions: which revision stands at which pixel, and which of them get a number.

/// Revisions on a horizontal stretch of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RevScale {
    /// The pixel at which the stretch begins.
    pub left: f64,
    /// The width, in pixels.
    pub width: f64,
    /// The revision at its left edge; a fraction, since panning is not by whole revisions.
    pub from: f64,
    /// Pixels from one revision to the next.
    pub pitch: f64,
}

impl RevScale {
    /// The pixel of a revision.
    pub fn x(self, revision: i64) -> f64 {
        self.x_at(revision as f64)
    }

    /// The pixel of a place between revisions.
    pub fn x_at(self, revision: f64) -> f64 {
        self.left + (revision - self.from) * self.pitch
    }

    /// The place under a pixel.
    pub fn at(self, x: f64) -> f64 {
        self.from + (x - self.left) / self.pitch
    }

    /// The pixel after the last one.
    pub fn right(self) -> f64 {
        self.left + self.width
    }

    /// The first and last revision of which anything can be seen.
    pub fn visible(self) -> (i64, i64) {
        let first = (self.from - 0.5).ceil() as i64;
        let last = (self.at(self.right()) + 0.5).floor() as i64;
        (first, last.max(first))
    }

    /// The number of revisions in the stretch.
    pub fn span(self) -> f64 {
        self.width / self.pitch
    }
}

/// How far apart numbered revisions are when each number needs this many pixels: 1, 2, 5, 10, 20, …
pub fn tick_step(pitch: f64, label_width: f64) -> i64 {
    let mut step = 1_i64;
    // 1 → 2 → 5 → 10: the numbers people count in.
    let factors = [2.0, 2.5, 2.0];
    let mut turn = 0;
    while (step as f64) * pitch < label_width && step < i64::MAX / 10 {
        step = (step as f64 * factors[turn % 3]) as i64;
        turn += 1;
    }
    step
}

/// The numbered revisions among `first..=last`. Those too close to a `pinned` one, which is
/// always numbered, give way to it.
pub fn ticks(scale: RevScale, first: i64, last: i64, pinned: &[i64], label_width: f64) -> Vec<i64> {
    let step = tick_step(scale.pitch, label_width);
    let gap = label_width / scale.pitch;
    let mut out: Vec<i64> = pinned
        .iter()
        .copied()
        .filter(|pin| (first..=last).contains(pin))
        .collect();
    let mut revision = first.div_euclid(step) * step;
    if revision < first {
        revision += step;
    }
    while revision <= last {
        if pinned
            .iter()
            .all(|pin| *pin != revision && ((pin - revision).abs() as f64) >= gap)
        {
            out.push(revision);
        }
        revision += step;
    }
    out.sort_unstable();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(pitch: f64) -> RevScale {
        RevScale {
            left: 150.0,
            width: 600.0,
            from: 0.5,
            pitch,
        }
    }

    #[test]
    fn there_and_back() {
        let scale = scale(24.0);
        assert_eq!(scale.x(1), 162.0);
        assert_eq!(scale.at(162.0), 1.0);
        assert_eq!(scale.visible(), (0, 26));
    }

    #[test]
    fn numbers_never_touch() {
        for pitch in [0.01, 0.3, 1.0, 3.0, 7.0, 13.9, 72.0] {
            let step = tick_step(pitch, 40.0);
            assert!(step as f64 * pitch >= 40.0, "{pitch}: {step}");
            assert!(step as f64 * pitch < 140.0, "{pitch}: {step}");
        }
        assert_eq!(tick_step(8.0, 40.0), 5);
        assert_eq!(tick_step(3.0, 40.0), 20);
    }

    #[test]
    fn a_pinned_number_pushes_its_neighbours_away() {
        let numbers = ticks(scale(10.0), 1, 30, &[24], 36.0);
        assert_eq!(numbers, [5, 10, 15, 20, 24, 30]);
        let close = ticks(scale(10.0), 1, 30, &[23], 36.0);
        assert_eq!(close, [5, 10, 15, 23, 30]);
    }
}
