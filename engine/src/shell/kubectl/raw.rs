//! Reads the path and the query of `kubectl get --raw` and `kubectl delete --raw`. kubectl sends both to the API server
//! as they are.

use crate::kube::{KubeVerb, query};
use crate::shell::table::{Spec, wrong};
use crate::shell::{KubectlCommand, KubectlOutput, ParseError};

use super::server;
use super::words::Words;

const RAW: &str = "raw";

/// Reads `--raw '/api/v1/pods?limit=5'`. Returns `None` if the command has no such flag.
pub(super) fn read(words: &Words<'_>, spec: &Spec) -> Result<Option<KubectlCommand>, ParseError> {
    let Some((_, value, arg)) = words.flags.iter().find(|(flag, ..)| flag == RAW) else {
        return Ok(None);
    };
    let path = value.as_deref().unwrap_or_default();
    let request = match spec.name {
        "delete" => query::delete(path).ok_or_else(|| {
            let expected = "the path of an object, such as /api/v1/namespaces/default/pods/web-1, with no parameter \
                            except ignoreStoreReadErrorWithClusterBreakingPotential";
            wrong(spec, Some(arg), expected)
        })?,
        _ => query::request(path),
    };
    let mut command = KubectlCommand {
        watch: matches!(request.verb, KubeVerb::Watch { .. }).then_some((None, false)),
        output: KubectlOutput::Raw,
        ..KubectlCommand::one(request)
    };
    for (flag, value, arg) in words.flags.iter().filter(|(flag, ..)| flag != RAW) {
        match flag.as_str() {
            "server" => command.server = Some(server(spec, arg, value)?),
            _ => return Err(wrong(spec, Some(arg), "only --server beside --raw")),
        }
    }
    Ok(Some(command))
}
