//! Reads the path and the query of `kubectl get --raw`. kubectl sends both to the API server as they are.

use crate::kube::{KubeVerb, query};
use crate::shell::{KubectlCommand, KubectlOutput};

/// Reads `--raw '/api/v1/pods?limit=5'`.
pub(super) fn read(path: &str) -> KubectlCommand {
    let request = query::request(path);
    KubectlCommand {
        watch: matches!(request.verb, KubeVerb::Watch { .. }).then_some((None, false)),
        output: KubectlOutput::Raw,
        ..KubectlCommand::one(request)
    }
}
