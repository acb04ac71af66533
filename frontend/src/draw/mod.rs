//! The drawing kit: pictures as data. A picture is a list of [`Marks`] that a pure function makes from a view model and
//! the [`Room`] of its stage; texts are measured with a [`Font`], and a [`Placer`] finds places for labels.
//!
//! [`surface`] and [`tokens`] use the browser; all other files are pure and tested natively.

pub mod axis;
pub mod enlarge;
pub mod geometry;
pub mod identity;
pub mod marks;
pub mod placer;
pub mod scale;
pub mod shapes;
pub mod surface;
pub mod text;
pub mod tokens;

pub use axis::Room;
pub use geometry::{Point, Rect, Segment, pt};
pub use identity::{Identity, order};
pub(crate) use marks::svg_path;
pub use marks::{Mark, Marked, Marks, Plate};
pub use placer::Placer;
pub use scale::RevScale;
pub use text::{Font, Side, TextBox};
