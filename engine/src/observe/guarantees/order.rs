//! Checks Ordered, Unique and Atomic: the order and grouping of a watch's events.

use super::Finding;
use super::delivery::{Delivery, EventPlace};
use super::gaps::known_gap;
use crate::base::small_sort::SmallSort;
use crate::words::guarantees as words;

pub(super) fn ordered(d: &Delivery<'_>) -> Option<Finding> {
    d.found.iter().enumerate().find_map(|(i, found)| {
        let EventPlace::New {
            number, late: true, ..
        } = found.place
        else {
            return None;
        };
        let earlier = d.found[..i].iter().filter_map(|f| f.place.number());
        let heard = d.lane.at(d.watch.next.saturating_sub(1));
        let later = earlier.chain(heard).filter(|n| *n > number).max()?;
        Some(Finding {
            revision: d.truth.fact(number).main,
            what: words::out_of_order(&d.name(number), &d.name(later)),
            known: None,
        })
    })
}

pub(super) fn unique(d: &Delivery<'_>) -> Option<Finding> {
    let repeated = repeated(d)?;
    Some(Finding {
        revision: d.truth.fact(repeated).main,
        what: words::received_twice(&d.name(repeated)),
        known: d.known_repeat(repeated),
    })
}

/// Returns the first change in the response that the watch had already received.
pub(super) fn repeated(d: &Delivery<'_>) -> Option<u32> {
    d.found.iter().find_map(|f| match f.place {
        EventPlace::Again { number, .. } => Some(number),
        EventPlace::New { .. } | EventPlace::Outside { .. } | EventPlace::Nowhere => None,
    })
}

/// Checks that a response is complete for each revision: of the changes that the watch must receive at this revision,
/// the response contains either all or none.
pub(super) fn atomic(d: &Delivery<'_>) -> Option<Finding> {
    let mut places: Vec<u32> = d
        .found
        .iter()
        .filter_map(|f| match f.place {
            EventPlace::New { place, .. } | EventPlace::Again { place, .. } => Some(place),
            EventPlace::Outside { .. } | EventPlace::Nowhere => None,
        })
        .collect();
    places.small_sort();
    places.dedup();
    let main_at = |place: u32| d.lane.at(place).map(|n| d.truth.fact(n).main);
    for group in places.chunk_by(|a, b| main_at(*a) == main_at(*b)) {
        let main = main_at(group[0]);
        let mut first = group[0];
        while first > 0 && main_at(first - 1) == main {
            first -= 1;
        }
        let all = (first..).take_while(|p| main_at(*p) == main);
        let missing: Vec<u32> = all.filter(|p| group.binary_search(p).is_err()).collect();
        let (Some(absent), Some(main)) = (missing.first().and_then(|p| d.lane.at(*p)), main) else {
            continue;
        };
        let count = group.len();
        let all = count + missing.len();
        return Some(Finding {
            revision: main,
            what: words::not_whole(count, all, main, &d.truth.fact(absent).text()),
            known: known_gap(&missing, d.watch, d.lane, d.truth),
        });
    }
    None
}
