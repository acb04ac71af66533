//! The operations of clients as intervals from the call to the response. A dotted line leads through the operations in
//! an order that explains all responses. The line has one point for each operation, inside of the operation's interval.
//!
//! The axis is the order of calls and responses, not the time, so that short operations have room for their labels.

use std::collections::BTreeMap;

use watchglass_engine::view::cluster::{OperationOutcome, OperationView, OperationsView};
use yew::prelude::*;

use super::log::legend_of;
use crate::draw::marks::polyline;
use crate::draw::{Font, Identity, Marks, Point, Rect, order, pt, text};
use crate::widgets::{Glyph, Icon};
use crate::words::cluster as words;

/// The height of a lane, which contains the operations of one client on one member.
const LANE: f64 = 36.0;
/// The height of the bar of an operation.
const BAR: f64 = 14.0;
/// The distance between two events (calls or responses) on the axis.
const GAP: f64 = 9.0;
/// The maximum number of characters in the label of an operation.
const LABEL_MAX: usize = 14;

/// An interval on the axis: the start and the end, in pixels from the start of the axis.
type Span = (f64, f64);

/// Returns the interval of each operation. The intervals are wide enough that each label fits above its interval.
fn spans(operations: &[OperationView], cell: f64) -> Vec<Span> {
    // Each event is a time, whether the event is a response, and the operation.
    let mut events = Vec::new();
    for (at, operation) in operations.iter().enumerate() {
        events.push((operation.called_us, false, at));
        events.extend(operation.returned_us.map(|time| (time, true, at)));
    }
    events.sort_unstable();
    let mut spans = vec![(0.0, f64::NAN); operations.len()];
    let mut x = 0.0;
    for (_, is_response, at) in events {
        x += GAP;
        let label = |at: usize| text::cells(&operations[at].label).min(LABEL_MAX) as f64 * cell;
        if is_response {
            x = f64::max(x, spans[at].0 + label(at) + 4.0);
            spans[at].1 = x;
        } else {
            // The label of an operation without a response ends before the client's next operation.
            let is_open = |other: &usize| {
                has_no_result(&operations[*other])
                    && lane(&operations[*other]) == lane(&operations[at])
            };
            let before = (0..at).rev().find(is_open);
            let free = before.map_or(0.0, |other| spans[other].0 + label(other) + GAP);
            x = x.max(free);
            spans[at].0 = x;
        }
    }
    let open = operations.iter().filter(|o| o.returned_us.is_none());
    let longest = open.map(|o| text::cells(&o.label).min(LABEL_MAX)).max();
    let end = x + longest.map_or(GAP, |label| label as f64 * cell + GAP);
    for at in 0..spans.len() {
        if has_no_result(&operations[at]) {
            // A client that calls again no longer waits for the response.
            let is_next = |next: &usize| lane(&operations[*next]) == lane(&operations[at]);
            let next = (at + 1..operations.len()).find(is_next);
            let latest = next.map_or(end, |next| spans[next].0 - GAP / 2.0);
            // `min` ignores the missing end of an operation without a response.
            spans[at].1 = spans[at].1.min(latest);
        }
    }
    spans
}

/// Returns true if the client knows no result: the response is missing, arrives too late, or is an error.
fn has_no_result(operation: &OperationView) -> bool {
    use OperationOutcome::{Failed, Open};
    matches!(operation.outcome, Open | Failed)
}

/// Returns the newest operations that fit into a width, and the interval of each operation on the axis.
fn fitting(operations: &[OperationView], width: f64, cell: f64) -> (&[OperationView], Vec<Span>) {
    let mut newest = operations;
    loop {
        let spans = spans(newest, cell);
        let end = spans.iter().map(|(_, end)| *end).fold(0.0, f64::max);
        if end <= width || newest.len() < 2 {
            return (newest, spans);
        }
        newest = &newest[1..];
    }
}

/// Returns the points of the dotted line: for each ordered operation, its index in `operations` and an x coordinate
/// within its interval.
fn points(operations: &[OperationView], spans: &[Span]) -> Vec<(usize, f64)> {
    let places = operations.iter().enumerate();
    let mut ordered: Vec<(u32, usize)> = places
        .filter_map(|(at, operation)| Some((operation.place?, at)))
        .collect();
    ordered.sort_unstable();
    let mut x: f64 = 0.0;
    let point = |(_, at): (u32, usize)| {
        let (start, end) = spans[at];
        x = (x + 3.0).max(start + 7.0);
        // An operation without a response may take effect at any later time.
        if !has_no_result(&operations[at]) {
            x = x.min(end - 1.0);
        }
        (at, x)
    };
    ordered.into_iter().map(point).collect()
}

/// Returns the names of the lanes: one lane (a row of the picture) for each pair of a client and a member.
fn lanes(operations: &[OperationView]) -> Vec<String> {
    let mut lanes = Vec::new();
    for operation in operations {
        let lane = lane(operation);
        if !lanes.contains(&lane) {
            lanes.push(lane);
        }
    }
    lanes.sort();
    lanes
}

fn lane(operation: &OperationView) -> String {
    [&operation.client, " → ", &operation.member].concat()
}

/// Returns the identity of a part of an operation: a client calls at most once at a time.
fn identity(kind: &str, operation: &OperationView) -> Identity {
    let id = format!("{}.{}", lane(operation), operation.called_us);
    Identity::new(kind, &id, order::CLIENT)
}

fn class(operation: &OperationView) -> &'static str {
    match operation.outcome {
        _ if operation.contradicts => "cl-call is-contradiction",
        OperationOutcome::Done if operation.is_write => "cl-call is-write",
        OperationOutcome::Done => "cl-call",
        OperationOutcome::Open | OperationOutcome::Failed => "cl-call is-unknown",
        OperationOutcome::Serializable => "cl-call is-stale",
    }
}

/// Returns the class and the name of each kind of operation in the picture.
fn kinds(view: &OperationsView) -> Vec<(&'static str, &'static str)> {
    let drawn = |of: &str| view.operations.iter().any(|o| class(o) == of);
    let all = [
        ("cl-call is-write", words::WRITE),
        ("cl-call", words::LINEARIZABLE_READ),
        ("cl-call is-stale", words::SERIALIZABLE_READ),
        ("cl-call is-unknown", words::UNKNOWN_RESULT),
        ("cl-call is-contradiction", words::CONTRADICTS),
    ];
    all.into_iter().filter(|(of, _)| drawn(of)).collect()
}

/// Lays out the picture for a width. Returns the marks, the height, and the number of operations that do not fit.
fn scene(view: &OperationsView, width: f64, font: Font) -> (Marks, f64, usize) {
    let cell = font.long(1);
    let names = lanes(&view.operations).into_iter();
    let left = names.map(|lane| font.width(&lane)).fold(0.0, f64::max) + 8.0;
    let (operations, spans) = fitting(&view.operations, width - left - 4.0, cell);
    let lanes = lanes(operations);
    let rows: BTreeMap<&str, f64> = lanes
        .iter()
        .enumerate()
        .map(|(at, lane)| (&**lane, at as f64 * LANE))
        .collect();
    let mut all = Marks::default();
    for (lane, top) in &rows {
        let y = top + LANE - BAR / 2.0 - 2.0;
        all.label("cl-name", pt(0.0, y), *lane);
        all.level("cl-lane", left, width, y);
    }
    let row = |operation: &OperationView| rows[&*lane(operation)];
    for (operation, (start, end)) in operations.iter().zip(&spans) {
        let y = row(operation) + LANE - BAR - 2.0;
        let bar = Rect::new(left + start, y, end - start, BAR);
        all.part(identity("call", operation).grows(), |all| {
            all.rect(class(operation), bar, 4.0);
        });
    }
    let points = points(operations, &spans).into_iter();
    let middle = |at: usize| row(&operations[at]) + LANE - BAR / 2.0 - 2.0;
    let points: Vec<Point> = points.map(|(at, x)| pt(left + x, middle(at))).collect();
    all.part(Identity::new("call", "order", order::RECEIVER), |all| {
        all.path("cl-order", polyline(&points));
        for point in points {
            all.circle("cl-point", point, 3.0);
        }
    });
    // The labels are in front of the line of the order, so that the line does not cross them.
    for (operation, (start, _)) in operations.iter().zip(&spans) {
        let label = text::middle(&operation.label, LABEL_MAX);
        let y = row(operation) + LANE - BAR - 6.0;
        all.part(identity("call-name", operation), |all| {
            all.text("cl-call-name", pt(left + start, y), label);
        });
    }
    let hidden = view.operations.len() - operations.len();
    (all, lanes.len() as f64 * LANE + 4.0, hidden)
}

pub fn calls(view: &OperationsView, width: f64, font: Font) -> Html {
    let (all, height, hidden) = scene(view, width, font);
    let older = view.older + hidden as u64;
    html! {
        <section class="cl-calls wg-part" aria-label={words::OPERATIONS}>
            <h3>{ words::operations_on(&view.key) }</h3>
            <p class="cl-verdict">
                <Icon glyph={if words::is_good(view) { Glyph::Check } else { Glyph::Close }} />
                { words::verdict(view) }
            </p>
            if older > 0 {
                <p>{ words::not_drawn(older) }</p>
            }
            { all.svg("cl-svg", width, height) }
            { legend_of(&kinds(view)) }
            if view.operations.iter().any(|operation| operation.place.is_some()) {
                <p>{ words::ORDER }</p>
            }
            <ol class="wg-unseen">
                { for view.operations.iter().map(|operation| html! { <li>{ words::operation(operation) }</li> }) }
            </ol>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn each_point_of_the_order_is_within_its_interval() {
        let view = fixture::partitioned().history.expect("operations");
        let spans = spans(&view.operations, 7.2);
        let points = points(&view.operations, &spans);
        let order: Vec<usize> = points.iter().map(|(at, _)| *at).collect();
        assert_eq!(order, [0, 2], "`put lost` has no place in the order");
        for (at, x) in points {
            assert!((spans[at].0..=spans[at].1).contains(&x), "{at}: {x}");
        }
    }

    #[test]
    fn labels_of_one_lane_do_not_overlap() {
        let view = fixture::partitioned().history.expect("operations");
        let spans = spans(&view.operations, 7.2);
        let end_of_label = spans[0].0 + 5.0 * 7.2;
        assert!(end_of_label < spans[1].0, "{spans:?}");
    }

    #[test]
    fn older_operations_make_room() {
        let mut view = fixture::partitioned().history.expect("operations");
        let more: Vec<OperationView> = (0..20_u64)
            .map(|n| OperationView {
                label: "get something".to_owned(),
                called_us: 10_000 + n * 1_000,
                returned_us: Some(10_500 + n * 1_000),
                ..OperationView::default()
            })
            .collect();
        view.operations.extend(more);
        let (_, _, hidden) = scene(&view, 800.0, Font::of(0.6));
        assert!((10..23).contains(&hidden), "{hidden}");
    }
}
