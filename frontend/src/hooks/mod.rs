//! Hooks that several components use, one per file.

pub mod choices;
pub mod focus;
pub mod motion;
pub mod parts;
pub mod pointed;
pub mod reveal;
pub mod shortcuts;
pub mod size;
pub mod stage;
pub mod tokens;
pub mod width;

pub use choices::use_choices;
pub use focus::use_focus;
pub use motion::use_motion;
pub use parts::use_whole_parts;
pub use pointed::pointed;
pub use reveal::use_reveal;
pub use shortcuts::{use_scroll_to_top, use_shortcuts};
pub use stage::use_stage;
pub use width::use_width;
