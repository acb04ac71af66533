//! The texts of the Lab.
