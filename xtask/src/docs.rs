//! `cargo xtask docs` tests the adapters in `integrations` and the pages of `examples/etcd-docs`.
//!
//! First the unit tests of the adapters run, which need no documentation system; they are also a stage of `cargo xtask
//! test`. Then the real tools build the example sites into `target/docs`, and refuse a page with a mistake.
//! `e2e/specs/docs.spec.mjs` opens the sites. A tool that is not installed is named and skipped: nothing else needs the
//! tools, and Docusaurus alone has 300 MB.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::report::Report;
use crate::server::Mount;
use crate::{browser, project, site, tools};

/// An example site. Paths are relative to the site's folder, unless their comments name another one.
struct Site {
    name: &'static str,
    /// Relative to the project.
    folder: &'static str,
    /// The folder for the files of Watchglass.
    vendored: &'static str,
    /// The path of this folder in the published site.
    published: &'static str,
    /// The page that a page with a mistake replaces in a second build, this page, and the line of the mistake.
    broken: Option<(&'static str, &'static str, u32)>,
    /// Returns the command that builds the site into a folder; `None` if the tool is not installed.
    tool: fn(&Path) -> Option<Command>,
    /// How to install the tool.
    missing: &'static str,
}

const SITES: [Site; 5] = [
    Site {
        name: "mdbook",
        folder: "integrations/mdbook/example",
        vendored: "src/watchglass",
        published: "watchglass",
        broken: Some(("src/slow-client.md", "../broken.md", 5)),
        tool: |out| {
            let mut command = on_path("mdbook")?;
            command.args(["build", "-d"]).arg(out);
            Some(command)
        },
        missing: "install mdBook",
    },
    Site {
        name: "hugo",
        folder: "integrations/hugo/example",
        vendored: "static/watchglass",
        published: "watchglass",
        broken: Some(("content/_index.md", "../broken.md", 6)),
        tool: hugo,
        missing: "install Hugo",
    },
    Site {
        name: "sphinx",
        folder: "integrations/sphinx/example",
        vendored: "_static/watchglass",
        published: "_static/watchglass",
        broken: Some(("index.rst", "../broken.rst", 6)),
        tool: |out| {
            let mut command = on_path("sphinx-build")?;
            command.args(["-q", "-b", "html", "."]).arg(out);
            Some(command)
        },
        missing: "install the Python packages sphinx and myst-parser",
    },
    Site {
        name: "docusaurus",
        folder: "integrations/remark/example",
        vendored: "static/watchglass",
        published: "watchglass",
        broken: Some(("docs/slow-client.md", "../broken.md", 6)),
        tool: |out| {
            let script = work().join("node_modules/@docusaurus/core/bin/docusaurus.mjs");
            let mut command = on_path("node")?;
            command
                .arg(script.is_file().then_some(script)?)
                .args(["build", "--out-dir"])
                .arg(out)
                .env("BASE_URL", prefix("docusaurus"));
            Some(command)
        },
        missing: "copy integrations/remark/example/package.json into target/docs and run `npm install` there",
    },
    Site {
        name: "etcd-docs",
        folder: "examples/etcd-docs",
        vendored: "static/watchglass",
        published: "watchglass",
        broken: None,
        tool: hugo,
        missing: "install Hugo",
    },
];

/// Runs `cargo xtask docs`.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    ensure!(args.is_empty(), "`docs` takes no arguments");
    site::build_if_changed()?;
    test()?;
    let source = work().join("source");
    clear(&source)?;
    for folder in ["integrations", "examples/etcd-docs"] {
        copy(&project::root().join(folder), &source.join(folder))?;
    }
    let mut mounts = vec![mount(browser::PREFIX.to_owned(), project::dist())];
    let mut built = Vec::new();
    let mut skipped = Vec::new();
    for site in &SITES {
        if (site.tool)(Path::new("")).is_none() {
            skipped.push(site);
            continue;
        }
        let out = site.build(&source)?;
        let published = format!("{}{}/", prefix(site.name), site.published);
        mounts.push(mount(prefix(site.name), out));
        mounts.push(mount(published, project::dist()));
        built.push(site.name);
    }
    let report = browser::test_docs(mounts, &built)?;
    for site in skipped {
        println!("skipped: {}: {}", site.name, site.missing);
    }
    println!("{} passed, {} failed", report.passed, report.failed);
    Ok(if report.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs the unit tests of the adapters. Those in Python are skipped if Python is not installed.
pub(crate) fn test() -> Result<Report> {
    let folder = project::root().join("integrations/test");
    let mut node = tools::node();
    project::run(
        node.args(["--test", "--test-reporter=dot", "watchglass.test.mjs"])
            .current_dir(&folder),
    )?;
    let Some(mut python) = on_path("python3") else {
        return Ok(Report {
            note: "partly skipped: there is no `python3` on PATH".to_owned(),
            ..Report::default()
        });
    };
    python.args(["-B", "-m", "unittest", "watchglass_test"]);
    project::run(python.current_dir(&folder))?;
    Ok(Report::default())
}

impl Site {
    /// Builds the copy of the site below `source`, and returns the folder with its pages. Then builds the site with a
    /// mistake in a page, which must fail with the file and the line.
    fn build(&self, source: &Path) -> Result<PathBuf> {
        let folder = source.join(self.folder);
        let vendored = folder.join(self.vendored);
        std::fs::create_dir_all(&vendored)?;
        // The server adds the other files of Watchglass to the built site.
        for file in ["figures.json", "watch-glass.js"] {
            std::fs::copy(project::dist().join(file), vendored.join(file))
                .with_context(|| format!("dist/ has no {file}"))?;
        }
        let out = work().join(self.name);
        clear(&out)?;
        project::run(&mut self.command(&folder, &out)?)?;
        if let Some((page, broken, line)) = self.broken {
            std::fs::copy(folder.join(broken), folder.join(page))?;
            let refused = work().join("refused");
            clear(&refused)?;
            let output = self.command(&folder, &refused)?.output()?;
            let text = [output.stdout, output.stderr].concat();
            let text = String::from_utf8_lossy(&text);
            ensure!(
                !output.status.success()
                    && text.contains(&format!("{page}:{line}:"))
                    && text.contains("the run `slow-client` has no beat 40"),
                "{} does not refuse a beat that does not exist in {page}:\n{text}",
                self.name
            );
        }
        Ok(out)
    }

    fn command(&self, folder: &Path, out: &Path) -> Result<Command> {
        let mut command = (self.tool)(out).context("the tool was there")?;
        command
            .current_dir(folder)
            .stdin(std::process::Stdio::null());
        Ok(command)
    }
}

fn hugo(out: &Path) -> Option<Command> {
    let mut command = on_path("hugo")?;
    command.arg("-d").arg(out);
    Some(command)
}

fn on_path(name: &str) -> Option<Command> {
    project::on_path(&[name]).map(Command::new)
}

fn prefix(name: &str) -> String {
    format!("/docs/{name}/")
}

fn mount(prefix: String, folder: PathBuf) -> Mount {
    Mount { prefix, folder }
}

/// Returns the folder of the copies and of the built sites.
fn work() -> PathBuf {
    project::root().join("target/docs")
}

fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for file in project::files_below(from, &["node_modules", "__pycache__"])? {
        let target = to.join(file.strip_prefix(from)?);
        std::fs::create_dir_all(target.parent().context("a file has a folder")?)?;
        std::fs::copy(&file, target)?;
    }
    Ok(())
}
