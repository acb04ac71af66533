//! The Cache view: etcd's head on a ruler, below it the cache of each API server, and below that the staleness of the
//! caches over time.
//!
//! Data flows one way, as in the Watch view: [`scene`] and [`plot`] compute positions from the view and the size of
//! the stage, [`picture`] draws them, and [`words`] describes them. [`routes`] is the table of the sources of reads;
//! the inspector shows it.

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
