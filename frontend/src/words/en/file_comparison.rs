//! The texts about the comparison of a database file with another file, or of two of its revisions.

use watchglass_engine::view::StoredValue;
use watchglass_engine::view::file::comparison::{
    ChangedKey, ComparedSide, ComparisonView, History, KeyChange, RevisionRow,
};

use super::common::grouped_count as count;
use super::file::{bytes_exactly, number, size};

pub const WHAT_CHANGED: &str = "What changed between two snapshots, or two revisions?";
pub const ABOUT: &str = "Compare this file with an earlier or later snapshot, with the database of another member, or \
    with itself at another revision. Nothing leaves this tab.";
pub const CHOOSE_OTHER: &str = "Compare with a file…";
pub const WITHOUT_OTHER: &str = "Close the other file";
/// The labels of the fields with the compared revisions.
pub const FROM: &str = "From revision ";
pub const TO: &str = "to revision ";
pub const COMPARE: &str = "Compare";
/// The headings of the tables.
pub const STATES: &str = "The compared states";
pub const GROUPS: &str = "Changes by prefix or kind";
pub const GROUP_BY: &str = "Group by";
pub const CHANGED_KEYS: &str = "Changed keys";
pub const PROPERTY: &str = "Property";
pub const BEFORE: &str = "Before";
pub const AFTER: &str = "After";
pub const KEYS: &str = "Keys";
pub const BYTES: &str = "Bytes of their rows";
pub const CHANGE: &str = "Change";
pub const REVISION: &str = "Revision";
pub const ROW: &str = "Row";
/// The controls of the list of changed keys.
pub const WHICH: &str = "Changes";
pub const ALL_CHANGES: &str = "all changes";
/// The difference between two values.
pub const DIFFERENCE: &str = "Difference";
pub const CLOSE: &str = "Close the difference";
pub const DAMAGED: &str = "Keys on damaged pages count as keys that do not exist.";
pub const NO_KEY: &str = "the key does not exist";
pub const FIRST_ROWS: &str = "The rows of the first revision that differs";

pub fn at_revision(file: &str) -> String {
    format!("{file} at revision ")
}

/// Says what changed from the earlier to the later state.
pub fn answer(view: &ComparisonView) -> String {
    let [before, after] = &view.sides;
    let state = |side: &ComparedSide| match view.history {
        History::OneFile => format!("revision {}", number(side.revision)),
        _ => format!("{} at revision {}", side.name, number(side.revision)),
    };
    let below = match &*view.prefix {
        [] => String::new(),
        prefix => format!(" below {}", String::from_utf8_lossy(prefix)),
    };
    let all = &view.all;
    let from = format!("From {} to {}", state(before), state(after));
    if all.changes() == 0 {
        return format!("{from}, no key{below} changed.");
    }
    format!(
        "{from}{below}: {} created, {} deleted, {} changed, {} written again with the same value.",
        count(all.count(KeyChange::Created), "key", "keys"),
        number(all.count(KeyChange::Deleted)),
        number(all.count(KeyChange::Changed)),
        number(all.count(KeyChange::Rewritten))
    )
}

/// Says whether the histories of both files are the same. There is nothing to say about one whole file.
pub fn history(view: &ComparisonView) -> Option<String> {
    let [before, after] = &view.sides;
    let span = |first: i64, last: i64| match first == last {
        true => format!("at revision {}", number(first)),
        false => format!(
            "at each revision from {} to {}",
            number(first),
            number(last)
        ),
    };
    Some(match &view.history {
        History::OneFile if before.is_damaged => DAMAGED.to_owned(),
        History::OneFile => return None,
        History::Same { first, last } => format!(
            "One history: both files have the same rows {}. Earlier revisions are compacted in at least one file, and \
            later revisions are in one file only.",
            span(*first, *last)
        ),
        History::Parts { first, at, .. } if first == at => format!(
            "Two histories: the rows differ already at revision {}, the first that both files have. The files are \
            from different clusters, or their histories parted before.",
            number(*at)
        ),
        History::Parts { first, at, .. } => format!(
            "Two histories: the rows are the same {}, and part at revision {}.",
            span(*first, *at - 1),
            number(*at)
        ),
        History::NothingInCommon => {
            let (early, late) = match before.newest <= after.newest {
                true => (before, after),
                false => (after, before),
            };
            format!(
                "No revision is complete in both files: {} ends at revision {}, and {} is compacted at {}. So their \
                histories cannot be compared, only their keys.",
                early.name,
                number(early.newest),
                late.name,
                number(late.compacted.unwrap_or_default())
            )
        }
        History::Damaged => {
            format!("The histories cannot be compared, because rows are missing. {DAMAGED}")
        }
    })
}

/// Explains when the hashes of two files can be compared, if they have hashes.
pub fn hashes(view: &ComparisonView) -> Option<&'static str> {
    Some(
        match view
            .sides
            .each_ref()
            .map(|side| (side.hash_kv, side.compacted))
        {
            [(Some(_), one), (Some(_), other)] if one == other => {
                "Both files are compacted at the same revision, so equal hashes mean equal rows."
            }
            [(Some(_), _), (Some(_), _)] => {
                "The hashes cover other rows in each file, because the files are compacted at different revisions. \
                Members can be compared by their hashes only at equal compact revisions."
            }
            _ => return None,
        },
    )
}

/// Returns the properties of both states: the name, and the value before and after.
pub fn properties(view: &ComparisonView) -> Vec<(String, [String; 2])> {
    let sides = &view.sides;
    let of = |property: fn(&ComparedSide) -> String| sides.each_ref().map(property);
    let mut rows = vec![
        (
            "compared revision".to_owned(),
            of(|side| number(side.revision)),
        ),
        ("live keys".to_owned(), view.all.keys.map(number)),
        ("bytes of their rows".to_owned(), view.all.bytes.map(size)),
    ];
    if view.history == History::OneFile {
        return rows;
    }
    let last = sides
        .iter()
        .map(|side| side.newest)
        .min()
        .unwrap_or_default();
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    rows.insert(0, ("file".to_owned(), of(|side| side.name.clone())));
    rows.extend([
        ("newest revision".to_owned(), of(|side| number(side.newest))),
        (
            "compacted revision".to_owned(),
            of(|side| side.compacted.map_or_else(|| "never".to_owned(), number)),
        ),
        ("revisions stored".to_owned(), of(|side| number(side.rows))),
        ("file size".to_owned(), of(|side| size(side.bytes))),
        ("pages".to_owned(), of(|side| number(side.pages))),
        (
            "of these, free".to_owned(),
            of(|side| number(side.free_pages)),
        ),
        (
            format!("endpoint hashkv --rev={last}"),
            sides
                .each_ref()
                .map(|side| or_dash(side.hash_kv.map(|hash| hash.to_string()))),
        ),
    ]);
    rows
}

pub fn change(change: KeyChange) -> &'static str {
    match change {
        KeyChange::Created => "created",
        KeyChange::Deleted => "deleted",
        KeyChange::Changed => "changed",
        KeyChange::Rewritten => "same value",
    }
}

/// Describes the change of a key, with the revision of its delete.
pub fn change_of(key: &ChangedKey) -> String {
    match (key.change, key.deleted) {
        (KeyChange::Deleted, Some(at)) => format!("deleted at {}", number(at)),
        _ => change(key.change).to_owned(),
    }
}

/// Formats a value before and after; `None` stands for a key that does not exist.
pub fn step([before, after]: [Option<String>; 2]) -> String {
    match (before, after) {
        (Some(before), Some(after)) if before == after => before,
        (before, after) => {
            let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
            format!("{} → {}", or_dash(before), or_dash(after))
        }
    }
}

pub fn matches(view: &ComparisonView) -> String {
    format!(
        "{}. Choose a key to see how its value differs.",
        count(view.matches, "changed key matches", "changed keys match")
    )
}

/// Describes a row of a revision at which two files part.
pub fn revision_row(row: &RevisionRow) -> String {
    match row.is_delete {
        true => format!("delete {}", row.text),
        false => format!(
            "put {}, version {}, {}",
            row.text,
            number(row.version),
            bytes_exactly(row.bytes)
        ),
    }
}

/// Describes the value of a key in one of the states.
pub fn value((file, revision): &(String, i64), value: Option<&StoredValue>) -> String {
    let state = format!("{file} at revision {}", number(*revision));
    match value {
        None => format!("{state}: {NO_KEY}"),
        Some(value) => format!(
            "{state}: value of revision {}, version {}, {}",
            number(value.at.map_or(0, |at| at.main)),
            number(value.version),
            bytes_exactly(value.bytes)
        ),
    }
}

/// Returns the line in place of lines that both values have.
pub fn equal_lines(lines: usize) -> String {
    format!("… {} …", count(lines as u64, "equal line", "equal lines"))
}
