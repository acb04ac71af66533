//! Checks the dependencies between modules. Within a folder, dependencies point only to lower layers. The page may use
//! only four modules of the engine.

use super::source::{is_word, mask};
use super::{File, Violation};

/// A folder, and the layers of its modules from the lowest to the highest. A module may use itself and the modules in
/// lower layers. Modules in the same layer may not use each other.
struct Layers {
    folder: &'static str,
    lines: &'static [&'static [&'static str]],
}

const LAYERS: [Layers; 8] = [
    Layers {
        folder: "engine/src/",
        lines: &[
            &["base"],
            &["words"],
            &["kube", "qos", "raft", "transcript"],
            &["api", "bbolt"],
            &["trace"],
            &["sim", "backend"],
            &["mvcc", "lease", "auth", "client"],
            // Only `world` may use all kinds of nodes.
            &["etcd", "apiserver"],
            &["world", "latency"],
            &["observe", "shell"],
            &["view"],
            &["scenario"],
            &["session"],
        ],
    },
    Layers {
        folder: "engine/src/session/",
        lines: &[
            // Messages to and from the page, and stored data.
            &[
                "protocol",
                "foreign",
                "memory",
                "report",
                "shortened",
                "stand",
                "started",
                "step_kind",
            ],
            &["files"],
            &[
                "texts",
                "save",
                "lesson_run",
                "inputs",
                "chapter",
                "observers",
                "scrollback",
                "beats",
            ],
            &["permalink", "progress", "recording"],
            &["run"],
            &["cover", "goal", "place"],
            &["etcdctl_exchange", "kubectl_exchange"],
            &["local", "real_etcd", "task"],
            &["workspace"],
            &["export"],
            &["cursor"],
            // The effects of commands, lessons and undo on a workspace.
            &[
                "begin",
                "comparison",
                "input_lines",
                "qos_comparison",
                "memory_limit",
                "running",
                "kubectl",
                "watching",
                "lesson_cards",
            ],
            &["typed_block", "typing", "lesson_view"],
            &["practice"],
            &["branching", "challenge", "loading", "odds", "trial"],
            &["undo"],
            &["rehearsal"],
            &["jobs"],
            &["answer"],
            &["lesson", "views"],
            &["script"],
            &["session"],
            &["discard"],
        ],
    },
    Layers {
        folder: "engine/src/shell/",
        lines: &[
            &["amount", "names", "note"],
            &["table", "jsonpath"],
            &["kubectl_command"],
            &["command", "exec", "help"],
            &["etcdctl", "kubectl"],
            &["simulator", "print"],
            &["complete", "flag_lines", "highlight", "label", "reader"],
        ],
    },
    Layers {
        folder: "engine/src/view/",
        lines: &[
            &[
                "file",
                "lesson",
                "names",
                "node_state",
                "odds",
                "status",
                "terminal",
            ],
            &["branches", "narrate", "timeline"],
            &["moment", "index"],
            &["messages", "watch"],
            &["cache"],
            &["show"],
            &["key", "metrics"],
            &["cluster", "qos", "storage"],
        ],
    },
    Layers {
        folder: "frontend/src/",
        lines: &[
            // The browser and pictures, texts, generic parts, and the engine's worker.
            &["browser", "draw"],
            &["words"],
            &["widgets", "host"],
            &["keep"],
            &["state"],
            &["address"],
            &["store"],
            &["hooks"],
            &["panels"],
            &["app"],
            &["figure"],
        ],
    },
    Layers {
        folder: "frontend/src/state/",
        lines: &[
            &[
                "choices",
                "contents",
                "draft",
                "file_panel",
                "line",
                "loaded",
                "nemesis",
                "odds",
                "practice",
                "progress",
                "speed",
                "trail",
            ],
            &["prefs", "runs"],
            &["effect"],
            // The state of the page and the actions on it.
            &["lab", "reply"],
            &["ui"],
            &["action", "flow"],
            // The effects of actions on the state.
            &[
                "engine",
                "happened",
                "layout",
                "notice",
                "qos",
                "selection",
                "texts",
                "view_text",
            ],
            &["comparison", "palette", "playback", "run"],
            &[
                "author",
                "file",
                "lessons",
                "random_commands",
                "replays",
                "run_action",
            ],
            &["answers", "terminal"],
            &["reduce"],
            &["tests"],
        ],
    },
    Layers {
        folder: "frontend/src/panels/",
        lines: &[
            &["terms", "ways"],
            &["exhibit", "guess"],
            &[
                "announcer",
                "author",
                "dropzone",
                "failure",
                "file",
                "lesson",
                "sheet",
                "terminal",
                "timeline",
                "topbar",
            ],
            &["blank", "dialogs", "frame", "lamps", "notices"],
            &[
                "cache", "cluster", "index", "lab", "messages", "qos", "storage", "watch",
            ],
            &["inspector"],
            &["stage"],
            &["challenge", "figure", "front", "story"],
        ],
    },
    Layers {
        folder: "xtask/src/",
        lines: &[
            &["project", "report"],
            &["server", "tidy", "tools"],
            &["site"],
            &["digests", "fuzz", "parity", "soak"],
            &["browser"],
            &[
                "bench", "bless", "docs", "firefox", "pseudo", "sample", "serve", "trunk",
            ],
            &["stages"],
        ],
    },
];

/// The modules of the engine that the page may use.
const DOORS: [&str; 4] = ["session", "view", "shell", "transcript"];

/// Modules that the engine must not use, each with its replacement. Clippy bans types and functions, but no modules.
const BANNED_IN_ENGINE: [(&str, &str); 4] = [
    ("std::fs", "take and return bytes; files are the caller's"),
    (
        "std::net",
        "nodes talk by messages through the simulated network",
    ),
    ("std::env", "take the setting as an argument"),
    ("std::process", "return an error; the caller decides"),
];

/// A module that a path in the source names, and the number of the line with the path.
#[derive(Debug, PartialEq, Eq)]
struct Used {
    module: String,
    line: usize,
}

/// Checks that one Rust file uses only modules in allowed layers.
pub(super) fn check(file: &File) -> Vec<Violation> {
    let code = mask(&file.text).code;
    let mut violations = Vec::new();
    for layers in &LAYERS {
        if let Some(inside) = file.path.strip_prefix(layers.folder) {
            violations.extend(arrows(layers, file, inside, &code));
        }
    }
    if file.path.starts_with("engine/src/") {
        violations.extend(banned(file, &code));
    }
    if file.path.starts_with("frontend/src/") {
        violations.extend(doors(file, &code));
    }
    violations
}

fn arrows(layers: &Layers, file: &File, inside: &str, code: &str) -> Vec<Violation> {
    // The root files of a crate and of a folder name every module in it.
    if matches!(inside, "lib.rs" | "main.rs" | "mod.rs") || inside.starts_with("bin/") {
        return Vec::new();
    }
    let own = inside
        .split('/')
        .next()
        .unwrap_or(inside)
        .trim_end_matches(".rs");
    let Some(own_rank) = layers.rank(own) else {
        let folder = layers.folder;
        return vec![file.violation(
            1,
            format!("`{own}` has no rank in {folder}; give it one in xtask/src/tidy/layers.rs"),
        )];
    };
    let mut used = used_after(code, &layers.path());
    used.extend(used_after(code, &path_to_root(inside)));
    used.retain(|used| used.module != own);
    used.into_iter()
        .filter_map(|Used { module, line }| {
            let other_rank = layers.rank(&module)?;
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

impl Layers {
    fn rank(&self, module: &str) -> Option<usize> {
        self.lines.iter().position(|line| line.contains(&module))
    }

    /// Returns the prefix of all paths to the folder's modules, such as `crate::panels::`.
    fn path(&self) -> String {
        let (_, inside) = self.folder.split_once("/src/").unwrap_or_default();
        ["crate::", &inside.replace('/', "::")].concat()
    }
}

/// Returns the path of `super`s that leads from a file to the folder of the layers: one `super` for `a.rs` and
/// `a/mod.rs`, two for `a/b.rs`.
fn path_to_root(inside: &str) -> String {
    let module = inside.trim_end_matches(".rs").trim_end_matches("/mod");
    "super::".repeat(module.split('/').count())
}

/// Returns the path segments that directly follow `prefix` in the code. If braces follow, returns the first segment of
/// each path in the braces.
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

/// Returns the first name of a path and its offset: `a` for `a::b`. For `{a::{c, d}, b}`, returns `a` and `b`.
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
            up[0].starts_with("engine/src/mvcc/store.rs:2: `mvcc` (rank 6) uses `etcd` (rank 7)")
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
        assert!(violations("engine/src/etcd/watch.rs", "use super::apiserver;").is_empty());
        assert_eq!(
            violations("engine/src/etcd/watch.rs", "use super::super::apiserver;").len(),
            1
        );
    }

    #[test]
    fn folders_inside_a_crate_have_ranks_too() {
        let path = "frontend/src/panels/watch/scene.rs";
        assert!(violations(path, "use crate::panels::blank::blank;").is_empty());
        assert_eq!(
            violations(path, "use crate::panels::index::IndexPanel;").len(),
            1
        );
        assert_eq!(violations(path, "use super::super::cache;").len(), 1);
        assert!(violations("frontend/src/panels/mod.rs", "pub use self::index;").is_empty());
        assert_eq!(violations("frontend/src/panels/misc.rs", "").len(), 1);
        assert_eq!(
            violations("frontend/src/state/ui.rs", "use crate::store::Store;").len(),
            1
        );
        assert_eq!(
            violations("xtask/src/fuzz.rs", "use crate::{project, stages};").len(),
            1
        );
    }

    #[test]
    fn the_engine_reads_no_files() {
        let path = "engine/src/sim/x.rs";
        assert_eq!(violations(path, "use std::fs::File;").len(), 1);
        assert!(violations(path, "mod my_std; // std::fs").is_empty());
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
