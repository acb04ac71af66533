//! The text form of the picture: the cells of the table, the tooltip, and the text alternative of the figure.

use watchglass_engine::view::{Bead, BeadState, Bin, IndexView, Lane, Thread};

/// Returns the state of a change in words.
pub fn state(bead: &Bead, pinned: bool) -> &'static str {
    match bead.state {
        BeadState::Live if pinned => "live, kept by the compaction",
        BeadState::Live => "live",
        BeadState::Superseded => "superseded",
        BeadState::Kept => "kept by the compaction",
        BeadState::Doomed => "compacted, row still to be removed",
        BeadState::Gone => "removed by the compaction",
        BeadState::Tombstone => "tombstone",
    }
}

/// Returns the meaning of a change's state.
pub fn gloss(bead: &Bead) -> &'static str {
    match bead.state {
        BeadState::Live => "The key's current value: a get without --rev returns this value.",
        BeadState::Superseded => "A later put replaced this value; get --rev still returns it.",
        BeadState::Kept => {
            "Older than the compact revision, but still the value at that revision, so the row stays."
        }
        BeadState::Doomed => {
            "The key index no longer contains this change, but its row is not deleted yet."
        }
        BeadState::Gone => "The row is deleted; reads before the compact revision fail.",
        BeadState::Tombstone => {
            "A delete, which ends this generation. The next put starts a new one."
        }
    }
}

/// Returns the name of a change's lease: the lease of the value, or the lease whose end deleted the key.
pub fn lease(bead: &Bead) -> &'static str {
    match bead.version {
        0 => "deleted by lease",
        _ => "lease",
    }
}

/// Returns true if the change is at or before the compact revision and was preserved.
pub fn pinned(view: &IndexView, bead: &Bead) -> bool {
    bead.state == BeadState::Kept
        || (bead.state == BeadState::Live && bead.main <= view.compact_revision)
}

/// Describes a change for a cell of the table.
pub fn cell(view: &IndexView, lane: &Lane, bead: &Bead) -> String {
    let mut text = lane.name.clone();
    text.push_str(" revision ");
    text.push_str(&revision(bead.main, bead.sub));
    if bead.version > 0 {
        text.push_str(", version ");
        text.push_str(&bead.version.to_string());
    }
    if !bead.label.is_empty() {
        text.push_str(", ");
        text.push_str(&bead.label);
    }
    text.push_str(", ");
    text.push_str(state(bead, pinned(view, bead)));
    if !bead.lease.is_empty() {
        for part in [", ", lease(bead), " ", &bead.lease] {
            text.push_str(part);
        }
    }
    if let Some(thread) = life_of(lane, bead.main) {
        text.push_str(", g");
        text.push_str(&thread.number.to_string());
    }
    if bead.changed {
        text.push_str(", just changed");
    }
    if let Some(read) = &view.read
        && read.answers.iter().any(|answer| {
            (answer.main, answer.sub) == (bead.main, bead.sub)
                && view
                    .lanes
                    .get(answer.lane as usize)
                    .is_some_and(|other| other.key == lane.key)
        })
    {
        text.push_str(", returned by ");
        text.push_str(&read.label);
    }
    text
}

/// Describes a column of changes for a cell of the table.
pub fn column_cell(lane: &Lane, bin: &Bin, from: i64, to: i64) -> String {
    let mut text = lane.name.clone();
    if from == to {
        text.push_str(" revision ");
        text.push_str(&from.to_string());
    } else {
        text.push_str(" revisions ");
        text.push_str(&from.to_string());
        text.push_str(" to ");
        text.push_str(&to.to_string());
    }
    text.push_str(", ");
    text.push_str(&count(u64::from(bin.count), "change", "changes"));
    text.push_str(if bin.count == 1 {
        ", "
    } else {
        ", among them "
    });
    text.push_str(bin_state(bin.state));
    text
}

/// Returns the words for a state; the state is that of the most important change in a column.
pub fn bin_state(state: BeadState) -> &'static str {
    match state {
        BeadState::Live => "the live value",
        BeadState::Superseded => "superseded",
        BeadState::Kept => "one kept by the compaction",
        BeadState::Doomed => "one still to be removed",
        BeadState::Gone => "removed by the compaction",
        BeadState::Tombstone => "a tombstone",
    }
}

/// Describes a key for the first cell of its row.
pub fn name_cell(lane: &Lane) -> String {
    let mut text = lane.name.clone();
    text.push_str(if lane.alive {
        ", exists"
    } else {
        ", does not exist"
    });
    if let Some(thread) = lane.threads.last() {
        text.push_str(", ");
        text.push_str(&count(
            u64::from(thread.number) + 1,
            "generation",
            "generations",
        ));
    }
    text
}

/// Returns the text alternative of the figure.
pub fn figure(view: &IndexView) -> String {
    if view.lanes_total == 0 {
        return "Nothing is written yet: the store is at revision 1 and has no keys.".to_owned();
    }
    let mut text = String::from("At revision ");
    text.push_str(&view.head.to_string());
    text.push_str(", the index contains ");
    text.push_str(&count(u64::from(view.lanes_total), "key", "keys"));
    text.push('.');
    if let Some((from, to)) = view.query.fold {
        for part in [
            " ",
            &count(u64::from(view.lanes_folded), "more key", "more keys"),
            " without a change in revisions ",
            &from.max(1).to_string(),
            " to ",
            &to.to_string(),
            ", not shown.",
        ] {
            text.push_str(part);
        }
    }
    if view.lanes_matching <= FIGURE_LANES {
        for lane in &view.lanes {
            text.push(' ');
            text.push_str(&lives(lane));
        }
    }
    if let Some(bracket) = &view.bracket {
        text.push_str(" The range ");
        text.push_str(&bracket.range);
        text.push_str(" covers ");
        let covered = u64::from(bracket.last - bracket.first) + 1;
        text.push_str(&count(covered, "key", "keys"));
        if view.lanes_folded > 0 {
            text.push_str(" of the shown keys");
        }
        text.push('.');
    }
    if view.compact_revision > 0 {
        text.push_str(" Compacted at ");
        text.push_str(&view.compact_revision.to_string());
        text.push_str(": older revisions cannot be read.");
    }
    if let Some(read) = &view.read {
        text.push_str(" The read ");
        text.push_str(&read.label);
        if let Some(why) = &read.refused {
            text.push_str(" was refused: ");
            text.push_str(why);
        } else {
            text.push_str(" found ");
            text.push_str(&count(read.count.unsigned_abs(), "key", "keys"));
        }
        text.push('.');
    }
    text
}

/// The maximum number of lanes that the text alternative describes one by one. The table describes all lanes.
const FIGURE_LANES: u32 = 4;

fn lives(lane: &Lane) -> String {
    let mut text = lane.name.clone();
    text.push_str(": ");
    for (place, thread) in lane.threads.iter().enumerate() {
        if place > 0 {
            text.push_str("; ");
        }
        text.push_str("generation ");
        text.push_str(&thread.number.to_string());
        text.push_str(", ");
        text.push_str(&count(thread.ver.unsigned_abs(), "change", "changes"));
        if thread.alive {
            text.push_str(", alive since revision ");
            text.push_str(&thread.first.to_string());
        } else {
            text.push_str(", deleted at revision ");
            text.push_str(&thread.last.to_string());
        }
        if thread.forgotten {
            text.push_str(", removed by the compaction");
        }
    }
    text.push('.');
    text
}

/// Returns the generation to which a change belongs.
pub fn life_of(lane: &Lane, main: i64) -> Option<&Thread> {
    lane.threads
        .iter()
        .find(|thread| thread.first <= main && (main <= thread.last || thread.alive))
}

/// Formats a revision: `3`, or `3.1` for a further change of the same transaction.
pub fn revision(main: i64, sub: i64) -> String {
    let mut text = main.to_string();
    if sub > 0 {
        text.push('.');
        text.push_str(&sub.to_string());
    }
    text
}

/// Formats a number with the singular or plural of its noun: `1 key`, `2 keys`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    let mut text = number.to_string();
    text.push(' ');
    text.push_str(if number == 1 { one } else { many });
    text
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn cells_say_what_the_eye_sees() {
        let view = fixture::two_lives();
        let lane = &view.lanes[0];
        assert_eq!(
            cell(&view, lane, &lane.beads[1]),
            "/key1 revision 3, version 2, value2, superseded, g0"
        );
        assert_eq!(
            cell(&view, lane, &lane.beads[2]),
            "/key1 revision 4, tombstone, g0"
        );
        assert_eq!(
            cell(&view, lane, &lane.beads[3]),
            "/key1 revision 5, version 1, value3, live, g1"
        );
        let view = fixture::pods_read(12);
        let lane = &view.lanes[2];
        assert_eq!(
            cell(&view, lane, &lane.beads[0]),
            "/registry/pods/web-2 revision 4, version 1, Pending, kept by the compaction, g0"
        );
        assert!(cell(&view, lane, &lane.beads[1]).ends_with("returned by get --rev=12"));
    }

    #[test]
    fn the_figure_in_sentences() {
        assert_eq!(
            figure(&fixture::two_lives()),
            "At revision 5, the index contains 1 key. /key1: generation 0, 3 changes, deleted at \
             revision 4; generation 1, 1 change, alive since revision 5."
        );
        assert!(figure(&fixture::pods_read(12)).ends_with(
            "Compacted at 8: older revisions cannot be read. The read get --rev=12 found 4 keys."
        ));
        assert!(figure(&IndexView::default()).starts_with("Nothing is written yet"));
    }
}
