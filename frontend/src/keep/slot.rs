//! Slots. A slot is a text that identifies the source of a run. This file also converts a slot into a query of an
//! address and into a description for the list of runs.

use watchglass_engine::session::practice::Item;
use watchglass_engine::session::protocol::Source;

use crate::words::state as words;

/// The seed of an empty store. Any number would do; a fixed seed makes runs comparable.
pub const SEED: u64 = 42;

/// Returns the slot of a source (the text that identifies the source); `None` for a saved run, whose slot is stored
/// with the run.
pub fn of(source: &Source) -> Option<String> {
    let slot = match source {
        Source::Story(name) => format!("story:{name}"),
        Source::Lesson(name) => format!("lesson:{name}"),
        Source::Empty { profile, seed } if *seed == SEED => format!("empty:{profile}"),
        Source::Empty { profile, seed } => {
            format!("empty:{profile}:{seed}")
        }
        Source::Link(text) => {
            let text = text.trim().trim_start_matches('#');
            format!("link:{}", fingerprint(text))
        }
        Source::Text(text) => format!("text:{}", fingerprint(text)),
        Source::Snapshot { file, profile } => {
            let hash: Vec<String> = file
                .sha256
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            format!("snapshot:{profile}:{}:{}", file.bytes, hash.concat())
        }
        Source::Saved(_) => return None,
    };
    Some(slot)
}

/// Returns the query string of the address for a slot's source; `None` if an address cannot name the source.
pub fn query(slot: &str) -> Option<String> {
    match slot.split_once(':')? {
        ("story", name) => Some(format!("scenario={name}")),
        // A reload continues the round. Only a link to an exercise names it.
        ("lesson", name) if Item::named(name).is_some() => Some("practice=".to_owned()),
        ("lesson", name) => Some(format!("lesson={name}")),
        ("empty", profile) if !profile.contains(':') => Some(format!("scenario=empty-{profile}")),
        _ => None,
    }
}

/// Returns the description of a source for the list of runs.
pub fn describe(slot: &str) -> String {
    match slot.split_once(':') {
        Some(("story", _)) => words::FROM_STORY.to_owned(),
        Some(("lesson", _)) => words::FROM_LESSON.to_owned(),
        Some(("empty", profile)) => words::from_empty(profile.split(':').next().unwrap_or(profile)),
        Some(("link", _)) => words::FROM_LINK.to_owned(),
        Some(("snapshot", _)) => words::FROM_SNAPSHOT.to_owned(),
        Some(("text", _)) => words::FROM_TEXT.to_owned(),
        _ => words::FROM_RUN.to_owned(),
    }
}

/// Returns the 64-bit FNV-1a hash. Collisions between the texts of one user are very unlikely, and nothing secret
/// depends on the hash.
fn fingerprint(text: &str) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let digit = |nibble: u64| char::from_digit((nibble & 15) as u32, 16).unwrap_or('0');
    (0..16)
        .map(|place| digit(hash >> (60 - 4 * place)))
        .collect()
}

#[cfg(test)]
mod tests {
    use watchglass_engine::session::protocol::FileIdentity;

    use super::*;

    #[test]
    fn each_source_has_a_slot_of_its_own() {
        let empty = |profile: &str, seed| Source::Empty {
            profile: profile.to_owned(),
            seed,
        };
        // A snapshot and the same database without its SHA-256 are two different files.
        let snapshot = |bytes, profile: &str| Source::Snapshot {
            file: FileIdentity {
                name: "a.db".into(),
                bytes,
                sha256: [1; 32],
            },
            profile: profile.to_owned(),
        };
        let sources = [
            Source::Story("a".to_owned()),
            Source::Lesson("a".to_owned()),
            empty("3.6", SEED),
            empty("3.4", SEED),
            empty("3.6", 7),
            Source::Link("v1.a".to_owned()),
            Source::Link("v1.b".to_owned()),
            Source::Text("put /a 1".to_owned()),
            Source::Text("put /a 2".to_owned()),
            snapshot(9, "3.4"),
            snapshot(41, "3.4"),
            snapshot(9, "3.6"),
        ];
        let slots: std::collections::BTreeSet<_> = sources.iter().filter_map(of).collect();
        assert_eq!(slots.len(), sources.len());
        assert_eq!(of(&Source::Saved(String::new())), None);
    }

    #[test]
    fn a_link_has_one_slot_with_and_without_its_hash_sign() {
        let link = |text: &str| of(&Source::Link(text.to_owned()));
        assert_eq!(link("#v1.a"), link("v1.a"));
    }

    #[test]
    fn an_address_names_what_the_engine_brings() {
        assert_eq!(
            query("story:slow-client").as_deref(),
            Some("scenario=slow-client")
        );
        assert_eq!(query("empty:3.4").as_deref(), Some("scenario=empty-3.4"));
        assert_eq!(query("lesson:L04").as_deref(), Some("lesson=L04"));
        assert_eq!(query("lesson:version-3").as_deref(), Some("practice="));
        assert_eq!(query("text:0011"), None);
        assert_eq!(query("empty:3.6:7"), None);
    }
}
