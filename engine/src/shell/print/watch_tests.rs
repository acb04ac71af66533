//! Tests of the watch printers, compared with the output of etcdctl 3.4.23 for the same changes.

use super::watch::responses;
use crate::api::{EventKind, KeyValue, Profile, ResponseHeader, WatchEvent, WatchResponse};
use crate::shell::{Format, Output, WatchPrint};

const HEADER: ResponseHeader = ResponseHeader {
    cluster_id: 7801232528081817440,
    member_id: 13458989633860879742,
    revision: 0,
    raft_term: 2,
};

const ALONE: WatchPrint = WatchPrint {
    format: Format::Simple,
    hex: false,
    interactive: false,
    command: None,
};

fn kv(key: &str, create: i64, modified: i64, version: i64, value: &[u8]) -> KeyValue {
    KeyValue {
        key: key.into(),
        create_revision: create,
        mod_revision: modified,
        version,
        value: value.into(),
        lease: 0,
    }
}

fn event(kind: EventKind, kv: KeyValue, prev_kv: Option<KeyValue>) -> WatchEvent {
    WatchEvent { kind, kv, prev_kv }
}

fn at(revision: i64, events: Vec<WatchEvent>) -> WatchResponse {
    let header = ResponseHeader { revision, ..HEADER };
    WatchResponse {
        header,
        events,
        ..WatchResponse::default()
    }
}

fn created() -> WatchResponse {
    WatchResponse {
        created: true,
        ..at(2, Vec::new())
    }
}

/// Returns the responses that a watch with `--prev-kv` receives for three changes: a put that replaces a value, a
/// transaction that puts two keys, and the deletion of both keys.
fn story() -> Vec<WatchResponse> {
    let bytes = b"a\x01\xff";
    let first = kv("/k", 2, 2, 1, b"0");
    let second = kv("/k", 2, 3, 2, bytes);
    let third = kv("/k", 2, 5, 3, b"txn");
    let other = kv("/k/3", 5, 5, 1, b"3");
    let gone = |key| kv(key, 0, 6, 0, b"");
    vec![
        created(),
        at(3, vec![event(EventKind::Put, second.clone(), Some(first))]),
        at(
            5,
            vec![
                event(EventKind::Put, third.clone(), Some(second)),
                event(EventKind::Put, other.clone(), None),
            ],
        ),
        at(
            6,
            vec![
                event(EventKind::Delete, gone("/k"), Some(third)),
                event(EventKind::Delete, gone("/k/3"), Some(other)),
            ],
        ),
    ]
}

fn without_prev(mut responses: Vec<WatchResponse>) -> Vec<WatchResponse> {
    for event in responses.iter_mut().flat_map(|r| &mut r.events) {
        event.prev_kv = None;
    }
    responses
}

fn compacted() -> WatchResponse {
    WatchResponse {
        canceled: true,
        compact_revision: 12,
        ..at(0, Vec::new())
    }
}

fn never_was(reason: &str) -> WatchResponse {
    WatchResponse {
        watch_id: -1,
        canceled: true,
        cancel_reason: reason.into(),
        ..created()
    }
}

fn output(heard: &[WatchResponse], format: Format) -> Output {
    responses(heard, &WatchPrint { format, ..ALONE }, Profile::V3_4)
}

fn stdout(heard: &[WatchResponse], format: Format) -> String {
    let output = output(heard, format);
    assert_eq!((output.stderr.as_slice(), output.exit), (&b""[..], 0));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn events_in_lines() {
    assert_eq!(
        output(&without_prev(story()), Format::Simple).stdout,
        b"PUT\n/k\na\x01\xff\nPUT\n/k\ntxn\nPUT\n/k/3\n3\nDELETE\n/k\n\nDELETE\n/k/3\n\n"
    );
    let print = WatchPrint { hex: true, ..ALONE };
    let output = responses(&story(), &print, Profile::V3_4);
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "PUT\n\\x2f\\x6b\n\\x30\n\\x2f\\x6b\n\\x61\\x01\\xff\n\
         PUT\n\\x2f\\x6b\n\\x61\\x01\\xff\n\\x2f\\x6b\n\\x74\\x78\\x6e\n\
         PUT\n\\x2f\\x6b\\x2f\\x33\n\\x33\n\
         DELETE\n\\x2f\\x6b\n\\x74\\x78\\x6e\n\\x2f\\x6b\n\n\
         DELETE\n\\x2f\\x6b\\x2f\\x33\n\\x33\n\\x2f\\x6b\\x2f\\x33\n\n"
    );
}

#[test]
fn events_in_json() {
    assert_eq!(
        stdout(&story(), Format::Json),
        concat!(
            r#"{"Header":{"cluster_id":7801232528081817440,"member_id":13458989633860879742,"#,
            r#""revision":3,"raft_term":2},"Events":[{"kv":{"key":"L2s=","create_revision":2,"#,
            r#""mod_revision":3,"version":2,"value":"YQH/"},"prev_kv":{"key":"L2s=","#,
            r#""create_revision":2,"mod_revision":2,"version":1,"value":"MA=="}}],"#,
            r#""CompactRevision":0,"Canceled":false,"Created":false}"#,
            "\n",
            r#"{"Header":{"cluster_id":7801232528081817440,"member_id":13458989633860879742,"#,
            r#""revision":5,"raft_term":2},"Events":[{"kv":{"key":"L2s=","create_revision":2,"#,
            r#""mod_revision":5,"version":3,"value":"dHhu"},"prev_kv":{"key":"L2s=","#,
            r#""create_revision":2,"mod_revision":3,"version":2,"value":"YQH/"}},{"kv":{"key":"#,
            r#""L2svMw==","create_revision":5,"mod_revision":5,"version":1,"value":"Mw=="}}],"#,
            r#""CompactRevision":0,"Canceled":false,"Created":false}"#,
            "\n",
            r#"{"Header":{"cluster_id":7801232528081817440,"member_id":13458989633860879742,"#,
            r#""revision":6,"raft_term":2},"Events":[{"type":1,"kv":{"key":"L2s=","#,
            r#""mod_revision":6},"prev_kv":{"key":"L2s=","create_revision":2,"mod_revision":5,"#,
            r#""version":3,"value":"dHhu"}},{"type":1,"kv":{"key":"L2svMw==","mod_revision":6},"#,
            r#""prev_kv":{"key":"L2svMw==","create_revision":5,"mod_revision":5,"version":1,"#,
            r#""value":"Mw=="}}],"CompactRevision":0,"Canceled":false,"Created":false}"#,
            "\n",
        )
    );
}

#[test]
fn events_in_fields() {
    let story = story();
    assert_eq!(
        stdout(&story[1..2], Format::Fields),
        "\"ClusterID\" : 7801232528081817440\n\"MemberID\" : 13458989633860879742\n\
         \"Revision\" : 3\n\"RaftTerm\" : 2\n\"Type\" : PUT\n\"PrevKey\" : \"/k\"\n\
         \"PrevCreateRevision\" : 2\n\"PrevModRevision\" : 2\n\"PrevVersion\" : 1\n\
         \"PrevValue\" : \"0\"\n\"PrevLease\" : 0\n\"Key\" : \"/k\"\n\"CreateRevision\" : 2\n\
         \"ModRevision\" : 3\n\"Version\" : 2\n\"Value\" : \"a\\x01\\xff\"\n\"Lease\" : 0\n"
    );
    assert!(stdout(&without_prev(story), Format::Fields).ends_with(
        "\"Revision\" : 6\n\"RaftTerm\" : 2\n\"Type\" : DELETE\n\"Key\" : \"/k\"\n\
             \"CreateRevision\" : 0\n\"ModRevision\" : 6\n\"Version\" : 0\n\"Value\" : \"\"\n\
             \"Lease\" : 0\n\"Type\" : DELETE\n\"Key\" : \"/k/3\"\n\"CreateRevision\" : 0\n\
             \"ModRevision\" : 6\n\"Version\" : 0\n\"Value\" : \"\"\n\"Lease\" : 0\n"
    ));
}

#[test]
fn events_in_protobuf() {
    let header =
        b"\x0a\x19\x08\xe0\x9e\xa8\xf4\xec\xf4\xe2\xa1\x6c\x10\xfe\x8a\xc5\x8f\xb6\xf8\xfb\
                   \xe3\xba\x01\x18";
    let put = b"\x20\x02Z \x12\x0f\x0a\x02/k\x10\x02\x18\x03\x20\x02*\x03a\x01\xff\
                \x1a\x0d\x0a\x02/k\x10\x02\x18\x02\x20\x01*\x010";
    assert_eq!(
        output(&story()[..2], Format::Protobuf).stdout,
        [&header[..], b"\x03", put].concat()
    );
    let gone =
        b"\x06\x20\x02Z\x0a\x08\x01\x12\x06\x0a\x02/k\x18\x06Z\x0c\x08\x01\x12\x08\x0a\x04/k/3\
                 \x18\x06";
    assert_eq!(
        output(&without_prev(story())[3..], Format::Protobuf).stdout,
        [&header[..], gone].concat()
    );
    let over = b"\x0a\x17\x08\xe0\x9e\xa8\xf4\xec\xf4\xe2\xa1\x6c\x10\xfe\x8a\xc5\x8f\xb6\xf8\xfb\
                 \xe3\xba\x01\x20\x02\x20\x01\x28\x0c";
    assert_eq!(output(&[compacted()], Format::Protobuf).stdout, over);
    let empty = never_was("mvcc: watcher range is empty");
    assert_eq!(
        output(&[empty], Format::Protobuf).stdout,
        b"\x0a\x00\x20\x01"
    );
}

#[test]
fn progress_is_a_line_in_every_format() {
    let progress = [at(6, Vec::new()), at(6, Vec::new())];
    assert_eq!(
        stdout(&progress, Format::Simple),
        "progress notify: 6\nprogress notify: 6\n"
    );
    assert_eq!(
        stdout(&progress[..1], Format::Json),
        concat!(
            "progress notify: 6\n",
            r#"{"Header":{"cluster_id":7801232528081817440,"member_id":13458989633860879742,"#,
            r#""revision":6,"raft_term":2},"Events":[],"CompactRevision":0,"Canceled":false,"#,
            r#""Created":false}"#,
            "\n",
        )
    );
    assert_eq!(
        stdout(&progress[..1], Format::Fields),
        "progress notify: 6\n\"ClusterID\" : 7801232528081817440\n\
         \"MemberID\" : 13458989633860879742\n\"Revision\" : 6\n\"RaftTerm\" : 2\n"
    );
    let table = output(&progress, Format::Table);
    assert_eq!(table.stdout, b"progress notify: 6\n");
    assert_eq!(
        table.stderr,
        b"Error: table not supported as output format\n"
    );
    assert_eq!(table.exit, 4);
}

const COMPACTED: &str =
    "watch was canceled (etcdserver: mvcc: required revision has been compacted)\n";
const OVER: &str = "Error: watch is canceled by the server\n";

#[test]
fn a_watch_that_compaction_overtakes() {
    let heard = [created(), compacted(), at(13, Vec::new())];
    let complaint = [COMPACTED, OVER].concat();
    for (format, stdout) in [
        (Format::Simple, ""),
        (
            Format::Json,
            concat!(
                r#"{"Header":{"cluster_id":7801232528081817440,"member_id":"#,
                r#"13458989633860879742,"raft_term":2},"Events":[],"CompactRevision":12,"#,
                r#""Canceled":true,"Created":false}"#,
                "\n"
            ),
        ),
        (
            Format::Fields,
            "\"ClusterID\" : 7801232528081817440\n\"MemberID\" : 13458989633860879742\n\
             \"Revision\" : 0\n\"RaftTerm\" : 2\n",
        ),
    ] {
        let output = output(&heard, format);
        assert_eq!(String::from_utf8(output.stdout).unwrap(), stdout);
        assert_eq!(String::from_utf8(output.stderr).unwrap(), complaint);
        assert_eq!(output.exit, 5);
    }
    let table = output(&heard, Format::Table);
    let complaint = format!("{COMPACTED}Error: table not supported as output format\n");
    assert_eq!(String::from_utf8(table.stderr).unwrap(), complaint);
    assert_eq!(table.exit, 4);
}

#[test]
fn a_watch_that_never_was() {
    for reason in [
        "mvcc: watcher range is empty",
        "mvcc: duplicate watch ID provided on the WatchStream",
        "etcdserver: mvcc: required revision has been compacted",
    ] {
        let complaint = format!("watch was canceled ({reason})\n{OVER}");
        let simple = output(&[never_was(reason)], Format::Simple);
        assert_eq!(String::from_utf8(simple.stderr).unwrap(), complaint);
        assert_eq!((simple.stdout.as_slice(), simple.exit), (&b""[..], 5));
    }
    let heard = [never_was("mvcc: watcher range is empty")];
    assert_eq!(
        output(&heard, Format::Json).stdout,
        b"{\"Header\":{},\"Events\":null,\"CompactRevision\":0,\"Canceled\":true,\
          \"Created\":false}\n"
    );
    assert_eq!(
        output(&heard, Format::Fields).stdout,
        b"\"ClusterID\" : 0\n\"MemberID\" : 0\n\"Revision\" : 0\n\"RaftTerm\" : 0\n"
    );
}

#[test]
fn an_interactive_process_goes_on_when_a_watch_ends() {
    let print = WatchPrint {
        interactive: true,
        ..ALONE
    };
    let put = event(EventKind::Put, kv("/c", 9, 18, 6, b"3"), None);
    let heard = [compacted(), at(18, vec![put])];
    let output = responses(&heard, &print, Profile::V3_4);
    assert_eq!(output.stdout, b"PUT\n/c\n3\n");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), COMPACTED);
    assert_eq!(output.exit, 0);
}

#[test]
fn what_the_client_keeps_to_itself() {
    // The watch ends for a reason other than compaction: the channel closes without another response.
    let ended = WatchResponse {
        canceled: true,
        ..at(6, Vec::new())
    };
    let silent = output(&[created(), ended], Format::Json);
    assert_eq!(String::from_utf8(silent.stderr).unwrap(), OVER);
    assert_eq!((silent.stdout.as_slice(), silent.exit), (&b""[..], 5));
}

#[test]
fn newer_fields_have_ids_in_hexadecimal() {
    let print = WatchPrint {
        format: Format::Fields,
        hex: true,
        interactive: true,
        command: None,
    };
    let output = responses(&[compacted()], &print, Profile::V3_6);
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "\"ClusterID\" : 6c438ba6ce8a0f60\n\"MemberID\" : bac7efc361f1457e\n\"RaftTerm\" : 2\n"
    );
}
