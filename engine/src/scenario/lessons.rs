//! The published lessons: their names, headers and, in native programs, texts.

use super::included::{Included, included};

/// All lessons, in teaching order.
pub static ALL: [Included; 14] = included![
    "lessons": "L01", "L02", "L04", "L05", "L03", "L07", "L08", "L09", "L10", "L11", "L12", "L21", "L17", "L06"
];
