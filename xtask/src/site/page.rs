//! Lays out `dist/`: the pages and the loader of `<watch-glass>` at the top, where their addresses stay the same, and
//! all else in a folder named by the fingerprint of its contents.
//!
//! Trunk starts the app from an inline script, which a strict Content-Security-Policy forbids; it is replaced here by
//! a file, `static/boot.js`. What Trunk would have fetched early is left to `static/page.js`, which knows whether the
//! app is wanted at all.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::project::{self, Fingerprint};

const INDEX: &str = "index.html";
const BOOT: &str = "static/boot.js";
/// Other sites name it in their pages, so its address has no release in it.
const LOADER: &str = "static/watch-glass.js";

/// Copies Trunk's output into `dist`, in its published form; returns the name of the release's folder.
pub(super) fn assemble(trunk_output: &Path, dist: &Path) -> Result<String> {
    let mut files = Vec::new();
    let mut pages = Vec::new();
    for path in project::files_below(trunk_output, &[])? {
        let name = path
            .strip_prefix(trunk_output)
            .context("a listed file lies below its folder")?;
        let bytes =
            std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        if is_page(name) {
            let html = String::from_utf8(bytes)
                .with_context(|| format!("{} is not UTF-8", name.display()))?;
            pages.push((name.to_path_buf(), html));
        } else if name.extension().is_some_and(|end| end == "css") {
            let sheet = String::from_utf8(bytes)
                .with_context(|| format!("{} is not UTF-8", name.display()))?;
            let sheet = plain_sheet(&sheet)?.into_bytes();
            files.push((name.to_path_buf(), sheet));
        } else {
            files.push((name.to_path_buf(), bytes));
        }
    }
    files.sort();
    let release = release_name(&files);
    let loader = files.iter().position(|(name, _)| name == Path::new(LOADER));
    let (_, loader) = files.remove(loader.with_context(|| format!("there is no {LOADER}"))?);

    let is_asset = |name: &str| files.iter().any(|(path, _)| path == Path::new(name));
    for (name, html) in &mut pages {
        if name == Path::new(INDEX) {
            *html = without_early_fetches(&without_inline_script(html)?)?;
        }
        *html = published(html, &release, is_asset)
            .with_context(|| format!("publishing {}", name.display()))?;
    }
    ensure!(
        pages.iter().any(|(name, _)| name == Path::new(INDEX)),
        "Trunk wrote no index.html: is `target` in Trunk.toml right?"
    );

    if dist.exists() {
        std::fs::remove_dir_all(dist).context("cannot empty dist/")?;
    }
    for (name, bytes) in &files {
        write(&dist.join(&release).join(name), bytes)?;
    }
    for (name, html) in &pages {
        write(&top(dist, name)?, html.as_bytes())?;
    }
    write(&top(dist, Path::new(LOADER))?, &loader)?;
    Ok(release)
}

/// `index.html`, and the pages that lie in `static/`.
fn is_page(name: &Path) -> bool {
    let depth = name.components().count();
    name == Path::new(INDEX)
        || (depth == 2
            && name.starts_with("static")
            && name.extension().is_some_and(|end| end == "html"))
}

fn top(dist: &Path, name: &Path) -> Result<PathBuf> {
    let name = name.file_name().context("a file in dist/ has a name")?;
    Ok(dist.join(name))
}

fn release_name(files: &[(PathBuf, Vec<u8>)]) -> String {
    let mut fingerprint = Fingerprint::new();
    for (name, bytes) in files {
        fingerprint.add(name.to_string_lossy().replace('\\', "/").as_bytes());
        fingerprint.add(bytes);
    }
    format!("release-{}", &fingerprint.hex()[..12])
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().context("a file in dist/ has a folder")?;
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, bytes))
        .with_context(|| format!("cannot write {}", project::relative(path)))
}

/// A page whose assets are looked up in the release's folder.
fn published(html: &str, release: &str, is_asset: impl Fn(&str) -> bool) -> Result<String> {
    let html = without_comments(html)?;
    let mut result = String::with_capacity(html.len() + 256);
    let mut rest = html.as_str();
    while let Some(at) = rest.find("=\"./") {
        let (before, value) = rest.split_at(at + 2);
        let end = value
            .find('"')
            .context("an attribute's closing quote is missing")?;
        let name = &value[2..end];
        result.push_str(before);
        if is_asset(name) {
            result.push_str(&format!("./{release}/{name}"));
        } else {
            result.push_str(&value[..end]);
        }
        rest = &value[end..];
    }
    result.push_str(rest);
    Ok(result)
}

/// Comments are for those who read the source.
fn without_comments(html: &str) -> Result<String> {
    without(html, "<!--", "-->")
}

/// A style sheet without comments and indentation.
fn plain_sheet(sheet: &str) -> Result<String> {
    let sheet = without(sheet, "/*", "*/")?;
    let lines = sheet.lines().map(str::trim).filter(|line| !line.is_empty());
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

fn without(text: &str, open: &str, close: &str) -> Result<String> {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(open) {
        let length = rest[start..]
            .find(close)
            .context("a comment is not closed")?;
        result.push_str(rest[..start].trim_end());
        rest = &rest[start + length + close.len()..];
    }
    result.push_str(rest);
    Ok(result)
}

fn without_inline_script(html: &str) -> Result<String> {
    const OPEN: &str = "<script type=\"module\">";
    const CLOSE: &str = "</script>";
    let start = html.find(OPEN).context(
        "Trunk's page has no inline module script to move out: has its output changed? See xtask/src/site/page.rs",
    )?;
    let Some(length) = html[start..].find(CLOSE) else {
        bail!("Trunk's inline script is not closed");
    };
    let (before, after) = (&html[..start], &html[start + length + CLOSE.len()..]);
    ensure!(
        !after.contains("<script>") && !before.contains("<script>") && !after.contains(OPEN),
        "index.html has a second inline script, which a strict Content-Security-Policy forbids: move it to a file"
    );
    Ok(format!(
        "{before}<script type=\"module\" src=\"./{BOOT}\"></script>{after}"
    ))
}

/// Trunk has the app fetched before anything asks for it; the front door does without.
fn without_early_fetches(html: &str) -> Result<String> {
    let mut html = html.to_owned();
    for open in ["<link rel=\"modulepreload\"", "<link rel=\"preload\""] {
        let start = html
            .find(open)
            .with_context(|| format!("Trunk's page has no {open}: has its output changed?"))?;
        let length = html[start..].find('>').context("a tag is not closed")?;
        html.replace_range(start..=start + length, "");
    }
    Ok(html)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUNK_PAGE: &str = r#"<link href="./static/app.css"><!-- why --><script type="module">
import init from './app.js';
</script><link rel="modulepreload" href="./app.js"><link rel="preload" href="./x">
<a href="./elsewhere">x</a>"#;

    #[test]
    fn assets_move_into_the_release_folder_and_the_script_into_a_file() {
        let is_asset = |name: &str| ["static/app.css", "app.js", BOOT].contains(&name);
        let html = without_early_fetches(&without_inline_script(TRUNK_PAGE).unwrap()).unwrap();
        assert_eq!(
            published(&html, "release-1", is_asset).unwrap(),
            r#"<link href="./release-1/static/app.css">"#.to_owned()
                + r#"<script type="module" src="./release-1/static/boot.js"></script>"#
                + "\n<a href=\"./elsewhere\">x</a>"
        );
    }

    #[test]
    fn a_style_sheet_loses_what_only_its_readers_need() {
        let sheet = "/* why */\n.a {\n  color: red; /* so */\n\n  top: 0;\n}\n";
        assert_eq!(plain_sheet(sheet).unwrap(), ".a {\ncolor: red;\ntop: 0;\n}");
        assert!(plain_sheet("/* open").is_err());
    }

    #[test]
    fn pages_lie_at_the_top() {
        for (name, expected) in [
            ("index.html", true),
            ("static/404.html", true),
            ("static/deep/x.html", false),
            ("static/app.css", false),
        ] {
            assert_eq!(is_page(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn a_second_inline_script_is_refused() {
        let html = format!("{TRUNK_PAGE}<script>alert()</script>");
        assert!(without_inline_script(&html).is_err());
    }

    #[test]
    fn the_release_name_follows_names_and_contents() {
        let name =
            |name: &str, bytes: &[u8]| release_name(&[(PathBuf::from(name), bytes.to_vec())]);
        assert_eq!(name("a", b"1"), name("a", b"1"));
        assert_ne!(name("a", b"1"), name("a", b"2"));
        assert_ne!(name("a", b"1"), name("b", b"1"));
    }
}
