//! Exercises about quorums: which requests succeed while members are stopped or cut off.

use super::dice::Dice;
use super::draft::{Choices, Draft, Outcome};
use super::reads::empty;
use crate::base::small_sort::SmallSort;

const OK: &str = "last.outcome == \"ok\"";
const REFUSED: &str = "last.outcome == \"refused\"";

/// Returns the commands that start a cluster and let it elect a leader.
fn cluster(dice: &mut Dice, members: i64) -> Vec<String> {
    vec![
        format!("world members={members} seed={}", dice.between(1, 9)),
        "run 3s".into(),
    ]
}

/// Draws members to stop, but not the first one, to which etcdctl connects.
fn some_members(dice: &mut Dice, members: i64, stopped: i64) -> Vec<String> {
    let mut names: Vec<String> = (2..=members).map(|name| format!("etcd-{name}")).collect();
    dice.shuffle(&mut names);
    names.truncate(stopped as usize);
    names.small_sort();
    names
}

fn crash(names: &[String]) -> impl Iterator<Item = String> {
    names.iter().map(|name| format!("crash {name}"))
}

/// Returns a sentence that says which members are down.
fn down(names: &[String]) -> String {
    match names {
        [one] => format!("`{one}` is down."),
        names => format!("`{}` are down.", names.join("` and `")),
    }
}

pub(super) fn write_without_members(dice: &mut Dice) -> Draft {
    let members = dice.between(2, 5);
    let stopped = dice.between(1, members - 1);
    let running = members - stopped;
    let key = dice.keys(1)[0];
    let value = dice.values(1)[0];
    let mut start = cluster(dice, members);
    let names = some_members(dice, members, stopped);
    start.extend(crash(&names));
    start.push("run 3s".into());
    // Only one of the two lists has exactly one right result; the simulator decides which.
    let results = if dice.coin() {
        vec![
            Outcome::new(
                format!("it succeeds: {running} of {members} is a majority"),
                OK,
                "",
            ),
            Outcome::new(
                "it fails: every member must store a write",
                REFUSED,
                "A write needs a majority. Members that are down receive the entries later.",
            ),
            Outcome::new(
                format!("it fails: {stopped} of {members} stopped is too many"),
                REFUSED,
                "Count the members that still run: more than half of all members are enough.",
            ),
        ]
    } else {
        vec![
            Outcome::new(
                format!("it fails: {running} of {members} is not a majority"),
                REFUSED,
                "",
            ),
            Outcome::new(
                "it succeeds: the leader stores the write alone",
                OK,
                "A leader commits an entry only after a majority of the members has stored it.",
            ),
            Outcome::new(
                "it succeeds: half of the members are enough",
                OK,
                "More than half of all members, including the stopped ones, must store the entry. So an even number of \
                 members tolerates no more failures than the odd number below it.",
            ),
            Outcome::new(
                "it succeeds: all members that still run store the write",
                OK,
                "The majority counts all members of the cluster. A stopped member is still a member.",
            ),
        ]
    };
    Draft {
        title: "A write without some members",
        start,
        question: format!(
            "{} What happens to `put {key} {value}` at `etcd-1`?",
            down(&names)
        ),
        ask: vec![format!("put {key} {value}")],
        choices: Choices::Results(results),
        reason: "A write is committed when more than half of all members have stored it, and the running members elect \
                 a leader only if they are more than half."
            .into(),
    }
}

pub(super) fn read_without_majority(dice: &mut Dice) -> Draft {
    let members = dice.between(3, 5);
    let stopped = dice.between(1, members - 1);
    let key = dice.keys(1)[0];
    let values = dice.values(2);
    let (old, new) = (values[0], values[1]);
    let flag = dice.one_of(&["", " --consistency=s"]);
    let ask = format!("get {key}{flag}");
    let mut start = cluster(dice, members);
    start.extend([format!("put {key} {old}"), format!("put {key} {new}")]);
    let names = some_members(dice, members, stopped);
    start.extend(crash(&names));
    start.push("run 3s".into());
    Draft {
        title: "A read without some members",
        start,
        question: format!("{} What does `{ask}` at `etcd-1` return?", down(&names)),
        ask: vec![ask],
        choices: Choices::Results(vec![
            Outcome::new(
                new,
                format!("last.kvs[0].value == \"{new}\""),
                "A linearizable read, the default, needs a leader and a majority: without them, `etcd-1` cannot know \
                 whether its value is the newest.",
            ),
            Outcome::new(
                "an error: the request times out",
                REFUSED,
                "A majority still runs, or the read is serializable: then `etcd-1` needs no other member.",
            ),
            Outcome::new(
                old,
                format!("last.kvs[0].value == \"{old}\""),
                "The second put was committed while all members were running, and `etcd-1` applied it.",
            ),
            empty("A member never forgets what it applied because other members are down."),
        ]),
        reason: "A linearizable read asks the leader, and the leader asks a majority. A serializable read, \
                 `--consistency=s`, returns what the member has applied."
            .into(),
    }
}

pub(super) fn read_on_member(dice: &mut Dice) -> Draft {
    let members = dice.one_of(&[3, 5]);
    let key = dice.keys(1)[0];
    let values = dice.values(3);
    let puts = dice.between(1, 2) as usize;
    let cut_off = dice.between(2, members);
    let at = match dice.between(0, 3) {
        0 => dice.between(1, members),
        _ => cut_off,
    };
    let flag = dice.one_of(&["", " --consistency=s"]);
    let ask = format!("get {key}{flag} --endpoints=etcd-{at}");
    let others: Vec<String> = (1..=members)
        .filter(|member| *member != cut_off)
        .map(|member| format!("etcd-{member}"))
        .collect();
    let mut start = cluster(dice, members);
    start.push(format!("put {key} {}", values[0]));
    start.push(format!(
        "fault partition --one-way {} | etcd-{cut_off}",
        others.join(" ")
    ));
    start.push("run 3s".into());
    let later = values[1..=puts].iter();
    start.extend(later.map(|value| format!("put {key} {value}")));
    let newest = values[puts];
    Draft {
        title: "A member that is cut off",
        start,
        question: format!(
            "The member `etcd-{cut_off}` receives no messages from the other members. What does `{ask}` return?"
        ),
        ask: vec![ask],
        choices: Choices::Results(vec![
            Outcome::new(
                newest,
                format!("last.kvs[0].value == \"{newest}\""),
                "A member that receives no messages cannot return the newest value: it does not have it.",
            ),
            Outcome::new(
                values[0],
                format!("last.kvs[0].value == \"{}\"", values[0]),
                "Only a serializable read at the member that is cut off may return an old value.",
            ),
            Outcome::new(
                "an error: the request times out",
                REFUSED,
                "This member can respond: it has a leader and a majority, or the read is serializable.",
            ),
            empty("The first put was committed before the partition, and all members applied it."),
        ]),
        reason: "A serializable read, `--consistency=s`, returns what this member has, without asking. A linearizable \
                 read, the default, waits until the member has everything that the leader has committed."
            .into(),
    }
}
