//! Generic parts that know nothing of etcd.

pub mod dialog;
pub mod dropdown;
pub mod icon;

pub use dialog::Modal;
pub use dropdown::Dropdown;
pub use icon::{Glyph, Icon};
