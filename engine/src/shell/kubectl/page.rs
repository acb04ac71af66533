//! Reads `kubectl version` and `kubectl api-resources`.

use crate::kube::query;
use crate::shell::table::Spec;
use crate::shell::{FollowUp, KubectlCommand, KubectlRequest, ParseError};

use super::server;
use super::words::{Words, unknown_flag};

/// The path of the page with the version of an API server.
const VERSION: &str = "/version";

pub(super) fn read(words: &Words<'_>, spec: &Spec) -> Result<KubectlCommand, ParseError> {
    let mut command = match spec.name {
        "version" => {
            let request = KubectlRequest::one(query::request(VERSION));
            KubectlCommand::new(vec![request], FollowUp::Version)
        }
        _ => KubectlCommand::new(Vec::new(), FollowUp::ApiResources),
    };
    for (flag, value, arg) in &words.flags {
        match flag.as_str() {
            "server" => command.server = Some(server(spec, arg, value)?),
            _ => return Err(unknown_flag(spec, arg)),
        }
    }
    Ok(command)
}
