//! Commands that a real etcd executes as well as a run: their requests for the JSON gateway, their outputs, and the
//! differences between the responses.
//!
//! `data/gen/etcd-gateway.py` recorded the requests, responses and outputs with etcd 3.4.23.

use serde_json::{Value, json};
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{
    Done, FromEngine, Read, Request, SeekTo, Source, ToEngine,
};

use crate::support::{load, text};

/// Returns a copy of an etcd without data.
fn copy() -> Session {
    let mut session = Session::default();
    let (profile, seed) = ("3.4".to_owned(), 42);
    session.load(Source::Empty { profile, seed }, SeekTo::End);
    session.exec("mirror start");
    session
}

fn read(session: &mut Session, read: Read) -> Result<Value, String> {
    let mut out = Vec::new();
    session.handle(ToEngine::Request(7, Request::Read(read)), &mut out);
    while session.pump(100, &mut out) {}
    let done = out.into_iter().find_map(|message| match message {
        FromEngine::Done { id: 7, done } => Some(done),
        _ => None,
    });
    match done.expect("a response") {
        Done::Text(text) => Ok(serde_json::from_str(&text).expect("JSON")),
        Done::Refused { message } => Err(message),
        other => panic!("neither a text nor a refusal: {other:?}"),
    }
}

fn request(session: &mut Session, line: &str) -> Result<Value, String> {
    let line = line.to_owned();
    read(session, Read::EtcdRequest { line })
}

fn response(session: &mut Session, line: &str, response: &str) -> Result<Value, String> {
    let (line, response) = (line.to_owned(), response.to_owned());
    read(session, Read::EtcdResponse { line, response })
}

/// Returns the fields of the differences with the values of etcd and of the copy.
fn differences(found: &Value) -> Vec<[&str; 3]> {
    let list = found["differences"].as_array().expect("a list");
    list.iter()
        .map(|one| [&one["field"], &one["etcd"], &one["copy"]].map(text))
        .collect()
}

#[test]
fn the_responses_of_etcd_are_those_of_the_run() {
    let cases = load("etcd_3.4.23_gateway.json");
    let cases = cases.as_array().expect("a list");
    assert_eq!(cases.len(), 27);
    let (mut session, mut hex) = (copy(), String::new());
    for case in cases {
        let ids = |text: String| {
            let decimal = i64::from_str_radix(&hex, 16)
                .unwrap_or_default()
                .to_string();
            text.replace("{hex}", &hex).replace("{decimal}", &decimal)
        };
        let line = ids(text(&case["line"]).to_owned());
        let body = ids(case["body"].to_string());
        let asked = request(&mut session, &line).expect("a request");
        assert_eq!(asked["path"], case["path"], "{line}");
        assert_eq!(asked["body"].to_string(), body, "{line}");

        let executed = session.exec(&line);
        // The lease of the recording has another ID than that of the run.
        let recorded = case["response"]
            .to_string()
            .replace("\"{decimal}\"", "\"7\"");
        let recorded = match line.starts_with("lease grant") {
            true => recorded,
            false => ids(case["response"].to_string()),
        };
        let found = response(&mut session, &line, &recorded).expect("a comparison");
        if let Some(granted) = found.get("leases") {
            assert_eq!(granted[0], "7");
            hex = text(&granted[1]).to_owned();
            assert!(executed.stdout.contains(&hex), "{}", executed.stdout);
            continue;
        }
        let printed = [text(&found["output"]), text(&found["error"])].concat();
        assert_eq!(printed, ids(text(&case["output"]).to_owned()), "{line}");
        assert_eq!(differences(&found), [] as [[&str; 3]; 0], "{line}");
    }
}

#[test]
fn each_field_that_differs_is_named() {
    let mut session = copy();
    session.exec("put /a 1");
    session.exec("get /a");
    let kv = |value: &str, lease: i64| {
        json!({
            "key": "L2E=", "create_revision": "2", "mod_revision": "9", "version": "1", "value": value,
            "lease": lease.to_string(),
        })
    };
    let etcd = json!({
        "header": {"cluster_id": "1", "member_id": "2", "revision": "9", "raft_term": "3"},
        "kvs": [kv("Mg==", 5)], "count": "1",
    });
    let found = response(&mut session, "get /a", &etcd.to_string()).expect("a comparison");
    assert_eq!(
        differences(&found),
        [
            ["revision", "9", "2"],
            ["kvs[0].mod_revision", "9", "2"],
            ["kvs[0].value", "2", "1"],
            ["kvs[0].lease", "5", ""],
        ]
    );
    assert!(text(&found["differences"][0]["why"]).contains("Other clients"));
    assert_eq!(found["differences"][2]["why"], "");
    assert_eq!(found["output"], "/a\n2\n");

    let error = json!({"code": 13, "message": "etcdserver: something else"});
    let found = response(&mut session, "get /a", &error.to_string()).expect("a comparison");
    assert_eq!(
        differences(&found)[0],
        ["error", "etcdserver: something else", ""]
    );
    assert_eq!(found["error"], "Error: etcdserver: something else\n");
}

#[test]
fn what_cannot_run_in_both_is_refused() {
    let mut session = copy();
    for (line, why) in [
        ("put /a", "put command needs 1 argument"),
        ("put /a 1; put /b 2", "one command"),
        ("for i in 1 2; do put /a $i; done", "one command"),
        ("", "one command"),
        ("show store", "one command"),
        ("watch /a", "one command"),
        ("kubectl get pods", "one command"),
        ("endpoint status", "no request for this command"),
        (
            "lease keep-alive 1234 --once",
            "no request for this command",
        ),
        ("get /a --endpoints=10.0.0.1:2379", "Leave out"),
        ("get /a --user=root:secret", "Leave out"),
        ("put 'a", "quote"),
    ] {
        let refused = request(&mut session, line).expect_err(line);
        assert!(refused.contains(why), "{line}: {refused}");
    }
    // The run has executed no command, another command, or the response is none.
    let cannot = |session: &mut Session, line: &str, text: &str| {
        response(session, line, text).expect_err(line)
    };
    assert!(cannot(&mut session, "get /a", "{}").contains("executed no such command"));
    session.exec("put /a 1");
    assert!(cannot(&mut session, "get /a", "{}").contains("executed no such command"));
    assert!(cannot(&mut session, "put /a 1", "<html>").contains("cannot read"));
}
