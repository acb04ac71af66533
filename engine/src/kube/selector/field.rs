//! Field selectors: parsing and matching, with upstream's error messages.
//!
//! Mirrors `apimachinery/pkg/fields/selector.go`. A field selector supports only `=`, `==` and `!=`, and treats an
//! absent field as empty. Terms keep the order of the text; upstream sorts them.

use crate::base::small_sort::SmallSort;
use std::fmt;
use std::sync::Arc;

use super::super::object::Object;
use super::super::resource::Resource;
use super::SelectorError;

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

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldTerm {
    /// The name of the field, for example `spec.nodeName`.
    pub field: Arc<str>,
    /// True if the field must equal the value; false if the field must differ from the value.
    pub is_equal: bool,
    pub value: Arc<str>,
}

impl FieldSelector {
    /// Parses a selector. The empty selector matches every object. A backslash before a comma, equals sign or backslash
    /// makes that character part of a value.
    ///
    /// # Errors
    /// Returns an error if `text` is not a valid selector.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let mut parts = split_unescaped(text);
        // Upstream reports the first wrong term in this order.
        parts.small_sort();
        for part in parts {
            FieldTerm::parse(text, part)?;
        }
        let parts = split_unescaped(text).into_iter();
        let terms = parts.filter_map(|part| FieldTerm::parse(text, part).transpose());
        Ok(Self {
            terms: terms.collect::<Result<_, _>>()?,
        })
    }

    /// Returns true if the selector matches every object.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn matches(&self, object: &Object) -> bool {
        self.terms
            .iter()
            .all(|term| (object.selectable(&term.field) == &*term.value) == term.is_equal)
    }

    /// Returns the value that the selector requires for a field, or `None` if the selector does not require a value.
    pub fn requires_exact_match(&self, field: &str) -> Option<&str> {
        let found = self
            .terms
            .iter()
            .find(|term| &*term.field == field && term.is_equal);
        found.map(|term| &*term.value)
    }

    /// Returns the error for the first field that the resource cannot select by (`ConvertFieldLabel`), if any.
    pub fn unsupported(&self, resource: &Resource) -> Option<SelectorError> {
        let mut terms: Vec<&FieldTerm> = self.terms.iter().collect();
        terms.small_sort_by(|a, b| a.field.cmp(&b.field));
        let wrong = terms
            .into_iter()
            .find(|term| !resource.can_select(&term.field))?;
        Some(SelectorError(match resource.selectable_fields {
            [] => format!(
                "{:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
                wrong.field
            ),
            _ => format!("field label not supported: {}", wrong.field),
        }))
    }
}

impl FieldTerm {
    /// Parses a part of a selector; `None` for an empty part.
    fn parse(selector: &str, part: &str) -> Result<Option<Self>, SelectorError> {
        if part.is_empty() {
            return Ok(None);
        }
        let Some((split, width, is_equal)) = first_operator(part) else {
            return Err(SelectorError(format!(
                "invalid selector: '{selector}'; can't understand '{part}'"
            )));
        };
        Ok(Some(Self {
            field: part[..split].into(),
            is_equal,
            value: unescape(&part[split + width..])?.into(),
        }))
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

fn unescape(text: &str) -> Result<String, SelectorError> {
    let wrong = |what: &str| SelectorError(format!("invalid field selector: {what}"));
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('\\' | ',' | '=')) => out.push(c),
                Some(c) => return Err(wrong(&format!("invalid escape sequence: \\{c}"))),
                None => return Err(wrong("invalid escape sequence: \\")),
            },
            // Upstream prints the number of the character.
            ',' | '=' => {
                let number = u32::from(c);
                return Err(wrong(&format!("unescaped character in value: {number}")));
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::super::resource::{CONFIG_MAPS, PODS};
    use super::*;

    #[test]
    fn field_selectors() {
        let pod = Object::new("Pod", "default", "web-1").with_field("spec.nodeName", "a,b=c");
        for (text, expected) in [
            ("", true),
            ("metadata.name=web-1", true),
            ("metadata.name==web-1", true),
            ("metadata.name!=web-1", false),
            // Without a value, some fields have a default and the others are empty.
            ("status.podIP=", true),
            ("status.phase=Pending", true),
            ("status.phase!=Running", true),
            ("spec.schedulerName=default-scheduler", true),
            (r"spec.nodeName=a\,b\=c", true),
            ("metadata.namespace=default,metadata.name=web-2", false),
        ] {
            let selector = FieldSelector::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(selector.matches(&pod), expected, "{text}");
        }
    }

    #[test]
    fn errors_have_upstream_texts() {
        for (text, expected) in [
            ("a=1,b", "invalid selector: 'a=1,b'; can't understand 'b'"),
            (
                r"a=\x",
                r"invalid field selector: invalid escape sequence: \x",
            ),
            (
                "a=b=c",
                "invalid field selector: unescaped character in value: 61",
            ),
        ] {
            let error = FieldSelector::parse(text).unwrap_err();
            assert_eq!(error.to_string(), expected, "{text}");
        }
    }

    #[test]
    fn a_resource_selects_by_its_own_fields() {
        let unsupported = |text: &str, resource| {
            let selector = FieldSelector::parse(text).expect("the text is a selector");
            selector
                .unsupported(resource)
                .map(|error| error.to_string())
        };
        assert_eq!(unsupported("spec.nodeName=x", &PODS), None);
        assert_eq!(
            unsupported("metadata.labels=x", &PODS).as_deref(),
            Some("field label not supported: metadata.labels")
        );
        assert_eq!(
            unsupported("foo=bar", &CONFIG_MAPS).as_deref(),
            Some(
                "\"foo\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
            )
        );
    }
}
