//! The time scale of the Messages view: linear while messages travel, and folded (drawn narrower) while nothing
//! happens.

use crate::base::small_sort::SmallSort;
use crate::base::time::SimDuration;

use super::Stretch;
use super::repeat::Repeat;

/// The width of the view. All positions are in thousandths of this width.
const WIDTH: u32 = 1000;
/// The margin at the left and at the right of the view, in thousandths of its width.
const MARGIN: u32 = 20;

/// The width of a folded piece of the time scale, in thousandths. If there are many folded pieces, each is narrower.
const FOLDED: u32 = 36;

/// The maximum total width of all folded pieces, in thousandths.
const FOLDED_ALL: u32 = 400;

/// The minimum distance between two time labels, in thousandths.
const TICK: u32 = 80;

/// The minimum length of a gap that is folded, as a multiple of the typical travel time.
const QUIET: u64 = 8;

/// The time scale: maps times to positions in the view.
#[derive(Clone, Debug, Default)]
pub(in crate::view) struct TimeScale {
    pub(in crate::view) stretches: Vec<Stretch>,
}

impl TimeScale {
    /// Creates a time scale that contains these times. `travel` is the typical travel time of a message.
    pub(in crate::view) fn new(mut moments: Vec<u64>, travel: u64) -> Self {
        moments.small_sort();
        moments.dedup();
        let Some((first, last)) = moments.first().zip(moments.last()) else {
            return Self::default();
        };
        if first == last {
            // A single time is shown in the middle of one travel time.
            let half = travel.max(2) / 2;
            moments = vec![first.saturating_sub(half), first + half];
        }
        let folded = folded(&moments, travel.max(1));
        let mut stretches: Vec<Stretch> = Vec::new();
        for (pair, folded) in moments.windows(2).zip(&folded) {
            match stretches.last_mut() {
                Some(last) if !last.folded && !folded => last.to_us = pair[1],
                _ => stretches.push(Stretch {
                    from_us: pair[0],
                    to_us: pair[1],
                    folded: *folded,
                    ..Stretch::default()
                }),
            }
        }
        let mut scale = Self { stretches };
        scale.place();
        scale.label();
        scale
    }

    fn place(&mut self) {
        let folds = self.stretches.iter().filter(|s| s.folded).count() as u32;
        let fold = FOLDED.min(FOLDED_ALL / folds.max(1)).max(1);
        let open = self.stretches.iter().filter(|s| !s.folded);
        let open: u64 = open.map(length).sum::<u64>().max(1);
        let room = u64::from(WIDTH - 2 * MARGIN) - u64::from((folds * fold).min(FOLDED_ALL));
        let (mut open_so_far, mut folds_so_far) = (0, 0);
        for stretch in &mut self.stretches {
            let x = |open_so_far: u64, folds: u32| {
                MARGIN + (open_so_far * room / open) as u32 + folds * fold
            };
            stretch.x0 = x(open_so_far, folds_so_far);
            if stretch.folded {
                folds_so_far += 1;
            } else {
                open_so_far += length(stretch);
            }
            stretch.x1 = x(open_so_far, folds_so_far);
        }
    }

    fn label(&mut self) {
        let open = self.stretches.iter().filter(|s| !s.folded);
        let (us, x) = open.fold((0, 0), |(us, x), s| (us + length(s), x + s.x1 - s.x0));
        let unit = round_above(us * u64::from(TICK) / u64::from(x.max(1)));
        let end = self.stretches.last().map_or(0, |s| s.to_us);
        let mut free_from = 0;
        for stretch in &mut self.stretches {
            if stretch.folded {
                let text = SimDuration(length(stretch)).to_string();
                stretch.ticks = vec![(stretch.x0.midpoint(stretch.x1), text)];
                continue;
            }
            let first = stretch.from_us.div_ceil(unit);
            let mut moments: Vec<u64> = (first..)
                .map(|n| n * unit)
                .take_while(|at| *at <= stretch.to_us)
                .collect();
            if moments.is_empty() {
                moments.push(stretch.from_us);
            }
            for at in moments {
                let x = place_in(stretch, at);
                if x >= free_from {
                    stretch.ticks.push((x, moment(at, unit, end)));
                    free_from = x + TICK * 3 / 4;
                }
            }
        }
    }

    /// Marks the folded piece of the time scale that contains the rounds `repeat`, and stores the number of rounds and
    /// their interval in the piece.
    pub(super) fn repeated(&mut self, repeat: &Repeat) {
        let holds = |s: &&mut Stretch| s.from_us <= repeat.from_us && repeat.to_us <= s.to_us;
        if let Some(stretch) = self.stretches.iter_mut().filter(|s| s.folded).find(holds) {
            stretch.repeated += repeat.rounds;
            stretch.every_us = repeat.every_us;
        }
    }

    /// Returns the position of a time. A time outside the view has the position of the nearest edge.
    pub(in crate::view) fn x(&self, at: u64) -> u32 {
        let after = self.stretches.partition_point(|s| s.to_us < at);
        match (self.stretches.get(after), self.stretches.last()) {
            (Some(stretch), _) => place_in(stretch, at.max(stretch.from_us)),
            (None, Some(last)) => last.x1,
            (None, None) => MARGIN,
        }
    }

    /// Returns the first and the last time on the scale.
    pub(in crate::view) fn ends(&self) -> (u64, u64) {
        let first = self.stretches.first().map_or(0, |s| s.from_us);
        (first, self.stretches.last().map_or(0, |s| s.to_us))
    }
}

fn length(stretch: &Stretch) -> u64 {
    stretch.to_us - stretch.from_us
}

fn place_in(stretch: &Stretch, at: u64) -> u32 {
    let wide = u128::from(stretch.x1 - stretch.x0);
    let part = u128::from(at - stretch.from_us) * wide / u128::from(length(stretch).max(1));
    stretch.x0 + part as u32
}

/// Decides which gaps between times are folded, starting with the longest gap. A gap is folded only if it is longer
/// than [`QUIET`] typical travel times of a message, and if a linear piece would be wider than a folded piece.
fn folded(moments: &[u64], travel: u64) -> Vec<bool> {
    let gaps: Vec<u64> = moments.windows(2).map(|w| w[1] - w[0]).collect();
    let mut longest: Vec<usize> = (0..gaps.len()).collect();
    longest.small_sort_by_key(|i| std::cmp::Reverse(gaps[*i]));
    let mut left: u64 = gaps.iter().sum();
    let mut folded = vec![false; gaps.len()];
    for i in longest {
        let gap = gaps[i];
        let wide = u128::from(gap) * u128::from(WIDTH) > u128::from(left) * u128::from(FOLDED);
        if gap <= travel * QUIET || !wide || gap == left {
            break;
        }
        folded[i] = true;
        left -= gap;
    }
    folded
}

/// Returns the smallest number in the sequence 1, 2, 5, 10, 20, 50, … that is at least `least`, in microseconds.
fn round_above(least: u64) -> u64 {
    let mut unit: u64 = 1;
    loop {
        for round in [unit, 2 * unit, 5 * unit] {
            if round >= least {
                return round;
            }
        }
        unit *= 10;
    }
}

/// Formats a time for a label. The labels are `unit` microseconds apart, which determines the number of digits. If
/// `end` is later than 10 seconds, the label is in seconds.
fn moment(at: u64, unit: u64, end: u64) -> String {
    let (whole, digits, name) = if end < 10_000_000 {
        (1_000, 3, "ms")
    } else {
        (1_000_000, 6, "s")
    };
    let mut digits = digits;
    let mut step = 1;
    while digits > 0 && unit.is_multiple_of(step * 10) {
        step *= 10;
        digits -= 1;
    }
    let part = at % whole / step;
    match digits {
        0 => format!("{} {name}", at / whole),
        n => format!("{}.{part:0n$} {name}", at / whole),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_time_is_folded_and_the_rest_is_to_one_scale() {
        let scale = TimeScale::new(vec![1_000, 1_250, 1_500, 90_000, 90_250], 250);
        let shape: Vec<(u64, u64, bool)> = scale
            .stretches
            .iter()
            .map(|s| (s.from_us, s.to_us, s.folded))
            .collect();
        assert_eq!(
            shape,
            [
                (1_000, 1_500, false),
                (1_500, 90_000, true),
                (90_000, 90_250, false)
            ]
        );
        let wide = |i: usize| scale.stretches[i].x1 - scale.stretches[i].x0;
        assert_eq!(wide(0).div_ceil(2), wide(2));
        assert_eq!(wide(1), FOLDED);
        assert_eq!(scale.stretches[2].x1, WIDTH - MARGIN);
        assert_eq!(scale.stretches[1].ticks[0].1, "88.5 ms");
    }

    #[test]
    fn places_grow_with_time() {
        let scale = TimeScale::new(vec![5, 7, 1_000_000, 1_000_010, 40_000_000], 3);
        let mut before = 0;
        for at in [0, 5, 6, 7, 100, 999_999, 1_000_005, 40_000_000, 50_000_000] {
            assert!(scale.x(at) >= before);
            before = scale.x(at);
        }
        assert!(before <= WIDTH);
    }

    #[test]
    fn a_single_moment_has_a_place() {
        let scale = TimeScale::new(vec![1077], 250);
        assert_eq!(scale.x(1077), 500);
        assert_eq!(TimeScale::default().x(3), MARGIN);
    }

    #[test]
    fn labels_have_the_digits_they_need() {
        assert_eq!(moment(1_234_500, 100, 2_000_000), "1234.5 ms");
        assert_eq!(moment(1_234_000, 1_000, 2_000_000), "1234 ms");
        assert_eq!(moment(12_340_000, 10_000, 20_000_000), "12.34 s");
        assert_eq!(moment(1_234_567, 1, 2_000_000), "1234.567 ms");
    }
}
