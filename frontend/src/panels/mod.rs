//! One folder or file per panel: a view of the engine's models, and the actions it offers.

pub mod index;
pub mod inspector;
