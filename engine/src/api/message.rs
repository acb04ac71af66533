//! The messages between nodes: calls, their responses, and the messages on watch streams.

use std::sync::Arc;

use super::log_entry::PeerMessage;
use super::watch::{WatchRequest, WatchResponse};
use super::{Reply, Request};
use crate::kube::{KubeAnswer, KubeRequest, KubeWatchEvent};

/// The content of a message, by protocol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// A message between a member and a client.
    Etcd(EtcdMessage),
    /// A message between an API server and a client.
    Kube(KubeMessage),
}

/// A message between a member and a client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EtcdMessage {
    /// A request with a single response (a unary RPC).
    Call {
        /// The client's number for the request.
        call: u64,
        request: Arc<Request>,
    },
    /// The response to a request.
    Answer {
        /// The client's number for the request.
        call: u64,
        /// The response, or the error with which the member refused the request.
        reply: Arc<Reply>,
    },
    /// A message that a client sends on a watch stream. The first message opens the stream.
    Watch {
        /// The client's number for the stream.
        stream: u32,
        request: WatchRequest,
    },
    /// A message that a member sends on a watch stream.
    WatchAnswer {
        /// The client's number for the stream.
        stream: u32,
        response: Arc<WatchResponse>,
    },
    /// A message between the members of a cluster.
    Peer(Arc<PeerMessage>),
    /// The response to a message from a member that was removed from the cluster.
    PeerRemoved,
}

/// A message between an API server and a client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubeMessage {
    /// A client's request to an API server.
    Call {
        /// The client's number for the request.
        call: u64,
        request: Arc<KubeRequest>,
    },
    /// The response to a request.
    Answer {
        /// The client's number for the request.
        call: u64,
        /// The response, or the error with which the API server refused the request.
        answer: Arc<KubeAnswer>,
    },
    /// Events of a watch, which an API server sends to a client.
    Events {
        /// The client's number for the watch.
        call: u64,
        /// The events, oldest first.
        events: Arc<Vec<KubeWatchEvent>>,
    },
    /// The server closes the stream of a watch without an error.
    End {
        /// The client's number for the watch.
        call: u64,
    },
}
