//! Who may use whom: the arrows of the engine's layers point down only, and the page sees three doors of the engine.

use super::source::{is_word, mask};
use super::{File, Violation};

/// The engine's folders and their ranks: a folder may use itself and lower ranks. Equal ranks are siblings that know
/// nothing of each other; only `world` knows all kinds of nodes.
const RANKS: [(&str, u32); 20] = [
    ("base", 0),
    ("api", 1),
    ("bbolt", 1),
    ("trace", 2),
    ("sim", 3),
    ("backend", 3),
    ("mvcc", 4),
    ("lease", 4),
    ("clientv3", 4),
    ("clientgo", 4),
    ("etcd", 5),
    ("apiserver", 5),
    ("client", 5),
    ("world", 6),
    ("latency", 6),
    ("observe", 7),
    ("shell", 7),
    ("view", 8),
    ("scenario", 9),
    ("session", 10),
];

/// What the page may name of the engine.
const DOORS: [&str; 3] = ["session", "view", "shell"];

/// What the engine must not name, and what it uses instead.
const BANNED_IN_ENGINE: [(&str, &str); 13] = [
    ("wasm_bindgen", "keep JS types in frontend/"),
    ("web_sys", "keep JS types in frontend/"),
    ("js_sys", "keep JS types in frontend/"),
    ("std::time", "take `now` as an argument (base::time)"),
    ("Instant", "take `now` as an argument (base::time)"),
    ("SystemTime", "take `now` as an argument (base::time)"),
    (
        "std::thread",
        "the engine is one state machine: schedule through the outbox",
    ),
    ("std::fs", "take and return bytes; files are the caller's"),
    (
        "std::net",
        "nodes talk by messages through the simulated network",
    ),
    ("std::env", "take the setting as an argument"),
    ("std::process", "return an error; the caller decides"),
    (
        "HashMap",
        "its order differs from run to run: use BTreeMap or im::OrdMap",
    ),
    (
        "HashSet",
        "its order differs from run to run: use BTreeSet or im::OrdSet",
    ),
];

/// A module named by a path, and the line where it is named.
#[derive(Debug, PartialEq, Eq)]
struct Used {
    module: String,
    line: usize,
}

/// Checks the layers of one Rust file, if it belongs to the engine or the page.
pub(super) fn check(file: &File) -> Vec<Violation> {
    if let Some(inside) = file.path.strip_prefix("engine/src/") {
        let code = mask(&file.text).code;
        let mut violations = banned(file, &code);
        if !matches!(inside, "lib.rs") {
            violations.extend(arrows(file, inside, &code));
        }
        return violations;
    }
    if file.path.starts_with("frontend/src/") {
        return doors(file, &mask(&file.text).code);
    }
    Vec::new()
}

fn arrows(file: &File, inside: &str, code: &str) -> Vec<Violation> {
    let own = inside
        .split('/')
        .next()
        .unwrap_or(inside)
        .trim_end_matches(".rs");
    let Some(own_rank) = rank(own) else {
        return vec![file.violation(
            1,
            format!("engine folder `{own}` has no rank; give it one in xtask/src/tidy/layers.rs"),
        )];
    };
    let mut used = used_after(code, "crate::");
    used.extend(used_after(code, &path_to_root(inside)));
    used.retain(|used| used.module != own);
    used.into_iter()
        .filter_map(|Used { module, line }| {
            let other_rank = rank(&module)?;
            (other_rank >= own_rank).then(|| {
                file.violation(
                    line,
                    format!(
                        "`{own}` (rank {own_rank}) uses `{module}` (rank {other_rank}), but may use lower ranks only; \
                         pass what is needed as an argument, or move it down"
                    ),
                )
            })
        })
        .collect()
}

fn doors(file: &File, code: &str) -> Vec<Violation> {
    used_after(code, "watchglass_engine::")
        .into_iter()
        .filter(|used| !DOORS.contains(&used.module.as_str()))
        .map(|Used { module, line }| {
            let what = format!(
                "the page names `watchglass_engine::{module}`, but sees only {}; \
                 re-export what it needs from one of these",
                DOORS.join(", ")
            );
            file.violation(line, what)
        })
        .collect()
}

fn banned(file: &File, code: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (index, line) in code.lines().enumerate() {
        for (word, instead) in BANNED_IN_ENGINE {
            if contains_word(line, word) {
                violations.push(file.violation(
                    index + 1,
                    format!("the engine must not use `{word}`; {instead}"),
                ));
            }
        }
    }
    violations
}

fn rank(module: &str) -> Option<u32> {
    RANKS
        .iter()
        .find(|(name, _)| *name == module)
        .map(|(_, rank)| *rank)
}

/// How a file reaches the crate's root by `super`: `a.rs` and `a/mod.rs` by one, `a/b.rs` by two.
fn path_to_root(inside: &str) -> String {
    let module = inside.trim_end_matches(".rs").trim_end_matches("/mod");
    "super::".repeat(module.split('/').count())
}

/// The first path segments after each `prefix`, those in braces included.
fn used_after(code: &str, prefix: &str) -> Vec<Used> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        // `my_crate::x` and `super::super::x` contain shorter prefixes.
        if code[..at].ends_with(|c| is_word(c) || c == ':') {
            continue;
        }
        let start = at + prefix.len();
        for (offset, name) in first_segments(&code[start..]) {
            let line = code[..start + offset].matches('\n').count() + 1;
            found.push(Used {
                module: name.to_owned(),
                line,
            });
        }
    }
    found
}

/// Names at the start of a path: `a` in `a::b`, and both in `{a::{c, d}, b}`, each with its offset.
fn first_segments(path: &str) -> Vec<(usize, &str)> {
    let word_at = |at: usize| {
        let length = path[at..].find(|c| !is_word(c)).unwrap_or(path.len() - at);
        (at, &path[at..at + length])
    };
    if !path.starts_with('{') {
        return vec![word_at(0)]
            .into_iter()
            .filter(|(_, name)| !name.is_empty())
            .collect();
    }
    let mut found = Vec::new();
    let (mut depth, mut expects_name) = (0_u32, false);
    for (at, c) in path.char_indices() {
        match c {
            '{' => {
                depth += 1;
                expects_name = depth == 1;
            }
            '}' => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            ',' => expects_name = depth == 1,
            _ if expects_name && is_word(c) => {
                found.push(word_at(at));
                expects_name = false;
            }
            _ => {}
        }
    }
    found
}

fn contains_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(is_word) && !line[at + word.len()..].starts_with(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(path: &str, text: &str) -> Vec<String> {
        let file = File {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        check(&file).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn arrows_point_down() {
        assert!(
            violations(
                "engine/src/mvcc/store.rs",
                "use crate::{base::Bytes, backend};"
            )
            .is_empty()
        );
        let up = violations(
            "engine/src/mvcc/store.rs",
            "use crate::base::Bytes;\nuse crate::{api, etcd::Node};",
        );
        assert_eq!(up.len(), 1);
        assert!(
            up[0].starts_with("engine/src/mvcc/store.rs:2: `mvcc` (rank 4) uses `etcd` (rank 5)")
        );
        assert_eq!(
            violations("engine/src/raft/log.rs", "fn f(x: crate::lease::Id) {}").len(),
            1
        );
        assert_eq!(
            violations("engine/src/raft/mod.rs", "use super::lease;").len(),
            1
        );
        assert!(
            violations(
                "engine/src/etcd/mod.rs",
                "use crate::etcd::lease; // crate::session"
            )
            .is_empty()
        );
        assert!(violations("engine/src/lib.rs", "pub use crate::session::Session;").is_empty());
        assert_eq!(violations("engine/src/misc.rs", "").len(), 1);
    }

    #[test]
    fn super_is_followed_to_the_root() {
        assert!(violations("engine/src/etcd/watch.rs", "use super::client;").is_empty());
        assert_eq!(
            violations("engine/src/etcd/watch.rs", "use super::super::client;").len(),
            1
        );
    }

    #[test]
    fn the_engine_has_no_clock() {
        assert_eq!(
            violations("engine/src/sim/x.rs", "use std::time::Duration;").len(),
            1
        );
        assert!(violations("engine/src/sim/x.rs", "struct MyHashMapLike; // HashMap").is_empty());
    }

    #[test]
    fn the_page_sees_three_doors() {
        assert!(
            violations(
                "frontend/src/app.rs",
                "use watchglass_engine::{session::ToEngine, view};"
            )
            .is_empty()
        );
        assert_eq!(
            violations(
                "frontend/src/app.rs",
                "use watchglass_engine::world::World;"
            )
            .len(),
            1
        );
    }
}
