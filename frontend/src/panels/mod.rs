//! The panels, one folder or file each: a panel shows the engine's view models and dispatches actions.

pub mod announcer;
pub mod blank;
pub mod cache;
pub mod dialogs;
pub mod dropzone;
pub mod failure;
pub mod figure;
pub mod file;
pub mod front;
pub mod index;
pub mod inspector;
pub mod lab;
pub mod lesson;
pub mod messages;
pub mod notices;
pub mod qos;
pub mod sheet;
pub mod stage;
pub mod storage;
pub mod story;
pub mod terminal;
pub mod terms;
pub mod timeline;
pub mod topbar;
pub mod watch;
pub mod ways;
