//! The axis of revisions: the x coordinate of each revision, in pixels, and the revisions that are labelled with their
//! number.

/// Maps revisions to pixels in a horizontal range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RevScale {
    /// The x coordinate at which the range begins, in pixels.
    pub left: f64,
    /// The width of the range, in pixels.
    pub width: f64,
    /// The revision at the left edge; a fraction, because the reader can pan by less than a revision.
    pub from: f64,
    /// The number of pixels between two revisions.
    pub pitch: f64,
}

impl RevScale {
    /// Returns the x coordinate of a revision, in pixels.
    pub fn x(self, revision: i64) -> f64 {
        self.x_at(revision as f64)
    }

    /// Returns the x coordinate of a fractional revision, in pixels.
    pub fn x_at(self, revision: f64) -> f64 {
        self.left + (revision - self.from) * self.pitch
    }

    pub fn at(self, x: f64) -> f64 {
        self.from + (x - self.left) / self.pitch
    }

    /// Returns the x coordinate at which the range ends, in pixels.
    pub fn right(self) -> f64 {
        self.left + self.width
    }

    /// Returns the first and last revision that are at least partly visible.
    pub fn visible(self) -> (i64, i64) {
        let first = (self.from - 0.5).ceil() as i64;
        let last = (self.at(self.right()) + 0.5).floor() as i64;
        (first, last.max(first))
    }

    /// Returns the x coordinates of the left and the right end of a range of revisions.
    pub fn ends(self, from: i64, to: i64) -> (f64, f64) {
        (self.x_at(from as f64 - 0.5), self.x_at(to as f64 + 0.5))
    }

    /// Returns the number of revisions in the range.
    pub fn span(self) -> f64 {
        self.width / self.pitch
    }
}

/// Returns the distance between labelled revisions (1, 2, 5, 10, 20, …). The distance gives each label at least
/// `label_width` pixels.
pub fn tick_step(pitch: f64, label_width: f64) -> i64 {
    let mut step = 1_i64;
    // The steps are 1, 2, 5, 10 and so on, because people can easily count in these steps.
    let factors = [2.0, 2.5, 2.0];
    let mut turn = 0;
    while (step as f64) * pitch < label_width && step < i64::MAX / 10 {
        step = (step as f64 * factors[turn % 3]) as i64;
        turn += 1;
    }
    step
}

/// Returns the revisions among `first..=last` that are labelled. `pinned` revisions are always labelled; other
/// revisions are not labelled if they are too close to a pinned revision.
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
