//! The lessons that come with the engine.

use super::included::Included;

/// All of them, in the order in which they are taught.
pub static ALL: [Included; 7] = [
    Included::new("L01", include_str!("L01.txt")),
    Included::new("L02", include_str!("L02.txt")),
    Included::new("L04", include_str!("L04.txt")),
    Included::new("L05", include_str!("L05.txt")),
    Included::new("L08", include_str!("L08.txt")),
    Included::new("L10", include_str!("L10.txt")),
    Included::new("L17", include_str!("L17.txt")),
];
