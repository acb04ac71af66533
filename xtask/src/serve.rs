//! `cargo xtask serve` builds, serves and opens the page. In a fresh clone, no other command is necessary.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::{project, server, site};

const DEFAULT_PORT: u16 = 8080;

/// Builds the release page if the sources changed, opens it in the browser, and serves it until the user interrupts.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let (options, open) = parse(args)?;
    site::build_if_changed()?;
    let url = server::start(options)?;
    println!("Serving {url}");
    std::io::stdout()
        .flush()
        .context("cannot print the address")?;
    println!("Stop with Ctrl-C.");
    if open {
        open_in_browser(&url);
    }
    loop {
        std::thread::park();
    }
}

fn parse(args: &[String]) -> Result<(server::Options, bool)> {
    let mut options = server::Options {
        mounts: vec![server::Mount {
            prefix: "/".to_owned(),
            folder: project::dist(),
        }],
        strict_csp: false,
        port: DEFAULT_PORT,
    };
    let mut open = true;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--no-open" => open = false,
            "--csp" => options.strict_csp = true,
            "--port" => {
                let text = args
                    .next()
                    .context("--port needs a number, such as `--port 8080`")?;
                options.port = text
                    .parse()
                    .with_context(|| format!("--port {text}: expected a number from 1 to 65535"))?;
            }
            "--prefix" => {
                let text = args
                    .next()
                    .context("--prefix needs a path, such as `--prefix /docs/`")?;
                options.mounts[0].prefix = server::normal_prefix(text);
            }
            other => bail!(
                "`serve` does not know `{other}`; it takes --port N, --no-open, --prefix /path/, --csp"
            ),
        }
    }
    Ok((options, open))
}

/// Opens the page in the desktop's browser. A failure is not an error, because the address is also printed.
fn open_in_browser(url: &str) {
    let has_no_desktop = cfg!(target_os = "linux")
        && std::env::var_os("DISPLAY").is_none()
        && std::env::var_os("WAYLAND_DISPLAY").is_none();
    if has_no_desktop || std::env::var_os("CI").is_some() {
        return;
    }
    let mut command = if cfg!(target_os = "macos") {
        project::program("open")
    } else if cfg!(windows) {
        let mut cmd = project::program("cmd");
        cmd.args(["/C", "start", ""]);
        cmd
    } else {
        project::program("xdg-open")
    };
    if command.arg(url).status().is_err() {
        println!("Open the address above in a browser.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(words: &str) -> Result<(server::Options, bool)> {
        parse(
            &words
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn options_are_read() {
        let (options, open) = parse_words("--port 9000 --no-open --prefix docs/a --csp").unwrap();
        assert_eq!(
            (options.port, open, options.strict_csp),
            (9000, false, true)
        );
        assert_eq!(options.mounts[0].prefix, "/docs/a/");
    }

    #[test]
    fn mistakes_are_named() {
        let message = |words| format!("{:#}", parse_words(words).unwrap_err());
        assert!(message("--port").contains("needs a number"));
        assert!(message("--port x").contains("from 1 to 65535"));
        assert!(message("--fast").contains("--fast"));
    }
}
