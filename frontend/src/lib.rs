//! The Watchglass page. Its panels show view models, which the engine sends.
//!
//! [`state`] defines everything that the page knows, and [`store`] holds the current state. Every change is a
//! [`state::Action`]; components only draw and dispatch actions. The page reaches the engine only through the messages
//! of [`host`], so the engine may run in a worker or in this thread.

pub mod address;
pub mod app;
pub mod browser;
pub mod draw;
pub mod figure;
pub mod hooks;
pub mod host;
pub mod keep;
pub mod panels;
pub mod state;
pub mod store;
pub mod widgets;
pub mod words;
