//! Reads that wait for the cache: each policy, the cost of a wait, and the result of a wait that is too long.

use watchglass_engine::apiserver::freshness::{
    CallId, EndedBy, Freshness, FreshnessTimer, Moved, Policy, ReadId, ReadSpec, Target, Verdict,
    WaitOutcome, Wants,
};
use watchglass_engine::apiserver::routing::OnTimeout;
use watchglass_engine::base::time::{SimDuration, SimTime};

fn ms(n: u64) -> SimTime {
    SimTime(n * 1_000)
}

/// A cache, and an etcd that responds immediately, so that only the waits take time.
struct Cluster {
    freshness: Freshness,
    out: Wants,
    now: SimTime,
    cache_rv: u64,
    head: u64,
    timers: Vec<(SimTime, FreshnessTimer)>,
    /// The times of the progress requests, each with the ID that it carried.
    asked: Vec<(u64, Option<u64>)>,
    revision_calls: u64,
    answers_progress: bool,
    done: Vec<WaitOutcome>,
    next_read: u64,
}

impl Cluster {
    fn new(policy: Policy) -> Self {
        let mut cluster = Self {
            freshness: Freshness::new(policy, ms(0)),
            out: Wants::default(),
            now: ms(0),
            cache_rv: 10,
            head: 10,
            timers: Vec::new(),
            asked: Vec::new(),
            revision_calls: 0,
            answers_progress: true,
            done: Vec::new(),
            next_read: 1,
        };
        cluster.freshness.start(ms(0), &mut cluster.out);
        cluster.settle();
        cluster
    }

    fn list(&mut self, size: u64, on_timeout: OnTimeout) -> ReadId {
        let id = ReadId(self.next_read);
        self.next_read += 1;
        let spec = ReadSpec {
            target: Target::Current,
            expected_size: size,
            on_timeout,
        };
        self.freshness
            .begin(self.now, id, spec, self.cache_rv, &mut self.out);
        self.settle();
        id
    }

    /// Executes the effects that the freshness code requests, until none is left.
    fn settle(&mut self) {
        loop {
            let wants = std::mem::take(&mut self.out);
            let now = self.now;
            for (after, timer) in wants.timers {
                self.timers.retain(|(_, before)| *before != timer);
                self.timers.push((now + after, timer));
            }
            self.done.extend(wants.done);
            let is_done = wants.calls.is_empty() && wants.progress.is_empty();
            for call in wants.calls {
                self.revision_calls += 1;
                let head = Ok(self.head);
                self.freshness
                    .revision(now, call, head, self.cache_rv, &mut self.out);
            }
            for echo in wants.progress {
                self.asked.push((now.0 / 1_000, echo));
                if self.answers_progress {
                    self.progress(echo);
                }
            }
            if is_done {
                return;
            }
        }
    }

    fn progress(&mut self, echo: Option<u64>) {
        self.cache_rv = self.head;
        let how = Moved::Progress { echo };
        self.freshness
            .cache_moved(self.now, self.cache_rv, how, &mut self.out);
        self.settle();
    }

    fn event(&mut self) {
        self.head += 1;
        self.cache_rv = self.head;
        self.freshness
            .cache_moved(self.now, self.cache_rv, Moved::Event, &mut self.out);
        self.settle();
    }

    fn pass_to(&mut self, until: SimTime) {
        while let Some(next) = self.timers.iter().copied().min_by_key(|(at, _)| *at) {
            if next.0 > until {
                break;
            }
            self.timers.retain(|timer| *timer != next);
            self.now = next.0;
            self.freshness
                .wake(self.now, next.1, self.cache_rv, &mut self.out);
            self.settle();
        }
        self.now = until;
    }

    fn asked_at(&self) -> Vec<u64> {
        self.asked.iter().map(|(at, _)| *at).collect()
    }

    fn outcome(&self, read: ReadId) -> Option<(&Verdict, EndedBy, u64)> {
        let found = self.done.iter().find(|outcome| outcome.read == read)?;
        Some((&found.verdict, found.ended_by, found.waited.0 / 1_000))
    }
}

const SERVED_AT_11: Verdict = Verdict::FromCache { required: 11 };

#[test]
fn today_nobody_asks_until_somebody_waits() {
    let mut cluster = Cluster::new(Policy::TODAY);
    cluster.pass_to(ms(5_000));
    let fresh = cluster.list(1, OnTimeout::AskEtcd);
    let served = Verdict::FromCache { required: 10 };
    assert_eq!(cluster.outcome(fresh), Some((&served, EndedBy::Nothing, 0)));
    assert!(
        cluster.asked.is_empty(),
        "a cache that is fresh asks nobody"
    );
    cluster.head = 11;
    let stale = cluster.list(1, OnTimeout::AskEtcd);
    assert_eq!(
        cluster.outcome(stale),
        Some((&SERVED_AT_11, EndedBy::Progress, 0))
    );
    cluster.head = 12;
    cluster.pass_to(ms(5_030));
    let next = cluster.list(1, OnTimeout::AskEtcd);
    assert_eq!(cluster.outcome(next), None);
    cluster.pass_to(ms(5_200));
    assert_eq!(cluster.outcome(next).map(|(_, _, waited)| waited), Some(70));
    assert_eq!(cluster.asked_at(), [5_000, 5_100]);
}

#[test]
fn today_it_asks_again_and_again_and_then_lets_etcd_do_it() {
    let mut cluster = Cluster::new(Policy::TODAY);
    cluster.answers_progress = false;
    cluster.pass_to(ms(1_000));
    cluster.head = 11;
    let list = cluster.list(1, OnTimeout::AskEtcd);
    let spared = cluster.list(1, OnTimeout::RefuseFor429);
    cluster.pass_to(ms(3_999));
    assert!(cluster.done.is_empty());
    cluster.pass_to(ms(5_000));
    assert_eq!(
        cluster.outcome(list),
        Some((&Verdict::FromEtcd, EndedBy::Timeout, 3_000))
    );
    let Some((Verdict::Refused(error), ..)) = cluster.outcome(spared) else {
        panic!("the gate spares etcd");
    };
    let text = "Timeout: Too large resource version: 11, current: 10";
    assert_eq!((error.code(), error.to_string().as_str()), (429, text));
    // One request every 100 ms during the wait, the last one at its end or just before.
    let asked = cluster.asked_at();
    assert!((30..=31).contains(&asked.len()), "{asked:?}");
    assert!(asked.windows(2).all(|pair| pair[1] - pair[0] == 100));
}

#[test]
fn an_event_serves_as_well_as_a_notification() {
    let mut cluster = Cluster::new(Policy::TODAY);
    cluster.answers_progress = false;
    cluster.head = 11;
    let list = cluster.list(1, OnTimeout::AskEtcd);
    cluster.pass_to(ms(20));
    cluster.event();
    assert_eq!(
        cluster.outcome(list),
        Some((&SERVED_AT_11, EndedBy::Event, 20))
    );
    cluster.pass_to(ms(1_000));
    assert!(cluster.asked.is_empty(), "nobody waits any more");
}

#[test]
fn etcd_that_does_not_tell_its_revision_fails_the_read() {
    let mut freshness = Freshness::new(Policy::TODAY, ms(0));
    let mut out = Wants::default();
    let spec = ReadSpec {
        target: Target::Current,
        expected_size: 1,
        on_timeout: OnTimeout::AskEtcd,
    };
    let texts = [
        (
            Err("etcdserver: request timed out".into()),
            "etcdserver: request timed out",
        ),
        (Ok(0), "the current resource version must be greater than 0"),
    ];
    for (number, (answer, text)) in (1..).zip(texts) {
        freshness.begin(ms(1), ReadId(number), spec, 10, &mut out);
        freshness.revision(ms(2), CallId(number), answer, 10, &mut out);
        let outcome = out.done.pop().expect("it fails at once");
        let Verdict::Refused(error) = outcome.verdict else {
            panic!("nothing stale is served, and etcd is not asked again");
        };
        assert_eq!((error.code(), error.to_string().as_str()), (500, text));
        assert_eq!(freshness.reads(), 0);
    }
}

#[test]
fn the_draft_asks_every_250_ms_after_the_last_notification() {
    let mut cluster = Cluster::new(Policy::DRAFT);
    cluster.pass_to(ms(1_000));
    assert_eq!(cluster.asked_at(), [250, 500, 750, 1_000]);
    // A notification of etcd's own timer arrives in between, so the next request is postponed.
    cluster.pass_to(ms(1_100));
    cluster.progress(None);
    cluster.pass_to(ms(1_400));
    assert_eq!(cluster.asked_at()[4..], [1_350]);
}

#[test]
fn the_draft_asks_sooner_for_a_list_but_never_twice_in_125_ms() {
    let mut cluster = Cluster::new(Policy::DRAFT);
    cluster.pass_to(ms(260));
    cluster.head = 11;
    let large = cluster.list(150_000, OnTimeout::BySize);
    cluster.pass_to(ms(374));
    assert_eq!(cluster.outcome(large), None);
    cluster.pass_to(ms(375));
    assert_eq!(
        cluster.outcome(large),
        Some((&SERVED_AT_11, EndedBy::Progress, 115))
    );
    assert_eq!(cluster.asked_at(), [250, 375]);
    // More than 125 ms after the last request, a list does not wait.
    cluster.pass_to(ms(510));
    cluster.head = 12;
    let next = cluster.list(150_000, OnTimeout::BySize);
    assert_eq!(cluster.outcome(next).map(|(_, _, waited)| waited), Some(0));
}

#[test]
fn the_draft_lets_small_lists_go_to_etcd_and_large_ones_fail() {
    let mut cluster = Cluster::new(Policy::DRAFT);
    cluster.answers_progress = false;
    cluster.pass_to(ms(300));
    cluster.head = 11;
    let small = cluster.list(30, OnTimeout::BySize);
    let medium = cluster.list(5_050, OnTimeout::BySize);
    let large = cluster.list(150_000, OnTimeout::BySize);
    cluster.pass_to(ms(2_000));
    assert_eq!(
        cluster.outcome(small),
        Some((&Verdict::FromEtcd, EndedBy::Timeout, 10))
    );
    assert_eq!(
        cluster.outcome(medium),
        Some((&Verdict::FromEtcd, EndedBy::Timeout, 255))
    );
    let Some((Verdict::Refused(error), EndedBy::Timeout, 500)) = cluster.outcome(large) else {
        panic!("{:?}", cluster.outcome(large));
    };
    assert_eq!(error.code(), 504);
}

#[test]
fn with_the_timer_alone_a_read_waits_for_the_next_tick() {
    let mut cluster = Cluster::new(Policy::TIMER_ONLY);
    cluster.pass_to(ms(1_010));
    cluster.head = 11;
    let list = cluster.list(1, OnTimeout::AskEtcd);
    cluster.pass_to(ms(1_250));
    cluster.progress(None);
    assert_eq!(
        cluster.outcome(list),
        Some((&SERVED_AT_11, EndedBy::Progress, 240))
    );
    assert!(cluster.asked.is_empty());
}

#[test]
fn an_echoed_id_saves_the_question_for_the_revision() {
    let policy = Policy {
        echo: true,
        ..Policy::TODAY
    };
    let mut cluster = Cluster::new(policy);
    cluster.pass_to(ms(1_000));
    cluster.head = 11;
    let first = cluster.list(1, OnTimeout::AskEtcd);
    assert_eq!(cluster.revision_calls, 0);
    assert_eq!(
        cluster.outcome(first),
        Some((&SERVED_AT_11, EndedBy::Progress, 0))
    );
    // A notification without the ID proves nothing: etcd may have sent it before the read began.
    cluster.pass_to(ms(1_010));
    let second = cluster.list(1, OnTimeout::AskEtcd);
    cluster.progress(None);
    cluster.progress(Some(1));
    assert_eq!(cluster.outcome(second), None);
    cluster.pass_to(ms(1_100));
    assert_eq!(
        cluster.outcome(second).map(|(_, _, waited)| waited),
        Some(90)
    );
    assert_eq!(cluster.asked, [(1_000, Some(1)), (1_100, Some(2))]);
}

#[test]
fn reads_in_a_batch_share_one_question() {
    let policy = Policy {
        batch: Some(SimDuration::from_millis(50)),
        ..Policy::TODAY
    };
    let mut cluster = Cluster::new(policy);
    cluster.pass_to(ms(1_010));
    let reads: Vec<ReadId> = (0..5)
        .map(|_| cluster.list(1, OnTimeout::AskEtcd))
        .collect();
    cluster.pass_to(ms(1_049));
    assert_eq!((cluster.revision_calls, cluster.done.len()), (0, 0));
    cluster.pass_to(ms(1_050));
    assert_eq!(cluster.revision_calls, 1);
    assert!(reads.iter().all(|read| cluster.outcome(*read).is_some()));
    // Without a list, no request is sent.
    cluster.pass_to(ms(2_000));
    assert_eq!(cluster.revision_calls, 1);
}
