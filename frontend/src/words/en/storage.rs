//! The texts of the Storage view.
