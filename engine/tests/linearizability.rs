//! The checker for linearizability, compared with a brute force over all orders of small histories.

use std::collections::BTreeMap;

use watchglass_engine::base::Bytes;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::observe::linearizability::{
    Contradiction, HistoryVerdict, KeyAction, KeyOperation, OPERATIONS_PER_KEY_MAX, check,
};

const KEY: &str = "/key";

fn operation(called_at: u64, returned_at: Option<u64>, action: KeyAction) -> KeyOperation {
    KeyOperation {
        key: KEY.into(),
        called_at,
        returned_at,
        action,
    }
}

fn value(number: u64) -> Option<Bytes> {
    (number > 0).then(|| number.to_string().as_str().into())
}

fn get(number: u64) -> KeyAction {
    KeyAction::Get {
        value: value(number),
    }
}

fn put(number: u64) -> KeyAction {
    KeyAction::Put {
        value: value(number).unwrap(),
    }
}

fn txn(expected: u64, write: u64, succeeded: bool) -> KeyAction {
    KeyAction::Txn {
        expected: value(expected),
        write: value(write),
        succeeded,
    }
}

/// Executes the operations one after another in this order. Returns false if the result differs from a recorded
/// response.
fn explains(history: &[KeyOperation], order: &[usize]) -> bool {
    let mut values: BTreeMap<&Bytes, Option<Bytes>> = BTreeMap::new();
    order.iter().all(|index| {
        let operation = &history[*index];
        let is_known = operation.returned_at.is_some();
        let current = values.entry(&operation.key).or_default();
        match &operation.action {
            KeyAction::Get { value } => !is_known || value == current,
            KeyAction::Put { value } => {
                *current = Some(value.clone());
                true
            }
            KeyAction::Delete { deleted } => current.take().is_some() == *deleted || !is_known,
            KeyAction::Txn {
                expected,
                write,
                succeeded,
            } => {
                let is_equal = current == expected;
                if is_equal {
                    current.clone_from(write);
                }
                is_equal == *succeeded || !is_known
            }
        }
    })
}

/// Returns true if the order contains every operation that has a response, contains no operation twice, and respects
/// time: if operation A ended before operation B began, B is not before A in the order.
fn is_order(history: &[KeyOperation], order: &[usize]) -> bool {
    let returned = |index: usize| history[index].returned_at.unwrap_or(u64::MAX);
    let is_complete = (0..history.len())
        .filter(|index| history[*index].returned_at.is_some())
        .all(|index| order.contains(&index));
    let respects_time = order.iter().enumerate().all(|(place, later)| {
        let earlier = &order[..place];
        earlier
            .iter()
            .all(|earlier| earlier != later && history[*earlier].called_at <= returned(*later))
    });
    is_complete && respects_time
}

/// Returns true if one of the orders that begin with `order` explains the history. Tries all such orders, including
/// orders of only some of the operations.
fn has_order(history: &[KeyOperation], order: &mut Vec<usize>) -> bool {
    if !explains(history, order) {
        return false;
    }
    if is_order(history, order) {
        return true;
    }
    (0..history.len()).any(|next| {
        if order.contains(&next) {
            return false;
        }
        order.push(next);
        let found = has_order(history, order);
        order.pop();
        found
    })
}

/// Returns the operations of a contradiction. Omits the responses that came after the contradicting response.
fn contradicting(history: &[KeyOperation], contradiction: &Contradiction) -> Vec<KeyOperation> {
    let at = history[contradiction.response].returned_at.unwrap();
    let operations = contradiction.operations.iter().map(|index| {
        let operation = history[*index].clone();
        KeyOperation {
            returned_at: operation.returned_at.filter(|returned| *returned <= at),
            ..operation
        }
    });
    operations.collect()
}

/// Draws a random history of at most six operations. Some of these histories are linearizable, and some are not.
fn draw(rng: &mut Rng) -> Vec<KeyOperation> {
    let count = 1 + rng.below(6);
    let operations = (0..count).map(|_| {
        let called_at = rng.below(10);
        let returned_at = called_at + rng.below(6);
        let action = match rng.below(8) {
            0..4 => get(rng.below(3)),
            4 | 5 => put(1 + rng.below(2)),
            6 => KeyAction::Delete {
                deleted: rng.chance(1, 2),
            },
            _ => txn(rng.below(3), rng.below(3), rng.chance(1, 2)),
        };
        let is_known = rng.chance(5, 6);
        operation(called_at, is_known.then_some(returned_at), action)
    });
    operations.collect()
}

#[test]
fn the_checker_agrees_with_a_brute_force() {
    let mut rng = Rng::stream(1, "linearizability");
    let mut counts = [0; 2];
    for case in 0..20_000 {
        let history = draw(&mut rng);
        let expected = has_order(&history, &mut Vec::new());
        counts[usize::from(expected)] += 1;
        match check(&history) {
            HistoryVerdict::Explained { orders } => {
                let order = &orders[&Bytes::from(KEY)];
                assert!(expected, "case {case}: {history:?}");
                assert!(
                    is_order(&history, order),
                    "case {case}: {order:?} of {history:?}"
                );
                assert!(
                    explains(&history, order),
                    "case {case}: {order:?} of {history:?}"
                );
            }
            HistoryVerdict::Contradiction(contradiction) => {
                assert!(!expected, "case {case}: {history:?}");
                let operations = contradicting(&history, &contradiction);
                assert!(
                    !has_order(&operations, &mut Vec::new()),
                    "case {case}: {operations:?} of {history:?}"
                );
                // The history before the response is linearizable.
                let at = history[contradiction.response].returned_at.unwrap();
                let before = history.iter().filter(|operation| operation.called_at < at);
                let before: Vec<KeyOperation> = before
                    .map(|operation| KeyOperation {
                        returned_at: operation.returned_at.filter(|returned| *returned < at),
                        ..operation.clone()
                    })
                    .collect();
                assert!(
                    has_order(&before, &mut Vec::new()),
                    "case {case}: {history:?}"
                );
            }
            HistoryVerdict::TooLarge { .. } => panic!("case {case}: {history:?}"),
        }
    }
    assert!(counts.iter().all(|count| *count > 2_000), "{counts:?}");
}

#[test]
fn a_stale_read_is_named_together_with_the_writes_that_contradict_it() {
    let mut history: Vec<KeyOperation> = (0..500)
        .flat_map(|n| {
            let write = operation(10 * n, Some(10 * n + 4), put(n + 1));
            let read = operation(10 * n + 5, Some(10 * n + 6), get(n + 1));
            [write, read]
        })
        .collect();
    history[801] = operation(4_005, Some(4_006), get(400));
    let HistoryVerdict::Contradiction(contradiction) = check(&history) else {
        panic!("a stale read is not linearizable");
    };
    assert_eq!(contradiction.response, 801);
    // The write of the read value, a later write, and the read.
    assert_eq!(contradiction.operations.len(), 3, "{contradiction:?}");
    assert_eq!(contradiction.operations[0], 798);
    assert_eq!(contradiction.operations[2], 801);
}

#[test]
fn a_write_without_response_can_take_effect_late_or_never() {
    let lost = operation(0, None, put(1));
    for reads in [[0, 0], [0, 1], [1, 1]] {
        let history = [
            lost.clone(),
            operation(10, Some(11), get(reads[0])),
            operation(20, Some(21), get(reads[1])),
        ];
        assert!(
            matches!(check(&history), HistoryVerdict::Explained { .. }),
            "{reads:?}"
        );
    }
    let history = [
        lost,
        operation(10, Some(11), get(1)),
        operation(20, Some(21), get(0)),
    ];
    assert!(matches!(check(&history), HistoryVerdict::Contradiction(_)));
}

#[test]
fn each_key_is_checked_alone() {
    let mut history = Vec::new();
    for n in 0..100 {
        for key in ["a", "b"] {
            for action in [put(n + 1), get(n + 1)] {
                let key = key.into();
                let operation = operation(n, Some(n), action);
                history.push(KeyOperation { key, ..operation });
            }
        }
    }
    let HistoryVerdict::Explained { orders } = check(&history) else {
        panic!("the history is linearizable");
    };
    assert_eq!(orders.len(), 2);
    assert!(orders.values().all(|order| order.len() == 200));
}

#[test]
fn many_concurrent_reads_need_few_states() {
    let mut history = vec![operation(0, Some(1), put(1)), operation(2, Some(9), put(2))];
    let reads = (0..1_000).map(|n| operation(2, Some(9), get(1 + n % 2)));
    history.extend(reads);
    assert!(matches!(check(&history), HistoryVerdict::Explained { .. }));
    history.push(operation(3, Some(8), get(3)));
    assert!(matches!(check(&history), HistoryVerdict::Contradiction(_)));
}

#[test]
fn a_history_that_is_too_large_has_no_verdict() {
    let mut history: Vec<KeyOperation> = (0..40)
        .map(|n| operation(0, None, txn(n, n + 1, true)))
        .collect();
    history.extend((0..40).map(|n| operation(0, None, put(n + 1))));
    history.push(operation(1, Some(2), get(99)));
    let key = Bytes::from(KEY);
    assert_eq!(
        check(&history),
        HistoryVerdict::TooLarge { key: key.clone() }
    );
    let count = OPERATIONS_PER_KEY_MAX as u64 + 1;
    let history: Vec<KeyOperation> = (0..count).map(|n| operation(n, Some(n), put(1))).collect();
    assert_eq!(check(&history), HistoryVerdict::TooLarge { key });
}
