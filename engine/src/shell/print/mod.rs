//! What etcdctl writes for a member's answer, byte for byte.
//!
//! Mirrors `etcdctl/ctlv3/command/printer*.go`.

use super::{Etcdctl, Output};
use crate::api::{Profile, Reply};
use crate::base::time::SimDuration;

/// What the printers need to know besides the answer.
#[derive(Clone, Debug)]
pub struct PrintContext {
    /// Whose output to imitate.
    pub profile: Profile,
    /// The endpoint that was asked, `127.0.0.1:2379`.
    pub endpoint: &'static str,
    /// How long the answer took, which `endpoint health` prints.
    pub took: SimDuration,
}

impl PrintContext {
    /// The default endpoint, an answer at once.
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            endpoint: "127.0.0.1:2379",
            took: SimDuration(0),
        }
    }
}

/// What `etcdctl` writes for this answer to this command.
pub fn reply(command: &Etcdctl, reply: &Reply, context: &PrintContext) -> Output {
    let _ = (command, context);
    match reply {
        Ok(_) => Output::default(),
        Err(e) => Output::error(&e.to_string(), 1),
    }
}
