//! The texts of an opened database file.
