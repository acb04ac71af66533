//! What travels between nodes: calls and their answers, and the frames of watch streams.

use std::sync::Arc;

use super::watch::{WatchRequest, WatchResponse};
use super::{Reply, Request};

/// What a message carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A unary request.
    Call {
        /// The client's number for it.
        call: u64,
        /// The request.
        request: Arc<Request>,
    },
    /// The answer to one.
    Answer {
        /// The client's number for the request.
        call: u64,
        /// The answer.
        reply: Arc<Reply>,
    },
    /// A client's frame on a watch stream; the first one opens the stream.
    Watch {
        /// Which of the client's streams.
        stream: u32,
        /// What it says.
        request: WatchRequest,
    },
    /// A member's frame on a watch stream.
    WatchAnswer {
        /// Which of the client's streams.
        stream: u32,
        /// What it says.
        response: Arc<WatchResponse>,
    },
}
