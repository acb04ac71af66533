//! The picture of the newest requests, from at most the last four seconds. The picture has one row (lane) for each
//! class, and one row for the requests without a rule.
//!
//! Each outcome has a shape of its own, so no outcome is shown by colour alone. A line leads from the arrival of a
//! delayed request to its start.

use watchglass_engine::view::QosView;
use watchglass_engine::view::qos::{MARKS_SPAN_US, RequestOutcome};
use yew::prelude::*;

use crate::draw::shapes::diamond;
use crate::draw::{Font, Identity, Marks, Point, Rect, order, pt, svg_path, text};
use crate::words::qos as words;

/// The height of a lane, in pixels.
const LANE: f64 = 26.0;
/// The height of the axis below the lanes.
const AXIS: f64 = 20.0;
/// The space to the left of the lanes' names; this space is the padding of the view.
const NAMES_FROM: f64 = 14.0;
/// The space between a name and the start of its lane.
const BESIDE: f64 = 14.0;
/// The space at the end of the lanes.
const RIGHT: f64 = 18.0;
/// Half of the size of the mark of a request.
const HALF: f64 = 4.0;
/// The vertical distance of a mark from the middle of its lane. Marks of limited requests are below the middle, all
/// other marks are above the middle.
const ASIDE: f64 = 5.0;

/// The time spans that the axis can have if a shorter span than the maximum contains all marks, in microseconds.
const SPANS_US: [u64; 7] = [
    20_000, 40_000, 100_000, 200_000, 400_000, 1_000_000, 2_000_000,
];
/// The number of ticks of the axis. The distance between two ticks is the span divided by this number.
const TICKS: u64 = 4;

/// The outcomes in the order of the legend.
const OUTCOMES: [RequestOutcome; 4] = [
    RequestOutcome::Bypassed,
    RequestOutcome::Admitted,
    RequestOutcome::Delayed,
    RequestOutcome::Limited,
];

/// Returns the shortest span of the axis that contains all marks. A short span separates the marks of requests that
/// follow each other quickly.
fn span_us(view: &QosView) -> u64 {
    let ages = view.marks.iter();
    let ages = ages.map(|mark| view.now_us.saturating_sub(mark.at_us));
    let oldest = ages.max().unwrap_or(MARKS_SPAN_US);
    let span = SPANS_US.into_iter().find(|span| *span >= oldest);
    span.unwrap_or(MARKS_SPAN_US)
}

/// Lays out the newest requests for a picture of this width.
pub fn scene(view: &QosView, width: f64, font: Font) -> Marks {
    let names = [words::NO_RULE_LANE]
        .into_iter()
        .chain(view.classes.iter().map(|class| &*class.name));
    let longest = names.clone().map(str::len).max().unwrap_or_default();
    let left = (NAMES_FROM + font.long(longest) + BESIDE).min(width * 0.4);
    let right = (width - RIGHT).max(left + 1.0);
    let span = span_us(view);
    let scale = (right - left) / span as f64;
    let x = |at_us: u64| right - scale * view.now_us.saturating_sub(at_us) as f64;
    let lane = |class: Option<u32>| class.map_or(0.0, |class| f64::from(class) + 1.0);
    let mut all = Marks::default();
    for (at, name) in names.enumerate() {
        let y = LANE * (at as f64 + 0.5);
        all.level("qos-lane", left, right, y);
        let name = text::middle(name, font.cells(left - NAMES_FROM - 4.0));
        all.label("qos-name", pt(NAMES_FROM, y), name);
    }
    let bottom = LANE * (view.classes.len() as f64 + 1.0);
    all.upright("qos-now", right, 0.0, bottom);
    for tick in 0..TICKS {
        let ago = tick * span / TICKS;
        let at = pt(right - scale * ago as f64, bottom + 14.0);
        all.text("qos-tick", at, words::ago(ago));
    }
    let mut last = None::<(u64, Option<u32>, u32)>;
    for mark in &view.marks {
        let aside = match mark.outcome {
            RequestOutcome::Bypassed => 0.0,
            RequestOutcome::Admitted | RequestOutcome::Delayed => -ASIDE,
            RequestOutcome::Limited => ASIDE,
        };
        let (at, y) = (x(mark.at_us), LANE * (lane(mark.class) + 0.5) + aside);
        // Requests of one class can arrive at the same time.
        let same = last.filter(|(time, class, _)| (*time, *class) == (mark.at_us, mark.class));
        let number = same.map_or(0, |(_, _, number)| number + 1);
        last = Some((mark.at_us, mark.class, number));
        let id = format!(
            "{}.{}.{number}",
            mark.at_us,
            mark.class.map_or(0, |class| class + 1)
        );
        let identity = Identity::new("request", &id, order::AXIS).born(order::CLIENT);
        all.part(identity.pops(), |all| {
            if mark.outcome == RequestOutcome::Delayed {
                let start = x((mark.at_us + mark.wait_us).min(view.now_us));
                all.level("qos-wait", at, start, y);
            }
            all.outcome(mark.outcome, pt(at, y));
        });
    }
    all
}

impl Marks {
    fn outcome(&mut self, outcome: RequestOutcome, at: Point) {
        match outcome {
            RequestOutcome::Bypassed => self.circle("qos-bypassed", at, HALF),
            RequestOutcome::Admitted => {
                self.rect("qos-admitted", Rect::around(at, HALF, HALF), 1.0);
            }
            // A circle whose left half is filled.
            RequestOutcome::Delayed => {
                let Point { x, y } = at;
                let half = svg_path!(M x, y - HALF; A HALF, HALF, 0.0, 0.0, 0.0, x, y + HALF; Z);
                self.circle("qos-circle", at, HALF);
                self.path("qos-delayed", half);
            }
            RequestOutcome::Limited => self.path("qos-limited", diamond(at, HALF + 1.0)),
        }
    }
}

pub fn stream(view: &QosView, width: f64, font: Font) -> Html {
    let height = LANE * (view.classes.len() as f64 + 1.0) + AXIS;
    scene(view, width, font).svg("qos-svg qos-stream", width, height)
}

/// Renders the legend that explains the marks of requests.
pub fn legend() -> Html {
    let mark = |outcome| {
        let mut mark = Marks::default();
        mark.outcome(outcome, pt(7.0, 7.0));
        mark.svg("qos-svg", 14.0, 14.0)
    };
    html! {
        <ul class="wg-legend">
            { for OUTCOMES.iter().map(|outcome| html! {
                <li>
                    { mark(*outcome) }{ words::outcome(*outcome) }
                </li>
            }) }
        </ul>
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_axis_is_as_long_as_the_oldest_request_needs() {
        let mut view = fixture::busy();
        assert_eq!(span_us(&view), 2_000_000);
        view.now_us += 1;
        assert_eq!(span_us(&view), MARKS_SPAN_US);
        view.marks.retain(|mark| mark.at_us == 11_382_000);
        assert_eq!(span_us(&view), 20_000);
        view.marks.clear();
        assert_eq!(span_us(&view), MARKS_SPAN_US);
    }

    #[test]
    fn marks_lie_on_their_lanes() {
        let font = Font::of(0.6);
        let all = scene(&fixture::busy(), 600.0, font);
        let right = 600.0 - RIGHT;
        let bypassed = all.rects("qos-bypassed").next();
        let bypassed = bypassed.expect("a request without a rule");
        let (x, y) = (bypassed.x + HALF, bypassed.y + HALF);
        assert_eq!(y, LANE / 2.0, "the first lane");
        let left = NAMES_FROM + font.long(10) + BESIDE;
        assert!((x - left).abs() < 0.01, "2 s of 2 s ago: {x}");
        let half = pt((left + right) / 2.0, LANE * 3.0 + 14.0);
        assert!(all.texts("qos-tick").any(|tick| tick == (half, "−1 s")));
        let limited = diamond(pt(right, LANE * 2.5 + ASIDE), HALF + 1.0);
        assert!(all.paths("qos-limited").any(|d| d == limited));
        assert_eq!(all.lines("qos-wait").count(), 1);
    }
}
