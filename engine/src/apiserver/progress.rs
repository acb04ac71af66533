//! Decides when to send progress requests to etcd on the stream of the cache's watch.
//!
//! There are four policies. *On demand* mirrors `cacher/progress/watch_progress.go` (`ConditionalProgressRequester`,
//! since 1.28): the server sends requests only while a read waits, at most one per 100 ms. The server ignores the
//! notifications that etcd sends by itself. *Draft* follows the draft of KEP-2340: the server sends a request if no
//! notification has arrived for 250 ms, and earlier if a read waits. The server never sends two requests within 125 ms.
//! *After silence* is the draft's first example, in which a waiting read does not cause an earlier request. *Never*
//! relies on etcd's own timer, for comparison.
//!
//! etcd does not always respond, because a watch on the stream can lag. So the server does not wait for a response. If
//! the server still needs a notification later, it sends another request.

use crate::base::time::{SimDuration, SimTime};

/// The minimum time between two requests in current Kubernetes (`progressRequestPeriod`).
pub const PROGRESS_REQUEST_PERIOD: SimDuration = SimDuration::from_millis(100);
/// The maximum time without a notification in the draft of KEP-2340.
pub const DRAFT_BACKGROUND: SimDuration = SimDuration::from_millis(250);
/// The minimum time between two requests in the draft of KEP-2340.
pub const DRAFT_MIN_GAP: SimDuration = SimDuration::from_millis(125);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgressPolicy {
    /// Sends requests only while a read waits.
    OnDemand {
        /// The minimum time between two requests.
        period: SimDuration,
    },
    /// Sends a request if no notification has arrived for some time, and earlier while a read waits.
    Draft {
        /// The maximum time without a notification.
        background: SimDuration,
        /// The minimum time between two requests.
        min_gap: SimDuration,
    },
    /// Sends a request if no notification has arrived for some time, even while a read waits.
    AfterSilence { silence: SimDuration },
    /// Never sends requests: only etcd's own timer causes notifications.
    Never,
}

/// Counts the waiting reads, and decides when the next progress request is due.
///
/// ```
/// use watchglass_engine::apiserver::progress::{ProgressPolicy, ProgressRequester};
/// use watchglass_engine::base::time::{SimDuration, SimTime};
/// let ms = |n: u64| SimTime(n * 1000);
/// let policy = ProgressPolicy::OnDemand { period: SimDuration::from_millis(100) };
/// let mut requester = ProgressRequester::new(policy, ms(0));
/// requester.add();
/// assert!(requester.take_due(ms(200))); // no request for a long time: send one immediately
/// requester.remove();
/// requester.add();
/// assert!(!requester.take_due(ms(240))); // the last request was less than 100 ms ago
/// assert_eq!(requester.next_at(ms(240)), Some(ms(300)));
/// ```
#[derive(Clone, Copy, Debug, Hash)]
pub struct ProgressRequester {
    policy: ProgressPolicy,
    waiting: u32,
    /// The time of the last request. With the policy *on demand*, the start of the watch counts as a request, because
    /// the timer runs from that time.
    last_request: Option<SimTime>,
    /// The time of the last progress notification, or of the start.
    last_progress: SimTime,
    requests: u64,
}

impl ProgressRequester {
    pub fn new(policy: ProgressPolicy, now: SimTime) -> Self {
        Self {
            policy,
            waiting: 0,
            last_request: match policy {
                ProgressPolicy::OnDemand { .. } => Some(now),
                ProgressPolicy::Draft { .. }
                | ProgressPolicy::AfterSilence { .. }
                | ProgressPolicy::Never => None,
            },
            last_progress: now,
            requests: 0,
        }
    }

    pub fn policy(&self) -> ProgressPolicy {
        self.policy
    }

    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Returns the number of progress requests sent so far.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    pub fn add(&mut self) {
        self.waiting += 1;
    }

    pub fn remove(&mut self) {
        assert!(self.waiting > 0, "who stops waiting has waited");
        self.waiting -= 1;
    }

    /// Handles a progress notification. The policy *on demand* ignores notifications.
    pub fn progress_seen(&mut self, now: SimTime) {
        self.last_progress = now;
    }

    /// Returns the time at which the next request is due; `None` while no request is necessary.
    pub fn next_at(&self, now: SimTime) -> Option<SimTime> {
        let after_request = |gap| self.last_request.map_or(now, |last| last + gap).max(now);
        let after_silence = |silence| {
            let quiet_since = self
                .last_request
                .unwrap_or(SimTime(0))
                .max(self.last_progress);
            (quiet_since + silence).max(now)
        };
        match self.policy {
            ProgressPolicy::Never => None,
            ProgressPolicy::AfterSilence { silence } => Some(after_silence(silence)),
            ProgressPolicy::OnDemand { period } => {
                (self.waiting > 0).then(|| after_request(period))
            }
            ProgressPolicy::Draft {
                background,
                min_gap,
            } => {
                let in_background = after_silence(background);
                Some(if self.waiting > 0 {
                    in_background.min(after_request(min_gap))
                } else {
                    in_background
                })
            }
        }
    }

    /// Returns true if a request is due now, and then counts the request as sent.
    pub fn take_due(&mut self, now: SimTime) -> bool {
        let is_due = self.next_at(now) == Some(now);
        if is_due {
            self.last_request = Some(now);
            self.requests += 1;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> SimTime {
        SimTime(n * 1000)
    }

    fn draft() -> ProgressRequester {
        let policy = ProgressPolicy::Draft {
            background: DRAFT_BACKGROUND,
            min_gap: DRAFT_MIN_GAP,
        };
        ProgressRequester::new(policy, ms(0))
    }

    #[test]
    fn the_draft_asks_when_it_was_quiet_for_long() {
        let mut requester = draft();
        assert_eq!(requester.next_at(ms(10)), Some(ms(250)));
        // A notification delays the next request, even if etcd's own timer caused the notification.
        requester.progress_seen(ms(200));
        assert_eq!(requester.next_at(ms(200)), Some(ms(450)));
        assert!(!requester.take_due(ms(250)) && requester.take_due(ms(450)));
        // The response arrives 1 ms later. The next 250 ms are counted from the response.
        requester.progress_seen(ms(451));
        assert_eq!(requester.next_at(ms(451)), Some(ms(701)));
    }

    #[test]
    fn the_draft_asks_sooner_for_who_waits_but_not_too_often() {
        let mut requester = draft();
        assert!(requester.take_due(ms(250)));
        requester.progress_seen(ms(251));
        requester.add();
        assert_eq!(requester.next_at(ms(260)), Some(ms(375)));
        // An event has served the waiting read, so the request is no longer needed.
        requester.remove();
        assert_eq!(requester.next_at(ms(300)), Some(ms(501)));
        requester.add();
        assert!(requester.take_due(ms(400)), "more than 125 ms have passed");
        assert_eq!(requester.next_at(ms(400)), Some(ms(525)));
    }

    #[test]
    fn a_notification_of_etcds_timer_cancels_the_request_after_silence() {
        let silence = SimDuration::from_millis(300);
        let mut requester = ProgressRequester::new(ProgressPolicy::AfterSilence { silence }, ms(0));
        requester.add();
        for tick in 1..=4 {
            assert_eq!(requester.next_at(ms(tick * 250)), Some(ms(tick * 250 + 50)));
            requester.progress_seen(ms(tick * 250));
        }
        assert!(!requester.take_due(ms(1_299)) && requester.take_due(ms(1_300)));
        assert_eq!(requester.requests(), 1);
    }

    #[test]
    fn a_lost_answer_is_asked_for_again() {
        let mut requester = draft();
        assert!(requester.take_due(ms(250)));
        assert_eq!(requester.next_at(ms(251)), Some(ms(500)));
    }
}
