//! The texts of lessons.
