//! The division of the drawing area (the stage) into names, ruler, lanes (one for each key) and flags, and the height
//! of a lane.
//!
//! Lanes have six sizes: a few keys get high lanes that are readable from the back of a room, many keys get low lanes.
//! If the lanes leave much of the stage empty, they are enlarged in large steps. The size depends on the number of keys
//! at the end of the run. While a run plays, this number stays the same, so a new key does not move other lanes. When a
//! user types a command that creates a key, the number grows, and the lanes can become lower.

use crate::draw::Font;
use crate::draw::surface::within;

/// The height of the ruler at the top, in pixels.
pub const RULER: f64 = 34.0;
/// The height of the row below the lanes, which contains the flags of the compaction line and of a read.
pub const FLAGS: f64 = 30.0;
/// The width of the overview, which is shown if not all lanes fit.
pub const OVERVIEW: f64 = 16.0;
/// The width of the ring around a selected bead, in pixels. The overview must not cover this ring.
const RING: f64 = 4.0;
/// The minimum distance between two revisions for beads with text, in pixels.
pub const TEXT_PITCH: f64 = 14.0;

/// The sizes of a lane. All y coordinates are relative to the top of the lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tier {
    pub lane: f64,
    /// The y coordinate of the key's line and of the middle of the beads.
    pub axis: f64,
    pub bead: f64,
    /// The y coordinate of the bracket below a generation.
    pub bracket: f64,
    /// The baseline of a generation's label; `None` if there is no room for labels.
    pub label: Option<f64>,
    /// The font size in beads and names.
    pub font: f64,
    /// The font size of the labels below the brackets.
    pub small: f64,
    /// The maximum number of pixels between two revisions.
    pub pitch_max: f64,
    /// The thickness of the line of an existing key.
    pub thread: f64,
}

/// The sizes of a lane if there are only one or two keys, readable from the back of a room.
const GRAND: Tier = Tier {
    lane: 128.0,
    axis: 46.0,
    bead: 44.0,
    bracket: 82.5,
    label: Some(105.0),
    font: 17.0,
    small: 14.0,
    pitch_max: 96.0,
    thread: 8.0,
};
const ROOMY: Tier = Tier {
    lane: 84.0,
    axis: 28.0,
    bead: 32.0,
    bracket: 53.0,
    label: Some(71.0),
    font: 14.0,
    small: 13.0,
    pitch_max: 84.0,
    thread: 6.0,
};
/// Tall lanes with a normal font, for a few keys in a narrow drawing area.
const HIGH: Tier = Tier {
    font: COMFORTABLE.font,
    small: COMFORTABLE.small,
    pitch_max: COMFORTABLE.pitch_max,
    ..ROOMY
};
const COMFORTABLE: Tier = Tier {
    lane: 56.0,
    axis: 19.0,
    bead: 24.0,
    bracket: 36.5,
    label: Some(50.0),
    font: 12.5,
    small: 12.0,
    pitch_max: 72.0,
    thread: 5.0,
};
const SNUG: Tier = Tier {
    lane: 46.0,
    axis: 15.5,
    bead: 21.0,
    bracket: 30.5,
    label: Some(41.5),
    font: 12.0,
    small: 12.0,
    pitch_max: 72.0,
    thread: 4.0,
};
const COMPACT: Tier = Tier {
    lane: 34.0,
    axis: 15.0,
    bead: 19.0,
    bracket: 29.5,
    label: None,
    font: 12.0,
    small: 12.0,
    pitch_max: 72.0,
    thread: 4.0,
};
const DENSE: Tier = Tier {
    lane: 24.0,
    axis: 11.0,
    bead: 16.0,
    bracket: 21.5,
    label: None,
    font: 12.0,
    small: 12.0,
    pitch_max: 72.0,
    thread: 3.0,
};

/// The factors by which lanes are enlarged if there is room.
const ENLARGED: [f64; 3] = [1.4, 1.2, 1.1];
/// Lanes are enlarged only if a bead between two revisions then has room for this number of characters.
const VALUE_CELLS: f64 = 6.0;
/// The minimum width of a stage in which lanes can be high and the column of names can be widened, in pixels.
pub const WIDE: f64 = 480.0;

/// If the column of names is narrower than this number of pixels, a long name is divided into two lines.
pub const STACKED: f64 = 120.0;

/// The minimum distance between two beads.
pub const BEAD_GAP: f64 = 4.0;

/// Returns the sum of the space left and right of the text in a bead.
pub fn bead_padding(tier: &Tier) -> f64 {
    (tier.font * 0.85).max(12.0)
}

impl Tier {
    fn enlarged(self, factor: f64) -> Tier {
        Tier {
            lane: (self.lane * factor).round(),
            axis: (self.axis * factor).round(),
            bead: (self.bead * factor / 2.0).round() * 2.0,
            bracket: (self.bracket * factor).round() + 0.5,
            label: self.label.map(|label| (label * factor).round()),
            font: self.font * factor,
            small: self.small * factor,
            pitch_max: self.pitch_max * factor,
            thread: (self.thread * factor).round(),
        }
    }
}

/// The space beside the names in their column, in pixels.
pub const NAMES_MARGIN: f64 = 24.0;

/// The stage: the drawing area of the Index view and its division into parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// The width without the overview, in pixels.
    pub width: f64,
    pub height: f64,
    /// The width of the column of names.
    pub gutter: f64,
    /// Whether an overview is at the right edge, because not all lanes fit.
    pub has_overview: bool,
    pub tier: Tier,
    /// The width of a monospace character as a fraction of the font size.
    pub advance: f64,
}

impl Stage {
    pub fn new(width: f64, height: f64, lanes: u32, advance: f64) -> Stage {
        let room = (height - RULER - FLAGS).max(24.0);
        let gutter = if width < WIDE {
            within(width * 0.27, 76.0, 104.0)
        } else if width < 700.0 {
            128.0
        } else if width < 1100.0 {
            156.0
        } else {
            208.0
        };
        let fits = |tier: &Tier| f64::from(lanes.max(1)) * tier.lane <= room;
        let wide = width >= WIDE;
        // A narrow drawing area has no room for the two largest fonts.
        let largest = match wide {
            true => &[GRAND, ROOMY][..],
            false => &[HIGH],
        };
        let smaller = [COMFORTABLE, SNUG, COMPACT];
        let mut tiers = largest.iter().copied().chain(smaller);
        let tier = tiers.find(fits).unwrap_or(DENSE);
        let has_overview = !fits(&tier);
        Stage {
            width: if has_overview {
                width - OVERVIEW
            } else {
                width
            },
            height,
            gutter,
            has_overview,
            tier,
            advance,
        }
    }

    /// Returns one stage for each possible factor, the largest factor first: this stage, with its lanes enlarged by the
    /// factor. A factor is not possible if `lanes` enlarged lanes do not fit, or if values have no room at a distance
    /// of `pitch` pixels between two revisions.
    pub fn enlarged(self, lanes: u32, pitch: f64) -> impl Iterator<Item = Stage> {
        let fits = move |tier: &Tier| {
            let value = VALUE_CELLS * self.advance * tier.font + bead_padding(tier) + BEAD_GAP;
            let height = f64::from(lanes.max(1)) * tier.lane;
            self.width >= WIDE && value <= pitch && height <= self.lanes_height()
        };
        let tiers = ENLARGED.map(|factor| self.tier.enlarged(factor));
        let tiers = tiers.into_iter().filter(fits);
        tiers.map(move |tier| Stage { tier, ..self })
    }

    /// Returns the height of the area with the lanes. If there is an overview, the area shows whole lanes only.
    pub fn lanes_height(&self) -> f64 {
        let room = (self.height - RULER - FLAGS).max(24.0);
        match self.has_overview {
            true => (room / self.tier.lane).floor().max(1.0) * self.tier.lane,
            false => room,
        }
    }

    /// Returns the scroll position nearest to `top` at which a lane begins at the top of the drawing area.
    pub fn snapped(&self, top: f64) -> f64 {
        (top / self.tier.lane).round() * self.tier.lane
    }

    /// Returns the width of the area with the revisions.
    pub fn plot_width(&self) -> f64 {
        let ring = if self.has_overview { RING } else { 0.0 };
        (self.width - self.gutter - ring).max(40.0)
    }

    /// Returns the maximum number of lanes that can be visible at once, including partly visible lanes.
    pub fn screen(&self) -> u32 {
        (self.lanes_height() / self.tier.lane).ceil() as u32 + 1
    }

    /// Returns the maximum scroll position for a number of lanes, in pixels.
    pub fn scroll_max(&self, lanes: u32) -> f64 {
        (f64::from(lanes) * self.tier.lane - self.lanes_height()).max(0.0)
    }

    pub fn font(&self, size: f64) -> Font {
        let advance = self.advance;
        Font { advance, size }
    }

    /// Returns the number of characters that fit into `width` pixels, in the font of names and beads.
    pub fn cells(&self, width: f64) -> usize {
        self.font(self.tier.font).cells(width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(width: f64, height: f64, lanes: u32) -> f64 {
        Stage::new(width, height, lanes, 0.6).tier.lane
    }

    #[test]
    fn few_keys_are_generous_and_many_are_dense() {
        assert_eq!(lane(760.0, 418.0, 0), 128.0);
        assert_eq!(lane(760.0, 418.0, 2), 128.0);
        assert_eq!(lane(760.0, 418.0, 3), 84.0);
        assert_eq!(lane(760.0, 418.0, 5), 56.0);
        assert_eq!(lane(760.0, 418.0, 7), 46.0);
        assert_eq!(lane(760.0, 418.0, 10), 34.0);
        assert_eq!(lane(760.0, 418.0, 2000), 24.0);
    }

    #[test]
    fn lanes_are_enlarged_into_empty_height_if_values_have_room() {
        let lane = |lanes, pitch| {
            let stage = Stage::new(1160.0, 560.0, lanes, 0.6);
            let mut enlarged = stage.enlarged(lanes, pitch);
            enlarged.next().unwrap_or(stage).tier.lane
        };
        assert_eq!([lane(1, 110.0), lane(3, 110.0)], [179.0, 154.0]);
        assert_eq!([lane(4, 110.0), lane(8, 110.0)], [118.0, 62.0]);
        assert_eq!([lane(1, 80.0), lane(4, 40.0)], [128.0, 84.0]);
    }

    #[test]
    fn the_small_stages_keep_their_labels() {
        assert_eq!(lane(936.0, 336.0, 5), 46.0);
        assert_eq!(lane(390.0, 420.0, 5), 56.0);
        assert_eq!(lane(390.0, 420.0, 4), 84.0);
        assert_eq!(lane(800.0, 342.0, 5), 46.0);
    }

    #[test]
    fn an_overview_stands_where_lanes_do_not_all_fit() {
        let stage = |lanes| Stage::new(760.0, 418.0, lanes, 0.6);
        assert_eq!((stage(10).has_overview, stage(10).width), (false, 760.0));
        assert_eq!((stage(15).has_overview, stage(15).width), (true, 744.0));
        // Fourteen whole lanes of 24 pixels fit into 354 pixels.
        assert_eq!(stage(15).lanes_height(), 14.0 * 24.0);
        let hidden = 15.0 * 24.0 - stage(15).lanes_height();
        assert_eq!(stage(15).scroll_max(15), hidden);
        assert_eq!(stage(10).lanes_height(), 354.0);
    }

    #[test]
    fn lanes_are_never_sliced_beside_an_overview() {
        for height in [220.0, 418.0, 517.0, 700.0] {
            let stage = Stage::new(760.0, height, 2000, 0.6);
            for top in [0.0, 7.0, 13.0, 1_000.0, stage.scroll_max(2000)] {
                let top = stage.snapped(top);
                assert_eq!(top % stage.tier.lane, 0.0);
                assert_eq!((top + stage.lanes_height()) % stage.tier.lane, 0.0);
                assert!(top <= stage.scroll_max(2000));
            }
        }
    }

    #[test]
    fn a_stage_without_room_still_has_measures() {
        let stage = Stage::new(0.0, 0.0, 4, 0.6);
        assert!(stage.plot_width() > 0.0);
        assert!(stage.lanes_height() > 0.0);
        assert!(stage.screen() >= 1);
    }
}
