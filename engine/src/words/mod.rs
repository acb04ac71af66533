//! The texts of the engine that the page shows outside the terminal: whole sentences as functions with typed arguments,
//! one file for each part of the engine.
//!
//! [`en`] is the only language. Another language is another module with the same functions. `cargo xtask pseudo` builds
//! the page with a pseudo-language: accented letters replace the letters of all texts in this module and in the
//! frontend's module of texts. The command then finds texts on the page that are in neither module.
//!
//! Left out: the terminal's output. etcdctl, kubectl and the simulator's own commands print English, because runs and
//! lessons store their output. The error texts of etcd and of Kubernetes are part of the output.

mod change;
#[expect(missing_docs, reason = "a text describes itself")]
mod en;
mod subject;

pub use change::{LinkMessages, SettingValue};
pub use en::*;
pub use subject::{ExprArithmetic, ExprList, ExprSubject, FieldNoun, ForeignFile};
