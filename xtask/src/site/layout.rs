//! Lays out `dist/`. The pages and the loader of `<watch-glass>` are at the top, where their addresses never change.
//! All other files are in the release's folder, whose name is the fingerprint of its contents.
//!
//! Because of this layout, a page can never start a worker of another release, no matter which files a cache contains.
//! An old release can stay beside the new release for pages that are still open. File names inside the release's folder
//! contain no fingerprint: a program finds its files relative to its own module, by `import.meta.url`.
//!
//! All style sheets of a page become one file with the name of the page (see `sheets`). The files to copy are those
//! that `index.html` tells Trunk to copy, so that both builds use the same list.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::sheets;
use crate::project::{self, Fingerprint};

const INDEX: &str = "index.html";
/// The loader script. Other sites link to the loader, so its address must not contain the release.
const LOADER: &str = "watch-glass.js";

/// A file to write: its path and its content. The path is relative to `dist/` or to the release's folder.
type Entry = (PathBuf, Vec<u8>);

/// Creates `dist` from the sources and the compiled programs. Returns the name of the release's folder.
pub(super) fn write(programs: &Path, dist: &Path) -> Result<String> {
    let root = project::root();
    let index = read_text(&root.join(INDEX))?;
    let links = trunk_links(&index)?;
    let mut files = files_of(programs, Path::new(""))?;
    let index = without_trunk(&index, &links, |inlined| read_text(&root.join(inlined)))?;
    let mut top = vec![(PathBuf::from(INDEX), index)];
    for link in &links {
        let source = root.join(&link.href);
        match link.rel.as_str() {
            "rust" | "inline" => {}
            "copy-dir" => files.extend(files_of(&source, &link.target)?),
            "copy-file" => {
                let name = source.file_name().context("a copied file has a name")?;
                top.push((PathBuf::from(name), read_text(&source)?));
            }
            other => anyhow::bail!(
                "index.html has a `data-trunk` link with rel=\"{other}\", which xtask cannot copy"
            ),
        }
    }
    // The pages in `static` exist only at the top.
    files.retain(|(path, _)| {
        let name = path.file_name();
        !top.iter().any(|(page, _)| page.file_name() == name)
    });
    files.retain(|(path, _)| path.extension().is_none_or(|end| end != "css"));
    for (name, text) in &mut top {
        let sheet = format!("static/{}.css", name.display());
        if let Some(joined) = sheets::join(text, &sheet, |href| read_text(&root.join(href)))? {
            *text = joined.html;
            files.push((PathBuf::from(sheet), joined.sheet.into_bytes()));
        }
    }
    for (path, bytes) in &mut files {
        if path.starts_with("static") && path.extension().is_some_and(|end| end == "js") {
            let text = std::str::from_utf8(bytes).context("a script is not UTF-8")?;
            *bytes = without_comment_lines(text).into_bytes();
        }
    }
    files.sort();
    let release = release_name(&files);
    ensure!(
        top.iter().any(|(page, _)| page == Path::new(LOADER)),
        "index.html does not name {LOADER} as a file to copy"
    );

    if dist.exists() {
        std::fs::remove_dir_all(dist).context("cannot empty dist/")?;
    }
    for (name, bytes) in &files {
        write_file(&dist.join(&release).join(name), bytes)?;
    }
    let is_asset = |name: &str| files.iter().any(|(path, _)| path == Path::new(name));
    for (name, text) in &top {
        let text = match name.extension() {
            Some(end) if end == "html" => published(text, &release, is_asset)
                .with_context(|| format!("publishing {}", name.display()))?,
            // The loader and the manifest name files of their release.
            _ => ['\'', '"']
                .iter()
                .fold(without_comment_lines(text), |text, quote| {
                    let here = format!("{quote}./static/");
                    text.replace(&here, &format!("{quote}./{release}/static/"))
                }),
        };
        write_file(&dist.join(name), text.as_bytes())?;
    }
    Ok(release)
}

/// A `<link data-trunk …>` tag in `index.html`, which tells Trunk to copy or inline a file.
#[derive(Debug, PartialEq)]
struct TrunkLink {
    tag: String,
    rel: String,
    href: String,
    /// If the tag copies a folder: the destination folder, relative to the release's folder.
    target: PathBuf,
}

fn trunk_links(html: &str) -> Result<Vec<TrunkLink>> {
    const OPEN: &str = "<link data-trunk ";
    let mut links = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find(OPEN) {
        let length = rest[start..].find('>').context("a link is not closed")? + 1;
        let tag = &rest[start..start + length];
        let value = |name: &str| {
            let value = tag.split_once(&format!(" {name}=\""))?.1;
            Some(value.split_once('"')?.0.to_owned())
        };
        let href = value("href").with_context(|| format!("{tag} has no href"))?;
        let folder = Path::new(&href).file_name().unwrap_or_default();
        links.push(TrunkLink {
            tag: tag.to_owned(),
            rel: value("rel").with_context(|| format!("{tag} has no rel"))?,
            target: value("data-target-path").map_or_else(|| folder.into(), PathBuf::from),
            href,
        });
        rest = &rest[start + length..];
    }
    Ok(links)
}

/// Returns the page without the Trunk links. The content of inlined files replaces their links.
fn without_trunk(
    html: &str,
    links: &[TrunkLink],
    read: impl Fn(&str) -> Result<String>,
) -> Result<String> {
    links.iter().try_fold(html.to_owned(), |html, link| {
        let text = match link.rel.as_str() {
            "inline" => read(&link.href)?,
            _ => String::new(),
        };
        Ok(html.replacen(&link.tag, &text, 1))
    })
}

/// Returns all files below `folder`. In the release's folder, these files are below `target`.
fn files_of(folder: &Path, target: &Path) -> Result<Vec<Entry>> {
    let mut files = Vec::new();
    for path in project::files_below(folder, &[])? {
        let name = path
            .strip_prefix(folder)
            .context("a listed file lies below its folder")?;
        let bytes = std::fs::read(&path)
            .with_context(|| format!("cannot read {}", project::relative(&path)))?;
        files.push((target.join(name), bytes));
    }
    Ok(files)
}

fn read_text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path)
        .with_context(|| format!("cannot read {}", project::relative(path)))
}

fn release_name(files: &[Entry]) -> String {
    let mut fingerprint = Fingerprint::new();
    for (name, bytes) in files {
        fingerprint.add(name.to_string_lossy().replace('\\', "/").as_bytes());
        fingerprint.add(bytes);
    }
    format!("release-{}", &fingerprint.hex()[..12])
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().context("a file in dist/ has a folder")?;
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, bytes))
        .with_context(|| format!("cannot write {}", project::relative(path)))
}

/// Returns a page in which the addresses of assets point into the release's folder.
fn published(html: &str, release: &str, is_asset: impl Fn(&str) -> bool) -> Result<String> {
    let html = without_comments(html)?;
    ensure!(
        !html.contains("<script>") && !html.contains("<script type=\"module\">"),
        "an inline script, which a strict Content-Security-Policy forbids: move it to a file"
    );
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

/// Returns a page without comments, which are only for readers of the source.
fn without_comments(html: &str) -> Result<String> {
    without(html, "<!--", "-->")
}

/// Returns a script of `static` without the lines that are comments. No string there has a line that begins with `//`.
fn without_comment_lines(script: &str) -> String {
    let lines = script.split_inclusive('\n');
    lines
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect()
}

/// Returns the text without the parts between `open` and `close`, including `open` and `close`.
pub(super) fn without(text: &str, open: &str, close: &str) -> Result<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<link href="./static/app.css"><!-- why -->
<link data-trunk rel="copy-dir" href="static"><link data-trunk rel="copy-dir"
  href="engine/runs" data-target-path="scenarios/runs">
<script type="module" src="./static/boot.js"></script><a href="./elsewhere">x</a>"#;

    fn plain(html: &str) -> String {
        let inlined = |name: &str| Ok(format!("[{name}]"));
        without_trunk(html, &trunk_links(html).unwrap(), inlined).unwrap()
    }

    #[test]
    fn inlined_files_stand_where_their_link_stood() {
        let html = r#"<p><link data-trunk rel="inline" type="html" href="a.html"></p>"#;
        assert_eq!(plain(html), "<p>[a.html]</p>");
    }

    #[test]
    fn links_for_trunk_are_read_and_removed() {
        let links = trunk_links(PAGE).unwrap();
        let targets: Vec<_> = links.iter().map(|link| link.target.clone()).collect();
        assert_eq!(targets, [PathBuf::from("static"), "scenarios/runs".into()]);
        assert_eq!(links[1].href, "engine/runs");
        assert!(!plain(PAGE).contains("data-trunk"));
    }

    #[test]
    fn assets_are_looked_up_in_the_release_folder() {
        let is_asset = |name: &str| ["static/app.css", "static/boot.js"].contains(&name);
        let html = plain(PAGE);
        assert_eq!(
            published(&html, "release-1", is_asset).unwrap(),
            "<link href=\"./release-1/static/app.css\">\n\n\
             <script type=\"module\" src=\"./release-1/static/boot.js\"></script><a href=\"./elsewhere\">x</a>"
        );
    }

    #[test]
    fn an_inline_script_is_refused() {
        let html = format!("{PAGE}<script>alert()</script>");
        assert!(published(&html, "release-1", |_| false).is_err());
    }

    #[test]
    fn a_published_script_has_no_lines_of_comments() {
        let script = "// Why.\nconst a = 'x'; // and so\n  // Why not.\nb();\n";
        assert_eq!(
            without_comment_lines(script),
            "const a = 'x'; // and so\nb();\n"
        );
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
