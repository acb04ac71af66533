//! The texts of the Watch view.
