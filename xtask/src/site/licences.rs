//! The licence texts of the published page: Watchglass's own, and those of all crates that are compiled into its
//! programs. Crates without a text in their package are listed with the name of their licence and their repository.

use std::collections::{BTreeMap, BTreeSet};
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
    let mut parts = Vec::new();
    for package in packages(&json) {
        parts.push(part(package)?);
    }
    Ok(joined(&own, &parts))
}

/// Returns the packages that [`ROOT`] needs at run time, in the order of their names, without our own.
fn packages(metadata: &Value) -> Vec<&Value> {
    let list = |value: &'static str| metadata[value].as_array().into_iter().flatten();
    let nodes = metadata["resolve"]["nodes"].as_array();
    let needs: BTreeMap<_, _> = nodes
        .into_iter()
        .flatten()
        .map(|node| (&node["id"], &node["deps"]))
        .map(|(id, deps)| (id.as_str(), deps))
        .collect();
    let is_root = |package: &&Value| package["name"] == ROOT;
    let mut waiting: Vec<_> = list("packages")
        .filter(is_root)
        .map(|root| root["id"].as_str())
        .collect();
    let mut needed = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !needed.insert(id) {
            continue;
        }
        let deps = needs.get(&id).and_then(|deps| deps.as_array());
        let is_normal = |dep: &&Value| {
            let kinds = dep["dep_kinds"].as_array();
            kinds
                .into_iter()
                .flatten()
                .any(|kind| kind["kind"].is_null())
        };
        waiting.extend(
            deps.into_iter()
                .flatten()
                .filter(is_normal)
                .map(|dep| dep["pkg"].as_str()),
        );
    }
    // A package from a registry has a source, ours have none.
    let is_part =
        |package: &&Value| needed.contains(&package["id"].as_str()) && !package["source"].is_null();
    let mut packages: Vec<_> = list("packages").filter(is_part).collect();
    packages.sort_by_key(|package| (package["name"].as_str(), package["version"].as_str()));
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
                { "name": ROOT, "id": "root", "version": "1", "source": null },
                { "name": "used", "id": "used", "version": "1", "source": "registry" },
                { "name": "only-for-tests", "id": "test", "version": "1", "source": "registry" },
                { "name": "elsewhere", "id": "elsewhere", "version": "1", "source": "registry" },
            ],
            "resolve": { "nodes": [{ "id": "root", "deps": [
                { "pkg": "used", "dep_kinds": [{ "kind": null }] },
                { "pkg": "test", "dep_kinds": [{ "kind": "dev" }] },
            ] }] },
        });
        let names: Vec<_> = packages(&metadata)
            .iter()
            .map(|package| package["name"].as_str())
            .collect();
        assert_eq!(names, [Some("used")]);
    }
}
