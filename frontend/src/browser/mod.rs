//! Services of the browser that do not use the page's state.

pub mod address;
pub mod clipboard;
pub mod file;
pub mod picture;
