//! The layout of the Messages view: lanes, times, skipped periods, arrows, waits, and labels that no line crosses.
//!
//! The layout is a pure function of the view and the size of the drawing area. The engine provides positions in time;
//! this file turns them into lines.

use std::cmp::Reverse;

use crate::draw::surface::within;
use watchglass_engine::view::MessagesView;
use watchglass_engine::view::messages::{Arrow, Fate, Stretch, WaitBar};
use watchglass_engine::view::narrate::message::ArrowKind;

use super::labels::{ALONG, AT_END, HALF, Obstacles, Over, Segment, crosses};
use super::plan::{HEAD_LINE, Plan, TIMES};
use crate::draw::marks::{FONT, Mark, Side, extent, path, plated};
use crate::draw::text::{self, duration, seconds};
use crate::words::messages as words;

/// All marks (lines, shapes and texts) of the Messages view.
#[derive(Clone, Debug, PartialEq)]
pub struct MessagesScene {
    /// The positions of lanes and times in the drawing area.
    pub plan: Plan,
    /// Marks that stay visible while scrolling: the times at the top, or the names in a narrow drawing area.
    pub top: Vec<Mark>,
    /// Lanes, times, skipped periods and waits.
    pub back: Vec<Mark>,
    /// Messages, oldest first.
    pub arrows: Vec<Drawn>,
    /// Numbers, and the backgrounds of labels.
    pub front: Vec<Mark>,
    /// The labels of messages, each with the number of its message.
    pub labels: Vec<(u64, Mark)>,
}

/// The marks of one message.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// The number of the message.
    pub id: u64,
    /// The CSS class of the message.
    pub class: String,
    /// The tooltip.
    pub title: String,
    /// The line and the tip of the arrow.
    pub marks: Vec<Mark>,
}

/// Among this number of newest messages, events and progress notifications get their labels as early as requests do.
const NEWEST: usize = 8;
/// Half the height of the bar that shows a wait.
const WAIT: f64 = 9.0;
/// The possible positions of a label in the bar of a wait, as fractions of the free length, in the order of preference.
const WAIT_ALONG: [f64; 11] = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.05, 0.95];
/// The smallest distance between the bars of waits beside each other.
const WAIT_APART_MIN: f64 = 3.0;
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
            top: Vec::new(),
            back: Vec::new(),
            arrows: Vec::new(),
            front: Vec::new(),
            labels: Vec::new(),
        };
        let mut obstacles = Obstacles::default();
        scene.lanes(view, &mut obstacles);
        let now = scene.now(view, &mut obstacles);
        // Not every skipped period has room for a label. Repeated periods get their labels first, then the longest
        // periods.
        let mut folds: Vec<_> = view.stretches.iter().filter(|s| s.folded).collect();
        folds.sort_by_key(|stretch| {
            let us = stretch.to_us.saturating_sub(stretch.from_us);
            (stretch.repeated == 0, Reverse(us))
        });
        for stretch in folds {
            scene.fold(stretch, &mut obstacles);
        }
        for stretch in view.stretches.iter().filter(|stretch| !stretch.folded) {
            scene.times(stretch, &mut obstacles);
        }
        // The current time is above the skipped periods.
        scene.clock().extend(now);
        let lines: Vec<Segment> = view.arrows.iter().map(|arrow| scene.line(arrow)).collect();
        let visible = view.arrows.iter().zip(&lines);
        let visible: Vec<Segment> = visible
            .map(|(arrow, line)| upto_cross(arrow, *line))
            .collect();
        obstacles.lines.extend(&visible);
        for (_, [.., x, y]) in view
            .arrows
            .iter()
            .zip(&visible)
            .filter(|(arrow, _)| is_lost(arrow))
        {
            obstacles
                .areas
                .push([x - CROSS, y - CROSS, 2.0 * CROSS, 2.0 * CROSS]);
        }
        let rows = wait_rows(&view.bars);
        for (bar, row) in view.bars.iter().zip(&rows) {
            let beside = view.bars.iter().zip(&rows);
            let beside = beside.filter(|(other, _)| other.lane == bar.lane);
            let last = beside.map(|(_, row)| *row).max().unwrap_or_default();
            scene.wait(bar, (*row, last + 1), &visible, &mut obstacles);
        }
        for (arrow, line) in view.arrows.iter().zip(&lines) {
            let drawn = scene.arrow(arrow, *line, view.now, selected == Some(arrow.id));
            scene.arrows.push(drawn);
            scene.number(arrow, *line, &mut obstacles);
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
            scene.words(arrow, view, line, &mut obstacles);
        }
        scene
    }

    /// Returns the layer that contains the names of lanes.
    fn names(&mut self) -> &mut Vec<Mark> {
        if self.plan.down {
            &mut self.top
        } else {
            &mut self.front
        }
    }

    /// Returns the layer that contains the times.
    fn clock(&mut self) -> &mut Vec<Mark> {
        if self.plan.down {
            &mut self.back
        } else {
            &mut self.top
        }
    }

    fn lanes(&mut self, view: &MessagesView, obstacles: &mut Obstacles) {
        let plan = self.plan;
        let (first, last) = plan.ends();
        for (lane, node) in view.lanes.iter().enumerate() {
            let across = plan.lane(lane as u32);
            let ((x1, y1), (x2, y2)) = (plan.turned(first, across), plan.turned(last, across));
            self.back.push(Mark::Line("msg-lane", [x1, y1, x2, y2]));
            obstacles.lines.push([x1, y1, x2, y2]);
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
                let half = text::cells(&name) as f64 * plan.advance * 13.0 / 2.0 + 3.0;
                let x = within(across, half, (plan.width - half).max(half));
                (x, 18.0, "msg-name middle")
            } else {
                (16.0, across + 4.5, "msg-name")
            };
            self.names().push(Mark::Text(class, [x, y + below], name));
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
                self.names().push(Mark::Text(class, [x, y], said));
            }
        }
    }

    /// Draws a skipped period, which is narrower than its duration; zigzag edges mark the gap.
    fn fold(&mut self, stretch: &Stretch, obstacles: &mut Obstacles) {
        let plan = self.plan;
        let (from, to) = (plan.along(stretch.x0), plan.along(stretch.x1));
        let (near, far) = plan.sides();
        let ((x1, y1), (x2, y2)) = (plan.turned(from, near), plan.turned(to, far));
        let area = [x1, y1, x2 - x1, y2 - y1];
        obstacles.folds.push(area);
        let [x, y, width, height] = area;
        self.back
            .push(Mark::Rect("msg-fold", [x, y, width, height, 0.0]));
        for edge in [from, to] {
            self.back
                .push(Mark::Path("msg-zigzag", zigzag(&plan, edge, near, far)));
        }
        // The column of the times is narrow if time runs downwards.
        let long = (!plan.down).then(|| words::skipped(stretch));
        let mut labels = long.into_iter().chain([words::skipped_short(stretch)]);
        let at = f64::midpoint(from, to);
        labels.any(|said| self.time("msg-time is-fold", at, said, obstacles));
    }

    /// Draws the labelled times within a period.
    fn times(&mut self, stretch: &Stretch, obstacles: &mut Obstacles) {
        let plan = self.plan;
        for (place, said) in &stretch.ticks {
            let at = plan.along(*place);
            let tick = if plan.down {
                [plan.times_end() + 4.0, at, plan.times_end() + 9.0, at]
            } else {
                [at, TIMES - 6.0, at, TIMES - 0.5]
            };
            if self.time("msg-time", at, said.clone(), obstacles) {
                self.clock().push(Mark::Line("msg-tick", tick));
            }
        }
    }

    /// Draws a time on the axis, unless it would overlap another time.
    fn time(
        &mut self,
        class: &'static str,
        at: f64,
        said: String,
        obstacles: &mut Obstacles,
    ) -> bool {
        let plan = self.plan;
        let (_, width) = extent(&said, 0.0, Side::Right, plan.advance);
        let left = if plan.down {
            plan.times_end() - width
        } else {
            (at - width / 2.0).min(plan.width - width - 6.0)
        };
        let middle = if plan.down { at } else { 18.0 };
        let area = [left - 4.0, middle - 8.0, width + 8.0, 16.0];
        let free = obstacles.is_clear(area);
        if free {
            obstacles.areas.push(area);
            self.clock()
                .push(Mark::Text(class, [left, middle + 4.2], said));
        }
        free
    }

    /// Draws the line at the current time. Returns the marks of the label that states the current time.
    fn now(&mut self, view: &MessagesView, obstacles: &mut Obstacles) -> [Mark; 2] {
        let plan = self.plan;
        let (near, far) = plan.sides();
        let at = plan.along(view.now);
        let ((x1, y1), (x2, y2)) = (plan.turned(at, near), plan.turned(at, far));
        self.back.push(Mark::Line("msg-now", [x1, y1, x2, y2]));
        obstacles.now = Some([x1, y1, x2, y2]);
        // The times on the axis have more digits than a rounded number of seconds.
        let said = match view.now_us {
            0..1_000_000 => duration(view.now_us),
            _ => seconds(view.now_us),
        };
        let (_, width) = extent(&said, 0.0, Side::Right, plan.advance);
        let (x, y) = if plan.down {
            (4.0, at - 10.0)
        } else {
            let left = at - width / 2.0 - 6.0;
            (left.min(plan.width - width - 16.0).max(4.0), 8.0)
        };
        obstacles.areas.push([x, y, width + 12.0, 20.0]);
        let plate = [x, y, width + 12.0, 20.0, 4.0];
        let top = plan.top() - 0.5;
        self.top
            .push(Mark::Line("msg-hair", [0.0, top, plan.width, top]));
        [
            Mark::Rect("msg-now-plate", plate),
            Mark::Text("msg-now-text", [x + 6.0, y + 14.2], said),
        ]
    }

    /// Draws a wait as a bar on its lane. `row` is the number of bars between this bar and the lane; these bars are
    /// waits at the same time. If the room up to the next lane is too small for the `rows` of the lane, the bars are
    /// thinner.
    fn wait(
        &mut self,
        bar: &WaitBar,
        (row, rows): (u32, u32),
        messages: &[Segment],
        obstacles: &mut Obstacles,
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
        let (x1, y1) = plan.turned(from, across - half);
        let (x2, y2) = plan.turned(to, across + half);
        self.back.push(Mark::Rect(
            "msg-wait-ground",
            [x1, y1, x2 - x1, y2 - y1, 4.0],
        ));
        self.back
            .push(Mark::Rect("msg-wait", [x1, y1, x2 - x1, y2 - y1, 4.0]));
        obstacles.areas.push([x1, y1, x2 - x1, y2 - y1]);
        // If the whole label does not fit, try its beginning: the state without its duration.
        let state = bar.label.split(", ").next().unwrap_or_default();
        let width = |said: &str| extent(said, 0.0, Side::Middle, plan.advance).1;
        let inside = [bar.label.as_str(), state];
        let is_high = half > HALF - 1.0;
        let inside = inside.into_iter().find_map(|said| {
            let long = width(said) + 16.0;
            if plan.down || !is_high || long > x2 - x1 {
                return None;
            }
            // The ends of messages at the bar stay visible.
            let middles = WAIT_ALONG.map(|share| x1 + long / 2.0 + (x2 - x1 - long) * share);
            let free = middles.into_iter().find(|x| {
                let area = [x - long / 2.0 + 4.0, y1, long - 8.0, y2 - y1];
                !messages.iter().any(|line| crosses(*line, area))
            });
            free.map(|x| (said, x))
        });
        if let Some((said, x)) = inside {
            self.front.extend(plated(
                "msg-wait-text",
                "msg-plate",
                (x, f64::midpoint(y1, y2)),
                Side::Middle,
                said.to_owned(),
                plan.advance,
            ));
        } else if let Some((x, y)) =
            obstacles.place(&plan, [x1, y1, x2, y1], &ALONG, &bar.label, Over::Nothing)
        {
            self.front
                .push(Mark::Text("msg-wait-text", [x, y + 4.2], bar.label.clone()));
        }
    }

    fn line(&self, arrow: &Arrow) -> Segment {
        let (x1, y1) = self.plan.at(arrow.x0, arrow.from);
        let (x2, y2) = self.plan.at(arrow.x1, arrow.to);
        [x1, y1, x2, y2]
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
        let [x1, y1, x2, y2] = line;
        let along = |share: f64| (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share);
        let upto = |class, share: f64| {
            let (x, y) = along(share);
            Mark::Line(class, [x1, y1, x, y])
        };
        let mut marks = vec![Mark::Line("msg-hit", line)];
        if selected {
            marks.push(Mark::Line("msg-halo", line));
        }
        if arrow.count > 1 {
            marks.push(Mark::Path("msg-many", thick(line)));
        } else {
            // A message in flight is drawn up to its current position.
            let whole = f64::from(arrow.x1.saturating_sub(arrow.x0)).max(1.0);
            let come = within(f64::from(now.saturating_sub(arrow.x0)) / whole, 0.12, 1.0);
            match arrow.fate {
                Fate::Arrived => marks.extend([upto("msg-line", 1.0), tip(line, 1.0)]),
                Fate::Flying => marks.extend([
                    Mark::Line("msg-rest", line),
                    upto("msg-line", come),
                    tip(line, come),
                ]),
                Fate::Duplicate => {
                    let (dx, dy) = self.plan.turned(7.0, 0.0);
                    let second = [x1 + dx, y1 + dy, x2 + dx, y2 + dy];
                    marks.extend([
                        Mark::Line("msg-rest", second),
                        tip(second, 1.0),
                        upto("msg-line", 1.0),
                        tip(line, 1.0),
                    ]);
                }
                Fate::Held => {
                    let (x, y) = along(come.min(0.5));
                    marks.extend([upto("msg-line", come.min(0.5)), bars(x, y)]);
                }
                Fate::Lost | Fate::Broken => {
                    let (x, y) = along(LOST_AT);
                    marks.extend([upto("msg-line", LOST_AT), cross(x, y)]);
                }
            }
        }
        Drawn {
            id: arrow.id,
            class: [kind, fate].concat(),
            title: words::tooltip(arrow),
            marks,
        }
    }

    /// Draws the number of a message. The sentences below "Why?" in the inspector refer to the message by this number.
    fn number(&mut self, arrow: &Arrow, line: Segment, obstacles: &mut Obstacles) {
        let Some(number) = arrow.chain else { return };
        let [x1, y1, x2, y2] = line;
        let (x, y) = (x1 + (x2 - x1) * CHAIN_AT, y1 + (y2 - y1) * CHAIN_AT);
        let area = [x - CIRCLE, y - CIRCLE, 2.0 * CIRCLE, 2.0 * CIRCLE];
        obstacles.areas.push(area);
        let (class, said) = if number == 1 {
            ("msg-number root", "msg-number-text root")
        } else {
            ("msg-number", "msg-number-text")
        };
        let [x0, y0, w, h] = area;
        self.front.push(Mark::Rect(class, [x0, y0, w, h, CIRCLE]));
        self.front
            .push(Mark::Text(said, [x, y + 4.2], number.to_string()));
    }

    /// Draws the number of messages on an arrow that stands for several messages. If no place for the number is free,
    /// only the width and the tooltip of the arrow show that there are several messages.
    fn count(&mut self, said: String, [x1, y1, x2, y2]: Segment, obstacles: &mut Obstacles) {
        let areas = ALONG.map(|share| {
            let (x, y) = (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share);
            let (left, width) = extent(&said, x, Side::Middle, self.plan.advance);
            [left - 9.0, y - 11.0, width + 18.0, 22.0]
        });
        let Some(area) = areas.into_iter().find(|area| obstacles.is_clear(*area)) else {
            return;
        };
        obstacles.areas.push(area);
        let [x, y, w, h] = area;
        self.front.push(Mark::Rect("msg-count", [x, y, w, h, 11.0]));
        self.front
            .push(Mark::Text("msg-count-text", [x + 9.0, y + 15.2], said));
    }

    fn words(
        &mut self,
        arrow: &Arrow,
        view: &MessagesView,
        line: Segment,
        obstacles: &mut Obstacles,
    ) {
        let plan = self.plan;
        if arrow.count > 1 {
            self.count(words::many(arrow.count), line, obstacles);
        }
        let room = (plan.width * 0.4 / (plan.advance * FONT)) as usize;
        let mut labels = labels(arrow, view);
        labels.retain(|said| (2..=room.min(28)).contains(&text::cells(said)));
        // The label of a lost message is beside its cross.
        let shares = if is_lost(arrow) { &AT_END[..] } else { &ALONG };
        // A label between two skipped periods may have no room beside them, so it covers a part of one. The label of
        // the newest message may cover a part of the line at the current time.
        let places = [Over::Nothing, Over::Folds, Over::Now];
        let places = places
            .into_iter()
            .flat_map(|over| labels.iter().map(move |said| (said, over)));
        for (said, over) in places {
            if let Some((x, y)) = obstacles.place(&plan, line, shares, said, over) {
                if over != Over::Nothing {
                    let (left, width) = extent(said, x, Side::Right, plan.advance);
                    let plate = [left - 3.0, y - 8.0, width + 6.0, 16.0, 3.0];
                    self.front.push(Mark::Rect("msg-plate", plate));
                }
                let class = match (arrow.fate, arrow.kind) {
                    (Fate::Lost | Fate::Broken, _) => "msg-label lost",
                    (_, ArrowKind::Request | ArrowKind::Answer) => "msg-label request",
                    _ => "msg-label watch",
                };
                let label = Mark::Text(class, [x, y + 4.2], said.clone());
                self.labels.push((arrow.id, label));
                return;
            }
        }
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
fn upto_cross(arrow: &Arrow, [x1, y1, x2, y2]: Segment) -> Segment {
    let share = if is_lost(arrow) { LOST_AT } else { 1.0 };
    [x1, y1, x1 + (x2 - x1) * share, y1 + (y2 - y1) * share]
}

fn direction([x1, y1, x2, y2]: Segment) -> (f64, f64) {
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = dx.hypot(dy).max(1e-6);
    (dx / length, dy / length)
}

/// Returns the tip of an arrow. `share` is the position of the tip on the line, as a fraction of the line's length.
fn tip(line: Segment, share: f64) -> Mark {
    let [x1, y1, x2, y2] = line;
    let (x, y) = (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share);
    let (dx, dy) = direction(line);
    let (bx, by) = (x - dx * 9.5, y - dy * 9.5);
    Mark::Path(
        "msg-tip",
        path(&[
            ("M", &[x, y]),
            ("L", &[bx - dy * 4.2, by + dx * 4.2]),
            ("L", &[bx + dy * 4.2, by - dx * 4.2]),
            ("z", &[]),
        ]),
    )
}

fn cross(x: f64, y: f64) -> Mark {
    let d = path(&[
        ("M", &[x - 5.5, y - 5.5]),
        ("l", &[11.0, 11.0]),
        ("m", &[0.0, -11.0]),
        ("l", &[-11.0, 11.0]),
    ]);
    Mark::Path("msg-cross", d)
}

/// Returns the pause symbol (two bars) at a position.
fn bars(x: f64, y: f64) -> Mark {
    let d = path(&[
        ("M", &[x - 3.5, y - 6.0]),
        ("v", &[12.0]),
        ("m", &[7.0, -12.0]),
        ("v", &[12.0]),
    ]);
    Mark::Path("msg-bars", d)
}

/// Returns the outline of a broad arrow, which represents many messages.
fn thick(line: Segment) -> String {
    let [x1, y1, x2, y2] = line;
    let (dx, dy) = direction(line);
    let (half, wing, head) = (5.0, 10.0, 14.0);
    let (bx, by) = (x2 - dx * head, y2 - dy * head);
    let side = |x: f64, y: f64, by: f64| [x - dy * by, y + dx * by];
    path(&[
        ("M", &side(x1, y1, half)),
        ("L", &side(bx, by, half)),
        ("L", &side(bx, by, wing)),
        ("L", &[x2, y2]),
        ("L", &side(bx, by, -wing)),
        ("L", &side(bx, by, -half)),
        ("L", &side(x1, y1, -half)),
        ("z", &[]),
    ])
}

fn zigzag(plan: &Plan, edge: f64, near: f64, far: f64) -> String {
    const TOOTH: f64 = 8.0;
    let mut d = String::new();
    let teeth = ((far - near) / TOOTH) as u32;
    for tooth in 0..=teeth {
        let by = if tooth.is_multiple_of(2) { -3.0 } else { 3.0 };
        let (x, y) = plan.turned(edge + by, near + f64::from(tooth) * TOOTH);
        let command = if tooth == 0 { "M" } else { "L" };
        d.push_str(&path(&[(command, &[x, y])]));
    }
    d
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
    use super::super::labels::overlaps;
    use super::*;

    fn scene(width: f64) -> MessagesScene {
        let view = fixture::traffic();
        let plan = Plan::new(&view, width, 420.0, 0.602);
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
            let plan = Plan::new(&view, width, 560.0, 0.602);
            let scene = MessagesScene::new(&view, plan, None);
            let bars = scene.back.iter().filter_map(|mark| match mark {
                Mark::Rect("msg-wait", [x, y, wide, high, _]) => Some([x + wide, y + high]),
                _ => None,
            });
            let ends: Vec<_> = bars.collect();
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
        let plan = Plan::new(&view, 936.0, 420.0, 0.602);
        let scene = MessagesScene::new(&view, plan, None);
        let plate = scene.front.iter().find_map(|mark| match mark {
            Mark::Rect("msg-plate", [x, y, width, height, _]) => Some([*x, *y, *width, *height]),
            _ => None,
        });
        let plate = plate.expect("the label has a plate");
        for arrow in &view.arrows {
            let line = upto_cross(arrow, scene.line(arrow));
            assert!(!crosses(line, plate), "{line:?} crosses {plate:?}");
        }
    }

    #[test]
    fn the_names_of_narrow_lanes_alternate_between_two_lines() {
        let mut view = fixture::traffic();
        let mut lane = view.lanes[0].clone();
        lane.name = "kubelet".to_owned();
        view.lanes.resize(9, lane);
        let plan = Plan::new(&view, 390.0, 560.0, 0.602);
        let scene = MessagesScene::new(&view, plan, None);
        let names = scene.top.iter().filter_map(|mark| match mark {
            Mark::Text("msg-name middle", [x, y], name) => Some((*x, *y, &**name)),
            _ => None,
        });
        let names: Vec<_> = names.collect();
        assert_eq!(names.len(), 9);
        for lane in names.windows(2) {
            assert_ne!(lane[0].1, lane[1].1, "{lane:?}");
        }
        for (x, _, name) in names {
            let half = name.len() as f64 * 0.602 * 13.0 / 2.0;
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
        let plan = Plan::new(&view, 390.0, 600.0, 0.602);
        let scene = MessagesScene::new(&view, plan, None);
        let times = scene.back.iter().filter_map(|mark| match mark {
            Mark::Text("msg-time", [x, _], _) => Some(*x),
            _ => None,
        });
        let times: Vec<f64> = times.collect();
        assert!(!times.is_empty());
        assert!(times.iter().all(|x| *x >= 0.0), "{times:?}");
    }

    #[test]
    fn messages_go_from_lane_to_lane_and_never_back_in_time() {
        for width in [390.0, 760.0] {
            let scene = scene(width);
            let view = fixture::traffic();
            for (drawn, arrow) in scene.arrows.iter().zip(&view.arrows) {
                let Some(Mark::Line("msg-hit", [x1, y1, x2, y2])) = drawn.marks.first() else {
                    panic!("what can be pointed at comes first");
                };
                let (before, after) = if scene.plan.down { (y1, y2) } else { (x1, x2) };
                assert!(before <= after, "{}", arrow.label);
            }
        }
    }

    #[test]
    fn words_cross_neither_lines_nor_each_other() {
        for width in [390.0, 760.0, 936.0] {
            let scene = scene(width);
            let words: Vec<[f64; 4]> = scene
                .labels
                .iter()
                .filter_map(|(_, mark)| match mark {
                    Mark::Text(_, [x, y], said) => {
                        let (_, wide) = extent(said, 0.0, Side::Right, scene.plan.advance);
                        Some([*x, y - 11.0, wide, 14.0])
                    }
                    _ => None,
                })
                .collect();
            assert!(words.len() >= 4, "{width}: {}", words.len());
            for (at, a) in words.iter().enumerate() {
                for b in &words[at + 1..] {
                    let apart = a[0] + a[2] <= b[0]
                        || b[0] + b[2] <= a[0]
                        || a[1] + a[3] <= b[1]
                        || b[1] + b[3] <= a[1];
                    assert!(apart, "{width}: {a:?} {b:?}");
                }
            }
        }
    }

    /// Returns the labels of messages, each with the middle of its left edge.
    fn said(scene: &MessagesScene) -> Vec<([f64; 2], &str)> {
        let texts = scene.labels.iter().filter_map(|(_, mark)| match mark {
            Mark::Text(_, [x, y], said) => Some(([*x, y - 4.2], &**said)),
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
            let plan = Plan::new(&view, width, 260.0, 0.602);
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
            let scene = MessagesScene::new(&view, Plan::new(&view, width, 420.0, 0.602), None);
            let counts: Vec<[f64; 4]> = scene
                .front
                .iter()
                .filter_map(|mark| match mark {
                    Mark::Rect("msg-count", [x, y, w, h, _]) => Some([*x, *y, *w, *h]),
                    _ => None,
                })
                .collect();
            assert!(counts.len() >= 2, "{width}: {}", counts.len());
            for (at, a) in counts.iter().enumerate() {
                for b in &counts[at + 1..] {
                    assert!(!overlaps(*a, *b), "{width}: {a:?} {b:?}");
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
            let plan = Plan::new(&view, width, 420.0, 0.602);
            let scene = MessagesScene::new(&view, plan, None);
            let labels = said(&scene);
            let place = labels.iter().find(|(_, said)| *said == "heartbeat");
            let ([x, y], _) = place.expect("the lost message has a label");
            let [.., cross_x, cross_y] = upto_cross(&view.arrows[6], scene.line(&view.arrows[6]));
            let (_, wide) = extent("heartbeat", 0.0, Side::Right, plan.advance);
            let beside = (x - cross_x).max(cross_x - x - wide).max(0.0);
            assert!(
                beside < 30.0 && (y - cross_y).abs() < 30.0,
                "{width}: {x} {y}"
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
        let plan = Plan::new(&view, 748.0, 222.0, 0.602);
        let scene = MessagesScene::new(&view, plan, None);
        assert!(plan.height <= 222.0, "{}", plan.height);
        let texts = scene.front.iter().filter_map(|mark| match mark {
            Mark::Text(class, [_, y], _) if ["msg-name", "msg-role"].contains(class) => Some(*y),
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
            .into_iter()
            .filter_map(|mark| match mark {
                Mark::Text(class, _, said) if class.starts_with("msg-number") => Some(said),
                _ => None,
            })
            .collect();
        assert_eq!(numbers, ["1", "2"]);
    }
}
