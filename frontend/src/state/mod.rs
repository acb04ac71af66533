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
//! store.dispatch(Action::View(ViewAct::SelectKey { key, revision: None }));
//! ```

pub mod action;
pub mod answers;
pub mod author;
pub mod choices;
pub mod comparison;
pub mod contents;
pub mod draft;
pub mod effect;
pub mod engine;
pub mod file;
pub mod file_panel;
pub mod flow;
pub mod happened;
pub mod lab;
pub mod layout;
pub mod lessons;
pub mod line;
mod loaded;
pub mod nemesis;
mod notice;
pub mod odds;
pub mod palette;
pub mod playback;
pub mod practice;
pub mod prefs;
pub mod progress;
pub mod qos;
pub mod random_commands;
pub mod reduce;
pub mod replays;
mod reply;
pub mod run;
pub mod run_action;
pub mod runs;
pub mod selection;
pub mod speed;
pub mod terminal;
#[cfg(test)]
mod tests;
pub mod texts;
pub mod trail;
pub mod ui;
mod view_text;

pub use action::Action;
pub use effect::Effect;
pub use flow::State;
pub use ui::Ui;
