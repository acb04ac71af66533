//! The path and the query of a GET, and the request that they describe.
//!
//! Mirrors `RequestInfoFactory`, the conversions of `url.Values` to `ListOptions` and `GetOptions`, and `net/url`. The
//! server refuses only numbers and selectors here; the validation of options follows later
//! ([`ListOptions::validate`]). Unknown parameters are ignored. Left out: the deprecated paths `/api/v1/watch/…`,
//! subresources, the parameters `timeout` and `shardSelector`.

use std::sync::Arc;

use super::list_options::{ListOptions, ResourceVersion, ResourceVersionMatch};
use super::request::{DeleteOptions, KubeRequest, KubeVerb, WatchTarget};
use super::resource::{self, Resource};
use super::selector::{FieldSelector, LabelSelector};
use super::status::StatusError;
use crate::base::digest::Sparse;

/// Returns the request for a GET of a path with a query. A path or query that the server cannot decode becomes a
/// [`KubeVerb::Raw`] request.
///
/// ```
/// use watchglass_engine::kube::{KubeVerb, query};
/// let list = query::request("/api/v1/namespaces/default/pods?limit=5&pretty=true");
/// assert_eq!((list.resource.name, list.verb.name()), ("pods", "LIST"));
/// let wrong = query::request("/api/v1/pods?limit=x");
/// assert!(matches!(wrong.verb, KubeVerb::Raw(_)));
/// ```
pub fn request(path: &str) -> KubeRequest {
    decode(path).unwrap_or_else(|_| KubeRequest {
        resource: &resource::NONE,
        verb: KubeVerb::Raw(path.into()),
    })
}

/// Decodes a path with a query.
///
/// # Errors
/// Returns 404 if the path names no simulated resource, and 400 if a parameter cannot be decoded.
pub fn decode(path: &str) -> Result<KubeRequest, StatusError> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let (resource, namespace, name) = place(path).ok_or(StatusError::NoSuchPath)?;
    let query = Query::parse(query);
    let mut target = WatchTarget {
        namespace,
        ..WatchTarget::default()
    };
    // A GET decodes only its own option (`GetOptions`).
    if let Some(name) = name {
        return Ok(KubeRequest {
            resource,
            verb: KubeVerb::Get {
                namespace: target.namespace,
                name,
                options: query.with_version(ListOptions::default()),
            },
        });
    }
    let timeout = query.number("timeoutSeconds")?;
    // A negative limit is no limit.
    let limit = query.number("limit")?.unwrap_or(0);
    let bad = |error: String| StatusError::BadRequest(error.into());
    let labels = query.value("labelSelector").unwrap_or_default();
    target.predicate.labels = LabelSelector::parse(labels).map_err(|e| bad(e.to_string()))?;
    let fields = query.value("fieldSelector").unwrap_or_default();
    target.predicate.fields = FieldSelector::parse(fields).map_err(|e| bad(e.to_string()))?;
    let options = query.with_version(ListOptions {
        resource_version_match: query
            .value("resourceVersionMatch")
            .and_then(ResourceVersionMatch::parse),
        limit: u64::try_from(limit).unwrap_or(0),
        continue_token: query
            .value("continue")
            .filter(|token| !token.is_empty())
            .map(Into::into),
        send_initial_events: query.switch("sendInitialEvents"),
        allow_watch_bookmarks: query.switch("allowWatchBookmarks").unwrap_or(false),
        ..ListOptions::default()
    });
    let verb = match query.switch("watch") {
        Some(true) => KubeVerb::Watch {
            target,
            options,
            // 0 is the server's default, and a negative duration is over at once.
            timeout_s: timeout
                .filter(|seconds| *seconds != 0)
                .map(|seconds| u64::try_from(seconds).unwrap_or(0)),
        },
        Some(false) | None => KubeVerb::List { target, options },
    };
    Ok(KubeRequest { resource, verb })
}

/// Returns the request for a DELETE of the object at a path with a query. Returns `None` if the path names no object,
/// or if the query has other parameters than `ignoreStoreReadErrorWithClusterBreakingPotential`.
pub fn delete(path: &str) -> Option<KubeRequest> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let (resource, namespace, name) = place(path)?;
    let query = Query::parse(query);
    let option = "ignoreStoreReadErrorWithClusterBreakingPotential";
    let is_known = query.0.iter().all(|(parameter, _)| parameter == option);
    let verb = KubeVerb::Delete {
        namespace,
        name: name.filter(|_| is_known)?,
        options: DeleteOptions {
            ignores_read_error: Sparse(query.switch(option).unwrap_or(false)),
            ..DeleteOptions::default()
        },
    };
    Some(KubeRequest { resource, verb })
}

/// Finds the resource, the namespace and the name that a path names. The namespace and the name may be empty.
fn place(path: &str) -> Option<(&'static Resource, String, Option<String>)> {
    let path = decode_escapes(path, false)?;
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (group, inside) = match parts.as_slice() {
        ["api", "v1", inside @ ..] => ("", inside),
        ["apis", group, "v1", inside @ ..] => (*group, inside),
        _ => return None,
    };
    let (namespace, kind, name) = match inside {
        ["namespaces", namespace, kind] => (*namespace, *kind, None),
        ["namespaces", namespace, kind, name] => (*namespace, *kind, Some(*name)),
        [kind] => ("", *kind, None),
        [kind, name] => ("", *kind, Some(*name)),
        _ => return None,
    };
    let found = Resource::find(kind).filter(|found| found.group() == group)?;
    // Only resources without namespaces have objects outside a namespace, and no paths inside one.
    let is_placed = match (found.is_namespaced, namespace.is_empty()) {
        (true, is_everywhere) => !(is_everywhere && name.is_some()),
        (false, is_everywhere) => is_everywhere,
    };
    is_placed.then(|| (found, namespace.to_owned(), name.map(Into::into)))
}

/// The parameters of a query, in their order. Only the first value of a parameter counts.
struct Query(Vec<(String, String)>);

impl Query {
    /// Parses a query (`url.ParseQuery`). Drops parameters with a broken escape or a semicolon, as Go does.
    fn parse(text: &str) -> Self {
        let parts = text.split('&').filter(|part| !part.is_empty());
        let parts = parts.filter(|part| !part.contains(';'));
        Self(
            parts
                .filter_map(|part| {
                    let (name, value) = part.split_once('=').unwrap_or((part, ""));
                    Some((decode_escapes(name, true)?, decode_escapes(value, true)?))
                })
                .collect(),
        )
    }

    fn value(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the options with the parameter `resourceVersion`.
    fn with_version(&self, options: ListOptions) -> ListOptions {
        let text = self.value("resourceVersion").unwrap_or_default();
        let parsed = ResourceVersion::parse(text);
        let malformed = parsed.as_ref().err().map(|why| why.as_str().into());
        ListOptions {
            resource_version: parsed.unwrap_or(ResourceVersion::At(0)),
            malformed_version: Sparse(malformed),
            ..options
        }
    }

    /// Parses a whole number (`strconv.ParseInt`).
    fn number(&self, name: &str) -> Result<Option<i64>, StatusError> {
        let Some(text) = self.value(name) else {
            return Ok(None);
        };
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let why = match is_number {
            false => "invalid syntax",
            true => match text.parse() {
                Ok(number) => return Ok(Some(number)),
                Err(_) => "value out of range",
            },
        };
        let why = format!("strconv.ParseInt: parsing {text:?}: {why}");
        Err(StatusError::BadRequest(why.into()))
    }

    /// Parses a switch: only `false` and `0` turn a switch off.
    fn switch(&self, name: &str) -> Option<bool> {
        let text = self.value(name)?;
        Some(text != "0" && !text.eq_ignore_ascii_case("false"))
    }
}

/// Decodes escapes such as `%3D` and, in a query, replaces `+` with a space. Returns `None` for a broken escape.
fn decode_escapes(text: &str, is_query: bool) -> Option<String> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                let code = digit()? << 4 | digit()?;
                out.push(u8::try_from(code).expect("two hexadecimal digits are a byte"));
            }
            b'+' if is_query => out.push(b' '),
            byte => out.push(byte),
        }
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

/// Returns the text at a path that belongs neither to a resource nor to the state of the server.
///
/// # Errors
/// Returns 404 if the server serves nothing at the path.
pub fn text_at(path: &str, minor_version: &str) -> Result<Arc<str>, StatusError> {
    let path = path.split('?').next().unwrap_or_default();
    match path {
        "/version" => {
            let (major, minor) = minor_version
                .split_once('.')
                .ok_or(StatusError::NoSuchPath)?;
            // The other fields of the real response describe the build.
            Ok(format!(
                "{{\n  \"major\": \"{major}\",\n  \"minor\": \"{minor}\",\n  \"gitVersion\": \"v{minor_version}.0\"\n}}"
            )
            .into())
        }
        _ => Err(StatusError::NoSuchPath),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(path: &str) -> String {
        let error = decode(path).expect_err(path);
        format!("{} {error}", error.code())
    }

    #[test]
    fn numbers_and_selectors_are_refused_in_the_order_of_the_conversion() {
        let base = "/api/v1/pods";
        for (query, expected) in [
            (
                "limit=",
                "400 strconv.ParseInt: parsing \"\": invalid syntax",
            ),
            (
                "limit=9223372036854775808",
                "400 strconv.ParseInt: parsing \"9223372036854775808\": value out of range",
            ),
            (
                "fieldSelector=a&limit=x&timeoutSeconds=1.5",
                "400 strconv.ParseInt: parsing \"1.5\": invalid syntax",
            ),
            (
                "fieldSelector=a&labelSelector=a%20b",
                "400 unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
            ),
        ] {
            assert_eq!(refusal(&format!("{base}?{query}")), expected, "{query}");
        }
        assert!(refusal("/api/v1/nosuch").starts_with("404 the server could not find"));
        assert!(refusal("/api/v1/pods/web-1").starts_with("404"));
        assert!(refusal("/api/v1/namespaces/default/nodes").starts_with("404"));
        // A GET ignores the options of a list.
        assert!(decode("/api/v1/namespaces/default/pods/web-1?limit=x").is_ok());
    }

    #[test]
    fn parameters_have_the_values_that_go_reads() {
        let options = |query: &str| {
            let request = decode(&format!("/api/v1/pods?{query}")).expect(query);
            request.verb.options().expect("a read has options").clone()
        };
        assert_eq!(options("limit=-1").limit, 0);
        assert_eq!(options("limit=%2B2&limit=3").limit, 2);
        assert_eq!(options("limit=2&x=%zz&continue=").continue_token, None);
        assert_eq!(
            options("sendInitialEvents=False").send_initial_events,
            Some(false)
        );
        assert_eq!(
            options("sendInitialEvents=").send_initial_events,
            Some(true)
        );
        let verb = |query: &str| decode(&format!("/api/v1/pods?{query}")).expect(query).verb;
        assert_eq!(verb("watch=yes").name(), "WATCH");
        assert_eq!(verb("watch=0").name(), "LIST");
        let timeout = |query: &str| match verb(query) {
            KubeVerb::Watch { timeout_s, .. } => timeout_s,
            other => panic!("{other:?}"),
        };
        assert_eq!(timeout("watch&timeoutSeconds=0"), None);
        assert_eq!(timeout("watch&timeoutSeconds=-5"), Some(0));
        assert_eq!(timeout("watch&timeoutSeconds=5"), Some(5));
    }
}
