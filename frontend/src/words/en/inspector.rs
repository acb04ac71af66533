//! The texts of the inspector.
