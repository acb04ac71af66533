//! `cargo xtask serve` builds, serves and opens the page. In a fresh clone, no other command is necessary.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::{project, server, site};

const DEFAULT_PORT: u16 = 8080;

/// The address of the etcd that runs beside the page: etcd's default.
const ETCD: &str = "127.0.0.1:2379";

#[derive(Debug)]
struct Serving {
    options: server::Options,
    /// Whether to open the page in the browser.
    opens: bool,
    /// Whether to start an etcd to which the page attaches.
    with_etcd: bool,
}

/// Builds the release page if the sources changed, opens it in the browser, and serves it until the user interrupts.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let Serving {
        options,
        opens,
        with_etcd,
    } = parse(args)?;
    site::build_if_changed()?;
    let mut url = server::start(options)?;
    if with_etcd {
        start_etcd()?;
        url.push_str(&format!("attach.html#{ETCD}"));
        println!("etcd listens on {ETCD} without data: `etcdctl put /a 1` writes the first key");
    }
    println!("Serving {url}");
    std::io::stdout()
        .flush()
        .context("cannot print the address")?;
    println!("Stop with Ctrl-C.");
    if opens {
        open_in_browser(&url);
    }
    loop {
        std::thread::park();
    }
}

/// Starts the etcd on PATH with an empty folder. Ctrl-C ends it together with this process.
fn start_etcd() -> Result<()> {
    let etcd = project::on_path(&["etcd"]).context(
        "there is no etcd on PATH; on Debian, `apt-get install etcd-server etcd-client` installs it",
    )?;
    let folder = std::env::temp_dir().join(format!("watchglass-etcd-{}", std::process::id()));
    let client = format!("http://{ETCD}");
    let mut child = project::program(etcd)
        .arg("--data-dir")
        .arg(&folder)
        .args(["--listen-client-urls", &client])
        .args(["--advertise-client-urls", &client])
        .args(["--log-level", "error"])
        .spawn()
        .context("etcd does not start")?;
    // An etcd that cannot listen ends at once, and prints why.
    std::thread::sleep(Duration::from_millis(500));
    match child.try_wait()? {
        Some(exit) => bail!("etcd ended with {exit}; is another etcd running at {ETCD}?"),
        None => Ok(()),
    }
}

fn parse(args: &[String]) -> Result<Serving> {
    let mut options = server::Options {
        mounts: vec![server::Mount {
            prefix: "/".to_owned(),
            folder: project::dist(),
        }],
        strict_csp: false,
        port: DEFAULT_PORT,
    };
    let (mut opens, mut with_etcd) = (true, false);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--no-open" => opens = false,
            "--with-etcd" => with_etcd = true,
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
                "`serve` does not know `{other}`; it takes --port N, --no-open, --with-etcd, \
                 --prefix /path/, --csp"
            ),
        }
    }
    Ok(Serving {
        options,
        opens,
        with_etcd,
    })
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

    fn parse_words(words: &str) -> Result<Serving> {
        parse(
            &words
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn options_are_read() {
        let words = "--port 9000 --no-open --with-etcd --prefix docs/a --csp";
        let serving = parse_words(words).unwrap();
        assert!(serving.options.strict_csp && serving.with_etcd && !serving.opens);
        assert_eq!(serving.options.port, 9000);
        assert_eq!(serving.options.mounts[0].prefix, "/docs/a/");
    }

    #[test]
    fn mistakes_are_named() {
        let message = |words| format!("{:#}", parse_words(words).unwrap_err());
        assert!(message("--port").contains("needs a number"));
        assert!(message("--port x").contains("from 1 to 65535"));
        assert!(message("--fast").contains("--fast"));
    }
}
