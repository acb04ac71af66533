//! Label and field selectors, and the filter of a request that consists of both.
//!
//! Mirrors `apimachinery/pkg/labels`, `pkg/fields` and `storage.SelectionPredicate`.
//!
//! | label selector | matches an object if |
//! |---|---|
//! | `a`, `!a` | the label exists; the label does not exist |
//! | `a=x`, `a==x`, `a in (x,y)` | the label exists and has one of the values |
//! | `a!=x`, `a notin (x,y)` | the label does not exist or has another value |
//! | `a>5`, `a<5` | the label exists and is a greater number; a smaller number |

mod field;
mod label;

use std::fmt;

use super::object::Object;

pub use field::{FieldSelector, FieldTerm};
pub use label::{LabelSelector, Requirement};

/// The filter of a request (`storage.SelectionPredicate`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Predicate {
    pub labels: LabelSelector,
    pub fields: FieldSelector,
}

/// The reason why a selector cannot be used, in upstream's words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SelectorError(String);

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SelectorError {}

impl Predicate {
    /// Creates a predicate that matches every object.
    pub fn everything() -> Self {
        Self::default()
    }

    /// Creates a predicate that consists of a field selector only.
    ///
    /// # Errors
    /// Returns an error if `text` is not a valid field selector.
    pub fn by_fields(text: &str) -> Result<Self, SelectorError> {
        Ok(Self {
            fields: FieldSelector::parse(text)?,
            ..Self::default()
        })
    }

    /// Returns true if the predicate matches every object.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub fn matches(&self, object: &Object) -> bool {
        self.labels.matches(object) && self.fields.matches(object)
    }
}
