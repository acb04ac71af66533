//! Tests of the printers, compared with the output of etcdctl 3.4.23 for the same responses.

use super::*;
use crate::api::*;
use crate::shell::{CommandKind, LineReader, Read, WatchPrint};
use crate::trace::Printed;

const HEADER: ResponseHeader = ResponseHeader {
    cluster_id: 324952591200643719,
    member_id: 3319814642761637952,
    revision: 13,
    raft_term: 2,
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

fn printed(line: &str, reply: Reply, profile: Profile) -> (String, String, u8) {
    let mut reader = LineReader::new(profile);
    let command = match reader.line(line).unwrap() {
        Read::Commands(mut commands) => commands.remove(0),
        Read::More { .. } => {
            return printed_txn(line, reply, profile);
        }
        Read::Blank => panic!("nothing in {line}"),
    };
    let CommandKind::Etcdctl(command) = command.kind else {
        panic!("{line} is not sent");
    };
    output(&command, reply, profile)
}

fn printed_txn(line: &str, reply: Reply, profile: Profile) -> (String, String, u8) {
    let text = format!("{line}\n\n\n\n");
    let command = LineReader::new(profile).text(&text).unwrap().remove(0);
    let CommandKind::Etcdctl(command) = command.kind else {
        panic!("{line} is not sent");
    };
    output(&command, reply, profile)
}

fn output(command: &Etcdctl, answer: Reply, profile: Profile) -> (String, String, u8) {
    let context = PrintContext {
        took_each: &[],
        took: SimDuration(1_699),
        ..PrintContext::new(profile)
    };
    let output = reply(command, &answer, &context);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(output.stdout), text(output.stderr), output.exit)
}

fn stdout(line: &str, response: Response) -> String {
    let (stdout, stderr, exit) = printed(line, Ok(response), Profile::V3_4);
    assert_eq!((stderr.as_str(), exit), ("", 0));
    stdout
}

fn bin() -> Response {
    let value = [&b"a\x01\xff\x7f\"\\\n\t"[..], "ü😀".as_bytes()].concat();
    Response::Range(RangeResponse {
        header: HEADER,
        kvs: vec![kv("bin", 13, 13, 1, &value)].into(),
        more: false,
        count: 1,
    })
}

#[test]
fn get_in_every_format() {
    assert_eq!(
        stdout("get bin --hex", bin()),
        "\\x62\\x69\\x6e\n\\x61\\x01\\xff\\x7f\\x22\\x5c\\x0a\\x09\\xc3\\xbc\\xf0\\x9f\\x98\\x80\n"
    );
    assert_eq!(
        stdout("get bin -w json", bin()),
        "{\"header\":{\"cluster_id\":324952591200643719,\"member_id\":3319814642761637952,\
         \"revision\":13,\"raft_term\":2},\"kvs\":[{\"key\":\"Ymlu\",\"create_revision\":13,\
         \"mod_revision\":13,\"version\":1,\"value\":\"YQH/fyJcCgnDvPCfmIA=\"}],\"count\":1}\n"
    );
    assert_eq!(
        stdout("get bin -w fields --hex", bin()),
        "\"ClusterID\" : 324952591200643719\n\"MemberID\" : 3319814642761637952\n\
         \"Revision\" : 13\n\"RaftTerm\" : 2\n\"Key\" : \"bin\"\n\"CreateRevision\" : 13\n\
         \"ModRevision\" : 13\n\"Version\" : 1\n\
         \"Value\" : \"a\\x01\\xff\\x7f\\\"\\\\\\n\\tü😀\"\n\"Lease\" : 0\n\"More\" : false\n\
         \"Count\" : 1\n"
    );
    let raw = printed("get bin --print-value-only", Ok(bin()), Profile::V3_4).0;
    assert!(raw.starts_with("a\u{1}\u{fffd}\u{7f}\"\\\n\t"));
    assert_eq!(
        printed("get bin -w table", Ok(bin()), Profile::V3_4),
        (
            String::new(),
            "Error: table not supported as output format\n".into(),
            4
        )
    );
    assert_eq!(
        printed(
            "get bin --print-value-only -w table",
            Ok(bin()),
            Profile::V3_4
        ),
        (
            String::new(),
            "Error: print-value-only is only for `--write-out=simple`\n".into(),
            128
        )
    );
}

#[test]
fn protobuf_is_the_message_itself() {
    let response = Response::Range(RangeResponse {
        header: ResponseHeader {
            cluster_id: 1,
            member_id: 300,
            revision: 2,
            raft_term: 2,
        },
        kvs: vec![kv("a", 2, 2, 1, b"b")].into(),
        more: true,
        count: 1,
    });
    let header = b"\x0a\x09\x08\x01\x10\xac\x02\x18\x02\x20\x02";
    let kv = b"\x12\x0c\x0a\x01a\x10\x02\x18\x02\x20\x01\x2a\x01b";
    let message = [&header[..], kv, b"\x18\x01\x20\x01"].concat();
    assert_eq!(
        printed("get a -w protobuf", Ok(response), Profile::V3_4).0,
        String::from_utf8_lossy(&message)
    );
}

fn txn() -> Response {
    let inner = |revision| ResponseHeader {
        revision,
        ..ResponseHeader::default()
    };
    Response::Txn(TxnResponse {
        header: ResponseHeader {
            revision: 33,
            ..HEADER
        },
        succeeded: true,
        responses: vec![
            ResponseOp::Put(PutResponse {
                header: inner(33),
                prev_kv: None,
            }),
            ResponseOp::Range(RangeResponse {
                header: inner(33),
                kvs: vec![kv("key1", 31, 33, 3, b"overwrote-key1")].into(),
                more: false,
                count: 1,
            }),
            ResponseOp::DeleteRange(DeleteRangeResponse {
                header: inner(33),
                ..DeleteRangeResponse::default()
            }),
        ],
    })
}

#[test]
fn txn_in_every_format() {
    assert_eq!(
        stdout("txn -i", txn()),
        "compares:\nsuccess requests (get, put, del):\nfailure requests (get, put, del):\n\
         SUCCESS\n\nOK\n\nkey1\noverwrote-key1\n\n0\n"
    );
    assert_eq!(
        stdout("txn -w json", txn()),
        "{\"header\":{\"cluster_id\":324952591200643719,\"member_id\":3319814642761637952,\
         \"revision\":33,\"raft_term\":2},\"succeeded\":true,\"responses\":[{\"Response\":\
         {\"ResponsePut\":{\"header\":{\"revision\":33}}}},{\"Response\":{\"ResponseRange\":\
         {\"header\":{\"revision\":33},\"kvs\":[{\"key\":\"a2V5MQ==\",\"create_revision\":31,\
         \"mod_revision\":33,\"version\":3,\"value\":\"b3Zlcndyb3RlLWtleTE=\"}],\"count\":1}}},\
         {\"Response\":{\"ResponseDeleteRange\":{\"header\":{\"revision\":33}}}}]}\n"
    );
    let newer = printed("txn -w json", Ok(txn()), Profile::V3_6).0;
    assert!(newer.contains("{\"Response\":{\"response_delete_range\":{"));
    assert!(stdout("txn -w fields", txn()).ends_with(
        "\"Count\" : 1\n\"ClusterID\" : 0\n\"MemberID\" : 0\n\"Revision\" : 33\n\"RaftTerm\" : 0\n\
         \"Deleted\" : 0\n"
    ));
}

#[test]
fn endpoints_in_every_format() {
    let status = || {
        Response::Status(StatusResponse {
            header: ResponseHeader {
                revision: 30,
                ..HEADER
            },
            version: "3.4.23".into(),
            db_size: 24576,
            leader: HEADER.member_id,
            raft_index: 51,
            raft_term: 2,
            raft_applied_index: 51,
            db_size_in_use: 20480,
            ..StatusResponse::default()
        })
    };
    assert_eq!(
        stdout("endpoint status", status()),
        "127.0.0.1:2379, 2e1259d415f2a040, 3.4.23, 25 kB, true, false, 2, 51, 51, \n"
    );
    assert_eq!(
        stdout("endpoint status -w table", status()),
        concat!(
            "+----------------+------------------+---------+---------+-----------+",
            "------------+-----------+------------+--------------------+--------+\n",
            "|    ENDPOINT    |        ID        | VERSION | DB SIZE | IS LEADER |",
            " IS LEARNER | RAFT TERM | RAFT INDEX | RAFT APPLIED INDEX | ERRORS |\n",
            "+----------------+------------------+---------+---------+-----------+",
            "------------+-----------+------------+--------------------+--------+\n",
            "| 127.0.0.1:2379 | 2e1259d415f2a040 |  3.4.23 |   25 kB |      true |",
            "      false |         2 |         51 |                 51 |        |\n",
            "+----------------+------------------+---------+---------+-----------+",
            "------------+-----------+------------+--------------------+--------+\n",
        )
    );
    assert!(stdout("endpoint status -w fields", status()).ends_with(
        "\"IsLearner\" : false\n\"RaftIndex\" : 51\n\"RaftTerm\" : 2\n\"RaftAppliedIndex\" : 51\n\
         \"Errors\" : []\n\"Endpoint\" : \"127.0.0.1:2379\"\n\n"
    ));
    assert_eq!(
        printed(
            "endpoint hashkv --rev 3 -w json",
            Err(EtcdError::Compacted),
            Profile::V3_4
        ),
        (
            "[]\n".into(),
            "Failed to get the hash of endpoint 127.0.0.1:2379 (etcdserver: mvcc: required \
             revision has been compacted)\nError: etcdserver: mvcc: required revision has been \
             compacted\n"
                .into(),
            1
        )
    );
    let found = Response::Range(RangeResponse::default());
    assert_eq!(
        printed("endpoint health", Ok(found), Profile::V3_4).1,
        "127.0.0.1:2379 is healthy: successfully committed proposal: took = 1.699ms\n"
    );
}

#[test]
fn a_range_is_deleted_with_a_warning_since_3_6() {
    let deleted = Response::DeleteRange(DeleteRangeResponse::default());
    let (stdout, stderr, exit) = printed("del a b", Ok(deleted.clone()), Profile::V3_6);
    assert_eq!((stdout.as_str(), exit), ("0\n", 0));
    assert!(stderr.starts_with("Warning: Keys between \"a\" and \"b\" will be deleted."));
    // The terminal shows the warning above the count.
    let warning = Output {
        stderr: stderr.into_bytes(),
        ..Output::default()
    };
    assert_eq!(warning.in_order()[0], warning.stderr);
    assert_eq!(printed("del a b --range", Ok(deleted), Profile::V3_6).1, "");
}

fn lease_id() -> i64 {
    0x3cee_a1fe_4618_8128
}

fn lease_answers() -> [(&'static str, Response); 5] {
    [
        (
            "lease grant 100",
            Response::LeaseGrant(LeaseGrantResponse {
                header: HEADER,
                id: lease_id(),
                ttl: 100,
            }),
        ),
        (
            "lease timetolive 3ceea1fe46188128 --keys",
            Response::LeaseTimeToLive(LeaseTimeToLiveResponse {
                header: HEADER,
                id: lease_id(),
                ttl: 99,
                granted_ttl: 100,
                keys: vec!["a b".into(), "b".into()],
            }),
        ),
        (
            "lease keep-alive --once 3ceea1fe46188128",
            Response::LeaseKeepAlive(LeaseKeepAliveResponse {
                header: HEADER,
                id: lease_id(),
                ttl: 100,
            }),
        ),
        (
            "lease list",
            Response::LeaseLeases(LeaseLeasesResponse {
                header: HEADER,
                leases: vec![lease_id(), 1],
            }),
        ),
        (
            "lease revoke 3ceea1fe46188128",
            Response::LeaseRevoke(LeaseRevokeResponse { header: HEADER }),
        ),
    ]
}

#[test]
fn leases_in_every_format() {
    let in_format = |format: &str| {
        lease_answers().map(|(line, answer)| {
            let (stdout, stderr, _) = printed(&[line, format].concat(), Ok(answer), Profile::V3_4);
            [stdout, stderr].concat()
        })
    };
    assert_eq!(
        in_format(""),
        [
            "lease 3ceea1fe46188128 granted with TTL(100s)\n",
            "lease 3ceea1fe46188128 granted with TTL(100s), remaining(99s), attached keys([a b b])\n",
            "lease 3ceea1fe46188128 keepalived with TTL(100)\n",
            "found 2 leases\n3ceea1fe46188128\n0000000000000001\n",
            "lease 3ceea1fe46188128 revoked\n",
        ]
    );
    let header = "\"cluster_id\":324952591200643719,\"member_id\":3319814642761637952,\
                  \"revision\":13,\"raft_term\":2";
    let json = |rest: &str| format!("{{{header},{rest}}}\n");
    assert_eq!(
        in_format(" -w json"),
        [
            json("\"ID\":4390624800202588456,\"TTL\":100,\"Error\":\"\""),
            json(
                "\"id\":4390624800202588456,\"ttl\":99,\"granted-ttl\":100,\
                 \"keys\":[\"YSBi\",\"Yg==\"]"
            ),
            json("\"ID\":4390624800202588456,\"TTL\":100"),
            json("\"leases\":[{\"id\":4390624800202588456},{\"id\":1}]"),
            format!("{{\"header\":{{{header}}}}}\n"),
        ]
    );
    let fields = |rest: &str| {
        format!(
            "\"ClusterID\" : 324952591200643719\n\"MemberID\" : 3319814642761637952\n\
             \"Revision\" : 13\n\"RaftTerm\" : 2\n{rest}"
        )
    };
    assert_eq!(
        in_format(" -w fields"),
        [
            fields("\"ID\" : 4390624800202588456\n\"TTL\" : 100\n"),
            fields(
                "\"ID\" : 4390624800202588456\n\"TTL\" : 99\n\"GrantedTTL\" : 100\n\
                 \"Key\" : \"a b\"\n\"Key\" : \"b\"\n"
            ),
            fields("\"ID\" : 4390624800202588456\n\"TTL\" : 100\n"),
            fields("\"ID\" : 4390624800202588456\n\"ID\" : 1\n"),
            fields(""),
        ]
    );
    let protobuf = in_format(" -w protobuf");
    assert!(protobuf[0].starts_with('\u{8}') && protobuf[0].ends_with("\u{18}\r \u{2}"));
    assert!(protobuf[..4].iter().all(|text| *text == protobuf[0]));
    assert_eq!(
        protobuf[4],
        "Error: marshal unsupported for type clientv3.LeaseRevokeResponse \
         ({cluster_id:324952591200643719 member_id:3319814642761637952 revision:13 raft_term:2 })\n"
    );
    for text in in_format(" -w table") {
        assert_eq!(text, "Error: table not supported as output format\n");
    }
}

#[test]
fn a_lease_that_is_gone() {
    let ttl = Response::LeaseTimeToLive(LeaseTimeToLiveResponse {
        id: -1,
        ttl: -1,
        ..LeaseTimeToLiveResponse::default()
    });
    assert_eq!(
        stdout("lease timetolive -- -1", ttl),
        "lease -000000000000001 already expired\n"
    );
    let renewed = || Response::LeaseKeepAlive(LeaseKeepAliveResponse::default());
    let expired = |format| {
        let print = WatchPrint {
            format,
            ..WatchPrint::default()
        };
        let output = process::printed([&Printed::Expired(0)].into_iter(), &print, Profile::V3_4);
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(
        expired(Format::Simple),
        "lease 0000000000000000 expired or revoked.\n"
    );
    assert_eq!(expired(Format::Json), "");
    let gone = |exit, text: &str| (String::new(), text.to_owned(), exit);
    assert_eq!(
        printed(
            "lease keep-alive --once 0 -w json",
            Ok(renewed()),
            Profile::V3_4
        ),
        gone(2, "Error: etcdserver: requested lease not found\n")
    );
    assert_eq!(
        printed(
            "lease revoke 5",
            Err(EtcdError::LeaseNotFound),
            Profile::V3_4
        ),
        gone(
            1,
            "Error: failed to revoke lease (etcdserver: requested lease not found)\n"
        )
    );
}
