//! Reads `kubectl …`. A small part of kubectl's commands and flags is supported. Each family of verbs has a file.
//!
//! Mirrors the requests of `k8s.io/kubectl/pkg/cmd`. There are three differences from kubectl. First, `--server` takes
//! the name of a simulated API server. Second, flags such as `--resource-version` and `--limit` set parameters that
//! kubectl accepts only in a `--raw` path; a list with such a flag is a single request. Third, the user describes an
//! object with flags or passes a manifest as standard input; kubectl also reads files. Not supported: chunks in the
//! list before a watch, and kubectl's log (`-v`).

mod get;
mod input;
mod manifest;
mod page;
mod raw;
mod targets;
mod words;
mod write;

use super::table::Spec;
use super::table::wrong;
use super::{CommandKind, Output, ParseError};
use crate::kube::Resource;
use crate::kube::request::WatchTarget;
use crate::kube::resource::RESOURCES;
use crate::kube::selector::{FieldSelector, LabelSelector};
use crate::transcript::for_loop::Arg;
use crate::transcript::invocation;

/// Returns the namespace for objects of this resource if the command names none.
fn own_namespace(resource: &Resource) -> String {
    match resource.is_namespaced {
        true => "default".into(),
        false => String::new(),
    }
}

const SHORT_NAMES: [(&str, &str); 7] = [
    ("po", "pods"),
    ("no", "nodes"),
    ("cm", "configmaps"),
    ("svc", "services"),
    ("ev", "events"),
    ("ns", "namespaces"),
    ("deploy", "deployments"),
];

/// Returns the short name of the resource with this plural name.
pub fn short_name(resource: &str) -> Option<&'static str> {
    let found = SHORT_NAMES.into_iter().find(|(_, name)| *name == resource);
    found.map(|(short, _)| short)
}

/// Returns the resource whose plural, singular or short name is `text`. The group can follow, as in `deployments.apps`.
pub(super) fn resource(text: &str) -> Option<&'static Resource> {
    let (text, group) = text.split_once('.').unwrap_or((text, ""));
    let long = SHORT_NAMES.into_iter().find(|(short, _)| *short == text);
    let name = long.map_or(text, |(_, name)| name).to_ascii_lowercase();
    let is_it = |r: &&'static Resource| {
        let is_named = r.name == name || r.kind.to_ascii_lowercase() == name;
        is_named && (group.is_empty() || group == r.group())
    };
    RESOURCES.into_iter().find(is_it)
}

/// Reads a command. The first element of `args` is `kubectl`.
pub(super) fn read(args: &[Arg], spec: &'static Spec) -> Result<CommandKind, ParseError> {
    read_with_input(args, spec, None)
}

/// Reads a command with its standard input, if a pipe or a here-document provides the input.
pub(super) fn read_with_input(
    args: &[Arg],
    spec: &'static Spec,
    standard_input: Option<&str>,
) -> Result<CommandKind, ParseError> {
    const VERBS: &str = "get, describe, create, replace, apply, label, patch, delete, version or api-resources after \
                         kubectl";
    // As in kubectl, flags can precede the verb.
    let flags = args.len() - 1 - invocation::after_kubectl_flags(&args[1..]).len();
    let (flags, rest) = args[1..].split_at(flags);
    let Some((verb, rest)) = rest.split_first() else {
        return Err(wrong(spec, args.first(), VERBS));
    };
    let known = spec.children.iter();
    let Some(child) = known.into_iter().find(|c| c.name.as_bytes() == verb.bytes) else {
        return Err(wrong(spec, Some(verb), VERBS));
    };
    let args = [flags, rest].concat();
    let words = words::sort(&args, child)?;
    let has_file = words.flags.iter().any(|(flag, ..)| flag == input::FILENAME);
    let mut command = match child.name {
        _ if has_file => match input::read(&words, child, standard_input)? {
            Ok(command) => command,
            Err(why) => {
                return Ok(CommandKind::Refused(Output {
                    stderr: format!("error: {why}\n").into_bytes(),
                    exit: 1,
                    ..Output::default()
                }));
            }
        },
        "apply" => return Err(wrong(child, Some(verb), input::EXPECTED)),
        "get" | "describe" => get::read(&words, child, verb)?,
        "create" | "replace" => write::write(&words, child, verb)?,
        "label" => write::label(&words, child, verb)?,
        "patch" => write::patch(&words, child, verb)?,
        "version" | "api-resources" => page::read(&words, child)?,
        _ => write::delete(&words, child, verb)?,
    };
    if let Some(named) = &words.named {
        match &mut command.watch {
            Some((given, _)) => *given = Some(named.clone()),
            None => {
                return Err(wrong(
                    child,
                    args.last(),
                    "`-w` before `as`, because only a watch has a name",
                ));
            }
        }
    }
    Ok(CommandKind::Kubectl(Box::new(command)))
}

/// Returns true if the flags of a command name the standard input as the file, as in `kubectl apply -f -`.
pub(super) fn reads_standard_input(args: &[Arg]) -> bool {
    let is_joined = |arg: &Arg| matches!(&arg.bytes[..], b"-f-" | b"-f=-" | b"--filename=-");
    let is_flag = |arg: &Arg| matches!(&arg.bytes[..], b"-f" | b"--filename");
    let mut pairs = args.windows(2);
    args.iter().any(is_joined) || pairs.any(|pair| is_flag(&pair[0]) && pair[1].bytes == b"-")
}

fn number(spec: &Spec, arg: &Arg, text: &str) -> Result<u64, ParseError> {
    int64(text).ok_or_else(|| wrong(spec, Some(arg), "a whole number for this flag"))
}

/// Parses a number that is not negative and fits into Go's `int64`, because the fields of the request have this type.
fn int64(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    i64::try_from(number).is_ok().then_some(number)
}

fn server(spec: &Spec, arg: &Arg, value: &Option<String>) -> Result<String, ParseError> {
    let text = value.clone().unwrap_or_default();
    match text.is_empty() {
        true => Err(wrong(spec, Some(arg), "an API server name for --server")),
        false => Ok(text),
    }
}

/// Returns the watch target, such as a namespace and selectors, that the flags of `informer` and similar commands
/// select.
pub(super) fn selected(
    resource: &'static Resource,
    flags: &[(String, String)],
) -> Result<WatchTarget, String> {
    let mut target = WatchTarget::default();
    for (flag, text) in flags {
        match flag.as_str() {
            "namespace" if resource.is_namespaced => target.namespace.clone_from(text),
            "selector" => {
                target.predicate.labels =
                    LabelSelector::parse(text).map_err(|error| error.to_string())?;
            }
            "field-selector" => {
                target.predicate.fields =
                    FieldSelector::parse(text).map_err(|error| error.to_string())?;
            }
            _ => {}
        }
    }
    Ok(target)
}

#[cfg(test)]
mod tests {
    use crate::api::Profile;
    use crate::shell::{LineReader, Read};

    fn error(line: &str) -> String {
        let read = LineReader::new(Profile::V3_6).line(line);
        read.expect_err(line).to_string()
    }

    #[test]
    fn flags_can_precede_the_verb() {
        let kind = |line: &str| match LineReader::new(Profile::V3_6).line(line) {
            Ok(Read::Commands(commands)) => commands[0].kind.clone(),
            other => panic!("{line}: {other:?}"),
        };
        for before in [
            "-n web",
            "--namespace=web",
            "--namespace web --server=api-2",
            "-o json",
        ] {
            assert_eq!(
                kind(&format!("kubectl {before} get pods")),
                kind(&format!("kubectl get pods {before}")),
                "{before}"
            );
        }
        // The amount of log has no effect.
        for verbose in ["-v=6", "-v 6", "-v6", "--v=8"] {
            let line = format!("kubectl {verbose} get pods");
            assert_eq!(kind(&line), kind("kubectl get pods"));
            assert_eq!(kind(&format!("kubectl get pods {verbose}")), kind(&line));
        }
        assert!(error("kubectl get pdos").contains("has no resource `pdos`"));
        assert!(error("kubectl --context a get pods").contains("does not have `--context`"));
        assert!(error("kubectl -n web").contains("get, describe, create"));
    }

    #[test]
    fn a_manifest_comes_from_a_pipe_or_a_here_document() {
        let read = |text: &str| LineReader::new(Profile::V3_6).text(text).expect(text);
        let json = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1"}}"#;
        let yaml = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-1";
        for verb in ["apply", "create", "replace", "delete"] {
            let piped = read(&format!("echo '{json}' | kubectl {verb} -f -"));
            for text in [
                format!("kubectl {verb} -f - <<EOF\n{yaml}\nEOF"),
                format!("$ kubectl {verb} --filename=- <<'END'\n{yaml}\nEND"),
                format!("cat <<EOF | kubectl {verb} -f -\n{yaml}\nEOF"),
                format!("alias k=kubectl\nk {verb} -f - <<EOF\n{yaml}\nEOF"),
                format!("printf '%s\\n' '{json}' | sudo kubectl {verb} -f-"),
            ] {
                let command = read(&text).pop().expect("a command");
                assert_eq!(command.kind, piped[0].kind, "{text}");
                // The text of a command is read again when a run is replayed.
                assert_eq!(read(&command.text), [command], "{text}");
            }
        }
        for line in [
            "kubectl apply -f web.yaml",
            "echo x | kubectl apply -f web.yaml",
        ] {
            assert!(error(line).starts_with("Watchglass has no files"), "{line}");
        }
        for line in [
            "kubectl apply -f -",
            "kubectl apply",
            "echo x | kubectl apply",
        ] {
            assert!(
                error(line).contains("with a manifest from a pipe"),
                "{line}"
            );
        }
        assert!(
            error("echo x | kubectl delete pod a -f -").contains("no resource or name with -f")
        );
        assert!(error("kubectl get pods -w --output-watch-events").contains("does not have"));
    }

    #[test]
    fn an_unknown_flag_of_kubectl_is_named_with_and_without_a_value() {
        for (line, flag) in [
            ("kubectl get pods --subresource=status", "--subresource"),
            ("kubectl get pods -x", "-x"),
            ("kubectl delete pod x --cascade=orphan", "--cascade"),
            ("kubectl create pod x --dry-run client", "--dry-run"),
        ] {
            let start = format!("Watchglass does not have `{flag}`. Column ");
            let error = error(line);
            assert!(error.starts_with(&start), "{error}");
        }
        assert!(error("kubectl get pods -n").ends_with("expected a value after this flag."));
    }
}
