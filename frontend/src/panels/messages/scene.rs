//! The layout of the Messages view: lanes, times, skipped periods, arrows, waits, and labels that no line crosses.
//!
//! The layout is a pure function of the view and the size of the drawing area. The engine provides positions in time;
//! this file turns them into lines.

use std::cmp::Reverse;

use watchglass_engine::view::MessagesView;
use watchglass_engine::view::messages::{Arrow, Fate, Stretch, WaitBar};
use watchglass_engine::view::narrate::message::ArrowKind;

use super::plan::{HEAD_LINE, Plan, TIMES};
use crate::draw::marks::polyline;
use crate::draw::placer::{ALONG, AT_END, HALF, Over, Placer};
use crate::draw::shapes::cross;
use crate::draw::surface::within;
use crate::draw::text::{self, duration, seconds};
use crate::draw::{
    Identity, Marks, Plate, Point, Rect, Segment, Side, TextBox, order, pt, svg_path,
};
use crate::words::messages as words;

/// All marks (lines, shapes and texts) of the Messages view.
#[derive(Clone, Debug, PartialEq)]
pub struct MessagesScene {
    pub plan: Plan,
    /// Marks that stay visible while scrolling: the times at the top, or the names in a narrow drawing area.
    pub top: Marks,
    /// Lanes, times, skipped periods and waits.
    pub back: Marks,
    /// Messages, oldest first.
    pub arrows: Vec<Drawn>,
    /// Numbers, and the backgrounds of labels.
    pub front: Marks,
    /// The label of a message: the number of the message, its place in the order of times, and the marks.
    pub labels: Vec<(u64, u32, Marks)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    pub id: u64,
    pub class: String,
    pub title: String,
    /// The time at which the message was sent, in thousandths of the axis.
    pub at: u32,
    pub marks: Marks,
}

/// Among this number of newest messages, events and progress notifications get their labels as early as requests do.
const NEWEST: usize = 8;
/// Half the height of the bar that shows a wait.
const WAIT: f64 = 9.0;
/// The possible positions of a label in the bar of a wait, as fractions of the free length, in the order of preference.
const WAIT_ALONG: [f64; 11] = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.05, 0.95];
/// The smallest distance between the bars of waits beside each other.
const WAIT_APART_MIN: f64 = 3.0;
/// The plates of the current time and of the number of messages on an arrow.
const NOW: Plate = Plate::new("msg-now-plate", 6.0, 10.0, 4.0);
const COUNT: Plate = Plate::new("msg-count", 9.0, 11.0, 11.0);
/// The radius of the circle around a message's number in a chain of causes.
const CIRCLE: f64 = 10.0;
/// Half the size of the cross of a lost message, without the ends of its lines.
const CROSS: f64 = 5.0;
/// The position at which the line of a lost message ends, as a fraction of the line's length.
const LOST_AT: f64 = 0.62;
/// The position of a message's number in a chain of causes, as a fraction of the length of the message's line.
const CHAIN_AT: f64 = 0.2;

impl MessagesScene {
    /// Computes the positions of all marks of the Messages view.
    pub fn new(view: &MessagesView, plan: Plan, selected: Option<u64>) -> MessagesScene {
        let mut scene = MessagesScene {
            plan,
            top: Marks::default(),
            back: Marks::default(),
            arrows: Vec::new(),
            front: Marks::default(),
            labels: Vec::new(),
        };
        let (first, last) = plan.ends();
        let mut placer = Placer {
            bounds: plan.area(first, last),
            ..Placer::default()
        };
        scene.lanes(view, &mut placer);
        let now = scene.now(view, &mut placer);
        // Not every skipped period has room for a label. Repeated periods get their labels first, then the longest
        // periods.
        let mut folds: Vec<_> = view.stretches.iter().filter(|s| s.folded).collect();
        folds.sort_by_key(|stretch| {
            let us = stretch.to_us.saturating_sub(stretch.from_us);
            (stretch.repeated == 0, Reverse(us))
        });
        for stretch in folds {
            scene.fold(stretch, &mut placer);
        }
        for stretch in view.stretches.iter().filter(|stretch| !stretch.folded) {
            scene.times(stretch, &mut placer);
        }
        // The current time is above the skipped periods.
        scene.clock().extend(now.0);
        let lines: Vec<Segment> = view.arrows.iter().map(|arrow| scene.line(arrow)).collect();
        let visible = view.arrows.iter().zip(&lines);
        let visible: Vec<Segment> = visible
            .map(|(arrow, line)| upto_cross(arrow, *line))
            .collect();
        placer.lines.extend(&visible);
        let lost = view
            .arrows
            .iter()
            .zip(&visible)
            .filter(|(arrow, _)| is_lost(arrow));
        let crosses = lost.map(|(_, line)| Rect::around(line.to, CROSS, CROSS));
        placer.areas.extend(crosses);
        let rows = wait_rows(&view.bars);
        for (bar, row) in view.bars.iter().zip(&rows) {
            let beside = view.bars.iter().zip(&rows);
            let beside = beside.filter(|(other, _)| other.lane == bar.lane);
            let last = beside.map(|(_, row)| *row).max().unwrap_or_default();
            scene.wait(bar, (*row, last + 1), &visible, &mut placer);
        }
        for (arrow, line) in view.arrows.iter().zip(&lines) {
            let drawn = scene.arrow(arrow, *line, view.now, selected == Some(arrow.id));
            scene.arrows.push(drawn);
            scene.number(arrow, *line, &mut placer);
        }
        // Messages of the selected chain get their labels first, then requests, lost messages and the newest events,
        // then older events, the newest first. A response follows its request, so its label matters least.
        let newest = view.arrows.len().saturating_sub(NEWEST);
        let all = view.arrows.iter().zip(visible).enumerate();
        let mut order: Vec<(usize, (&Arrow, Segment))> = all.rev().collect();
        order.sort_by_key(|(place, (arrow, _))| {
            let rank = match arrow.kind {
                ArrowKind::Request | ArrowKind::WatchControl => 0,
                ArrowKind::WatchEvents | ArrowKind::WatchAnswer if *place >= newest => 0,
                _ if is_lost(arrow) => 0,
                ArrowKind::WatchEvents => 1,
                ArrowKind::Answer | ArrowKind::WatchAnswer => 2,
            };
            (selected != Some(arrow.id), arrow.chain.is_none(), rank)
        });
        for (_, (arrow, line)) in order {
            scene.words(arrow, view, line, &mut placer);
        }
        scene
    }

    /// Returns the layer that contains the names of lanes.
    fn names(&mut self) -> &mut Marks {
        if self.plan.down {
            &mut self.top
        } else {
            &mut self.front
        }
    }

    /// Returns the layer that contains the times.
    fn clock(&mut self) -> &mut Marks {
        if self.plan.down {
            &mut self.back
        } else {
            &mut self.top
        }
    }

    fn lanes(&mut self, view: &MessagesView, placer: &mut Placer) {
        let plan = self.plan;
        let (first, last) = plan.ends();
        for (lane, node) in view.lanes.iter().enumerate() {
            let across = plan.lane(lane as u32);
            let line = Segment::new(plan.turned(first, across), plan.turned(last, across));
            self.back.segment("msg-lane", line);
            placer.lines.push(line);
            let room = plan.name_cells();
            // The lane of the other clients is called `29 more`.
            let name = match node.name.split_once(' ') {
                Some((number, _)) if text::cells(&node.name) > room => ["+", number].concat(),
                _ => text::middle(&node.name, room),
            };
            let notes = [
                ("msg-role", &node.role),
                ("msg-state", &node.state),
                ("msg-state", &node.clock),
            ];
            // Above a narrow column, a note is omitted if it does not fit; a state has room beside names on one line.
            let fits = |class: &str, said: &str| {
                let is_short = text::cells(said) <= plan.note_cells();
                match class {
                    _ if !plan.down => true,
                    "msg-role" => plan.name_lines == 1 && is_short,
                    _ => plan.name_lines == 1 || is_short,
                }
            };
            let notes = notes
                .into_iter()
                .filter(|(class, said)| !said.is_empty() && fits(class, said));
            let below = HEAD_LINE * (lane % plan.name_lines) as f64;
            let (x, y, class) = if plan.down {
                // A long name at the edge stays inside the picture.
                let half = plan.name_font().width(&name) / 2.0 + 3.0;
                let x = within(across, half, (plan.width - half).max(half));
                (x, 18.0, "msg-name middle")
            } else {
                (16.0, across + 4.5, "msg-name")
            };
            self.names().text(class, pt(x, y + below), name);
            // A column of names has room for all notes; a narrow column has room for the last.
            let notes: Vec<_> = notes.collect();
            let skip = if plan.down {
                notes.len().saturating_sub(1)
            } else {
                0
            };
            let first = y + HEAD_LINE * (plan.name_lines - 1) as f64 + 16.0;
            for (at, (class, said)) in notes.into_iter().skip(skip).enumerate() {
                let class = match (class, plan.down) {
                    ("msg-role", true) => "msg-role middle",
                    ("msg-role", false) => "msg-role",
                    (_, true) => "msg-state middle",
                    (_, false) => "msg-state",
                };
                let x = if plan.down { across } else { x };
                let said = text::middle(said, plan.note_cells());
                let y = first + HEAD_LINE * at as f64;
                self.names().text(class, pt(x, y), said);
            }
        }
    }

    /// Draws a skipped period, which is narrower than its duration; zigzag edges mark the gap.
    fn fold(&mut self, stretch: &Stretch, placer: &mut Placer) {
        let plan = self.plan;
        let (from, to) = (plan.along(stretch.x0), plan.along(stretch.x1));
        let area = plan.area(from, to);
        placer.soft_areas.push(area);
        let id = stretch.from_us.to_string();
        self.back
            .part(Identity::new("skipped", &id, order::AXIS), |marks| {
                marks.rect("msg-fold", area, 0.0);
                for edge in [from, to] {
                    marks.path("msg-zigzag", zigzag(&plan, edge));
                }
            });
        // The column of the times is narrow if time runs downwards.
        let long = (!plan.down).then(|| words::skipped(stretch));
        let mut labels = long.into_iter().chain([words::skipped_short(stretch)]);
        let at = f64::midpoint(from, to);
        labels.any(|said| self.time("msg-time is-fold", at, said, placer));
    }

    /// Draws the labelled times within a period.
    fn times(&mut self, stretch: &Stretch, placer: &mut Placer) {
        let plan = self.plan;
        for (place, said) in &stretch.ticks {
            let at = plan.along(*place);
            if self.time("msg-time", at, said.clone(), placer) {
                let (x, y) = (plan.times_end() + 4.0, TIMES - 6.0);
                match plan.down {
                    true => self.clock().level("msg-tick", x, x + 5.0, at),
                    false => self.clock().upright("msg-tick", at, y, TIMES - 0.5),
                }
            }
        }
    }

    /// Draws a time on the axis, unless it would overlap another time.
    fn time(&mut self, class: &'static str, at: f64, said: String, placer: &mut Placer) -> bool {
        let plan = self.plan;
        let said = plan.font.measure(said);
        let start = match plan.down {
            true => pt(plan.times_end() - said.width, at),
            false => {
                let left = said.left(at, Side::Middle);
                pt(left.min(plan.width - said.width - 6.0), 18.0)
            }
        };
        let is_free = placer.take(said.area(start, 8.0).grown(4.0, 0.0));
        if is_free {
            let identity = Identity::new("time", &said.text, order::AXIS);
            self.clock()
                .part(identity, |marks| marks.label(class, start, said.text));
        }
        is_free
    }

    /// Draws the line at the current time. Returns the marks of the label that states the current time.
    fn now(&mut self, view: &MessagesView, placer: &mut Placer) -> Marks {
        let plan = self.plan;
        let at = plan.along(view.now);
        let line = plan.across(at);
        self.back
            .part(Identity::new("now", "line", order::AXIS), |marks| {
                marks.segment("msg-now", line);
            });
        placer.soft_line = Some(line);
        // The times on the axis have more digits than a rounded number of seconds.
        let said = match view.now_us {
            0..1_000_000 => duration(view.now_us),
            _ => seconds(view.now_us),
        };
        let said = plan.font.measure(said);
        let start = match plan.down {
            true => pt(4.0 + NOW.beside, at),
            false => {
                let left = said.left(at, Side::Middle);
                let most = plan.width - said.width - 10.0;
                pt(left.min(most).max(4.0 + NOW.beside), 18.0)
            }
        };
        placer.areas.push(NOW.area(start, &said));
        let top = plan.top() - 0.5;
        self.top.level("msg-hair", 0.0, plan.width, top);
        let mut marks = Marks::default();
        marks.part(Identity::new("now", "time", order::AXIS), |marks| {
            marks.badge(&NOW, "msg-now-text", start, said);
        });
        marks
    }

    /// Draws a wait as a bar on its lane. `row` is the number of bars between this bar and the lane; these bars are
    /// waits at the same time. If the room up to the next lane is too small for the `rows` of the lane, the bars are
    /// thinner.
    fn wait(
        &mut self,
        bar: &WaitBar,
        (row, rows): (u32, u32),
        messages: &[Segment],
        placer: &mut Placer,
    ) {
        let plan = self.plan;
        let end = plan.lane(bar.lane + 1).min(plan.sides().1);
        let room = (end - plan.lane(bar.lane) - 4.0) / f64::from(rows);
        let apart = room.clamp(WAIT_APART_MIN, 2.0 * WAIT + 2.0);
        let half = apart * 0.45;
        let (from, to) = (
            plan.along(bar.x0),
            plan.along(bar.x1).max(plan.along(bar.x0) + 3.0),
        );
        let across = plan.lane(bar.lane) + f64::from(row) * apart;
        let corner = plan.turned(from, across - half);
        let area = Rect::between(corner, plan.turned(to, across + half));
        // The label ends with the duration, which changes from step to step.
        let state = bar.label.split(", ").next().unwrap_or_default();
        let id = format!("{}.{row}.{state}", bar.lane);
        let wait = Identity::new("wait", &id, order::AXIS).born(order::MESSAGE + bar.x0);
        self.back.part(wait.grows(), |marks| {
            marks.rect("msg-wait-ground", area, 4.0);
            marks.rect("msg-wait", area, 4.0);
        });
        placer.areas.push(area);
        // If the whole label does not fit, try its beginning: the state without its duration.
        let inside = [bar.label.as_str(), state].map(|said| plan.font.measure(said));
        let is_high = half > HALF - 1.0;
        let inside = inside.into_iter().find_map(|said| {
            let long = said.width + 16.0;
            if plan.down || !is_high || long > area.width {
                return None;
            }
            // The ends of messages at the bar stay visible.
            let free = WAIT_ALONG.into_iter().find_map(|share| {
                let x = area.x + (area.width - long) * share;
                let label = Rect::new(x + 4.0, area.y, long - 8.0, area.height);
                let is_free = !messages.iter().any(|line| line.crosses(label));
                is_free.then_some(x + long / 2.0)
            });
            free.map(|x| (said, x))
        });
        let edge = Segment::new(corner, pt(area.right(), area.y));
        let whole = plan.font.measure(bar.label.as_str());
        if let Some((said, x)) = inside {
            let middle = pt(x, f64::midpoint(area.y, area.bottom()));
            let front = &mut self.front;
            front.plated("msg-wait-text", middle, Side::Middle, said);
        } else if let Some(start) = placer.beside(edge, &ALONG, &whole, Over::Nothing) {
            self.front.label("msg-wait-text", start, whole.text);
        }
    }

    fn line(&self, arrow: &Arrow) -> Segment {
        let (from, to) = ((arrow.x0, arrow.from), (arrow.x1, arrow.to));
        Segment::new(self.plan.at(from.0, from.1), self.plan.at(to.0, to.1))
    }

    fn arrow(&self, arrow: &Arrow, line: Segment, now: u32, selected: bool) -> Drawn {
        let kind = match arrow.kind {
            ArrowKind::Request => "msg request",
            ArrowKind::Answer => "msg answer",
            ArrowKind::WatchControl => "msg control",
            ArrowKind::WatchAnswer => "msg told",
            ArrowKind::WatchEvents => "msg events",
        };
        let fate = match arrow.fate {
            Fate::Flying => " flying",
            Fate::Arrived => "",
            Fate::Lost => " lost",
            Fate::Duplicate => " duplicate",
            Fate::Held => " held",
            Fate::Broken => " broken",
        };
        let mut marks = Marks::default();
        // Draws the line and its tip up to a share of its length.
        let upto = |marks: &mut Marks, share: f64| {
            marks.segment("msg-line", line.upto(share));
            marks.path("msg-tip", tip(line, share));
        };
        marks.segment("msg-hit", line);
        if selected {
            marks.segment("msg-halo", line);
        }
        // A message in flight is drawn up to its current position.
        let long = f64::from(arrow.x1.saturating_sub(arrow.x0)).max(1.0);
        let come = within(f64::from(now.saturating_sub(arrow.x0)) / long, 0.12, 1.0);
        match arrow.fate {
            _ if arrow.count > 1 => marks.path("msg-many", thick(line)),
            Fate::Arrived => upto(&mut marks, 1.0),
            Fate::Flying => {
                marks.segment("msg-rest", line);
                upto(&mut marks, come);
            }
            Fate::Duplicate => {
                let by = self.plan.turned(7.0, 0.0);
                let [from, to] = [line.from, line.to].map(|end| end.moved(by.x, by.y));
                let second = Segment::new(from, to);
                marks.segment("msg-rest", second);
                marks.path("msg-tip", tip(second, 1.0));
                upto(&mut marks, 1.0);
            }
            Fate::Held => {
                marks.segment("msg-line", line.upto(come.min(0.5)));
                marks.path("msg-bars", bars(line.at(come.min(0.5))));
            }
            Fate::Lost | Fate::Broken => {
                marks.segment("msg-line", line.upto(LOST_AT));
                marks.path("msg-cross", cross(line.at(LOST_AT), 5.5, 5.5));
            }
        }
        Drawn {
            id: arrow.id,
            class: [kind, fate].concat(),
            title: words::tooltip(arrow),
            at: arrow.x0,
            marks,
        }
    }

    /// Draws the number of a message. The sentences below "Why?" in the inspector refer to the message by this number.
    fn number(&mut self, arrow: &Arrow, line: Segment, placer: &mut Placer) {
        let Some(number) = arrow.chain else { return };
        let at = line.at(CHAIN_AT);
        placer.areas.push(Rect::around(at, CIRCLE, CIRCLE));
        let (class, said) = match number {
            1 => ("msg-number root", "msg-number-text root"),
            _ => ("msg-number", "msg-number-text"),
        };
        self.front.circle(class, at, CIRCLE);
        self.front.label(said, at, number.to_string());
    }

    /// Draws the number of messages on an arrow that stands for several messages. If no place for the number is free,
    /// only the width and the tooltip of the arrow show that there are several messages.
    fn count(&mut self, said: String, line: Segment, placer: &mut Placer) {
        let said = self.plan.font.measure(said);
        let mut places = ALONG.into_iter().map(|share| {
            let at = line.at(share);
            pt(said.left(at.x, Side::Middle), at.y)
        });
        if let Some(start) = places.find(|start| placer.take(COUNT.area(*start, &said))) {
            self.front.badge(&COUNT, "msg-count-text", start, said);
        }
    }

    fn words(&mut self, arrow: &Arrow, view: &MessagesView, line: Segment, placer: &mut Placer) {
        let plan = self.plan;
        if arrow.count > 1 {
            self.count(words::many(arrow.count), line, placer);
        }
        let room = plan.font.cells(plan.width * 0.4).min(28);
        let mut labels = labels(arrow, view);
        labels.retain(|said| (2..=room).contains(&text::cells(said)));
        let labels: Vec<TextBox> = labels
            .into_iter()
            .map(|said| plan.font.measure(said))
            .collect();
        // The label of a lost message is beside its cross.
        let shares = if is_lost(arrow) { &AT_END[..] } else { &ALONG };
        // A label between two skipped periods may have no room beside them, so it covers a part of one. The label of
        // the newest message may cover a part of the line at the current time.
        let places = [Over::Nothing, Over::SoftAreas, Over::SoftLine].into_iter();
        let mut places = places.flat_map(|over| labels.iter().map(move |said| (said, over)));
        let place = places.find_map(|(said, over)| {
            let start = placer.beside(line, shares, said, over)?;
            Some((start, said, over))
        });
        let Some((start, said, over)) = place else {
            return;
        };
        if over != Over::Nothing {
            let plate = said.area(start, 8.0).grown(3.0, 0.0);
            self.front.rect("wg-plate", plate, 3.0);
        }
        let class = match (arrow.fate, arrow.kind) {
            (Fate::Lost | Fate::Broken, _) => "msg-label lost",
            (_, ArrowKind::Request | ArrowKind::Answer) => "msg-label request",
            _ => "msg-label watch",
        };
        let mut label = Marks::default();
        label.label(class, start, said.text.as_str());
        self.labels.push((arrow.id, arrow.x1, label));
    }
}

/// Returns the labels of a message, the longest first: the whole label, the label with shortened paths, the first word
/// with its path or its resource, and the first word. No label equals the whole label of another message.
fn labels(arrow: &Arrow, view: &MessagesView) -> Vec<String> {
    let is_path = |word: &&str| word.contains('/');
    let all = view.arrows.iter().flat_map(|other| other.label.split(' '));
    let all: Vec<&str> = all.filter(is_path).collect();
    let mut parts = arrow.label.split(' ');
    let first = parts.next().unwrap_or_default().trim_end_matches(',');
    let short = |word: &str| match is_path(&word) {
        true => text::distinct_end(word, &all),
        false => word.to_owned(),
    };
    let shortened: Vec<String> = arrow.label.split(' ').map(short).collect();
    let is_verb = first.chars().all(|ch| ch.is_ascii_uppercase());
    let target = parts.find(is_path).map(short);
    let resource = arrow.label.split(' ').nth(1).filter(|_| {
        let is_request = matches!(arrow.kind, ArrowKind::Request | ArrowKind::WatchControl);
        is_request && is_verb
    });
    let target = target.or(resource.map(str::to_owned));
    let target = target.map(|target| [first, " ", &target].concat());
    let mut labels = vec![arrow.label.clone(), shortened.join(" ")];
    labels.extend(target);
    // A number alone says nothing.
    labels.extend((!first.chars().all(|ch| ch.is_ascii_digit())).then(|| first.to_owned()));
    labels.dedup();
    let is_other = |said: &String| {
        let mut all = view.arrows.iter();
        all.any(|other| other.label == *said && other.label != arrow.label)
    };
    labels.retain(|said| !is_other(said));
    labels
}

/// Returns true if a message never arrived, so that its line ends at a cross.
fn is_lost(arrow: &Arrow) -> bool {
    matches!(arrow.fate, Fate::Lost | Fate::Broken)
}

/// Returns the part of a message's line that is drawn: the line of a lost message ends at its cross.
fn upto_cross(arrow: &Arrow, line: Segment) -> Segment {
    match is_lost(arrow) {
        true => line.upto(LOST_AT),
        false => line,
    }
}

/// Returns the tip of an arrow. `share` is the position of the tip on the line, as a fraction of the line's length.
fn tip(line: Segment, share: f64) -> String {
    const LENGTH: f64 = 9.5;
    let (dx, dy) = line.direction();
    let tip = line.at(share);
    let back = tip.moved(-dx * LENGTH, -dy * LENGTH);
    let (across, down) = (dy * 4.2, dx * 4.2);
    svg_path!(M tip.x, tip.y; L back.x - across, back.y + down; L back.x + across, back.y - down; z)
}

/// Returns the pause symbol (two bars) at a position.
fn bars(at: Point) -> String {
    svg_path!(M at.x - 3.5, at.y - 6.0; v 12.0; m 7.0, -12.0; v 12.0)
}

/// Returns the outline of a broad arrow, which represents many messages.
fn thick(line: Segment) -> String {
    let (dx, dy) = line.direction();
    let (half, wing, head) = (5.0, 10.0, 14.0);
    let Segment { from, to } = line;
    let neck = to.moved(-dx * head, -dy * head);
    let side = |at: Point, by: f64| at.moved(-dy * by, dx * by);
    let one = [side(from, half), side(neck, half), side(neck, wing), to];
    let other = [side(neck, -wing), side(neck, -half), side(from, -half)];
    polyline(&[&one[..], &other].concat()) + "z"
}

fn zigzag(plan: &Plan, edge: f64) -> String {
    const TOOTH: f64 = 8.0;
    let (near, far) = plan.sides();
    let teeth = 0..=((far - near) / TOOTH) as u32;
    let points = teeth.map(|tooth| {
        let by = if tooth.is_multiple_of(2) { -3.0 } else { 3.0 };
        plan.turned(edge + by, near + f64::from(tooth) * TOOTH)
    });
    polyline(&points.collect::<Vec<_>>())
}

/// Returns the row of each wait: waits at the same time on the same lane are below each other, the earliest first.
fn wait_rows(bars: &[WaitBar]) -> Vec<u32> {
    let mut rows = Vec::new();
    for (at, bar) in bars.iter().enumerate() {
        let is_free = |row: &u32| {
            let mut before = bars[..at].iter().zip(&rows);
            !before.any(|(other, taken)| {
                let is_overlapped = other.x0 < bar.x1 && bar.x0 < other.x1;
                taken == row && other.lane == bar.lane && is_overlapped
            })
        };
        rows.push((0..).find(is_free).unwrap_or(0));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::draw::marks::BASELINE;
    use crate::draw::{Mark, Room};

    fn scene(width: f64) -> MessagesScene {
        let view = fixture::traffic();
        let plan = Plan::new(&view, Room::new(width, 420.0, 0.602));
        MessagesScene::new(&view, plan, Some(3))
    }

    #[test]
    fn waits_of_the_same_time_are_below_each_other() {
        let bar = |lane, x0, x1| WaitBar {
            lane,
            x0,
            x1,
            ..WaitBar::default()
        };
        let bars = [
            bar(0, 0, 500),
            bar(0, 300, 600),
            bar(1, 0, 900),
            bar(0, 500, 900),
        ];
        assert_eq!(wait_rows(&bars), [0, 1, 0, 0]);
    }

    #[test]
    fn many_waits_of_the_same_time_stay_in_the_picture() {
        let mut view = fixture::traffic();
        let last = view.lanes.len() as u32 - 1;
        view.bars = (0..7)
            .map(|number| WaitBar {
                lane: last,
                x0: 100,
                x1: 400 + number,
                ..WaitBar::default()
            })
            .collect();
        for width in [390.0, 936.0] {
            let plan = Plan::new(&view, Room::new(width, 560.0, 0.602));
            let scene = MessagesScene::new(&view, plan, None);
            let bars = scene.back.rects("msg-wait");
            let ends: Vec<_> = bars.map(|area| [area.right(), area.bottom()]).collect();
            assert_eq!(ends.len(), 7);
            let most = plan.sides().1;
            let across = ends.iter().map(|end| end[usize::from(!plan.down)]);
            assert!(across.clone().all(|end| end <= most), "{ends:?} {most}");
        }
    }

    #[test]
    fn the_label_in_a_wait_leaves_the_messages_visible() {
        let mut view = fixture::traffic();
        view.bars = vec![WaitBar {
            lane: 1,
            x0: 0,
            x1: 1000,
            label: "held, 3 s".to_owned(),
        }];
        let plan = Plan::new(&view, Room::new(936.0, 420.0, 0.602));
        let scene = MessagesScene::new(&view, plan, None);
        let plate = scene.front.rects("wg-plate").next();
        let plate = plate.expect("the label has a plate");
        for arrow in &view.arrows {
            let line = upto_cross(arrow, scene.line(arrow));
            assert!(!line.crosses(plate), "{line:?} crosses {plate:?}");
        }
    }

    #[test]
    fn the_names_of_narrow_lanes_alternate_between_two_lines() {
        let mut view = fixture::traffic();
        let mut lane = view.lanes[0].clone();
        lane.name = "kubelet".to_owned();
        view.lanes.resize(9, lane);
        let plan = Plan::new(&view, Room::new(390.0, 560.0, 0.602));
        let scene = MessagesScene::new(&view, plan, None);
        let names: Vec<_> = scene.top.texts("msg-name middle").collect();
        assert_eq!(names.len(), 9);
        for lane in names.windows(2) {
            assert_ne!(lane[0].0.y, lane[1].0.y, "{lane:?}");
        }
        for (Point { x, .. }, name) in names {
            let half = plan.name_font().width(name) / 2.0;
            assert!(
                !name.contains('…') && x >= half && x + half <= 390.0,
                "{name}"
            );
        }
    }

    #[test]
    fn the_column_of_times_has_room_for_the_longest_time() {
        let mut view = fixture::traffic();
        for (_, said) in view
            .stretches
            .iter_mut()
            .flat_map(|stretch| &mut stretch.ticks)
        {
            *said = "13000.5 ms".to_owned();
        }
        let plan = Plan::new(&view, Room::new(390.0, 600.0, 0.602));
        let scene = MessagesScene::new(&view, plan, None);
        let times: Vec<f64> = scene.back.texts("msg-time").map(|(at, _)| at.x).collect();
        assert!(!times.is_empty());
        assert!(times.iter().all(|x| *x >= 0.0), "{times:?}");
    }

    #[test]
    fn messages_go_from_lane_to_lane_and_never_back_in_time() {
        for width in [390.0, 760.0] {
            let scene = scene(width);
            let view = fixture::traffic();
            for (drawn, arrow) in scene.arrows.iter().zip(&view.arrows) {
                let Some(Mark::Line("msg-hit", line)) = drawn.marks.first() else {
                    panic!("what can be pointed at comes first");
                };
                let (right, down) = line.size();
                let after = if scene.plan.down { down } else { right };
                assert!(after >= 0.0, "{}", arrow.label);
            }
        }
    }

    #[test]
    fn words_cross_neither_lines_nor_each_other() {
        for width in [390.0, 760.0, 936.0] {
            let scene = scene(width);
            let words = said(&scene).into_iter();
            let words: Vec<Rect> = words
                .map(|(start, said)| scene.plan.font.measure(said).area(start, 7.0))
                .collect();
            assert!(words.len() >= 4, "{width}: {}", words.len());
            for (at, a) in words.iter().enumerate() {
                for b in &words[at + 1..] {
                    assert!(!a.overlaps(*b), "{width}: {a:?} {b:?}");
                }
            }
        }
    }

    /// Returns the labels of messages, each with the middle of its left edge.
    fn said(scene: &MessagesScene) -> Vec<(Point, &str)> {
        let marks = scene.labels.iter().flat_map(|(_, _, label)| label.iter());
        let texts = marks.filter_map(|mark| match mark {
            Mark::Text(_, at, said) => Some((at.moved(0.0, -BASELINE), &**said)),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn requests_are_named_before_responses_and_their_keys_stay_different() {
        let mut view = fixture::traffic();
        view.bars.clear();
        view.stretches.clear();
        let (request, answer) = (view.arrows[2].clone(), view.arrows[3].clone());
        view.arrows.clear();
        for at in 0..10_u32 {
            let mut add = |arrow: &Arrow, x0: u32, label: String| {
                view.arrows.push(Arrow {
                    id: u64::from(2 * at) + u64::from(x0 % 2),
                    x0,
                    x1: x0 + 10,
                    label,
                    chain: None,
                    count: 1,
                    ..arrow.clone()
                });
            };
            add(&request, 100 + 80 * at, format!("PUT /registry/jobs/{at}"));
            add(&answer, 111 + 80 * at, format!("OK at {}", at + 2));
        }
        for width in [760.0, 936.0, 1280.0] {
            let plan = Plan::new(&view, Room::new(width, 260.0, 0.602));
            let scene = MessagesScene::new(&view, plan, None);
            let labels: Vec<&str> = said(&scene).into_iter().map(|(_, said)| said).collect();
            let requests = labels.iter().filter(|said| said.starts_with("PUT"));
            assert_eq!(requests.count(), 10, "{width}: {labels:?}");
            for at in 0..10 {
                let end = format!("…/{at}");
                let is_named = labels.iter().any(|said| said.ends_with(&end));
                assert!(is_named || width < 1_000.0, "{width}: {labels:?}");
            }
        }
    }

    #[test]
    fn the_counts_of_arrows_beside_each_other_do_not_overlap() {
        let mut view = fixture::traffic();
        let bundle = view.arrows[2].clone();
        view.arrows.clear();
        for at in 0..6_u32 {
            view.arrows.push(Arrow {
                id: u64::from(at),
                x0: 500 + 6 * at,
                x1: 510 + 6 * at,
                count: 4 + at,
                chain: None,
                ..bundle.clone()
            });
        }
        for width in [390.0, 760.0] {
            let scene = MessagesScene::new(
                &view,
                Plan::new(&view, Room::new(width, 420.0, 0.602)),
                None,
            );
            let counts: Vec<Rect> = scene.front.rects("msg-count").collect();
            assert!(counts.len() >= 2, "{width}: {}", counts.len());
            for (at, a) in counts.iter().enumerate() {
                for b in &counts[at + 1..] {
                    assert!(!a.overlaps(*b), "{width}: {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn a_cut_label_is_never_the_whole_label_of_another_message() {
        let mut view = fixture::traffic();
        let whole = [
            "heartbeat",
            "heartbeat reply",
            "12 keys at 8",
            "LIST pods -n default limit=500",
        ];
        for (arrow, label) in view.arrows.iter_mut().zip(whole) {
            (arrow.label, arrow.kind) = (label.to_owned(), ArrowKind::Request);
        }
        let all = |at: usize| labels(&view.arrows[at], &view);
        assert_eq!(all(1), ["heartbeat reply"]);
        assert_eq!(all(2), ["12 keys at 8"]);
        assert_eq!(all(3)[1..], ["LIST pods", "LIST"]);
    }

    #[test]
    fn the_label_of_a_lost_message_is_beside_its_cross() {
        let mut view = fixture::traffic();
        view.arrows[6].label = "heartbeat".to_owned();
        for width in [760.0, 936.0, 1280.0] {
            let plan = Plan::new(&view, Room::new(width, 420.0, 0.602));
            let scene = MessagesScene::new(&view, plan, None);
            let labels = said(&scene);
            let place = labels.iter().find(|(_, said)| *said == "heartbeat");
            let (start, _) = place.expect("the lost message has a label");
            let cross = upto_cross(&view.arrows[6], scene.line(&view.arrows[6])).to;
            let wide = plan.font.width("heartbeat");
            let beside = (start.x - cross.x).max(cross.x - start.x - wide).max(0.0);
            assert!(
                beside < 30.0 && (start.y - cross.y).abs() < 30.0,
                "{width}: {start:?}"
            );
        }
    }

    #[test]
    fn the_notes_of_the_last_lane_are_inside_a_low_picture() {
        let mut view = fixture::traffic();
        view.lanes[0].state.clear();
        let lane = view.lanes[2].clone();
        view.lanes.extend([lane.clone(), lane]);
        // The stage of presenter mode in a window of 1280 x 720 pixels.
        let plan = Plan::new(&view, Room::new(748.0, 222.0, 0.602));
        let scene = MessagesScene::new(&view, plan, None);
        assert!(plan.height <= 222.0, "{}", plan.height);
        let texts = scene.front.iter().filter_map(|mark| match mark {
            Mark::Text(class, at, _) if ["msg-name", "msg-role"].contains(class) => Some(at.y),
            _ => None,
        });
        let texts: Vec<f64> = texts.collect();
        assert!(texts.iter().all(|y| *y <= 222.0 - 12.0), "{texts:?}");
        assert!(
            texts.windows(2).all(|pair| pair[1] - pair[0] >= 15.0),
            "{texts:?}"
        );
    }

    #[test]
    fn the_chain_is_numbered_in_the_picture() {
        let numbers: Vec<String> = scene(760.0)
            .front
            .0
            .into_iter()
            .filter_map(|mark| match mark {
                Mark::Text(class, _, said) if class.starts_with("msg-number") => Some(said),
                _ => None,
            })
            .collect();
        assert_eq!(numbers, ["1", "2"]);
    }
}
