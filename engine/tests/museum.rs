//! The museum: each exhibit is a pair of behaviour files in `tests/behaviour/museum`. The two runs differ in one line,
//! and their texts and outputs differ only where the bug shows. Other tests compare the behaviours that a switch
//! changes, and that no version had before the museum, with naive expectations.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use watchglass_engine::api::{
    Profile, PutRequest, RangeRequest, Request, RequestOp, Switch, TxnRequest,
};
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::mvcc::{Filters, KvStore, WatchLimits, WatchableStore};
use watchglass_engine::scenario::exhibit::Exhibit;
use watchglass_engine::scenario::{Block, Expected, Scenario, format};
use watchglass_engine::session::script;

use crate::cluster_members::Members;

const EXHIBITS: usize = 14;
const BEATS: std::ops::RangeInclusive<usize> = 4..=8;

/// One of the two runs of an exhibit, as it was played.
struct Played {
    scenario: Scenario,
    exhibit: Exhibit,
}

fn played(name: &str) -> Played {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour");
    let path = folder.join([name, ".txt"].concat());
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
    let report = script::run_file(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    let scenario = format::parse(&report.rewritten).expect("it was parsed before");
    let exhibit = Exhibit::of(&scenario).unwrap_or_else(|| panic!("{name}: not an exhibit"));
    Played { scenario, exhibit }
}

/// Returns the names of the runs that show a bug.
fn broken_runs() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour/museum");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let names = files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let broken = names.filter(|name| !name.ends_with("_fixed"));
    broken.map(|name| ["museum/", &name].concat()).collect()
}

fn output(block: &Block) -> &str {
    match &block.expected {
        Expected::Output(output) => output,
        _ => panic!("a behaviour file has the output of every command"),
    }
}

/// Returns the commands of two runs that differ, line by line.
fn differing_commands<'a>(broken: &'a Scenario, fixed: &'a Scenario) -> Vec<(&'a str, &'a str)> {
    assert_eq!(broken.blocks.len(), fixed.blocks.len());
    let lines = |scenario: &'a Scenario| {
        let blocks = scenario.blocks.iter();
        blocks
            .flat_map(|block| block.input.lines())
            .collect::<Vec<_>>()
    };
    let (broken, fixed) = (lines(broken), lines(fixed));
    assert_eq!(broken.len(), fixed.len());
    let pairs = broken.into_iter().zip(fixed);
    pairs.filter(|(broken, fixed)| broken != fixed).collect()
}

#[test]
fn the_two_runs_of_an_exhibit_differ_in_one_line_and_where_the_text_says() {
    let names = broken_runs();
    assert_eq!(names.len(), EXHIBITS, "{names:?}");
    for name in &names {
        let broken = played(name);
        let fixed = played(&broken.exhibit.other);
        assert_eq!(fixed.exhibit.other, *name, "the runs name each other");
        assert!(fixed.exhibit.is_fixed && !broken.exhibit.is_fixed, "{name}");
        let expected = Exhibit {
            is_fixed: false,
            other: broken.exhibit.other.clone(),
            ..fixed.exhibit.clone()
        };
        assert_eq!(broken.exhibit, expected, "{name}");
        let switch = differing_commands(&broken.scenario, &fixed.scenario);
        assert_eq!(
            switch.len(),
            1,
            "{name}: one line is the switch: {switch:?}"
        );

        assert!(BEATS.contains(&broken.scenario.blocks.len()), "{name}");
        let (mut guesses, mut differ) = (0, 0);
        for (old, new) in broken.scenario.blocks.iter().zip(&fixed.scenario.blocks) {
            let (old_beat, new_beat) = (old.beat.clone().unwrap(), new.beat.clone().unwrap());
            let at = format!("{name}: line {}", old.line);
            let same_output = output(old) == output(new);
            differ += usize::from(!same_output);
            if old.input == new.input {
                let same_text = old_beat.text == new_beat.text;
                assert_eq!(
                    same_text, same_output,
                    "{at}: the text tells the difference"
                );
            } else {
                assert!(same_output, "{at}: the switch alone changes nothing");
            }
            assert_eq!(old_beat.picture, new_beat.picture, "{at}");
            let (Some(guess), Some(other)) = (&old_beat.guess, &new_beat.guess) else {
                assert_eq!(old_beat.guess, new_beat.guess, "{at}");
                continue;
            };
            guesses += 1;
            assert_eq!(
                (&guess.question, &guess.options),
                (&other.question, &other.options)
            );
            assert!((2..=3).contains(&guess.options.len()), "{at}");
            assert_ne!(
                guess.answer, other.answer,
                "{at}: the answer depends on the bug"
            );
            assert!(!same_output, "{at}: the outputs answer the question");
        }
        assert!(guesses == 1 && differ > 0, "{name}");
    }
}

fn fix(profile: Profile, issue: &str) -> Profile {
    profile.with(Switch::parse("fix", issue).expect("a known issue"))
}

/// Passes over watchers at random revisions until all are synced. Returns the revisions that each watcher received, the
/// largest number of rows that a pass read, and the number of passes.
fn synced(profile: Profile, seed: u64) -> (BTreeMap<i64, Vec<i64>>, u64, u32) {
    let limits = WatchLimits {
        batch_revs: 10,
        ..WatchLimits::default()
    };
    let mut rng = Rng::stream(seed, "museum");
    let mut store = WatchableStore::with_limits(KvStore::new(profile), limits);
    for n in 0..200 {
        let key = ["a", "b"][n % 2];
        store.write(|txn| txn.put(key.into(), "v".into(), 0));
    }
    let mut streams = BTreeMap::new();
    for _ in 0..3 {
        let from = 2 + rng.below(200) as i64;
        let stream = store.open_stream();
        let key = KeyRange::One("a".into());
        store
            .watch(stream, 0, key, from, Filters::default())
            .unwrap();
        streams.insert(from, stream);
    }
    let mut received: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    let (mut most, mut passes) = (0, 0);
    while let Some(pass) = store.sync_watchers() {
        most = most.max(pass.rows);
        passes += 1;
        assert!(passes < 100, "seed {seed}: the passes end");
        for (from, stream) in &streams {
            while let Some(response) = store.recv(*stream) {
                let revisions = response.events.iter().map(|event| event.kv.mod_revision);
                received.entry(*from).or_default().extend(revisions);
            }
        }
    }
    (received, most, passes)
}

#[test]
fn bounded_passes_deliver_the_same_events_and_read_less() {
    for seed in 0..100 {
        let (received, _, passes) = synced(Profile::V3_7, seed);
        let (bounded, most, bounded_passes) = synced(fix(Profile::V3_7, "etcd#22264"), seed);
        let expected = received.keys().map(|from| {
            let even = (*from..=201).filter(|revision| revision % 2 == 0);
            (*from, even.collect::<Vec<_>>())
        });
        let expected: BTreeMap<_, _> = expected.filter(|(_, all)| !all.is_empty()).collect();
        assert_eq!(received, expected, "seed {seed}");
        assert_eq!(bounded, expected, "seed {seed}");
        assert!(
            most <= 30,
            "seed {seed}: a pass reads 10 rows for each of 3 watchers"
        );
        // A watcher that shares its rows with an older watcher receives fewer revisions of its own.
        assert!(
            bounded_passes <= 2 * passes + 3,
            "seed {seed}: {passes}, {bounded_passes}"
        );
    }
}

/// Etcd up to 3.6 removes the reads from a transaction on the members that the client did not ask. If only a read is
/// invalid, these members therefore execute the transaction that the asked member refuses.
#[test]
fn an_invalid_read_in_a_transaction_divides_the_members_until_3_7() {
    for profile in Profile::ALL {
        let mut members = Members::new(3, profile, 1);
        let put = |key: &str| PutRequest {
            key: key.into(),
            ..PutRequest::default()
        };
        let leader = members.leader();
        members.ask(leader, Request::Put(put("k"))).unwrap();
        let read = RangeRequest {
            key: "k".into(),
            revision: 9,
            ..RangeRequest::default()
        };
        let txn = TxnRequest {
            success: vec![RequestOp::Put(put("a")), RequestOp::Range(read)],
            ..TxnRequest::default()
        };
        for asked in 1..=3 {
            members.ask(asked, Request::Txn(txn.clone())).unwrap_err();
        }
        members.pass(1_000);
        // Each member refused once, and executed the transactions of the two other members before 3.7.
        let expected = if profile < Profile::V3_7 { 4 } else { 2 };
        for id in 1..=3 {
            assert_eq!(
                members.server(id).store().current_rev(),
                expected,
                "{profile}"
            );
        }
    }
}
