//! A drawing as data: lines, rectangles, paths and texts, each with a CSS class.
//!
//! A pure function lays out each picture as these marks, which tests inspect; this file turns the marks into SVG.
//! Colours and strokes belong to the classes, in `static/*.css`.

use yew::prelude::*;

use super::surface::num;
use super::text;

/// One shape or text of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A straight line: x1, y1, x2, y2.
    Line(&'static str, [f64; 4]),
    /// A rectangle: x, y, width, height, and the radius of its corners.
    Rect(&'static str, [f64; 5]),
    /// A path.
    Path(&'static str, String),
    /// A text at its anchor. The class decides which point of the text is the anchor.
    Text(&'static str, [f64; 2], String),
}

/// The numbers of the items that the user has selected and focused in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marked {
    /// The item that the inspector shows.
    pub selected: Option<u64>,
    /// The item that has the keyboard focus in the table.
    pub active: Option<u64>,
}

/// Returns a pattern of slanted lines for `<defs>`, with the given size and line width.
pub fn hatch(id: &'static str, size: &'static str, line: &'static str) -> Html {
    html! {
        <pattern {id} width={size} height={size} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width={line} height={size} />
        </pattern>
    }
}

/// Renders marks (lines, shapes and texts) as SVG, in the given order.
pub fn draw(marks: &[Mark]) -> Html {
    marks.iter().map(one).collect()
}

fn one(mark: &Mark) -> Html {
    match mark {
        Mark::Line(class, [x1, y1, x2, y2]) => html! {
            <line class={*class} x1={num(*x1)} y1={num(*y1)} x2={num(*x2)} y2={num(*y2)} />
        },
        Mark::Rect(class, [x, y, width, height, r]) => html! {
            <rect class={*class} x={num(*x)} y={num(*y)} width={num(width.max(0.0))}
                height={num(height.max(0.0))} rx={num(*r)} />
        },
        Mark::Path(class, d) => html! { <path class={*class} d={d.clone()} /> },
        Mark::Text(class, [x, y], text) => html! {
            <text class={*class} x={num(*x)} y={num(*y)}>{ text }</text>
        },
    }
}

/// Returns the `d` attribute of a path, from parts like `[("M", &[x, y]), …]`.
pub fn path(parts: &[(&str, &[f64])]) -> String {
    let mut d = String::new();
    for (command, numbers) in parts {
        d.push_str(command);
        for (at, number) in numbers.iter().enumerate() {
            if at > 0 {
                d.push(' ');
            }
            d.push_str(&num(*number));
        }
    }
    d
}

/// The font size of texts in pictures, in pixels.
pub const FONT: f64 = 12.0;

/// The position of a text relative to its anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The text begins at the anchor.
    Right,
    /// The text is centred at the anchor.
    Middle,
    /// The text ends at the anchor.
    Left,
}

/// Returns the left edge and the width of a text.
pub fn extent(said: &str, x: f64, side: Side, advance: f64) -> (f64, f64) {
    let width = text::cells(said) as f64 * advance * FONT;
    let left = match side {
        Side::Right => x,
        Side::Middle => x - width / 2.0,
        Side::Left => x - width,
    };
    (left, width)
}

/// Returns a text and a rectangle behind it (a plate) that hides the lines below the text. `y` is the middle of the
/// text's height.
pub fn plated(
    class: &'static str,
    plate: &'static str,
    at: (f64, f64),
    side: Side,
    said: String,
    advance: f64,
) -> [Mark; 2] {
    let (left, width) = extent(&said, at.0, side, advance);
    [
        Mark::Rect(plate, [left - 4.0, at.1 - 7.5, width + 8.0, 15.0, 3.0]),
        Mark::Text(class, [left, at.1 + 4.2], said),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_short() {
        assert_eq!(
            path(&[("M", &[1.0, 2.25]), ("h", &[3.0]), ("z", &[])]),
            "M1 2.3h3z"
        );
    }

    #[test]
    fn a_plate_is_as_wide_as_its_text() {
        let [
            Mark::Rect(_, [x, _, width, _, _]),
            Mark::Text(_, [at, _], _),
        ] = plated("t", "p", (100.0, 50.0), Side::Left, "12345".to_owned(), 0.5)
        else {
            panic!("a plate and a text");
        };
        assert_eq!((x, width, at), (66.0, 38.0, 70.0));
    }
}
