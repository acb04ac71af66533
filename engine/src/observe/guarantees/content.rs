//! Checks the guarantees PrevKv, IsCreate and Filter, which concern the content of a single event.

use crate::api::{EventKind, KeyValue};

use super::delivery::{BEFORE_START, Delivery, EventPlace};
use super::{Finding, Known};

/// Checks that `prev_kv` is the value one revision before the event. `prev_kv` may be missing if that revision was
/// compacted before the event arrived: an observer does not know when etcd read the value.
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
        let what = match (&f.event.prev_kv, &before) {
            (None, None) => return None,
            (None, Some(_)) if may_be_missing => return None,
            (Some(told), Some(before)) if told == before => return None,
            (None, Some(before)) => format!("nothing, but there was {}", text(before)),
            (Some(told), None) => format!("{}, but there was nothing", text(told)),
            (Some(told), Some(before)) => {
                format!("{}, but there was {}", text(told), text(before))
            }
        };
        Some(Finding {
            revision: fact.main,
            what: format!("{} came with a wrong prev_kv: {what}", d.name(number)),
            known: None,
        })
    })
}

/// Checks that the create revision and the version match the key's generation. In a delete, both are 0, and there is
/// no value and no lease.
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
        let what = match f.event.kind {
            EventKind::Put => format!(
                "came with create revision {} and version {}, instead of {} and {}",
                counters.0, counters.1, expected.0, expected.1
            ),
            EventKind::Delete => "came with more than its key and its revision".into(),
        };
        Some(Finding {
            revision: kv.mod_revision,
            what: format!("{} {what}", d.name(number)),
            known: None,
        })
    })
}

/// Checks that every event is in the range of the watch and passes its filters.
pub(super) fn filter(d: &Delivery<'_>) -> Option<Finding> {
    d.found.iter().find_map(|f| match f.place {
        EventPlace::Outside { number, why } => Some(Finding {
            revision: d.truth.fact(number).main,
            what: format!("the watch received {}, {why}", d.name(number)),
            known: match why {
                BEFORE_START if d.truth.lowers_starts() => Some(Known::LoweredStart),
                BEFORE_START => d.known_repeat(number),
                _ => None,
            },
        }),
        EventPlace::New { .. } | EventPlace::Again { .. } | EventPlace::Nowhere => None,
    })
}

/// Describes a row in a few words.
fn text(kv: &KeyValue) -> String {
    format!(
        "version {} of {} from revision {}",
        kv.version, kv.key, kv.mod_revision
    )
}
