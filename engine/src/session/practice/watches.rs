//! Exercises about watches: where they start, what they receive, when they are canceled.

use super::dice::Dice;
use super::draft::{Choices, Draft, Outcome};
use super::writes::Writes;

pub(super) fn first_event(dice: &mut Dice) -> Draft {
    let count = dice.between(5, 7) as usize;
    let writes = Writes::draw(dice, 2, count, false);
    let (key, revision) = (writes.key(), writes.revision(dice));
    let rows: Vec<_> = writes.rows().map(|(row, _)| row).collect();
    let first = rows.first().copied().unwrap_or_default();
    let before = rows.iter().rev().find(|row| (**row as i64) + 2 < revision);
    let mut wrong = vec![
        (
            revision.to_string(),
            "The write of this revision changed another key. The watch receives only events of its own key.".to_owned(),
        ),
        (
            format!("index(\"{key}\").modified"),
            "That is the newest change. A watch with `--rev` receives all changes from this revision on, in order."
                .to_owned(),
        ),
        (
            format!("rows(\"key\")[{first}].main"),
            "That is the first write of the key. It is older than the start of the watch.".to_owned(),
        ),
    ];
    if let Some(before) = before {
        wrong.insert(
            1,
            (
                format!("rows(\"key\")[{before}].main"),
                "A watch does not start with the current value. It receives only changes from its start revision on."
                    .to_owned(),
            ),
        );
    }
    wrong.push((
        "store.rev + 1".into(),
        "With `--rev`, a watch starts in the past: it does not wait for the next write.".into(),
    ));
    Draft {
        title: "The first event",
        start: writes.commands(),
        question: format!(
            "What is the `ModRevision` of the first event that `watch {key} --rev={revision}` receives?"
        ),
        ask: vec![
            format!("watch {key} --rev={revision} as w1"),
            "run 300ms".into(),
            "recv w1".into(),
        ],
        choices: Choices::Values {
            answer: "watch(\"w1\").events[0].kv.mod_revision".into(),
            wrong,
        },
        reason: format!(
            "The watch receives every change of `{key}` from revision {{watch(\"w1\").start_rev}} on. The first one \
             has revision {{watch(\"w1\").events[0].kv.mod_revision}}."
        ),
    }
}

pub(super) fn event_count(dice: &mut Dice) -> Draft {
    let before = dice.between(2, 4) as usize;
    let after = dice.between(3, 5) as usize;
    let mut writes = Writes::draw(dice, 2, before + after, false);
    let key = writes.key();
    let later = writes.log.split_off(before);
    let start = writes.commands();
    writes.log = later;
    let later = writes.commands();
    let from = match dice.coin() {
        true => String::new(),
        false => format!(" --rev={}", dice.between(2, before as i64 + 1)),
    };
    let all = format!("count row in rows(\"key\"): row.key == \"{key}\"");
    let mut ask = vec![format!("watch {key}{from} as w1")];
    ask.extend(later.iter().cloned());
    ask.extend(["run 300ms".into(), "recv w1".into()]);
    Draft {
        title: "The number of events",
        start,
        question: format!(
            "A client starts `watch {key}{from}`. Then these commands run: `{}`. How many events does it receive?",
            later.join("`, `")
        ),
        ask,
        choices: Choices::Values {
            answer: "watch(\"w1\").events.len".into(),
            wrong: vec![
                (
                    all,
                    "That counts every change of the key since the store was empty. The watch started later.".into(),
                ),
                (
                    after.to_string(),
                    "That counts the writes after the start of the watch, whichever key they change.".into(),
                ),
                (
                    "count event in watch(\"w1\").events: event.kind == \"PUT\"".into(),
                    "A delete is an event, too.".into(),
                ),
                (
                    "rows(\"key\").len".into(),
                    "That counts every row in the store. The watch receives only changes of its key.".into(),
                ),
                (
                    format!("watch(\"w1\").events.len + {before}"),
                    "A watch receives nothing from before its start revision.".into(),
                ),
                (
                    "watch(\"w1\").events.len + 1".into(),
                    "A watch does not start with an event for the current value.".into(),
                ),
            ],
        },
        reason: format!(
            "The watch starts at revision {{watch(\"w1\").start_rev}} and receives each put and each delete of `{key}` \
             from there on. Without `--rev`, it starts after the current revision."
        ),
    }
}

pub(super) fn watch_after_compaction(dice: &mut Dice) -> Draft {
    let count = dice.between(5, 7) as usize;
    let writes = Writes::draw(dice, 2, count, true);
    let (key, newest) = (writes.key(), writes.log.len() as i64 + 1);
    let compacted = dice.between(3, newest);
    let revision = compacted + dice.between(-1, 1);
    let mut start = writes.commands();
    start.push(format!("compact {compacted}"));
    let mut results = vec![
        Outcome::new(
            "an error: the watch is canceled",
            "watch(\"w1\").reason contains \"compacted\"",
            "The watch starts at or above the compact revision, {store.compact_rev}, so etcd still has all of its \
             events.",
        ),
        Outcome::new(
            "nothing until the next write",
            "watch(\"w1\").events.len == 0 and watch(\"w1\").state == \"synced\"",
            "A start revision in the past makes the watch read the history first.",
        ),
    ];
    let rows = writes.rows().map(|(row, _)| row as i64 + 2);
    let rows = rows.filter(|main| *main >= revision - 1);
    results.extend(rows.map(|main| {
        Outcome::new(
            format!("the change of revision {main}"),
            format!("watch(\"w1\").events[0].kv.mod_revision == {main}"),
            "etcd never skips events silently: a watch receives every change from its start revision on, or is \
             canceled.",
        )
    }));
    Draft {
        title: "A watch from the past",
        start,
        question: format!("What does `watch {key} --rev={revision}` receive first?"),
        ask: vec![
            format!("watch {key} --rev={revision} as w1"),
            "run 300ms".into(),
            "recv w1".into(),
        ],
        choices: Choices::Results(results),
        reason: "The compact revision is {store.compact_rev}. A watch from below it would miss events, so etcd cancels \
                 such a watch; the client must read the keys again."
            .into(),
    }
}
