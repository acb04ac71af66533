//! The files that a page needs before it responds, with their sizes. The build finds them in the page itself: the files
//! that the HTML names, the files that these scripts name, and so on. `static/arrivals.js` reads the list from its own
//! element and reports a file that fails or does not arrive.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::layout::Entry;

/// The element whose attributes contain the lists.
const WATCHER: &str = "src=\"./static/arrivals.js\"";

/// A page in the state that the address chooses.
struct Kind {
    name: &'static str,
    page: &'static str,
    /// The branch of `static/boot.js` that this kind does not take.
    never: &'static [&'static str],
}

const KINDS: [Kind; 3] = [
    Kind {
        name: "app",
        page: "index.html",
        never: &["static/front.js"],
    },
    Kind {
        name: "front",
        page: "index.html",
        never: &["app.js", "app_bg.wasm"],
    },
    Kind {
        name: "embed",
        page: "embed.html",
        never: &[],
    },
];

/// Returns the page with the lists in the attributes of the watching script, such as `data-app="app.js=120 …"`.
pub(super) fn listed(page: &Path, html: &str, files: &[Entry]) -> String {
    let kinds = KINDS.iter().filter(|kind| page == Path::new(kind.page));
    let attributes: String = kinds
        .map(|kind| {
            let needed = needed(html, files, kind.never);
            let entries = needed.iter().map(|(name, bytes)| format!("{name}={bytes}"));
            let entries: Vec<_> = entries.collect();
            format!(" data-{}=\"{}\"", kind.name, entries.join(" "))
        })
        .collect();
    html.replacen(WATCHER, &format!("{WATCHER}{attributes}"), 1)
}

/// Returns the names and sizes of the files that the page needs, without the files in `never`.
fn needed(html: &str, files: &[Entry], never: &[&str]) -> Vec<(String, usize)> {
    let find = |name: &Path| files.iter().find(|(path, _)| path == name);
    let is_wanted = |path: &Path| {
        let end = path.extension().and_then(|end| end.to_str());
        matches!(end, Some("js" | "css" | "wasm"))
            && !never.iter().any(|not| path == Path::new(not))
    };
    let mut found = BTreeSet::new();
    let mut next: Vec<PathBuf> = named_by_html(html);
    while let Some(name) = next.pop() {
        let Some((path, bytes)) = find(&name).filter(|(path, _)| is_wanted(path)) else {
            continue;
        };
        if !found.insert((path.to_string_lossy().replace('\\', "/"), bytes.len()))
            || path.extension().is_none_or(|end| end != "js")
        {
            continue;
        }
        next.extend(named_by_script(path, &String::from_utf8_lossy(bytes)));
    }
    found.into_iter().collect()
}

/// Returns the files that elements of the page name. A script for old browsers is not needed.
fn named_by_html(html: &str) -> Vec<PathBuf> {
    let tags = html.split('<').filter(|tag| !tag.contains(" nomodule "));
    let names = tags.filter_map(|tag| tag.split_once("=\"./")?.1.split_once('"'));
    names.map(|(name, _)| PathBuf::from(name)).collect()
}

/// Returns the paths that the string literals of a script may mean: relative to the script, or to the release's folder.
fn named_by_script(script: &Path, text: &str) -> Vec<PathBuf> {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let literals = code.flat_map(|line| {
        let pieces = ['\'', '"'].map(|quote| line.split(quote).skip(1).step_by(2));
        pieces.into_iter().flatten()
    });
    let folder = script.parent().unwrap_or(Path::new(""));
    literals
        .flat_map(|literal| [normal(&folder.join(literal)), PathBuf::from(literal)])
        .collect()
}

/// Resolves `.` and `..` in a path below the release's folder.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Vec<Entry> {
        let file = |name: &str, text: &str| (PathBuf::from(name), text.as_bytes().to_vec());
        vec![
            file("app.js", "new URL('app_bg.wasm', import.meta.url)"),
            file("app_bg.wasm", "12345"),
            file("lab.js", "never named"),
            file(
                "static/boot.js",
                "import '../app.js';\nimport('./front.js');\n// 'lab.js'",
            ),
            file("static/front.js", "x"),
            file("static/index.html.css", ".a{}"),
            file("static/old.js", "x"),
        ]
    }

    #[test]
    fn a_page_needs_what_its_scripts_name() {
        let html = "<link href=\"./static/index.html.css\"><script src=\"./static/boot.js\"></script>\
            <script nomodule src=\"./static/old.js\">";
        let names = |never: &[&str]| {
            let needed = needed(html, &files(), never);
            needed.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(
            names(&["static/front.js"]),
            [
                "app.js",
                "app_bg.wasm",
                "static/boot.js",
                "static/index.html.css"
            ]
        );
        assert!(names(&["app.js"]).contains(&"static/front.js".to_owned()));
        assert!(!names(&["app.js"]).contains(&"app_bg.wasm".to_owned()));
    }

    #[test]
    fn the_lists_are_attributes_of_the_watching_script() {
        let html = format!("<script async {WATCHER}></script><script src=\"./static/boot.js\">");
        let listed = listed(Path::new("index.html"), &html, &files());
        assert!(
            listed.contains("data-app=\"app.js=39 app_bg.wasm=5 "),
            "{listed}"
        );
        assert!(listed.contains(" data-front=\"static/boot.js="), "{listed}");
        assert_eq!(super::listed(Path::new("404.html"), "<p>", &files()), "<p>");
    }
}
