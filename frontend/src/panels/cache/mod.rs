//! The Cache view: etcd's head revision on a ruler, below it the cache of each API server, and below that the staleness
//! of the caches over time. A run with a load also has strips with the load over time, which are at the top.
//!
//! Data flows one way, as in the Watch view: [`scene`], [`plot`] and [`load`] compute positions from the view and the
//! size of the drawing area, [`picture`] draws them, and [`table`] lists them. [`routes`] renders the table that shows
//! which source serves a read; this table is beside the pictures and in the inspector.

#[cfg(test)]
mod fixture;
pub mod lane;
pub mod load;
pub mod panel;
pub mod picture;
pub mod plot;
pub mod routes;
pub mod scene;
pub mod table;
#[cfg(test)]
mod words_tests;

pub use panel::CachePanel;
