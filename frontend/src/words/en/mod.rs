//! The texts in English.

pub mod cache;
pub mod cluster;
pub mod common;
pub mod dialogs;
pub mod figure;
pub mod file;
pub mod host;
pub mod index;
pub mod inspector;
pub mod lab;
pub mod lab_cost;
pub mod lab_knobs;
pub mod lab_list;
pub mod lab_qos;
pub mod lesson;
pub mod messages;
pub mod notices;
pub mod page;
pub mod qos;
pub mod state;
pub mod storage;
pub mod terminal;
pub mod timeline;
pub mod topbar;
pub mod watch;
pub mod widgets;
