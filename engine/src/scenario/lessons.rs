//! The published lessons and challenges: their names, headers and, in native programs, texts.

use super::included::{Included, included};

/// All lessons, in teaching order.
pub static ALL: [Included; 21] = included![
    "lessons": "L01", "L02", "L04", "L05", "L03", "L07", "L08", "L09", "L10", "L11", "L12", "L21", "L22", "L13",
    "L14", "L16", "L17", "L18", "L19", "L20", "L06"
];

/// All challenges, the easy ones first.
pub static CHALLENGES: [Included; 13] = included![
    "lessons": "two-keys", "three-versions", "two-lives", "one-revision", "swept", "renamed", "short-history",
    "second-life", "no-trace", "last-tombstone", "woven", "cut-off", "stale-list"
];
