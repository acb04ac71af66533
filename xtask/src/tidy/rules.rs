//! Rules about single lines: head comments, machine paths, package hosts, colours, sizes, line lengths.

use super::source::{is_word, mask};
use super::{File, Violation};

/// The maximum length of a line, in characters. Longer lines do not fit into a side-by-side diff.
const LINE_CHARS_MAX: usize = 120;

/// Prefixes of paths that exist on only one machine. The prefixes are split into pieces, so that this file does not
/// violate the rule.
const MACHINE_PATHS: [&[&str]; 3] = [&["/wo", "rk/"], &["/ro", "ot/"], &["/ho", "me/"]];

/// Hosts of package registries, which are a setting of the machine. The names are split into pieces, so that this file
/// does not violate the rule.
const PACKAGE_HOSTS: [&[&str]; 7] = [
    &["registry.", "npmjs.org"],
    &["registry.", "yarnpkg.com"],
    &["index.", "crates.io"],
    &["static.", "crates.io"],
    &["files.", "pythonhosted.org"],
    &["deb.", "debian.org"],
    &["static.", "rust-lang.org"],
];

/// The folder that contains the engine's native tests.
pub(super) const ENGINE_TESTS: &str = "engine/tests/";

/// The files in the folder that are programs of their own, see `engine/Cargo.toml`.
const TEST_PROGRAMS: [&str; 2] = ["main", "mutations"];

/// CSS functions that return a colour.
const COLOUR_FUNCTIONS: [&str; 6] = ["rgb(", "rgba(", "hsl(", "hsla(", "oklch(", "oklab("];

/// Checks that a Rust file begins with a sentence that describes it.
pub(super) fn head(file: &File) -> Option<Violation> {
    let head: Vec<&str> = file
        .text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .collect();
    let has_sentence = head
        .iter()
        .any(|line| line.trim_end().ends_with(['.', ':']) || line.contains(". "));
    (!has_sentence).then(|| {
        file.violation(
            1,
            "the file has no head; begin it with a sentence `//! What it is, what it mirrors.`",
        )
    })
}

/// Checks that every test file of the engine is part of a test program. A file without a `mod` item would be skipped.
pub(super) fn tests_are_built(tests: &[File]) -> Vec<Violation> {
    let stem = |file: &File| {
        let name = file.path.strip_prefix(ENGINE_TESTS)?.strip_suffix(".rs")?;
        (!name.contains('/')).then(|| name.to_owned())
    };
    let main = tests
        .iter()
        .find(|file| stem(file).as_deref() == Some("main"));
    let is_built = |name: &str| {
        let line = format!("mod {name};");
        TEST_PROGRAMS.contains(&name)
            || main.is_some_and(|main| main.text.lines().any(|other| other == line))
    };
    let forgotten = tests
        .iter()
        .filter(|file| stem(file).is_some_and(|name| !is_built(&name)));
    let what = format!("no test of this file runs; name it in {ENGINE_TESTS}main.rs");
    forgotten.map(|file| file.violation(1, &*what)).collect()
}

/// Checks that a comment precedes each manual `Hash` implementation and each `Undigested` field, because they can omit
/// data from a digest. The comment must explain the omission.
pub(super) fn digests(file: &File) -> Vec<Violation> {
    if !file.path.starts_with("engine/src/") || file.path.starts_with("engine/src/base/") {
        return Vec::new();
    }
    let mut before = "";
    let mut violations = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        let code = line.trim_start();
        let is_own = code.starts_with("impl") && code.contains("Hash for ");
        let is_left_out = code.contains("Undigested<") || code.contains("Scratch<");
        if (is_own || is_left_out) && !code.starts_with("//") && !before.starts_with("//") {
            violations.push(file.violation(
                number + 1,
                "this is left out of digests; say why in a comment above it",
            ));
        }
        if !code.starts_with("#[") {
            before = code;
        }
    }
    violations
}

/// Checks that no file depends on the project's folder or names the host of a package registry.
pub(super) fn machine_paths_and_hosts(file: &File) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for pieces in MACHINE_PATHS {
            let path = pieces.concat();
            if names_machine_path(line, &path) {
                let what =
                    format!("a path of one machine (`{path}…`); use one relative to the project");
                violations.push(file.violation(index + 1, what));
            }
        }
        for pieces in PACKAGE_HOSTS {
            let host = pieces.concat();
            if line.contains(&host) {
                let what = format!("a package host (`{host}`); name the package only");
                violations.push(file.violation(index + 1, what));
            }
        }
        if file.path.ends_with("package-lock.json") && line.contains("\"resolved\": \"http") {
            let what = "the lock file names a host; write it with the .npmrc of its folder";
            violations.push(file.violation(index + 1, what));
        }
    }
    violations
}

/// Checks that colours are defined only in the theme, so that each theme is complete and its contrast can be checked.
pub(super) fn colours(file: &File) -> Vec<Violation> {
    let is_watched = ["frontend/", "static/", "engine/src/"]
        .iter()
        .any(|start| file.path.starts_with(start))
        || file.path == "index.html";
    let is_home = file.path == "static/theme.css" || file.path.ends_with(".svg");
    let kind = file.path.rsplit('.').next().unwrap_or_default();
    if !is_watched || is_home || !["rs", "css", "html", "js", "mjs"].contains(&kind) {
        return Vec::new();
    }
    let text = if file.is_rust() {
        mask(&file.text).code_and_strings
    } else {
        file.text.clone()
    };
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        // The browser's own frame cannot read the theme's tokens.
        if line.contains("name=\"theme-color\"") {
            continue;
        }
        if let Some(colour) = colour_in(line, kind == "css") {
            let what =
                format!("colour `{colour}`; name it in static/theme.css and use `var(--wg-…)`");
            violations.push(file.violation(index + 1, what));
        }
    }
    violations
}

/// Checks that font sizes and corner radii are steps of the scales in the theme. Line heights and font weights are not
/// checked.
pub(super) fn scales(file: &File) -> Vec<Violation> {
    let is_sheet = file.path.starts_with("static/") && file.path.ends_with(".css");
    if !is_sheet || file.path == "static/theme.css" {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for declaration in line.split(['{', ';', '}']) {
            let Some((property, value)) = declaration.split_once(':') else {
                continue;
            };
            let property = property.trim();
            let step = match property {
                "font" | "font-size" => "var(--wg-type-…)",
                _ if property.ends_with("radius") => "var(--wg-radius-…)",
                _ => continue,
            };
            let literal = value
                .split_whitespace()
                .map(|word| word.split_once('/').map_or(word, |(size, _)| size))
                .find(|word| {
                    word.starts_with(|c: char| c.is_ascii_digit() || c == '.')
                        && word.ends_with(|c: char| c.is_ascii_alphabetic() || c == '%')
                });
            if let Some(literal) = literal {
                let what = format!(
                    "`{property}` of `{literal}`; take a step of static/theme.css, `{step}`"
                );
                violations.push(file.violation(index + 1, what));
            }
        }
    }
    violations
}

/// Checks that no address is relative to the page. Workers and other assets are next to the page's module, in a folder
/// that changes with each release.
pub(super) fn page_relative_addresses(file: &File) -> Vec<Violation> {
    if !file.path.starts_with("frontend/src/") {
        return Vec::new();
    }
    let code = mask(&file.text).code_and_strings;
    let lines = code
        .lines()
        .enumerate()
        // The path of an imported module is relative to the module of the program.
        .filter(|(_, line)| line.contains("\"./") && !line.contains("raw_module"));
    let what = "an address relative to the page, but assets lie in the release's folder (xtask/src/site/mod.rs); \
                resolve the plain name against the module's own address, `import.meta.url`";
    lines
        .map(|(index, _)| file.violation(index + 1, what))
        .collect()
}

pub(super) fn line_length(file: &File) -> Vec<Violation> {
    let too_long = |line: &str| line.chars().count() > LINE_CHARS_MAX;
    let lines = file
        .text
        .lines()
        .enumerate()
        .filter(|(_, line)| too_long(line));
    lines
        .map(|(index, line)| {
            let count = line.chars().count();
            file.violation(
                index + 1,
                format!("{count} characters; break the line at {LINE_CHARS_MAX} at most"),
            )
        })
        .collect()
}

/// Returns true if the line contains the machine path at the start of a word. A word such as `network/` does not count:
/// the letters of the path are in the middle of this word.
fn names_machine_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + path.len()..].chars().next();
        let starts_word =
            before.is_none_or(|c| !is_word(c) && !matches!(c, '.' | '-' | '/' | '*' | '}' | ')'));
        starts_word && after.is_some_and(|c| is_word(c) || c == '.')
    })
}

/// Returns the first colour literal of a line. Short forms such as `#123` count only in CSS values, because elsewhere
/// they are numbers or names.
fn colour_in(line: &str, is_css: bool) -> Option<String> {
    for function in COLOUR_FUNCTIONS {
        let found = line
            .match_indices(function)
            .find(|(at, _)| !line[..*at].ends_with(|c| is_word(c) || c == '-'));
        if found.is_some() {
            return Some(format!("{function}…)"));
        }
    }
    line.match_indices('#').find_map(|(at, _)| {
        let after = &line[at + 1..];
        let digits = after
            .find(|c: char| !is_word(c) && c != '-')
            .unwrap_or(after.len());
        let word = &after[..digits];
        let is_hex = word.chars().all(|c| c.is_ascii_hexdigit());
        let is_value = is_css && line[..at].contains(':');
        let is_colour = matches!(word.len(), 6 | 8) || (is_value && matches!(word.len(), 3 | 4));
        (is_hex && is_colour).then(|| format!("#{word}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn what_a_digest_leaves_out_says_why() {
        let found = |text: &str| digests(&file("engine/src/world/mod.rs", text)).len();
        assert_eq!(found("    seen: Undigested<u64>,"), 1);
        assert_eq!(found("impl Hash for World {"), 1);
        assert_eq!(
            found("    /// Only to be faster.\n    seen: Undigested<u64>,"),
            0
        );
        assert_eq!(found("#[derive(Hash)]"), 0);
    }

    #[test]
    fn a_test_that_no_program_has_is_found() {
        let main = file("engine/tests/main.rs", "mod backend;");
        let backend = file("engine/tests/backend.rs", "");
        assert!(tests_are_built(&[main, backend]).is_empty());
        let main = file("engine/tests/main.rs", "mod other;");
        let backend = file("engine/tests/backend.rs", "");
        assert_eq!(tests_are_built(&[main, backend]).len(), 1);
    }

    #[test]
    fn a_head_is_a_sentence() {
        assert!(head(&file("a.rs", "//! What it is.\nfn f() {}")).is_none());
        assert!(head(&file("a.rs", "//!\nfn f() {}")).is_some());
        assert!(head(&file("a.rs", "/// Not a head.\nfn f() {}")).is_some());
    }

    #[test]
    fn machine_paths_start_a_word() {
        let path = MACHINE_PATHS[0].concat();
        assert!(names_machine_path(&format!("see {path}main"), &path));
        assert!(!names_machine_path(&format!("net{path}main"), &path));
        let host = PACKAGE_HOSTS[0].concat();
        assert_eq!(
            machine_paths_and_hosts(&file("x.json", &format!("https://{host}/a"))).len(),
            1
        );
    }

    #[test]
    fn colours_stay_in_the_theme() {
        let count = |path: &str, text: &str| colours(&file(path, text)).len();
        let hex = ["#", "a0b1c2"].concat();
        assert_eq!(
            count("static/app.css", &format!("a {{ color: {hex}; }}")),
            1
        );
        assert_eq!(count("static/app.css", "a { color: #fff; }"), 1);
        assert_eq!(count("static/app.css", "#add { color: var(--wg-ink); }"), 0);
        assert_eq!(count("static/theme.css", &format!("--wg-ink: {hex};")), 0);
        assert_eq!(count("frontend/src/a.rs", &format!("fill(\"{hex}\")")), 1);
        assert_eq!(count("frontend/src/a.rs", "// kubernetes #130475"), 0);
        assert_eq!(
            count(
                "index.html",
                &format!("<meta name=\"theme-color\" content=\"{hex}\">")
            ),
            0
        );
        assert_eq!(count("frontend/src/a.rs", "\"rgb(0 0 0)\""), 1);
    }

    #[test]
    fn sizes_are_steps_of_the_theme() {
        let count = |path: &str, text: &str| scales(&file(path, text)).len();
        assert_eq!(count("static/app.css", "  font-size: 12.5px;"), 1);
        assert_eq!(
            count("static/app.css", "  font: 600 13px/20px var(--wg-mono);"),
            1
        );
        assert_eq!(
            count(
                "static/app.css",
                ".a { font-size: 0.9em; border-radius: 4px 0; }"
            ),
            2
        );
        assert_eq!(count("static/app.css", "  border-top-left-radius: 50%;"), 1);
        assert_eq!(
            count(
                "static/app.css",
                "  font: 600 var(--wg-type-1)/20px var(--wg-mono);"
            ),
            0
        );
        assert_eq!(
            count("static/app.css", "  border-radius: 0 var(--wg-radius-2);"),
            0
        );
        assert_eq!(count("static/app.css", "  line-height: 20px;"), 0);
        assert_eq!(
            count("static/theme.css", "  --wg-type-1: 12px; font-size: 12px;"),
            0
        );
    }

    #[test]
    fn addresses_do_not_depend_on_the_page() {
        let text = "spawn(\"./worker_boot.js\"); // \"./x\"\nspawn(&asset(\"worker_boot.js\"));";
        assert_eq!(
            page_relative_addresses(&file("frontend/src/a.rs", text)).len(),
            1
        );
        let module = "#[wasm_bindgen(raw_module = \"./static/x.js\")]";
        assert!(page_relative_addresses(&file("frontend/src/a.rs", module)).is_empty());
    }

    #[test]
    fn lines_are_counted_in_characters() {
        assert!(line_length(&file("a.rs", &"é".repeat(LINE_CHARS_MAX))).is_empty());
        assert_eq!(
            line_length(&file("a.rs", &"é".repeat(LINE_CHARS_MAX + 1))).len(),
            1
        );
    }
}
