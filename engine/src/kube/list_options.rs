//! The options of LIST, GET and WATCH requests, and the validation of options before a read.
//!
//! Mirrors `metav1.ListOptions`, `ValidateListOptions` (`apimachinery/pkg/apis/meta/internalversion/validation`) and
//! upstream's defaults for watches. `timeoutSeconds` is in the watch request.

use std::fmt;
use std::sync::Arc;

use super::continue_token::ContinueToken;
use super::gates::Gates;
use super::status::{FieldError, StatusError};
use crate::base::digest::Sparse;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ListVerb {
    Get,
    List,
    Watch,
}

/// The value of the request parameter `resourceVersion`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceVersion {
    /// The request has no resource version, so the response must contain the newest data.
    #[default]
    Unset,
    /// The parameter is `"0"`, so the response may contain data of any age.
    Any,
    /// The parameter is this resource version. The parameter `resourceVersionMatch` decides whether the response may be
    /// from a later version. A zero that is not written `0`, such as `00`, is `At(0)`.
    At(u64),
}

/// The value of the request parameter `resourceVersionMatch`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceVersionMatch {
    /// The response must be from the requested resource version or a later version.
    NotOlderThan,
    /// The response must be from exactly the requested resource version.
    Exact,
    /// The parameter has another value, which the server refuses.
    Unsupported(Arc<str>),
}

impl ResourceVersionMatch {
    pub fn name(&self) -> &str {
        match self {
            Self::NotOlderThan => "NotOlderThan",
            Self::Exact => "Exact",
            Self::Unsupported(text) => text,
        }
    }

    /// Parses the value of the parameter. An empty value is the same as no parameter.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "" => None,
            "NotOlderThan" => Some(Self::NotOlderThan),
            "Exact" => Some(Self::Exact),
            other => Some(Self::Unsupported(other.into())),
        }
    }
}

/// The options of a LIST, GET or WATCH request (`metav1.ListOptions`).
///
/// ```
/// use watchglass_engine::kube::gates::{Gates, KubeVersion};
/// use watchglass_engine::kube::list_options::*;
/// let gates = Gates::of(KubeVersion::V1_37);
/// let options = ListOptions {
///     resource_version_match: Some(ResourceVersionMatch::Exact),
///     ..ListOptions::default()
/// };
/// let error = options.validate(ListVerb::List, &gates).unwrap_err();
/// assert_eq!(error.code(), 422);
/// assert_eq!(error.to_string(), "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: \
///     Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ListOptions {
    /// The parameter `resourceVersion`; `At(0)` if the parameter is not a number.
    pub resource_version: ResourceVersion,
    /// The error message for a parameter `resourceVersion` that is not a number. Only a request with a path and a query
    /// can have such a parameter.
    pub malformed_version: Sparse<Option<Arc<str>>>,
    pub resource_version_match: Option<ResourceVersionMatch>,
    /// The parameter `limit`: the maximum number of objects, or 0 for no limit.
    pub limit: u64,
    /// The parameter `continue`: the token from the previous page.
    pub continue_token: Option<String>,
    pub send_initial_events: Option<bool>,
    pub allow_watch_bookmarks: bool,
}

/// The resource version at which a continue token continues a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContinueAt {
    /// The resource version of the first page.
    Exact(u64),
    /// The current resource version.
    Latest,
}

impl ResourceVersion {
    /// Parses the parameter.
    ///
    /// # Errors
    /// Returns an error if the text is not a number. The error has the same message as an error of Go's `strconv`.
    ///
    /// ```
    /// use watchglass_engine::kube::list_options::ResourceVersion;
    /// assert_eq!(ResourceVersion::parse(""), Ok(ResourceVersion::Unset));
    /// assert_eq!(ResourceVersion::parse("0"), Ok(ResourceVersion::Any));
    /// assert_eq!(ResourceVersion::parse("00"), Ok(ResourceVersion::At(0)));
    /// assert_eq!(ResourceVersion::parse("x").unwrap_err(),
    ///     r#"resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax"#);
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let why = match text {
            "" => return Ok(Self::Unset),
            "0" => return Ok(Self::Any),
            _ if !is_number => "invalid syntax",
            _ => match text.parse() {
                Ok(number) => return Ok(Self::At(number)),
                Err(_) => "value out of range",
            },
        };
        Err(format!(
            "resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: {why}"
        ))
    }

    /// Returns the resource version as a number, as upstream's cache does: 0 for both [`Unset`](Self::Unset) and
    /// [`Any`](Self::Any).
    pub fn parsed(self) -> u64 {
        match self {
            Self::Unset | Self::Any => 0,
            Self::At(rv) => rv,
        }
    }
}

impl ListOptions {
    /// Checks that the options are valid in combination.
    ///
    /// # Errors
    /// Returns 422 with a list of the violated rules.
    pub fn validate(&self, verb: ListVerb, gates: &Gates) -> Result<(), StatusError> {
        let errors = match verb {
            ListVerb::List => self.validate_list(),
            ListVerb::Watch => self.validate_watch(gates),
            // A GET has none of these options.
            ListVerb::Get => Vec::new(),
        };
        if errors.is_empty() {
            Ok(())
        } else {
            Err(StatusError::Invalid(errors))
        }
    }

    /// Returns the error for a resource version that is not a number, if the request has such a version.
    pub fn version_error(&self, is_bad_request: bool) -> Option<StatusError> {
        let why = self.malformed_version.0.clone()?;
        Some(StatusError::MalformedVersion {
            why,
            is_bad_request,
        })
    }

    fn validate_list(&self) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if let Some(how) = &self.resource_version_match {
            if self.resource_version == ResourceVersion::Unset {
                errors.push(on_match(
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                ));
            }
            if self.continue_token.is_some() {
                errors.push(on_match(MATCH_WITH_CONTINUE));
            }
            if let ResourceVersionMatch::Unsupported(value) = how {
                errors.push(unsupported_match(
                    value,
                    "\"Exact\", \"NotOlderThan\", \"\"",
                ));
            }
            if *how == ResourceVersionMatch::Exact && self.resource_version == ResourceVersion::Any
            {
                errors.push(on_match(
                    "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                ));
            }
        }
        if self.send_initial_events.is_some() {
            errors.push(on_initial_events("sendInitialEvents is forbidden for list"));
        }
        errors
    }

    fn validate_watch(&self, gates: &Gates) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let how = self.resource_version_match.as_ref();
        let is_wrong = how != Some(&ResourceVersionMatch::NotOlderThan);
        if self.send_initial_events.is_some() {
            if is_wrong {
                errors.push(on_match(
                    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
                ));
            }
            if !gates.watch_list {
                errors.push(on_initial_events(
                    "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
                ));
            }
        }
        if let Some(how) = how {
            if self.send_initial_events.is_none() {
                errors.push(on_match(
                    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
                ));
            }
            if is_wrong {
                errors.push(unsupported_match(how.name(), "\"NotOlderThan\""));
            }
            if self.continue_token.is_some() {
                errors.push(on_match(MATCH_WITH_CONTINUE));
            }
        }
        errors
    }

    /// Returns the options with a default for each missing option. If the gate `WatchList` is enabled, a watch without
    /// a resource version (or with version 0) gets `sendInitialEvents`.
    #[must_use]
    pub fn with_defaults(mut self, verb: ListVerb, gates: &Gates) -> Self {
        let is_legacy = !matches!(self.resource_version, ResourceVersion::At(_))
            && self.send_initial_events.is_none()
            && self.resource_version_match.is_none();
        if verb == ListVerb::Watch && gates.watch_list && is_legacy {
            self.send_initial_events = Some(true);
            self.resource_version_match = Some(ResourceVersionMatch::NotOlderThan);
        }
        self
    }

    /// Returns the resource version in the continue token, or `None` if the request has no token.
    ///
    /// # Errors
    /// Returns 400 if the token cannot be decoded, or if the request also has a resource version.
    pub fn continue_at(&self) -> Result<Option<ContinueAt>, StatusError> {
        let Some(text) = &self.continue_token else {
            return Ok(None);
        };
        let token = ContinueToken::decode(text);
        let token = token.map_err(|why| StatusError::InvalidContinue(why.to_string()))?;
        if matches!(self.resource_version, ResourceVersion::At(_)) {
            return Err(StatusError::ContinueWithResourceVersion);
        }
        // Every negative version asks for the current state; the server issues only `LATEST`.
        Ok(Some(match u64::try_from(token.resource_version) {
            Ok(rv) => ContinueAt::Exact(rv),
            Err(_) => ContinueAt::Latest,
        }))
    }
}

const MATCH_WITH_CONTINUE: &str = "resourceVersionMatch is forbidden when continue is provided";

const MATCH: &str = "resourceVersionMatch";

fn on_match(detail: &'static str) -> FieldError {
    FieldError::Forbidden {
        field: MATCH,
        detail,
    }
}

fn unsupported_match(value: &str, supported: &'static str) -> FieldError {
    FieldError::NotSupported {
        field: MATCH,
        value: value.into(),
        supported,
    }
}

fn on_initial_events(detail: &'static str) -> FieldError {
    FieldError::Forbidden {
        field: "sendInitialEvents",
        detail,
    }
}

impl fmt::Display for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset => f.write_str("unset"),
            Self::Any => f.write_str("0"),
            Self::At(rv) => write!(f, "{rv}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::gates::KubeVersion;
    use super::*;

    fn texts(options: &ListOptions, verb: ListVerb, version: KubeVersion) -> Vec<String> {
        match options.validate(verb, &Gates::of(version)) {
            Ok(()) => Vec::new(),
            Err(StatusError::Invalid(errors)) => errors.iter().map(ToString::to_string).collect(),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_watch_with_initial_events_names_its_match() {
        let asked = ListOptions {
            send_initial_events: Some(true),
            ..ListOptions::default()
        };
        assert_eq!(
            texts(&asked, ListVerb::Watch, KubeVersion::V1_33),
            [
                "resourceVersionMatch: Forbidden: sendInitialEvents requires setting \
                 resourceVersionMatch to NotOlderThan",
                "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the \
                 WatchList feature gate is enabled",
            ]
        );
        let whole = ListOptions {
            resource_version_match: Some(ResourceVersionMatch::NotOlderThan),
            ..asked.clone()
        };
        assert!(texts(&whole, ListVerb::Watch, KubeVersion::V1_34).is_empty());
        assert_eq!(
            texts(&asked, ListVerb::List, KubeVersion::V1_34),
            ["sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"]
        );
        let only_match = ListOptions {
            send_initial_events: None,
            ..whole
        };
        assert_eq!(
            texts(&only_match, ListVerb::Watch, KubeVersion::V1_34),
            [
                "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless \
                 sendInitialEvents is provided"
            ]
        );
    }

    #[test]
    fn a_watch_from_nowhere_is_given_initial_events() {
        let plain = ListOptions::default();
        let today = plain
            .clone()
            .with_defaults(ListVerb::Watch, &Gates::of(KubeVersion::V1_37));
        assert_eq!(today.send_initial_events, Some(true));
        let before = plain
            .clone()
            .with_defaults(ListVerb::Watch, &Gates::of(KubeVersion::V1_33));
        assert_eq!(before, plain);
        let listed = plain
            .clone()
            .with_defaults(ListVerb::List, &Gates::of(KubeVersion::V1_37));
        assert_eq!(listed, plain);
    }

    #[test]
    fn a_token_excludes_a_resource_version() {
        let options = ListOptions {
            resource_version: ResourceVersion::At(5),
            continue_token: Some(
                ContinueToken::after("/registry/pods/a", "/registry/pods/", 5).encode(),
            ),
            ..ListOptions::default()
        };
        let error = options.continue_at().unwrap_err();
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            (
                400,
                "specifying resource version is not allowed when using continue"
            )
        );
        let broken = ListOptions {
            continue_token: Some("?".into()),
            ..ListOptions::default()
        };
        let error = broken.continue_at().unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("invalid continue token: continue key is not valid")
        );
    }
}
