//! The value of an expression.

use std::cmp::Ordering;
use std::fmt;

use crate::base::Bytes;
use crate::mvcc::Revision;

use super::record::Record;

/// The value of an expression.
///
/// ```
/// use watchglass_engine::scenario::expr::Value;
/// let numbers = [2, 3, 4].map(Value::Int);
/// assert_eq!(Value::List(numbers.into()).to_string(), "2, 3, 4");
/// assert_eq!(Value::Nothing.to_string(), "nothing");
/// ```
#[derive(Clone, Debug)]
pub enum Value {
    Nothing,
    Int(i64),
    /// A text, which can contain any bytes.
    Text(Bytes),
    Bool(bool),
    /// A revision. The first revision of a transaction (sub-revision 0) equals the number of the transaction.
    Revision(Revision),
    List(Vec<Value>),
    /// A value with fields. A record equals no value, not even itself.
    Record(Box<Record>),
}

impl Value {
    pub(super) fn text(text: impl Into<Bytes>) -> Self {
        Self::Text(text.into())
    }

    /// Returns the order of two values; `None` if they cannot be compared.
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        let revision = |n: i64| Revision::new(n, 0);
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            (Self::Revision(a), Self::Revision(b)) => Some(a.cmp(b)),
            (Self::Revision(a), Self::Int(b)) => Some(a.cmp(&revision(*b))),
            (Self::Int(a), Self::Revision(b)) => Some(revision(*a).cmp(b)),
            _ => None,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, Self::Nothing) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            _ => self.order(other) == Some(Ordering::Equal),
        }
    }
}

impl Eq for Value {}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Int(n) => write!(f, "{n}"),
            Self::Text(text) => write!(f, "{text}"),
            Self::Bool(true) => f.write_str("true"),
            Self::Bool(false) => f.write_str("false"),
            Self::Revision(rev) if rev.sub == 0 => write!(f, "{}", rev.main),
            Self::Revision(rev) => write!(f, "{}.{}", rev.main, rev.sub),
            Self::List(all) => {
                for (n, value) in all.iter().enumerate() {
                    f.write_str(if n == 0 { "" } else { ", " })?;
                    write!(f, "{value}")?;
                }
                Ok(())
            }
            Self::Record(record) => write!(f, "{}", record.name()),
        }
    }
}
