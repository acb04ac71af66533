//! The texts of the Messages view.
