//! Compares the simulator with recorded responses of a real kube-apiserver: code, reason and text of errors, their
//! details, the source of each response, the objects, the continue token and the events of watches, byte for byte.
//!
//! `tests/data/kube` has the recordings, with their format. The revisions of the simulator are those of the real
//! server, so all numbers and tokens are equal.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::support::data_text;
use watchglass_engine::api::Request;
use watchglass_engine::api::message::{Body, EtcdMessage};
use watchglass_engine::base::ids::NodeId;
use watchglass_engine::kube::{
    KubeAnswer, KubeResponse, KubeWatchEvent, Object, ServedBy, StatusError,
};
use watchglass_engine::session::Session;
use watchglass_engine::trace::{Answered, Event, KubeTrace, NetTrace, TraceEvent};

#[test]
fn the_api_server_answers_as_1_36_2_did() {
    let text = data_text("kube/api_server_1.36.2.txt");
    let records = parse(&text);
    assert_eq!(records.len(), 458);
    let mut server = Recorded::new();
    let mut differences = String::new();
    let mut count = 0;
    for record in &records {
        server.reach(record.phase);
        let actual = server.get(record.path);
        if actual != record.expected {
            count += 1;
            let (phase, path) = (record.phase, record.path);
            let expected = &record.expected;
            let _ = write!(
                differences,
                "\n{phase}: GET {path}\nexpected:\n{expected}actual:\n{actual}"
            );
        }
    }
    assert!(differences.is_empty(), "{count} differences:{differences}");
}

struct Record<'a> {
    phase: &'a str,
    path: &'a str,
    expected: String,
}

fn parse(text: &str) -> Vec<Record<'_>> {
    let mut records: Vec<Record<'_>> = Vec::new();
    let mut phase = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix("phase ") {
            phase = name;
        } else if let Some(path) = line.strip_prefix("GET ") {
            records.push(Record {
                phase,
                path,
                expected: String::new(),
            });
        } else if !line.is_empty() {
            let record = records.last_mut().expect("a request comes first");
            record.expected.push_str(line);
            record.expected.push('\n');
        }
    }
    records
}

/// A run whose API server has the revisions of the recorded server.
struct Recorded {
    session: Session,
    phase: String,
}

/// The states that the recorded server reached one after the other, with the commands that reach them.
const PHASES: [(&str, &[&str]); 6] = [
    (
        "warm",
        &[
            "world profile=3.6",
            "for i in {2..60}; do put /other/$i x; done",
            // The real server's compactor did not run, but watched the key of the others.
            "apiserver api-1 --version=1.36 --etcd-compaction-interval=2h --resources=pods,configmaps",
            "run 2s",
            "put /other/start x",
            "kubectl create pod a1 --labels=app=web --node=node-1",
            "kubectl create pod a2 --labels=app=web --node=node-2",
            "kubectl create pod a3 --labels=app=db",
            "kubectl create pod b1 -n kube-system",
            "kubectl create configmap c1",
            "kubectl create event e1 -n kube-system",
            "kubectl create event e2 -n kube-system",
            "del /registry/pods/default/a3",
            "kubectl create pod a3 --labels=app=db",
            "kubectl replace pod a2 --labels=app=web,new=1 --node=node-2",
            "put /other/end x",
            "run 1s",
            // A consistent list brings the cache to the last revision.
            "kubectl get pods",
            "kubectl get configmaps",
        ],
    ),
    ("uncached", &[]),
    ("compacted", &["compact 71", "run 1s"]),
    ("compact-rev-key", &["put compact_rev_key 71", "run 17s"]),
    (
        "stale",
        &[
            "kubectl get pods",
            "net api-1 watches hold",
            "kubectl create pod s1 --node=node-1",
        ],
    ),
    (
        "not-ready",
        &[
            "net api-1 watches release",
            "run 1s",
            "disconnect api-1",
            "put /registry/pods/default/a1 x",
            "put /registry/pods/default/a1 x",
            "del /registry/pods/default/a1",
            "compact 77",
            "connect api-1",
            "run 100ms",
        ],
    ),
];

impl Recorded {
    fn new() -> Self {
        Self {
            session: Session::default(),
            phase: String::new(),
        }
    }

    fn reach(&mut self, phase: &str) {
        if self.phase == phase {
            return;
        }
        let (_, lines) = PHASES.iter().find(|(name, _)| *name == phase).expect(phase);
        for line in *lines {
            let done = self.session.exec(line);
            assert_eq!(done.exit, 0, "{line}: {}", done.stderr);
        }
        phase.clone_into(&mut self.phase);
    }

    /// Sends a request, and describes the response in the format of the recordings.
    fn get(&mut self, path: &str) -> String {
        let before = self.session.run().recording().len();
        let done = self.session.exec(&format!("kubectl get --raw '{path}'"));
        let mut trace = self.trace_since(before);
        let opened = trace.iter().find_map(|event| match &event.what {
            TraceEvent::Kube(KubeTrace::Asked { request, .. }) => {
                Some(request.verb.name() == "WATCH")
            }
            _ => None,
        });
        let watches = done.stdout.is_empty() && done.stderr.is_empty() || opened == Some(true);
        if watches {
            let mut answered = None;
            for _ in 0..80 {
                trace = self.trace_since(before);
                answered = trace.iter().find_map(|event| answer_of(&event.what));
                if answered.is_some() {
                    break;
                }
                self.run("run 50ms");
            }
            if matches!(answered.as_deref(), Some(Ok(_))) {
                self.run("run 600ms");
            }
            trace = self.trace_since(before);
        }
        let mut answers = trace.iter().filter_map(|event| answer_of(&event.what));
        let Some(answer) = answers.next() else {
            return format!("no response: {}{}\n", done.stdout, done.stderr);
        };
        let how = trace.iter().find_map(|event| match &event.what {
            TraceEvent::Kube(KubeTrace::Answered { how, .. }) => Some(how.clone()),
            _ => None,
        });
        let how = how.expect("the server responded");
        let mut out = status(&answer);
        match watches {
            true if answer.is_ok() => out.push_str(&watched(&trace)),
            true => {}
            false => out.push_str(&source(&how, &trace)),
        }
        if let Ok(response) = &*answer {
            out.push_str(&objects(response, &how));
        }
        out
    }

    fn run(&mut self, line: &str) {
        let done = self.session.exec(line);
        assert_eq!(done.exit, 0, "{line}: {}", done.stderr);
    }

    fn trace_since(&self, before: u64) -> Vec<Event> {
        let recording = self.session.run().recording();
        recording.iter().skip(before as usize).collect()
    }
}

fn answer_of(event: &TraceEvent) -> Option<Arc<KubeAnswer>> {
    match event {
        TraceEvent::Kube(KubeTrace::Hears { answer, .. }) => Some(answer.clone()),
        _ => None,
    }
}

fn status(answer: &KubeAnswer) -> String {
    let Err(error) = answer else {
        return "= 200\n".into();
    };
    let mut out = format!("= {} {}", error.code(), error.reason());
    out.truncate(out.trim_end().len());
    let _ = writeln!(out, "\n| {error}");
    for cause in error.causes() {
        let field = cause.field.as_deref().unwrap_or("-");
        let _ = writeln!(out, "cause {} {field} {}", cause.reason, cause.message);
    }
    match error {
        StatusError::NotFound { resource, name } => {
            let _ = writeln!(out, "details {resource} {name}");
        }
        StatusError::Invalid(_) => out.push_str("details ListOptions -\n"),
        _ => {}
    }
    if let Some(seconds) = error.retry_after_s() {
        let _ = writeln!(out, "retry {seconds}");
    }
    out
}

fn source(how: &Answered, trace: &[Event]) -> String {
    let asked = if asks_for_revision(trace) && how.code == 200 {
        " asked"
    } else {
        ""
    };
    match (how.by, how.fell_back) {
        (_, true) => "from etcd after a wait\n".into(),
        (ServedBy::Etcd, false) => "from etcd\n".into(),
        // The real server does not tell the two apart, and names no source for a refusal of the cache.
        (ServedBy::Cache | ServedBy::Snapshot, false) if how.code == 200 || how.code == 404 => {
            format!("from cache{asked}\n")
        }
        _ => "from nobody\n".into(),
    }
}

fn calls(trace: &[Event]) -> impl Iterator<Item = &Request> {
    trace.iter().filter_map(|event| match &event.what {
        TraceEvent::Net(NetTrace::Sent {
            from: NodeId::ApiServer(_),
            body,
            ..
        }) => match &**body {
            Body::Etcd(EtcdMessage::Call { request, .. }) => Some(&**request),
            _ => None,
        },
        _ => None,
    })
}

fn asks_for_revision(trace: &[Event]) -> bool {
    calls(trace).any(|request| {
        matches!(request, Request::Range(range) if &*range.key == b"/registry/pods"
            || &*range.key == b"/registry/configmaps")
    })
}

fn objects(response: &KubeResponse, how: &Answered) -> String {
    let name = |object: &Object| object.to_string();
    let mut out = String::new();
    match response {
        KubeResponse::Object(object) => {
            let _ = writeln!(out, "- {}", name(object));
        }
        KubeResponse::List(list) => {
            let _ = write!(out, "list rv {}", list.resource_version);
            if let Some(remaining) = list.remaining {
                let _ = write!(out, " remaining {remaining}");
            }
            let _ = writeln!(out, " examined {}", how.fetched);
            if let Some(token) = &list.continue_token {
                let _ = writeln!(out, "continue {token}");
            }
            for object in &list.items {
                let _ = writeln!(out, "- {}", name(object));
            }
        }
        KubeResponse::WatchBegun | KubeResponse::Text(_) => {}
    }
    out
}

fn watched(trace: &[Event]) -> String {
    let mut out = String::new();
    if calls(trace).any(|request| matches!(request, Request::Range(_))) {
        out.push_str("reads etcd\n");
    }
    for event in trace {
        match &event.what {
            TraceEvent::Kube(KubeTrace::Events { events, .. }) => {
                for event in events.iter() {
                    let _ = writeln!(out, "> {}", described(event));
                }
            }
            TraceEvent::Kube(KubeTrace::StreamEnds { .. }) => out.push_str("end\n"),
            _ => {}
        }
    }
    out
}

fn described(event: &KubeWatchEvent) -> String {
    let kind = event.type_name();
    match event {
        KubeWatchEvent::Bookmark {
            resource_version,
            initial_events_end,
        } => {
            let end = if *initial_events_end {
                " initial-events-end"
            } else {
                ""
            };
            format!("{kind} {resource_version}{end}")
        }
        KubeWatchEvent::Error(error) => {
            format!("{kind} {} {}: {error}", error.code(), error.reason())
        }
        event => event
            .object()
            .map_or_else(|| kind.to_owned(), |object| format!("{kind} {object}")),
    }
}
