//! How the stage is divided among lanes and time: time runs to the right, and on a phone downwards.

use crate::draw::surface::within;
use watchglass_engine::view::MessagesView;

/// Room for the times at the top, or at the left on a phone.
pub const TIMES: f64 = 34.0;
/// On a stage at least this wide time runs to the right.
const WIDE: f64 = 600.0;
/// Width of the names where time runs to the right.
const NAMES: f64 = 132.0;
/// Height of the names where time runs downwards.
const HEADS: f64 = 46.0;
/// Width of the times where time runs downwards.
const MARGIN: f64 = 66.0;
/// Lanes are at least and at most so far apart.
const APART: (f64, f64) = (64.0, 168.0);
/// A phone's picture is at least so high.
const LONG: f64 = 560.0;

/// Places of lanes and moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Width of the drawing.
    pub width: f64,
    /// Height of the drawing.
    pub height: f64,
    /// Time runs downwards.
    pub down: bool,
    /// Width of a monospace character per pixel of font size.
    pub advance: f64,
    first: f64,
    apart: f64,
    from: f64,
    long: f64,
}

impl Plan {
    /// Divides a stage of that size.
    pub fn new(view: &MessagesView, width: f64, height: f64, advance: f64) -> Plan {
        let lanes = view.lanes.len().max(1) as f64;
        if width >= WIDE {
            let room = height - TIMES - 76.0;
            let apart = within(room / (lanes - 1.0).max(1.0), APART.0, APART.1);
            let tall = TIMES + 76.0 + apart * (lanes - 1.0);
            Plan {
                width,
                height: tall.max(height),
                down: false,
                advance,
                first: TIMES + 40.0,
                apart,
                from: NAMES + 10.0,
                long: (width - NAMES - 30.0).max(80.0),
            }
        } else {
            let apart = (width - MARGIN - 8.0) / lanes;
            Plan {
                width,
                height: height.max(LONG),
                down: true,
                advance,
                first: MARGIN + apart / 2.0,
                apart,
                from: HEADS + 14.0,
                long: height.max(LONG) - HEADS - 34.0,
            }
        }
    }

    /// The pixel of a moment along the axis of time.
    pub fn along(&self, thousandths: u32) -> f64 {
        self.from + self.long * f64::from(thousandths) / 1000.0
    }

    /// The pixel of a lane across it.
    pub fn lane(&self, lane: u32) -> f64 {
        self.first + self.apart * f64::from(lane)
    }

    /// Where both meet.
    pub fn at(&self, thousandths: u32, lane: u32) -> (f64, f64) {
        self.turned(self.along(thousandths), self.lane(lane))
    }

    /// A place along and across the axis of time, as x and y.
    pub fn turned(&self, along: f64, across: f64) -> (f64, f64) {
        if self.down {
            (across, along)
        } else {
            (along, across)
        }
    }

    /// Where lanes begin and end along the axis of time.
    pub fn ends(&self) -> (f64, f64) {
        (self.from - 10.0, self.from + self.long + 12.0)
    }

    /// Where the picture begins and ends across it.
    pub fn sides(&self) -> (f64, f64) {
        if self.down {
            (MARGIN - 4.0, self.width)
        } else {
            (TIMES, self.height - 8.0)
        }
    }

    /// Height of what stays at the top.
    pub fn top(&self) -> f64 {
        if self.down { HEADS } else { TIMES }
    }

    /// Width of a lane's name.
    pub fn name_cells(&self) -> usize {
        let room = if self.down {
            self.apart - 6.0
        } else {
            NAMES - 20.0
        };
        (room / (self.advance * 13.0)).max(2.0) as usize
    }
}
