//! The texts of the Cache view.
