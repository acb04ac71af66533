//! Reads `kubectl create`, `replace` and `delete`.

use crate::kube::{KubeRequest, KubeVerb, Object};
use crate::shell::line::amount;
use crate::shell::line::for_loop::Arg;
use crate::shell::table::{Spec, wrong};
use crate::shell::{KubectlCommand, ParseError};

use super::words::{Words, unknown_flag};
use super::{command, number, own_namespace, server, what};

pub(super) fn write(
    words: &Words<'_>,
    spec: &Spec,
    verb: &Arg,
) -> Result<KubectlCommand, ParseError> {
    let (resource, name) = what(words, spec, verb)?;
    let Some(name) = name else {
        let last = words.plain.last().copied().or(Some(verb));
        return Err(wrong(spec, last, "a name after this word"));
    };
    let namespace = match words.flags.iter().find(|(flag, ..)| flag == "namespace") {
        Some((_, Some(given), _)) if resource.is_namespaced => given.clone(),
        _ => own_namespace(resource),
    };
    let mut object = Object::new(resource.kind, &namespace, &name);
    let (mut to, mut resource_version) = (None, None);
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
            "node" => object = object.with_field("spec.nodeName", text),
            "phase" => object = object.with_field("status.phase", text),
            "size" => {
                let bytes = amount::object_size(text.as_bytes());
                object.size_bytes =
                    bytes.ok_or_else(|| wrong(spec, Some(arg), amount::OBJECT_SIZE))?;
            }
            "server" => to = Some(server(spec, arg, value)?),
            "resource-version" if spec.name == "replace" => {
                resource_version = Some(number(spec, arg, text)?);
            }
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
        ..command(KubeRequest { resource, verb })
    })
}

pub(super) fn delete(
    words: &Words<'_>,
    spec: &Spec,
    verb: &Arg,
) -> Result<KubectlCommand, ParseError> {
    let (resource, name) = what(words, spec, verb)?;
    let Some(name) = name else {
        let last = words.plain.last().copied().or(Some(verb));
        return Err(wrong(spec, last, "a name after this word"));
    };
    let mut namespace = own_namespace(resource);
    let mut to = None;
    for (flag, value, arg) in &words.flags {
        match flag.as_str() {
            "namespace" => namespace = value.clone().unwrap_or_default(),
            "server" => to = Some(server(spec, arg, value)?),
            _ => return Err(unknown_flag(spec, arg)),
        }
    }
    let verb = KubeVerb::Delete { namespace, name };
    Ok(KubectlCommand {
        server: to,
        ..command(KubeRequest { resource, verb })
    })
}
