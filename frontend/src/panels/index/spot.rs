//! A place in the picture that pointer, keyboard, tooltip and table all mean: a lane's name, one
//! change, or one column of changes. It names things by what they are, not by where they are
//! drawn, so that it still holds when the next view comes.

use watchglass_engine::view::{Bead, Bin, IndexView, Lane};

/// A place in the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The lane, counted from the first one that matches the filter.
    pub lane: u32,
    /// What in it.
    pub what: SpotKind,
}

/// What a spot is within its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpotKind {
    /// Its name.
    Name,
    /// One change.
    Change {
        /// The transaction.
        main: i64,
        /// The change inside it.
        sub: i64,
    },
    /// The changes between two revisions, ends included.
    Column {
        /// The first.
        from: i64,
        /// The last.
        to: i64,
    },
}

impl SpotKind {
    /// The revision it stands at; names stand before all of them.
    pub fn revision(self) -> i64 {
        match self {
            SpotKind::Name => 0,
            SpotKind::Change { main, .. } => main,
            SpotKind::Column { from, .. } => from,
        }
    }
}

/// The lane of a spot, when the view holds it.
pub fn lane_of(view: &IndexView, lane: u32) -> Option<&Lane> {
    let index = lane.checked_sub(view.query.first_lane)?;
    view.lanes.get(index as usize)
}

/// The change of a spot.
pub fn bead_of(lane: &Lane, what: SpotKind) -> Option<&Bead> {
    let SpotKind::Change { main, sub } = what else {
        return None;
    };
    lane.beads
        .iter()
        .find(|bead| (bead.main, bead.sub) == (main, sub))
}

/// The column of a spot.
pub fn bin_of<'a>(view: &IndexView, lane: &'a Lane, what: SpotKind) -> Option<&'a Bin> {
    lane.bins.iter().find(|bin| column(view, bin) == what)
}

/// Which revisions a bin holds.
pub fn column(view: &IndexView, bin: &Bin) -> SpotKind {
    let query = &view.query;
    let (revisions, columns) = (
        i128::from((query.rev_to - query.rev_from + 1).max(1)),
        i128::from(query.columns.max(1)),
    );
    // Revision i of the window falls into column i * columns / revisions, rounded down.
    let first = |column: u32| -> i64 {
        let at = (i128::from(column) * revisions + columns - 1).div_euclid(columns);
        query.rev_from + i64::try_from(at).unwrap_or(i64::MAX / 2)
    };
    let from = first(bin.column);
    SpotKind::Column {
        from,
        to: (first(bin.column + 1) - 1).max(from),
    }
}

/// Everything in a lane that can be pointed at, its name first, then by revision.
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
        (view.query.rev_from, view.query.rev_to, view.query.columns) = (1, 100, 10);
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
