//! The interface of the engine: the messages to and from the page, and the run to which the messages apply.

mod answer;
pub mod beats;
mod begin;
mod branching;
mod challenge;
mod chapter;
mod comparison;
pub mod cover;
mod cursor;
mod discard;
mod etcdctl_exchange;
mod export;
pub mod files;
pub mod foreign;
mod goal;
mod input_lines;
mod inputs;
mod jobs;
mod kubectl;
mod kubectl_exchange;
mod lesson;
mod lesson_cards;
mod lesson_run;
mod lesson_view;
mod loading;
mod local;
mod memory;
mod memory_limit;
mod observers;
pub mod odds;
pub mod permalink;
mod place;
pub mod practice;
pub mod progress;
pub mod protocol;
mod qos_comparison;
mod real_etcd;
pub mod recording;
pub mod rehearsal;
mod report;
pub mod run;
mod running;
pub mod save;
pub mod script;
pub mod scrollback;
#[expect(
    clippy::module_inception,
    reason = "the folder is named after its main type"
)]
mod session;
mod shortened;
mod stand;
mod started;
mod step_kind;
mod task;
pub mod texts;
mod trial;
mod typed_block;
mod typing;
mod undo;
mod views;
mod watching;
mod workspace;

pub use crate::base::Bytes;
pub use crate::latency;
pub use crate::scenario::INTERRUPT;
pub use crate::scenario::lesson::number_in;
pub use crate::scenario::stories;
pub use crate::world::Config;
pub use protocol::{
    Act, Done, Executed, ExportForm, FileAsk, FileIdentity, FileStage, FromEngine, LessonAct,
    Limits, Move, Notification, ProgressUnit, Read, Request, RunningCommand, SeekTo, Source,
    ToEngine,
};
pub use session::Session;

/// Returns the etcd version of a new run, such as `3.6`.
pub fn default_profile() -> &'static str {
    crate::api::Profile::default().api_version()
}
