//! The texts of embedded figures.
