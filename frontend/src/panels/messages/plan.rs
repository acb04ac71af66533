//! Divides the drawing area among lanes (one for each node) and time. Time runs to the right; in a narrow drawing area,
//! time runs downwards.

use crate::draw::surface::within;
use crate::draw::{Font, Point, Rect, Room, Segment, pt, text};
use watchglass_engine::view::MessagesView;
use watchglass_engine::view::messages::NodeLane;

/// The height of the row of times at the top.
pub const TIMES: f64 = 34.0;
/// The minimum width of a drawing area in which time runs to the right.
const WIDE: f64 = 600.0;
/// The width of the column of names if time runs to the right.
const NAMES: f64 = 132.0;
/// The room for the label of the newest message, right of the current time, if time runs to the right.
const NEWEST_LABEL: f64 = 58.0;
/// The height of the row of names if time runs downwards, and the distance between two lines of names in this row.
const HEADS: f64 = 46.0;
pub const HEAD_LINE: f64 = 15.0;
/// The maximum number of text lines among which the names of the lanes alternate.
const NAME_LINES_MAX: usize = 3;
/// The minimum width of the column of times if time runs downwards, and the width of the space beside the times in this
/// column.
const MARGIN: f64 = 66.0;
const BESIDE_TIMES: f64 = 12.0;
/// Two distances between lanes. From the first distance on, there is also more space above the first lane. The second
/// distance is the maximum.
const APART: (f64, f64) = (52.0, 320.0);
/// The distance between two lanes without notes below their names, and the additional distance for each note.
const NAME: f64 = 19.0;
const NOTE: f64 = 15.0;
/// The distance from the row of times to the first lane, in a low and in a high drawing area.
const ABOVE: (f64, f64) = (16.0, 40.0);
/// The space below the notes of the last lane, where the picture fades out.
const BELOW: f64 = 20.0;
/// The minimum height of the picture if time runs downwards.
const LONG: f64 = 560.0;

/// The positions of lanes and times in the drawing area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    pub width: f64,
    pub height: f64,
    /// Whether time runs downwards.
    pub down: bool,
    pub font: Font,
    /// The number of lines among which the names of the lanes alternate: more than one if time runs downwards and a
    /// column is narrower than a name.
    pub name_lines: usize,
    margin: f64,
    first: f64,
    apart: f64,
    from: f64,
    long: f64,
}

impl Plan {
    pub fn new(view: &MessagesView, room: Room) -> Plan {
        let Room {
            width,
            height,
            font,
        } = room;
        let lanes = view.lanes.len().max(1) as f64;
        if width >= WIDE {
            // The notes below the name of a lane need room.
            let notes = |lane: &NodeLane| {
                let notes = [&lane.role, &lane.state, &lane.clock];
                notes.into_iter().filter(|note| !note.is_empty()).count()
            };
            let most = view.lanes.iter().map(notes).max().unwrap_or(0).max(1);
            let last = view.lanes.last().map_or(0, notes).max(1);
            let least = NAME + NOTE * most as f64;
            let (gaps, below) = (lanes - 1.0, BELOW + NOTE * last as f64);
            let apart_at = |above: f64| (height - TIMES - above - below) / gaps.max(1.0);
            let above = if apart_at(ABOVE.1) >= APART.0 {
                ABOVE.1
            } else {
                ABOVE.0
            };
            let apart = within(apart_at(above), least, APART.1);
            let tall = TIMES + above + below + apart * gaps;
            Plan {
                width,
                height: tall.max(height),
                down: false,
                font,
                name_lines: 1,
                margin: MARGIN,
                first: TIMES + above,
                apart,
                from: NAMES + 10.0,
                long: (width - NAMES - 20.0 - NEWEST_LABEL).max(80.0),
            }
        } else {
            let times = view.stretches.iter().flat_map(|stretch| &stretch.ticks);
            let widths = times.map(|(_, said)| font.width(said));
            let margin = widths.fold(MARGIN, |margin, width| margin.max(width + BESIDE_TIMES));
            let apart = (width - margin - 8.0) / lanes;
            let fit = |lines: &usize| {
                let room = cells(name_room(apart, *lines), font);
                view.lanes
                    .iter()
                    .all(|lane| text::cells(&lane.name) <= room)
            };
            let name_lines = (1..NAME_LINES_MAX).find(fit).unwrap_or(NAME_LINES_MAX);
            let heads = heads(name_lines);
            Plan {
                width,
                height: height.max(LONG),
                down: true,
                font,
                name_lines,
                margin,
                first: margin + apart / 2.0,
                apart,
                from: heads + 14.0,
                long: height.max(LONG) - heads - 34.0,
            }
        }
    }

    /// Returns the position of a time along the time axis, in pixels. The time is in thousandths of the axis.
    pub fn along(&self, thousandths: u32) -> f64 {
        self.from + self.long * f64::from(thousandths) / 1000.0
    }

    /// Returns the position of a lane across the time axis, in pixels.
    pub fn lane(&self, lane: u32) -> f64 {
        self.first + self.apart * f64::from(lane)
    }

    pub fn at(&self, thousandths: u32, lane: u32) -> Point {
        self.turned(self.along(thousandths), self.lane(lane))
    }

    /// Converts a position along the time axis and a position across it into a point.
    pub fn turned(&self, along: f64, across: f64) -> Point {
        match self.down {
            true => pt(across, along),
            false => pt(along, across),
        }
    }

    /// Returns the line of a time across all lanes.
    pub fn across(&self, along: f64) -> Segment {
        let (near, far) = self.sides();
        Segment::new(self.turned(along, near), self.turned(along, far))
    }

    /// Returns the area between two times, across all lanes.
    pub fn area(&self, from: f64, to: f64) -> Rect {
        let (near, far) = self.sides();
        Rect::between(self.turned(from, near), self.turned(to, far))
    }

    /// Returns the positions on the time axis at which the lanes begin and end.
    pub fn ends(&self) -> (f64, f64) {
        let after = if self.down { 12.0 } else { NEWEST_LABEL + 2.0 };
        (self.from - 10.0, self.from + self.long + after)
    }

    /// Returns the x coordinate of the right edge of the axis labels. Meaningful only if time runs downwards.
    pub fn times_end(&self) -> f64 {
        self.margin - 8.0
    }

    /// Returns the positions of the two edges of the picture that are parallel to the time axis.
    pub fn sides(&self) -> (f64, f64) {
        if self.down {
            (self.margin - 4.0, self.width)
        } else {
            (TIMES, self.height - 12.0)
        }
    }

    /// Returns the height of the part at the top that stays visible while the rest scrolls.
    pub fn top(&self) -> f64 {
        if self.down {
            heads(self.name_lines)
        } else {
            TIMES
        }
    }

    /// Returns the maximum width of a lane's name, in cells (widths of a monospace character).
    pub fn name_cells(&self) -> usize {
        self.cells_beside(self.name_lines)
    }

    /// Returns the maximum width of a note below the name of a lane, in cells (widths of a monospace character).
    pub fn note_cells(&self) -> usize {
        self.cells_beside(1) + 1
    }

    /// Returns the maximum width of a name at which it does not touch the name of the last lane. The name of the last
    /// lane is moved away from the edge of the picture, towards the name before it.
    fn room_beside_the_last(&self, lines: usize) -> f64 {
        let edge = self.apart / 2.0 + 8.0;
        (self.apart * lines as f64 + edge - NAME_EDGE - NAME_GAP) / 1.5
    }

    /// Returns the maximum width of a text, in cells, if the texts of the lanes alternate among `lines` lines.
    fn cells_beside(&self, lines: usize) -> usize {
        let room = if self.down {
            name_room(self.apart, lines).min(self.room_beside_the_last(lines))
        } else {
            NAMES - 20.0
        };
        cells(room, self.font)
    }
}

/// The width of the space between two names on the same line, and between a name and the edge of the picture.
const NAME_GAP: f64 = 8.0;
const NAME_EDGE: f64 = 3.0;

/// Returns the height of the row of names if time runs downwards.
fn heads(name_lines: usize) -> f64 {
    HEADS + HEAD_LINE * (name_lines - 1) as f64
}

/// Returns the maximum width of a name if the names of columns alternate among `lines` lines.
fn name_room(apart: f64, lines: usize) -> f64 {
    apart * lines as f64 - if lines == 1 { NAME_EDGE } else { NAME_GAP }
}

const NAME_SIZE: f64 = 13.0;

impl Plan {
    pub fn name_font(&self) -> Font {
        name_font(self.font)
    }
}

fn name_font(font: Font) -> Font {
    let size = NAME_SIZE;
    Font { size, ..font }
}

fn cells(width: f64, font: Font) -> usize {
    name_font(font).cells(width).max(2)
}
