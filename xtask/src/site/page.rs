//! Lays out `dist/`: `index.html` at the top, all else in a folder named by the fingerprint of its contents.
//!
//! Trunk starts the app from an inline script, which a strict Content-Security-Policy forbids; it is replaced here by
//! a file, `boot.js`, which also says on the page what went wrong when the app cannot start.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::project::{self, Fingerprint};

const INDEX: &str = "index.html";
const BOOT: &str = include_str!("boot.js");

/// Copies Trunk's output into `dist`, in its published form; returns the name of the release's folder.
pub(super) fn assemble(trunk_output: &Path, dist: &Path) -> Result<String> {
    let mut files = Vec::new();
    for path in project::files_below(trunk_output, &[])? {
        let name = path
            .strip_prefix(trunk_output)
            .context("a listed file lies below its folder")?;
        if name != Path::new(INDEX) {
            let bytes =
                std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            files.push((name.to_path_buf(), bytes));
        }
    }
    files.push((PathBuf::from("boot.js"), BOOT.as_bytes().to_vec()));
    files.sort();
    let release = release_name(&files);

    let html = std::fs::read_to_string(trunk_output.join(INDEX))
        .context("Trunk wrote no index.html: is `target` in Trunk.toml right?")?;
    let is_asset = |name: &str| files.iter().any(|(path, _)| path == Path::new(name));
    let html = published(&html, &release, is_asset)?;

    if dist.exists() {
        std::fs::remove_dir_all(dist).context("cannot empty dist/")?;
    }
    for (name, bytes) in &files {
        write(&dist.join(&release).join(name), bytes)?;
    }
    write(&dist.join(INDEX), html.as_bytes())?;
    Ok(release)
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

/// Trunk's page with its inline script moved out and its assets looked up in the release's folder.
fn published(html: &str, release: &str, is_asset: impl Fn(&str) -> bool) -> Result<String> {
    let html = without_comments(&without_inline_script(html)?)?;
    let mut result = String::with_capacity(html.len() + 256);
    let mut rest = html.as_str();
    while let Some(at) = rest.find("=\"./") {
        let (before, value) = rest.split_at(at + 2);
        let end = value
            .find('"')
            .context("index.html: an attribute's closing quote is missing")?;
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
    let mut result = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = rest.find("<!--") {
        let length = rest[start..]
            .find("-->")
            .context("index.html: a comment is not closed")?;
        result.push_str(rest[..start].trim_end());
        rest = &rest[start + length + "-->".len()..];
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
        "{before}<script type=\"module\" src=\"./boot.js\"></script>{after}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUNK_PAGE: &str = r#"<link href="./static/app.css"><!-- why --><script type="module">
import init from './app.js';
</script><link href="./app.js"><a href="./elsewhere">x</a>"#;

    #[test]
    fn assets_move_into_the_release_folder_and_the_script_into_a_file() {
        let is_asset = |name: &str| ["static/app.css", "app.js", "boot.js"].contains(&name);
        assert_eq!(
            published(TRUNK_PAGE, "release-1", is_asset).unwrap(),
            r#"<link href="./release-1/static/app.css"><script type="module" src="./release-1/boot.js"></script>"#
                .to_owned()
                + r#"<link href="./release-1/app.js"><a href="./elsewhere">x</a>"#
        );
    }

    #[test]
    fn a_second_inline_script_is_refused() {
        let html = format!("{TRUNK_PAGE}<script>alert()</script>");
        assert!(published(&html, "release-1", |_| true).is_err());
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
