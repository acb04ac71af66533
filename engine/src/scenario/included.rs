//! The published stories and lessons. Each entry contains the name that links use, and the head of the file (its header
//! lines).
//!
//! When a run needs the text of a story or lesson, the page fetches the text. The wasm program therefore contains only
//! the heads, from which it draws menus and lists. Native programs also contain the texts.

/// A story or a lesson.
#[derive(Clone, Copy, Debug)]
pub struct Included {
    /// The name that links use. A name is never reused for another text.
    pub name: &'static str,
    /// The header lines `#! key: value` of the file.
    head: &'static str,
    /// The number of steps, predictions and tasks in the file; 0 for a story.
    pub parts: u32,
    /// The complete text of the file.
    #[cfg(not(target_family = "wasm"))]
    pub text: &'static str,
}

impl Included {
    pub(super) const fn new(
        name: &'static str,
        head: &'static str,
        parts: u32,
        #[cfg(not(target_family = "wasm"))] text: &'static str,
    ) -> Self {
        Self {
            name,
            head,
            parts,
            #[cfg(not(target_family = "wasm"))]
            text,
        }
    }

    /// Returns the value of a line `#! key: value`; empty if the head has no such line.
    pub fn header(&self, key: &str) -> &'static str {
        let mut lines = self.head.lines();
        let value = lines.find_map(|line| {
            let line = line.strip_prefix("#! ")?.strip_prefix(key)?;
            line.strip_prefix(": ")
        });
        value.unwrap_or_default()
    }
}

pub fn find<'a>(all: &'a [Included], name: &str) -> Option<&'a Included> {
    all.iter().find(|one| one.name == name)
}

/// Makes an array of the named files in a folder. The compiler copies only the heads into a wasm program, not the
/// texts.
macro_rules! included {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        [$({
            const TEXT: &str = include_str!(concat!($folder, "/", $name, ".txt"));
            const HEAD: [u8; $crate::scenario::included::head_bytes(TEXT)] =
                $crate::scenario::included::first_bytes(TEXT);
            const HEAD_TEXT: &str = match std::str::from_utf8(&HEAD) {
                Ok(head) => head,
                Err(_) => panic!("the head ends between two lines"),
            };
            // A constant of its own: the compiler limits the work for each constant.
            const PARTS: u32 = $crate::scenario::included::parts(TEXT);
            Included::new(
                $name,
                HEAD_TEXT,
                PARTS,
                #[cfg(not(target_family = "wasm"))]
                TEXT,
            )
        }),+]
    };
}
pub(super) use included;

/// Returns the number of bytes before the first empty line.
pub(super) const fn head_bytes(text: &str) -> usize {
    let text = text.as_bytes();
    let mut at = 0;
    while at + 1 < text.len() && !(text[at] == b'\n' && text[at + 1] == b'\n') {
        at += 1;
    }
    at
}

pub(super) const fn first_bytes<const N: usize>(text: &str) -> [u8; N] {
    let mut first = [0; N];
    let mut at = 0;
    while at < N {
        first[at] = text.as_bytes()[at];
        at += 1;
    }
    first
}

/// Counts the lines of a lesson that start a step, a prediction or a task.
pub(super) const fn parts(text: &str) -> u32 {
    let text = text.as_bytes();
    let (mut parts, mut at) = (0, 0);
    while at < text.len() {
        let begins = text[at] == b'\n'
            && (has_at(text, at, b"\n#: step ")
                || has_at(text, at, b"\n#: predict ")
                || has_at(text, at, b"\n#: task "));
        if begins {
            parts += 1;
        }
        at += 1;
    }
    parts
}

const fn has_at(text: &[u8], from: usize, word: &[u8]) -> bool {
    let mut at = 0;
    while at < word.len() {
        if from + at >= text.len() || text[from + at] != word[at] {
            return false;
        }
        at += 1;
    }
    true
}
