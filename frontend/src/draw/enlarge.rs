//! The factor by which a small picture is enlarged, so that it uses the room of a large stage.
//!
//! The style sheet enlarges the whole picture with its texts. The layout sees a stage that is smaller by the same
//! factor.

/// A factor by which a picture is enlarged, with the CSS class that enlarges the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enlargement {
    pub factor: f64,
    pub class: &'static str,
}

/// The factors, largest first. There are only a few, so that a growing picture rarely changes its scale.
const FACTORS: [Enlargement; 3] = [
    Enlargement {
        factor: 1.5,
        class: "wg-enlarged is-150",
    },
    Enlargement {
        factor: 1.25,
        class: "wg-enlarged is-125",
    },
    Enlargement {
        factor: 1.1,
        class: "wg-enlarged is-110",
    },
];

/// The minimum width of the stage that the layout of an enlarged picture sees, in pixels.
const WIDTH_MIN: f64 = 760.0;

impl Enlargement {
    pub const NONE: Enlargement = Enlargement {
        factor: 1.0,
        class: "wg-enlarged",
    };

    /// Returns the largest factor with which a picture that is `height` pixels high fits into a stage.
    ///
    /// ```
    /// use watchglass_frontend::draw::enlarge::Enlargement;
    ///
    /// let of = |height| Enlargement::of(height, (1160.0, 560.0)).factor;
    /// assert_eq!([of(300.0), of(440.0), of(900.0)], [1.5, 1.25, 1.0]);
    /// ```
    pub fn of(height: f64, stage: (f64, f64)) -> Enlargement {
        let fits =
            |at: &Enlargement| WIDTH_MIN * at.factor <= stage.0 && height * at.factor <= stage.1;
        FACTORS.into_iter().find(fits).unwrap_or(Self::NONE)
    }
}
