//! A range that a member sends in chunks (`KV.RangeStream`).
//!
//! Mirrors `rangeStream` of `server/etcdserver/v3_server.go`. Each chunk is a read of its own at the revision of the
//! first chunk, so the member serves other requests between two chunks, and a compaction can end the stream. Left out:
//! a member waits with the next chunk while the window of the client's connection is full.

use crate::api::{EtcdError, RangeRequest, RangeResponse, Response, ResponseHeader};
use crate::base::Bytes;
use crate::base::proto::size;
use crate::mvcc::KvStore;
use crate::sim::Outbox;
use crate::trace::TraceEvent;

use super::range;
use super::server::{EtcdServer, MemberJob, MemberTimer, trace_read};

/// The maximum number of rows of the first chunk (`initialStreamChunkLimit`).
const FIRST_CHUNK_ROWS: i64 = 10;

/// The state of a streamed range before its next chunk.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RangeStream {
    /// The client's request. The first chunk sets its revision.
    request: RangeRequest,
    /// The revision of the store at the first chunk.
    revision: i64,
    next_key: Bytes,
    /// The maximum number of rows of the next chunk.
    chunk_rows: i64,
    /// The number of rows that the member has sent.
    sent: i64,
}

impl RangeStream {
    pub(super) fn new(request: &RangeRequest) -> Self {
        Self {
            request: request.clone(),
            revision: 0,
            next_key: request.key.clone(),
            chunk_rows: limit_of(request).min(FIRST_CHUNK_ROWS),
            sent: 0,
        }
    }

    pub(super) fn next_read(&self) -> RangeRequest {
        RangeRequest {
            key: self.next_key.clone(),
            limit: self.chunk_rows,
            ..self.request.clone()
        }
    }

    /// Reads the next chunk. Only the last chunk has a header, a count, and the flag `more`. `target_bytes` is the size
    /// that a chunk should have.
    pub(super) fn read(
        &mut self,
        store: &KvStore,
        target_bytes: u64,
    ) -> Result<RangeResponse, EtcdError> {
        let read = range::without_total_count(store, &self.next_read())?;
        if self.revision == 0 {
            self.revision = read.header.revision;
            if self.request.revision <= 0 {
                self.request.revision = self.revision;
            }
        }
        self.sent += read.kvs.len() as i64;
        let limit = limit_of(&self.request);
        let next_key = read.kvs.last().filter(|_| read.more);
        let next_key = next_key.map(|last| [&last.key[..], b"\0"].concat().as_slice().into());
        match next_key {
            Some(next_key) if self.sent != limit => {
                self.next_key = next_key;
                let bytes = size(&read).max(read.kvs.weight());
                self.chunk_rows = adjusted(self.chunk_rows, bytes, target_bytes);
                self.chunk_rows = self.chunk_rows.min(limit - self.sent);
                Ok(RangeResponse {
                    kvs: read.kvs,
                    ..RangeResponse::default()
                })
            }
            next_key => {
                let remaining = match next_key {
                    Some(key) => range::without_total_count(store, &self.count_from(key))?.count,
                    None => 0,
                };
                let found = match self.request.count_only {
                    true => read.count,
                    false => self.sent,
                };
                Ok(RangeResponse {
                    header: ResponseHeader {
                        revision: self.revision,
                        ..ResponseHeader::default()
                    },
                    kvs: read.kvs,
                    more: read.more,
                    count: found + remaining,
                })
            }
        }
    }

    /// Returns the request that counts the keys behind the limit.
    fn count_from(&self, key: Bytes) -> RangeRequest {
        RangeRequest {
            key,
            range_end: self.request.range_end.clone(),
            revision: self.request.revision,
            count_only: true,
            ..RangeRequest::default()
        }
    }
}

/// Returns the maximum number of rows of a whole stream. As in etcd, a negative limit is no limit and no chunk size, so
/// all rows are in one chunk.
fn limit_of(request: &RangeRequest) -> i64 {
    match request.limit {
        0 => i64::MAX,
        limit => limit,
    }
}

/// Returns the maximum number of rows of the chunk after a chunk with this maximum and this size (`adjustChunkLimit`).
fn adjusted(rows: i64, bytes: u64, target_bytes: u64) -> i64 {
    let rows = match bytes {
        bytes if bytes < target_bytes / 2 => rows * 2,
        bytes if bytes > target_bytes * 2 => rows / 2,
        _ => rows,
    };
    rows.max(1)
}

impl EtcdServer {
    /// Reads and sends the chunks of a stream, until the processor needs time for a chunk.
    pub(super) fn send_chunks(&mut self, mut job: MemberJob, out: &mut Outbox<MemberTimer>) {
        while let Some(mut stream) = job.stream.take() {
            self.metrics.count_range();
            self.fetch_pages(&stream.next_read());
            let pages = self.wait_for_disk(out.now);
            let chunk = match stream.read(self.store(), self.limits.request_bytes) {
                Ok(chunk) => chunk,
                Err(error) => return self.reply(job.caller, Err(error), out),
            };
            let rows = chunk.kvs.len() as u64;
            let work = self.cost().range(rows, chunk.kvs.weight()).and(pages);
            let revision = stream.revision;
            if chunk.header.revision == 0 {
                job.stream.0 = Some(stream);
            } else {
                if chunk.more {
                    self.metrics.count_range();
                }
                trace_read(out, &stream.request, stream.sent, &chunk);
            }
            out.trace(TraceEvent::RangeChunk { revision, rows });
            job.response = Response::RangeStream(chunk);
            match self.run_job(work, job, out) {
                Some(ended) => job = ended,
                None => return,
            }
            self.reply(job.caller, Ok(Some(job.response.clone())), out);
        }
    }
}
