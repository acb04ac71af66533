//! Checks the guarantees PrevKv, IsCreate and Filter, which concern the content of a single event.

use crate::api::{EventKind, KeyValue};

use super::delivery::{Delivery, EventPlace, Unexpected};
use super::{Finding, Known};
use crate::words::guarantees as words;

/// Checks that `prev_kv` is the key's value one revision before the event. The check allows a missing `prev_kv` if that
/// revision was compacted before the event arrived, because an observer does not know when etcd read the value.
pub(super) fn prev_kv(d: &Delivery<'_>) -> Option<Finding> {
    if !d.watch.options.prev_kv {
        return None;
    }
    d.found.iter().find_map(|f| {
        let number = f.place.number()?;
        let fact = d.truth.fact(number);
        // The first put of a generation has no previous value.
        let before = d.truth.before(number).filter(|_| !fact.is_create());
        let before = before.map(|b| d.truth.kv(b));
        let may_be_missing = fact.main - 1 < d.truth.compact_rev();
        let name = || d.name(number);
        let what = match (&f.event.prev_kv, &before) {
            (None, None) => return None,
            (None, Some(_)) if may_be_missing => return None,
            (Some(reported), Some(before)) if reported == before => return None,
            (None, Some(before)) => words::prev_kv_missing(&name(), &text(before)),
            (Some(reported), None) => words::prev_kv_unexpected(&name(), &text(reported)),
            (Some(reported), Some(before)) => {
                words::prev_kv_differs(&name(), &text(reported), &text(before))
            }
        };
        Some(Finding {
            revision: fact.main,
            what,
            known: None,
        })
    })
}

/// Checks that the create revision and the version of an event match the key's generation. For a delete, checks that
/// both are 0 and that the event contains no value and no lease.
pub(super) fn is_create(d: &Delivery<'_>) -> Option<Finding> {
    d.found.iter().find_map(|f| {
        let number = f.place.number()?;
        let fact = d.truth.kv(number);
        let kv = &f.event.kv;
        let counters = (kv.create_revision, kv.version);
        let expected = (fact.create_revision, fact.version);
        let bare = kv.value.is_empty() && kv.lease == 0;
        if counters == expected && (f.event.kind == EventKind::Put || bare) {
            return None;
        }
        let name = d.name(number);
        Some(Finding {
            revision: kv.mod_revision,
            what: match f.event.kind {
                EventKind::Put => words::wrong_counters(&name, counters, expected),
                EventKind::Delete => words::delete_with_value(&name),
            },
            known: None,
        })
    })
}

/// Checks that every event is in the range of the watch and passes its filters.
pub(super) fn filter(d: &Delivery<'_>) -> Option<Finding> {
    d.found.iter().find_map(|f| match f.place {
        EventPlace::Outside { number, why } => Some(Finding {
            revision: d.truth.fact(number).main,
            what: match why {
                Unexpected::OutsideRange => words::outside_range(&d.name(number)),
                Unexpected::FilteredOut => words::filtered_out(&d.name(number)),
                Unexpected::BeforeStart => words::before_start(&d.name(number)),
            },
            known: match why {
                Unexpected::BeforeStart if d.truth.lowers_starts() => Some(Known::LoweredStart),
                Unexpected::BeforeStart => d.known_early(number),
                Unexpected::OutsideRange | Unexpected::FilteredOut => None,
            },
        }),
        EventPlace::New { .. } | EventPlace::Again { .. } | EventPlace::Nowhere => None,
    })
}

/// Describes a key-value pair for a message, without its value.
fn text(kv: &KeyValue) -> String {
    words::pair(kv.version, &kv.key, kv.mod_revision)
}
