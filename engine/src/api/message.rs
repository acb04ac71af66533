//! What travels between nodes: calls and their answers, and the frames of watch streams.

use std::sync::Arc;

use super::kube::{KubeAnswer, KubeRequest, WatchEvent};
use super::watch::{WatchRequest, WatchResponse};
use super::{Reply, Request};

/// What a message carries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    /// A request to an API server.
    KubeCall {
        /// The client's number for it.
        call: u64,
        /// The request.
        request: Arc<KubeRequest>,
    },
    /// The answer of an API server.
    KubeAnswer {
        /// The client's number for the request.
        call: u64,
        /// The answer.
        answer: Arc<KubeAnswer>,
    },
    /// Events of a watch of an API server.
    KubeEvents {
        /// The client's number for the watch.
        call: u64,
        /// The events, oldest first.
        events: Arc<Vec<WatchEvent>>,
    },
    /// The API server ends a watch: the stream is over, and nothing says why.
    KubeEnd {
        /// The client's number for the watch.
        call: u64,
    },
}
