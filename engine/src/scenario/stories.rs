//! The stories that the project publishes. Each is a behaviour file as well: what it tells is tested with the rest.

use super::included::{Included, included};

/// All stories, the one that opens first at the front.
pub static ALL: [Included; 4] = included![
    "../../tests/behaviour/stories":
    "two-generations",
    "slow-client",
    "list-and-watch",
    "at-a-glance",
];
