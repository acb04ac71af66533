//! Reads the commands of kubectl that take their objects from a manifest: `apply -f -`, `create -f -`, `replace -f -`
//! and `delete -f -`.

use crate::kube::object_rules::GENERATE_NAME;
use crate::kube::{DeleteOptions, KubeRequest, KubeVerb};
use crate::shell::table::{Spec, wrong};
use crate::shell::{FollowUp, KubectlCommand, KubectlOutput, KubectlRequest, ParseError};

use super::get::output_of;
use super::words::Words;
use super::{manifest, server};
use crate::shell::kubectl_command as command;

pub(super) const FILENAME: &str = "filename";

/// What the reader expects in place of a file.
pub(super) const EXPECTED: &str =
    "-f - with a manifest from a pipe or a here-document, such as <<EOF";

const NO_FILES: &str =
    "Watchglass has no files: pass the manifest with a here-document, as in `-f - <<EOF`";

/// Reads a command. The inner error is the message with which kubectl refuses the manifest.
pub(super) fn read(
    words: &Words<'_>,
    spec: &Spec,
    standard_input: Option<&str>,
) -> Result<Result<KubectlCommand, String>, ParseError> {
    let (mut to, mut namespace, mut output) = (None, None, KubectlOutput::Table);
    let mut ignores_not_found = false;
    for (flag, value, arg) in &words.flags {
        let text = value.as_deref().unwrap_or_default();
        match flag.as_str() {
            FILENAME if text == "-" && standard_input.is_some() => {}
            FILENAME if text == "-" => return Err(wrong(spec, Some(arg), EXPECTED)),
            FILENAME => return Err(ParseError::help(arg.span, NO_FILES)),
            "server" => to = Some(server(spec, arg, value)?),
            "namespace" => namespace = Some(text),
            "ignore-not-found" => ignores_not_found = value.as_deref() != Some("false"),
            "output" => {
                output = output_of(text).map_err(|expected| wrong(spec, Some(arg), &expected))?;
            }
            "wait" if text == "false" => {}
            _ => {
                let expected = "only --server, --namespace, --output or --ignore-not-found with -f";
                return Err(wrong(spec, Some(arg), expected));
            }
        }
    }
    if let Some(word) = words.plain.first() {
        let expected = "no resource or name with -f, because the manifest names the objects";
        return Err(wrong(spec, Some(word), expected));
    }
    let objects = match manifest::read(standard_input.unwrap_or_default(), namespace) {
        Ok(objects) => objects,
        Err(why) if why == manifest::NO_OBJECTS => {
            return Ok(Err(format!("{why} to {}", spec.name)));
        }
        Err(why) => return Ok(Err(why)),
    };
    for one in &objects {
        let prefix = one.object.field(GENERATE_NAME);
        match spec.name {
            _ if !one.object.name.is_empty() => {}
            "create" => {}
            "apply" if !prefix.is_empty() => {
                return Ok(Err(format!(
                    "from {prefix}: cannot use generate name with apply"
                )));
            }
            _ => return Ok(Err("resource name may not be empty".to_owned())),
        }
    }
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
    Ok(Ok(KubectlCommand {
        server: to,
        output,
        ignores_not_found,
        has_manifest: true,
        ..KubectlCommand::new(requests, follow_up)
    }))
}
