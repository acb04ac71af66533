//! Moves the keyboard focus in the picture: from spot to spot and from lane to lane. A spot is an item of the picture;
//! a lane is the row of a key.

use watchglass_engine::view::IndexView;

use super::spot::{Spot, SpotKind, lane_of, spots};

/// A move of the focus by one key press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Moves to the previous change.
    Left,
    /// Moves to the next change.
    Right,
    /// Moves to the lane above, near the same revision.
    Up,
    /// Moves to the lane below, near the same revision.
    Down,
    /// Moves to the name of the lane.
    Home,
    /// Moves to the newest change of the lane.
    End,
    /// Moves up by one screen of lanes.
    PageUp,
    /// Moves down by one screen of lanes.
    PageDown,
}

/// The newest change of the selected key or, without a selected key, of the first visible lane.
pub fn start(view: &IndexView, selected: Option<&[u8]>, first_seen: u32) -> Option<Spot> {
    let chosen = view
        .lanes
        .iter()
        .position(|lane| Some(lane.key.as_slice()) == selected)
        .map(|index| view.query.first_lane + index as u32);
    let lane = chosen.unwrap_or(first_seen.max(view.query.first_lane));
    let what = spots(view, lane_of(view, lane)?).pop()?;
    Some(Spot { lane, what })
}

/// Returns the spot (the item of the picture) that has the focus after a move. At the edge of the picture, the focus
/// stays.
pub fn walk(view: &IndexView, from: &Spot, step: Step, screen: u32) -> Spot {
    let across = |lane: u32| {
        let wanted = from.what.revision();
        let what = if from.what == SpotKind::Name {
            SpotKind::Name
        } else {
            nearest(view, lane, wanted)
        };
        Spot { lane, what }
    };
    let last = view.lanes_matching.saturating_sub(1);
    match step {
        Step::Up => across(from.lane.saturating_sub(1)),
        Step::Down => across((from.lane + 1).min(last)),
        Step::PageUp => across(from.lane.saturating_sub(screen)),
        Step::PageDown => across((from.lane + screen).min(last)),
        Step::Left | Step::Right | Step::Home | Step::End => {
            let Some(lane) = lane_of(view, from.lane) else {
                return from.clone();
            };
            let all = spots(view, lane);
            let at = all
                .iter()
                .position(|what| *what == from.what)
                .unwrap_or_else(|| index_near(&all, from.what.revision()));
            let to = match step {
                Step::Left => at.saturating_sub(1),
                Step::Home => 0,
                Step::End => all.len().saturating_sub(1),
                _ => at + 1,
            };
            Spot {
                lane: from.lane,
                what: all
                    .get(to)
                    .or(all.last())
                    .copied()
                    .unwrap_or(SpotKind::Name),
            }
        }
    }
}

/// Returns true if a move left or right leads to changes outside of the loaded window. The axis must then be moved
/// first.
pub fn beyond(view: &IndexView, from: &Spot, step: Step) -> bool {
    let Some(lane) = lane_of(view, from.lane) else {
        return false;
    };
    let all = spots(view, lane);
    let (first, last) = (view.rev_from, view.rev_to);
    match step {
        Step::Left => {
            let at_start = all.get(1).is_none_or(|what| *what == from.what);
            // There are older changes if the first loaded generation begins before the window or is not generation 0.
            let older = lane.threads.first();
            let older = older.is_some_and(|life| life.first < first || life.number > 0);
            from.what != SpotKind::Name && at_start && older && first > 1
        }
        Step::Right => {
            let at_end = all.last().is_none_or(|what| *what == from.what);
            let newest = lane.threads.last();
            let newer = newest.is_none_or(|life| life.last > last || (lane.alive && !life.alive));
            at_end && newer && last < view.head
        }
        Step::Up | Step::Down | Step::Home | Step::End | Step::PageUp | Step::PageDown => false,
    }
}

/// The focused spot (item of the picture) and its key. If lanes are in the order of keys, the lane of a new key moves
/// the lanes after it; the focus then stays on the same key.
#[derive(Clone, Debug, PartialEq)]
pub struct Focus {
    spot: Spot,
    /// The focused key; `None` if the view did not contain the lane.
    key: Option<Vec<u8>>,
}

impl Focus {
    pub fn new(view: &IndexView, spot: Spot) -> Focus {
        let key = lane_of(view, spot.lane).map(|lane| lane.key.clone());
        Focus { spot, key }
    }

    /// Returns the focused spot (item of the picture) in this view. If the view does not contain the key, the focus
    /// stays on the lane with the same number.
    pub fn spot(&self, view: &IndexView) -> Option<Spot> {
        let mut lanes = view.lanes.iter();
        let index = lanes.position(|lane| Some(&lane.key) == self.key.as_ref());
        let lane = index.map_or(self.spot.lane, |index| view.query.first_lane + index as u32);
        settle(view, Spot { lane, ..self.spot })
    }
}

/// Returns the same spot (item of the picture) if the spot still exists after zooming, filtering or stepping back;
/// otherwise, the nearest spot. A spot in a lane that is not loaded stays unchanged.
fn settle(view: &IndexView, spot: Spot) -> Option<Spot> {
    if spot.lane >= view.lanes_matching {
        return None;
    }
    let Some(lane) = lane_of(view, spot.lane) else {
        return Some(spot);
    };
    if spots(view, lane).contains(&spot.what) {
        return Some(spot);
    }
    let what = nearest(view, spot.lane, spot.what.revision());
    Some(Spot { what, ..spot })
}

/// Returns the item in a lane that is nearest to a revision. If the lane is not loaded, returns the name of the lane;
/// the lane's changes arrive with the next view.
fn nearest(view: &IndexView, lane: u32, revision: i64) -> SpotKind {
    lane_of(view, lane).map_or(SpotKind::Name, |lane| {
        let all = spots(view, lane);
        all.get(index_near(&all, revision))
            .copied()
            .unwrap_or(SpotKind::Name)
    })
}

/// Returns the index of the item nearest to a revision. Index 0 is the name of the lane.
fn index_near(all: &[SpotKind], revision: i64) -> usize {
    all.iter()
        .enumerate()
        .skip(usize::from(all.len() > 1))
        .min_by_key(|(_, what)| (what.revision() - revision).abs())
        .map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn change(lane: u32, main: i64) -> Spot {
        Spot {
            lane,
            what: SpotKind::Change { main, sub: 0 },
        }
    }

    #[test]
    fn along_a_lane_and_back() {
        let view = fixture::two_lives();
        let mut spot = start(&view, None, 0).unwrap();
        assert_eq!(spot, change(0, 5));
        for main in [4, 3, 2] {
            spot = walk(&view, &spot, Step::Left, 4);
            assert_eq!(spot, change(0, main));
        }
        spot = walk(&view, &spot, Step::Left, 4);
        assert_eq!(spot.what, SpotKind::Name);
        assert_eq!(walk(&view, &spot, Step::Left, 4), spot);
        assert_eq!(walk(&view, &spot, Step::Right, 4), change(0, 2));
        assert_eq!(walk(&view, &spot, Step::End, 4), change(0, 5));
        assert_eq!(walk(&view, &change(0, 5), Step::Right, 4), change(0, 5));
    }

    #[test]
    fn across_lanes_at_about_the_same_revision() {
        let view = fixture::pods();
        assert_eq!(walk(&view, &change(1, 19), Step::Down, 4), change(2, 20));
        assert_eq!(walk(&view, &change(1, 19), Step::Up, 4), change(0, 18));
        assert_eq!(walk(&view, &change(0, 18), Step::Up, 4), change(0, 18));
        assert_eq!(
            walk(&view, &change(0, 18), Step::PageDown, 9),
            change(4, 16)
        );
        let name = Spot {
            lane: 0,
            what: SpotKind::Name,
        };
        assert_eq!(walk(&view, &name, Step::Down, 4).what, SpotKind::Name);
    }

    #[test]
    fn changes_outside_of_the_window_are_not_forgotten() {
        let mut view = fixture::two_lives();
        assert!(!beyond(&view, &change(0, 2), Step::Left));
        view.rev_from = 3;
        view.lanes[0].beads.remove(0);
        assert!(beyond(&view, &change(0, 3), Step::Left));
        assert!(!beyond(&view, &change(0, 4), Step::Left));
        assert!(!beyond(&view, &change(0, 5), Step::Right));
        view.rev_to = 4;
        view.lanes[0].beads.pop();
        view.lanes[0].threads.pop();
        assert!(beyond(&view, &change(0, 4), Step::Right));
    }

    #[test]
    fn a_spot_that_is_gone_becomes_its_neighbour() {
        let view = fixture::two_lives();
        assert_eq!(settle(&view, change(0, 4)), Some(change(0, 4)));
        assert_eq!(settle(&view, change(0, 9)), Some(change(0, 5)));
        assert_eq!(settle(&view, change(3, 9)), None);
    }

    #[test]
    fn the_focus_stays_with_its_key_when_lanes_move() {
        let mut view = fixture::pods();
        let focus = Focus::new(&view, change(1, 22));
        assert_eq!(focus.spot(&view), Some(change(1, 22)));
        view.lanes.swap(1, 3);
        assert_eq!(focus.spot(&view), Some(change(3, 22)));
        // The key of a lane that is not loaded is unknown.
        let beyond = Focus::new(&view, change(99, 22));
        view.lanes_matching = 200;
        assert_eq!(beyond.spot(&view), Some(change(99, 22)));
    }

    #[test]
    fn begins_at_the_selected_key() {
        let view = fixture::pods();
        assert_eq!(
            start(&view, Some(b"/registry/pods/web-3"), 0),
            Some(change(3, 23))
        );
        assert_eq!(start(&view, Some(b"/nothing"), 1), Some(change(1, 22)));
        assert_eq!(start(&IndexView::default(), None, 0), None);
    }
}
