//! The stories that come with the engine. A story about more than the first steps is a behaviour
//! file as well: what it tells is tested with the rest.

use super::included::Included;

/// All of them, the one that opens first at the front.
pub static ALL: [Included; 4] = [
    Included::new("two-generations", include_str!("two_generations.txt")),
    Included::new(
        "slow-client",
        include_str!("../../../tests/behaviour/watch/a_slow_client.txt"),
    ),
    Included::new(
        "list-and-watch",
        include_str!("../../../tests/behaviour/watch/list_and_watch.txt"),
    ),
    Included::new(
        "at-a-glance",
        include_str!(
            "../../../tests/behaviour/mvcc/every_moment_since_the_compaction_can_be_read.txt"
        ),
    ),
];
