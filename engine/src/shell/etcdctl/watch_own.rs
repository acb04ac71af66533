//! Reads the flags of `watch` that only the simulator has. Some of these flags set fields of etcd's API; others start
//! many watches at once.

use super::watch_line::{Ending, error_at};
use crate::api::{LeaderNeed, WatchCreateRequest};
use crate::base::go::number::parse_int;
use crate::shell::ParseError;
use crate::shell::amount::count;
use crate::transcript::for_loop::Arg;
use crate::world::op::WorldOp;

/// The default number of watches on each stream, for `--many` without `--streams`.
const WATCHES_PER_STREAM: u32 = 4;

/// The start revision that stands for `--rev=spread`: each watch starts at a different past revision.
const SPREAD: i64 = -1;

const FLAGS: &str = "type `help watch` for a list of the flags";

/// The values of the flags of `watch` that etcdctl does not have.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::shell) struct Own {
    /// Whether the watch omits put events (`--filter=noput`).
    pub(in crate::shell) no_put: bool,
    /// Whether the watch omits delete events (`--filter=nodelete`).
    pub(in crate::shell) no_delete: bool,
    /// The watch ID (`--watch-id`); 0 if etcd chooses the ID.
    pub(in crate::shell) watch_id: i64,
    /// Whether the member can split large responses (`--fragment`).
    pub(in crate::shell) fragment: bool,
    /// Whether the watch continues without a leader (`--require-leader=false`).
    is_leaderless: bool,
    /// The number of watches (`--many`).
    many: Option<u32>,
    /// The number of streams (`--streams`).
    streams: Option<u32>,
    /// Whether each watch starts at a different past revision (`--rev=spread`).
    spread: bool,
}

/// Describes the values that `--filter` accepts, for an error message. If the typed filter mentions revisions or
/// expiry, by which etcd cannot filter, the description says what to do instead.
fn filters(typed: &[u8]) -> &'static str {
    let typed = typed.to_ascii_lowercase();
    let says = |word: &[u8]| typed.windows(word.len()).any(|part| part == word);
    if says(b"rev") {
        "noput or nodelete after --filter= (etcd filters events by type only; --rev=N starts a watch at revision N)"
    } else if says(b"expire") {
        "noput or nodelete after --filter= (etcd has no EXPIRE event; when a lease expires, its keys get DELETE events)"
    } else {
        "noput or nodelete after --filter="
    }
}

impl Own {
    /// Separates the flags that etcdctl does not have from the other words of a `watch` line. Words after `--` are not
    /// changed.
    pub(in crate::shell) fn split(args: &[Arg]) -> Result<(Vec<Vec<u8>>, Self), ParseError> {
        let mut own = Self::default();
        let mut words = Vec::new();
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let (name, value) = match arg.bytes.iter().position(|b| *b == b'=') {
                Some(at) => (&arg.bytes[..at], Some(&arg.bytes[at + 1..])),
                None => (arg.bytes.as_slice(), None),
            };
            match name {
                b"--" => {
                    words.push(arg.bytes.clone());
                    words.extend(rest.by_ref().map(|a| a.bytes.clone()));
                }
                b"--fragment" if value.is_none() => own.fragment = true,
                b"--require-leader" => {
                    own.is_leaderless = match value.unwrap_or(b"true") {
                        b"true" => false,
                        b"false" => true,
                        _ => {
                            let (start, end) = arg.span;
                            let expected = "true or false after --require-leader=";
                            return Err(ParseError::new(start, end, expected, FLAGS));
                        }
                    }
                }
                b"--filter" | b"--watch-id" | b"--many" | b"--streams" => {
                    let value = value.or_else(|| rest.next().map(|a| a.bytes.as_slice()));
                    own.take(arg, name, value.unwrap_or_default())?;
                }
                b"--rev" if value == Some(b"spread") => own.spread = true,
                _ => words.push(arg.bytes.clone()),
            }
        }
        Ok((words, own))
    }

    /// Returns whether the stream of the watch needs a leader. etcdctl always requires a leader.
    pub(in crate::shell) fn leader(&self) -> LeaderNeed {
        match self.is_leaderless {
            true => LeaderNeed::NotRequired,
            false => LeaderNeed::Required,
        }
    }

    fn take(&mut self, arg: &Arg, name: &[u8], value: &[u8]) -> Result<(), ParseError> {
        let wrong = |expected: &str| {
            let (start, end) = arg.span;
            ParseError::new(start, end, expected, FLAGS)
        };
        match name {
            b"--filter" => {
                for kind in value.split(|b| *b == b',') {
                    match kind {
                        b"noput" => self.no_put = true,
                        b"nodelete" => self.no_delete = true,
                        other => return Err(wrong(filters(other))),
                    }
                }
            }
            b"--watch-id" => {
                self.watch_id =
                    parse_int(value, 10).map_err(|_| wrong("a whole number after --watch-id="))?;
            }
            _ => {
                // The world checks the maximum numbers.
                let number = count(value).and_then(|n| u32::try_from(n).ok());
                let number = number.filter(|n| *n > 0);
                let number = number.ok_or_else(|| {
                    let name = String::from_utf8_lossy(name);
                    wrong(&format!("a number greater than 0 after {name}="))
                })?;
                if name == b"--many" {
                    self.many = Some(number);
                } else {
                    self.streams = Some(number);
                }
            }
        }
        Ok(())
    }

    /// Returns the operation that starts many watches (a crowd); `None` if `--many` is not given.
    pub(in crate::shell) fn crowd(
        &self,
        create: &WatchCreateRequest,
        args: &[Arg],
        ending: &Ending,
    ) -> Option<Result<WorldOp, ParseError>> {
        let wrong = |expected: &str| {
            let hint = "write `watch PREFIX --prefix --many=N [--streams=N] \
                        [--rev=N|--rev=spread] as NAME`";
            Some(Err(error_at(args, expected, hint)))
        };
        let Some(watches) = self.many else {
            return match (self.streams, self.spread) {
                (None, false) => None,
                (Some(_), _) => wrong("--many=N together with --streams"),
                (None, true) => wrong("--many=N together with --rev=spread"),
            };
        };
        // The client library creates the watches of a stream one after another. A single stream would need half a
        // second for a thousand watches.
        let streams = self.streams.unwrap_or(watches.div_ceil(WATCHES_PER_STREAM));
        let name = match (&ending.name, &ending.client) {
            (Some(name), None) => name.clone(),
            (Some(_), Some(_)) => {
                return wrong("no `on CLIENT`, because --many creates its own client");
            }
            (None, _) => return wrong("`as` and a name at the end of the line"),
        };
        if streams > watches {
            return wrong("at least as many watches as streams");
        }
        if create.start_revision < 0 {
            return wrong("a revision of 0 or more, or --rev=spread");
        }
        if create.watch_id != 0 {
            return wrong("no --watch-id, because with --many etcd chooses the IDs");
        }
        let mut create = create.clone();
        if self.spread {
            create.start_revision = SPREAD;
        }
        Some(Ok(WorldOp::Crowd {
            name,
            watches,
            streams,
            create,
        }))
    }
}
