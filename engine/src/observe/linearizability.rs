//! A checker for linearizability. It searches for one order of all operations that explains every response.
//!
//! The order must respect time: an operation that returned before another operation was called comes first. An
//! operation whose response is missing may take effect at any time after its call, or never. The algorithm is that of
//! Wing and Gong with Lowe's cache: a search that never visits the same state twice. Each operation concerns one key,
//! so each key is checked separately (Herlihy and Wing show that separate checks are sufficient).
//!
//! The checker ignores operations on several keys. The checker also ignores revisions, which `observe::guarantees`
//! checks.
//!
//! ```
//! use watchglass_engine::observe::linearizability::{KeyAction, KeyOperation, HistoryVerdict, check};
//! let operation = |called_at, returned_at, action| KeyOperation {
//!     key: "/key1".into(),
//!     called_at,
//!     returned_at: Some(returned_at),
//!     action,
//! };
//! let put = operation(1, 4, KeyAction::Put { value: "new".into() });
//! let new = operation(2, 3, KeyAction::Get { value: Some("new".into()) });
//! let old = operation(5, 6, KeyAction::Get { value: None });
//! let verdict = check(&[put.clone(), new]);
//! assert!(matches!(verdict, HistoryVerdict::Explained { .. }));
//! assert!(matches!(check(&[put, old]), HistoryVerdict::Contradiction(_)));
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::base::Bytes;
use crate::base::small_sort::SmallSort;

/// The maximum number of operations per key. The search for a contradiction repeats the check for each operation.
pub const OPERATIONS_PER_KEY_MAX: usize = 2_000;

/// The maximum number of states that a check of one key visits. Each missing response can double the number of states.
pub const STATES_MAX: usize = 200_000;

/// An operation of a client on one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyOperation {
    pub key: Bytes,
    /// The time of the call, in any unit that increases, such as the number of a step.
    pub called_at: u64,
    /// The time of the response, in the unit of `called_at`; `None` if the client never received a result.
    pub returned_at: Option<u64>,
    /// The operation and its result. If the client knows no result, the result is ignored.
    pub action: KeyAction,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KeyAction {
    /// A linearizable read.
    Get {
        /// The returned value; `None` if the key did not exist.
        value: Option<Bytes>,
    },
    Put {
        value: Bytes,
    },
    Delete {
        /// Whether the key existed before the delete, according to the response.
        deleted: bool,
    },
    /// A write on the condition that the key has a certain value.
    Txn {
        /// The expected value; `None` if the key must not exist.
        expected: Option<Bytes>,
        /// The written value; `None` for a delete.
        write: Option<Bytes>,
        /// Whether the condition was true, according to the response.
        succeeded: bool,
    },
}

/// The result of a check. Each operation is identified by its index in the checked history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryVerdict {
    Explained {
        /// For each key, an order that explains all responses. Operations without a response are omitted if the order
        /// does not need them.
        orders: BTreeMap<Bytes, Vec<usize>>,
    },
    Contradiction(Contradiction),
    /// The history of this key is too long ([`OPERATIONS_PER_KEY_MAX`]) or needs too many states ([`STATES_MAX`]).
    TooLarge {
        key: Bytes,
    },
}

/// The proof that no order explains a history. Responses after `response` are not part of the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    pub key: Bytes,
    /// The first response that contradicts the earlier history.
    pub response: usize,
    /// The operations that contradict each other, in the order of their calls. Reads, and writes that no read observes,
    /// are included only if the contradiction needs them.
    pub operations: Vec<usize>,
}

pub fn check(history: &[KeyOperation]) -> HistoryVerdict {
    let mut keys: BTreeMap<&Bytes, Vec<usize>> = BTreeMap::new();
    for (index, operation) in history.iter().enumerate() {
        keys.entry(&operation.key).or_default().push(index);
    }
    let mut orders = BTreeMap::new();
    for (key, indexes) in keys {
        let calls = Calls::new(history, &indexes);
        match calls.explain() {
            Search::Order(order) => {
                orders.insert(key.clone(), order);
            }
            Search::NoOrder => {
                let (response, operations) = calls.contradiction();
                return HistoryVerdict::Contradiction(Contradiction {
                    key: key.clone(),
                    response,
                    operations,
                });
            }
            Search::TooLarge => return HistoryVerdict::TooLarge { key: key.clone() },
        }
    }
    HistoryVerdict::Explained { orders }
}

/// A time after all other times, used as the response time of an operation without a response.
const NEVER: u64 = u64::MAX;

/// The number that stands for "the key does not exist". All other numbers stand for values.
const ABSENT: u32 = 0;

/// The operations on one key, in the order of their calls.
#[derive(Clone)]
struct Calls(Vec<Call>);

#[derive(Clone, Copy)]
struct Call {
    /// The index of the operation in the history.
    index: usize,
    called_at: u64,
    returned_at: u64,
    effect: Effect,
}

/// A [`KeyAction`] in which numbers replace the values.
#[derive(Clone, Copy)]
enum Effect {
    Read(u32),
    Write(u32),
    Delete {
        deleted: bool,
    },
    Txn {
        expected: u32,
        write: u32,
        succeeded: bool,
    },
}

enum Search {
    Order(Vec<usize>),
    NoOrder,
    TooLarge,
}

/// A choice that the search has made: the call that takes effect next.
struct Choice {
    call: usize,
    before: u32,
    /// Whether this call is the only call that the search must try at this point.
    is_forced: bool,
}

/// A map from the values of a key to numbers. The search compares the numbers instead of the values.
struct Values<'a>(BTreeMap<&'a Bytes, u32>);

impl<'a> Values<'a> {
    fn number(&mut self, value: Option<&'a Bytes>) -> u32 {
        let Some(value) = value else { return ABSENT };
        let next = self.0.len() as u32 + 1;
        *self.0.entry(value).or_insert(next)
    }
}

impl Calls {
    fn new(history: &[KeyOperation], indexes: &[usize]) -> Self {
        let mut values = Values(BTreeMap::new());
        let mut calls = Vec::new();
        for index in indexes {
            let operation = &history[*index];
            let effect = match &operation.action {
                // A read without a response contradicts nothing, so the check ignores the read.
                KeyAction::Get { .. } if operation.returned_at.is_none() => continue,
                KeyAction::Get { value } => Effect::Read(values.number(value.as_ref())),
                KeyAction::Put { value } => Effect::Write(values.number(Some(value))),
                KeyAction::Delete { deleted } => Effect::Delete { deleted: *deleted },
                KeyAction::Txn {
                    expected,
                    write,
                    succeeded,
                } => Effect::Txn {
                    expected: values.number(expected.as_ref()),
                    write: values.number(write.as_ref()),
                    succeeded: *succeeded,
                },
            };
            calls.push(Call {
                index: *index,
                called_at: operation.called_at,
                returned_at: operation.returned_at.unwrap_or(NEVER),
                effect,
            });
        }
        calls.small_sort_by_key(|call| call.called_at);
        let mut calls = Self(calls);
        // A write without a response may have no effect. If no read observes its value, the check does not need it.
        let all = calls.clone();
        let is_useful = |call: &Call| call.has_returned() || !call.is_unobserved(&all);
        calls.0.retain(is_useful);
        calls
    }

    /// Searches for an order of the calls that explains every response.
    fn explain(&self) -> Search {
        if self.0.len() > OPERATIONS_PER_KEY_MAX {
            return Search::TooLarge;
        }
        let mut done = vec![false; self.0.len()];
        let mut missing = self.0.iter().filter(|call| call.has_returned()).count();
        let mut value = ABSENT;
        let mut order: Vec<Choice> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut from = 0;
        while missing > 0 {
            if let Some((choice, after)) = self.next_choice(&mut done, value, from, &mut seen) {
                done[choice.call] = true;
                missing -= usize::from(self.0[choice.call].has_returned());
                value = after;
                order.push(choice);
                from = 0;
                continue;
            }
            // Undo choices until one of them has an alternative.
            loop {
                let Some(last) = order.pop() else {
                    return Search::NoOrder;
                };
                done[last.call] = false;
                missing += usize::from(self.0[last.call].has_returned());
                value = last.before;
                from = last.call + 1;
                if !last.is_forced {
                    break;
                }
            }
            if seen.len() > STATES_MAX {
                return Search::TooLarge;
            }
        }
        let order = order.iter().map(|choice| self.0[choice.call].index);
        Search::Order(order.collect())
    }

    /// Returns the first call at or after `from` that can take effect next and leads to a new state, and the value
    /// after the call.
    fn next_choice(
        &self,
        done: &mut [bool],
        value: u32,
        from: usize,
        seen: &mut BTreeSet<SearchState>,
    ) -> Option<(Choice, u32)> {
        let candidates = self.candidates(done);
        let choice = |call, is_forced| Choice {
            call,
            before: value,
            is_forced,
        };
        let mut is_new = |call: usize, after| {
            done[call] = true;
            let state = SearchState::new(done, after);
            done[call] = false;
            seen.insert(state)
        };
        // A read that returned the current value changes nothing. It can take effect here without excluding any later
        // choice.
        let fits =
            |call: &&usize| self.0[**call].is_read() && self.0[**call].apply(value).is_some();
        if let Some(read) = candidates.iter().find(fits) {
            return is_new(*read, value).then(|| (choice(*read, true), value));
        }
        let mut candidates = candidates.into_iter().filter(|call| *call >= from);
        candidates.find_map(|call| {
            let after = self.0[call].apply(value)?;
            is_new(call, after).then(|| (choice(call, false), after))
        })
    }

    /// Returns the calls that can take effect next. A call cannot take effect next if another remaining call returned
    /// before it.
    fn candidates(&self, done: &[bool]) -> Vec<usize> {
        let mut first_response = NEVER;
        let mut candidates = Vec::new();
        for (position, call) in self.0.iter().enumerate() {
            if call.called_at > first_response {
                break;
            }
            if !done[position] {
                first_response = first_response.min(call.returned_at);
                candidates.push(position);
            }
        }
        candidates
    }

    /// Returns the first response that contradicts the earlier history, and the operations that contradict each other.
    /// The caller must already know that no order explains these calls.
    fn contradiction(&self) -> (usize, Vec<usize>) {
        let responses = self.0.iter().map(|call| call.returned_at);
        let mut responses: Vec<u64> = responses.filter(|at| *at != NEVER).collect();
        responses.small_sort();
        let first = responses.partition_point(|at| !self.until(*at).is_contradictory());
        // If the check of a part of the history needs too many states, that part counts as free of contradictions. If
        // no part is left with a contradiction, the last response is used.
        let at = responses.get(first).or(responses.last());
        let at = *at.expect("calls without a response are never contradictory");
        let mut calls = self.until(at);
        let response = calls.0.iter().find(|call| call.returned_at == at);
        let response = response.expect("the response is that of a call").index;
        calls.remove_unnecessary(|call, _| call.is_read());
        calls.remove_unnecessary(Call::is_unobserved);
        let operations = calls.0.iter().map(|call| call.index).collect();
        (response, operations)
    }

    /// Returns the history up to the time `at`, without the responses that arrived later.
    fn until(&self, at: u64) -> Self {
        let calls = self.0.iter().filter(|call| call.called_at <= at);
        let calls = calls.map(|call| Call {
            returned_at: match call.returned_at > at {
                true => NEVER,
                false => call.returned_at,
            },
            ..*call
        });
        let is_useful =
            |call: &Call| call.has_returned() || !matches!(call.effect, Effect::Read(_));
        Self(calls.filter(is_useful).collect())
    }

    fn is_contradictory(&self) -> bool {
        matches!(self.explain(), Search::NoOrder)
    }

    /// Removes calls as long as the remaining calls still contradict each other. Removes only calls that `may_remove`
    /// allows. First tries to remove half of these calls, then smaller and smaller parts.
    fn remove_unnecessary(&mut self, may_remove: impl Fn(&Call, &Self) -> bool) {
        let allowed = self.0.iter().filter(|call| may_remove(call, self));
        let allowed: Vec<usize> = allowed.map(|call| call.index).collect();
        let mut size = allowed.len();
        while size > 0 {
            for part in allowed.chunks(size) {
                let mut fewer = self.clone();
                fewer.0.retain(|call| !part.contains(&call.index));
                if fewer.0.len() < self.0.len() && fewer.is_contradictory() {
                    *self = fewer;
                }
            }
            size /= 2;
        }
    }
}

impl Call {
    fn has_returned(&self) -> bool {
        self.returned_at != NEVER
    }

    /// Returns true if the response proves that the call changed nothing.
    fn is_read(&self) -> bool {
        let is_read = match self.effect {
            Effect::Read(_) => true,
            Effect::Write(_) => false,
            Effect::Delete { deleted } => !deleted,
            Effect::Txn { succeeded, .. } => !succeeded,
        };
        is_read && self.has_returned()
    }

    /// Returns true if the call writes a value that no other call observes. Without the call, the other calls have the
    /// same results.
    fn is_unobserved(&self, calls: &Calls) -> bool {
        let Effect::Write(written) = self.effect else {
            return false;
        };
        calls.0.iter().all(|other| match other.effect {
            Effect::Read(value) => value != written,
            Effect::Write(_) => true,
            Effect::Delete { .. } | Effect::Txn { .. } => false,
        })
    }

    /// Returns the value after the call; `None` if the response contradicts the value before the call.
    fn apply(&self, value: u32) -> Option<u32> {
        let may_return = |is_expected: bool| is_expected || !self.has_returned();
        match self.effect {
            Effect::Read(read) => (read == value).then_some(value),
            Effect::Write(written) => Some(written),
            Effect::Delete { deleted } => {
                may_return(deleted == (value != ABSENT)).then_some(ABSENT)
            }
            Effect::Txn {
                expected,
                write,
                succeeded,
            } => {
                let is_equal = value == expected;
                let after = if is_equal { write } else { value };
                may_return(succeeded == is_equal).then_some(after)
            }
        }
    }
}

/// A state of the search: which calls took effect, and the value after them.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SearchState {
    value: u32,
    /// The number of calls before the first call that has not taken effect.
    prefix: usize,
    /// One bit for each call after the first `prefix` calls, up to the last call that took effect. A bit is set if the
    /// call of this bit took effect.
    others: Vec<u64>,
}

impl SearchState {
    fn new(done: &[bool], value: u32) -> Self {
        let prefix = done.iter().take_while(|done| **done).count();
        let rest = &done[prefix..];
        let length = rest
            .iter()
            .rposition(|done| *done)
            .map_or(0, |last| last + 1);
        let words = rest[..length].chunks(64).map(|word| {
            let bits = word
                .iter()
                .zip(0..)
                .map(|(done, bit)| u64::from(*done) << bit);
            bits.sum()
        });
        Self {
            value,
            prefix,
            others: words.collect(),
        }
    }
}
