//! The messages between nodes: calls, their responses, and the messages on watch streams.

use std::sync::Arc;

use super::log_entry::PeerMessage;
use super::watch::{WatchRequest, WatchResponse};
use super::{Reply, Request};
use crate::kube::{KubeAnswer, KubeRequest, KubeWatchEvent};

/// The content of a message, by protocol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    Etcd(EtcdMessage),
    Kube(KubeMessage),
}

/// A message between a member and a client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EtcdMessage {
    /// A request with a single response (a unary RPC).
    Call {
        call: u64,
        request: Arc<Request>,
    },
    Answer {
        call: u64,
        reply: Arc<Reply>,
    },
    /// A message that a client sends on a watch stream. The first message opens the stream.
    Watch {
        stream: u32,
        request: WatchRequest,
    },
    WatchAnswer {
        /// The client's number for the stream.
        stream: u32,
        response: Arc<WatchResponse>,
    },
    Peer(Arc<PeerMessage>),
    /// The response to a message from a member that was removed from the cluster.
    PeerRemoved,
}

/// A message between an API server and a client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubeMessage {
    Call {
        call: u64,
        request: Arc<KubeRequest>,
    },
    Answer {
        /// The client's number for the request.
        call: u64,
        answer: Arc<KubeAnswer>,
    },
    Events {
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
