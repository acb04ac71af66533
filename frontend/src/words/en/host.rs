//! The texts of the engine's host and its failures.
