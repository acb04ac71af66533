//! Exercises about revisions: which commands make a revision, and how many.

use super::dice::Dice;
use super::draft::{Choices, Draft};
use super::writes::Writes;

const FIRST_REVISION: &str =
    "An empty store is already at revision one, and the first write makes the revision after it.";

pub(super) fn revision_after(dice: &mut Dice) -> Draft {
    let count = dice.between(2, 6) as usize;
    let writes = Writes::draw(dice, 2, count, true);
    let key = writes.key();
    let value = writes.rows().rev().find_map(|(_, value)| value);
    let value = value.unwrap_or_default();
    let (ask, makes, reason) = dice.one_of(&[
        (
            format!("put {key} {value}"),
            true,
            "etcd does not compare the new value with the old one: every successful put makes a revision.",
        ),
        (
            "del /missing".into(),
            false,
            "Nothing was deleted, so the store did not change, and there is no new revision.",
        ),
        (
            format!("get {key}"),
            false,
            "Reads make no revision, although every response contains one.",
        ),
        (
            "lease grant 60".into(),
            false,
            "A lease is not a key. Granting one goes through the log, but makes no revision.",
        ),
        (
            format!("compact {}", writes.log.len()),
            false,
            "A compaction removes old revisions and makes none.",
        ),
        (
            format!("del {key}"),
            true,
            "A delete of an existing key is a change, so it makes a revision.",
        ),
    ]);
    let (changed, unchanged) = (
        "The command changed no key, and only changes of keys make revisions.",
        "The command changed a key, so it made a revision.",
    );
    let wrong = match makes {
        true => ("store.rev - 1", unchanged),
        false => ("store.rev + 1", changed),
    };
    Draft {
        title: "Which command makes a revision?",
        start: writes.commands(),
        question: format!("At which revision is the store after `{ask}`?"),
        ask: vec![ask],
        choices: Choices::Values {
            answer: "store.rev".into(),
            wrong: vec![
                (wrong.0.into(), wrong.1.into()),
                (
                    if makes {
                        "store.rev - 2"
                    } else {
                        "store.rev - 1"
                    }
                    .into(),
                    FIRST_REVISION.into(),
                ),
                (
                    format!("kv(\"{key}\").version + 1"),
                    "Revisions count the changes of the whole store, not of one key.".into(),
                ),
            ],
        },
        reason: reason.into(),
    }
}

pub(super) fn shared_revision(dice: &mut Dice) -> Draft {
    let keys = dice.between(2, 5);
    let others = dice.between(2, 5);
    let [prefix, other] = dice.prefixes();
    let (ask, question) = if dice.coin() {
        (
            format!("del {prefix} --prefix"),
            format!("At which revision is the store after `del {prefix} --prefix`?"),
        )
    } else {
        let last = dice.between(2, keys);
        let puts: Vec<_> = (1..=last)
            .map(|n| format!("put {prefix}{n} done"))
            .collect();
        (
            format!("txn\n\n{}\n\n\n", puts.join("\n")),
            format!(
                "A transaction puts all keys from `{prefix}1` to `{prefix}{last}`. At which revision is the store then?"
            ),
        )
    };
    let changes = rows_of_newest();
    Draft {
        title: "Several changes at once",
        start: vec![
            format!("for i in {{1..{keys}}}; do put {prefix}$i new; done"),
            format!("for i in {{1..{others}}}; do put {other}$i x; done"),
        ],
        question,
        ask: vec![ask],
        choices: Choices::Values {
            answer: "store.rev".into(),
            wrong: vec![
                (
                    format!("store.rev - 1 + ({changes})"),
                    "All changes of one request share one revision.".into(),
                ),
                (
                    "store.rev - 1".into(),
                    "The request changed keys, so it made a revision.".into(),
                ),
                ("store.rev - 2".into(), FIRST_REVISION.into()),
            ],
        },
        reason: format!(
            "The request is one change of the store, with one revision. Its {{{changes}}} rows have this revision and \
             differ in the sub-revision."
        ),
    }
}

/// Returns an expression that counts the rows of the newest revision.
fn rows_of_newest() -> &'static str {
    "count row in rows(\"key\"): row.main == store.rev"
}
