//! Services of the browser that know nothing of the page's state.

pub mod clipboard;
pub mod file;
