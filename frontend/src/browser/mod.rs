//! Services of the browser that do not use the page's state.

pub mod clipboard;
pub mod file;
