//! The stories that come with the engine.

/// A story.
#[derive(Clone, Copy, Debug)]
pub struct Story {
    /// Its name in links; never reused.
    pub name: &'static str,
    /// The scenario file.
    pub text: &'static str,
}

/// All of them, the one that opens first at the front.
pub const ALL: [Story; 1] = [Story {
    name: "two-generations",
    text: include_str!("two_generations.txt"),
}];

/// The story of that name.
pub fn find(name: &str) -> Option<&'static Story> {
    ALL.iter().find(|story| story.name == name)
}
