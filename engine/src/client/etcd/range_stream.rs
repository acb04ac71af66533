//! The chunks of streamed ranges that a client collects.
//!
//! Mirrors `GetStreamToGetResponse` (`client/v3/kv.go`). The library hands each chunk to its caller; etcdctl and API
//! servers wait for the whole range, as here.

use crate::api::{Reply, Response, Rows};
use crate::base::ordered::OrdMap;

/// The chunks of all streams of a client that have not ended, by the number of the request.
#[derive(Clone, Debug, Default, PartialEq, Hash)]
pub struct RangeStreams(OrdMap<u64, Vec<Rows>>);

impl RangeStreams {
    /// Takes a reply to the request `call`. Returns the reply for the caller: the response to the whole range after its
    /// last chunk, `None` after any other chunk, and every other reply unchanged.
    ///
    /// ```
    /// use watchglass_engine::api::{KeyValue, RangeResponse, Response, ResponseHeader};
    /// use watchglass_engine::client::etcd::RangeStreams;
    /// let rows = |key: &str| vec![KeyValue { key: key.into(), ..KeyValue::default() }].into();
    /// let first = RangeResponse { kvs: rows("a"), ..RangeResponse::default() };
    /// let header = ResponseHeader { revision: 3, ..ResponseHeader::default() };
    /// let last = RangeResponse { header, kvs: rows("b"), more: false, count: 2 };
    /// let mut streams = RangeStreams::default();
    /// assert_eq!(streams.receive(7, Ok(Response::RangeStream(first))), None);
    /// let Some(Ok(Response::Range(whole))) = streams.receive(7, Ok(Response::RangeStream(last))) else { panic!() };
    /// assert_eq!((whole.kvs.len(), whole.count), (2, 2));
    /// ```
    pub fn receive(&mut self, call: u64, reply: Reply) -> Option<Reply> {
        match reply {
            Ok(response) if response.is_partial() => {
                if let Response::RangeStream(chunk) = response {
                    self.0.get_or_insert_with(call, Vec::new).push(chunk.kvs);
                }
                None
            }
            Ok(Response::RangeStream(mut last)) => {
                let mut chunks = self.0.remove(&call).unwrap_or_default();
                chunks.push(last.kvs);
                last.kvs = Rows::joined(&chunks);
                Some(Ok(Response::Range(last)))
            }
            reply => {
                self.0.remove(&call);
                Some(reply)
            }
        }
    }

    /// Drops the chunks of a request whose caller no longer waits.
    pub fn forget(&mut self, call: u64) {
        self.0.remove(&call);
    }
}
