//! Generic components that know nothing about etcd.

pub mod current;
pub mod dialog;
pub mod dropdown;
pub mod explain;
pub mod grid;
pub mod icon;
pub mod later;
mod meter;
mod roving;
pub mod segmented;
pub mod settled;
pub mod shared;
pub mod splitter;
pub mod still;
pub mod tablist;

pub use current::use_current;
pub use dialog::Modal;
pub use dropdown::Dropdown;
pub use explain::Explain;
pub use grid::{Grid, GridRow};
pub use icon::{Glyph, Icon};
pub use later::Later;
pub use meter::meter;
pub use segmented::Segmented;
pub use settled::use_settled;
pub use shared::Shared;
pub use splitter::Splitter;
pub use still::Still;
pub use tablist::Tablist;
