//! The texts of the timeline.
