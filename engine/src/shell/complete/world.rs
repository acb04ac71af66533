//! Suggestions for the commands about watches and the world: subcommands, settings and values.
//!
//! The names of existing watches and clients are not known here, so they are not suggested.

use super::{CompletionItem, push};
use crate::shell::amount::value_of;
use crate::world::setting::SETTINGS;

const AS: (&str, &str) = ("as", "the next word is the name of the watch or client");

const WATCH_CHANGES: &[(&str, &str)] = &[
    ("delay", "the additional delay of watch responses"),
    ("hold", "hold the watch responses until `release`"),
    ("release", "deliver the held watch responses"),
];

const CHANGES: &[(&str, &str)] = &[
    ("delay", "the travel time of a message"),
    ("bandwidth", "bytes per second, or 0 for no limit"),
    (
        "loss",
        "the fraction of lost and retransmitted messages, such as 1/10",
    ),
    (
        "dup",
        "the fraction of messages that arrive twice, such as 1/10",
    ),
    ("hold", "stop all messages at the link"),
    ("release", "let waiting messages continue"),
];

const WAYS: &[(&str, &str)] = &[
    ("up", "from the client to the member"),
    ("down", "from the member to the client"),
    (
        "watches",
        "only watch responses, from the member to the client",
    ),
];

const DELAYS: &[(&str, &str)] = &[
    ("uniform", "a random duration between two limits"),
    (
        "longtail",
        "usually close to the duration that follows, in rare cases up to 20 times as long",
    ),
];

/// Adds suggestions for the unfinished word that follows the command name `verb` and the complete words `before`.
pub(in crate::shell) fn offer(
    verb: &str,
    before: &[Vec<u8>],
    typed: &[u8],
    items: &mut Vec<CompletionItem>,
) {
    let words: Vec<&[u8]> = before.iter().map(Vec::as_slice).collect();
    let mut all = |words: &[(&str, &str)]| {
        for (text, gloss) in words {
            push(items, typed, text, gloss);
        }
    };
    match (verb, words.as_slice()) {
        ("watch" | "listwatch" | "poll", [_, .., b"as"] | [_, .., b"as", _, b"on"]) => {}
        ("watch", [_, .., b"as", _]) => all(&[(
            "on",
            "the next word is a client, whose stream the watch uses",
        )]),
        ("watch" | "listwatch" | "poll", [_, ..]) if !words.contains(&&b"as"[..]) => all(&[AS]),
        ("qos", [b"monitor", rest @ ..]) if !rest.contains(&&b"as"[..]) => all(&[AS]),
        ("pause" | "resume" | "clock" | "stop" | "start", []) => all(&[("etcd", "the member")]),
        ("etcd", []) => all(&[("grpc-proxy", "a proxy in front of a member")]),
        ("etcd", [b"grpc-proxy"]) => all(&[("start", "start the proxy")]),
        ("crash", []) => all(&[("etcd", "simulate a power failure of the member")]),
        ("snapshot", []) => all(&[
            ("save", "save the database as a file"),
            ("close", "close a snapshot saved with --open"),
            (
                "status",
                "print the hash, revision, keys and size of a file",
            ),
            ("restore", "restore a file while etcd is stopped"),
        ]),
        ("clock", [_]) => all(&[(
            "offset",
            "the next word is the time by which the clock is ahead; negative if the clock is behind",
        )]),
        ("clock", [_, b"offset", _]) => all(&[(
            "drift",
            "the next word is how many microseconds the clock gains per second",
        )]),
        ("clock", [_, b"offset", _, b"drift", _]) => all(&[("ppm", "parts per million")]),
        ("net", [_]) => {
            all(WAYS);
            all(CHANGES);
        }
        ("net", [_, b"up" | b"down"]) => all(CHANGES),
        ("net", [_, b"watches"]) => all(WATCH_CHANGES),
        ("net", [_, b"delay"] | [_, b"up" | b"down", b"delay"]) => all(DELAYS),
        ("set", []) => {
            for info in &SETTINGS {
                all(&[(info.name, info.what)]);
            }
        }
        ("set", [name]) => {
            if let Some(info) = SETTINGS.iter().find(|i| i.name.as_bytes() == *name) {
                let value = value_of(info, info.default);
                all(&[
                    (value.as_str(), "upstream's value"),
                    ("default", "upstream's value"),
                ]);
            }
        }
        _ => {}
    }
}
