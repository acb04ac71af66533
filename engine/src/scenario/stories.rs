//! The published stories. Each story is also a behaviour file, so its outputs are tested.

use super::included::{Included, included};

/// All stories. The page initially opens the first story.
pub static ALL: [Included; 4] = included![
    "../../tests/behaviour/stories":
    "two-generations",
    "slow-client",
    "list-and-watch",
    "at-a-glance",
];
