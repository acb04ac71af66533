//! A spot: an item of the picture that the pointer, the keyboard, the tooltip and the table can refer to. A spot is a
//! change, a column of changes, or the name of a lane. A spot is identified by its content and not by its position, so
//! it stays valid in the next view.

use watchglass_engine::view::{Bead, Bin, IndexView, Lane};

/// A spot: an item of the picture that can be selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The index of the lane among the lanes that match the filter.
    pub lane: u32,
    pub what: SpotKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpotKind {
    Name,
    Change {
        main: i64,
        sub: i64,
    },
    /// The changes in an inclusive range of revisions.
    Column {
        from: i64,
        to: i64,
    },
}

impl SpotKind {
    /// Returns the revision of the item; 0 for a name.
    pub fn revision(self) -> i64 {
        match self {
            SpotKind::Name => 0,
            SpotKind::Change { main, .. } => main,
            SpotKind::Column { from, .. } => from,
        }
    }
}

pub fn lane_of(view: &IndexView, lane: u32) -> Option<&Lane> {
    let index = lane.checked_sub(view.query.first_lane)?;
    view.lanes.get(index as usize)
}

/// Returns the change that a spot (an item of the picture) shows.
pub fn bead_of(lane: &Lane, what: SpotKind) -> Option<&Bead> {
    let SpotKind::Change { main, sub } = what else {
        return None;
    };
    lane.beads
        .iter()
        .find(|bead| (bead.main, bead.sub) == (main, sub))
}

/// Returns the bin that a spot (an item of the picture) shows, if the spot is a column of changes.
pub fn bin_of<'a>(view: &IndexView, lane: &'a Lane, what: SpotKind) -> Option<&'a Bin> {
    lane.bins.iter().find(|bin| column(view, bin) == what)
}

/// Returns the spot of a bin: a column of changes, and the range of revisions that the column covers.
pub fn column(view: &IndexView, bin: &Bin) -> SpotKind {
    let (revisions, columns) = (
        i128::from((view.rev_to - view.rev_from + 1).max(1)),
        i128::from(view.query.columns.max(1)),
    );
    // Revision i of the window belongs to column i * columns / revisions, rounded down.
    let first = |column: u32| -> i64 {
        let at = (i128::from(column) * revisions + columns - 1).div_euclid(columns);
        view.rev_from + i64::try_from(at).unwrap_or(i64::MAX / 2)
    };
    let from = first(bin.column);
    SpotKind::Column {
        from,
        to: (first(bin.column + 1) - 1).max(from),
    }
}

/// Returns all items of a lane: first the name, then the changes and columns by revision.
pub fn spots(view: &IndexView, lane: &Lane) -> Vec<SpotKind> {
    let changes = lane.beads.iter().map(|bead| SpotKind::Change {
        main: bead.main,
        sub: bead.sub,
    });
    let columns = lane.bins.iter().map(|bin| column(view, bin));
    std::iter::once(SpotKind::Name)
        .chain(changes)
        .chain(columns)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use watchglass_engine::view::BeadState;

    #[test]
    fn columns_know_their_revisions() {
        let mut view = fixture::two_lives();
        (view.rev_from, view.rev_to, view.query.columns) = (1, 100, 10);
        let bin = |column| Bin {
            column,
            count: 1,
            state: BeadState::Live,
        };
        assert_eq!(column(&view, &bin(0)), SpotKind::Column { from: 1, to: 10 });
        assert_eq!(
            column(&view, &bin(9)),
            SpotKind::Column { from: 91, to: 100 }
        );
        view.query.columns = 100;
        assert_eq!(column(&view, &bin(4)), SpotKind::Column { from: 5, to: 5 });
    }

    #[test]
    fn a_lane_begins_with_its_name() {
        let view = fixture::two_lives();
        let all = spots(&view, &view.lanes[0]);
        assert_eq!(all.len(), 5);
        assert_eq!(all[0], SpotKind::Name);
        assert_eq!(all[4].revision(), 5);
    }
}
