//! The rules that an API server checks before it stores an object, with upstream's error messages.
//!
//! Mirrors `ValidateObjectMeta` in `apimachinery/pkg/api/validation`, the names of each kind in
//! `pkg/apis/core/validation`, and the part of `ValidatePodUpdate` that forbids a pod to change its node. Left out: all
//! rules for specs and statuses, of which the simulator's objects have only texts.

use super::label_rules::{
    form_error, label_key_errors, label_value_errors, length_error, subdomain_errors,
};
use super::object::Object;
use super::resource::Resource;
use super::status::FieldCause;

const LABEL_RULE: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and \
                          must start and end with an alphanumeric character";
const LABEL_FORM: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SERVICE_RULE: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
                            alphabetic character, and end with an alphanumeric character";
const SERVICE_FORM: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";

/// The part of upstream's message for a forbidden change of a pod. Upstream appends a listing of the difference.
const POD_CHANGE: &str = "pod updates may not change fields other than \
    `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only \
    additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was \
    previously negative)";

/// The maximum length of a DNS label, in bytes.
const LABEL_LENGTH_MAX: usize = 63;

/// The field of an object that holds the prefix of a generated name.
pub const GENERATE_NAME: &str = "metadata.generateName";

/// Returns the rules that a new object violates.
///
/// ```
/// use watchglass_engine::kube::resource::PODS;
/// use watchglass_engine::kube::{Object, object_rules};
/// let wrong = object_rules::create_errors(&PODS, &Object::new("Pod", "default", "Web"));
/// assert!(wrong[0].to_string().starts_with("metadata.name: Invalid value: \"Web\": a lowercase RFC 1123 subdomain"));
/// assert!(object_rules::create_errors(&PODS, &Object::new("Pod", "default", "web")).is_empty());
/// ```
pub fn create_errors(resource: &Resource, object: &Object) -> Vec<FieldCause> {
    let mut errors = Vec::new();
    match &*object.name {
        "" => errors.push(FieldCause::required(
            "metadata.name",
            "name or generateName is required",
        )),
        name => {
            let wrong = name_errors(resource, name).into_iter();
            errors.extend(wrong.map(|why| FieldCause::invalid("metadata.name", name, &why)));
        }
    }
    errors.extend(label_errors(object));
    errors
}

/// Returns the rules that the new state of an object violates.
pub fn update_errors(resource: &Resource, old: &Object, new: &Object) -> Vec<FieldCause> {
    let mut errors = label_errors(new);
    let node = |object: &Object| object.field("spec.nodeName").to_owned();
    // The simulator has no scheduler, so an update may assign a pod to its first node.
    if resource.name == "pods" && !node(old).is_empty() && node(old) != node(new) {
        errors.push(FieldCause::forbidden("spec", POD_CHANGE));
    }
    errors
}

fn name_errors(resource: &Resource, name: &str) -> Vec<String> {
    let (rule, form, examples) = match resource.name {
        "namespaces" => (LABEL_RULE, LABEL_FORM, ["my-name", "123-abc"]),
        "services" => (SERVICE_RULE, SERVICE_FORM, ["my-name", "abc-123"]),
        _ => return subdomain_errors(name),
    };
    let mut errors = Vec::new();
    if name.len() > LABEL_LENGTH_MAX {
        errors.push(length_error(LABEL_LENGTH_MAX));
    }
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_first =
        |byte: u8| byte.is_ascii_lowercase() || resource.name == "namespaces" && is_inner(byte);
    let bytes = name.as_bytes();
    let has_form = bytes.first().is_some_and(|byte| is_first(*byte))
        && bytes.last().is_some_and(|byte| is_inner(*byte))
        && bytes.iter().all(|byte| is_inner(*byte) || *byte == b'-');
    if !has_form {
        errors.push(form_error(rule, form, &examples));
    }
    errors
}

fn label_errors(object: &Object) -> Vec<FieldCause> {
    const FIELD: &str = "metadata.labels";
    let mut errors = Vec::new();
    for (key, value) in object.labels.iter() {
        let wrong = label_key_errors(key).into_iter();
        errors.extend(wrong.map(|why| FieldCause::invalid(FIELD, key, &why)));
        let wrong = label_value_errors(value).into_iter();
        errors.extend(wrong.map(|why| FieldCause::invalid(FIELD, value, &why)));
    }
    errors
}

/// Parses the resource version in the metadata of an object (`APIObjectVersioner.ObjectResourceVersion`). An empty text
/// is 0.
///
/// # Errors
/// Returns the message of Go's `strconv.ParseUint`.
pub fn resource_version(text: &str) -> Result<u64, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match (text, is_number) {
        ("", _) => Ok(0),
        (_, false) => Err(format!(
            "strconv.ParseUint: parsing {text:?}: invalid syntax"
        )),
        (_, true) => text
            .parse()
            .map_err(|_| format!("strconv.ParseUint: parsing {text:?}: value out of range")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::resource::{CONFIG_MAPS, PODS, SERVICES};
    use super::*;

    #[test]
    fn names_and_labels_are_checked() {
        let errors = |resource: &Resource, name: &str| {
            create_errors(resource, &Object::new(resource.kind, "default", name)).len()
        };
        assert_eq!(errors(&CONFIG_MAPS, "a.b-1"), 0);
        assert_eq!(errors(&SERVICES, "a.b"), 1);
        assert_eq!(errors(&SERVICES, "1a"), 1);
        assert_eq!(errors(&SERVICES, &"a".repeat(64)), 1);
        assert_eq!(errors(&PODS, ""), 1);
        let pod = Object::new("Pod", "default", "p").with_label("a b", "c d");
        let texts: Vec<String> = create_errors(&PODS, &pod)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(texts.len(), 2);
        assert!(
            texts[0].starts_with("metadata.labels: Invalid value: \"a b\": name part must consist")
        );
        assert!(
            texts[1].starts_with("metadata.labels: Invalid value: \"c d\": a valid label must be")
        );
    }

    #[test]
    fn a_pod_keeps_its_node() {
        let pod = |node: &str| Object::new("Pod", "default", "p").with_field("spec.nodeName", node);
        assert!(update_errors(&PODS, &pod(""), &pod("a")).is_empty());
        assert!(update_errors(&PODS, &pod("a"), &pod("a")).is_empty());
        assert_eq!(update_errors(&PODS, &pod("a"), &pod("b")).len(), 1);
    }

    #[test]
    fn resource_versions_have_the_errors_of_go() {
        assert_eq!(resource_version(""), Ok(0));
        assert_eq!(resource_version("007"), Ok(7));
        let error = |text: &str| resource_version(text).expect_err(text);
        assert_eq!(
            error("abc"),
            "strconv.ParseUint: parsing \"abc\": invalid syntax"
        );
        assert_eq!(
            error("+1"),
            "strconv.ParseUint: parsing \"+1\": invalid syntax"
        );
        assert!(error("18446744073709551616").ends_with("value out of range"));
    }
}
