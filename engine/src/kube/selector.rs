//! Label and field selectors: parsing and matching.
//!
//! Mirrors `apimachinery/pkg/labels` and `pkg/fields`, and `storage.SelectionPredicate`. Left out: the rules for the
//! characters of label names and values. The messages for invalid selectors are the simulator's own.
//!
//! | label selector | matches an object if |
//! |---|---|
//! | `a`, `!a` | the label exists; the label does not exist |
//! | `a=x`, `a==x`, `a in (x,y)` | the label exists and has one of the values |
//! | `a!=x`, `a notin (x,y)` | the label does not exist or has another value |
//! | `a>5`, `a<5` | the label exists and is a greater number; a smaller number |
//!
//! A field selector supports only `=`, `==` and `!=`, and treats an absent field as empty.

use std::fmt;
use std::sync::Arc;

use super::object::Object;

/// The condition on one label.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Requirement {
    /// The label exists.
    Exists,
    /// The label does not exist.
    DoesNotExist,
    /// The label exists and its value is one of the given values.
    In(Vec<Arc<str>>),
    /// The label does not exist, or its value is none of the given values.
    NotIn(Vec<Arc<str>>),
    /// The label exists and its value is a number greater than the given number.
    GreaterThan(i64),
    /// The label exists and its value is a number less than the given number.
    LessThan(i64),
}

/// A label selector: a list of requirements, all of which must be satisfied.
///
/// ```
/// use watchglass_engine::kube::selector::LabelSelector;
/// use watchglass_engine::kube::object::Object;
/// let web = Object::new("Pod", "default", "web-1").with_label("app", "web");
/// let matches = |text: &str| LabelSelector::parse(text).unwrap().matches(&web);
/// assert!(matches("app=web,tier!=db") && matches("app in (web, api)") && matches("!tier"));
/// assert!(!matches("tier") && !matches("app notin (web)"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LabelSelector {
    requirements: Vec<(Arc<str>, Requirement)>,
}

/// A field selector: a list of fields that must have, or must not have, a given value.
///
/// ```
/// use watchglass_engine::kube::selector::FieldSelector;
/// use watchglass_engine::kube::object::Object;
/// let pod = Object::new("Pod", "default", "web-1").with_field("spec.nodeName", "node-7");
/// let selector = FieldSelector::parse("spec.nodeName=node-7,metadata.name!=web-2").unwrap();
/// assert!(selector.matches(&pod));
/// assert_eq!(selector.requires_exact_match("spec.nodeName"), Some("node-7"));
/// assert_eq!(selector.requires_exact_match("metadata.name"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FieldSelector {
    terms: Vec<FieldTerm>,
}

/// One term of a field selector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldTerm {
    /// The name of the field, for example `spec.nodeName`.
    pub field: Arc<str>,
    /// True if the field must equal the value; false if the field must differ from the value.
    pub is_equal: bool,
    /// The value to compare the field with.
    pub value: Arc<str>,
}

/// The filter of a request (`storage.SelectionPredicate`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// The label selector.
    pub labels: LabelSelector,
    /// The field selector.
    pub fields: FieldSelector,
}

/// A syntax error in a selector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SelectorError {
    /// A requirement has no label or field name.
    NameMissing {
        /// The position in the selector, in bytes.
        at: u32,
    },
    /// An operator is expected at this position, but the selector contains other text.
    OperatorExpected {
        /// The text in place of the operator.
        found: String,
        /// The position in the selector, in bytes.
        at: u32,
    },
    /// `in` or `notin` is not followed by values in parentheses.
    ParenthesisExpected {
        /// The position in the selector, in bytes.
        at: u32,
    },
    /// `>` or `<` is not followed by a whole number.
    NumberExpected {
        /// The text in place of the number.
        found: String,
    },
}

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NameMissing { at } => {
                write!(f, "a name is missing at {at}; write one as in `app=web`")
            }
            Self::OperatorExpected { found, at } => write!(
                f,
                "`{found}` at {at} is no operator; write one of = == != in notin > <"
            ),
            Self::ParenthesisExpected { at } => write!(
                f,
                "values in parentheses are missing at {at}; write them as in `app in (web, api)`"
            ),
            Self::NumberExpected { found } => {
                write!(f, "`{found}` is no whole number; > and < compare numbers")
            }
        }
    }
}

impl std::error::Error for SelectorError {}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, requirement)) in self.requirements.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            match requirement {
                Requirement::Exists => write!(f, "{name}")?,
                Requirement::DoesNotExist => write!(f, "!{name}")?,
                Requirement::In(values) => match values.as_slice() {
                    [one] => write!(f, "{name}={one}")?,
                    several => write!(f, "{name} in ({})", several.join(","))?,
                },
                Requirement::NotIn(values) => match values.as_slice() {
                    [one] => write!(f, "{name}!={one}")?,
                    several => write!(f, "{name} notin ({})", several.join(","))?,
                },
                Requirement::GreaterThan(n) => write!(f, "{name}>{n}")?,
                Requirement::LessThan(n) => write!(f, "{name}<{n}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, term) in self.terms.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let operator = if term.is_equal { "=" } else { "!=" };
            write!(f, "{comma}{}{operator}{}", term.field, term.value)?;
        }
        Ok(())
    }
}

impl LabelSelector {
    /// Parses a selector. The empty selector matches every object.
    ///
    /// # Errors
    /// Returns an error if `text` is not a valid selector.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let mut scan = Scan { text, at: 0 };
        let mut requirements = Vec::new();
        scan.spaces();
        while !scan.is_at_end() {
            requirements.push(scan.requirement()?);
            scan.spaces();
            if !scan.is_at_end() && !scan.take(",") {
                return Err(scan.operator_expected());
            }
            scan.spaces();
        }
        Ok(Self { requirements })
    }

    /// Returns true if the selector matches every object.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Returns true if the selector matches this object.
    pub fn matches(&self, object: &Object) -> bool {
        self.requirements
            .iter()
            .all(|(name, requirement)| requirement.holds(object.labels.get(name).map(|v| &**v)))
    }

    /// Returns the only value that the selector allows for a label, or `None` if it allows several values or any value.
    pub fn requires_exact_match(&self, label: &str) -> Option<&str> {
        self.requirements
            .iter()
            .find_map(|(name, requirement)| match requirement {
                Requirement::In(values) if &**name == label && values.len() == 1 => {
                    Some(&*values[0])
                }
                _ => None,
            })
    }
}

impl Requirement {
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|v| v.parse::<i64>().ok());
        match self {
            Self::Exists => value.is_some(),
            Self::DoesNotExist => value.is_none(),
            Self::In(values) => value.is_some_and(|v| values.iter().any(|one| &**one == v)),
            Self::NotIn(values) => value.is_none_or(|v| !values.iter().any(|one| &**one == v)),
            Self::GreaterThan(bound) => number().is_some_and(|n| n > *bound),
            Self::LessThan(bound) => number().is_some_and(|n| n < *bound),
        }
    }
}

impl FieldSelector {
    /// Parses a selector. The empty selector matches every object. A backslash before a comma, equals sign or backslash
    /// makes that character part of a value.
    ///
    /// # Errors
    /// Returns an error if `text` is not a valid selector.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let mut terms = Vec::new();
        let mut at = 0;
        for part in split_unescaped(text) {
            if !part.is_empty() {
                terms.push(FieldTerm::parse(part, at)?);
            }
            at += part.len() as u32 + 1;
        }
        Ok(Self { terms })
    }

    /// Returns true if the selector matches every object.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns true if the selector matches this object.
    pub fn matches(&self, object: &Object) -> bool {
        self.terms
            .iter()
            .all(|term| (object.field(&term.field) == &*term.value) == term.is_equal)
    }

    /// Returns the value that the selector requires for a field, or `None` if the selector does not require a value.
    pub fn requires_exact_match(&self, field: &str) -> Option<&str> {
        let found = self
            .terms
            .iter()
            .find(|term| &*term.field == field && term.is_equal);
        found.map(|term| &*term.value)
    }
}

impl FieldTerm {
    fn parse(part: &str, at: u32) -> Result<Self, SelectorError> {
        let (split, width, is_equal) =
            first_operator(part).ok_or_else(|| SelectorError::OperatorExpected {
                found: part.to_owned(),
                at,
            })?;
        let field = &part[..split];
        if field.is_empty() {
            return Err(SelectorError::NameMissing { at });
        }
        Ok(Self {
            field: field.into(),
            is_equal,
            value: unescape(&part[split + width..]).into(),
        })
    }
}

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

    /// Returns true if the predicate matches this object.
    pub fn matches(&self, object: &Object) -> bool {
        self.labels.matches(object) && self.fields.matches(object)
    }
}

/// Splits the text at each comma that does not follow a backslash.
fn split_unescaped(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Finds the first operator in a term. Returns the operator's position and length, in bytes, and true if the operator
/// requires equality.
fn first_operator(part: &str) -> Option<(usize, usize, bool)> {
    (0..part.len()).find_map(|at| {
        let rest = part.get(at..)?;
        [("!=", false), ("==", true), ("=", true)]
            .into_iter()
            .find(|(operator, _)| rest.starts_with(operator))
            .map(|(operator, is_equal)| (at, operator.len(), is_equal))
    })
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}

/// A parser of a label selector, with its current position in the text.
struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    fn spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what);
        if found {
            self.at += what.len();
        }
        found
    }

    /// Reads a name or a value, which ends at a space or an operator character.
    fn word(&mut self) -> &'a str {
        self.spaces();
        let rest = self.rest();
        let ends = |c: char| c.is_whitespace() || "=!(),<>".contains(c);
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn requirement(&mut self) -> Result<(Arc<str>, Requirement), SelectorError> {
        let is_absent = self.take("!");
        let at = self.at as u32;
        let name: Arc<str> = self.word().into();
        if name.is_empty() {
            return Err(SelectorError::NameMissing { at });
        }
        if is_absent {
            return Ok((name, Requirement::DoesNotExist));
        }
        self.spaces();
        let requirement = if self.is_at_end() || self.rest().starts_with(',') {
            Requirement::Exists
        } else if self.take("!=") {
            Requirement::NotIn(vec![self.word().into()])
        } else if self.take("==") || self.take("=") {
            Requirement::In(vec![self.word().into()])
        } else if self.take(">") {
            Requirement::GreaterThan(self.number()?)
        } else if self.take("<") {
            Requirement::LessThan(self.number()?)
        } else {
            let here = self.at;
            match self.word() {
                "in" => Requirement::In(self.values()?),
                "notin" => Requirement::NotIn(self.values()?),
                _ => {
                    self.at = here;
                    return Err(self.operator_expected());
                }
            }
        };
        Ok((name, requirement))
    }

    fn number(&mut self) -> Result<i64, SelectorError> {
        let word = self.word();
        word.parse().map_err(|_| SelectorError::NumberExpected {
            found: word.to_owned(),
        })
    }

    fn values(&mut self) -> Result<Vec<Arc<str>>, SelectorError> {
        self.spaces();
        if !self.take("(") {
            return Err(SelectorError::ParenthesisExpected { at: self.at as u32 });
        }
        let mut values = Vec::new();
        loop {
            values.push(self.word().into());
            self.spaces();
            if self.take(")") {
                return Ok(values);
            }
            if !self.take(",") {
                return Err(SelectorError::ParenthesisExpected { at: self.at as u32 });
            }
        }
    }

    fn operator_expected(&self) -> SelectorError {
        let found = self.rest().split_whitespace().next().unwrap_or_default();
        SelectorError::OperatorExpected {
            found: found.to_owned(),
            at: self.at as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod() -> Object {
        Object::new("Pod", "default", "web-1")
            .with_label("app", "web")
            .with_label("weight", "7")
            .with_field("spec.nodeName", "a,b=c")
    }

    #[test]
    fn label_selectors() {
        for (text, expected) in [
            ("", true),
            ("app", true),
            ("!app", false),
            ("tier", false),
            ("!tier", true),
            ("app=web", true),
            ("app==web", true),
            ("app = web", true),
            ("app=db", false),
            ("app!=db", true),
            ("app!=web", false),
            // An absent label is different from any value.
            ("tier!=db", true),
            ("tier notin (db)", true),
            ("app in (db,web)", true),
            ("app in (db)", false),
            ("app notin (db, api)", true),
            ("weight>6", true),
            ("weight>7", false),
            ("weight<8", true),
            ("app<8", false),
            ("app=web,weight>6, !tier", true),
            ("app=web,weight>7", false),
        ] {
            let selector = LabelSelector::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(selector.matches(&pod()), expected, "{text}");
        }
    }

    #[test]
    fn field_selectors() {
        for (text, expected) in [
            ("", true),
            ("metadata.name=web-1", true),
            ("metadata.name==web-1", true),
            ("metadata.name!=web-1", false),
            // An absent field is empty.
            ("status.phase=", true),
            ("status.phase!=Running", true),
            (r"spec.nodeName=a\,b\=c", true),
            ("metadata.namespace=default,metadata.name=web-2", false),
        ] {
            let selector = FieldSelector::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(selector.matches(&pod()), expected, "{text}");
        }
    }

    #[test]
    fn what_is_mistyped_is_named() {
        let label = |text: &str| LabelSelector::parse(text).unwrap_err();
        assert_eq!(label("=x"), SelectorError::NameMissing { at: 0 });
        assert!(matches!(
            label("a b"),
            SelectorError::OperatorExpected { at: 2, .. }
        ));
        assert_eq!(
            label("a in b"),
            SelectorError::ParenthesisExpected { at: 5 }
        );
        assert!(matches!(label("a>b"), SelectorError::NumberExpected { .. }));
        assert!(matches!(
            FieldSelector::parse("a=1,b"),
            Err(SelectorError::OperatorExpected { at: 4, .. })
        ));
    }
}
