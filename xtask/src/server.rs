//! A static file server for `serve` and for the browser tests, which behaves like an ordinary static host.
//!
//! Files are read for each request, so a rebuilt page is visible after a reload. Browsers that accept compressed files
//! get the precompressed files (`.br`, `.gz`). Responses are `no-cache` and have an ETag, so the browser asks for each
//! file but downloads a file only if it changed. The module `wire` parses requests and writes responses; this file
//! chooses the responses.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::project::Fingerprint;
use wire::{Answer, Request};

mod wire;

/// The Content-Security-Policy under which the page must work. Documentation sites use similar policies.
pub(crate) const STRICT_CSP: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    worker-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'self'; form-action 'none'";

const ATTACH: &str = "attach.html";

/// The number of ports to try. If a port is in use, the server tries the next port.
const PORTS_TRIED: u16 = 20;

#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The page's folder, followed by other folders on the same host. If several mounts match a path, the last match in
    /// the list serves the path.
    pub(crate) mounts: Vec<Mount>,
    /// Whether responses contain the header [`STRICT_CSP`].
    pub(crate) strict_csp: bool,
    /// The first port to try. With 0, the operating system chooses a port.
    pub(crate) port: u16,
}

#[derive(Clone, Debug)]
pub(crate) struct Mount {
    /// The prefix, which starts and ends with a slash.
    pub(crate) prefix: String,
    pub(crate) folder: PathBuf,
}

/// Starts to serve on 127.0.0.1 in background threads, until the process ends. Returns the address of the page.
pub(crate) fn start(mut options: Options) -> Result<String> {
    for mount in &mut options.mounts {
        mount.folder = mount.folder.canonicalize().with_context(|| {
            format!(
                "there is no folder {}: run `cargo xtask build`",
                mount.folder.display()
            )
        })?;
    }
    let listener = bind(options.port)?;
    let url = format!(
        "http://{}{}",
        listener.local_addr()?,
        options.mounts[0].prefix
    );
    std::thread::spawn(move || wire::accept(&listener, move |request| answer(&options, request)));
    Ok(url)
}

/// Converts a prefix from the command line (`docs`, `/docs/`) to the form that [`Mount`] requires.
pub(crate) fn normal_prefix(text: &str) -> String {
    match text.trim_matches('/') {
        "" => "/".to_owned(),
        inner => format!("/{inner}/"),
    }
}

fn bind(first: u16) -> Result<TcpListener> {
    let last = first.saturating_add(PORTS_TRIED);
    let mut bound = (first..=last).map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)));
    match bound.find_map(Result::ok) {
        Some(listener) => Ok(listener),
        None => {
            bail!("ports {first} to {last} of 127.0.0.1 are all taken: name another with --port")
        }
    }
}

fn answer(options: &Options, request: &Request) -> Answer {
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        return plain(405, "this server only hands out files: use GET");
    }
    let path = request.target.split(['?', '#']).next().unwrap_or_default();
    let mut mounts = options.mounts.iter().rev();
    if mounts.clone().any(|m| format!("{path}/") == m.prefix) {
        return redirect(&format!("{path}/"));
    }
    let Some((mount, inside)) = mounts.find_map(|m| Some((m, path.strip_prefix(&m.prefix)?)))
    else {
        return plain(
            404,
            &format!(
                "nothing here: the page is under {}",
                options.mounts[0].prefix
            ),
        );
    };
    let Some(file) = safe_path(&mount.folder, inside) else {
        return not_found(options, mount, request);
    };
    if file.is_dir() {
        if !path.ends_with('/') {
            return redirect(&format!("{path}/"));
        }
        return file_answer(options, &file.join("index.html"), request);
    }
    file_answer(options, &file, request)
}

/// Returns the response to a request for a missing file: the folder's `404.html`, like a static host.
fn not_found(options: &Options, mount: &Mount, request: &Request) -> Answer {
    match mount.folder.join("404.html") {
        page if page.is_file() => Answer {
            status: 404,
            ..file_answer(options, &page, request)
        },
        _ => plain(404, "no such file"),
    }
}

/// Returns the file that a URL path names. Returns `None` if the path leads out of the folder or to a hidden file.
fn safe_path(folder: &Path, url_path: &str) -> Option<PathBuf> {
    let decoded = percent_decoded(url_path)?;
    if decoded.contains(['\\', '\0', ':']) {
        return None;
    }
    let relative = Path::new(decoded.trim_end_matches('/'));
    let harmless = relative.components().all(|part| match part {
        Component::Normal(name) => !name.to_string_lossy().starts_with('.'),
        _ => false,
    });
    // A link inside the folder may lead out of it, so the real path is checked, too.
    let real = folder.join(relative).canonicalize().ok()?;
    (harmless && real.starts_with(folder)).then_some(real)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

fn file_answer(options: &Options, file: &Path, request: &Request) -> Answer {
    let (encoding, stored) = stored_form(file, request.header("Accept-Encoding"));
    let Ok(body) = std::fs::read(&stored) else {
        return plain(404, "no such file");
    };
    let mut fingerprint = Fingerprint::new();
    fingerprint.add(&body);
    let etag = format!("\"{}\"", fingerprint.hex());
    let mut headers = vec![
        ("ETag", etag.clone()),
        ("Cache-Control", "no-cache".to_owned()),
        ("Vary", "Accept-Encoding".to_owned()),
        // Documentation sites embed the page from another host, and some of these sites are cross-origin isolated.
        ("Access-Control-Allow-Origin", "*".to_owned()),
        ("Cross-Origin-Resource-Policy", "cross-origin".to_owned()),
        ("X-Content-Type-Options", "nosniff".to_owned()),
    ];
    if options.strict_csp {
        headers.push(("Content-Security-Policy", policy(file)));
    }
    let known = request.header("If-None-Match");
    if known.split(',').any(|tag| tag.trim() == etag) {
        return Answer {
            status: 304,
            headers,
            body: Vec::new(),
        };
    }
    headers.push(("Content-Type", mime_type(file).to_owned()));
    if let Some(encoding) = encoding {
        headers.push(("Content-Encoding", encoding.to_owned()));
    }
    Answer {
        status: 200,
        headers,
        body,
    }
}

/// Returns [`STRICT_CSP`]. The page that attaches to an etcd may also connect to other servers.
fn policy(file: &Path) -> String {
    match file.file_name().is_some_and(|name| name == ATTACH) {
        true => STRICT_CSP.replace("connect-src", "connect-src http: https:"),
        false => STRICT_CSP.to_owned(),
    }
}

/// Returns the smallest form of a file that is on disk and that the browser accepts, and the name of its encoding.
fn stored_form(file: &Path, accept_encoding: &str) -> (Option<&'static str>, PathBuf) {
    let accepts = |encoding: &str| {
        accept_encoding.split(',').any(|item| {
            let mut parts = item.split(';').map(str::trim);
            parts.next() == Some(encoding) && !parts.any(|part| part == "q=0")
        })
    };
    for (encoding, suffix) in [("br", "br"), ("gzip", "gz")] {
        let mut name = file.as_os_str().to_owned();
        name.push(format!(".{suffix}"));
        let stored = PathBuf::from(name);
        if accepts(encoding) && stored.is_file() {
            return (Some(encoding), stored);
        }
    }
    (None, file.to_path_buf())
}

fn mime_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("webmanifest") => "application/manifest+json",
        Some("woff2") => "font/woff2",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn plain(status: u16, text: &str) -> Answer {
    let headers = vec![("Content-Type", "text/plain; charset=utf-8".to_owned())];
    Answer {
        status,
        headers,
        body: format!("{text}\n").into_bytes(),
    }
}

fn redirect(to: &str) -> Answer {
    let mut answer = plain(302, to);
    answer.headers.push(("Location", to.to_owned()));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary folder that contains a page and its Brotli form. Another file is outside the folder. All files are
    /// removed when the value is dropped.
    struct Site(PathBuf);

    impl Site {
        fn new(name: &str) -> Self {
            let base =
                std::env::temp_dir().join(format!("wg-server-{name}-{}", std::process::id()));
            let folder = base.join("site");
            std::fs::create_dir_all(folder.join("deep")).unwrap();
            std::fs::write(base.join("secret.txt"), "secret").unwrap();
            std::fs::write(folder.join("index.html"), "<p>page</p>").unwrap();
            std::fs::write(folder.join("deep/x.txt"), "deep").unwrap();
            std::fs::write(folder.join("app.wasm"), "raw").unwrap();
            std::fs::write(folder.join("app.wasm.br"), "br").unwrap();
            std::fs::write(folder.join(".hidden"), "hidden").unwrap();
            Self(base)
        }

        fn options(&self) -> Options {
            Options {
                mounts: [("/docs/", "site"), ("/other/", "site/deep")]
                    .map(|(prefix, folder)| Mount {
                        prefix: prefix.to_owned(),
                        folder: self.0.join(folder).canonicalize().unwrap(),
                    })
                    .into(),
                strict_csp: true,
                port: 0,
            }
        }

        fn get(&self, url: &str, accept_encoding: &str) -> Answer {
            self.answer(url, ("Accept-Encoding", accept_encoding))
        }

        fn answer(&self, url: &str, (name, value): (&str, &str)) -> Answer {
            let request = Request {
                method: "GET".to_owned(),
                target: url.to_owned(),
                headers: vec![(name.to_owned(), value.to_owned())],
            };
            answer(&self.options(), &request)
        }
    }

    impl Drop for Site {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).ok();
        }
    }

    fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
        let found = answer.headers.iter().find(|(field, _)| *field == name);
        found.map(|(_, value)| value.as_str())
    }

    #[test]
    fn serves_the_page_under_its_prefix_only() {
        let site = Site::new("prefix");
        assert_eq!(site.get("/docs/?theme=dark", "").body, b"<p>page</p>");
        assert_eq!(header(&site.get("/docs", ""), "Location"), Some("/docs/"));
        assert_eq!(
            header(&site.get("/docs/deep", ""), "Location"),
            Some("/docs/deep/")
        );
        assert_eq!(site.get("/index.html", "").status, 404);
        assert_eq!(site.get("/other/x.txt", "").body, b"deep");
        assert_eq!(header(&site.get("/other", ""), "Location"), Some("/other/"));
        assert!(header(&site.get("/docs/", ""), "Content-Security-Policy").is_some());
    }

    #[test]
    fn sends_the_compressed_form_to_those_who_accept_it() {
        let site = Site::new("encoding");
        let compressed = site.get("/docs/app.wasm", "gzip, deflate, br");
        assert_eq!(compressed.body, b"br");
        assert_eq!(header(&compressed, "Content-Encoding"), Some("br"));
        assert_eq!(
            header(&compressed, "Content-Type"),
            Some("application/wasm")
        );
        assert_eq!(site.get("/docs/app.wasm", "br;q=0, gzip").body, b"raw");
    }

    #[test]
    fn does_not_leave_its_folder() {
        let site = Site::new("traversal");
        for url in [
            "/docs/../secret.txt",
            "/docs/deep/../../secret.txt",
            "/docs/%2e%2e/secret.txt",
            "/docs/..%2fsecret.txt",
            "/docs/..%5csecret.txt",
            "/docs//etc/passwd",
            "/docs/.hidden",
            "/docs/%",
        ] {
            assert_eq!(site.get(url, "").status, 404, "{url}");
        }
    }

    #[test]
    fn answers_not_modified_to_a_known_etag() {
        let site = Site::new("etag");
        let etag = header(&site.get("/docs/", ""), "ETag").unwrap().to_owned();
        let again = site.answer("/docs/", ("If-None-Match", &etag));
        assert_eq!((again.status, again.body.len()), (304, 0));
    }
}
