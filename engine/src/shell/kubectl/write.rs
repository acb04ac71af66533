//! Reads the commands of kubectl that change objects: `create`, `replace`, `delete`, `label` and `patch`.

use crate::base::base64;
use crate::base::json::{Leaf, read_object};
use crate::kube::list_options::ListOptions;
use crate::kube::object_rules::GENERATE_NAME;
use crate::kube::request::WatchTarget;
use crate::kube::selector::{FieldSelector, LabelSelector};
use crate::kube::{DeleteOptions, KubeRequest, KubeVerb, Object, ObjectPatch};
use crate::shell::amount;
use crate::shell::table::{Spec, wrong};
use crate::shell::{
    FollowUp, KubectlCommand, KubectlOutput, KubectlRequest, LabelChange, ParseError,
};
use crate::transcript::for_loop::Arg;

use super::get::output_of;
use super::targets::{self, ObjectTarget};
use super::words::{Words, text_of, unknown_flag};
use super::{number, own_namespace, raw, server};
use crate::shell::kubectl_command as command;

/// The chunk size of the lists that `delete` and `label` send before their writes.
const CHUNK_SIZE: u64 = 500;

pub(super) fn write(
    words: &Words<'_>,
    spec: &Spec,
    verb: &Arg,
) -> Result<KubectlCommand, ParseError> {
    let plain = without_subtype(&words.plain);
    let generates = words.flags.iter().any(|(flag, ..)| flag == "generate-name");
    let target = match targets::read_words(&plain, spec, verb)?.as_slice() {
        [_, second, ..] => return Err(wrong(spec, Some(second.arg), "one name")),
        [one] if one.name.is_none() && !generates => {
            return Err(wrong(spec, Some(one.arg), "a name after this word"));
        }
        [one] => (one.resource, one.name.clone().unwrap_or_default()),
        [] => return Err(wrong(spec, Some(verb), targets::KINDS)),
    };
    let (resource, name) = target;
    let namespace = match words.flags.iter().find(|(flag, ..)| flag == "namespace") {
        Some((_, Some(given), _)) if resource.is_namespaced => given.clone(),
        _ => own_namespace(resource),
    };
    let mut object = Object::new(resource.kind, &namespace, &name);
    let (mut to, mut resource_version) = (None, String::new());
    let mut output = KubectlOutput::Table;
    for (flag, value, arg) in &words.flags {
        let text = value.as_deref().unwrap_or_default();
        let pairs = |expected: &str| {
            let parts = text.split(',').map(|part| part.split_once('='));
            let all: Option<Vec<(&str, &str)>> = parts.collect();
            all.ok_or_else(|| wrong(spec, Some(arg), expected))
        };
        match flag.as_str() {
            "namespace" => {}
            "selector" | "labels" => {
                for (name, value) in pairs("labels such as app=web,tier=front")? {
                    object = object.with_label(name, value);
                }
            }
            "field" => {
                for (name, value) in pairs("fields such as spec.schedulerName=mine")? {
                    object = object.with_field(name, value);
                }
            }
            "from-literal" => {
                let (name, value) = text
                    .split_once('=')
                    .ok_or_else(|| wrong(spec, Some(arg), "a value such as key=value"))?;
                let mut stored = String::new();
                match resource.name {
                    "secrets" => base64::push_padded(&mut stored, value.as_bytes()),
                    _ => stored.push_str(value),
                }
                object = object.with_field(&format!("data.{name}"), &stored);
            }
            "tcp" if spec.name == "create" && resource.name == "services" => {
                if !text.split(',').all(is_port) {
                    return Err(wrong(spec, Some(arg), "a port such as 80 or 80:8080"));
                }
            }
            "node" => object = object.with_field("spec.nodeName", text),
            "phase" => object = object.with_field("status.phase", text),
            "generate-name" => object = object.with_field(GENERATE_NAME, text),
            "size" => {
                let bytes = amount::object_size(text.as_bytes());
                object.size_bytes =
                    bytes.ok_or_else(|| wrong(spec, Some(arg), amount::OBJECT_SIZE))?;
            }
            "server" => to = Some(server(spec, arg, value)?),
            "output" => output = format(spec, arg, text)?,
            "resource-version" if spec.name == "replace" => resource_version = text.to_owned(),
            "resource-version" => object.resource_version = number(spec, arg, text)?,
            _ => return Err(unknown_flag(spec, arg)),
        }
    }
    let verb = match spec.name {
        "create" => KubeVerb::Create(object),
        _ => KubeVerb::Update {
            object,
            resource_version,
        },
    };
    Ok(KubectlCommand {
        server: to,
        output,
        ..KubectlCommand::one(KubeRequest { resource, verb })
    })
}

/// Returns true for the port of a service, which can be followed by the number or the name of the pods' port.
fn is_port(text: &str) -> bool {
    let is_number = |text: &str| text.parse::<u16>().is_ok_and(|port| port > 0);
    match text.split_once(':') {
        None => is_number(text),
        Some((port, target)) => {
            let is_name = target.contains(|c: char| c.is_ascii_lowercase())
                && target
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
            is_number(port) && (is_number(target) || is_name)
        }
    }
}

/// Returns the words without the type of a secret or service, as in `create secret generic NAME`.
fn without_subtype<'a>(words: &[&'a Arg]) -> Vec<&'a Arg> {
    let is = |arg: &Arg, text: &str| text_of(arg) == text;
    match words {
        [kind, subtype, rest @ ..]
            if !rest.is_empty()
                && (is(kind, "secret") && is(subtype, "generic")
                    || (is(kind, "service") || is(kind, "svc")) && is(subtype, "clusterip")) =>
        {
            [&[*kind], rest].concat()
        }
        _ => words.to_vec(),
    }
}

fn format(spec: &Spec, arg: &Arg, text: &str) -> Result<KubectlOutput, ParseError> {
    output_of(text).map_err(|expected| wrong(spec, Some(arg), &expected))
}

#[derive(Default)]
struct Selection {
    server: Option<String>,
    namespace: Option<String>,
    target: WatchTarget,
    all_namespaces: bool,
    /// Whether a flag selects objects, so that the command names only a resource.
    is_set: bool,
    ignores_not_found: bool,
    output: KubectlOutput,
}

impl Selection {
    /// Reads the flags of a command. `read_own` reads a flag of this command only, and returns false for all others.
    fn of(
        words: &Words<'_>,
        spec: &Spec,
        mut read_own: impl FnMut(&str, &str, &Arg) -> Result<bool, ParseError>,
    ) -> Result<Self, ParseError> {
        let mut selection = Self::default();
        for flag in &words.flags {
            let (name, value, arg) = flag;
            let text = value.as_deref().unwrap_or_default();
            if !read_own(name, text, arg)? && !selection.read(spec, flag)? {
                return Err(unknown_flag(spec, arg));
            }
        }
        Ok(selection)
    }

    /// Reads a flag; returns false if the flag does not select objects.
    fn read(
        &mut self,
        spec: &Spec,
        (flag, value, arg): &(String, Option<String>, &Arg),
    ) -> Result<bool, ParseError> {
        let text = value.as_deref().unwrap_or_default();
        let bad = |expected: &str| wrong(spec, Some(arg), expected);
        let is_on = value.as_deref() != Some("false");
        match flag.as_str() {
            "server" => self.server = Some(server(spec, arg, value)?),
            "namespace" => self.namespace = Some(text.to_owned()),
            "all-namespaces" => self.all_namespaces = is_on,
            "all" => self.is_set = is_on,
            "ignore-not-found" => self.ignores_not_found = is_on,
            "output" => self.output = format(spec, arg, text)?,
            "selector" => {
                self.is_set = true;
                self.target.predicate.labels = LabelSelector::parse(text)
                    .map_err(|error| bad(&format!("a label selector: {error}")))?;
            }
            "field-selector" => {
                self.is_set = true;
                self.target.predicate.fields = FieldSelector::parse(text)
                    .map_err(|error| bad(&format!("a field selector: {error}")))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn namespace_of(&self, target: &ObjectTarget<'_>) -> String {
        match (&self.namespace, target.resource.is_namespaced) {
            (Some(given), true) => given.clone(),
            _ => own_namespace(target.resource),
        }
    }

    /// Returns the request that reads a target: an object, or the selected objects of a resource.
    fn reading(
        &self,
        spec: &Spec,
        target: &ObjectTarget<'_>,
    ) -> Result<KubectlRequest, ParseError> {
        let resource = target.resource;
        let namespace = self.namespace_of(target);
        if let Some(name) = &target.name {
            let request = command::get(resource, &namespace, name);
            return Ok(KubectlRequest::one(request));
        }
        if !self.is_set {
            let expected = "a name after this word, -l or --all";
            return Err(wrong(spec, Some(target.arg), expected));
        }
        let namespace = if self.all_namespaces {
            String::new()
        } else {
            namespace
        };
        let target = WatchTarget {
            namespace,
            ..self.target.clone()
        };
        let options = ListOptions {
            limit: CHUNK_SIZE,
            ..ListOptions::default()
        };
        let verb = KubeVerb::List { target, options };
        Ok(KubectlRequest {
            request: KubeRequest { resource, verb },
            in_chunks: true,
        })
    }

    /// Returns the command that reads the targets and then writes.
    fn command(
        self,
        spec: &Spec,
        targets: &[ObjectTarget<'_>],
        follow_up: FollowUp,
    ) -> Result<KubectlCommand, ParseError> {
        let requests = targets.iter().map(|target| self.reading(spec, target));
        let requests = requests.collect::<Result<Vec<KubectlRequest>, ParseError>>()?;
        Ok(KubectlCommand {
            server: self.server,
            output: self.output,
            ignores_not_found: self.ignores_not_found,
            ..KubectlCommand::new(requests, follow_up)
        })
    }
}

/// Reads `delete`. A delete of named objects does not read the objects first.
pub(super) fn delete(
    words: &Words<'_>,
    spec: &Spec,
    verb: &Arg,
) -> Result<KubectlCommand, ParseError> {
    if let Some(command) = raw::read(words, spec)? {
        return Ok(command);
    }
    let targets = targets::read(words, spec, verb)?;
    let mut options = DeleteOptions::default();
    let mut is_forced = false;
    let selection = Selection::of(words, spec, |name, text, arg| {
        match name {
            "grace-period" if text == "-1" => options.grace_period_s = None,
            "grace-period" => options.grace_period_s = Some(number(spec, arg, text)?),
            "force" => is_forced = text != "false",
            "resource-version" => options.resource_version = Some(number(spec, arg, text)?),
            "uid" => {
                let uid = u64::from_str_radix(text, 16).ok();
                let expected = || wrong(spec, Some(arg), "a uid of 16 hexadecimal digits");
                options.uid = Some(uid.ok_or_else(expected)?);
            }
            // The simulator's kubectl never waits for the end of a deletion.
            "wait" if text == "false" => {}
            "wait" => {
                return Err(wrong(
                    spec,
                    Some(arg),
                    "--wait=false, because kubectl does not wait here",
                ));
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    options.grace_period_s = match (options.grace_period_s, is_forced) {
        (None, true) => Some(0),
        // kubectl does not delete at once by mistake.
        (Some(0), false) => Some(1),
        (Some(1..), true) => {
            let last = words.flags.last().map(|(.., arg)| *arg);
            return Err(wrong(
                spec,
                last,
                "--force without a grace period greater than 0",
            ));
        }
        (period, _) => period,
    };
    if targets.iter().any(|target| target.name.is_none()) {
        return selection.command(spec, &targets, FollowUp::Delete(options));
    }
    let requests = targets.iter().map(|target| {
        let verb = KubeVerb::Delete {
            namespace: selection.namespace_of(target),
            name: target.name.clone().unwrap_or_default(),
            options: options.clone(),
        };
        KubectlRequest::one(KubeRequest {
            resource: target.resource,
            verb,
        })
    });
    Ok(KubectlCommand {
        server: selection.server.clone(),
        output: selection.output.clone(),
        ignores_not_found: selection.ignores_not_found,
        ..KubectlCommand::new(requests.collect(), FollowUp::Print)
    })
}

/// Reads `label`: the words with `=` and the words that end in `-` are labels.
pub(super) fn label(
    words: &Words<'_>,
    spec: &Spec,
    verb: &Arg,
) -> Result<KubectlCommand, ParseError> {
    let mut change = LabelChange::default();
    let mut objects = Vec::new();
    for arg in &words.plain {
        let text = text_of(arg);
        if let Some((name, value)) = text.split_once('=') {
            change.set.push((name.to_owned(), value.to_owned()));
        } else if let Some(name) = text.strip_suffix('-').filter(|_| !objects.is_empty()) {
            change.removed.push(name.to_owned());
        } else {
            objects.push(*arg);
        }
    }
    if change.set.is_empty() && change.removed.is_empty() {
        let last = words.plain.last().copied().or(Some(verb));
        return Err(wrong(
            spec,
            last,
            "a label such as app=web, or app- to remove the label",
        ));
    }
    let targets = targets::read_words(&objects, spec, verb)?;
    let selection = Selection::of(words, spec, |name, text, _| {
        if name == "overwrite" {
            change.overwrites = text != "false";
        }
        Ok(name == "overwrite")
    })?;
    selection.command(spec, &targets, FollowUp::Label(change))
}

/// Reads `patch`. The patch is JSON; the types `merge` and `strategic` are the same for objects without lists.
pub(super) fn patch(
    words: &Words<'_>,
    spec: &Spec,
    verb: &Arg,
) -> Result<KubectlCommand, ParseError> {
    let targets = targets::read(words, spec, verb)?;
    let mut patch = None;
    let selection = Selection::of(words, spec, |name, text, arg| {
        match name {
            "patch" => {
                let expected = "a patch such as '{\"metadata\":{\"labels\":{\"app\":\"web\"}}}'";
                let read = read_patch(text).ok_or_else(|| wrong(spec, Some(arg), expected))?;
                patch = Some(read);
            }
            "type" if matches!(text, "merge" | "strategic") => {}
            "type" => return Err(wrong(spec, Some(arg), "merge or strategic")),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(patch) = patch else {
        return Err(wrong(spec, Some(verb), "-p with a patch"));
    };
    selection.command(spec, &targets, FollowUp::Patch(patch))
}

/// Reads a merge patch: each value of the JSON is a new value, and `null` removes a value.
fn read_patch(text: &str) -> Option<ObjectPatch> {
    let mut patch = ObjectPatch::default();
    let rest = read_object(text.trim(), &mut |path, leaf| {
        let value = match leaf {
            Leaf::Text(value) => Some(value.into_owned()),
            Leaf::Word("null") => None,
            Leaf::Word(word) => Some(word.to_owned()),
        };
        let names: Vec<&str> = path.iter().map(|name| &**name).collect();
        match names.as_slice() {
            ["metadata", "labels", name] => patch.labels.push(((*name).to_owned(), value)),
            ["metadata", "annotations", name] => {
                patch
                    .fields
                    .push((format!("metadata.annotations/{name}"), value));
            }
            ["metadata", ..] | ["kind" | "apiVersion"] => {}
            names => patch.fields.push((names.join("."), value)),
        }
    })?;
    rest.is_empty().then_some(patch)
}
