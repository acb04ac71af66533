//! Places labels so that no line crosses a text and no label covers another.

/// The x coordinate of a vertical line that a label must not touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blocker(pub f64);

/// The clear space on both sides of a line, in pixels.
const CLEAR: f64 = 5.0;

/// Returns the leftmost left edge at which a label of the given width fits between `from` and `to` without touching a
/// line; `None` if there is no such place. The lines are sorted.
pub fn place(width: f64, from: f64, to: f64, blockers: &[Blocker]) -> Option<f64> {
    let mut x = from;
    for Blocker(line) in blockers {
        if *line + CLEAR <= x || *line - CLEAR >= x + width {
            continue;
        }
        x = line + CLEAR;
    }
    (x + width <= to).then_some(x)
}

/// Places labels between two edges so that no label covers another. Each label belongs to a vertical line. The function
/// takes `(x of the line, width of the label)` from left to right, and returns `(left edge, width)`. A label is centred
/// at its line, unless two labels would overlap. In this case, the left label ends at its line and the right label
/// begins at its line, if there is room.
pub fn side_by_side(wanted: &[(f64, f64)], left: f64, right: f64) -> Vec<(f64, f64)> {
    const GAP: f64 = 6.0;
    let mut placed: Vec<(f64, f64)> = wanted
        .iter()
        .map(|(middle, width)| (middle - width / 2.0, *width))
        .collect();
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
    use super::*;

    #[test]
    fn a_label_steps_aside() {
        let at = |width: f64, lines: &[f64], to: f64| {
            let lines: Vec<Blocker> = lines.iter().copied().map(Blocker).collect();
            place(width, 100.0, to, &lines)
        };
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
}
