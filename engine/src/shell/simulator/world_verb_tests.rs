//! Tests of the reader for commands about watches and the world, and of its error messages.

use crate::api::Profile;
use crate::base::digest::Sparse;
use crate::base::time::SimDuration;
use crate::client::etcd::list_watch::Memory;
use crate::client::etcd::poll::PollSpec;
use crate::shell::{CommandKind, Format, LineReader, Show};
use crate::sim::network::Delay;
use crate::world::op::{LinkChange, NodeName, Partition, Way, WorldOp};

fn kind(line: &str) -> CommandKind {
    let mut commands = LineReader::new(Profile::V3_6).text(line).unwrap();
    let command = commands.remove(0);
    let again = LineReader::new(Profile::V3_6).text(&command.text).unwrap();
    assert_eq!(again, std::slice::from_ref(&command), "{line}");
    command.kind
}

fn op(line: &str) -> WorldOp {
    match kind(line) {
        CommandKind::Op(op) => op,
        other => panic!("{line}: {other:?}"),
    }
}

fn error(line: &str) -> String {
    let read = LineReader::new(Profile::V3_6).text(line);
    read.expect_err(line).to_string()
}

fn change(line: &str) -> (Way, LinkChange) {
    match op(line) {
        WorldOp::Link {
            client,
            way,
            change,
        } if client == "c" => (way, change),
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn verbs_with_a_name() {
    let name = || "w1".to_owned();
    assert_eq!(kind("recv w1"), CommandKind::Recv { name: name() });
    let third = "w1.3".to_owned();
    assert_eq!(kind("recv w1.3"), CommandKind::Recv { name: third });
    assert_eq!(op("progress w1"), WorldOp::Progress { name: name() });
    assert_eq!(op("unwatch w1"), WorldOp::Unwatch { name: name() });
    let partition = |is_one_way| Partition {
        left: vec![NodeName::Client("etcd-1".into())],
        right: vec![NodeName::Client("etcd-2".into()), NodeName::Etcd],
        is_one_way,
    };
    assert_eq!(
        op("fault partition etcd-1 | etcd-2 etcd"),
        WorldOp::Partition(partition(false))
    );
    assert_eq!(
        op("fault partition --one-way etcd-1 | etcd-2 etcd"),
        WorldOp::Partition(partition(true))
    );
    assert_eq!(
        op("fault disk-full etcd"),
        WorldOp::FillDisk(NodeName::Etcd)
    );
    assert_eq!(op("heal"), WorldOp::Heal);
    assert_eq!(op("pause etcd"), WorldOp::Pause(NodeName::Etcd));
    assert_eq!(op("resume w1"), WorldOp::Resume(NodeName::Client(name())));
    assert_eq!(op("disconnect w1"), WorldOp::Disconnect { client: name() });
    assert_eq!(op("connect w1"), WorldOp::Connect { client: name() });
    assert_eq!(op("stop w1"), WorldOp::Stop { client: name() });
    assert_eq!(op("start w1"), WorldOp::Start { client: name() });
    assert_eq!(op("stop etcd"), WorldOp::StopEtcd);
    assert_eq!(op("crash etcd"), WorldOp::Crash(NodeName::Etcd));
    assert_eq!(op("start etcd"), WorldOp::StartEtcd);
    assert_eq!(
        op("snapshot save w1"),
        WorldOp::SaveSnapshot {
            name: name(),
            login: Sparse::default()
        }
    );
    assert_eq!(
        op("snapshot restore w1 --bump-revision=9 --mark-compacted"),
        WorldOp::RestoreSnapshot {
            name: name(),
            bump: 9,
            mark_compacted: true
        }
    );
    assert_eq!(
        op("slow w1 50ms"),
        WorldOp::Slow {
            client: name(),
            per_response: SimDuration(50_000)
        }
    );
    let file = "backup/monday.db".to_owned();
    assert_eq!(
        kind("etcdutl snapshot status backup/monday.db -w table"),
        CommandKind::Show(Show::Snapshot {
            name: file.clone(),
            format: Format::Table
        })
    );
    assert_eq!(
        kind("etcd-dump-db iterate-bucket backup/monday.db key --limit 2 --decode"),
        CommandKind::Show(Show::Bucket {
            name: "key".to_owned(),
            file,
            decode: true,
            limit: Some(2),
            json: false
        })
    );
    assert_eq!(
        kind("show watchers --json"),
        CommandKind::Show(Show::Watchers { json: true })
    );
    assert_eq!(
        kind("show settings"),
        CommandKind::Show(Show::Settings { json: false })
    );
    assert_eq!(
        error("recv"),
        "Write `recv NAME`, for example `recv w1`. Column 1: expected a watch name after this word."
    );
    for (line, expected) in [
        ("crash", "the name of a member after this word"),
        ("fault", "`partition` or `disk-full` after this word"),
        ("fault disk-full etcd etcd", "only the name of a member"),
        (
            "fault partition --one-way",
            "the name of a node after this word",
        ),
        ("heal now", "the end of the command after heal"),
        ("recv w1 w2", "only a watch name"),
        ("recv w1.x", "letters, digits, - and _"),
        ("recv .1", "letters, digits, - and _"),
        ("watch a as w1.1", "letters, digits, - and _"),
        ("stop a/b", "letters, digits, - and _"),
        ("disconnect etcd", "`etcd` is the name of the member"),
        ("load w", "--creates, --deletes or --lists"),
        ("load w --lists=10001", "at most 10000"),
        ("load w --lists=1 --clients=0", "1 to 1000 clients"),
        ("snapshot", "save, close, status or restore"),
        ("snapshot keep a", "save, close, status or restore"),
        ("snapshot status a -w xml", "-w simple, json"),
        ("etcd-dump-db iterate-bucket db", "list-bucket FILE, or"),
        ("snapshot restore a --bump-revision=0", "at most a billion"),
        (
            "snapshot restore a --mark-compacted",
            "both --bump-revision=N",
        ),
        ("pause", "a node such as `etcd` after this word"),
        ("pause a/b", "letters, digits, - and _"),
        ("slow", "a client name after this word"),
        (
            "slow w1",
            "a duration such as 50ms, at most 24h after this word",
        ),
        ("slow w1 50", "a duration such as 50ms, at most 24h"),
        ("slow w1 25h", "at most 24h"),
        ("slow w1 5ms 5ms", "the end of the command"),
        ("show settings x", "the end of the command"),
        ("rcv w1", "Did you mean `recv`?"),
    ] {
        assert!(error(line).contains(expected), "{line}: {}", error(line));
    }
}

#[test]
fn clients_that_list_and_watch() {
    let list_watch = |memory| WorldOp::ListWatch {
        name: "c1".into(),
        prefix: "/pods/".into(),
        memory,
    };
    assert_eq!(op("listwatch /pods/ as c1"), list_watch(Memory::Stateless));
    assert_eq!(
        op("listwatch --remember=keys /pods/ as c1"),
        list_watch(Memory::Keys)
    );
    assert_eq!(
        op("listwatch /pods/ as c1 --remember revision"),
        list_watch(Memory::Checkpoint)
    );
    for (line, expected) in [
        ("listwatch", "a key prefix after this word"),
        ("listwatch /a", "`as` and a name at the end"),
        ("listwatch /a as", "a name after `as`"),
        ("listwatch /a /b as c", "one prefix"),
        ("listwatch as c1", "a key prefix"),
        (
            "listwatch /a as c --remember=all",
            "`nothing`, `keys` or `revision`",
        ),
        (
            "listwatch /a as c --remember",
            "`nothing`, `keys` or `revision`",
        ),
        ("listwatch /a as c --rev=3", "--remember or a prefix"),
        ("listwatch '' as c", "a prefix of at least one byte"),
    ] {
        assert!(error(line).contains(expected), "{line}: {}", error(line));
    }
}

#[test]
fn clients_that_poll() {
    let poll = |every_ms: u64, each_revision| WorldOp::Poll {
        name: "p1".into(),
        spec: PollSpec {
            prefix: "/pods/".into(),
            every: SimDuration(every_ms * 1000),
            each_revision,
            through_cache: Sparse::default(),
        },
    };
    assert_eq!(op("poll /pods/ as p1"), poll(1_000, false));
    assert_eq!(op("poll --every=20ms /pods/ as p1"), poll(20, false));
    assert_eq!(
        op("poll /pods/ as p1 --every 2s --each-revision"),
        poll(2_000, true)
    );
    assert_eq!(kind("show clients"), CommandKind::Show(Show::Clients));
    for (line, expected) in [
        ("poll", "a key prefix after this word"),
        ("poll /a", "`as` and a name at the end"),
        ("poll /a as", "a name after `as`"),
        ("poll /a /b as p", "one prefix"),
        ("poll '' as p", "a prefix of at least one byte"),
        ("poll /a as p --every=often", "a duration such as 500ms"),
        ("poll /a as p --every", "a duration such as 500ms"),
        ("poll /a as p --everyone", "a duration such as 500ms"),
        (
            "poll /a as p --rev=3",
            "--every, --each-revision, --cache or a prefix",
        ),
        ("show clients p1", "the end of the command"),
    ] {
        assert!(error(line).contains(expected), "{line}: {}", error(line));
    }
}

#[test]
fn links() {
    let ms = |ms: u64| SimDuration(ms * 1000);
    for (line, way, what) in [
        (
            "delay 5ms",
            Way::Both,
            LinkChange::Delay(Delay::Fixed(ms(5))),
        ),
        (
            "down delay uniform 1ms 9ms",
            Way::Down,
            LinkChange::Delay(Delay::Uniform(ms(1), ms(9))),
        ),
        (
            "up delay longtail 2ms",
            Way::Up,
            LinkChange::Delay(Delay::LongTail(ms(2))),
        ),
        ("bandwidth 1MB", Way::Both, LinkChange::Bandwidth(1_000_000)),
        ("bandwidth 0", Way::Both, LinkChange::Bandwidth(0)),
        ("loss 1/10", Way::Both, LinkChange::LossOneIn(10)),
        ("up dup 0", Way::Up, LinkChange::DuplicateOneIn(0)),
        ("hold", Way::Both, LinkChange::Hold),
        ("down release", Way::Down, LinkChange::Release),
    ] {
        assert_eq!(change(&format!("net c {line}")), (way, what), "{line}");
    }
    for (line, expected) in [
        ("net", "a client name after this word"),
        (
            "net c",
            "delay, bandwidth, loss, dup, hold or release after this word",
        ),
        (
            "net c up",
            "delay, bandwidth, loss, dup, hold or release after this word",
        ),
        ("net c sideways hold", "expected delay, bandwidth"),
        (
            "net c delay",
            "a duration such as 5ms, at most 24h after this word",
        ),
        ("net c delay 5", "a duration such as 5ms"),
        ("net c delay uniform", "two durations after this word"),
        (
            "net c delay uniform 9ms 1ms",
            "the longer duration after the shorter",
        ),
        (
            "net c delay uniform 1ms",
            "a duration such as 5ms, at most 24h after this word",
        ),
        ("net c loss 10%", "a fraction such as 1/10, or 0 for none"),
        ("net c bandwidth fast", "bytes per second such as 1MB"),
        ("net c hold 5ms", "the end of the command"),
        ("net etcd hold", "`etcd` is the name of the member"),
    ] {
        assert!(error(line).contains(expected), "{line}: {}", error(line));
    }
}

#[test]
fn clocks() {
    let clock = |offset_us, drift_ppm| WorldOp::Clock {
        node: NodeName::Etcd,
        offset_us,
        drift_ppm,
    };
    assert_eq!(op("clock etcd offset -200ms"), clock(-200_000, 0));
    assert_eq!(
        op("clock etcd offset 1s drift 50 ppm"),
        clock(1_000_000, 50)
    );
    assert_eq!(op("clock etcd offset 0 drift -50ppm"), clock(0, -50));
    for (line, expected) in [
        ("clock", "a node such as `etcd` after this word"),
        ("clock etcd", "`offset` and a duration"),
        ("clock etcd drift 5 ppm", "`offset` and a duration"),
        ("clock etcd offset", "a duration such as 200ms or -200ms"),
        (
            "clock etcd offset soon",
            "a duration such as 200ms or -200ms",
        ),
        ("clock etcd offset 1s drift", "a drift in ppm"),
        (
            "clock etcd offset 1s drift 500001",
            "from -500000 to 500000",
        ),
        (
            "clock etcd offset 1s skew 5",
            "`drift` or the end of the command",
        ),
        (
            "clock etcd offset 1s drift 5 ppm x",
            "the end of the command",
        ),
    ] {
        assert!(error(line).contains(expected), "{line}: {}", error(line));
    }
}

#[test]
fn settings() {
    for (line, name, value) in [
        ("set watch-channel 4", "watch-channel", 4),
        ("set stream-window 64KiB", "stream-window", 65_536),
        ("set watch-resync 250ms", "watch-resync", 250_000),
        ("set watch-resync default", "watch-resync", 100_000),
    ] {
        assert_eq!(Some(op(line)), WorldOp::set(name, value), "{line}");
    }
    for (line, expected) in [
        ("set", "a setting name after this word"),
        ("set watch-chanel 4", "perhaps watch-channel"),
        ("set batch 4", "perhaps watch-batch-revs"),
        ("set colour", "a setting from `show settings`"),
        (
            "set watch-channel",
            "a number from 1 to 1048576 for watch-channel after this word",
        ),
        (
            "set watch-channel 0",
            "a number from 1 to 1048576 for watch-channel",
        ),
        ("set watch-channel many", "a number from 1 to 1048576"),
        ("set watch-channel 1 2", "one value"),
        (
            "set watch-resync 5us",
            "a duration such as 20ms, from 1ms to 1h for watch-resync",
        ),
        (
            "set stream-window 2GiB",
            "a number of bytes such as 64KiB, from 0 to 1GiB for stream-window",
        ),
    ] {
        assert!(error(line).contains(expected), "{line}: {}", error(line));
    }
}
