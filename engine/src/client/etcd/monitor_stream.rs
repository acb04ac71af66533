//! The stream of `qos monitor`, a command of the QoS proposal.
//!
//! The proposal describes no protocol. Here, the client sends one request to open the stream. Each response reports one
//! request above the threshold, from any client. After a broken connection, the client requests the remaining
//! responses.

use crate::api::QosRequest;
use crate::qos::monitor::MonitorQuery;

/// A client's stream on which a member reports requests above a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MonitorStream {
    query: MonitorQuery,
    received: u64,
    is_refused: bool,
}

impl MonitorStream {
    pub fn new(query: MonitorQuery) -> Self {
        Self {
            query,
            received: 0,
            is_refused: false,
        }
    }

    /// Returns the query, which selects the requests to report.
    pub fn query(&self) -> MonitorQuery {
        self.query
    }

    /// Returns the number of requests that the member has reported on the stream.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Returns the request that opens the stream; `None` if the stream has ended.
    pub fn request(&self) -> Option<QosRequest> {
        let limit = self.query.limit.saturating_sub(self.received);
        let is_open = limit > 0 && !self.is_refused;
        is_open.then_some(QosRequest::Monitor(MonitorQuery {
            limit,
            ..self.query
        }))
    }

    pub fn receive(&mut self, is_error: bool) {
        match is_error {
            true => self.is_refused = true,
            false => self.received += 1,
        }
    }
}
