//! Exercises about compaction: what can still be read, which rows stay, what is refused.

use super::dice::Dice;
use super::draft::{Choices, Draft, Outcome};
use super::reads;
use super::writes::Writes;

pub(super) fn read_after_compaction(dice: &mut Dice) -> Draft {
    let count = dice.between(5, 7) as usize;
    let writes = Writes::draw(dice, 2, count, false);
    let (key, newest) = (writes.key(), writes.log.len() as i64 + 1);
    let compacted = dice.between(3, newest);
    let revision = (compacted + dice.between(-1, 1)).min(newest);
    let mut results = vec![Outcome::new(
        "an error: compacted revision",
        "last.error contains \"compacted\"",
        "Only revisions below the compact revision are refused. The compact revision itself, {store.compact_rev}, can \
         still be read.",
    )];
    let values = reads::values(&writes, revision).into_iter();
    results.extend(values.take(2).map(|value| Outcome {
        why: format!(
            "{} The compact revision is {{store.compact_rev}}.",
            value.why
        ),
        ..value
    }));
    results.push(reads::empty(
        "Compaction never removes the value that a key has at the compact revision or later, and a read below it is \
         an error.",
    ));
    results.extend(reads::values(&writes, revision).into_iter().skip(2));
    let mut start = writes.commands();
    start.push(format!("compact {compacted}"));
    Draft {
        title: "A read after a compaction",
        start,
        question: format!("What does `get {key} --rev={revision}` return?"),
        ask: vec![format!("get {key} --rev={revision}")],
        choices: Choices::Results(results),
        reason: "The compact revision is {store.compact_rev}. etcd serves reads from this revision on, and refuses \
                 reads below it."
            .into(),
    }
}

pub(super) fn rows_after_compaction(dice: &mut Dice) -> Draft {
    let count = dice.between(5, 7) as usize;
    let keys = dice.between(2, 3) as usize;
    let writes = Writes::draw(dice, keys, count, false);
    // A tombstone at the compact revision stays, which would be another question.
    let puts = (4..)
        .zip(&writes.log[2..])
        .filter(|(_, (_, value))| value.is_some());
    let puts: Vec<i64> = puts.map(|(revision, _)| revision).collect();
    let compacted = dice.one_of(&puts);
    Draft {
        title: "The rows that stay",
        start: writes.commands(),
        question: format!(
            "How many rows does the database hold after `compact {compacted} --physical`, which waits until all rows \
             that can go are gone?"
        ),
        ask: vec![format!("compact {compacted} --physical")],
        choices: Choices::Values {
            answer: "rows(\"key\").len".into(),
            wrong: vec![
                (
                    format!("count row in rows(\"key\"): row.main > {compacted}"),
                    "Compaction does not remove living keys: each key keeps the row that is its value at the compact \
                     revision."
                        .into(),
                ),
                (
                    "store.rev - 1".into(),
                    "That is the number of rows before the compaction. It removed the values that were replaced or \
                     deleted by then."
                        .into(),
                ),
                (
                    "store.keys".into(),
                    "That is the number of living keys. Rows above the compact revision stay as well.".into(),
                ),
                (
                    format!("store.rev - {compacted} + 1"),
                    "That counts the revisions from the compact revision on. A key that was written earlier keeps a \
                     row, too."
                        .into(),
                ),
                (
                    "rows(\"key\").len - 1".into(),
                    "For each key, the newest row at or below the compact revision stays, and every row above it."
                        .into(),
                ),
            ],
        },
        reason: "For each key that exists at revision {store.compact_rev}, its row of that time stays. Every row above \
                 this revision stays, too."
            .into(),
    }
}

pub(super) fn compact_again(dice: &mut Dice) -> Draft {
    let count = dice.between(4, 6) as usize;
    let writes = Writes::draw(dice, 2, count, true);
    let newest = writes.log.len() as i64 + 1;
    let first = dice.between(3, newest - 1);
    let second = dice.one_of(&[first - 1, first, first + 1, newest, newest + 1, newest + 2]);
    let mut start = writes.commands();
    start.push(format!("compact {first}"));
    Draft {
        title: "A second compaction",
        start,
        question: format!("What does `compact {second}` return?"),
        ask: vec![format!("compact {second}")],
        choices: Choices::Results(vec![
            Outcome::new(
                "an error: compacted revision",
                "last.error contains \"compacted\"",
                "Only a revision at or below the compact revision is already compacted.",
            ),
            Outcome::new(
                "an error: future revision",
                "last.error contains \"future revision\"",
                "The store has already reached this revision.",
            ),
            Outcome::new(
                "success",
                "last.outcome == \"ok\"",
                "A compaction must go beyond the last compaction, and not beyond the revision of the store.",
            ),
        ]),
        reason: "The store is at revision {store.rev}, and its compact revision is now {store.compact_rev}. A \
                 compaction is accepted above the compact revision, up to the current revision."
            .into(),
    }
}
