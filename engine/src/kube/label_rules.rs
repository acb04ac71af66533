//! The rules for names and values of labels, with upstream's error messages.
//!
//! Mirrors `apimachinery/pkg/api/validate/content/kube.go` and `dns.go`.

const NAME_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
                         and end with an alphanumeric character";
const NAME_FORM: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const NAME_EXAMPLES: [&str; 3] = ["MyName", "my.name", "123-abc"];
const VALUE_RULE: &str = "a valid label must be an empty string or consist of alphanumeric \
                          characters, '-', '_' or '.', and must start and end with an alphanumeric \
                          character";
const VALUE_FORM: &str = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
const SUBDOMAIN_RULE: &str = "a lowercase RFC 1123 subdomain must consist of lower case \
                              alphanumeric characters, '-' or '.', and must start and end with an \
                              alphanumeric character";
const SUBDOMAIN_FORM: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

/// The maximum length of a label's name without its prefix, and of a label's value, in bytes.
const LENGTH_MAX: usize = 63;

/// The maximum length of a DNS subdomain, in bytes.
const SUBDOMAIN_LENGTH_MAX: usize = 253;

/// Returns the rules that a label's name violates (`IsLabelKey`).
///
/// ```
/// use watchglass_engine::kube::label_rules::label_key_errors;
/// assert!(label_key_errors("app.kubernetes.io/name").is_empty());
/// assert_eq!(label_key_errors("/name"), ["prefix part must be non-empty"]);
/// ```
pub fn label_key_errors(key: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let parts: Vec<&str> = key.split('/').collect();
    let name = match parts.as_slice() {
        [name] => name,
        ["", name] => {
            errors.push("prefix part must be non-empty".to_owned());
            name
        }
        [prefix, name] => {
            let wrong = subdomain_errors(prefix).into_iter();
            errors.extend(wrong.map(|error| format!("prefix part {error}")));
            name
        }
        _ => {
            return vec![format!(
                "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                form_error(NAME_RULE, NAME_FORM, &NAME_EXAMPLES)
            )];
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else if name.len() > LENGTH_MAX {
        errors.push(format!("name part {}", length_error(LENGTH_MAX)));
    }
    if !is_label_name(name) {
        let wrong = form_error(NAME_RULE, NAME_FORM, &NAME_EXAMPLES);
        errors.push(format!("name part {wrong}"));
    }
    errors
}

/// Returns the rules that a label's value violates (`IsLabelValue`).
pub fn label_value_errors(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if value.len() > LENGTH_MAX {
        errors.push(length_error(LENGTH_MAX));
    }
    if !value.is_empty() && !is_label_name(value) {
        errors.push(form_error(
            VALUE_RULE,
            VALUE_FORM,
            &["MyValue", "my_value", "12345"],
        ));
    }
    errors
}

/// Returns the rules that a lowercase DNS subdomain violates (`IsDNS1123Subdomain`). Most names of objects follow these
/// rules.
pub fn subdomain_errors(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if value.len() > SUBDOMAIN_LENGTH_MAX {
        errors.push(length_error(SUBDOMAIN_LENGTH_MAX));
    }
    let is_end = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part = |part: &str| is_enclosed(part, is_end, |byte| byte == b'-');
    if !value.split('.').all(is_part) {
        errors.push(form_error(SUBDOMAIN_RULE, SUBDOMAIN_FORM, &["example.com"]));
    }
    errors
}

fn is_label_name(text: &str) -> bool {
    is_enclosed(
        text,
        |byte| byte.is_ascii_alphanumeric(),
        |byte| matches!(byte, b'-' | b'_' | b'.'),
    )
}

/// Returns true if the first and the last byte are of the first kind, and all others of either kind.
fn is_enclosed(text: &str, is_end: impl Fn(u8) -> bool, is_inner: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    ends.into_iter()
        .all(|byte| byte.is_some_and(|b| is_end(*b)))
        && bytes.iter().all(|byte| is_end(*byte) || is_inner(*byte))
}

/// Returns the error message for a text that does not have the required form (`RegexError`).
pub(super) fn form_error(rule: &str, form: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples.iter().map(|text| format!("'{text}', ")).collect();
    format!(
        "{rule} (e.g. {}regex used for validation is '{form}')",
        examples.join(" or ")
    )
}

/// Returns the error message for a text that is too long (`MaxLenError`).
pub(super) fn length_error(bytes: usize) -> String {
    format!("must be no more than {bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_of_labels() {
        for key in ["a", "A.b-c_d", "a.b/c", "0/1"] {
            assert!(label_key_errors(key).is_empty(), "{key}");
        }
        for (key, count) in [("", 2), ("-a", 1), ("A/b", 1), ("a/b/c", 1), ("a/", 2)] {
            assert_eq!(label_key_errors(key).len(), count, "{key}");
        }
        assert!(label_value_errors("").is_empty());
        assert!(label_value_errors(&"a".repeat(63)).is_empty());
        assert_eq!(label_value_errors(&"-".repeat(64)).len(), 2);
        assert!(subdomain_errors("web-1.example").is_empty());
        assert_eq!(subdomain_errors("web..example").len(), 1);
    }
}
