//! The texts of the top bar.
