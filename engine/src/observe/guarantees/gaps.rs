//! Checks the guarantees Reliable, Resumable and Bookmarkable: a watch receives every event that it requested.

use crate::api::WatchResponse;
use crate::words::guarantees as words;

use super::delivery::{Delivery, EventPlace, verb};
use super::lane::WatchLane;
use super::order::repeated;
use super::truth::Truth;
use super::watched::Watched;
use super::{Finding, Known};

/// Checks that no earlier event is missing, and that each event equals a committed change.
pub(super) fn reliable(d: &Delivery<'_>) -> Option<Finding> {
    gap(d, words::gap).or_else(|| invented(d))
}

/// Finds a missing event. `text` builds the description from the names of the later change and of the missing change.
fn gap(d: &Delivery<'_>, text: impl Fn(&str, &str) -> String) -> Option<Finding> {
    let missing = d.lane.at(*d.gap.first()?)?;
    let heard = d.found.iter().filter_map(|f| f.place.number());
    let later = heard.filter(|n| *n > missing).min()?;
    Some(Finding {
        revision: d.truth.fact(missing).main,
        what: text(&d.name(later), &d.name(missing)),
        known: known_gap(&d.gap, d.watch, d.lane, d.truth),
    })
}

fn invented(d: &Delivery<'_>) -> Option<Finding> {
    d.found.iter().find_map(|f| {
        let kv = &f.event.kv;
        let (verb, key, revision) = (verb(f.event.kind), &kv.key, kv.mod_revision);
        let what = match f.place.number().map(|n| d.truth.kv(n)) {
            Some(fact) if fact.value == kv.value && fact.lease == kv.lease => return None,
            Some(_) => words::altered(verb, key, revision),
            None => words::invented(verb, key, revision),
        };
        Some(Finding {
            revision,
            what,
            known: None,
        })
    })
}

/// Checks that a watch without messages in flight is not missing any event.
pub(super) fn complete(watch: &Watched, lane: &WatchLane, truth: &Truth) -> Option<Finding> {
    let missing = truth.fact(watch.first_missing(i64::MAX, lane, truth)?);
    let places: Vec<u32> = (watch.next..lane.len()).collect();
    Some(Finding {
        revision: missing.main,
        what: words::never_received(&missing.name()),
        known: known_gap(&places, watch, lane, truth),
    })
}

/// Checks that the first response after a resume neither skips nor repeats an event.
pub(super) fn resumable(d: &Delivery<'_>) -> Option<Finding> {
    if !d.watch.resumed {
        return None;
    }
    let at_once = d.found.first().map(|f| f.place);
    if let (Some(number), Some(EventPlace::Again { .. })) = (repeated(d), at_once) {
        return Some(Finding {
            revision: d.truth.fact(number).main,
            what: words::repeated_after_resume(&d.name(number)),
            known: d.known_repeat(number),
        });
    }
    let first_new = d.gap.first() == Some(&d.watch.next);
    gap(d, words::gap_after_resume).filter(|_| first_new)
}

/// Checks that a watch that resumes does not skip a revision: it resumes at or before the next revision that it needs.
pub(super) fn asks_for_all(watch: &Watched, revision: i64) -> Option<Finding> {
    (watch.from.is_some() && revision > watch.next_rev).then(|| Finding {
        revision: watch.next_rev,
        what: words::resumed_too_late(revision, watch.next_rev),
        known: None,
    })
}

/// Checks that etcd cancels a watch for a compaction only if the next revision of the watch is compacted.
pub(super) fn overtaken(
    watch: &Watched,
    response: &WatchResponse,
    truth: &Truth,
) -> Option<Finding> {
    let reported = response.compact_revision;
    let what = if !truth.was_compacted_at(reported) && reported != truth.compact_rev() {
        words::wrong_compact_revision(reported)
    } else if watch.next_rev >= reported {
        words::canceled_too_early(reported, watch.next_rev)
    } else {
        return None;
    };
    // A hasty progress notification overtakes events. The client then counts the revisions of these events as received.
    let known = (reported <= watch.hasty + 1).then_some(Known::HastyProgress);
    let known = known.or(truth.has_snapshot().then_some(Known::IdleAtSnapshot));
    let is_lowered = watch.lowered_to.is_some_and(|lowest| lowest < reported);
    let is_repeated = truth.resumes_at_progress() && (reported == watch.progress + 1 || is_lowered);
    let known = known.or(is_repeated.then_some(Known::ProgressRepeated));
    Some(Finding {
        revision: reported,
        what,
        known,
    })
}

/// Checks that a watch received every event up to the revision of its progress notification.
pub(super) fn bookmarkable(
    watch: &Watched,
    response: &WatchResponse,
    lane: &WatchLane,
    truth: &Truth,
) -> Option<Finding> {
    let reported = response.header.revision;
    let missing = watch.first_missing(reported, lane, truth)?;
    let upto = lane.from(reported + 1, truth);
    let places: Vec<u32> = (watch.next..upto).collect();
    let hasty = truth.is_hasty() && response.watch_id == -1;
    let fact = truth.fact(missing);
    Some(Finding {
        revision: reported,
        what: words::progress_too_early(reported, &fact.name()),
        known: known_gap(&places, watch, lane, truth)
            .or_else(|| hasty.then_some(Known::HastyProgress)),
    })
}

/// Returns the known etcd bug that explains the first missing event; `None` if any of the missing events has no known
/// explanation. `places` are the positions of the missing events in the lane.
pub(super) fn known_gap(
    places: &[u32],
    watch: &Watched,
    lane: &WatchLane,
    truth: &Truth,
) -> Option<Known> {
    let why = |place: &u32| {
        let number = lane.at(*place)?;
        if truth.is_lost(number) {
            Some(Known::CompactedDelete)
        } else if truth.fact(number).main <= watch.hasty {
            Some(Known::HastyProgress)
        } else {
            truth.passed_over(truth.fact(number).main)
        }
    };
    let all: Option<Vec<Known>> = places.iter().map(why).collect();
    all?.first().copied()
}
