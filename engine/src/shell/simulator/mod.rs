//! Reads the simulator's own commands, such as `show`, `run`, `world` and `help`.
//!
//! An error in one of the simulator's own commands is a [`ParseError`], because upstream has no error message for it.

mod kube_verb;
mod link_verb;
mod mirror_verb;
mod world_verb;
#[cfg(test)]
mod world_verb_tests;

use super::etcdctl::find::distance;
use super::names::file_name;
use super::table::{SIMULATOR, Spec, all_verbs, own_verbs, wrong};
use super::{CommandKind, ParseError, Show, kubectl};
use crate::api::{Difference, Profile, Switch};
use crate::base::Bytes;
use crate::base::bytes::escape;
use crate::base::time::SimDuration;
use crate::transcript::for_loop::Arg;
use crate::world::config::MEMBERS_MAX;

/// The number of requests that `show requests` prints by default.
const REQUESTS_SHOWN: u64 = 8;

pub(super) fn verb(word: &[u8]) -> Option<&'static Spec> {
    own_verbs().find(|s| s.name.as_bytes() == word)
}

/// Returns the first simulator command that starts with the word or differs from it in one letter, as a suggestion for
/// an error message.
pub(super) fn near_verb(word: &[u8]) -> Option<&'static str> {
    let word = std::str::from_utf8(word).ok().filter(|w| w.len() > 1)?;
    let near = |name: &str| name.starts_with(word) || distance(word, name) == 1;
    own_verbs().map(|s| s.name).find(|name| near(name))
}

/// Returns true if a word is the name of a setting, or resembles such a name.
pub(super) fn is_near_setting(word: &str) -> bool {
    world_verb::near_setting(word).is_some()
}

/// Reads a command. The first element of `args` is its name.
pub(super) fn read(args: &[Arg], spec: &'static Spec) -> Result<CommandKind, ParseError> {
    let Some((first, rest)) = args.split_first() else {
        return Err(wrong(spec, None, "a verb"));
    };
    match spec.name {
        "show" => show(first, rest),
        "run" => match rest {
            [length] => match SimDuration::parse(&escape(&length.bytes)) {
                Some(length) => Ok(CommandKind::Run(length)),
                None => Err(wrong(spec, Some(length), "a duration such as 5s or 10ms")),
            },
            _ => Err(wrong(
                spec,
                rest.get(1).or(Some(first)),
                "one duration after `run`",
            )),
        },
        "step" => match rest {
            [] => Ok(CommandKind::Step(1)),
            [count] => match number(count) {
                Some(count) => Ok(CommandKind::Step(count)),
                None => Err(wrong(spec, Some(count), "a number of steps")),
            },
            [_, more, ..] => Err(wrong(
                spec,
                Some(more),
                "the end of the command after the number of steps",
            )),
        },
        "fork" => match rest {
            [] => Ok(CommandKind::Fork),
            [more, ..] => Err(wrong(spec, Some(more), "the end of the command after fork")),
        },
        "world" => world(rest, spec),
        "help" => help(rest, spec),
        "kubectl" => kubectl::read(args, spec),
        "etcd-dump-db" => dump_db(args, spec),
        "snapshot" => world_verb::snapshot(args, spec),
        "apiserver" | "informer" | "kubelet" | "statefulset" | "kubelets" | "populate" | "load"
        | "move" | "etcd" => kube_verb::read(args, spec),
        "mirror" => mirror_verb::read(args, spec),
        _ => world_verb::read(args, spec),
    }
}

fn show(first: &Arg, rest: &[Arg]) -> Result<CommandKind, ParseError> {
    const VIEWS: &str = "key-index, bucket, store, storage, watchers, clients, cost, processes, containers, \
                         settings, cluster, apiserver, cache, requests, qos or metrics after show";
    let spec = verb(b"show").unwrap_or(&SIMULATOR[0]);
    let Some((view, rest)) = rest.split_first() else {
        return Err(wrong(spec, Some(first), VIEWS));
    };
    let Some(view_spec) = spec
        .children
        .iter()
        .find(|c| c.name.as_bytes() == view.bytes)
    else {
        return Err(wrong(spec, Some(view), VIEWS));
    };
    let bucket = view_spec.name == "bucket";
    let (mut json, mut decode, mut limit, mut names) = (false, false, None, Vec::new());
    let mut rest = rest.iter();
    while let Some(arg) = rest.next() {
        match arg.bytes.as_slice() {
            b"--json" => json = true,
            b"--decode" if bucket => decode = true,
            b"--" => {
                names.extend(rest.by_ref());
                break;
            }
            [b'-', b'-', b'l', b'i', b'm', b'i', b't', tail @ ..] if bucket => {
                let given = match tail {
                    [] => rest.next().map_or(&[][..], |a| &a.bytes),
                    [b'=', value @ ..] => value,
                    _ => &[],
                };
                limit =
                    Some(digits(given).ok_or_else(|| {
                        wrong(view_spec, Some(arg), "a number of rows for --limit")
                    })?);
            }
            [b'-', b'-', ..] => {
                return Err(wrong(view_spec, Some(arg), "a flag of this view"));
            }
            _ => names.push(arg),
        }
    }
    let show = match (view_spec.name, names.as_slice()) {
        ("store", []) => Show::Store { json },
        ("storage", []) => Show::Storage { json },
        ("settings", []) => Show::Settings { json },
        ("watchers", []) => Show::Watchers { json },
        ("qos", []) => Show::Qos,
        ("metrics", rest @ ([] | [_])) => Show::Metrics {
            prefix: rest
                .first()
                .map_or_else(String::new, |name| escape(&name.bytes)),
        },
        ("slow", []) => Show::Slow,
        ("cluster", []) => Show::Cluster,
        ("clients", []) => Show::Clients,
        ("cost", []) => Show::Cost,
        ("processes", []) => Show::Processes,
        ("containers", []) => Show::Containers,
        ("apiserver", []) => Show::ApiServers,
        ("cache", rest @ ([] | [_])) | ("requests", rest @ ([] | [_] | [_, _])) => {
            let mut rest = rest.to_vec();
            let count = rest.last().and_then(|last| number(last));
            if count.is_some() {
                rest.pop();
            }
            let resource = match rest.as_slice() {
                [] => String::new(),
                [name, ..] => match kubectl::resource(&escape(&name.bytes)) {
                    Some(resource) => resource.name.to_owned(),
                    None => {
                        return Err(wrong(view_spec, Some(name), "a resource such as pods"));
                    }
                },
            };
            match view_spec.name {
                "cache" => Show::Cache { resource },
                _ => Show::Requests {
                    resource,
                    last: count.unwrap_or(REQUESTS_SHOWN),
                },
            }
        }
        ("key-index", [key]) => Show::KeyIndex {
            key: Bytes::from(key.bytes.as_slice()),
            json,
        },
        ("bucket", [name]) => Show::Bucket {
            name: escape(&name.bytes),
            file: String::new(),
            decode,
            limit,
            json,
        },
        (
            "store" | "settings" | "watchers" | "clients" | "cost" | "processes" | "containers"
            | "apiserver",
            [name, ..],
        ) => {
            return Err(wrong(view_spec, Some(name), "the end of the command"));
        }
        (_, []) => return Err(wrong(view_spec, Some(view), "a name after this word")),
        (_, [_, more, ..]) => return Err(wrong(view_spec, Some(more), "one name")),
        (_, [name]) => return Err(wrong(view_spec, Some(name), VIEWS)),
    };
    Ok(CommandKind::Show(show))
}

/// Reads `etcd-dump-db list-bucket FILE` and `etcd-dump-db iterate-bucket FILE BUCKET [--decode] [--limit N]`.
fn dump_db(args: &[Arg], spec: &'static Spec) -> Result<CommandKind, ParseError> {
    let (mut decode, mut limit, mut words) = (false, None, Vec::new());
    let mut rest = args.iter().skip(1);
    while let Some(arg) = rest.next() {
        match arg.bytes.as_slice() {
            b"--decode" => decode = true,
            b"--limit" => {
                let given = rest.next().and_then(number);
                limit =
                    Some(given.ok_or_else(|| wrong(spec, Some(arg), "a number after --limit"))?);
            }
            [b'-', b'-', ..] => return Err(wrong(spec, Some(arg), "--decode or --limit N")),
            _ => words.push(arg),
        }
    }
    match words[..] {
        [tool, file] if tool.bytes == b"list-bucket" => {
            file_name(file)?;
            Ok(CommandKind::Show(Show::Buckets))
        }
        [tool, file, bucket] if tool.bytes == b"iterate-bucket" => {
            Ok(CommandKind::Show(Show::Bucket {
                name: escape(&bucket.bytes),
                file: file_name(file)?,
                decode,
                limit,
                json: false,
            }))
        }
        _ => Err(wrong(
            spec,
            args.last(),
            "list-bucket FILE, or iterate-bucket FILE BUCKET",
        )),
    }
}

fn world(rest: &[Arg], spec: &'static Spec) -> Result<CommandKind, ParseError> {
    let (mut profile, mut switch, mut seed, mut members) = (None, None, None, None);
    for arg in rest {
        let text = escape(&arg.bytes);
        match text.split_once('=') {
            Some(("profile", value)) => match Profile::parse(value) {
                Some(value) => profile = Some(value),
                None => return Err(wrong(spec, Some(arg), "profile=3.4, 3.5, 3.6 or 3.7")),
            },
            Some((kind @ ("bug" | "fix"), issue)) => match Switch::parse(kind, issue) {
                Some(value) => switch = Some(value),
                None => {
                    let issues = Difference::ISSUES.map(|(number, _)| format!("etcd#{number}"));
                    let expected = format!("one of {} after {kind}=", issues.join(", "));
                    return Err(wrong(spec, Some(arg), &expected));
                }
            },
            Some(("seed", value)) => match digits(value.as_bytes()) {
                Some(value) => seed = Some(value),
                None => return Err(wrong(spec, Some(arg), "a whole number after seed=")),
            },
            Some(("members", value)) => {
                let count = digits(value.as_bytes()).and_then(|count| u32::try_from(count).ok());
                members = count.filter(|count| (1..=MEMBERS_MAX).contains(count));
                if members.is_none() {
                    let expected = format!("1 to {MEMBERS_MAX} after members=");
                    return Err(wrong(spec, Some(arg), &expected));
                }
            }
            _ => {
                return Err(wrong(
                    spec,
                    Some(arg),
                    "profile=…, bug=…, fix=…, seed=… or members=…",
                ));
            }
        }
    }
    Ok(CommandKind::World {
        profile,
        switch,
        seed,
        members,
    })
}

fn help(rest: &[Arg], spec: &'static Spec) -> Result<CommandKind, ParseError> {
    let words: Vec<String> = rest.iter().map(|a| escape(&a.bytes)).collect();
    let topic = words.join(" ");
    if topic.is_empty() {
        return Ok(CommandKind::Help(None));
    }
    match super::help::topic(&topic) {
        Some(_) => Ok(CommandKind::Help(Some(topic))),
        None => {
            let names = all_verbs().map(|s| s.name);
            let mut near: Vec<&str> = names.filter(|n| distance(&topic, n) <= 2).collect();
            near.truncate(1);
            let expected = match near.as_slice() {
                [name] => format!("the name of a command, perhaps {name}"),
                _ => "the name of a command".to_owned(),
            };
            Err(wrong(spec, rest.first(), &expected))
        }
    }
}

fn number(arg: &Arg) -> Option<u64> {
    digits(&arg.bytes)
}

fn digits(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}
