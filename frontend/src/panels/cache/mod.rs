//! The Cache view: etcd's head on one ruler, under it what each API server's cache knows, and
//! below that how stale they were, over time.
//!
//! Data flows one way, as in the Watch view: view and room make a [`scene`] and a [`plot`] of
//! places, [`picture`] draws them, [`words`] says the same. [`routes`] is the table of who would
//! serve which read; it stands in the inspector.

#[cfg(test)]
mod fixture;
pub mod lane;
pub mod panel;
pub mod picture;
pub mod plot;
pub mod routes;
pub mod scene;
pub mod words;

pub use panel::CachePanel;
