//! Reads the commands for watches and the world, such as `recv`, `pause`, `slow`, `clock` and `set`.
//!
//! This module checks only the syntax of names. The world checks whether a watch or node with the name exists.

use super::link_verb;
use crate::base::Bytes;
use crate::base::bytes::escape;
use crate::base::digest::Sparse;
use crate::base::go::number::parse_int;
use crate::base::ids::MessageId;
use crate::base::time::SimDuration;
use crate::client::etcd::list_watch::Memory;
use crate::client::etcd::poll::PollSpec;
use crate::shell::amount;
use crate::shell::etcdctl::find::distance;
use crate::shell::etcdctl::snapshot::BUMP_MAX;
use crate::shell::names::{file_name, name, node, watch_name};
use crate::shell::table::Spec;
use crate::shell::table::wrong;
use crate::shell::{CommandKind, Format, ParseError, Show};
use crate::sim::cost::{COSTS, CostPreset, Disk};
use crate::transcript::for_loop::Arg;
use crate::world::op::{CostChange, NodeName, Partition, WorldOp};
use crate::world::setting::{SETTINGS, Setting};

/// The maximum drift of a clock, in microseconds per second.
const DRIFT_PPM_MAX: i64 = 500_000;

/// Reads a command. The first element of `args` is its name.
pub(in crate::shell) fn read(args: &[Arg], spec: &'static Spec) -> Result<CommandKind, ParseError> {
    let words = args.get(1..).unwrap_or_default();
    let client = || only(args, spec, "a client name").and_then(name);
    let watch = || only(args, spec, "a watch name").and_then(watch_name);
    let a_node = || only(args, spec, "a node such as `etcd`").and_then(node);
    let op = match spec.name {
        "recv" => return Ok(CommandKind::Recv { name: watch()? }),
        "progress" => WorldOp::Progress { name: watch()? },
        "unwatch" => WorldOp::Unwatch { name: watch()? },
        "listwatch" => list_watch(args, spec)?,
        "poll" => poll(args, spec)?,
        "keepalive" => keep_alive(args, spec)?,
        "pause" => WorldOp::Pause(a_node()?),
        "resume" => WorldOp::Resume(a_node()?),
        "slow" => slow(args, spec)?,
        "cost" => cost(args, spec)?,
        "disconnect" => WorldOp::Disconnect { client: client()? },
        "connect" => WorldOp::Connect { client: client()? },
        "stop"
            if args
                .get(2)
                .is_some_and(|arg| arg.bytes == b"--signal=SIGTERM") =>
        {
            WorldOp::Drain {
                server: name(&args[1])?,
            }
        }
        "stop" => match a_node()? {
            NodeName::Etcd => WorldOp::StopEtcd,
            NodeName::Client(client) => WorldOp::Stop { client },
        },
        "crash" => WorldOp::Crash(only(args, spec, "the name of a member").and_then(node)?),
        "fault" => fault(args, spec)?,
        "heal" => match args {
            [_] => WorldOp::Heal,
            _ => {
                return Err(wrong(
                    spec,
                    args.get(1),
                    "the end of the command after heal",
                ));
            }
        },
        "delay" => match args {
            [_, message, by] => WorldOp::Delay {
                message: amount::count(&message.bytes)
                    .map(MessageId)
                    .ok_or_else(|| {
                        wrong(spec, Some(message), "the number of a message, such as 17")
                    })?,
                by: amount::duration(&by.bytes)
                    .ok_or_else(|| wrong(spec, Some(by), "a duration such as 200ms"))?,
            },
            [_, _, _, more, ..] => return Err(wrong(spec, Some(more), "the end of the command")),
            _ => {
                return Err(wrong(
                    spec,
                    args.last(),
                    "the number of a message, and a duration such as 200ms, after this word",
                ));
            }
        },
        "reseed" => {
            let seed = only(args, spec, "a number")?;
            let seed = amount::count(&seed.bytes)
                .ok_or_else(|| wrong(spec, Some(seed), "a number such as 7"))?;
            WorldOp::Reseed(seed)
        }
        "start" => match a_node()? {
            NodeName::Etcd => WorldOp::StartEtcd,
            NodeName::Client(client) => WorldOp::Start { client },
        },
        "net" => link_verb::read(args, spec)?,
        "clock" => clock(args, spec)?,
        _ => set(words, args, spec)?,
    };
    Ok(CommandKind::Op(op))
}

fn fault(args: &[Arg], spec: &Spec) -> Result<WorldOp, ParseError> {
    let Some(([_, kind], nodes)) = args.split_at_checked(2) else {
        let expected = "`partition` or `disk-full` after this word";
        return Err(wrong(spec, args.last(), expected));
    };
    match kind.bytes.as_slice() {
        b"partition" => partition(args, nodes, spec).map(WorldOp::Partition),
        b"disk-full" => {
            let member = only(&args[1..], spec, "the name of a member")?;
            node(member).map(WorldOp::FillDisk)
        }
        _ => Err(wrong(spec, Some(kind), "`partition` or `disk-full`")),
    }
}

fn partition(args: &[Arg], nodes: &[Arg], spec: &Spec) -> Result<Partition, ParseError> {
    let mut partition = Partition {
        left: Vec::new(),
        right: Vec::new(),
        is_one_way: false,
    };
    let mut side = &mut partition.left;
    for arg in nodes {
        match arg.bytes.as_slice() {
            b"--one-way" => partition.is_one_way = true,
            b"|" => side = &mut partition.right,
            _ => side.push(node(arg)?),
        }
    }
    match partition.left.is_empty() {
        true => Err(wrong(
            spec,
            args.last(),
            "the name of a node after this word",
        )),
        false => Ok(partition),
    }
}

/// Returns the word after the command's name. There must be exactly one such word.
fn only<'a>(args: &'a [Arg], spec: &Spec, what: &str) -> Result<&'a Arg, ParseError> {
    match args {
        [_, one] => Ok(one),
        [_, _, more, ..] => Err(wrong(spec, Some(more), &format!("only {what}"))),
        _ => Err(wrong(spec, args.last(), &format!("{what} after this word"))),
    }
}

fn slow(args: &[Arg], spec: &Spec) -> Result<WorldOp, ParseError> {
    const LENGTH: &str = "a duration such as 50ms, at most 24h";
    match args {
        [_, client, length] => Ok(WorldOp::Slow {
            client: name(client)?,
            per_response: amount::duration(&length.bytes)
                .ok_or_else(|| wrong(spec, Some(length), LENGTH))?,
        }),
        [_, _, _, more, ..] => Err(wrong(spec, Some(more), "the end of the command")),
        [_, client] => Err(wrong(
            spec,
            Some(client),
            &format!("{LENGTH} after this word"),
        )),
        _ => Err(wrong(spec, args.last(), "a client name after this word")),
    }
}

/// Reads `cost [PRESET] [--disk=DISK] [NAME=VALUE]…`.
fn cost(args: &[Arg], spec: &Spec) -> Result<WorldOp, ParseError> {
    let presets = || CostPreset::ALL.map(CostPreset::name).join(", ");
    let expected = || format!("{}, --disk=ssd or NAME=VALUE from `show cost`", presets());
    let mut change = CostChange::default();
    for (place, arg) in args.iter().enumerate().skip(1) {
        let text = String::from_utf8_lossy(&arg.bytes);
        if let Some(name) = text.strip_prefix("--disk=") {
            let disk = Disk::ALL.into_iter().find(|disk| disk.name() == name);
            let names = || Disk::ALL.map(Disk::name).join(", ");
            change.disk = Some(disk.ok_or_else(|| wrong(spec, Some(arg), &names()))?);
            continue;
        }
        if let Some((name, value)) = text.split_once('=') {
            let info = COSTS.iter().find(|info| info.name == name);
            let info = info.ok_or_else(|| wrong(spec, Some(arg), "a name from `show cost`"))?;
            let value = amount::cost(info.unit, value.as_bytes())
                .ok_or_else(|| wrong(spec, Some(arg), amount::cost_values(info.unit)))?;
            change.values.push((info.name, value));
            continue;
        }
        let preset = CostPreset::ALL.into_iter();
        let preset = preset.filter(|_| place == 1).find(|p| p.name() == text);
        change.preset = Some(preset.ok_or_else(|| wrong(spec, Some(arg), &expected()))?);
    }
    if args.len() < 2 {
        return Err(wrong(spec, args.last(), &expected()));
    }
    Ok(WorldOp::Cost(Box::new(change)))
}

/// Reads `snapshot save`, `snapshot close`, `snapshot restore` and `snapshot status`.
pub(super) fn snapshot(args: &[Arg], spec: &Spec) -> Result<CommandKind, ParseError> {
    let words = args.get(1..).unwrap_or_default();
    let [what, given, flags @ ..] = words else {
        let expected = "save, close, status or restore, and a name for the snapshot";
        return Err(wrong(spec, args.last(), expected));
    };
    let file = file_name(given)?;
    let is_restore = match what.bytes.as_slice() {
        b"save" => false,
        b"close" => match flags {
            [] => return Ok(CommandKind::Op(WorldOp::CloseSnapshot { name: file })),
            [more, ..] => {
                return Err(wrong(
                    spec,
                    Some(more),
                    "the end of the command after the name",
                ));
            }
        },
        b"restore" => true,
        b"status" => {
            let name = file;
            let format = format(flags, spec)?;
            return Ok(CommandKind::Show(Show::Snapshot { name, format }));
        }
        _ => return Err(wrong(spec, Some(what), "save, close, status or restore")),
    };
    if let (false, [flag]) = (is_restore, flags)
        && flag.bytes == b"--open"
    {
        return Ok(CommandKind::Op(WorldOp::OpenSnapshot { name: file }));
    }
    let (mut bump, mut mark_compacted) = (0, false);
    for arg in flags {
        match arg.bytes.strip_prefix(b"--bump-revision=") {
            Some(number) if is_restore => {
                let number = amount::count(number).filter(|n| (1..=BUMP_MAX).contains(n));
                let expected = "a number to add to the revision, at most a billion";
                bump = number.ok_or_else(|| wrong(spec, Some(arg), expected))?;
            }
            None if is_restore && arg.bytes == b"--mark-compacted" => mark_compacted = true,
            _ => {
                return Err(wrong(
                    spec,
                    Some(arg),
                    "--open for `save`; --bump-revision=N or --mark-compacted for `restore`",
                ));
            }
        }
    }
    if mark_compacted != (bump > 0) {
        let expected = "both --bump-revision=N and --mark-compacted";
        return Err(wrong(spec, args.last(), expected));
    }
    Ok(CommandKind::Op(match is_restore {
        true => WorldOp::RestoreSnapshot {
            name: file,
            bump,
            mark_compacted,
        },
        false => WorldOp::SaveSnapshot {
            name: file,
            login: Sparse::default(),
        },
    }))
}

/// Reads `-w FORMAT`, `--write-out FORMAT` or `--write-out=FORMAT`.
fn format(flags: &[Arg], spec: &Spec) -> Result<Format, ParseError> {
    let value = match flags {
        [] => return Ok(Format::Simple),
        [flag] => {
            let value = flag.bytes.strip_prefix(b"--write-out=");
            value.or_else(|| flag.bytes.strip_prefix(b"-w="))
        }
        [flag, value] if matches!(flag.bytes.as_slice(), b"-w" | b"--write-out") => {
            Some(value.bytes.as_slice())
        }
        _ => None,
    };
    match value {
        Some(b"simple") => Ok(Format::Simple),
        Some(b"json") => Ok(Format::Json),
        Some(b"fields") => Ok(Format::Fields),
        Some(b"table") => Ok(Format::Table),
        Some(b"protobuf") => Ok(Format::Protobuf),
        _ => Err(wrong(
            spec,
            flags.last(),
            "-w simple, json, fields, table or protobuf, for `status`",
        )),
    }
}

fn keep_alive(args: &[Arg], spec: &Spec) -> Result<WorldOp, ParseError> {
    const LEASE: &str = "the hexadecimal lease ID that `lease grant` printed";
    let [_, id, word, as_name] = args else {
        let at = args.get(4).or(args.last());
        return Err(wrong(spec, at, "a lease ID, `as` and a name"));
    };
    if word.bytes != b"as" {
        return Err(wrong(
            spec,
            Some(word),
            "`as` and a name after the lease ID",
        ));
    }
    Ok(WorldOp::KeepAlive {
        name: name(as_name)?,
        lease: parse_int(&id.bytes, 16).map_err(|_| wrong(spec, Some(id), LEASE))?,
    })
}

fn list_watch(args: &[Arg], spec: &Spec) -> Result<WorldOp, ParseError> {
    let (mut prefix, mut given, mut memory) = (None, None, Memory::default());
    let mut rest = args.iter().skip(1);
    while let Some(arg) = rest.next() {
        match arg.bytes.as_slice() {
            b"as" if !arg.quoted => match rest.next() {
                Some(word) => given = Some(name(word)?),
                None => return Err(wrong(spec, Some(arg), "a name after `as`")),
            },
            [
                b'-',
                b'-',
                b'r',
                b'e',
                b'm',
                b'e',
                b'm',
                b'b',
                b'e',
                b'r',
                tail @ ..,
            ] => {
                let value = match tail {
                    [] => rest.next().map_or(&[][..], |a| &a.bytes),
                    [b'=', value @ ..] => value,
                    _ => &[],
                };
                memory = match value {
                    b"nothing" => Memory::Stateless,
                    b"keys" => Memory::Keys,
                    b"revision" => Memory::Checkpoint,
                    _ => {
                        let expected = "`nothing`, `keys` or `revision` for --remember";
                        return Err(wrong(spec, Some(arg), expected));
                    }
                };
            }
            [b'-', b'-', ..] => return Err(wrong(spec, Some(arg), "--remember or a prefix")),
            _ if prefix.is_some() => return Err(wrong(spec, Some(arg), "one prefix")),
            b"" => return Err(wrong(spec, Some(arg), "a prefix of at least one byte")),
            bytes => prefix = Some(Bytes::from(bytes)),
        }
    }
    let Some(prefix) = prefix else {
        return Err(wrong(spec, args.first(), "a key prefix after this word"));
    };
    match given {
        Some(name) => Ok(WorldOp::ListWatch {
            name,
            prefix,
            memory,
        }),
        None => Err(wrong(spec, args.last(), "`as` and a name at the end")),
    }
}

fn clock(args: &[Arg], spec: &Spec) -> Result<WorldOp, ParseError> {
    let word = |i: usize| args.get(i).map(|a| a.bytes.as_slice());
    let at = |i: usize| args.get(i).or(args.last());
    let Some(who) = args.get(1) else {
        return Err(wrong(
            spec,
            args.last(),
            "a node such as `etcd` after this word",
        ));
    };
    let node = node(who)?;
    if word(2) != Some(b"offset") {
        return Err(wrong(spec, at(2), "`offset` and a duration after the node"));
    }
    let Some(offset_us) = word(3).and_then(amount::signed_duration) else {
        let expected = "a duration such as 200ms or -200ms, at most 24h";
        return Err(wrong(spec, at(3), expected));
    };
    let drift_ppm = match word(4) {
        None => 0,
        Some(b"drift") => {
            let number = word(5).map(|text| text.strip_suffix(b"ppm").unwrap_or(text));
            let number = number.and_then(amount::signed_count);
            number
                .filter(|n| (-DRIFT_PPM_MAX..=DRIFT_PPM_MAX).contains(n))
                .ok_or_else(|| {
                    let expected = "a drift in ppm from -500000 to 500000 after `drift`";
                    wrong(spec, at(5), expected)
                })?
        }
        Some(_) => return Err(wrong(spec, at(4), "`drift` or the end of the command")),
    };
    let rest = match args.get(6..).unwrap_or_default() {
        [unit, rest @ ..] if unit.bytes == b"ppm" => rest,
        rest => rest,
    };
    match rest.first() {
        Some(more) => Err(wrong(spec, Some(more), "the end of the command")),
        None => Ok(WorldOp::Clock {
            node,
            offset_us,
            drift_ppm,
        }),
    }
}

fn poll(args: &[Arg], spec: &Spec) -> Result<WorldOp, ParseError> {
    let (mut prefix, mut given) = (None, None);
    let (mut every, mut each_revision) = (SimDuration::from_millis(1_000), false);
    let mut through_cache = Sparse(false);
    let mut rest = args.iter().skip(1);
    while let Some(arg) = rest.next() {
        match arg.bytes.as_slice() {
            b"as" if !arg.quoted => match rest.next() {
                Some(word) => given = Some(name(word)?),
                None => return Err(wrong(spec, Some(arg), "a name after `as`")),
            },
            b"--each-revision" => each_revision = true,
            b"--cache" => through_cache = Sparse(true),
            bytes if bytes.starts_with(b"--every") => {
                let value = match &bytes[b"--every".len()..] {
                    [] => rest.next().map_or(&[][..], |a| &a.bytes),
                    [b'=', value @ ..] => value,
                    _ => &[],
                };
                let expected = "a duration such as 500ms for --every";
                every = amount::duration(value).ok_or_else(|| wrong(spec, Some(arg), expected))?;
            }
            [b'-', b'-', ..] => {
                return Err(wrong(
                    spec,
                    Some(arg),
                    "--every, --each-revision, --cache or a prefix",
                ));
            }
            _ if prefix.is_some() => return Err(wrong(spec, Some(arg), "one prefix")),
            b"" => return Err(wrong(spec, Some(arg), "a prefix of at least one byte")),
            bytes => prefix = Some(Bytes::from(bytes)),
        }
    }
    let Some(prefix) = prefix else {
        return Err(wrong(spec, args.first(), "a key prefix after this word"));
    };
    let name = given.ok_or_else(|| wrong(spec, args.last(), "`as` and a name at the end"))?;
    if each_revision && *through_cache {
        return Err(wrong(
            spec,
            args.last(),
            "--each-revision or --cache, not both",
        ));
    }
    let poll = PollSpec {
        prefix,
        every,
        each_revision,
        through_cache,
    };
    Ok(WorldOp::Poll { name, spec: poll })
}

fn set(words: &[Arg], args: &[Arg], spec: &Spec) -> Result<WorldOp, ParseError> {
    let [setting, rest @ ..] = words else {
        return Err(wrong(spec, args.last(), "a setting name after this word"));
    };
    let text = escape(&setting.bytes);
    let Some(info) = Setting::named(&text) else {
        let expected = match near_setting(&text) {
            Some(near) => format!("the name of a setting, perhaps {}", near.name),
            None => "the name of a setting from `show settings`".to_owned(),
        };
        return Err(wrong(spec, Some(setting), &expected));
    };
    let values = || format!("{} for {}", amount::values_of(info), info.name);
    match rest {
        [value] if value.bytes == b"default" => Ok(info.default),
        [value] => {
            amount::setting(info, &value.bytes).ok_or_else(|| wrong(spec, Some(value), &values()))
        }
        [_, more, ..] => Err(wrong(spec, Some(more), "one value")),
        [] => Err(wrong(
            spec,
            Some(setting),
            &format!("{} after this word", values()),
        )),
    }
    .map(|value| WorldOp::Set {
        setting: info,
        value,
    })
}

/// Returns the setting that the user probably means with a typed word. Either the name of the setting contains the
/// word, or the word differs from the name in at most a third of the letters of the name. Returns `None` for a word
/// with a slash, because such a word is a key.
pub(super) fn near_setting(text: &str) -> Option<&'static Setting> {
    if text.contains('/') {
        return None;
    }
    let contains = |info: &&Setting| text.len() > 2 && info.name.contains(text);
    let away = |info: &Setting| distance(text, info.name);
    SETTINGS.iter().find(contains).or_else(|| {
        SETTINGS
            .iter()
            .min_by_key(|info| away(info))
            .filter(|info| away(info) <= 4 && 3 * away(info) <= info.name.len() as u32)
    })
}
