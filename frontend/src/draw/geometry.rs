//! Points, lines and rectangles of pictures. All lengths are in pixels; y grows downwards.

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

pub const fn pt(x: f64, y: f64) -> Point {
    Point { x, y }
}

impl Point {
    pub fn towards(self, to: Point, share: f64) -> Point {
        pt(
            self.x + (to.x - self.x) * share,
            self.y + (to.y - self.y) * share,
        )
    }

    pub fn moved(self, right: f64, down: f64) -> Point {
        pt(self.x + right, self.y + down)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    pub from: Point,
    pub to: Point,
}

impl Segment {
    pub const fn new(from: Point, to: Point) -> Segment {
        Segment { from, to }
    }

    pub fn at(self, share: f64) -> Point {
        self.from.towards(self.to, share)
    }

    /// Returns the beginning of the line, up to a share of the length.
    pub fn upto(self, share: f64) -> Segment {
        Segment::new(self.from, self.at(share))
    }

    /// Returns the horizontal and the vertical distance from the beginning to the end.
    pub fn size(self) -> (f64, f64) {
        (self.to.x - self.from.x, self.to.y - self.from.y)
    }

    /// Returns the direction as a vector of length 1.
    pub fn direction(self) -> (f64, f64) {
        let (dx, dy) = self.size();
        let length = dx.hypot(dy).max(1e-6);
        (dx / length, dy / length)
    }

    /// Returns true if the line crosses a rectangle (Liang-Barsky clipping).
    pub fn crosses(self, area: Rect) -> bool {
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        let (dx, dy) = self.size();
        for (start, step, least, most) in [
            (self.from.x, dx, area.x, area.right()),
            (self.from.y, dy, area.y, area.bottom()),
        ] {
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
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub const fn new(x: f64, y: f64, width: f64, height: f64) -> Rect {
        Rect {
            x,
            y,
            width,
            height,
        }
    }

    /// Returns the rectangle between its upper left and its lower right corner.
    pub fn between(from: Point, to: Point) -> Rect {
        Rect::new(from.x, from.y, to.x - from.x, to.y - from.y)
    }

    pub fn around(middle: Point, half_width: f64, half_height: f64) -> Rect {
        let (x, y) = (middle.x - half_width, middle.y - half_height);
        Rect::new(x, y, 2.0 * half_width, 2.0 * half_height)
    }

    pub fn right(self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(self) -> f64 {
        self.y + self.height
    }

    /// Returns the rectangle with its vertical edges moved outwards by `across` and its horizontal edges by `down`.
    pub fn grown(self, across: f64, down: f64) -> Rect {
        let (x, y) = (self.x - across, self.y - down);
        Rect::new(x, y, self.width + 2.0 * across, self.height + 2.0 * down)
    }

    pub fn overlaps(self, other: Rect) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    pub fn holds(self, other: Rect) -> bool {
        other.x >= self.x
            && other.y >= self.y
            && other.right() <= self.right()
            && other.bottom() <= self.bottom()
    }

    /// Returns true if the point is in the rectangle, and not on its right or lower edge.
    pub fn contains(self, point: Point) -> bool {
        (self.x..self.right()).contains(&point.x) && (self.y..self.bottom()).contains(&point.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_areas() {
        let area = Rect::new(10.0, 10.0, 20.0, 10.0);
        let crosses = |x1, y1, x2, y2| Segment::new(pt(x1, y1), pt(x2, y2)).crosses(area);
        assert!(crosses(0.0, 0.0, 40.0, 30.0));
        assert!(crosses(15.0, 0.0, 15.0, 40.0));
        assert!(!crosses(0.0, 0.0, 40.0, 0.0));
        assert!(!crosses(0.0, 30.0, 9.0, 12.0));
        assert!(area.overlaps(Rect::new(29.0, 19.0, 5.0, 5.0)));
        assert!(!area.overlaps(Rect::new(30.0, 10.0, 5.0, 5.0)));
    }
}
