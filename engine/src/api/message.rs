//! What travels between nodes: calls and their answers, and the frames of watch streams.

use std::sync::Arc;

use super::watch::{WatchRequest, WatchResponse};
use super::{Reply, Request};
use crate::kube::{KubeAnswer, KubeRequest, KubeWatchEvent};

/// The content of a message, by protocol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// Between a member and its clients.
    Etcd(EtcdMessage),
    /// Between an API server and its clients.
    Kube(KubeMessage),
}

/// The messages between members and their clients.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EtcdMessage {
    /// A unary request.
    Call {
        /// The client's number for the request.
        call: u64,
        /// The request.
        request: Arc<Request>,
    },
    /// The response to a request.
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
        /// The request.
        request: WatchRequest,
    },
    /// A member's frame on a watch stream.
    WatchAnswer {
        /// Which of the client's streams.
        stream: u32,
        /// The response.
        response: Arc<WatchResponse>,
    },
}

/// The messages between API servers and their clients.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubeMessage {
    /// A request.
    Call {
        /// The client's number for the request.
        call: u64,
        /// The request.
        request: Arc<KubeRequest>,
    },
    /// The response to a request.
    Answer {
        /// The client's number for the request.
        call: u64,
        /// The answer.
        answer: Arc<KubeAnswer>,
    },
    /// Events of a watch.
    Events {
        /// The client's number for the watch.
        call: u64,
        /// The events, oldest first.
        events: Arc<Vec<KubeWatchEvent>>,
    },
    /// The server ends a watch: the stream is over, and nothing says why.
    End {
        /// The client's number for the watch.
        call: u64,
    },
}
