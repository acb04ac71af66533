//! Basic types such as IDs, bytes and time. The rest of the engine uses these modules; these modules import nothing
//! from the rest of the engine.

pub mod assumed_size;
pub mod base64;
pub mod bytes;
pub mod crc32c;
pub mod digest;
pub mod durations;
pub mod go;
pub mod grow;
pub mod histogram;
pub mod ids;
pub mod interner;
pub mod interval_tree;
pub mod json;
pub mod mix;
pub mod ordered;
pub mod planted;
pub mod proto;
pub mod rng;
pub mod sha1;
pub mod shared_list;
pub mod small_sort;
pub mod time;

pub use bytes::Bytes;
