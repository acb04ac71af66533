//! Expressions in lessons. The language of expressions is small and closed: it reads the store, its watchers, the rules
//! of etcd QoS, the last response and the learner's predictions.
//!
//! ```text
//! store.rev == 5 and index("/key1").gens[0].revs == [2, 3, 4]
//! some k in keys: k.key starts with "/a" and not k.key starts with "/a/"
//! qos("rule-slowlog").limited > 0 and load("services").failed == 0
//! (count e in watch("w1").events: e.kind == "DELETE") == 1
//! ```
//!
//! The names, fields and comparisons of an expression are checked when the lesson is read. A missing value (for example
//! the value of a deleted key, or the fifth row of a bucket with four rows) is `nothing`, which equals only `nothing`
//! and is neither less nor greater than any value. Evaluation therefore always returns a value. A budget limits the
//! time of an evaluation, even for a hostile lesson.

mod eval;
mod facts;
mod kind;
mod kube;
mod lexer;
mod load;
mod parser;
mod progress;
mod qos;
mod record;
mod subject;
mod value;
mod watch;

pub use facts::{Exchange, Facts};
pub use kind::{Kind, RecordKind};
pub use value::Value;

use std::fmt;

use crate::base::Bytes;
use crate::words::FieldNoun;
use crate::words::expr as words;

/// A parsed and checked expression.
///
/// ```
/// use watchglass_engine::scenario::expr::Expr;
/// assert!(Expr::parse("store.rev == 5").is_ok());
/// let error = Expr::parse("store.revision == 5").unwrap_err();
/// assert!(error.starts_with("`store` has no field `revision`; its fields are rev, compact_rev, keys, rows, leases,"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    text: String,
    node: Node,
    kind: Kind,
}

impl Expr {
    /// Parses an expression.
    ///
    /// # Errors
    /// Returns a message that names the mistake and the correction.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (node, kind) = parser::parse(text)?;
        let text = text.trim().to_owned();
        Ok(Self { text, node, kind })
    }

    /// Parses a condition: an expression that is true or false.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse), and an error if the expression is not a condition.
    pub fn condition(text: &str) -> Result<Self, String> {
        let expr = Self::parse(text)?;
        match expr.kind {
            Kind::Bool | Kind::Any => Ok(expr),
            kind => Err(words::not_a_condition(&expr.text, kind)),
        }
    }

    pub fn value(&self, facts: &Facts<'_>) -> Value {
        eval::value(&self.node, facts)
    }

    /// Evaluates the expression as a condition. Returns true if the condition holds.
    pub fn holds(&self, facts: &Facts<'_>) -> bool {
        self.value(facts) == Value::Bool(true)
    }

    pub fn numbers(&self) -> Vec<i64> {
        let mut numbers = Vec::new();
        self.node.numbers(&mut numbers);
        numbers
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Constant(Value),
    List(Vec<Node>),
    Name(Name),
    Call(Call, Bytes),
    /// The element that a surrounding quantifier binds. The number is the number of levels out to this quantifier (a de
    /// Bruijn index).
    Variable(u32),
    Field(Box<Node>, &'static str, FieldNoun),
    Len(Box<Node>),
    At(Box<Node>, i64),
    Not(Box<Node>),
    Both(Both, Box<Node>, Box<Node>),
    Quantified(Quantifier, Box<Node>, Box<Node>),
}

/// The names in an expression that take no argument, such as `store`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Store,
    Keys,
    Last,
    Request,
    SyncPasses,
    QosRules,
    Answers,
    Profile,
}

/// The names in an expression that take an argument in brackets, such as `rows("key")`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Rows,
    Index,
    Kv,
    Watch,
    Cache,
    Qos,
    QosClass,
    Load,
    /// The messages that a client of an API server has received, as `recv` prints them.
    Heard,
    Setting,
}

/// The operators that combine two operands, such as `and`, `==` and `+`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Both {
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    StartsWith,
    Contains,
    Plus,
    Minus,
    Times,
    By,
}

/// The quantifiers, which test or count the elements of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantifier {
    Some,
    Every,
    Count,
}

impl Node {
    fn numbers(&self, out: &mut Vec<i64>) {
        match self {
            Self::Constant(Value::Int(n)) => out.push(*n),
            Self::Constant(_) | Self::Name(_) | Self::Call(..) | Self::Variable(_) => {}
            Self::List(all) => all.iter().for_each(|node| node.numbers(out)),
            Self::Field(of, ..) | Self::Len(of) | Self::At(of, _) | Self::Not(of) => {
                of.numbers(out)
            }
            Self::Both(_, a, b) | Self::Quantified(_, a, b) => {
                a.numbers(out);
                b.numbers(out);
            }
        }
    }
}
