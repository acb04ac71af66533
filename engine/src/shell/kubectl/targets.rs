//! Reads the resources and names after a verb of kubectl.
//!
//! Mirrors `ResourceTypeOrNameArgs` of `k8s.io/cli-runtime/pkg/resource`: `pods`, `pods,nodes`, `pods a b`,
//! `pods/a nodes/b`, and `all`.

use crate::kube::Resource;
use crate::kube::resource::{DEPLOYMENTS, PODS, SERVICES};
use crate::shell::ParseError;
use crate::shell::table::{Spec, wrong};
use crate::transcript::for_loop::Arg;

use super::resource;
use super::words::{Words, text_of};

pub(super) const KINDS: &str =
    "pods, nodes, secrets, configmaps, services, events, namespaces, leases or deployments";

/// The resources of the category `all`.
const ALL: [&Resource; 3] = [&PODS, &SERVICES, &DEPLOYMENTS];

/// A resource, or an object of a resource.
pub(super) struct ObjectTarget<'a> {
    pub(super) resource: &'static Resource,
    /// The name of the object; `None` for all objects.
    pub(super) name: Option<String>,
    pub(super) arg: &'a Arg,
}

pub(super) fn read<'a>(
    words: &Words<'a>,
    spec: &Spec,
    verb: &Arg,
) -> Result<Vec<ObjectTarget<'a>>, ParseError> {
    read_words(&words.plain, spec, verb)
}

pub(super) fn read_words<'a>(
    words: &[&'a Arg],
    spec: &Spec,
    verb: &Arg,
) -> Result<Vec<ObjectTarget<'a>>, ParseError> {
    let Some((first, rest)) = words.split_first() else {
        return Err(wrong(spec, Some(verb), &format!("{KINDS} after this word")));
    };
    let first_text = text_of(first);
    if first_text.contains('/') {
        let one = |arg: &&'a Arg| {
            let text = text_of(arg);
            let form = || wrong(spec, Some(*arg), "RESOURCE/NAME, as before");
            let (kind, name) = text.split_once('/').ok_or_else(form)?;
            Ok(ObjectTarget {
                resource: known(kind, spec, arg)?,
                name: Some(name.to_owned()),
                arg,
            })
        };
        return words.iter().map(one).collect();
    }
    let mut resources = Vec::new();
    for kind in first_text.split(',') {
        match kind {
            "all" => resources.extend(ALL),
            kind => resources.push(known(kind, spec, first)?),
        }
    }
    let mut targets = Vec::new();
    for resource in resources {
        if rest.is_empty() {
            targets.push(ObjectTarget {
                resource,
                name: None,
                arg: first,
            });
        }
        targets.extend(rest.iter().map(|arg| ObjectTarget {
            resource,
            name: Some(text_of(arg)),
            arg,
        }));
    }
    Ok(targets)
}

fn known(kind: &str, spec: &Spec, arg: &Arg) -> Result<&'static Resource, ParseError> {
    resource(kind).ok_or_else(|| ParseError {
        hint: format!("The simulated API server has no resource `{kind}`"),
        ..wrong(spec, Some(arg), KINDS)
    })
}
