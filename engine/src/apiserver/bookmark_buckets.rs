//! The schedule of bookmarks: for each second, the list of watchers that receive a bookmark.
//!
//! Mirrors `watcherBookmarkTimeBuckets` and `cacheWatcher.nextBookmarkTime`. A bookmark is sent less than a second
//! before or after its scheduled time.

use crate::base::ordered::OrdMap;

use crate::base::time::{SimDuration, SimTime};

use super::cache_watcher::CacheWatcherId;

/// The time between two bookmarks of a watch (`defaultBookmarkFrequency`).
pub const BOOKMARK_FREQUENCY: SimDuration = SimDuration::from_millis(60_000);
/// The time between the last bookmark of a watch and the end of the watch.
pub const BEFORE_DEADLINE: SimDuration = SimDuration::from_millis(2_000);

const BUCKET_US: u64 = 1_000_000;

/// The watchers, grouped by the second in which their next bookmark is due.
///
/// ```
/// use watchglass_engine::apiserver::bookmark_buckets::BookmarkBuckets;
/// use watchglass_engine::apiserver::CacheWatcherId;
/// use watchglass_engine::base::time::SimTime;
/// let mut buckets = BookmarkBuckets::new(SimTime(0));
/// buckets.add(CacheWatcherId(1), SimTime(2_300_000));
/// assert!(buckets.pop_expired(SimTime(1_900_000)).is_empty());
/// assert_eq!(buckets.pop_expired(SimTime(2_000_000)), [CacheWatcherId(1)]);
/// ```
#[derive(Clone, Debug, Hash)]
pub struct BookmarkBuckets {
    created: SimTime,
    start_bucket: u64,
    buckets: OrdMap<u64, Vec<CacheWatcherId>>,
}

impl BookmarkBuckets {
    pub fn new(now: SimTime) -> Self {
        Self {
            created: now,
            start_bucket: 0,
            buckets: OrdMap::new(),
        }
    }

    /// Schedules a bookmark for a watcher. If the time is in the past, the bookmark is due at the next check.
    pub fn add(&mut self, id: CacheWatcherId, at: SimTime) {
        let bucket = (at.0.saturating_sub(self.created.0) / BUCKET_US).max(self.start_bucket);
        self.buckets.get_or_insert_with(bucket, Vec::new).push(id);
    }

    /// Removes and returns all watchers whose bookmark is due.
    pub fn pop_expired(&mut self, now: SimTime) -> Vec<CacheWatcherId> {
        let current = now.0.saturating_sub(self.created.0) / BUCKET_US;
        let mut expired = Vec::new();
        while let Some((bucket, ids)) = self.buckets.get_min().cloned() {
            if bucket > current {
                break;
            }
            expired.extend(ids);
            self.buckets.remove(&bucket);
        }
        self.start_bucket = self.start_bucket.max(current + 1);
        expired
    }
}

/// Returns the time of a watch's next bookmark: one minute from now or two seconds before the end of the watch,
/// whichever is earlier. Returns `None` in the last two seconds of the watch.
pub fn next_bookmark_time(now: SimTime, deadline: Option<SimTime>) -> Option<SimTime> {
    let heartbeat = now + BOOKMARK_FREQUENCY;
    let Some(deadline) = deadline else {
        return Some(heartbeat);
    };
    let before_end = deadline.0.checked_sub(BEFORE_DEADLINE.0).map(SimTime)?;
    (before_end >= now).then(|| heartbeat.min(before_end))
}
