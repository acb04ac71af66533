//! A drawing as data: lines, rectangles, paths and texts, each with a CSS class.
//!
//! A pure function lays out each picture as these marks, which tests inspect; this file turns the marks into SVG.
//! Colours and strokes belong to the classes, in `static/*.css`.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use yew::prelude::*;
use yew::virtual_dom::{VNode, VTag};

use super::geometry::{Point, Rect, Segment, pt};
use super::identity::Identity;
use super::surface::num;
use super::text::{Side, TextBox};

/// One shape or text of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    Line(&'static str, Segment),
    /// A rectangle and the radius of its corners.
    Rect(&'static str, Rect, f64),
    /// A path: the `d` attribute of the element.
    Path(&'static str, String),
    /// A text at its anchor, on its baseline. The class decides which point of the text is the anchor.
    Text(&'static str, Point, String),
    /// A part with an identity, and its marks from back to front.
    Part(Identity, Marks),
}

/// The marks of a drawing or of a part of it, from back to front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks(pub Vec<Mark>);

impl Deref for Marks {
    type Target = Vec<Mark>;

    fn deref(&self) -> &Vec<Mark> {
        &self.0
    }
}

impl DerefMut for Marks {
    fn deref_mut(&mut self) -> &mut Vec<Mark> {
        &mut self.0
    }
}

/// The distance from the middle of a text's height down to its baseline.
pub const BASELINE: f64 = 4.2;

/// A rectangle behind a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plate {
    pub class: &'static str,
    /// The distance from the text to the edges at its sides.
    pub beside: f64,
    above: f64,
    corner: f64,
}

impl Plate {
    /// The opaque plate that hides the lines below a text.
    const OPAQUE: Plate = Plate::new("wg-plate", 4.0, 7.5, 3.0);

    /// Returns a plate whose edges have these distances from the sides of a text and from the middle of its height;
    /// `corner` is the radius of the corners.
    pub const fn new(class: &'static str, beside: f64, above: f64, corner: f64) -> Plate {
        Plate {
            class,
            beside,
            above,
            corner,
        }
    }

    /// Returns the area of the plate if the text begins at `start`, in the middle of its height.
    pub fn area(&self, start: Point, said: &TextBox) -> Rect {
        said.area(start, self.above).grown(self.beside, 0.0)
    }
}

impl Marks {
    pub fn segment(&mut self, class: &'static str, line: Segment) {
        self.push(Mark::Line(class, line));
    }

    pub fn line(&mut self, class: &'static str, from: Point, to: Point) {
        self.segment(class, Segment::new(from, to));
    }

    pub fn level(&mut self, class: &'static str, x1: f64, x2: f64, y: f64) {
        self.line(class, pt(x1, y), pt(x2, y));
    }

    pub fn upright(&mut self, class: &'static str, x: f64, y1: f64, y2: f64) {
        self.line(class, pt(x, y1), pt(x, y2));
    }

    /// Adds a rectangle; `corner` is the radius of its corners.
    pub fn rect(&mut self, class: &'static str, area: Rect, corner: f64) {
        self.push(Mark::Rect(class, area, corner));
    }

    pub fn circle(&mut self, class: &'static str, middle: Point, radius: f64) {
        self.rect(class, Rect::around(middle, radius, radius), radius);
    }

    pub fn path(&mut self, class: &'static str, d: String) {
        self.push(Mark::Path(class, d));
    }

    /// Adds a text at its anchor, on its baseline.
    pub fn text(&mut self, class: &'static str, at: Point, said: impl Into<String>) {
        self.push(Mark::Text(class, at, said.into()));
    }

    /// Adds a text whose height has its middle at `at`.
    pub fn label(&mut self, class: &'static str, at: Point, said: impl Into<String>) {
        self.text(class, at.moved(0.0, BASELINE), said);
    }

    /// Adds a text that begins at `start`, in the middle of its height, and its plate.
    pub fn badge(&mut self, plate: &Plate, class: &'static str, start: Point, said: TextBox) {
        self.rect(plate.class, plate.area(start, &said), plate.corner);
        self.label(class, start, said.text);
    }

    /// Adds a text whose height has its middle at the anchor, and a plate (an opaque rectangle) that hides the lines
    /// below the text.
    pub fn plated(&mut self, class: &'static str, anchor: Point, side: Side, said: TextBox) {
        let start = pt(said.left(anchor.x, side), anchor.y);
        self.badge(&Plate::OPAQUE, class, start, said);
    }

    /// Adds a part with an identity. A part without marks is left out.
    pub fn part(&mut self, identity: Identity, draw: impl FnOnce(&mut Marks)) {
        let mut marks = Marks::default();
        draw(&mut marks);
        if !marks.is_empty() {
            self.push(Mark::Part(identity, marks));
        }
    }

    /// Renders the marks as a picture; a text beside the picture has the same content.
    pub fn svg(&self, class: &'static str, width: f64, height: f64) -> Html {
        let (width, height) = (num(width), num(height));
        html! { <svg {class} {width} {height} aria-hidden="true">{ draw(self) }</svg> }
    }
}

/// Access to the marks of a class, for tests.
#[cfg(test)]
impl Marks {
    /// Returns all marks, including the marks of parts.
    pub fn flat(&self) -> impl Iterator<Item = &Mark> {
        fn add<'a>(marks: &'a Marks, all: &mut Vec<&'a Mark>) {
            for mark in marks.iter() {
                match mark {
                    Mark::Part(_, inner) => add(inner, all),
                    mark => all.push(mark),
                }
            }
        }
        let mut all = Vec::new();
        add(self, &mut all);
        all.into_iter()
    }

    pub fn rects<'a>(&'a self, class: &'a str) -> impl Iterator<Item = Rect> + 'a {
        self.flat().filter_map(move |mark| match mark {
            Mark::Rect(known, area, _) if *known == class => Some(*area),
            _ => None,
        })
    }

    pub fn lines<'a>(&'a self, class: &'a str) -> impl Iterator<Item = Segment> + 'a {
        self.flat().filter_map(move |mark| match mark {
            Mark::Line(known, line) if *known == class => Some(*line),
            _ => None,
        })
    }

    pub fn texts<'a>(&'a self, class: &'a str) -> impl Iterator<Item = (Point, &'a str)> + 'a {
        self.flat().filter_map(move |mark| match mark {
            Mark::Text(known, at, said) if *known == class => Some((*at, said.as_str())),
            _ => None,
        })
    }

    pub fn paths<'a>(&'a self, class: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.flat().filter_map(move |mark| match mark {
            Mark::Path(known, d) if *known == class => Some(d.as_str()),
            _ => None,
        })
    }
}

/// The numbers of the items that the user has selected and focused in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marked {
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

/// Renders marks as SVG, in the given order.
pub fn draw(marks: &[Mark]) -> Html {
    marks.iter().map(element).collect()
}

pub fn element(mark: &Mark) -> Html {
    identified(mark, None)
}

/// Renders a mark with the identity of the part that contains only this mark, so that the part needs no element of its
/// own.
fn identified(mark: &Mark, identity: Option<&Identity>) -> Html {
    let name = identity.map(|identity| identity.name.clone());
    let order = identity.map(|identity| identity.order.to_string());
    let born = identity.and_then(|identity| identity.born);
    let born = born.map(|order| order.to_string());
    let from = identity.and_then(|identity| identity.from.clone());
    let way = identity.and_then(|identity| identity.way);
    let drawn = match mark {
        Mark::Line(class, Segment { from: start, to }) => html! {
            <line class={*class} x1={num(start.x)} y1={num(start.y)} x2={num(to.x)} y2={num(to.y)}
                data-mark={name} data-order={order} data-born={born} data-from={from} data-way={way} />
        },
        Mark::Rect(class, area, corner) => html! {
            <rect class={*class} x={num(area.x)} y={num(area.y)} width={num(area.width.max(0.0))}
                height={num(area.height.max(0.0))} rx={num(*corner)}
                data-mark={name} data-order={order} data-born={born} data-from={from} data-way={way} />
        },
        Mark::Path(class, d) => html! {
            <path class={*class} d={d.clone()}
                data-mark={name} data-order={order} data-born={born} data-from={from} data-way={way} />
        },
        Mark::Text(class, at, text) => html! {
            <text class={*class} x={num(at.x)} y={num(at.y)}
                data-mark={name} data-order={order} data-born={born} data-from={from} data-way={way}>{ text }</text>
        },
        Mark::Part(inner, marks) => match marks.as_slice() {
            [mark] if !matches!(mark, Mark::Part(..)) => return identified(mark, Some(inner)),
            marks => html! {
                <g data-mark={inner.name.clone()} data-order={inner.order.to_string()}
                    data-born={inner.born.map(|order| order.to_string())} data-from={inner.from.clone()}
                    data-way={inner.way}>{ draw(marks) }</g>
            },
        },
    };
    match (drawn, mark, identity) {
        // A part keeps its element, and the element of a part that goes shows no other part.
        (VNode::VTag(tag), Mark::Part(inner, _), _) | (VNode::VTag(tag), _, Some(inner)) => {
            keyed(tag, inner)
        }
        (drawn, ..) => drawn,
    }
}

fn keyed(mut tag: Rc<VTag>, identity: &Identity) -> Html {
    Rc::make_mut(&mut tag).key = Some(identity.name.clone().into());
    VNode::VTag(tag)
}

/// Returns the `d` attribute of a path, from parts like `[("M", &[x, y]), …]`.
pub fn path_data(parts: &[(&str, &[f64])]) -> String {
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

/// Returns the `d` attribute of the lines from point to point.
pub fn polyline(points: &[Point]) -> String {
    let mut d = String::new();
    for (at, point) in points.iter().enumerate() {
        let command = if at == 0 { "M" } else { "L" };
        d.push_str(&path_data(&[(command, &[point.x, point.y])]));
    }
    d
}

/// Returns the `d` attribute of a path in SVG's notation: `svg_path!(M x, y; h width; z)`.
macro_rules! svg_path {
    ($($command:ident $($number:expr),*);+) => {
        $crate::draw::marks::path_data(&[$((stringify!($command), &[$($number),*])),+])
    };
}
pub(crate) use svg_path;

#[cfg(test)]
mod tests {
    use super::super::text::Font;
    use super::*;

    #[test]
    fn paths_are_short() {
        assert_eq!(svg_path!(M 1.0, 2.25; h 3.0; z), "M1 2.3h3z");
    }

    #[test]
    fn a_plate_is_as_wide_as_its_text() {
        let mut marks = Marks::default();
        let said = Font::of(0.5).measure("12345");
        marks.plated("t", pt(100.0, 50.0), Side::Left, said);
        let plate = marks.rects("wg-plate").next().expect("a plate");
        assert_eq!((plate.x, plate.width), (66.0, 38.0));
        assert_eq!(marks.texts("t").next(), Some((pt(70.0, 54.2), "12345")));
    }
}
