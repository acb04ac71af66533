//! The texts of the terminal.
