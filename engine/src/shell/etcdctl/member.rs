//! Reads `member add`, `member remove`, `member update` and `member promote`.
//!
//! Mirrors `etcdctl/ctlv3/command/member_command.go`, and the check of the peer URLs in the client library
//! (`clientv3/cluster.go`).

use super::Stop;
use super::flags::Parsed;
use super::operation::{EXIT_BAD_ARGS, EXIT_ERROR};
use crate::api::MemberChangeRequest;
use crate::base::bytes::escape;
use crate::base::go::number::parse_uint;
use crate::etcd::reconfigure::check_urls;
use crate::shell::{Output, Verb};

/// Reads a change of the membership. `connect` checks the flags about connections.
pub(in crate::shell) fn read(
    name: &str,
    parsed: &Parsed,
    connect: impl FnOnce() -> Result<(), Stop>,
) -> Result<Verb, Stop> {
    let request = match name {
        "member add" => {
            check_name(parsed)?;
            MemberChangeRequest::Add {
                peer_urls: peer_urls(parsed)?,
                is_learner: parsed.on("learner"),
            }
        }
        "member remove" => MemberChangeRequest::Remove { id: id(parsed)? },
        "member update" => MemberChangeRequest::Update {
            id: id(parsed)?,
            peer_urls: peer_urls(parsed)?,
        },
        _ => MemberChangeRequest::Promote { id: id(parsed)? },
    };
    connect()?;
    if let MemberChangeRequest::Add { peer_urls, .. }
    | MemberChangeRequest::Update { peer_urls, .. } = &request
    {
        check_urls(peer_urls).map_err(|error| Output::error(&error, EXIT_ERROR))?;
    }
    let name = match &request {
        MemberChangeRequest::Add { .. } => escape(&parsed.args[0]),
        _ => String::new(),
    };
    Ok(Verb::MemberChange { request, name })
}

fn check_name(parsed: &Parsed) -> Result<(), Output> {
    match parsed.args.as_slice() {
        [] => Err(bad("member name not provided")),
        [_] => Ok(()),
        args => {
            let mut text = "too many arguments".to_owned();
            for arg in args.iter().map(|arg| escape(arg)) {
                if arg.to_lowercase().starts_with("http") {
                    text.push_str(&format!(", did you mean --peer-urls={arg}"));
                }
            }
            Err(bad(&text))
        }
    }
}

fn peer_urls(parsed: &Parsed) -> Result<Vec<String>, Output> {
    let text = parsed.text("peer-urls").unwrap_or_default();
    if text.is_empty() {
        return Err(bad("member peer urls not provided"));
    }
    Ok(escape(text).split(',').map(str::to_owned).collect())
}

fn id(parsed: &Parsed) -> Result<u64, Output> {
    let [text] = parsed.args.as_slice() else {
        return Err(bad("member ID is not provided"));
    };
    let complain = |error| bad(&format!("bad member ID arg ({error}), expecting ID in Hex"));
    parse_uint(text, 16).map_err(complain)
}

fn bad(text: &str) -> Output {
    Output::error(text, EXIT_BAD_ARGS)
}
