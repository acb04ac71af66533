//! Finds places for the labels of messages. A label is beside the line of its message and does not cross other lines or
//! labels.

use super::plan::Plan;
use crate::draw::marks::{Side, extent};

/// A straight line that no label may cross: x1, y1, x2, y2.
pub type Segment = [f64; 4];
/// A rectangle: x, y, width, height.
pub type Area = [f64; 4];

/// The lines and areas that the labels of messages must avoid.
#[derive(Clone, Debug, Default)]
pub struct Obstacles {
    /// Lines.
    pub lines: Vec<Segment>,
    /// The rectangles of labels and of other marks.
    pub areas: Vec<Area>,
    /// Skipped periods, which labels avoid if there is room elsewhere.
    pub folds: Vec<Area>,
    /// The line at the current time, which labels avoid if there is room elsewhere.
    pub now: Option<Segment>,
}

/// The mark that a label may cover if it has no room elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The label covers nothing.
    Nothing,
    /// The label may cover skipped periods.
    Folds,
    /// The label may cover the line at the current time.
    Now,
}

/// The possible positions of a label along its line, as fractions of the line's length, in the order of preference.
pub const ALONG: [f64; 7] = [0.5, 0.38, 0.62, 0.26, 0.74, 0.16, 0.84];
/// The possible positions of a label at the end of its line.
pub const AT_END: [f64; 4] = [1.0, 0.9, 0.8, 0.7];
/// The distance between two labels beside each other, so that they do not read as one label.
const APART: f64 = 10.0;
/// Half the height of a line of text, including some space.
pub const HALF: f64 = 8.5;

impl Obstacles {
    /// Finds a free place for a label beside a line and reserves the place. `shares` are the possible positions along
    /// the line. Returns the x coordinate of the label's left edge and the y coordinate of its middle, or `None` if
    /// there is no place.
    pub fn place(
        &mut self,
        plan: &Plan,
        line: Segment,
        shares: &[f64],
        said: &str,
        over: Over,
    ) -> Option<(f64, f64)> {
        let [x1, y1, x2, y2] = line;
        for share in shares {
            let (x, y) = (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share);
            // A flat line has its label above or below, a steep line at its sides.
            let flat = (y2 - y1).abs() < (x2 - x1).abs() * 0.35;
            let spots = if flat {
                [(x, y - 12.0, Side::Middle), (x, y + 12.0, Side::Middle)]
            } else {
                let away = 8.0 + HALF * ((x2 - x1) / (y2 - y1)).abs();
                [(x + away, y, Side::Right), (x - away, y, Side::Left)]
            };
            for (beside, above, side) in spots {
                let (left, width) = extent(said, beside, side, plan.advance);
                let area = [left - 3.0, above - HALF, width + 6.0, 2.0 * HALF];
                // No other line may be between a label and its own line, because the label would seem to belong to the
                // other line.
                let between = [
                    x.min(beside),
                    y.min(above),
                    (x - beside).abs(),
                    (y - above).abs(),
                ];
                let avoids = |fold: &Area| over == Over::Folds || !overlaps(area, *fold);
                let avoids_now = |now: Segment| over == Over::Now || !crosses(now, area);
                if self.is_free(plan, area)
                    && self.is_next_to(line, between)
                    && self.folds.iter().all(avoids)
                    && self.now.is_none_or(avoids_now)
                {
                    let [x, y, width, height] = area;
                    let beside = APART - 3.0;
                    let around = [x - beside, y, width + 2.0 * beside, height];
                    self.areas.push(around);
                    return Some((left, above));
                }
            }
        }
        None
    }

    /// Returns true if no line other than `own` crosses an area.
    fn is_next_to(&self, own: Segment, area: Area) -> bool {
        let all = self.lines.iter().chain(&self.now);
        let mut others = all.filter(|line| **line != own);
        !others.any(|line| crosses(*line, area))
    }

    fn is_free(&self, plan: &Plan, area: Area) -> bool {
        let [x, y, width, height] = area;
        let (first, last) = plan.ends();
        let (near, far) = plan.sides();
        let (from, to) = if plan.down {
            ((near, first), (far, last))
        } else {
            ((first, near), (last, far))
        };
        let inside = x >= from.0 && y >= from.1 && x + width <= to.0 && y + height <= to.1;
        inside && self.is_clear(area) && !self.lines.iter().any(|line| crosses(*line, area))
    }

    /// Returns true if no reserved area overlaps this area.
    pub fn is_clear(&self, area: Area) -> bool {
        !self.areas.iter().any(|other| overlaps(area, *other))
    }
}

/// Returns true if two areas overlap.
pub fn overlaps(a: Area, b: Area) -> bool {
    a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3]
}

/// Returns true if a line crosses an area (Liang-Barsky clipping).
pub fn crosses([x1, y1, x2, y2]: Segment, [x, y, width, height]: Area) -> bool {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (start, step, least, most) in [(x1, x2 - x1, x, x + width), (y1, y2 - y1, y, y + height)] {
        if step.abs() < 1e-9 {
            if start < least || start > most {
                return false;
            }
            continue;
        }
        let (a, b) = ((least - start) / step, (most - start) / step);
        from = from.max(a.min(b));
        to = to.min(a.max(b));
    }
    from <= to
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the division of a wide drawing, and its edges across the time axis.
    fn plan() -> (Plan, f64, f64) {
        let view = super::super::fixture::traffic();
        let plan = Plan::new(&view, 936.0, 420.0, 0.602);
        let (near, far) = plan.sides();
        (plan, near, far)
    }

    #[test]
    fn a_label_covers_a_skipped_period_only_if_it_may() {
        let (plan, near, far) = plan();
        let line = [500.0, near + 40.0, 510.0, far - 40.0];
        let mut obstacles = Obstacles {
            folds: vec![
                [460.0, near, 38.0, far - near],
                [512.0, near, 38.0, far - near],
            ],
            ..Obstacles::default()
        };
        assert_eq!(
            obstacles.place(&plan, line, &ALONG, "LIST", Over::Nothing),
            None
        );
        let place = obstacles.place(&plan, line, &ALONG, "LIST", Over::Folds);
        assert!(place.is_some());
    }

    #[test]
    fn a_label_covers_the_line_at_the_current_time_only_if_it_may() {
        let (plan, near, far) = plan();
        let line = [840.0, near + 40.0, 850.0, far - 40.0];
        let mut obstacles = Obstacles {
            lines: vec![[836.0, near, 838.0, far]],
            now: Some([872.0, near, 872.0, far]),
            ..Obstacles::default()
        };
        let mut place = |over| obstacles.place(&plan, line, &ALONG, "progress", over);
        assert_eq!([Over::Nothing, Over::Folds].map(&mut place), [None; 2]);
        let (left, _) = place(Over::Now).expect("a place");
        assert!(line[0] < left && left < 872.0);
    }

    #[test]
    fn lines_and_areas() {
        let area = [10.0, 10.0, 20.0, 10.0];
        assert!(crosses([0.0, 0.0, 40.0, 30.0], area));
        assert!(crosses([15.0, 0.0, 15.0, 40.0], area));
        assert!(!crosses([0.0, 0.0, 40.0, 0.0], area));
        assert!(!crosses([0.0, 30.0, 9.0, 12.0], area));
        assert!(overlaps(area, [29.0, 19.0, 5.0, 5.0]));
        assert!(!overlaps(area, [30.0, 10.0, 5.0, 5.0]));
    }
}
