//! Overlaps: whether two key ranges have a common key, and whether two rules can match the same request.

use crate::base::Bytes;
use crate::base::bytes::{KeyRange, prefix_end};

use super::method::{kinds_of, methods};
use super::operation::OpKind;
use super::rule::QosRule;

pub fn prefix_range(prefix: &Bytes) -> KeyRange {
    KeyRange::new(prefix, &prefix_end(prefix))
}

/// Returns true if two ranges have a common key. An inverted range is empty and overlaps nothing.
///
/// ```
/// use watchglass_engine::base::bytes::KeyRange;
/// use watchglass_engine::qos::overlap::{overlaps, prefix_range};
/// let rule = prefix_range(&"/foo/bar/".into());
/// assert!(overlaps(&KeyRange::From("/foo/bar/zz".into()), &rule));
/// assert!(!overlaps(&KeyRange::Between("/foo/a".into(), "/foo/bar/".into()), &rule));
/// ```
pub fn overlaps(a: &KeyRange, b: &KeyRange) -> bool {
    !a.is_empty() && !b.is_empty() && starts_before_end(a, b) && starts_before_end(b, a)
}

fn starts_before_end(a: &KeyRange, b: &KeyRange) -> bool {
    match b {
        KeyRange::One(key) => a.start() <= key,
        KeyRange::From(_) => true,
        KeyRange::Between(_, end) => a.start() < end,
    }
}

/// The way in which two rules can match the same request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleOverlap {
    /// A single operation can match both rules.
    Operation,
    /// Only a transaction with several operations can match both rules.
    Txn,
}

/// Returns how two rules can match the same request; `None` if no request matches both. Conditions never
/// prevent an overlap, because each condition is a lower bound: a sufficiently large measure meets any two conditions.
pub fn rule_overlap(a: &QosRule, b: &QosRule) -> Option<RuleOverlap> {
    let subjects = a.subjects.is_empty()
        || b.subjects.is_empty()
        || a.subjects
            .iter()
            .any(|ours| b.subjects.iter().any(|theirs| ours.overlaps(theirs)));
    if !subjects {
        return None;
    }
    let common_methods: Vec<&str> = methods()
        .filter(|method| a.selects(method) && b.selects(method))
        .collect();
    let mut in_methods = common_methods.iter();
    let take_any = a.takes_any_operation() && b.takes_any_operation();
    if take_any && in_methods.any(|method| kinds_of(method).is_empty()) {
        return Some(RuleOverlap::Operation);
    }
    let mut common = a.kinds().iter().filter(|kind| b.kinds().contains(kind));
    let have_common_keys = a.prefixes.is_empty()
        || b.prefixes.is_empty()
        || a.prefixes.iter().any(|ours| {
            let ours = prefix_range(ours);
            let mut theirs = b.prefixes.iter();
            theirs.any(|theirs| overlaps(&ours, &prefix_range(theirs)))
        });
    let is_common = |kind: &OpKind| {
        let mut methods = common_methods.iter();
        let is_selected = methods.any(|method| kinds_of(method).contains(kind));
        is_selected
            && match kind.has_key() {
                true => have_common_keys,
                false => a.prefixes.is_empty() && b.prefixes.is_empty(),
            }
    };
    if common.any(is_common) {
        return Some(RuleOverlap::Operation);
    }
    // A transaction has any number of reads, puts and deletes.
    let in_txn = |kind: &OpKind| matches!(kind, OpKind::Range | OpKind::Put | OpKind::DeleteRange);
    let both = a.kinds().iter().any(in_txn) && b.kinds().iter().any(in_txn);
    (both && common_methods.contains(&"Txn")).then_some(RuleOverlap::Txn)
}
