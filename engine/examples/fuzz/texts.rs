//! Behaviour files, stories, lessons and transcripts, mutated line by line; and links that contain a run, mutated bit
//! by bit.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use watchglass_engine::base::base64;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::session::Source;
use watchglass_engine::session::permalink::Permalink;
use watchglass_engine::session::save::{LogItem, Saved};
use watchglass_engine::view::Moment;

use crate::Corpus;
use crate::lines::{line, mutate, number, pick};

/// Lines that have a special meaning in one of the text formats.
const MARKS: [&str; 22] = [
    "----",
    "-----",
    "ok",
    "OK",
    "",
    "#! title: t",
    "#! about: s",
    "#!",
    "# why",
    "#: part",
    "#: task x",
    "#: check store.rev == N",
    "#: check all k in keys: k.version > 0",
    "#: hint h",
    "#: predict p",
    "#: {5 = store.rev}",
    "# {N = store.rev}",
    "$ etcdctl get a",
    "root@host:~# etcdctl put a 1",
    "\0",
    "((((((((((((((((((((((((((((((((1))))",
    "\u{feff}put a 1",
];

pub(crate) fn text(rng: &mut Rng, corpus: &Corpus) -> Vec<String> {
    let texts = &corpus.texts;
    let base = &texts[rng.below(texts.len() as u64) as usize];
    let mut lines: Vec<String> = base.lines().map(Into::into).collect();
    // Most texts are long; the beginning decides which kind of text it is.
    let most = 5 + rng.below(80) as usize;
    if rng.chance(1, 3) {
        let from = rng.below(lines.len() as u64) as usize;
        lines.drain(..from);
    }
    lines.truncate(most);
    for _ in 0..1 + rng.below(6) {
        if lines.is_empty() {
            break;
        }
        let at = rng.below(lines.len() as u64) as usize;
        match rng.below(6) {
            0 => lines.insert(at, pick(rng, &MARKS).replace('N', number(rng))),
            1 => lines.insert(at, line(rng, corpus)),
            2 => drop(lines.remove(at)),
            3 => lines.insert(at, lines[at].clone()),
            4 => lines[at] = line(rng, corpus),
            _ => mutate(rng, &mut lines[at]),
        }
    }
    lines
}

/// The parts of a link, so that the minimiser can leave out parts.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) source: Source,
    pub(crate) at: Moment,
    /// The changes that the fuzzer makes to the link's bytes after the link is encoded and before it is packed.
    pub(crate) inside: Vec<(u64, u8)>,
    /// The changes that the fuzzer makes to the link's characters after the link is packed.
    pub(crate) outside: Vec<(u64, u8)>,
    /// The number of characters to keep at the start of the link, in thousandths of its length.
    pub(crate) kept: u64,
}

/// Generates a link and the commands in it.
pub(crate) fn link(rng: &mut Rng, corpus: &Corpus) -> (Link, Vec<LogItem>) {
    let source = match rng.below(12) {
        0 => Source::Story(corpus.stories[rng.below(corpus.stories.len() as u64) as usize].clone()),
        1 => {
            Source::Lesson(corpus.lessons[rng.below(corpus.lessons.len() as u64) as usize].clone())
        }
        2 => Source::Text(text(rng, corpus).join("\n")),
        // This text is much larger than the link that contains it.
        3 if rng.chance(1, 20) => Source::Text("#".repeat(1 << rng.below(26))),
        n => Source::Empty {
            profile: ["3.4", "3.6", "", "é"][(n % if rng.chance(1, 10) { 4 } else { 2 }) as usize]
                .into(),
            seed: rng.next_u64(),
        },
    };
    let mut step = 0;
    let items = (0..rng.below(16)).map(|_| {
        step = match rng.below(6) {
            0 => rng.below(200),
            1 => u64::MAX >> rng.below(64),
            _ => step.wrapping_add(rng.below(12)),
        };
        LogItem {
            at: Moment {
                branch: if rng.chance(1, 8) {
                    rng.below(300) as u32
                } else {
                    0
                },
                step,
            },
            text: line(rng, corpus).into(),
        }
    });
    let items = items.collect();
    let bits = |rng: &mut Rng, one_in: u64| -> Vec<(u64, u8)> {
        let count = if rng.chance(1, one_in) {
            1 + rng.below(6)
        } else {
            0
        };
        (0..count)
            .map(|_| (rng.next_u64(), 1 << rng.below(8)))
            .collect()
    };
    let link = Link {
        source,
        at: Moment {
            branch: rng.below(3) as u32,
            step: u64::MAX >> rng.below(64),
        },
        inside: bits(rng, 4),
        outside: bits(rng, 10),
        kept: if rng.chance(1, 20) {
            rng.below(1000)
        } else {
            1000
        },
    };
    (link, items)
}

pub(crate) fn link_text(link: &Link, log: &[LogItem]) -> String {
    let saved = Saved::new(link.source.clone(), log.to_vec(), link.at);
    let view = String::new();
    let mut text = Permalink { saved, view }.to_text();
    if !link.inside.is_empty()
        && let Some(packed) = text.strip_prefix("v1.").and_then(base64::decode)
        && let Ok(mut bytes) = decompress_to_vec_with_limit(&packed, 64 << 20)
        && !bytes.is_empty()
    {
        for (at, bit) in &link.inside {
            let at = at % bytes.len() as u64;
            bytes[at as usize] ^= bit;
        }
        text = ["v1.", &base64::encode(&compress_to_vec(&bytes, 6))].concat();
    }
    let mut bytes = text.into_bytes();
    for (at, bit) in &link.outside {
        let at = at % bytes.len() as u64;
        bytes[at as usize] ^= bit;
    }
    bytes.truncate((bytes.len() as u64 * link.kept / 1000) as usize);
    String::from_utf8_lossy(&bytes).into_owned()
}
