//! The texts of the Index view.
