//! The licence texts of the published page: Watchglass's own, and those of all crates that are compiled into its
//! programs. Crates without a text in their package are listed with the name of their licence and their repository.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::project;
use crate::tools::WASM_TARGET;

/// The file in `dist/`.
pub(super) const FILE: &str = "LICENSES.txt";
/// The crate that contains the page's programs.
const ROOT: &str = "watchglass-frontend";
/// The beginnings of the names of files with a licence text.
const NAMES: [&str; 4] = ["LICENSE", "LICENCE", "COPYING", "NOTICE"];

/// A crate in the programs, with the texts of the licence files in its package.
#[derive(Debug)]
struct Part {
    title: String,
    texts: Vec<String>,
}

/// Returns the content of the file.
pub(super) fn text() -> Result<String> {
    let own = project::root().join("LICENSE");
    let own = std::fs::read_to_string(own).context("cannot read LICENSE")?;
    let mut metadata = project::cargo();
    metadata.args(["metadata", "--format-version", "1", "--filter-platform"]);
    let json = project::capture(metadata.arg(WASM_TARGET))?;
    let json: Value = serde_json::from_str(&json).context("`cargo metadata` printed no JSON")?;
    // The metadata also has what only the tests and examples need.
    let mut tree = project::cargo();
    tree.args([
        "tree",
        "-p",
        ROOT,
        "--features",
        "split",
        "--target",
        WASM_TARGET,
    ]);
    let tree = project::capture(tree.args(["-e", "normal", "--prefix", "none"]))?;
    let mut parts = Vec::new();
    for package in packages(&json, &tree) {
        parts.push(part(package)?);
    }
    Ok(joined(&own, &parts))
}

/// Returns the packages that are named in `tree`, in the order of their names, without our own. A line of the tree
/// begins with a name and a version, such as `imbl v7.0.2`.
fn packages<'a>(metadata: &'a Value, tree: &str) -> Vec<&'a Value> {
    let name_and_version = |line| {
        let mut words = str::split(line, ' ');
        Some((words.next()?, words.next()?.strip_prefix('v')?))
    };
    let needed: BTreeSet<(&str, &str)> = tree.lines().filter_map(name_and_version).collect();
    let text = |package: &'a Value, field| package[field].as_str().unwrap_or_default();
    let place = |package: &'a Value| (text(package, "name"), text(package, "version"));
    let all = metadata["packages"].as_array().into_iter().flatten();
    // A package from a registry has a source, ours have none.
    let mut packages: Vec<_> = all
        .filter(|package| !package["source"].is_null() && needed.contains(&place(package)))
        .collect();
    packages.sort_by_key(|package| place(package));
    packages
}

fn part(package: &Value) -> Result<Part> {
    let field = |name: &str| package[name].as_str().unwrap_or_default();
    let mut title = format!(
        "{} {}, {}",
        field("name"),
        field("version"),
        field("license")
    );
    if !field("repository").is_empty() {
        title.push_str(&format!(", {}", field("repository")));
    }
    let folder = Path::new(field("manifest_path"))
        .parent()
        .context("a manifest has a folder")?;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)
        .with_context(|| format!("cannot read the package {}", field("name")))?
    {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        if NAMES.iter().any(|start| name.starts_with(start)) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    let texts = files.iter().map(std::fs::read_to_string);
    let texts = texts.collect::<std::io::Result<_>>();
    Ok(Part {
        title,
        texts: texts.with_context(|| format!("cannot read a licence of {}", field("name")))?,
    })
}

/// Joins the texts. Each text is printed once, with the crates to which it applies.
fn joined(own: &str, parts: &[Part]) -> String {
    let mut file = format!("Watchglass\n\n{own}\nIts programs contain these crates:\n\n");
    for part in parts {
        file.push_str(&format!("{}\n", part.title));
    }
    // Packages wrap and indent the same text in different ways.
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut texts: Vec<(String, &str, Vec<&str>)> = Vec::new();
    for part in parts {
        let (name, _) = part.title.split_once(',').unwrap_or((&part.title, ""));
        for text in &part.texts {
            let key = plain(text);
            match texts.iter_mut().find(|(known, ..)| *known == key) {
                Some((_, _, names)) => names.push(name),
                None => texts.push((key, text, vec![name])),
            }
        }
    }
    for (_, text, names) in texts {
        file.push_str(&format!(
            "\n{}\n{}\n\n{}\n",
            "-".repeat(80),
            names.join(", "),
            text.trim_end()
        ));
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_printed_once() {
        let part = |title: &str, text: &str| Part {
            title: title.to_owned(),
            texts: vec![text.to_owned()],
        };
        let file = joined(
            "OURS",
            &[
                part("a 1.0.0, MIT", "The  text.\n"),
                part("b 2.0.0, MIT", "The\ntext."),
            ],
        );
        assert!(file.starts_with("Watchglass\n\nOURS\n"));
        assert_eq!(file.matches("text.").count(), 1);
        assert!(file.contains("a 1.0.0, b 2.0.0\n\nThe  text.\n"));
    }

    #[test]
    fn only_what_the_programs_need_is_a_part() {
        let metadata = serde_json::json!({
            "packages": [
                { "name": ROOT, "version": "0.1.0", "source": null },
                { "name": "used", "version": "1.2.0", "source": "registry" },
                { "name": "used", "version": "0.9.0", "source": "registry" },
                { "name": "only-for-tests", "version": "1.0.0", "source": "registry" },
            ],
        });
        let tree = "watchglass-frontend v0.1.0 (/project/frontend)\nused v1.2.0\nused v1.2.0 (*)\n";
        let names: Vec<_> = packages(&metadata, tree)
            .iter()
            .map(|package| (package["name"].as_str(), package["version"].as_str()))
            .collect();
        assert_eq!(names, [(Some("used"), Some("1.2.0"))]);
    }
}
