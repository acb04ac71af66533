//! The layout of the Index view: shapes with positions, from which both the SVG and the canvas are drawn.
//!
//! The layout is a pure function of the view, the drawing area and the axis. Drawing adds only colours. Hit testing and
//! the keyboard use the positions of the layout, too.

use std::mem;

use crate::draw::surface::within;
use watchglass_engine::view::{Bead, BeadState, IndexView, Lane, ReadCut};

use super::geometry::{BEAD_GAP, FLAGS, NAMES_MARGIN, RULER, STACKED, Stage, bead_padding};
use super::lod::Detail;
use super::values::Values;
use crate::draw::placer::{Placer, side_by_side};
use crate::draw::scale::{RevScale, ticks};
use crate::draw::text;
use crate::draw::{Rect, Segment, pt};
use crate::state::ui::KeySpan;
use crate::words::index as words;

/// The selected key and the highlighted keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Highlights {
    pub key: Option<Vec<u8>>,
    pub revision: Option<(i64, i64)>,
    pub watched: Option<KeySpan>,
}

/// All shapes of the Index view's drawing, with their positions.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexScene {
    /// The drawing area for which the scene was made.
    pub stage: Stage,
    pub scale: RevScale,
    pub detail: Detail,
    /// The lower edge of the last lane, or of the area of lanes if the last lane extends beyond this area.
    pub lanes_bottom: f64,
    pub lanes: Vec<Band>,
    pub threads: Vec<ThreadLine>,
    pub brackets: Vec<Bracket>,
    pub labels: Vec<LaneLabel>,
    pub beads: Vec<BeadShape>,
    pub bars: Vec<Bar>,
    /// The lines of transactions that change several lanes.
    pub joins: Vec<Segment>,
    /// The bracket beside the lanes of a range of keys.
    pub range: Option<RangeBracket>,
    /// The lines that connect each returned bead with the line of the read.
    pub answers: Vec<Segment>,
    /// The x coordinate of the compaction line, if the store was compacted.
    pub floor: Option<f64>,
    /// The x coordinate of the head revision.
    pub head: f64,
    pub cut: Option<Cut>,
    /// The flags below the lanes.
    pub flags: Vec<RevisionFlag>,
    /// The numbers on the ruler.
    pub ticks: Vec<Tick>,
    /// The x coordinates of the small ticks on the ruler, one at each visible revision without a number. Empty if the
    /// revisions are too close to one another.
    pub small_ticks: Vec<f64>,
}

/// The bracket beside the lanes of a range of keys, left of their names.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeBracket {
    /// The upper and the lower end of the visible part; `None` if no lane of the range is visible.
    pub span: Option<(f64, f64)>,
    /// For the upper and the lower end of `span`: true if the range ends there, false if the edge of the drawing area
    /// cuts the range off.
    pub ends: (bool, bool),
    /// The text for the range of keys. If no lane of the range is visible, the text ends with an arrow towards the
    /// lanes.
    pub name: String,
}

/// The background of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    #[default]
    Plain,
    /// The key belongs to the highlighted watcher.
    Watched,
    Selected,
}

/// The background and the name of one lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// The index of the lane in [`IndexView::lanes`].
    pub index: usize,
    /// The upper edge.
    pub y: f64,
    /// The prefix of the name, which is drawn less prominently.
    pub prefix: String,
    /// The last segment of the name.
    pub name: String,
    /// Whether the prefix and the last segment are on two lines.
    pub stacked: bool,
    pub alive: bool,
    pub ground: Ground,
    /// Whether the key belongs to the highlighted watcher.
    pub watched: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// No tombstone has ended the generation.
    Alive,
    /// A tombstone has ended the generation.
    Ended,
    /// A compaction has removed the whole generation.
    Forgotten,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ThreadLine {
    pub x1: f64,
    pub x2: f64,
    pub y: f64,
    pub life: Life,
}

/// The bracket below a generation. The bracket has no right end until a tombstone ends the generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Bracket {
    pub x1: f64,
    pub x2: f64,
    pub y: f64,
    /// Whether the generation has no tombstone, so that the bracket has no right end.
    pub open: bool,
    /// Whether a compaction has removed the generation.
    pub faint: bool,
}

/// A text on an opaque rectangle (a plate), so that lines behind the text do not cross it.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneLabel {
    /// The key and the number of the generation.
    pub id: String,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub text: String,
    /// The background behind the text, which is the same as the background of the lane.
    pub ground: Ground,
    /// Whether the generation of this label has no tombstone.
    pub alive: bool,
    /// The upper edge and the height of the background behind the text. If the dotted line at the head revision would
    /// cross the text, the background is as tall as the lane, so that the dots end well before the text.
    pub plate: (f64, f64),
}

#[derive(Clone, Debug, PartialEq)]
pub struct BeadShape {
    /// The index of the lane in [`IndexView::lanes`].
    pub lane: usize,
    pub main: i64,
    pub sub: i64,
    /// The x coordinate of the middle.
    pub x: f64,
    /// The y coordinate of the middle.
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub text: String,
    /// The state of the change, which decides the shape of the bead.
    pub state: BeadState,
    /// Whether the change is at or before the compact revision and was preserved.
    pub pinned: bool,
    /// Whether the current step made the change.
    pub changed: bool,
    /// Whether the change is in the response to the read.
    pub answered: bool,
    pub selected: bool,
}

/// A bar that represents the changes in one column of the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The index of the lane in [`IndexView::lanes`].
    pub lane: usize,
    /// The area; [`share`] decides its height.
    pub area: Rect,
    /// The state of the most important change.
    pub state: BeadState,
    /// The upper edge of the lane, where important columns get a mark.
    pub top: f64,
}

/// The vertical line at the revision of a read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    pub x: f64,
    pub refused: bool,
    /// Whether a person typed the read at an earlier step.
    pub is_aside: bool,
}

/// The meaning of a flag, which names a vertical line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevisionFlagKind {
    /// The compaction line.
    Floor,
    Read,
    Refused,
}

/// The flag at the lower end of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct RevisionFlag {
    pub area: Rect,
    /// The text, which may be shortened.
    pub text: String,
    pub title: String,
    pub kind: RevisionFlagKind,
}

/// The position of a revision relative to the head revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Past,
    Head,
    /// A revision after the head revision, which a later step of the run creates.
    Future,
}

/// A revision number on the ruler.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub x: f64,
    /// The x coordinate of the middle of the number, limited so that the number stays in the drawing area.
    pub text_x: f64,
    pub revision: i64,
    pub when: When,
}

/// The minimum distance between the small ticks of the ruler, in pixels.
const SMALL_TICKS_PITCH: f64 = 6.0;
pub const FLAG_HEIGHT: f64 = 22.0;
/// The font size in labels and flags.
pub const SMALL: f64 = 12.0;
/// The sum of the space left and right of the text in a flag.
const FLAG_PADDING: f64 = 16.0;
const FLAG_CELLS_MIN: usize = 10;
/// The flag of a read keeps a longer text only if no flag is farther away from its line than this number of pixels.
const FLAG_AWAY_MAX: f64 = 30.0;
/// The distance by which the line and the bracket of an existing key extend beyond the head revision.
const OVERRUN: f64 = 16.0;

/// The minimum sum of the space left and right of the text in a bead.
const TIGHT_PADDING: f64 = 4.0;
/// The minimum distance from a bead's revision to each end of the bead.
const SIDE_MIN: f64 = 6.0;
/// The maximum number of characters in a bead.
const LABEL_CELLS_MAX: usize = 16;

impl IndexScene {
    /// Computes the positions of all shapes of the Index view.
    pub fn new(
        view: &IndexView,
        stage: Stage,
        scale: RevScale,
        scroll_top: f64,
        marks: &Highlights,
    ) -> IndexScene {
        let tier = stage.tier;
        let end = view.end.max(view.head);
        let matching = f64::from(view.lanes_matching);
        // In an empty store, the label of a read is above the text in the lower half.
        let least = match view.lanes_matching {
            0 => tier.lane.min(stage.height / 2.0 - RULER - 4.0).max(0.0),
            _ => 0.0,
        };
        let lanes_bottom = (RULER + matching * tier.lane - scroll_top)
            .min(RULER + stage.lanes_height())
            .max(RULER + least);
        let head = scale.x(view.head);
        let floor =
            (view.compact_revision > 0).then(|| scale.x(view.compact_revision) - scale.pitch / 2.0);
        let cut = view.read.as_ref().map(|read| Cut {
            x: scale.x(cut_revision(read, view.head)),
            refused: read.refused.is_some(),
            is_aside: read.is_aside,
        });
        let ticks = ruler(view, scale, end);
        let mut scene = IndexScene {
            stage,
            scale,
            detail: Detail::at(scale.pitch),
            lanes_bottom,
            lanes: Vec::new(),
            threads: Vec::new(),
            brackets: Vec::new(),
            labels: Vec::new(),
            beads: Vec::new(),
            bars: Vec::new(),
            joins: Vec::new(),
            range: range_bracket(view, &stage, scroll_top, lanes_bottom),
            answers: Vec::new(),
            floor,
            head,
            cut,
            flags: Vec::new(),
            small_ticks: small_ticks(scale, end, &ticks),
            ticks,
        };
        scene.join(view, scroll_top);
        let mut labels = Labels {
            values: Values::of(view),
            names: LaneName::all(view, &stage),
        };
        for (index, lane) in view.lanes.iter().enumerate() {
            let y = lane_top(view, tier.lane, scroll_top, index);
            if y + tier.lane > RULER && y < RULER + stage.lanes_height() {
                scene.lane(view, lane, index, y, marks, &mut labels);
            }
        }
        scene.flag(view);
        scene
    }

    /// Returns the approximate number of SVG nodes of the scene. All threads of a kind are one node, and so are all
    /// brackets of a kind, so these do not count.
    pub fn nodes(&self) -> usize {
        2 * self.labels.len()
            + 4 * self.beads.len()
            + 2 * self.bars.len()
            + self.joins.len()
            + 6 * self.lanes.len()
            + self.ticks.len()
    }

    fn join(&mut self, view: &IndexView, scroll_top: f64) {
        let tier = self.stage.tier;
        for join in &view.joins {
            let x = self.scale.x(join.main);
            if x < self.scale.left - 2.0 || x > self.scale.right() + 2.0 {
                continue;
            }
            let axis = |lane: u32| lane_top(view, tier.lane, scroll_top, lane as usize) + tier.axis;
            let ends = [join.top, join.bottom].map(|lane| pt(x, axis(lane)));
            self.joins.push(Segment::new(ends[0], ends[1]));
        }
    }

    fn lane(
        &mut self,
        view: &IndexView,
        lane: &Lane,
        index: usize,
        y: f64,
        marks: &Highlights,
        labels: &mut Labels<'_>,
    ) {
        let tier = self.stage.tier;
        let selected = marks.key.as_ref() == Some(&lane.key);
        let watched = marks.watched.as_ref();
        let watched = watched.is_some_and(|range| range.holds(&lane.key));
        let ground = match (selected, watched) {
            (true, _) => Ground::Selected,
            (false, true) => Ground::Watched,
            (false, false) => Ground::Plain,
        };
        let LaneName {
            prefix,
            name,
            stacked,
        } = mem::take(&mut labels.names[index]);
        self.lanes.push(Band {
            index,
            y,
            prefix,
            name,
            stacked,
            alive: lane.alive,
            ground,
            watched,
        });
        let axis = y + tier.axis;
        let blockers = self.blockers(y);
        let texts = self.bead_texts(lane, &blockers, &mut labels.values);
        self.lives(lane, &texts, &blockers, y, ground);
        for (bead, text) in lane.beads.iter().zip(texts) {
            self.bead(view, bead, text, index, axis, selected.then_some(marks));
        }
        self.bins(view, lane, index, y);
    }

    /// Returns the texts in the beads of a lane. A bead with a long value extends into the free room on both sides, or
    /// on one side if the other side has too little room. A bead never extends over another bead or over a vertical
    /// line. A bead that the edge of the axis cuts has no text.
    fn bead_texts(&self, lane: &Lane, blockers: &[f64], values: &mut Values<'_>) -> Vec<BeadText> {
        let (stage, scale) = (&self.stage, self.scale);
        let mut lines = vec![self.head];
        lines.extend(blockers);
        let wanted = |bead: &Bead| wanted_width(stage, scale.pitch, bead);
        let shape = |(at, bead): (usize, &Bead)| {
            let x = scale.x(bead.main);
            let neighbour = |at: Option<usize>| lane.beads.get(at?);
            let neighbours = [neighbour(at.checked_sub(1)), neighbour(Some(at + 1))];
            let apart = |other: &Bead| (scale.x(other.main) - x).abs() - BEAD_GAP;
            // The room on a side up to the nearest line and to the edge of the axis. The bead's own revision has a
            // line, too, if it is the head or the revision of a read.
            let free = |side: f64, edge: f64| {
                let lines = lines.iter().map(|line| (line - x) * side - 3.0);
                lines.filter(|room| *room > 0.0).fold(edge, f64::min)
            };
            let free = [
                free(-1.0, x - scale.left - 1.0),
                free(1.0, scale.right() - x - 1.0),
            ];
            // A put before a delete of the same revision is beside the tombstone.
            if let Some(next) = neighbours[1].filter(|next| next.main == bead.main) {
                let half = wanted(next) / 2.0 + BEAD_GAP;
                let before = neighbours[0].map(|other| apart(other) - wanted(other) / 2.0);
                let room = free[0].min(before.unwrap_or(f64::INFINITY)) - half;
                let text = text_of(stage, scale.pitch, room, bead, values);
                let width = bead_width(stage, scale.pitch, room, text::cells(&text));
                return BeadText {
                    text,
                    width,
                    shift: -width / 2.0 - half,
                };
            }
            let sides = |beside: fn(f64, f64) -> f64| {
                [0, 1].map(|side| {
                    let beside = neighbours[side].map(|other| match drawn_text(other.state) {
                        true => beside(apart(other), wanted(other)),
                        // A neighbour without a text never extends.
                        false => apart(other) - wanted(other) / 2.0,
                    });
                    free[side].min(beside.unwrap_or(f64::INFINITY))
                })
            };
            // Two neighbours share the room between them; a bead also gets the room that its neighbour does not need.
            let [left, right] = sides(|apart, other| apart - (other / 2.0).min(apart / 2.0));
            let room = (2.0 * left.min(right)).max(scale.pitch - BEAD_GAP);
            let edge = (x - scale.left).min(scale.right() - x);
            let text = match room / 2.0 <= edge {
                true => text_of(stage, scale.pitch, room, bead, values),
                false => String::new(),
            };
            if text != bead.label {
                // Beyond the middle between two beads, each bead could extend over the other.
                let [left, right] = sides(|apart, other| (apart / 2.0).min(apart - other / 2.0));
                let room = left + right;
                // A part of the value beside the revision is better than no value.
                let has_more = text.is_empty() || is_whole(stage, scale.pitch, room, bead);
                let aside = match has_more && left.min(right) >= SIDE_MIN {
                    true => text_of(stage, scale.pitch, room, bead, values),
                    false => String::new(),
                };
                if !aside.is_empty() {
                    let cells = text::cells(&aside);
                    let width = bead_width(stage, scale.pitch, room, cells).min(room);
                    let start = within(x - width / 2.0, x - left, x + right - width);
                    return BeadText {
                        text: aside,
                        width,
                        shift: start + width / 2.0 - x,
                    };
                }
            }
            let width = bead_width(stage, scale.pitch, room, text::cells(&text));
            BeadText {
                text,
                width,
                shift: 0.0,
            }
        };
        lane.beads.iter().enumerate().map(shape).collect()
    }

    fn lives(&mut self, lane: &Lane, texts: &[BeadText], blockers: &[f64], y: f64, ground: Ground) {
        let (tier, scale) = (self.stage.tier, self.scale);
        let room = scale.pitch - BEAD_GAP;
        let widest = bead_width(&self.stage, scale.pitch, room, LABEL_CELLS_MAX) / 2.0;
        // A bracket includes the width of its outermost beads; beads outside the stage count with the maximum width.
        let part_of = |main: i64, side: f64| {
            let beads = lane.beads.iter().zip(texts);
            let beads = beads.filter(|(bead, _)| bead.main == main);
            let parts = beads.map(|(_, text)| text.width / 2.0 + side * text.shift);
            parts.reduce(f64::max).unwrap_or(widest)
        };
        let left_of = |main| part_of(main, -1.0);
        let right_of = |main| part_of(main, 1.0);
        let reach = within(scale.pitch * 0.4, 3.0, OVERRUN);
        let placer = Placer::between(blockers);
        // Where the bracket and the label of the previous generation end.
        let mut taken = scale.left - 2.0;
        for (number, thread) in lane.threads.iter().enumerate() {
            let x1 = scale.x(thread.first);
            let x2 = if thread.alive {
                let last = scale.x(thread.last) + right_of(thread.last);
                last.max(self.head + widest.min(scale.pitch / 2.0)) + reach
            } else {
                scale.x(thread.last)
            };
            if x2 < scale.left - 40.0 || x1 > scale.right() + 40.0 {
                continue;
            }
            let life = match (thread.alive, thread.forgotten) {
                (true, _) => Life::Alive,
                (false, false) => Life::Ended,
                (false, true) => Life::Forgotten,
            };
            self.threads.push(ThreadLine {
                x1: x1.max(scale.left - 40.0),
                x2: x2.min(scale.right() + 40.0),
                y: y + tier.axis,
                life,
            });
            if self.detail < Detail::Shape {
                continue;
            }
            let (start, stop) = (x1 - left_of(thread.first), right_of(thread.last));
            let foot = if thread.alive { x2 } else { x2 + stop };
            // Without labels, a bracket is useful only if its beginning or its end is visible.
            let ends = start >= scale.left || (!thread.alive && foot <= scale.right());
            if tier.label.is_none() && !ends {
                continue;
            }
            self.brackets.push(Bracket {
                x1: start,
                x2: foot,
                y: y + tier.bracket,
                open: thread.alive,
                faint: thread.forgotten,
            });
            let Some(baseline) = tier.label else { continue };
            let next = lane.threads.get(number + 1);
            let limit = next.map_or(scale.right() - 4.0, |next| {
                scale.x(next.first) - left_of(next.first) - 6.0
            });
            let [full, short] = words::generation_labels(thread.number, thread.ver);
            let width_of = |text: &str| self.stage.font(tier.small).width(text);
            let from = start.max(scale.left + 4.0);
            let limit = limit.min(scale.right() - 4.0);
            let place = |text: &str| placer.leftmost(width_of(text), from, limit);
            // If no place between the lines is wide enough for the full label, the label covers a part of a line, and
            // may begin before its bracket.
            let over = || {
                let x = from.min(limit - width_of(&full));
                (x >= taken + 6.0 && !self.stage.has_overview).then_some(x)
            };
            let placed = match place(&full).or_else(over) {
                Some(x) => Some((x, full)),
                None => place(&short).map(|x| (x, short)),
            };
            taken = taken.max(foot);
            if let Some((x, text)) = placed {
                let width = width_of(&text);
                taken = taken.max(x + width);
                let crossed = self.head > x - 7.0 && self.head < x + width + 7.0;
                let plate = if crossed {
                    (y + tier.bracket + 1.0, tier.lane - tier.bracket - 2.0)
                } else {
                    (y + baseline - tier.small * 0.88, tier.small * 1.17)
                };
                self.labels.push(LaneLabel {
                    id: format!("{}@{}", lane.name, thread.number),
                    x,
                    y: y + baseline,
                    width,
                    plate,
                    text,
                    ground,
                    alive: thread.alive,
                });
            }
        }
    }

    /// Returns the vertical lines that cross the labels of the lane at `y`. The line of the head revision is not
    /// included: this line moves with every write, so labels that avoid this line would move back and forth. Instead,
    /// the dotted line of the head revision ends at the plate (the opaque background) of a label.
    fn blockers(&self, y: f64) -> Vec<f64> {
        let axis = y + self.stage.tier.axis;
        let below = axis + 1.0;
        let crosses = |join: &&Segment| join.from.y <= below && join.to.y > below;
        let joins = self.joins.iter().filter(crosses).map(|join| join.from.x);
        let fixed = self.floor.into_iter().chain(self.cut.map(|cut| cut.x));
        let mut lines: Vec<f64> = fixed.chain(joins).collect();
        lines.sort_by(f64::total_cmp);
        lines
    }

    fn bead(
        &mut self,
        view: &IndexView,
        bead: &Bead,
        BeadText { text, width, shift }: BeadText,
        lane: usize,
        axis: f64,
        marks: Option<&Highlights>,
    ) {
        let x = self.scale.x(bead.main);
        if x < self.scale.left - self.scale.pitch || x > self.scale.right() + self.scale.pitch {
            return;
        }
        let answered = view.read.as_ref().is_some_and(|read| {
            read.answers.iter().any(|answer| {
                (answer.lane as usize, answer.main, answer.sub) == (lane, bead.main, bead.sub)
            })
        });
        if let (true, Some(cut)) = (answered, self.cut) {
            self.answers
                .push(Segment::new(pt(x, axis), pt(cut.x, axis)));
        }
        let tier = self.stage.tier;
        self.beads.push(BeadShape {
            lane,
            main: bead.main,
            sub: bead.sub,
            x: x + shift,
            y: axis,
            width,
            height: tier.bead.min(self.scale.pitch * 2.5),
            text,
            state: bead.state,
            pinned: bead.state == BeadState::Kept
                || (bead.state == BeadState::Live && bead.main <= view.compact_revision),
            changed: bead.changed,
            answered,
            selected: marks.is_some_and(|marks| marks.revision == Some((bead.main, bead.sub))),
        });
    }

    fn bins(&mut self, view: &IndexView, lane: &Lane, index: usize, y: f64) {
        let query = &view.query;
        let revisions = (view.rev_to - view.rev_from + 1).max(1) as f64;
        let width = revisions * self.scale.pitch / f64::from(query.columns.max(1));
        let left = self.scale.x_at(view.rev_from as f64 - 0.5);
        let tier = self.stage.tier;
        for bin in &lane.bins {
            let x = left + f64::from(bin.column) * width;
            if x + width < self.scale.left || x > self.scale.right() {
                continue;
            }
            let height = (tier.bead * share(bin.state, bin.count)).max(3.0);
            let wide = (width - if width >= 3.0 { 1.0 } else { 0.0 }).max(1.0);
            let axis = y + tier.axis;
            self.bars.push(Bar {
                lane: index,
                area: Rect::new(x, axis - height / 2.0, wide, height),
                state: bin.state,
                top: axis - tier.bead / 2.0,
            });
        }
    }

    fn flag(&mut self, view: &IndexView) {
        // The row of flags can also use the space below the names.
        let (left, right) = (8.0, self.scale.right() - 4.0);
        let font = self.stage.font(SMALL);
        // Each flag has the x coordinate of its line, its text, its whole text and its meaning.
        let mut flags: Vec<(f64, String, String, RevisionFlagKind)> = Vec::new();
        let width = |text: &str| font.width(text) + FLAG_PADDING;
        let on_plot = |x: f64| x >= self.scale.left && x <= self.scale.right();
        if let Some(x) = self.floor.filter(|x| on_plot(*x)) {
            let text = words::compacted(view.compact_revision);
            flags.push((x, text.clone(), text, RevisionFlagKind::Floor));
        }
        if let (Some(read), Some(cut)) = (&view.read, self.cut) {
            let kind = if cut.refused {
                RevisionFlagKind::Refused
            } else {
                RevisionFlagKind::Read
            };
            // A read outside the visible range has its flag at the edge, with an arrow.
            let x = within(cut.x, self.scale.left, self.scale.right());
            // If two flags do not fit side by side, the flag of the read is shortened, so that both stay near their
            // lines. If even the shortest text has no room there, both flags may move.
            let floor = flags.first().map(|(at, text, ..)| (*at, width(text)));
            let wide = floor.map_or(0.0, |(_, width)| width + 8.0);
            let room = font.cells(right - left - wide - FLAG_PADDING);
            let whole = room.max(FLAG_CELLS_MIN);
            let is_near = |text: &String| {
                let mut wants: Vec<(f64, f64)> = floor.into_iter().collect();
                wants.push((x, width(text)));
                wants.sort_by(|a, b| a.0.total_cmp(&b.0));
                let places = side_by_side(&wants, left, right);
                let mut both = places.iter().zip(&wants);
                let near = |at: f64, from: f64, to: f64| {
                    (from - FLAG_AWAY_MAX..=to + FLAG_AWAY_MAX).contains(&at)
                };
                text::cells(text) <= whole
                    && both.all(|((from, wide), (at, _))| near(*at, *from, from + wide))
            };
            let (before, after) = match cut.x {
                at if at < x => ("← ", ""),
                at if at > x => ("", " →"),
                _ => ("", ""),
            };
            let short = short_command(&read.label);
            let mut texts = vec![cut_text(read, &read.label), cut_text(read, &short)];
            texts.extend(cut.refused.then(|| words::refused_in_short(&short)));
            let texts = texts
                .into_iter()
                .map(|text| [before, &text, after].concat());
            let texts: Vec<String> = texts.collect();
            let near = texts.iter().find(|text| is_near(text));
            let moved = || texts.iter().find(|text| text::cells(text) <= whole);
            let text = near.or_else(moved).or(texts.last());
            let text = text.map_or_else(String::new, |text| text::middle(text, whole));
            flags.push((x, text, texts[0].clone(), kind));
        }
        flags.sort_by(|a, b| a.0.total_cmp(&b.0));
        let wants = flags.iter().map(|(x, text, ..)| (*x, width(text)));
        let places = side_by_side(&wants.collect::<Vec<_>>(), left, right);
        let y = self.lanes_bottom + 5.0;
        for ((_, text, title, kind), (x, width)) in flags.into_iter().zip(places) {
            self.flags.push(RevisionFlag {
                area: Rect::new(x, y, width, FLAG_HEIGHT),
                text,
                title,
                kind,
            });
        }
    }
}

/// Returns the bracket of the view's range of keys.
fn range_bracket(
    view: &IndexView,
    stage: &Stage,
    scroll_top: f64,
    lanes_bottom: f64,
) -> Option<RangeBracket> {
    let bracket = view.bracket.as_ref()?;
    let edge = |lane: u32| RULER + f64::from(lane) * stage.tier.lane - scroll_top;
    // A gap separates the bracket from the lanes beside the range.
    let (top, bottom) = (edge(bracket.first) + 3.0, edge(bracket.last + 1) - 3.0);
    let is_above = bottom <= RULER;
    let is_below = top >= lanes_bottom;
    let room = stage.gutter - name_left(stage) - 6.0;
    let mut room = stage.font(SMALL).cells(room);
    let arrow = match (is_above, is_below) {
        (true, _) => " ↑",
        (_, true) => " ↓",
        (false, false) => "",
    };
    room = room.saturating_sub(text::cells(arrow));
    let mut name = text::ending(&bracket.range, room);
    name.push_str(arrow);
    Some(RangeBracket {
        span: (!is_above && !is_below).then(|| (top.max(RULER), bottom.min(lanes_bottom))),
        ends: (top >= RULER, bottom <= lanes_bottom),
        name,
    })
}

/// Returns the number of characters of the longest name.
pub fn name_cells(view: &IndexView) -> usize {
    let names = view.lanes.iter().map(|lane| text::cells(&lane.name));
    names.max().unwrap_or(0)
}

struct Labels<'a> {
    values: Values<'a>,
    names: Vec<LaneName>,
}

/// The name of a lane, shortened to the column of names.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct LaneName {
    prefix: String,
    name: String,
    stacked: bool,
}

impl LaneName {
    /// Returns the names of all lanes. Names that would be alike are shortened to the parts that differ.
    fn all(view: &IndexView, stage: &Stage) -> Vec<LaneName> {
        let names = LaneName::short(view, stage);
        if !has_equal(&names) {
            return names;
        }
        let room = stage.cells(stage.gutter - NAMES_MARGIN);
        let different = |(name, lane): (&LaneName, &Lane)| {
            let lanes = names.iter().zip(&view.lanes);
            let alike = lanes.filter(|(other, _)| *other == name);
            let alike: Vec<&str> = alike.map(|(_, lane)| &*lane.name).collect();
            if alike.len() == 1 {
                return name.clone();
            }
            let end = text::differing(&lane.name, &alike);
            LaneName {
                prefix: "…".to_owned(),
                name: text::middle(end, room.saturating_sub(1)),
                stacked: false,
            }
        };
        let all = names.iter().zip(&view.lanes);
        all.map(different).collect()
    }

    /// Returns the names of all lanes, each shortened without regard to the other names.
    fn short(view: &IndexView, stage: &Stage) -> Vec<LaneName> {
        let lanes = view.lanes.iter();
        lanes.map(|lane| LaneName::of(&lane.name, stage)).collect()
    }

    fn of(key: &str, stage: &Stage) -> LaneName {
        let room = stage.cells(stage.gutter - NAMES_MARGIN);
        let stacked = stage.gutter < STACKED && stage.tier.lane >= 44.0 && text::cells(key) > room;
        let (prefix, name) = if stacked {
            let (prefix, name) = text::split_key(key);
            (text::ending(prefix, room), text::middle(name, room))
        } else {
            text::key_name(key, room)
        };
        LaneName {
            prefix,
            name,
            stacked,
        }
    }
}

fn has_equal(names: &[LaneName]) -> bool {
    let mut names: Vec<_> = names.iter().collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair[0] == pair[1])
}

/// Returns true if two keys would have the same shortened name.
pub fn are_names_alike(view: &IndexView, stage: &Stage) -> bool {
    has_equal(&LaneName::short(view, stage))
}

pub fn name_left(stage: &Stage) -> f64 {
    if stage.gutter < 120.0 { 12.0 } else { 16.0 }
}

/// Returns the y coordinate of the upper edge of a lane.
pub fn lane_top(view: &IndexView, height: f64, scroll_top: f64, index: usize) -> f64 {
    RULER + (f64::from(view.query.first_lane) + index as f64) * height - scroll_top
}

/// Returns the revision of a read; a read without a revision reads at the head revision.
fn cut_revision(read: &ReadCut, head: i64) -> i64 {
    if read.revision > 0 {
        read.revision
    } else {
        head
    }
}

/// Replaces the keys of a command by an ellipsis: `get /a /b --rev=3` becomes `get … --rev=3`.
fn short_command(label: &str) -> String {
    let words = label.split(' ').enumerate();
    let kept = words.map(|(place, word)| match word {
        _ if place == 0 || word.starts_with("--") => word,
        _ => "…",
    });
    let mut kept: Vec<&str> = kept.collect();
    kept.dedup();
    kept.join(" ")
}

fn cut_text(read: &ReadCut, label: &str) -> String {
    let own = words::your_read(label);
    let label = if read.is_aside { &own } else { label };
    let Some(why) = &read.refused else {
        return words::found(label, read.count, read.returned);
    };
    // Only the last words of etcd's message; the terminal shows the whole message.
    let why = why.rsplit(": ").next().unwrap_or(why);
    let why = why.trim_start_matches("required revision ");
    let why = why.trim_start_matches("has been ");
    words::refused(label, why.trim_start_matches("is a "))
}

/// Returns true if beads in this state show the value of their change.
fn drawn_text(state: BeadState) -> bool {
    match state {
        BeadState::Live | BeadState::Superseded | BeadState::Kept | BeadState::Doomed => true,
        BeadState::Gone | BeadState::Tombstone => false,
    }
}

/// Returns the height of a column as a fraction of a bead's height. Columns with more important states or more changes
/// are taller.
fn share(state: BeadState, count: u32) -> f64 {
    let one = match state {
        BeadState::Live | BeadState::Tombstone => 0.8,
        BeadState::Kept => 0.65,
        BeadState::Superseded | BeadState::Doomed => 0.45,
        BeadState::Gone => 0.25,
    };
    // Four times as many changes add a quarter of the height.
    (one + f64::from(count.max(1)).log2() * 0.125).min(1.0)
}

/// The text in a bead, and the width that the bead needs for it.
struct BeadText {
    text: String,
    width: f64,
    /// The distance by which the middle of the bead is to the right of its revision.
    shift: f64,
}

/// Returns true if the whole value fits into `room` pixels with the minimum space beside the value. A whole value with
/// little space beside it is better than a shortened value.
fn is_whole(stage: &Stage, pitch: f64, room: f64, bead: &Bead) -> bool {
    let cells = stage.cells(room - TIGHT_PADDING).min(LABEL_CELLS_MAX);
    Detail::at(pitch) >= Detail::Text && drawn_text(bead.state) && text::cells(&bead.label) <= cells
}

/// Returns the text in a bead for which there are `room` pixels.
fn text_of(stage: &Stage, pitch: f64, room: f64, bead: &Bead, values: &mut Values<'_>) -> String {
    if Detail::at(pitch) < Detail::Text || !drawn_text(bead.state) {
        return String::new();
    }
    if is_whole(stage, pitch, room, bead) {
        return bead.label.clone();
    }
    let cells = bead_cells(stage, pitch, room).min(LABEL_CELLS_MAX);
    values.cut(&bead.label, cells)
}

/// Returns the maximum number of characters in a bead, if there are `room` pixels for the bead.
fn bead_cells(stage: &Stage, pitch: f64, room: f64) -> usize {
    let cells = stage.cells(room - bead_padding(&stage.tier) + 2.0);
    // The narrowest beads with text omit their padding to show one character.
    if pitch >= super::geometry::TEXT_PITCH {
        cells.max(1)
    } else {
        cells
    }
}

/// Returns the width of a bead with this number of characters, if there are `room` pixels for the bead.
fn bead_width(stage: &Stage, pitch: f64, room: f64, cells: usize) -> f64 {
    let text = stage.font(stage.tier.font).long(cells);
    let wanted = text + bead_padding(&stage.tier);
    let least = stage.tier.bead.min(pitch - BEAD_GAP);
    wanted.min(room).max(least).max(2.0)
}

/// Returns the width of a bead that has room for its whole text.
fn wanted_width(stage: &Stage, pitch: f64, bead: &Bead) -> f64 {
    let cells = match Detail::at(pitch) < Detail::Text || !drawn_text(bead.state) {
        true => 0,
        false => text::cells(&bead.label).min(LABEL_CELLS_MAX),
    };
    bead_width(stage, pitch, f64::INFINITY, cells)
}

fn ruler(view: &IndexView, scale: RevScale, end: i64) -> Vec<Tick> {
    let (first, last) = scale.visible();
    let digits = text::cells(&end.max(1).to_string()).max(2) as f64;
    // The space between two numbers is at least about three quarters of a number's width.
    let width = digits * 8.0 + (digits * 6.0 + 4.0);
    ticks(scale, first.max(1), last.min(end), &[view.head], width)
        .into_iter()
        .filter(|revision| {
            // A number that is cut off at the edge would be misread.
            let x = scale.x(*revision);
            x >= scale.left + 4.0 && x <= scale.right() - 4.0
        })
        .map(|revision| Tick {
            x: scale.x(revision),
            text_x: {
                let half = text::cells(&revision.to_string()) as f64 * 4.0 + 2.0;
                scale.x(revision).min(scale.right() - half)
            },
            revision,
            when: match revision.cmp(&view.head) {
                std::cmp::Ordering::Less => When::Past,
                std::cmp::Ordering::Equal => When::Head,
                std::cmp::Ordering::Greater => When::Future,
            },
        })
        .collect()
}

fn small_ticks(scale: RevScale, end: i64, numbered: &[Tick]) -> Vec<f64> {
    if scale.pitch < SMALL_TICKS_PITCH {
        return Vec::new();
    }
    let (first, last) = scale.visible();
    (first.max(1)..=last.min(end))
        .filter(|revision| numbered.iter().all(|tick| tick.revision != *revision))
        .map(|revision| scale.x(revision))
        .filter(|x| *x >= scale.left && *x <= scale.right())
        .collect()
}

/// The drawing area must have room for the flags.
const _: () = assert!(FLAG_HEIGHT + 5.0 <= FLAGS);

#[cfg(test)]
mod tests {
    use super::super::camera::Camera;
    use super::super::fixture;
    use super::*;
    use watchglass_engine::view::{LaneBracket, LaneOrder};

    fn scene(view: &IndexView) -> IndexScene {
        let stage = Stage::new(760.0, 418.0, view.lanes_total, 0.6);
        let scale = Camera::Auto.scale(&stage, view.head, view.end);
        IndexScene::new(view, stage, scale, 0.0, &Highlights::default())
    }

    #[test]
    fn the_opening_story_has_two_lives() {
        let scene = scene(&fixture::two_lives());
        assert_eq!(scene.beads.len(), 4);
        assert_eq!(
            scene
                .brackets
                .iter()
                .map(|bracket| bracket.open)
                .collect::<Vec<_>>(),
            [false, true]
        );
        let said: Vec<&str> = scene
            .labels
            .iter()
            .map(|label| label.text.as_str())
            .collect();
        assert_eq!(said, ["g0 · 3 changes", "g1 · 1 change"]);
        assert_eq!(scene.beads[2].state, BeadState::Tombstone);
        assert_eq!(scene.beads[3].text, "value3");
    }

    #[test]
    fn a_label_at_the_edge_begins_before_its_bracket() {
        let view = fixture::two_lives();
        let stage = Stage::new(760.0, 418.0, view.lanes_total, 0.6);
        let usual = Camera::Auto.scale(&stage, view.head, view.end);
        let labels = |pixels: f64| {
            let width = usual.x(view.head) + pixels - usual.left;
            let scale = RevScale { width, ..usual };
            IndexScene::new(&view, stage, scale, 0.0, &Highlights::default())
        };
        let at_edge = labels(60.0);
        let [first, second] = at_edge.labels.as_slice() else {
            panic!("{:?}", at_edge.labels);
        };
        assert_eq!(second.text, "g1 · 1 change");
        assert!(second.x < at_edge.brackets[1].x1);
        assert!(second.x > at_edge.brackets[0].x2.max(first.x + first.width));
        // If the label would be below the bracket of another generation, it is short.
        assert_eq!(labels(20.0).labels[1].text, "g1");
    }

    #[test]
    fn the_label_of_a_read_in_an_empty_store_is_in_the_upper_half() {
        let mut view = fixture::pods_read(1);
        (view.lanes, view.lanes_total, view.lanes_matching) = (Vec::new(), 0, 0);
        for (width, height) in [(390.0, 213.0), (760.0, 418.0)] {
            let stage = Stage::new(width, height, 0, 0.6);
            let stage = stage.enlarged(1, 100.0).next().unwrap_or(stage);
            let scale = Camera::Auto.scale(&stage, view.head, view.end);
            let scene = IndexScene::new(&view, stage, scale, 0.0, &Highlights::default());
            // The style sheet places the text 28 px below the middle.
            let label = scene.flags.last().expect("a label");
            assert!(
                label.area.bottom() <= height / 2.0 + 28.0,
                "{height}: {label:?}"
            );
        }
    }

    #[test]
    fn names_that_would_be_alike_are_shortened_to_the_parts_that_differ() {
        let mut view = fixture::two_lives();
        view.lanes[0].name = "/servers/group-0/server-01".to_owned();
        for name in ["/servers/group-1/server-01", "/my/servers/q"] {
            let mut lane = view.lanes[0].clone();
            lane.name = name.to_owned();
            view.lanes.push(lane);
        }
        let mut stage = Stage::new(760.0, 300.0, 3, 0.6);
        stage.gutter = NAMES_MARGIN + 14.0 * stage.advance * stage.tier.font;
        let names = LaneName::all(&view, &stage).into_iter();
        let names: Vec<_> = names.map(|name| name.prefix + &name.name).collect();
        assert_eq!(names, ["…0/server-01", "…1/server-01", "/my/servers/q"]);
    }

    #[test]
    fn no_upright_line_crosses_a_label() {
        for view in [
            fixture::two_lives(),
            fixture::pods(),
            fixture::pods_read(12),
            fixture::pods_read(19),
        ] {
            let scene = scene(&view);
            assert!(!scene.labels.is_empty());
            for label in &scene.labels {
                let lane = scene
                    .lanes
                    .iter()
                    .find(|lane| lane.y <= label.y && label.y < lane.y + scene.stage.tier.lane);
                let y = lane.map_or(0.0, |lane| lane.y);
                for x in scene.blockers(y) {
                    assert!(
                        x < label.x || x > label.x + label.width,
                        "{label:?} is crossed at {x}"
                    );
                }
            }
        }
    }

    #[test]
    fn lines_and_beads_pass_beside_the_beads_of_other_revisions() {
        for pitch in [14.0, 20.0, 36.0, 72.0] {
            for view in [fixture::pods(), fixture::pods_read(12)] {
                let stage = Stage::new(760.0, 418.0, view.lanes_total, 0.6);
                let scale = Camera::Free { from: 0.0, pitch }.scale(&stage, view.head, view.end);
                let scene = IndexScene::new(&view, stage, scale, 0.0, &Highlights::default());
                for bead in &scene.beads {
                    let lane = lane_top(&view, stage.tier.lane, 0.0, bead.lane);
                    let lines = scene.blockers(lane).into_iter();
                    for line in lines.chain([scene.head]) {
                        let is_own = (line - scale.x(bead.main)).abs() < 1.0;
                        let away = (line - bead.x).abs();
                        assert!(
                            is_own || away >= bead.width / 2.0 + 1.0,
                            "{pitch}: {bead:?}"
                        );
                    }
                    for other in scene.beads.iter().filter(|other| other.lane == bead.lane) {
                        let apart = (other.x - bead.x).abs();
                        let halves = f64::midpoint(other.width, bead.width);
                        assert!(
                            other == bead || apart >= halves,
                            "{pitch}: {bead:?} {other:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_value_takes_the_room_beside_its_bead() {
        let mut view = fixture::two_lives();
        let stage = Stage::new(760.0, 418.0, view.lanes_total, 0.6);
        let scale = Camera::Free {
            from: 0.0,
            pitch: 30.0,
        }
        .scale(&stage, view.head, view.end);
        view.lanes[0].beads.truncate(1);
        view.head = 12;
        let alone = IndexScene::new(&view, stage, scale, 0.0, &Highlights::default());
        assert_eq!(alone.beads[0].text, "value1");
        view.head = view.lanes[0].beads[0].main + 1;
        let beside_the_head = IndexScene::new(&view, stage, scale, 0.0, &Highlights::default());
        // The line of the head leaves too little room on the right side, so the bead extends to the left.
        let bead = &beside_the_head.beads[0];
        assert_eq!(bead.text, "value1");
        assert!(bead.x + bead.width / 2.0 < beside_the_head.head);
        assert!(bead.x - bead.width / 2.0 < scale.x(bead.main) && scale.x(bead.main) > bead.x);
    }

    #[test]
    fn a_bead_between_a_line_and_the_edge_shows_a_part_of_its_value() {
        let mut view = fixture::two_lives();
        let stage = Stage::new(390.0, 418.0, view.lanes_total, 0.6);
        view.lanes[0].beads.truncate(1);
        let main = view.lanes[0].beads[0].main;
        (view.head, view.end) = (main, main);
        // The compaction line is left of the bead, and the edge of the axis is right of it.
        view.compact_revision = main;
        let pitch = 24.0;
        let from = main as f64 - (stage.plot_width() - 26.0) / pitch;
        let scale = RevScale {
            left: stage.gutter,
            width: stage.plot_width(),
            from,
            pitch,
        };
        let scene = IndexScene::new(&view, stage, scale, 0.0, &Highlights::default());
        let bead = &scene.beads[0];
        assert!(!bead.text.is_empty(), "{bead:?}");
        assert!(bead.x - bead.width / 2.0 > scene.floor.unwrap() && bead.x > scale.x(main));
    }

    #[test]
    fn a_put_before_a_delete_of_the_same_revision_is_beside_the_tombstone() {
        let mut view = fixture::two_lives();
        let stage = Stage::new(1_160.0, 418.0, view.lanes_total, 0.6);
        let tombstone = |bead: &&Bead| bead.state == BeadState::Tombstone;
        let main = view.lanes[0].beads.iter().find(tombstone).unwrap().main;
        let put = view.lanes[0].beads[0].clone();
        let at = view.lanes[0]
            .beads
            .iter()
            .position(|bead| bead.main == main);
        view.lanes[0]
            .beads
            .insert(at.unwrap(), Bead { main, ..put });
        view.lanes[0].beads[at.unwrap() + 1].sub = 1;
        let camera = Camera::Auto.scale(&stage, view.head, view.end);
        let scene = IndexScene::new(&view, stage, camera, 0.0, &Highlights::default());
        let of = |sub: i64| {
            let mut beads = scene.beads.iter();
            beads
                .find(|bead| bead.main == main && bead.sub == sub)
                .unwrap()
        };
        let (put, tombstone) = (of(0), of(1));
        // The bracket of the generation contains both.
        let edges = [put.x - put.width / 2.0, tombstone.x + tombstone.width / 2.0];
        let contains = |bracket: &Bracket| bracket.x1 <= edges[0] && bracket.x2 >= edges[1] - 0.1;
        assert!(scene.brackets.iter().any(contains), "{:?}", scene.brackets);
        assert!(
            put.x + put.width / 2.0 < tombstone.x - tombstone.width / 2.0,
            "{put:?} {tombstone:?}"
        );
    }

    #[test]
    fn a_bead_takes_the_room_that_its_neighbours_do_not_need() {
        let mut view = fixture::two_lives();
        view.head = 12;
        let stage = Stage::new(760.0, 418.0, view.lanes_total, 0.6);
        let camera = Camera::Free {
            from: 0.0,
            pitch: 66.0,
        };
        let scale = camera.scale(&stage, view.head, view.end);
        let scene = IndexScene::new(&view, stage, scale, 0.0, &Highlights::default());
        let [.., tombstone, last] = &scene.beads[..] else {
            panic!("two beads");
        };
        assert_eq!(tombstone.state, BeadState::Tombstone);
        // The tombstone and the value are beside each other, and half the distance is too little for the value.
        assert_eq!(last.main, tombstone.main + 1);
        assert_eq!(last.text, "value3");
    }

    #[test]
    fn a_bead_extends_up_to_a_neighbour_without_a_text() {
        let view = fixture::pods();
        let stage = Stage::new(800.0, 500.0, view.lanes_total, 0.6);
        let camera = Camera::Free {
            from: 0.0,
            pitch: 26.0,
        };
        let scale = camera.scale(&stage, view.head, view.end);
        let scene = IndexScene::new(&view, stage, scale, 0.0, &Highlights::default());
        let kept = scene.beads.iter().filter(|bead| bead.pinned);
        let texts: Vec<(i64, &str)> = kept.map(|bead| (bead.main, &*bead.text)).collect();
        assert_eq!(
            texts,
            [(6, "Ready"), (7, "Running"), (4, "Pending"), (8, "t1")]
        );
    }

    #[test]
    fn the_edge_of_the_axis_cuts_no_text() {
        let view = fixture::pods();
        let stage = Stage::new(390.0, 336.0, view.lanes_total, 0.6);
        for from in 0..200 {
            let from = f64::from(from) / 10.0;
            let camera = Camera::Free { from, pitch: 24.0 };
            let scale = camera.scale(&stage, view.head, view.end);
            let scene = IndexScene::new(&view, stage, scale, 0.0, &Highlights::default());
            for bead in scene.beads.iter().filter(|bead| !bead.text.is_empty()) {
                let half = bead.width / 2.0;
                assert!(bead.x - half >= scale.left, "{from}: {bead:?}");
                assert!(bead.x + half <= scale.right(), "{from}: {bead:?}");
            }
        }
    }

    fn by_key(first: u32, last: u32) -> IndexView {
        let mut view = fixture::pods();
        view.lanes.sort_by(|a, b| a.key.cmp(&b.key));
        view.query.order = LaneOrder::Key;
        view.bracket = Some(LaneBracket {
            range: "/registry/pods/*".to_owned(),
            first,
            last,
        });
        view
    }

    #[test]
    fn the_bracket_stands_over_the_lanes_of_its_range() {
        let view = by_key(2, 4);
        for (width, height) in [
            (1_090.0, 560.0),
            (936.0, 336.0),
            (390.0, 420.0),
            (800.0, 342.0),
        ] {
            let stage = Stage::new(width, height, view.lanes_total, 0.6);
            let scale = Camera::Auto.scale(&stage, view.head, view.end);
            let scene = IndexScene::new(&view, stage, scale, 0.0, &Highlights::default());
            let range = scene.range.expect("the view has a bracket");
            let (y1, y2) = range.span.expect("its lanes are on the stage");
            let covered = |band: &&Band| band.y + stage.tier.lane > y1 && band.y < y2;
            let names: Vec<&str> = scene
                .lanes
                .iter()
                .filter(covered)
                .map(|band| band.name.as_str())
                .collect();
            assert_eq!(names, ["web-1", "web-2", "web-3"], "{width}");
            // The name ends before the numbers of the ruler.
            let cells = text::cells(&range.name) as f64;
            let end = name_left(&stage) + cells * stage.advance * SMALL;
            assert!(end <= stage.gutter, "{width}: {}", range.name);
            assert!(range.name.ends_with("pods/*"), "{width}: {}", range.name);
        }
    }

    #[test]
    fn a_bracket_beside_the_stage_says_where_its_lanes_are() {
        let mut view = by_key(2, 4);
        view.lanes_matching = 60;
        view.lanes_total = 60;
        let stage = Stage::new(760.0, 418.0, 60, 0.6);
        let scale = Camera::Auto.scale(&stage, view.head, view.end);
        let mut at = |first, last, scroll| {
            view.bracket = Some(LaneBracket {
                range: "/a*".to_owned(),
                first,
                last,
            });
            let scene = IndexScene::new(&view, stage, scale, scroll, &Highlights::default());
            scene.range.expect("the view has a bracket")
        };
        let below = at(50, 55, 0.0);
        assert_eq!((below.span, below.name.as_str()), (None, "/a* ↓"));
        let above = at(0, 3, 480.0);
        assert_eq!((above.span, above.name.as_str()), (None, "/a* ↑"));
        let through = at(2, 55, 240.0);
        assert_eq!(through.ends, (false, false));
        let bottom = RULER + stage.lanes_height();
        assert_eq!(through.span, Some((RULER, bottom)));
    }

    #[test]
    fn flags_stand_side_by_side() {
        let scene = scene(&fixture::pods_read(9));
        assert_eq!(scene.flags.len(), 2);
        assert!(scene.flags[0].area.right() < scene.flags[1].area.x);
        assert_eq!(scene.flags[0].text, "compacted 8");
    }

    #[test]
    fn a_long_command_gives_up_its_keys_first() {
        let mut view = fixture::pods_read(5);
        if let Some(read) = &mut view.read {
            read.label = "get /registry/pods/web-1 --rev=5".to_owned();
            read.refused =
                Some("etcdserver: mvcc: required revision has been compacted".to_owned());
        }
        let scene = scene(&view);
        assert_eq!(scene.flags[0].text, "get … --rev=5 refused: compacted");
        assert_eq!(scene.flags[1].text, "compacted 8");
    }

    #[test]
    fn what_compaction_kept_is_pinned_and_what_it_took_is_a_tick() {
        let scene = scene(&fixture::pods());
        let pinned: Vec<i64> = scene
            .beads
            .iter()
            .filter(|bead| bead.pinned)
            .map(|bead| bead.main)
            .collect();
        assert_eq!(pinned, [6, 7, 4, 8]);
        assert!(
            scene
                .beads
                .iter()
                .filter(|bead| bead.state == BeadState::Gone)
                .all(|bead| bead.text.is_empty())
        );
    }

    #[test]
    fn the_reserved_future_is_numbered_but_empty() {
        let mut view = fixture::two_lives();
        view.end = 9;
        let scene = scene(&view);
        assert!(
            scene
                .ticks
                .iter()
                .any(|tick| tick.when == When::Future && tick.revision == 9)
        );
        assert!(scene.beads.iter().all(|bead| bead.main <= 5));
    }

    fn ruler_at(pitch: f64) -> IndexScene {
        let mut view = fixture::two_lives();
        (view.head, view.end) = (4974, 4990);
        let stage = Stage::new(1_160.0, 418.0, view.lanes_total, 0.6);
        let scale = RevScale {
            left: stage.gutter,
            width: stage.plot_width(),
            from: 4960.0,
            pitch,
        };
        IndexScene::new(&view, stage, scale, 0.0, &Highlights::default())
    }

    #[test]
    fn long_numbers_are_far_apart() {
        let ticks = ruler_at(28.0).ticks;
        let numbers: Vec<i64> = ticks.iter().map(|tick| tick.revision).collect();
        // 4975 is too close to the head revision.
        assert_eq!(numbers, [4965, 4970, 4974, 4980, 4985, 4990]);
    }

    #[test]
    fn every_revision_has_a_tick_if_there_is_room() {
        let ticks = |pitch: f64| {
            let scene = ruler_at(pitch);
            let large = scene.ticks.iter().map(|tick| tick.x);
            let mut ticks: Vec<f64> = large.chain(scene.small_ticks.clone()).collect();
            ticks.sort_by(f64::total_cmp);
            let expected: Vec<f64> = (4960..=4990).map(|rev| scene.scale.x(rev)).collect();
            (ticks, expected)
        };
        let (found, expected) = ticks(28.0);
        assert_eq!(found, expected);
        let (found, expected) = ticks(6.0);
        assert_eq!(found, expected);
        assert!(ruler_at(5.9).small_ticks.is_empty());
    }
}
