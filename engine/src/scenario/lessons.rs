//! The published lessons: their names, headers and, in native programs, texts.

use super::included::{Included, included};

/// All lessons, in teaching order.
pub static ALL: [Included; 8] =
    included!["lessons": "L01", "L02", "L04", "L05", "L06", "L08", "L10", "L17"];
