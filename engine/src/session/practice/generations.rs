//! Exercises about generations: version, create revision and mod revision of a key that was deleted and put again.

use super::dice::Dice;
use super::draft::{Choices, Draft};

/// Draws puts of a key, a delete, and more puts, with puts of another key between them.
fn two_generations(dice: &mut Dice) -> (&'static str, Vec<String>) {
    let keys = dice.keys(2);
    let (key, other) = (keys[0], keys[1]);
    let values = dice.values(7);
    let (first, second) = (dice.between(1, 3), dice.between(1, 3));
    let put = |(key, value): (&str, &str)| format!("put {key} {value}");
    let mut commands = Vec::new();
    for number in 0..=first + second {
        if number == first {
            commands.push(format!("del {key}"));
        } else {
            commands.push(put((key, values[number as usize])));
        }
        if dice.between(0, 2) == 0 {
            commands.push(put((other, "x")));
        }
    }
    (key, commands)
}

/// Returns an expression that counts the rows of a key for which a condition holds.
fn rows(key: &str, and: &str) -> String {
    format!("count row in rows(\"key\"): row.key == \"{key}\"{and}")
}

pub(super) fn version(dice: &mut Dice) -> Draft {
    let (key, start) = two_generations(dice);
    let ask = format!("get {key} -w fields");
    Draft {
        title: "The version of a key",
        start,
        question: format!("Which `Version` does `{ask}` print?"),
        ask: vec![ask],
        choices: Choices::Values {
            answer: "last.kvs[0].version".into(),
            wrong: vec![
                (
                    rows(key, " and not row.tombstone"),
                    "That counts the puts since the key was first created. A delete ends the count.".into(),
                ),
                (
                    rows(key, ""),
                    "That counts all rows of the key. The version counts only the puts since the last delete.".into(),
                ),
                (
                    "last.kvs[0].mod_revision".into(),
                    "That is `ModRevision`, a revision of the store. The version belongs to the key alone.".into(),
                ),
                (
                    "last.kvs[0].version - 1".into(),
                    "The first put of a generation has version one, not zero.".into(),
                ),
            ],
        },
        reason: format!(
            "The delete ended a generation of `{key}`, and the next put started another one. The version counts the \
             puts in the current generation, which are {{last.kvs[0].version}}."
        ),
    }
}

pub(super) fn create_revision(dice: &mut Dice) -> Draft {
    let (key, start) = two_generations(dice);
    let ask = format!("get {key} -w fields");
    Draft {
        title: "When a key was created",
        start,
        question: format!("Which `CreateRevision` does `{ask}` print?"),
        ask: vec![ask],
        choices: Choices::Values {
            answer: "last.kvs[0].create_revision".into(),
            wrong: vec![
                (
                    format!("index(\"{key}\").gens[0].created"),
                    "That is the revision of the very first put. The key was deleted since, and then created again."
                        .into(),
                ),
                (
                    format!("index(\"{key}\").gens[0].revs[-1]"),
                    "That is the revision of the delete. The next put of the key created it.".into(),
                ),
                (
                    "last.kvs[0].mod_revision".into(),
                    "That is the revision of the last put, `ModRevision`.".into(),
                ),
                (
                    "last.header_rev".into(),
                    "That is the revision of the store.".into(),
                ),
            ],
        },
        reason: format!(
            "The current generation of `{key}` began with the first put after the delete, at revision \
             {{last.kvs[0].create_revision}}."
        ),
    }
}

pub(super) fn mod_revision(dice: &mut Dice) -> Draft {
    let (key, start) = two_generations(dice);
    let revision = dice.between(2, start.len() as i64 + 1);
    let ask = format!("get {key} --rev={revision} -w fields");
    Draft {
        title: "The last change before a revision",
        start,
        question: format!("Which `ModRevision` does `{ask}` print?"),
        ask: vec![ask],
        choices: Choices::Values {
            answer: "last.kvs[0].mod_revision".into(),
            wrong: vec![
                (
                    "last.rev".into(),
                    "That is the revision that you asked for. The write of this revision changed another key.".into(),
                ),
                (
                    format!("kv(\"{key}\").mod_revision"),
                    "That is the newest change of the key, which came after the requested revision.".into(),
                ),
                (
                    "last.kvs[0].create_revision".into(),
                    "That is the revision at which the current generation of the key began.".into(),
                ),
                (
                    "last.header_rev".into(),
                    "That is the revision of the store, which is in the header.".into(),
                ),
                (
                    "last.kvs[0].version".into(),
                    "That is the version of the key. `ModRevision` is a revision of the store.".into(),
                ),
            ],
        },
        reason: format!(
            "Of all writes of `{key}` at or before revision {{last.rev}}, the last one has revision \
             {{last.kvs[0].mod_revision}}."
        ),
    }
}

pub(super) fn rows_of_delete(dice: &mut Dice) -> Draft {
    let keys = dice.between(3, 6);
    let changed = dice.between(2, keys);
    let others = dice.between(2, 4);
    let [prefix, other] = dice.prefixes();
    Draft {
        title: "What a delete stores",
        start: vec![
            format!("for i in {{1..{keys}}}; do put {prefix}$i new; done"),
            format!("for i in {{1..{changed}}}; do put {prefix}$i old; done"),
            format!("for i in {{1..{others}}}; do put {other}$i x; done"),
        ],
        question: format!("How many rows does the database hold after `del {prefix} --prefix`?"),
        ask: vec![format!("del {prefix} --prefix")],
        choices: Choices::Values {
            answer: "rows(\"key\").len".into(),
            wrong: vec![
                (
                    "store.keys".into(),
                    "That is the number of keys that are left. A delete removes no row: compaction does.".into(),
                ),
                (
                    "rows(\"key\").len - last.deleted".into(),
                    "That is the number of rows before the delete. A delete adds rows, too: tombstones.".into(),
                ),
                (
                    "rows(\"key\").len - last.deleted + 1".into(),
                    "The delete is one revision, but it writes a tombstone for each key.".into(),
                ),
                (
                    "rows(\"key\").len + last.deleted".into(),
                    "The delete writes one tombstone for each key, not for each row.".into(),
                ),
            ],
        },
        reason: "The delete adds a tombstone for each of the {last.deleted} keys and leaves all older rows in place, \
                 so reads of the past still find them."
            .into(),
    }
}
