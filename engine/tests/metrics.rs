//! The metrics of a member: the numbers that a real etcd 3.4.23 had after the same commands, and the log of slow reads.

use std::collections::BTreeMap;

use crate::support::session_after;
use watchglass_engine::api::Profile;

/// Commands, and the metrics that they changed in a real etcd 3.4.23, with their new values.
const RECORDED: [(&str, &[(&str, i64)]); 13] = [
    (
        "put a 1",
        &[
            ("mvcc_put_total", 1),
            ("debugging_mvcc_keys_total", 1),
            ("debugging_mvcc_total_put_size_in_bytes", 2),
        ],
    ),
    (
        "put a 2 --prev-kv",
        &[
            ("mvcc_put_total", 2),
            ("mvcc_range_total", 1),
            ("mvcc_txn_total", 1),
            ("debugging_mvcc_total_put_size_in_bytes", 4),
        ],
    ),
    ("get a", &[("mvcc_range_total", 2)]),
    (
        "del a",
        &[("mvcc_delete_total", 1), ("debugging_mvcc_keys_total", 0)],
    ),
    (
        "del a --prev-kv",
        &[
            ("mvcc_delete_total", 2),
            ("mvcc_range_total", 3),
            ("mvcc_txn_total", 2),
        ],
    ),
    (
        "txn\ncreate(\"b\") = \"0\"\n\nput b 1\nput c 2\n\nget b\n",
        &[
            ("mvcc_put_total", 4),
            ("mvcc_range_total", 4),
            ("mvcc_txn_total", 3),
            ("debugging_mvcc_keys_total", 2),
            ("debugging_mvcc_total_put_size_in_bytes", 8),
        ],
    ),
    (
        "txn\n\nget b\nget c\n\n",
        &[("mvcc_range_total", 6), ("mvcc_txn_total", 4)],
    ),
    ("lease grant 100", &[("debugging_lease_granted_total", 1)]),
    (
        "put l 1 --lease=$L",
        &[
            ("mvcc_put_total", 5),
            ("debugging_mvcc_keys_total", 3),
            ("debugging_mvcc_total_put_size_in_bytes", 10),
        ],
    ),
    (
        "lease keep-alive --once $L",
        &[("debugging_lease_renewed_total", 1)],
    ),
    (
        "lease revoke $L",
        &[
            ("debugging_lease_revoked_total", 1),
            ("mvcc_delete_total", 3),
            ("debugging_mvcc_keys_total", 2),
        ],
    ),
    (
        "compaction 4",
        &[
            ("debugging_mvcc_compact_revision", 4),
            ("mvcc_range_total", 7),
        ],
    ),
    (
        "watch b as w1\nput b 9",
        &[
            ("debugging_mvcc_watch_stream_total", 1),
            ("debugging_mvcc_watcher_total", 1),
            ("debugging_mvcc_events_total", 1),
            ("mvcc_put_total", 6),
            ("debugging_mvcc_total_put_size_in_bytes", 12),
        ],
    ),
];

fn read(text: &str, names: &BTreeMap<&str, i64>) -> Vec<(String, i64)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.strip_prefix("etcd_")?.split_once(' '));
    let known = pairs.filter(|(name, _)| names.contains_key(name));
    known
        .map(|(name, value)| (name.to_owned(), value.parse().unwrap()))
        .collect()
}

#[test]
fn the_numbers_are_those_of_a_real_member() {
    let mut expected: BTreeMap<&str, i64> = BTreeMap::new();
    for (_, changes) in RECORDED {
        expected.extend(changes.iter().map(|(name, _)| (*name, 0)));
    }
    expected.insert("debugging_mvcc_compact_revision", -1);
    let mut session = session_after(Profile::V3_4, &[]);
    let mut lease = String::new();
    for (commands, changes) in RECORDED {
        let done = session.exec(&commands.replace("$L", &lease));
        assert_eq!(done.stderr, "", "{commands}");
        if commands.starts_with("lease grant") {
            lease = done.stdout.split(' ').nth(1).unwrap().to_owned();
        }
        expected.extend(changes.iter().copied());
        let shown = read(&session.exec("show metrics").stdout, &expected);
        let expected: Vec<(String, i64)> = expected
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect();
        let mut shown = shown;
        shown.sort();
        assert_eq!(shown, expected, "after {commands}");
    }
}

/// A read of 30,000 keys takes more than 100 ms, so etcd logs the read.
#[test]
fn a_slow_read_is_logged() {
    let mut session = session_after(
        Profile::V3_6,
        &["populate --nodes=100 --pods=300 --size=1kB", "run 1s"],
    );
    assert_eq!(
        session.exec("show slow").stdout,
        "no read took longer than 100 ms\n"
    );
    session.exec("load reader /registry/pods/ --ranges=1 --timeout=5s");
    session.exec("run 5s");
    let slow = session.exec("show slow").stdout;
    assert!(slow.contains("apply request took too long"), "{slow}");
    assert!(slow.contains("range_response_count:30000"), "{slow}");
    let metrics = session.exec("show metrics").stdout;
    let count = slow.matches("took too long").count();
    assert!(
        metrics.contains(&format!("etcd_server_slow_apply_total {count}\n")),
        "{metrics}"
    );
}
