//! Checks that no two types have the same name, so that a name always means one type.
//!
//! Private types are exempt. Types in different programs may share a name, for example a type in xtask and a type in
//! the simulator. Types in `bbolt/` may share a name with other types, because they have the names of the library that
//! this folder mirrors.

use std::collections::BTreeMap;

use super::source::{is_word, mask};
use super::{File, Violation};

/// The keywords that begin the definition of a type.
const KEYWORDS: [&str; 4] = ["struct ", "enum ", "trait ", "type "];

/// The folders of separate programs, each with a name for the program. If a file is in several of these folders, the
/// first of them in the list counts.
const PROGRAMS: [(&str, &str); 4] = [
    ("engine/src/bbolt/", "bbolt"),
    ("engine/src/", "simulator"),
    ("frontend/src/", "simulator"),
    ("xtask/src/", "xtask"),
];

/// The place where a type is defined.
struct Definition {
    path: String,
    line: usize,
}

/// The types that can be named outside their file.
#[derive(Default)]
pub(super) struct Names(BTreeMap<(&'static str, String), Vec<Definition>>);

impl Names {
    /// Records the types that a file declares.
    pub(super) fn read(&mut self, file: &File) {
        let program = PROGRAMS
            .iter()
            .find(|(folder, _)| file.path.starts_with(folder));
        let Some((_, program)) = program else {
            return;
        };
        for (index, line) in mask(&file.text).code.lines().enumerate() {
            if let Some(name) = type_of(line) {
                let definitions = self.0.entry((program, name.to_owned())).or_default();
                definitions.push(Definition {
                    path: file.path.clone(),
                    line: index + 1,
                });
            }
        }
    }

    /// Returns a violation for each group of types with the same name.
    pub(super) fn violations(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        for ((_, name), definitions) in &self.0 {
            let Some((first, others)) = definitions.split_first() else {
                continue;
            };
            for other in others {
                violations.push(Violation {
                    path: other.path.clone(),
                    line: other.line,
                    what: format!(
                        "another type is called `{name}` ({}:{}); rename one, or use the same",
                        first.path, first.line
                    ),
                });
            }
        }
        violations
    }
}

/// Returns the name of the type that this line defines; `None` if the line defines no type, or a private type.
fn type_of(line: &str) -> Option<&str> {
    let after = line.strip_prefix("pub")?;
    let after = match after.strip_prefix('(') {
        Some(inside) => inside.split_once(')')?.1,
        None => after,
    };
    let after = after.strip_prefix(' ')?;
    let name = KEYWORDS.iter().find_map(|word| after.strip_prefix(word))?;
    let end = name.find(|c| !is_word(c)).unwrap_or(name.len());
    Some(&name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(files: &[(&str, &str)]) -> Vec<String> {
        let mut names = Names::default();
        for (path, text) in files {
            names.read(&File {
                path: (*path).to_owned(),
                text: (*text).to_owned(),
            });
        }
        names.violations().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_name_stands_for_one_type() {
        let found = violations(&[
            ("engine/src/api/kv.rs", "pub struct Entry<T> {}"),
            ("frontend/src/keep/mod.rs", "\npub(super) enum Entry {"),
        ]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("frontend/src/keep/mod.rs:2: another type"));
    }

    #[test]
    fn private_types_and_other_programs_are_free() {
        let found = violations(&[
            ("engine/src/api/kv.rs", "pub struct Page {}"),
            ("engine/src/mvcc/store.rs", "struct Page {}"),
            ("engine/src/bbolt/page.rs", "pub struct Page {}"),
            ("xtask/src/bench.rs", "pub struct Page {}"),
            ("engine/src/view/key.rs", "// pub struct Page {}"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }
}
