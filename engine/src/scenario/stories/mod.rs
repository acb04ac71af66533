//! The stories that come with the engine. A story about more than the first steps is a behaviour
//! file as well: what it tells is tested with the rest.

/// A story.
#[derive(Clone, Copy, Debug)]
pub struct Story {
    /// Its name in links; never reused.
    pub name: &'static str,
    /// The scenario file.
    pub text: &'static str,
}

/// All of them, the one that opens first at the front.
pub const ALL: [Story; 4] = [
    Story {
        name: "two-generations",
        text: include_str!("two_generations.txt"),
    },
    Story {
        name: "slow-client",
        text: include_str!("../../../tests/behaviour/watch/a_slow_client.txt"),
    },
    Story {
        name: "list-and-watch",
        text: include_str!("../../../tests/behaviour/watch/list_and_watch.txt"),
    },
    Story {
        name: "at-a-glance",
        text: include_str!(
            "../../../tests/behaviour/mvcc/every_moment_since_the_compaction_can_be_read.txt"
        ),
    },
];

/// The story of that name.
pub fn find(name: &str) -> Option<&'static Story> {
    ALL.iter().find(|story| story.name == name)
}
