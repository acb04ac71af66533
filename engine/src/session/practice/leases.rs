//! Exercises about leases: what expires with a lease, and what does not.

use super::dice::Dice;
use super::draft::{Choices, Draft, Outcome};
use super::reads;

/// The IDs of the first two leases of a run.
const LEASES: [&str; 2] = ["694d000000000001", "694d000000000002"];

pub(super) fn detached(dice: &mut Dice) -> Draft {
    let key = dice.keys(1)[0];
    let values = dice.values(2);
    let (first, second) = (values[0], values[1]);
    let ttl = dice.between(5, 20);
    let wait = ttl + dice.between(2, 9);
    let [lease, other] = LEASES;
    let mut start = vec![
        format!("lease grant {ttl}"),
        format!("put {key} {first} --lease={lease}"),
    ];
    let (change, reason) = dice.one_of(&[
        (
            vec![format!("put {key} {second}")],
            "A put without `--lease` detaches the key from its lease, so the key outlives it.",
        ),
        (
            vec![format!("put {key} {second} --lease={lease}")],
            "The second put attached the key to the same lease, so the key is deleted when the lease expires.",
        ),
        (
            vec![
                format!("lease grant {}", wait * 3),
                format!("put {key} {second} --lease={other}"),
            ],
            "The second put moved the key to the second lease, which lives longer.",
        ),
        (
            vec![format!("put {key} {second} --ignore-lease")],
            "`--ignore-lease` keeps the lease of the key, so the key is deleted when the lease expires.",
        ),
        (
            vec![format!("del {key}"), format!("put {key} {second}")],
            "The delete detached the key. The new key has no lease, so it stays.",
        ),
        (
            vec![format!("lease revoke {lease}")],
            "Revoking a lease deletes its keys at once.",
        ),
    ]);
    let mut results = vec![
        Outcome::new(
            first,
            format!("last.kvs[0].value == \"{first}\""),
            "A lease that ends deletes its keys. It does not bring back an older value, and a value that a put \
             replaced is gone.",
        ),
        reads::empty(
            "The key is not attached to a lease that has ended: each put decides the lease of its key.",
        ),
        Outcome::new(
            "an error: lease not found",
            "last.outcome == \"refused\"",
            "A read does not look at leases. When a lease ends, its keys are deleted, and a missing key is not an \
             error.",
        ),
    ];
    if change.iter().any(|line| line.contains(second)) {
        results.push(Outcome::new(
            second,
            format!("last.kvs[0].value == \"{second}\""),
            "The last put left the key attached to the lease, so the key is deleted with the lease.",
        ));
    }
    start.extend(change);
    Draft {
        title: "After the lease",
        start,
        question: format!("What does `get {key}` return after `run {wait}s`?"),
        ask: vec![format!("run {wait}s"), format!("get {key}")],
        choices: Choices::Results(results),
        reason: reason.into(),
    }
}

pub(super) fn expiry(dice: &mut Dice) -> Draft {
    let ttl = dice.between(5, 20);
    let keys = dice.between(2, 4);
    let others = dice.between(2, 5);
    let wait = ttl + dice.between(2, 9);
    let lease = LEASES[0];
    let [prefix, other] = dice.prefixes();
    Draft {
        title: "The revision of an expiry",
        start: vec![
            format!("lease grant {ttl}"),
            format!("for i in {{1..{keys}}}; do put {prefix}$i held --lease={lease}; done"),
            format!("for i in {{1..{others}}}; do put {other}$i x; done"),
        ],
        question: format!(
            "Nobody renews the lease. At which revision is the store after `run {wait}s`?"
        ),
        ask: vec![format!("run {wait}s"), "get / --prefix".into()],
        choices: Choices::Values {
            answer: "store.rev".into(),
            wrong: vec![
                (
                    format!("store.rev - 1 + {keys}"),
                    "All keys of the lease are deleted in one revision.".into(),
                ),
                (
                    "store.rev - 1".into(),
                    "The end of the lease deletes its keys, and deletes make a revision.".into(),
                ),
                (
                    "store.rev + 1".into(),
                    "Granting a lease makes no revision.".into(),
                ),
            ],
        },
        reason: "When the lease expires, etcd deletes all of its keys together. This makes one revision, {store.rev}."
            .into(),
    }
}
