//! Reads `move-leader`.
//!
//! Mirrors `etcdctl/ctlv3/command/move_leader_command.go`.

use super::flags::Parsed;
use super::operation::EXIT_BAD_ARGS;
use crate::api::MoveLeaderRequest;
use crate::base::go::number::parse_uint;
use crate::etcd::identity::id_of_name;
use crate::shell::{Output, Verb};

/// Reads `move-leader`. The simulator also accepts the name of a member instead of its id.
pub(in crate::shell) fn read(parsed: &Parsed) -> Result<Verb, Output> {
    let [text] = parsed.args.as_slice() else {
        return Err(Output::error(
            "move-leader command needs 1 argument",
            EXIT_BAD_ARGS,
        ));
    };
    let name = std::str::from_utf8(text).ok();
    let named = name.and_then(id_of_name);
    let target_id = match named {
        Some(id) => id,
        None => parse_uint(text, 16).map_err(|text| Output::error(&text, EXIT_BAD_ARGS))?,
    };
    Ok(Verb::MoveLeader(MoveLeaderRequest { target_id }))
}
