//! Lessons: the panel beside the picture, and the list of all lessons.

mod commands;
pub mod differs;
mod ending;
pub mod goal;
mod index;
mod practice;
mod predict;
mod rail;
pub mod runs;
pub mod task;

pub use commands::next_command;
pub use index::LessonIndex;
pub use practice::PracticeRail;
pub use rail::{Head, LessonRail};
