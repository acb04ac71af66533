//! Builds the Index view from the store at the cursor and the history of the run.

use std::collections::BTreeSet;

use crate::api::{Difference, RangeRequest, Request, Response};
use crate::base::Bytes;
use crate::etcd::range;
use crate::mvcc::Revision;
use crate::observe::{AsideRequest, LaneHistory, Past, PastChange};
use crate::shell::read_label;
use crate::trace::{ChangeKind, TraceEvent};

use super::lanes::MatchingLanes;
use super::{
    Bead, BeadState, Bin, IndexQuery, IndexView, Join, Lane, ReadAnswer, ReadCut, Thread, in_sight,
    page_of,
};

/// The maximum number of lanes (rows of the Index view, one per key) in one response.
const LANES_MAX: u32 = 512;

/// The maximum revision in a query. It is larger than any revision of a run, but small enough to prevent overflow.
const REVISION_MAX: i64 = 1 << 60;

/// The minimum number of pixel columns per revision for drawing each change individually. With fewer columns, the view
/// shows the number of changes per column.
const COLUMNS_PER_BEAD_MIN: i64 = 2;

pub fn index_view(m: Past<'_>, asked: &IndexQuery) -> IndexView {
    let lanes = MatchingLanes::new(m, asked);
    let visible = lanes.window(asked.first_lane, asked.lane_count.min(LANES_MAX));
    let read = read_cut(m, &visible);
    let head = m.store().current_rev();
    let (rev_from, rev_to) = match asked.half_page {
        Some(half) => around_page(in_sight(head, read.as_ref()), half),
        None => (asked.rev_from, asked.rev_to),
    };
    let query = &IndexQuery {
        rev_from: rev_from.clamp(0, REVISION_MAX),
        rev_to: rev_to.clamp(0, REVISION_MAX),
        ..asked.clone()
    };
    IndexView {
        query: asked.clone(),
        rev_from,
        rev_to,
        head,
        end: m.end_revision,
        compact_revision: m.store().compact_rev(),
        lanes_total: m.history.lanes_at(m.step).len() as u32,
        lanes_end: m.history.lanes_at(u64::MAX).len() as u32,
        lanes_matching: lanes.count(),
        lanes_folded: lanes.folded(),
        written: lanes.written(),
        focus: lanes.focused(),
        bracket: lanes.bracket(query),
        overview: lanes.overview(query),
        lanes: visible
            .iter()
            .map(|lane| lane_view(m, lane, query))
            .collect(),
        joins: joins(m, &visible, query),
        read,
    }
}

/// Returns the first and the last revision of a view that contains the page of a revision. The view begins one page
/// before this page, because at the end of a run, a picture moves the last page back by up to one page.
fn around_page(revision: i64, half: i64) -> (i64, i64) {
    let half = half.clamp(1, REVISION_MAX / 4);
    let first = page_of(revision, half) * half;
    ((first - 2 * half).max(1), first + 3 * half)
}

fn revisions(query: &IndexQuery) -> i64 {
    let distance = query.rev_to.saturating_sub(query.rev_from);
    distance.saturating_add(1).max(1)
}

/// Returns true if the view has too few pixel columns to draw each change individually.
fn is_binned(query: &IndexQuery) -> bool {
    i64::from(query.columns) < revisions(query).saturating_mul(COLUMNS_PER_BEAD_MIN)
}

fn lane_view(m: Past<'_>, lane: &LaneHistory, query: &IndexQuery) -> Lane {
    let changes = lane.changes_at(m.step);
    let from = changes.partition_point(|c| c.main < query.rev_from);
    let to = changes.partition_point(|c| c.main <= query.rev_to);
    let visible = &changes[from.min(to)..to];
    let states = LaneStates::new(m, lane);
    let binned = is_binned(query);
    Lane {
        key: lane.key.to_vec(),
        name: lane.key.to_text(),
        alive: changes.last().is_some_and(|c| c.kind != ChangeKind::Delete),
        threads: threads(&states, changes, query),
        beads: if binned {
            Vec::new()
        } else {
            visible.iter().map(|c| states.bead(c)).collect()
        },
        earlier: changes[..from]
            .last()
            .filter(|_| visible.is_empty() && !binned)
            .map(|c| states.bead(c)),
        bins: if binned {
            bins(&states, visible, query)
        } else {
            Vec::new()
        },
    }
}

/// The data from which the states of the changes in one lane are derived.
struct LaneStates<'a> {
    m: Past<'a>,
    key: &'a Bytes,
    /// The revision of the key's current value.
    live: Option<Revision>,
    /// The newest revision at or before the compact revision, which a read at the compact revision returns.
    at_floor: Option<Revision>,
}

impl<'a> LaneStates<'a> {
    fn new(m: Past<'a>, lane: &'a LaneHistory) -> Self {
        let found = |rev: i64| m.store().index().get(&lane.key, rev).map(|f| f.modified);
        Self {
            m,
            key: &lane.key,
            live: found(m.store().current_rev()),
            at_floor: found(m.store().compact_rev()),
        }
    }

    fn state(&self, c: &PastChange) -> BeadState {
        let rev = c.revision();
        let floor = self.m.store().compact_rev();
        if c.main > floor {
            return match c.kind {
                ChangeKind::Delete => BeadState::Tombstone,
                _ if self.live == Some(rev) => BeadState::Live,
                _ => BeadState::Superseded,
            };
        }
        if self.m.store().stored_row(rev).is_none() {
            return BeadState::Gone;
        }
        match c.kind {
            ChangeKind::Delete
                if c.main == floor && self.m.profile().has(Difference::KeepsCompactedTombstone) =>
            {
                BeadState::Tombstone
            }
            ChangeKind::Delete => BeadState::Doomed,
            _ if self.live == Some(rev) => BeadState::Live,
            _ if self.at_floor == Some(rev) => BeadState::Kept,
            _ => BeadState::Doomed,
        }
    }

    fn bead(&self, c: &PastChange) -> Bead {
        let state = self.state(c);
        let lease = match c.kind {
            ChangeKind::Delete => self.m.history.lease_that_ended(c),
            _ if self.live == Some(c.revision()) => Some(self.m.etcd().lessor().lease_of(self.key)),
            _ => None,
        };
        let lease = lease.filter(|id| *id != 0);
        Bead {
            main: c.main,
            sub: c.sub.into(),
            state,
            changed: self.m.is_new(c.step) || self.removed_now(c),
            label: c.label.to_string(),
            version: c.version.into(),
            lease: lease.map_or_else(String::new, |id| format!("{id:x}")),
        }
    }

    /// Returns true if the step at the cursor removed the change's row.
    fn removed_now(&self, c: &PastChange) -> bool {
        self.m.events.iter().any(|e| match &e.what {
            TraceEvent::CompactionBatch { removed, .. } => {
                removed.binary_search(&(c.main, c.sub.into())).is_ok()
            }
            _ => false,
        })
    }

    /// Returns true if a compaction removed the generation that ends with this change from the index.
    fn forgotten(&self, last: &PastChange) -> bool {
        let Some(ki) = self.m.store().index().key_index(self.key) else {
            return true;
        };
        let rev = last.revision();
        ki.place_of(rev).is_none()
    }
}

fn threads(states: &LaneStates<'_>, changes: &[PastChange], query: &IndexQuery) -> Vec<Thread> {
    changes
        .chunk_by(|a, b| a.life == b.life)
        .filter_map(|life| {
            let (first, last) = (life.first()?, life.last()?);
            let alive = last.kind != ChangeKind::Delete;
            let visible = first.main <= query.rev_to && (alive || last.main >= query.rev_from);
            visible.then(|| Thread {
                number: last.life,
                ver: last.life_ver.into(),
                first: first.main,
                last: last.main,
                alive,
                forgotten: states.forgotten(last),
            })
        })
        .collect()
}

fn bins(states: &LaneStates<'_>, visible: &[PastChange], query: &IndexQuery) -> Vec<Bin> {
    let revisions = i128::from(revisions(query));
    let mut out: Vec<Bin> = Vec::new();
    for c in visible {
        let from_left = i128::from(c.main) - i128::from(query.rev_from);
        let column = from_left * i128::from(query.columns) / revisions;
        let (column, state) = (column as u32, states.state(c));
        match out.last_mut() {
            Some(bin) if bin.column == column => {
                bin.count += 1;
                bin.state = bin.state.max(state);
            }
            _ => out.push(Bin {
                column,
                count: 1,
                state,
            }),
        }
    }
    out
}

fn joins(m: Past<'_>, lanes: &[&LaneHistory], query: &IndexQuery) -> Vec<Join> {
    if is_binned(query) {
        return Vec::new();
    }
    let upto = query.rev_to.min(m.store().current_rev());
    if query.rev_from > upto {
        return Vec::new();
    }
    m.history
        .wide_revisions(query.rev_from, upto)
        .filter_map(|main| {
            let mut touched = lanes.iter().enumerate().filter_map(|(i, lane)| {
                lane.changes
                    .binary_search_by(|c| c.main.cmp(&main))
                    .ok()
                    .map(|_| i as u32)
            });
            let top = touched.next()?;
            let bottom = touched.next_back()?;
            Some(Join { main, top, bottom })
        })
        .collect()
}

/// Returns the read that a person typed at an earlier step, or the first read among the events of the step at the
/// cursor; `None` if there is no read.
fn read_cut(m: Past<'_>, lanes: &[&LaneHistory]) -> Option<ReadCut> {
    if let Some(aside) = m.aside {
        return aside_cut(m, lanes, aside);
    }
    let label = || read_label(m.command.lines().next().unwrap_or_default());
    let refused = m.events.iter().find_map(|e| match &e.what {
        TraceEvent::Refused { error } => Some(error.to_string()),
        _ => None,
    });
    if refused.is_some() {
        // A read without a revision has no position on the axis.
        let revision = m.events.iter().find_map(|e| match e.what {
            TraceEvent::Received { revision, .. } if revision != 0 => Some(revision),
            _ => None,
        })?;
        return Some(ReadCut {
            revision,
            label: label(),
            answers: Vec::new(),
            refused,
            count: 0,
            returned: None,
            is_aside: false,
        });
    }
    m.events.iter().find_map(|e| {
        let TraceEvent::Read {
            range,
            revision,
            count,
            returned,
            partial_request,
            ..
        } = &e.what
        else {
            return None;
        };
        // The event does not contain the returned keys, so a read that leaves out some keys is repeated.
        let only: Option<BTreeSet<Bytes>> = partial_request.as_ref().map(|request| {
            let request = RangeRequest {
                revision: *revision,
                ..(**request).clone()
            };
            let response = range::range(m.store(), &request).ok();
            let rows = response.iter().flat_map(|response| response.kvs.iter());
            rows.map(|kv| kv.key.clone()).collect()
        });
        let is_returned =
            |key: &Bytes| returned.is_some() && only.as_ref().is_none_or(|only| only.contains(key));
        let answers = lanes.iter().enumerate().filter_map(|(i, lane)| {
            if !range.contains(&lane.key) || !is_returned(&lane.key) {
                return None;
            }
            let found = m.store().index().get(&lane.key, *revision)?.modified;
            let place = |c: &PastChange| (c.main, i64::from(c.sub)) < (found.main, found.sub);
            let change = lane.changes.get(lane.changes.partition_point(place));
            Some(ReadAnswer {
                lane: i as u32,
                main: found.main,
                sub: found.sub,
                label: change.map_or_else(String::new, |change| change.label.to_string()),
            })
        });
        Some(ReadCut {
            revision: *revision,
            label: label(),
            answers: answers.collect(),
            refused: None,
            count: *count,
            returned: *returned,
            is_aside: false,
        })
    })
}

/// Returns the read of a request that a person typed at an earlier step; `None` if the request is not a read, or if it
/// was refused and has no revision.
fn aside_cut(m: Past<'_>, lanes: &[&LaneHistory], aside: AsideRequest<'_>) -> Option<ReadCut> {
    let Request::Range(request) = aside.request else {
        return None;
    };
    let label = read_label(aside.command.lines().next().unwrap_or_default());
    let response = match aside.reply {
        Ok(Response::Range(response)) => response,
        Ok(_) => return None,
        Err(error) => {
            return (request.revision != 0).then(|| ReadCut {
                revision: request.revision,
                label,
                answers: Vec::new(),
                refused: Some(error.to_string()),
                count: 0,
                returned: None,
                is_aside: true,
            });
        }
    };
    let revision = match request.revision {
        ..=0 => m.head(),
        revision => revision,
    };
    let answers = lanes.iter().enumerate().filter_map(|(i, lane)| {
        let row = response.kvs.iter().find(|row| row.key == lane.key)?;
        let by_then = |change: &PastChange| change.main <= row.mod_revision;
        let place = lane.changes.partition_point(by_then).checked_sub(1)?;
        let change = lane.changes.get(place)?;
        Some(ReadAnswer {
            lane: i as u32,
            main: change.main,
            sub: change.sub.into(),
            label: change.label.to_string(),
        })
    });
    Some(ReadCut {
        revision,
        label,
        answers: answers.collect(),
        refused: None,
        count: response.count,
        returned: (!request.count_only).then_some(response.kvs.len() as i64),
        is_aside: true,
    })
}
