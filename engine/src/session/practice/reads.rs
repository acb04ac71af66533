//! Exercises about reads: values at revisions, the header, the edges of the history, limits.

use super::dice::Dice;
use super::draft::{Choices, Draft, Outcome};
use super::writes::Writes;

const NO_KEY_NO_ERROR: &str = "The requested revision exists, so the read succeeds. A key that is \
                               missing at a revision is not an error: the response is then empty.";

/// Returns one result for each value that the first key had. `read` is the revision of the read.
pub(super) fn values(writes: &Writes, read: i64) -> Vec<Outcome> {
    let key = writes.key();
    let rows: Vec<_> = writes.rows().collect();
    let newest = rows.last().map(|(row, _)| *row);
    let values = rows.iter().rev().filter_map(|(row, value)| {
        let value = (*value)?;
        // The n-th write makes revision n + 1, and writes are counted from 0.
        let written = *row as i64 + 2;
        let why = if Some(*row) == newest && written > read {
            format!(
                "That is the newest value of `{key}`. With `--rev`, etcd reads the key as it was at \
                 the requested revision."
            )
        } else if Some(*row) == newest {
            "That is the newest value, but etcd serves no revision that it has not reached yet or has compacted."
                .into()
        } else if written > read {
            "This value was written after the requested revision.".into()
        } else {
            "A later write had replaced or deleted this value by the requested revision.".into()
        };
        let holds = format!("last.kvs[0].value == \"{value}\"");
        Some(Outcome::new(value, holds, why))
    });
    values.collect()
}

pub(super) fn empty(why: &str) -> Outcome {
    Outcome::new(
        "an empty response",
        "last.outcome == \"ok\" and last.count == 0",
        why,
    )
}

pub(super) fn value_at_revision(dice: &mut Dice) -> Draft {
    let count = dice.between(5, 7) as usize;
    let writes = Writes::draw(dice, 2, count, false);
    let (key, revision) = (writes.key(), writes.revision(dice));
    let mut results = values(&writes, revision);
    results.push(empty(
        "A key keeps its value between its own writes. The read finds the last write of the key at or before the \
         requested revision.",
    ));
    results.push(Outcome::new(
        "an error",
        "last.outcome == \"refused\"",
        NO_KEY_NO_ERROR,
    ));
    Draft {
        title: "A value of the past",
        start: writes.commands(),
        question: format!("What does `get {key} --rev={revision}` return?"),
        ask: vec![format!("get {key} --rev={revision}")],
        choices: Choices::Results(results),
        reason: format!(
            "etcd looks for the last write of `{key}` at or before revision {{last.rev}}. A put returns its value, \
             and a delete returns nothing."
        ),
    }
}

pub(super) fn header_revision(dice: &mut Dice) -> Draft {
    let count = dice.between(4, 7) as usize;
    let writes = Writes::draw(dice, 2, count, false);
    let (key, revision) = (writes.key(), writes.revision(dice));
    let ask = format!("get {key} --rev={revision} -w fields");
    Draft {
        title: "The revision in the header",
        start: writes.commands(),
        question: format!(
            "`Revision` is a field of the response header. Which `Revision` does `{ask}` print?"
        ),
        ask: vec![ask],
        choices: Choices::Values {
            answer: "last.header_rev".into(),
            wrong: vec![
                (
                    "last.rev".into(),
                    "That is the revision that you asked for. The header does not repeat it.".into(),
                ),
                (
                    "last.kvs[0].mod_revision".into(),
                    "That is the `ModRevision` of the key. The header describes the store.".into(),
                ),
                (
                    "store.rev + 1".into(),
                    "A read makes no revision.".into(),
                ),
                (
                    "store.rev - 1".into(),
                    "An empty store is at revision one, so the first write makes the revision after it.".into(),
                ),
            ],
        },
        reason: "The header shows the current revision of the store, {store.rev}, whichever revision you read. \
                 After a read of the current revision, a watch from the next revision misses nothing; after a read \
                 with `--rev`, it would miss the changes in between."
            .into(),
    }
}

pub(super) fn edge_of_history(dice: &mut Dice) -> Draft {
    let count = dice.between(3, 6) as usize;
    let writes = Writes::draw(dice, 2, count, false);
    let key = writes.key();
    let newest = writes.log.len() as i64 + 1;
    let revision = dice.one_of(&[0, 1, newest, newest + 1, newest + 1, newest + 3]);
    let mut results = values(&writes, if revision == 0 { newest } else { revision });
    results.insert(
        0,
        Outcome::new(
            "an error: future revision",
            "last.error contains \"future revision\"",
            "Only a revision above the current revision of the store is a future revision, and `--rev=0` means the \
             current one.",
        ),
    );
    results.insert(
        1,
        empty(
            "The response is empty only if the requested revision exists and the key is missing at it.",
        ),
    );
    results.insert(
        2,
        Outcome::new(
            "an error: compacted revision",
            "last.error contains \"compacted\"",
            "Nothing was compacted, so every revision up to the current one can be read.",
        ),
    );
    Draft {
        title: "At the edge of the history",
        start: writes.commands(),
        question: format!("What does `get {key} --rev={revision}` return?"),
        ask: vec![format!("get {key} --rev={revision}")],
        choices: Choices::Results(results),
        reason: "The store is at revision {store.rev}. `--rev=0` reads this revision, an older revision shows the keys \
                 of that time, and a newer one is refused."
            .into(),
    }
}

pub(super) fn count_with_limit(dice: &mut Dice) -> Draft {
    let others = dice.between(2, 4);
    let keys = dice.between(4, 7);
    let changed = dice.between(2, 4);
    let limit = dice.between(1, keys - 2);
    let [prefix, other] = dice.prefixes();
    let ask = format!("get {prefix} --prefix --limit={limit} -w fields");
    Draft {
        title: "Limit and count",
        start: vec![
            format!("for i in {{1..{keys}}}; do put {prefix}$i Pending; done"),
            format!("for i in {{1..{others}}}; do put {other}$i Ready; done"),
            format!("for i in {{1..{changed}}}; do put {prefix}$i Running; done"),
        ],
        question: format!("Which `Count` does `{ask}` print?"),
        ask: vec![ask],
        choices: Choices::Values {
            answer: "last.count".into(),
            wrong: vec![
                (
                    "last.kvs.len".into(),
                    "That is the number of keys in the response. `Count` ignores the limit.".into(),
                ),
                (
                    "last.count - last.kvs.len".into(),
                    "That is the number of keys that the limit left out.".into(),
                ),
                (
                    "store.keys".into(),
                    "That is the number of keys in the whole store. `Count` counts only the keys of the range.".into(),
                ),
                (
                    format!("last.count + {changed}"),
                    "`Count` counts keys, not rows: an old value of a key does not count.".into(),
                ),
            ],
        },
        reason: "`Count` is the number of keys in the range, {last.count}, although the response contains only \
                 {last.kvs.len}. `More` tells the client that the range has more keys."
            .into(),
    }
}
