//! Lessons: the panel beside the picture, and the list of all lessons.

mod challenge;
mod commands;
mod differs;
mod ending;
pub mod goal;
mod index;
mod practice;
mod predict;
mod rail;
mod runs;
mod task;

pub use challenge::ChallengeRail;
pub use commands::next_command;
pub use index::LessonIndex;
pub use practice::PracticeRail;
pub use rail::LessonRail;
