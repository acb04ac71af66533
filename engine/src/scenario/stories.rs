//! The stories that the project publishes. Each is a behaviour file as well: what it tells is tested with the rest.

use super::included::{Included, included};

/// All stories, with the initial story first.
pub static ALL: [Included; 4] = included![
    "../../tests/behaviour/stories":
    "two-generations",
    "slow-client",
    "list-and-watch",
    "at-a-glance",
];
