//! The lessons that come with the engine.

/// A lesson's text.
#[derive(Clone, Copy, Debug)]
pub struct LessonText {
    /// Its name in links; never reused.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

/// All of them, in the order in which they are taught.
pub const ALL: [LessonText; 7] = [
    LessonText {
        name: "L01",
        text: include_str!("L01.txt"),
    },
    LessonText {
        name: "L02",
        text: include_str!("L02.txt"),
    },
    LessonText {
        name: "L04",
        text: include_str!("L04.txt"),
    },
    LessonText {
        name: "L05",
        text: include_str!("L05.txt"),
    },
    LessonText {
        name: "L08",
        text: include_str!("L08.txt"),
    },
    LessonText {
        name: "L10",
        text: include_str!("L10.txt"),
    },
    LessonText {
        name: "L17",
        text: include_str!("L17.txt"),
    },
];

/// The lesson of that name.
pub fn find(name: &str) -> Option<&'static LessonText> {
    ALL.iter().find(|lesson| lesson.name == name)
}
