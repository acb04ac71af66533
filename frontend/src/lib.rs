//! The Watchglass page: panels over view models that the engine sends.
//!
//! Everything the page knows lives in [`state`], which [`store`] keeps; everything it wants goes
//! through one [`state::Action`]. Components draw and dispatch, they hold no truth of their own. The engine is
//! reached through [`host`] by messages alone, so that it may run in a worker or in this thread.

#![allow(
    missing_docs,
    reason = "the docs of components and their props are their module heads"
)]

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
