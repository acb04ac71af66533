//! Reads the commands of kubectl that take their objects from a manifest: `apply -f -`, `create -f -`, `replace -f -`
//! and `delete -f -`.

use crate::kube::{DeleteOptions, KubeRequest, KubeVerb};
use crate::shell::line::for_loop::Arg;
use crate::shell::table::{Spec, wrong};
use crate::shell::{FollowUp, KubectlCommand, KubectlOutput, KubectlRequest, ParseError};

use super::get::output_of;
use super::words::{Words, unknown_flag};
use super::{manifest, server};
use crate::shell::kubectl_command as command;

/// The flag with the name of the file.
pub(super) const FILENAME: &str = "filename";

/// What the reader expects in place of a file.
pub(super) const EXPECTED: &str =
    "-f - with a manifest from a pipe or a here-document, such as <<EOF";

/// Reads a command.
pub(super) fn read(
    words: &Words<'_>,
    spec: &Spec,
    verb: &Arg,
    standard_input: Option<&str>,
) -> Result<KubectlCommand, ParseError> {
    let (mut to, mut namespace, mut output) = (None, None, KubectlOutput::Table);
    let mut ignores_not_found = false;
    for (flag, value, arg) in &words.flags {
        let text = value.as_deref().unwrap_or_default();
        match flag.as_str() {
            FILENAME if text == "-" && standard_input.is_some() => {}
            FILENAME => return Err(wrong(spec, Some(arg), EXPECTED)),
            "server" => to = Some(server(spec, arg, value)?),
            "namespace" => namespace = Some(text),
            "ignore-not-found" => ignores_not_found = true,
            "output" => {
                output = output_of(text).map_err(|expected| wrong(spec, Some(arg), &expected))?;
            }
            _ => return Err(unknown_flag(spec, arg)),
        }
    }
    let input = standard_input.unwrap_or_default();
    let objects = manifest::read(input, namespace).map_err(|error| ParseError {
        hint: error,
        ..wrong(
            spec,
            Some(verb),
            "a manifest of objects that the simulator has",
        )
    })?;
    let requests = objects.iter().map(|one| {
        let (resource, object) = (one.resource, one.object.clone());
        let (namespace, name) = (object.namespace.to_string(), object.name.to_string());
        let verb = match spec.name {
            "create" => KubeVerb::Create(object),
            "replace" => KubeVerb::Update {
                object,
                resource_version: one.resource_version.clone(),
            },
            "delete" => KubeVerb::Delete {
                namespace,
                name,
                options: DeleteOptions::default(),
            },
            _ => return KubectlRequest::one(command::get(resource, &namespace, &name)),
        };
        KubectlRequest::one(KubeRequest { resource, verb })
    });
    let requests: Vec<KubectlRequest> = requests.collect();
    let follow_up = match spec.name {
        "apply" => FollowUp::Apply(objects.into_iter().map(|one| one.object).collect()),
        _ => FollowUp::Print,
    };
    Ok(KubectlCommand {
        server: to,
        output,
        ignores_not_found,
        ..KubectlCommand::new(requests, follow_up)
    })
}
