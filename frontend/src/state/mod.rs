//! The state of the page and its changes.
//!
//! [`reduce::reduce`] takes an [`Action`], changes the [`State`] and returns [`Effect`]s, which `store` carries out.
//! The reducer is pure: it uses no clock, no browser and no engine, so its tests run natively.
//!
//! A panel needs three things from here and from `store`:
//!
//! ```ignore
//! let store = use_store();
//! let lanes = &store.views.index;                   // the current views
//! let selected = &store.ui.selection;               // the user's choices
//! store.dispatch(Action::SelectKey { key, revision: None });
//! ```

pub mod action;
pub mod answers;
pub mod contents;
pub mod effect;
#[cfg(test)]
mod figure_tests;
pub mod file;
#[cfg(test)]
mod file_tests;
pub mod flow;
pub mod happened;
pub mod lab;
pub mod lessons;
pub mod line;
pub mod palette;
pub mod playback;
pub mod prefs;
pub mod qos;
pub mod reduce;
pub mod run;
#[cfg(test)]
mod run_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod text_tests;
pub mod texts;
pub mod trail;
pub mod ui;

pub use action::Action;
pub use effect::Effect;
pub use flow::State;
pub use ui::Ui;
