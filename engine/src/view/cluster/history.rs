//! The operations of clients on one key: their times, and an order that explains their responses.

use crate::base::Bytes;
use crate::observe::Past;
use crate::observe::client_log::{LoggedOperation, OperationKind, OperationResult};
use crate::observe::linearizability::{HistoryVerdict, KeyOperation, check};
use crate::words::cluster as words;

use super::{
    ClusterQuery, OPERATIONS_MAX, OperationOutcome, OperationView, OperationsVerdict,
    OperationsView,
};

/// Returns the operations on the key of the query; `None` if there are no operations.
pub(super) fn operations(past: Past<'_>, query: &ClusterQuery) -> Option<OperationsView> {
    let (log, step) = (past.client_log, past.step);
    let on_key = |key: &Bytes| {
        let logged = log.on_key(key, step);
        (!logged.is_empty()).then(|| (key.clone(), logged))
    };
    let chosen = query.key.as_ref().map(|key| Bytes::from(key.clone()));
    let chosen = chosen.and_then(|key| on_key(&key));
    let (key, logged) = chosen.or_else(|| on_key(log.newest_key(step)?))?;
    // The positions of the checked operations in the log.
    let checked: Vec<(usize, KeyOperation)> = logged
        .iter()
        .enumerate()
        .filter_map(|(at, operation)| Some((at, operation.checked()?)))
        .collect();
    let history: Vec<KeyOperation> = checked.iter().map(|(_, o)| o.clone()).collect();
    let mut places = vec![None; logged.len()];
    let mut contradicts = vec![false; logged.len()];
    let verdict = if log.is_written_otherwise(&key, step) {
        OperationsVerdict::WrittenOtherwise
    } else {
        match check(&history) {
            HistoryVerdict::Explained { orders } => {
                for (place, at) in orders.into_values().flatten().enumerate() {
                    places[checked[at].0] = Some(place as u32 + 1);
                }
                OperationsVerdict::Linearizable
            }
            HistoryVerdict::Contradiction(contradiction) => {
                for at in contradiction.operations {
                    contradicts[checked[at].0] = true;
                }
                OperationsVerdict::Contradiction
            }
            HistoryVerdict::TooLarge { .. } => OperationsVerdict::TooLarge,
        }
    };
    let older = logged.len().saturating_sub(OPERATIONS_MAX);
    let newest = logged.iter().enumerate().skip(older);
    Some(OperationsView {
        key: key.to_text(),
        now_us: past.world.now().0,
        older: older as u64,
        verdict,
        operations: newest
            .map(|(at, operation)| OperationView {
                place: places[at],
                contradicts: contradicts[at],
                ..view(past, operation)
            })
            .collect(),
    })
}

fn view(past: Past<'_>, operation: &LoggedOperation) -> OperationView {
    let result = operation.returned.as_ref().map(|(_, result)| result);
    let value = match result {
        Some(OperationResult::Value(Some(value))) => format!(" {}", value.to_text()),
        Some(OperationResult::Value(None)) => format!(" {}", words::NONE),
        _ => String::new(),
    };
    let label = match &operation.kind {
        OperationKind::Get | OperationKind::SerializableGet => format!("get{value}"),
        OperationKind::Put(value) => format!("put {}", value.to_text()),
        OperationKind::Delete => "del".into(),
    };
    let outcome = match (result, &operation.kind) {
        (None, _) => OperationOutcome::Open,
        (Some(OperationResult::Failed), _) => OperationOutcome::Failed,
        (_, OperationKind::SerializableGet) => OperationOutcome::Serializable,
        _ => OperationOutcome::Done,
    };
    OperationView {
        client: past.world.node_name(operation.client),
        member: past.world.node_name(operation.member),
        label,
        called_us: operation.called.1.0,
        returned_us: operation.returned.as_ref().map(|((_, at), _)| at.0),
        is_write: matches!(
            operation.kind,
            OperationKind::Put(_) | OperationKind::Delete
        ),
        outcome,
        place: None,
        contradicts: false,
    }
}
