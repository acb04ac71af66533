//! Compares watchers and leases with a real etcd: random writers, and watchers that start in the past, now and in the
//! future.
//!
//! Half of the watchers are `etcdctl watch` processes. The other half are streams through the JSON gateway, which
//! accepts filters for which etcdctl has no flag. The clock of the real etcd determines how events are distributed over
//! responses. So the comparison is event by event, with every field. Lease IDs are random in a real etcd, so a number
//! replaces each lease ID. Times that depend on the clock are removed.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::etcd::Server;
use super::events::{events_of_etcdctl, events_of_gateway};
use super::write::{Line, Writer};
use super::{Answer, Case, transcript};

/// The start revisions of the watchers that start before the first compaction. They are negative, or far in the future.
const ODD_STARTS: [i64; 6] = [-1, -1, -2, -7, i64::MIN, 1_000_000];

/// A duration in which etcd performs several sync passes.
const SYNC_PASSES: Duration = Duration::from_millis(350);

/// The maximum time until every watcher has received the last write.
const QUIET: Duration = Duration::from_secs(10);

/// A watcher, as a request and the way to send the request.
pub(super) struct Watch {
    name: String,
    /// The words of the command line after `watch`.
    words: Vec<String>,
    /// The body of the request to the gateway; `None` for an etcdctl process.
    gateway: Option<Value>,
    /// Whether `-w json` is set, so that the output is compared event by event.
    json: bool,
}

impl Watch {
    /// Creates a watch for an etcdctl process that prints JSON.
    pub(super) fn etcdctl(name: String, words: Vec<String>) -> Self {
        Self {
            name,
            words,
            gateway: None,
            json: true,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the command that starts the watch in the native shell.
    pub(super) fn typed(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|w| quoted(w)).collect();
        format!("watch {} as {}\n", words.join(" "), self.name)
    }
}

struct Running {
    heard: Arc<Mutex<Vec<u8>>>,
    complained: Arc<Mutex<Vec<u8>>>,
    child: Option<Child>,
}

pub(super) struct Outcome {
    pub(super) commands: usize,
    pub(super) watchers: usize,
    pub(super) events: usize,
    pub(super) differences: usize,
}

/// Runs writers and watchers against the real etcd and the simulator.
pub(super) fn run(server: &Server, watchers: usize, writes: usize, seed: u64) -> Result<Outcome> {
    let mut writer = Writer::new(seed);
    let mut lines = Vec::new();
    let mut answers = Vec::new();
    let mut watches = Vec::new();
    let mut running = Vec::new();
    let mut odd_before = 0;
    for n in 0..writes / 2 {
        if n == writes / 8 {
            odd_before = lines.len();
            // A start of -1 hides the events of all watchers in the same sync pass, so these watchers begin one by one.
            for (i, from) in ODD_STARTS.into_iter().take(watchers).enumerate() {
                let odd = watch(&mut writer, i, Some(from));
                running.push(start(server, &odd)?);
                std::thread::sleep(SYNC_PASSES);
                wait_for(server, "etcd_debugging_mvcc_slow_watcher_total", |n| {
                    n == 0.0
                })?;
                watches.push(odd);
            }
        }
        let compacts = n == writes / 4;
        real_line(server, &mut writer, compacts, &mut lines, &mut answers)?;
    }
    let odd = watches.len();
    let before = lines.len();
    for i in odd..odd + watchers {
        let watch = watch(&mut writer, i, None);
        running.push(start(server, &watch)?);
        watches.push(watch);
    }
    let alive = watchers;
    wait_for(server, "etcd_debugging_mvcc_watcher_total", |n| {
        n as usize >= alive / 2
    })?;
    std::thread::sleep(Duration::from_millis(700));
    for n in 0..writes - writes / 2 {
        let compacts = n % 60 == 59;
        if compacts {
            wait_for(server, "etcd_debugging_mvcc_slow_watcher_total", |n| {
                n == 0.0
            })?;
        }
        real_line(server, &mut writer, compacts, &mut lines, &mut answers)?;
    }
    let ours = simulate(server, &watches, odd, &lines, (odd_before, before))?;
    // The commands before the writes: the watches, and the pauses after them.
    let (odd_begun, begun) = (2 * odd, 2 * odd + watchers + 1);
    ensure!(
        ours.len() == lines.len() + begun + watches.len(),
        "the native shell answered {} of {} commands",
        ours.len(),
        lines.len() + begun + watches.len()
    );
    let (commands_ours, recv) = ours.split_at(lines.len() + begun);
    let mut outcome = Outcome {
        commands: lines.len(),
        watchers: watches.len(),
        events: 0,
        differences: 0,
    };
    for (i, (line, answer)) in lines.iter().zip(&answers).enumerate() {
        let at = match i {
            _ if i < odd_before => i,
            _ if i < before => i + odd_begun,
            _ => i + begun,
        };
        let real = writer.named(line, &transcript::merged(answer), Side::Real);
        let ours = writer.named(line, &commands_ours[at], Side::Ours);
        if real != ours {
            outcome.differences += 1;
            println!("\n{}\n--- real\n{real}--- watchglass\n{ours}", line.shown());
        }
    }
    for ((watch, running), ours) in watches.iter().zip(&mut running).zip(recv) {
        compare_watch(watch, running, ours, &writer, &mut outcome)?;
    }
    Ok(outcome)
}

/// A side of the comparison: the real etcd or the simulator. A text contains the lease IDs of one side.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Real,
    Ours,
}

fn real_line(
    server: &Server,
    writer: &mut Writer,
    compacts: bool,
    lines: &mut Vec<Line>,
    answers: &mut Vec<Answer>,
) -> Result<()> {
    let line = if compacts {
        writer.compact()
    } else {
        writer.next()
    };
    let case = Case {
        args: line.words(writer, Side::Real),
        stdin: line.stdin(writer, Side::Real),
    };
    let answer = server.run(&case)?;
    writer.learn(&line, &answer);
    lines.push(line);
    answers.push(answer);
    Ok(())
}

/// Generates a watcher that starts at revision `from`. Without `from`, the watcher starts at a random revision: in the
/// past, now, in the future, below the compacted revision, or below revision 0.
fn watch(writer: &mut Writer, i: usize, from: Option<i64>) -> Watch {
    let gateway = i % 2 == 1;
    let now = writer.revision();
    let signed = |revision: u64| i64::try_from(revision).unwrap_or(i64::MAX);
    let start = from.unwrap_or_else(|| match writer.below(12) {
        0 => 1,
        1..5 => signed(writer.compacted() + writer.below(now - writer.compacted() + 1)),
        5..8 => signed(now + 1 + writer.below(60)),
        8 => -1 - signed(writer.below(3)),
        _ => 0,
    });
    let (key, end, range_words) = writer.range();
    let prev_kv = writer.below(2) == 0;
    let (no_put, no_delete) = match (gateway, writer.below(3)) {
        (true, 0) => (true, false),
        (true, 1) => (false, true),
        _ => (false, false),
    };
    let json = gateway || writer.below(2) == 0;
    let mut words = range_words;
    if start != 0 {
        words.push(format!("--rev={start}"));
    }
    if prev_kv {
        words.push("--prev-kv".into());
    }
    if json {
        words.extend(["-w".into(), "json".into()]);
    }
    let mut filters = Vec::new();
    if no_put {
        words.push("--filter=noput".into());
        filters.push("NOPUT");
    }
    if no_delete {
        words.push("--filter=nodelete".into());
        filters.push("NODELETE");
    }
    let body = json!({"create_request": {
        "key": base64(key.as_bytes()),
        "range_end": base64(end.as_bytes()),
        "start_revision": start.to_string(),
        "prev_kv": prev_kv,
        "filters": filters,
    }});
    Watch {
        name: format!("w{i}"),
        words,
        gateway: gateway.then_some(body),
        json,
    }
}

fn start(server: &Server, watch: &Watch) -> Result<Running> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let complained = Arc::new(Mutex::new(Vec::new()));
    if let Some(body) = &watch.gateway {
        let stream = ask_gateway(server, "/v3/watch", &body.to_string())?;
        collect(stream, &heard);
        return Ok(Running {
            heard,
            complained,
            child: None,
        });
    }
    let mut child = start_etcdctl(server, watch)?;
    collect(child.stdout.take().context("no output")?, &heard);
    collect(child.stderr.take().context("no errors")?, &complained);
    Ok(Running {
        heard,
        complained,
        child: Some(child),
    })
}

pub(super) fn start_etcdctl(server: &Server, watch: &Watch) -> Result<Child> {
    server
        .programs()
        .etcdctl()
        .arg("watch")
        .args(&watch.words)
        .env("ETCDCTL_ENDPOINTS", server.endpoint())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("etcdctl does not start")
}

/// The collected output of a process, on standard output and standard error.
pub(super) struct Heard {
    out: Arc<Mutex<Vec<u8>>>,
    errors: Arc<Mutex<Vec<u8>>>,
}

impl Heard {
    /// Returns standard output, followed by standard error without etcdctl's log lines.
    pub(super) fn text(&self) -> String {
        let [out, errors] = [&self.out, &self.errors].map(|bytes| match bytes.lock() {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) => String::new(),
        });
        format!("{out}{}", without_log(&errors))
    }
}

pub(super) fn collect_lines(child: &mut Child) -> Result<Heard> {
    let heard = Heard {
        out: Arc::default(),
        errors: Arc::default(),
    };
    collect(child.stdout.take().context("no output")?, &heard.out);
    collect(child.stderr.take().context("no errors")?, &heard.errors);
    Ok(heard)
}

fn collect(mut from: impl Read + Send + 'static, into: &Arc<Mutex<Vec<u8>>>) {
    let into = into.clone();
    std::thread::spawn(move || {
        let mut part = [0; 4096];
        while let Ok(n) = from.read(&mut part) {
            if n == 0 {
                break;
            }
            if let Ok(mut all) = into.lock() {
                all.extend_from_slice(&part[..n]);
            }
        }
    });
}

/// Sends a request to the gateway. Returns the lines of the streamed response as they arrive, without chunk lengths.
fn ask_gateway(server: &Server, path: &str, body: &str) -> Result<impl Read + Send + use<>> {
    let mut stream = TcpStream::connect(server.endpoint())?;
    // With HTTP/1.0 the stream would end with the request; the lengths of the chunks are removed below.
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n{body}",
        server.endpoint(),
        body.len()
    )?;
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    while lines.read_line(&mut line)? > 0 && line != "\r\n" {
        line.clear();
    }
    Ok(Unchunked {
        lines,
        left: Vec::new(),
    })
}

struct Unchunked {
    lines: BufReader<TcpStream>,
    left: Vec<u8>,
}

impl Read for Unchunked {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.left.is_empty() {
            let mut line = String::new();
            self.lines.read_line(&mut line)?;
            let Ok(size) = usize::from_str_radix(line.trim(), 16) else {
                return Ok(0);
            };
            self.left.resize(size, 0);
            self.lines.read_exact(&mut self.left)?;
            self.lines.read_line(&mut String::new())?;
        }
        let n = into.len().min(self.left.len());
        into[..n].copy_from_slice(&self.left[..n]);
        self.left.drain(..n);
        Ok(n)
    }
}

/// Waits until a metric of the real etcd has a wanted value, and returns the value.
pub(super) fn wait_for(server: &Server, metric: &str, wanted: impl Fn(f64) -> bool) -> Result<f64> {
    let deadline = Instant::now() + QUIET;
    loop {
        let mut stream = TcpStream::connect(server.endpoint())?;
        write!(stream, "GET /metrics HTTP/1.0\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        let line = text.lines().find_map(|line| line.strip_prefix(metric));
        let value = line
            .and_then(|rest| rest.trim().parse().ok())
            .unwrap_or(0.0);
        if wanted(value) {
            return Ok(value);
        }
        ensure!(Instant::now() < deadline, "{metric} stays at {value}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Runs the watches and the writes in the simulator. The first `odd` watches of the list start one by one, before the
/// write with the index `odd_before`. The other watches start together, before the write with the index `before`.
fn simulate(
    server: &Server,
    watches: &[Watch],
    odd: usize,
    lines: &[Line],
    (odd_before, before): (usize, usize),
) -> Result<Vec<Vec<u8>>> {
    let mut script = String::new();
    for (i, line) in lines.iter().enumerate() {
        if i == odd_before {
            for watch in &watches[..odd] {
                script.push_str(&watch.typed());
                script.push_str("run 350ms\n");
            }
        }
        if i == before {
            for watch in &watches[odd..] {
                script.push_str(&watch.typed());
            }
            // All watchers catch up before a compaction, as with the real etcd.
            script.push_str("run 1s\n");
        }
        line.push_to(&mut script);
    }
    for watch in watches {
        script.push_str(&format!("recv {}\n", watch.name));
    }
    server.programs().simulate(&script)
}

fn quoted(word: &str) -> String {
    format!("'{word}'")
}

fn compare_watch(
    watch: &Watch,
    running: &mut Running,
    ours: &[u8],
    writer: &Writer,
    outcome: &mut Outcome,
) -> Result<()> {
    let ours = String::from_utf8_lossy(ours).into_owned();
    let ours = writer.rename(&ours, Side::Ours);
    let wanted = if watch.json {
        events_of_etcdctl(&ours)?
    } else {
        ours.lines()
            .filter(|l| !l.starts_with("# exit"))
            .map(str::to_owned)
            .collect()
    };
    let deadline = Instant::now() + QUIET;
    let real = loop {
        let text = match running.heard.lock() {
            Ok(heard) => String::from_utf8_lossy(&heard).into_owned(),
            Err(_) => String::new(),
        };
        let complaint = match running.complained.lock() {
            Ok(bytes) => without_log(&String::from_utf8_lossy(&bytes)),
            Err(_) => String::new(),
        };
        let text = writer.rename(&text, Side::Real);
        let real = match (&watch.gateway, watch.json) {
            (Some(_), _) => events_of_gateway(&text)?,
            (None, true) => events_of_etcdctl(&format!("{text}{complaint}"))?,
            (None, false) => text
                .lines()
                .chain(complaint.lines())
                .map(str::to_owned)
                .collect(),
        };
        if real == wanted || Instant::now() > deadline {
            break real;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    if let Some(mut child) = running.child.take() {
        child.kill().ok();
        child.wait()?;
    }
    outcome.events += wanted.len();
    if real != wanted {
        outcome.differences += 1;
        let at = real.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
        println!(
            "\nwatch {} as {}: {} and {} lines; from line {}:\n--- real\n    {}\n--- watchglass\n    {}",
            watch.words.join(" "),
            watch.name,
            real.len(),
            wanted.len(),
            at + 1,
            real.iter()
                .skip(at)
                .take(4)
                .cloned()
                .collect::<Vec<_>>()
                .join("\n    "),
            wanted
                .iter()
                .skip(at)
                .take(4)
                .cloned()
                .collect::<Vec<_>>()
                .join("\n    "),
        );
    }
    Ok(())
}

fn without_log(text: &str) -> String {
    let kept = text.lines().filter(|line| !line.starts_with('{'));
    kept.map(|line| format!("{line}\n")).collect()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let n = chunk.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let digit = DIGITS[(n >> (18 - 6 * i)) as usize & 63];
            out.push(if i <= chunk.len() {
                char::from(digit)
            } else {
                '='
            });
        }
    }
    out
}

/// The lease IDs on one side of the comparison (etcd or the simulator), by the number that stands for the lease on both
/// sides.
pub(super) type Ids = BTreeMap<usize, String>;
