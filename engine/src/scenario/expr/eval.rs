//! Evaluates an expression against the facts of a step. Evaluation always ends and never fails.

use std::cell::Cell;
use std::cmp::Ordering;

use super::facts::Facts;
use super::value::Value;
use super::{Both, Node, Quantifier};

/// The maximum number of expression nodes and list elements that one evaluation reads. If an evaluation exceeds the
/// limit, its value is `nothing`.
const LOOKS_MAX: u32 = 200_000;

/// The cost of one lookup by name, in the unit of [`LOOKS_MAX`]. A lookup of a watch is expensive because it reads the
/// history.
const CALL_LOOKS: u32 = 500;

pub(super) fn value(node: &Node, facts: &Facts<'_>) -> Value {
    let looker = Looker {
        facts,
        left: Cell::new(LOOKS_MAX),
    };
    let value = looker.value(node, &mut Vec::new());
    match looker.left.get() {
        0 => Value::Nothing,
        _ => value,
    }
}

struct Looker<'a> {
    facts: &'a Facts<'a>,
    left: Cell<u32>,
}

impl Looker<'_> {
    fn value(&self, node: &Node, elements: &mut Vec<Value>) -> Value {
        self.spend(1);
        if self.left.get() == 0 {
            return Value::Nothing;
        }
        match node {
            Node::Constant(value) => value.clone(),
            Node::List(all) => Value::List(all.iter().map(|n| self.value(n, elements)).collect()),
            Node::Name(name) => self.listed(self.facts.name(*name)),
            Node::Call(call, argument) => {
                self.spend(CALL_LOOKS);
                self.listed(self.facts.call(*call, argument))
            }
            Node::Variable(out) => {
                let place = elements.len().checked_sub(1 + *out as usize);
                let element = place.and_then(|place| elements.get(place));
                element.cloned().unwrap_or(Value::Nothing)
            }
            Node::Field(of, name, _) => match self.value(of, elements) {
                Value::Record(record) => self.listed(record.field(name, self.facts)),
                _ => Value::Nothing,
            },
            Node::Len(of) => match self.value(of, elements) {
                Value::List(all) => Value::Int(all.len() as i64),
                _ => Value::Int(0),
            },
            Node::At(of, place) => match self.value(of, elements) {
                Value::List(mut all) => {
                    let place = match place {
                        0.. => usize::try_from(*place).ok(),
                        _ => all.len().checked_sub(place.unsigned_abs() as usize),
                    };
                    match place.filter(|place| *place < all.len()) {
                        Some(place) => all.swap_remove(place),
                        None => Value::Nothing,
                    }
                }
                _ => Value::Nothing,
            },
            Node::Not(of) => Value::Bool(!self.holds(of, elements)),
            Node::Both(both, left, right) => self.both(*both, left, right, elements),
            Node::Quantified(how, list, body) => self.quantified(*how, list, body, elements),
        }
    }

    fn holds(&self, node: &Node, elements: &mut Vec<Value>) -> bool {
        self.value(node, elements) == Value::Bool(true)
    }

    fn both(&self, both: Both, left: &Node, right: &Node, elements: &mut Vec<Value>) -> Value {
        let order = |wanted: &[Ordering], a: Value, b: Value| {
            Value::Bool(a.order(&b).is_some_and(|order| wanted.contains(&order)))
        };
        match both {
            Both::And => Value::Bool(self.holds(left, elements) && self.holds(right, elements)),
            Both::Or => Value::Bool(self.holds(left, elements) || self.holds(right, elements)),
            _ => {
                let a = self.value(left, elements);
                let b = self.value(right, elements);
                match both {
                    Both::And | Both::Or => Value::Nothing,
                    Both::Equal => Value::Bool(a == b),
                    Both::NotEqual => Value::Bool(a != b),
                    Both::Less => order(&[Ordering::Less], a, b),
                    Both::LessOrEqual => order(&[Ordering::Less, Ordering::Equal], a, b),
                    Both::Greater => order(&[Ordering::Greater], a, b),
                    Both::GreaterOrEqual => order(&[Ordering::Greater, Ordering::Equal], a, b),
                    Both::StartsWith => about(a, b, |text, part| text.starts_with(part)),
                    Both::Contains => about(a, b, |text, part| {
                        part.is_empty() || text.windows(part.len()).any(|w| w == part)
                    }),
                    Both::Plus => counted(a, b, i64::checked_add),
                    Both::Minus => counted(a, b, i64::checked_sub),
                    Both::Times => counted(a, b, i64::checked_mul),
                    Both::By => counted(a, b, i64::checked_div),
                }
            }
        }
    }

    fn quantified(
        &self,
        how: Quantifier,
        list: &Node,
        body: &Node,
        elements: &mut Vec<Value>,
    ) -> Value {
        let Value::List(all) = self.value(list, elements) else {
            return match how {
                Quantifier::Some | Quantifier::Every => Value::Bool(false),
                Quantifier::Count => Value::Int(0),
            };
        };
        let mut seen = 0;
        let mut held = 0;
        for element in all {
            elements.push(element);
            let holds = self.holds(body, elements);
            elements.pop();
            seen += 1;
            held += i64::from(holds);
            match how {
                Quantifier::Some if holds => return Value::Bool(true),
                Quantifier::Every if !holds => return Value::Bool(false),
                Quantifier::Some | Quantifier::Every | Quantifier::Count => {}
            }
        }
        match how {
            Quantifier::Some => Value::Bool(false),
            Quantifier::Every => Value::Bool(held == seen),
            Quantifier::Count => Value::Int(held),
        }
    }

    /// Returns the value unchanged. If the value is a list, subtracts the length of the list from the evaluation's
    /// budget.
    fn listed(&self, value: Value) -> Value {
        if let Value::List(all) = &value {
            self.spend(all.len() as u32);
        }
        value
    }

    fn spend(&self, looks: u32) {
        self.left.set(self.left.get().saturating_sub(looks));
    }
}

fn about(a: Value, b: Value, holds: impl Fn(&[u8], &[u8]) -> bool) -> Value {
    match (a, b) {
        (Value::Text(text), Value::Text(part)) => Value::Bool(holds(&text, &part)),
        _ => Value::Bool(false),
    }
}

fn counted(a: Value, b: Value, count: impl Fn(i64, i64) -> Option<i64>) -> Value {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => count(a, b).map_or(Value::Nothing, Value::Int),
        _ => Value::Nothing,
    }
}
