//! Functions that several pictures use: the axis of revisions, the width of text, colours for a canvas.
//!
//! [`scale`] and [`text`] are pure and tested natively; [`surface`] and [`tokens`] use the browser.

pub mod enlarge;
pub mod labels;
pub mod marks;
pub mod scale;
pub mod surface;
pub mod text;
pub mod tokens;
