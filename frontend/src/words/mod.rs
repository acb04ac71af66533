//! All texts of the page: whole sentences as functions with typed arguments, one file for each panel. Panels contain
//! only commands, names of keys and other data.
//!
//! [`en`] is the only language. Another language is another module with the same functions. `cargo xtask
//! pseudo` builds the page with a pseudo-language, in which accented letters replace the letters of all texts of this
//! module, and finds texts that are elsewhere.

mod en;

pub use en::*;
