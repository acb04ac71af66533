//! The identity of a part of a picture: a part of the next picture with the same name is the same part. When the cursor
//! moves, `static/motion.js` moves each part from its old place to its new place.

/// The order in which the parts of a picture move: along the chain of causes. When the cursor moves back, the order is
/// reversed.
pub mod order {
    /// The axis, and everything that moves only because the axis changes.
    pub const AXIS: u32 = 0;
    pub const CLIENT: u32 = 1;
    pub const MESSAGE: u32 = 2;
    pub const STORE: u32 = 3;
    pub const WATCHER: u32 = 4;
    pub const CACHE: u32 = 5;
    /// A client that receives events.
    pub const RECEIVER: u32 = 6;
}

/// The identity of a part, and how the part appears.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// The kind of the part and its number or name, such as `watcher:3`. Unique in a picture.
    pub name: String,
    /// The place in the [`order`] of a part that stays.
    pub order: u32,
    /// The place in the order of a part that appears or goes, if it differs.
    pub born: Option<u32>,
    /// The name of the part from which a new part comes.
    pub from: Option<String>,
    /// How a new part appears; see `static/motion.js`.
    pub way: Option<&'static str>,
}

impl Identity {
    pub fn new(kind: &str, id: &str, order: u32) -> Identity {
        Identity {
            name: [kind, ":", id].concat(),
            order,
            born: None,
            from: None,
            way: None,
        }
    }

    pub fn of(kind: &str, id: u64, order: u32) -> Identity {
        Identity::new(kind, &id.to_string(), order)
    }

    /// Returns the identity of a part for a revision.
    pub fn at(kind: &str, revision: i64, order: u32) -> Identity {
        Identity::new(kind, &revision.to_string(), order)
    }

    /// A new part comes from the part with this name.
    pub fn from(self, name: String) -> Identity {
        Identity {
            from: Some(name),
            ..self
        }
    }

    /// A new part appears at another place in the order than the place at which it moves.
    pub fn born(self, order: u32) -> Identity {
        Identity {
            born: Some(order),
            ..self
        }
    }

    /// A new part grows from its left end.
    pub fn grows(self) -> Identity {
        Identity {
            way: Some("grow"),
            ..self
        }
    }

    /// A new part grows from its middle.
    pub fn pops(self) -> Identity {
        Identity {
            way: Some("pop"),
            ..self
        }
    }

    /// The lines of a new part draw themselves from their beginnings.
    pub fn draws(self) -> Identity {
        Identity {
            way: Some("draw"),
            ..self
        }
    }
}
