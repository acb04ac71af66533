//! Places labels so that no line crosses a text and no label covers another.

use super::geometry::{Point, Rect, Segment, pt};
use super::text::{Side, TextBox};

/// The space on both sides of a vertical line that a label must not touch.
const CLEAR: f64 = 5.0;
/// The distance between two labels beside each other, so that they do not read as one label.
const APART: f64 = 10.0;
/// The space at both sides of a label that no line crosses.
const BESIDE: f64 = 3.0;
/// Half the height of a line of text, including some space.
pub const HALF: f64 = 8.5;

/// The possible positions of a label along its line, as fractions of the line's length, in the order of preference.
pub const ALONG: [f64; 7] = [0.5, 0.38, 0.62, 0.26, 0.74, 0.16, 0.84];
/// The possible positions of a label at the end of its line.
pub const AT_END: [f64; 4] = [1.0, 0.9, 0.8, 0.7];

/// The room of a picture, and what labels must avoid in it.
#[derive(Clone, Debug, Default)]
pub struct Placer {
    /// The area that contains all labels beside lines.
    pub bounds: Rect,
    /// The lines that no label crosses.
    pub lines: Vec<Segment>,
    /// The areas of labels and of other marks.
    pub areas: Vec<Rect>,
    /// The areas and the line that a label avoids if there is room elsewhere.
    pub soft_areas: Vec<Rect>,
    pub soft_line: Option<Segment>,
}

/// What a label may cover if it has no room elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    Nothing,
    SoftAreas,
    SoftLine,
}

impl Placer {
    /// Returns a placer of labels between vertical lines.
    pub fn between(lines: &[f64]) -> Placer {
        let area = |x: &f64| Rect::new(x - CLEAR, 0.0, 2.0 * CLEAR, 1.0);
        Placer {
            areas: lines.iter().map(area).collect(),
            ..Placer::default()
        }
    }

    pub fn is_free(&self, area: Rect) -> bool {
        !self.areas.iter().any(|other| other.overlaps(area))
    }

    /// Reserves an area if it is free; returns true on success.
    pub fn take(&mut self, area: Rect) -> bool {
        let is_free = self.is_free(area);
        if is_free {
            self.areas.push(area);
        }
        is_free
    }

    /// Reserves a range of the only row of labels, if it is free; returns true on success.
    pub fn take_span(&mut self, from: f64, to: f64) -> bool {
        self.take(Rect::new(from, 0.0, to - from, 1.0))
    }

    /// Returns the leftmost left edge at which a label of this width fits between `from` and `to`, in a single row. The
    /// areas are sorted.
    pub fn leftmost(&self, width: f64, from: f64, to: f64) -> Option<f64> {
        let mut x = from;
        for area in &self.areas {
            if area.x < x + width && x < area.right() {
                x = area.right();
            }
        }
        (x + width <= to).then_some(x)
    }

    /// Finds a free place for a label beside a line and reserves the place. `shares` are the possible positions along
    /// the line. Returns the left end of the label, in the middle of its height.
    pub fn beside(
        &mut self,
        line: Segment,
        shares: &[f64],
        said: &TextBox,
        over: Over,
    ) -> Option<Point> {
        let (dx, dy) = line.size();
        for share in shares {
            let on = line.at(*share);
            // A flat line has its label above or below, a steep line at its sides.
            let spots = if dy.abs() < dx.abs() * 0.35 {
                [-12.0, 12.0].map(|by| (on.moved(0.0, by), Side::Middle))
            } else {
                let away = 8.0 + HALF * (dx / dy).abs();
                [(away, Side::Right), (-away, Side::Left)]
                    .map(|(by, side)| (on.moved(by, 0.0), side))
            };
            for (at, side) in spots {
                let start = pt(said.left(at.x, side), at.y);
                let area = said.area(start, HALF).grown(BESIDE, 0.0);
                // No other line may be between a label and its own line, because the label would seem to belong to the
                // other line.
                let corner = pt(on.x.min(at.x), on.y.min(at.y));
                let between =
                    Rect::new(corner.x, corner.y, (on.x - at.x).abs(), (on.y - at.y).abs());
                let mut lines = self.lines.iter().chain(&self.soft_line);
                let is_alone = !lines.any(|other| *other != line && other.crosses(between));
                if is_alone && self.has_room(area, over) {
                    self.areas.push(area.grown(APART - BESIDE, 0.0));
                    return Some(start);
                }
            }
        }
        None
    }

    fn has_room(&self, area: Rect, over: Over) -> bool {
        let is_crossed = |line: &Segment| line.crosses(area);
        self.bounds.holds(area)
            && self.is_free(area)
            && !self.lines.iter().any(is_crossed)
            && (over == Over::SoftAreas || !self.soft_areas.iter().any(|soft| soft.overlaps(area)))
            && (over == Over::SoftLine || !self.soft_line.iter().any(is_crossed))
    }
}

/// Places labels between two edges so that no label covers another. Each label belongs to a vertical line. The function
/// takes `(x of the line, width of the label)` from left to right, and returns `(left edge, width)`. A label is centred
/// at its line, unless two labels would overlap. In this case, the left label ends at its line and the right label
/// begins at its line, if there is room.
pub fn side_by_side(wanted: &[(f64, f64)], left: f64, right: f64) -> Vec<(f64, f64)> {
    const GAP: f64 = 6.0;
    let centred = |(middle, width): &(f64, f64)| (middle - width / 2.0, *width);
    let mut placed: Vec<(f64, f64)> = wanted.iter().map(centred).collect();
    if let [(first, _), (second, _)] = wanted
        && placed[0].0 + placed[0].1 + GAP > placed[1].0
    {
        placed[0].0 = (first + 1.0 - placed[0].1).min(placed[0].0);
        placed[1].0 = (second - 1.0).max(placed[0].0 + placed[0].1 + GAP);
    }
    let mut edge = left;
    for plate in &mut placed {
        plate.0 = plate.0.max(edge);
        edge = plate.0 + plate.1 + GAP;
    }
    let mut edge = right;
    for plate in placed.iter_mut().rev() {
        plate.0 = plate.0.min(edge - plate.1);
        edge = plate.0 - GAP;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::super::text::Font;
    use super::*;

    #[test]
    fn a_label_steps_aside() {
        let at =
            |width: f64, lines: &[f64], to: f64| Placer::between(lines).leftmost(width, 100.0, to);
        assert_eq!(at(98.0, &[], 300.0), Some(100.0));
        assert_eq!(at(98.0, &[120.0], 300.0), Some(125.0));
        assert_eq!(at(98.0, &[90.0, 210.0], 300.0), Some(100.0));
        assert_eq!(at(98.0, &[140.0], 190.0), None);
        assert_eq!(at(14.0, &[140.0], 190.0), Some(100.0));
        assert_eq!(at(14.0, &[], 110.0), None);
    }

    #[test]
    fn plates_do_not_cover_each_other() {
        for (a, b) in [(50.0, 60.0), (10.0, 12.0), (290.0, 295.0), (100.0, 240.0)] {
            let placed = side_by_side(&[(a, 90.0), (b, 80.0)], 0.0, 300.0);
            assert!(placed[0].0 + placed[0].1 < placed[1].0, "{placed:?}");
            assert!(
                placed[0].0 >= 0.0 && placed[1].0 + placed[1].1 <= 300.0,
                "{placed:?}"
            );
        }
        assert_eq!(side_by_side(&[(100.0, 40.0)], 0.0, 300.0), [(80.0, 40.0)]);
    }

    const BOUNDS: Rect = Rect::new(132.0, 34.0, 800.0, 374.0);

    /// Returns a line from the top to the bottom of [`BOUNDS`].
    fn steep(from: f64, to: f64) -> Segment {
        Segment::new(pt(from, BOUNDS.y), pt(to, BOUNDS.bottom()))
    }

    #[test]
    fn a_label_covers_a_soft_area_only_if_it_may() {
        let column = |x: f64| Rect::new(x, BOUNDS.y, 38.0, BOUNDS.height);
        let mut placer = Placer {
            bounds: BOUNDS,
            soft_areas: vec![column(460.0), column(512.0)],
            ..Placer::default()
        };
        let said = Font::of(0.602).measure("LIST");
        let mut place = |over| placer.beside(steep(500.0, 510.0), &ALONG, &said, over);
        assert_eq!(place(Over::Nothing), None);
        assert!(place(Over::SoftAreas).is_some());
    }

    #[test]
    fn a_label_covers_the_soft_line_only_if_it_may() {
        let mut placer = Placer {
            bounds: BOUNDS,
            lines: vec![steep(836.0, 838.0)],
            soft_line: Some(steep(872.0, 872.0)),
            ..Placer::default()
        };
        let said = Font::of(0.602).measure("progress");
        let mut place = |over| placer.beside(steep(840.0, 850.0), &ALONG, &said, over);
        assert_eq!([Over::Nothing, Over::SoftAreas].map(&mut place), [None; 2]);
        let start = place(Over::SoftLine).expect("a place");
        assert!(840.0 < start.x && start.x < 872.0);
    }
}
