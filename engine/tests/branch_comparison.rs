//! Tests of the comparison of two branches of a run. The comparison names the last common step of the branches, and the
//! differences between the ends of the branches.

use watchglass_engine::base::rng::Rng;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{
    Done, FromEngine, Move, Read, Request, SeekTo, ToEngine,
};
use watchglass_engine::view::{BranchesView, KeyEnd};

fn compare(session: &mut Session, branches: [u32; 2]) -> BranchesView {
    let mut out = Vec::new();
    session.handle(
        ToEngine::Request(9, Request::Read(Read::CompareBranches(branches))),
        &mut out,
    );
    let found = out.into_iter().find_map(|message| match message {
        FromEngine::Done {
            id: 9,
            done: Done::Branches(view),
        } => Some(*view),
        _ => None,
    });
    found.expect("a comparison")
}

fn with(lines: &[&str]) -> Session {
    let mut session = Session::default();
    for line in lines {
        session.exec(line);
    }
    session
}

fn key(value: &str, mod_revision: i64, version: i64) -> Option<KeyEnd> {
    Some(KeyEnd {
        value: value.into(),
        mod_revision,
        version,
    })
}

#[test]
fn the_comparison_lists_commands_keys_and_watchers_that_differ() {
    let mut session = with(&["put a 1", "watch a --prefix as w1", "put a 2", "del a"]);
    let lines = session.run().scrollback().at(u64::MAX);
    let put = lines.map(|entry| entry.step).nth(1).expect("the watch");
    session.seek(SeekTo::Step(put));
    session.exec("put b x");
    session.exec("put a 2");
    let view = compare(&mut session, [0, 1]);
    assert_eq!((view.branches, view.shared_steps), ([0, 1], put));
    let commands = view.commands.map(|(commands, omitted)| {
        assert_eq!(omitted, 0);
        commands.join(", ")
    });
    assert_eq!(commands, ["put a 2, del a", "put b x, put a 2"]);
    let revisions = view.ends.map(|end| end.revision);
    assert_eq!(revisions, [4, 4]);
    assert_eq!(
        view.keys,
        [
            ("a".to_owned(), [None, key("2", 4, 2)]),
            ("b".to_owned(), [None, key("x", 3, 1)]),
        ]
    );
    assert_eq!((view.same_keys, view.same_watchers), (0, 1));
    assert_eq!(view.watchers, []);
    // If the branches are requested in the other order, the columns are exchanged.
    let other = compare(&mut session, [1, 0]);
    let [a, b] = [&view.keys[0].1, &other.keys[0].1];
    assert_eq!([&a[0], &a[1]], [&b[1], &b[0]]);
    // A branch compared with itself has no differences.
    let same = compare(&mut session, [1, 1]);
    assert_eq!((same.keys.len(), same.same_keys), (0, 2));
    assert_eq!(same.commands, [(vec![], 0), (vec![], 0)]);
}

#[test]
fn a_watcher_that_lags_in_one_branch_is_a_difference() {
    let mut session = with(&["watch a --prefix as w1", "put a 1"]);
    session.seek(SeekTo::Step(session.run().len() - 1));
    session.exec("watch b as w2");
    let view = compare(&mut session, [0, 1]);
    let names: Vec<_> = view.watchers.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["w2"]);
    let [first, second] = &view.watchers[0].1;
    assert_eq!(*first, None);
    let second = second.as_ref().expect("the second branch has w2");
    assert_eq!(
        (&*second.range, &*second.state, second.behind),
        ("b", "synced", 0)
    );
}

#[test]
fn branches_of_branches_part_where_the_first_of_them_left() {
    let mut session = with(&["put a 1", "put a 2", "put a 3"]);
    session.seek(SeekTo::Step(2));
    session.exec("put b 1");
    session.exec("put b 2");
    // The third branch leaves the second branch at a step that the second branch shares with the first branch.
    session.seek(SeekTo::Step(1));
    session.exec("put c 1");
    for (pair, shared) in [([0, 1], 2), ([0, 2], 1), ([1, 2], 1), ([2, 1], 1)] {
        assert_eq!(compare(&mut session, pair).shared_steps, shared, "{pair:?}");
    }
    // A branch number beyond the last branch selects the last branch.
    assert_eq!(compare(&mut session, [7, 0]).branches, [2, 0]);
    session.exec("world seed=5");
    let view = compare(&mut session, [0, 3]);
    assert_eq!(view.shared_steps, 0, "a new store has another past");
    assert_eq!((view.keys.len(), view.same_keys), (1, 0));
}

const KEYS: [&str; 3] = ["a", "b", "c"];

fn random_line(rng: &mut Rng) -> String {
    let key = KEYS[rng.below(3) as usize];
    match rng.below(8) {
        0 => format!("del {key}"),
        1 => format!("get {key}"),
        2 => format!("watch {key}"),
        3 => "run 150ms".to_owned(),
        4 => format!("compact {}", 1 + rng.below(6)),
        _ => format!("put {key} {}", rng.below(2)),
    }
}

#[test]
fn the_first_difference_is_the_first_step_with_another_digest_or_other_events() {
    let mut differences = 0;
    for seed in 0..100 {
        let mut rng = Rng::stream(seed, "branches");
        let lines = |rng: &mut Rng| -> Vec<String> {
            (0..1 + rng.below(6)).map(|_| random_line(rng)).collect()
        };
        let common = lines(&mut rng);
        let mut session = with(&common.iter().map(String::as_str).collect::<Vec<_>>());
        let fork = session.run().len();
        let own = lines(&mut rng);
        session.exec(&own.join("\n"));
        session.seek(SeekTo::Step(fork));
        // Half of the branches begin with the same commands.
        let mut others = if rng.chance(1, 2) { own } else { Vec::new() };
        others.extend(lines(&mut rng));
        session.exec(&others.join("\n"));
        if session.views().status.branches.len() < 2 {
            continue;
        }
        let view = compare(&mut session, [0, 1]);
        let steps = [0, 1].map(|branch| {
            session.handle(
                ToEngine::Request(1, Request::Move(Move::ToBranch(branch))),
                &mut Vec::new(),
            );
            let run = session.run();
            let step = |step| {
                (
                    run.world_at(step).digest(),
                    format!("{:?}", &*run.events(step)),
                )
            };
            (1..=run.len()).map(step).collect::<Vec<_>>()
        });
        let last = steps[0].len().max(steps[1].len());
        let expected = (0..last).find(|at| steps[0].get(*at) != steps[1].get(*at));
        let found = view.first_difference.map(|first| first.step);
        assert_eq!(found, expected.map(|at| at as u64 + 1), "seed {seed}");
        differences += u32::from(found.is_some());
    }
    assert!(differences > 80, "{differences}");
}

#[test]
fn the_same_commands_in_another_version_differ_where_the_versions_do() {
    // The run begins with a command that begins a branch, as the runs of the museum do.
    let mut session = with(&[
        "world profile=3.7",
        "put a 1",
        "put a 2",
        "compact 3",
        "show keyindex a",
        "endpoint hashkv --rev=3",
    ]);
    let mut out = Vec::new();
    let profile = "3.4".to_owned();
    session.handle(
        ToEngine::Request(1, Request::Read(Read::Commands { profile })),
        &mut out,
    );
    let text = out.into_iter().find_map(|message| match message {
        FromEngine::Done {
            done: Done::Text(text),
            ..
        } => Some(text),
        _ => None,
    });
    let text = text.expect("the commands");
    assert_eq!(
        text,
        "world profile=3.4 seed=42 members=1\nput a 1\nput a 2\ncompact 3\nshow keyindex a\nendpoint hashkv --rev=3\n"
    );
    session.exec(&text);
    let view = compare(&mut session, [0, 1]);
    let first = view.first_difference.expect("a difference");
    let [newer, older] = first.sides.map(|side| side.expect("both have the step").1);
    assert!(
        newer.starts_with("The hash of the history up to revision 3"),
        "{newer}"
    );
    assert!(
        older.contains("required revision has been compacted"),
        "{older}"
    );
    let (command, [newer, older]) = view.first_output.expect("other output");
    assert_eq!(command, "endpoint hashkv --rev=3");
    assert!(
        newer.starts_with("127.0.0.1:2379, ") && older.starts_with("Failed to get the hash"),
        "{newer} {older}"
    );
}
