//! The accuracy of the limits of the proposal etcd QoS, and QoS in a member: timeouts, broken connections, restarts.
//!
//! The bounds follow from the disciplines: a token bucket of `b` tokens with random arrivals is an M/D/1/K queue with K
//! = b, so a bucket of one token serves less than its rate.

use crate::support::session_after;
use watchglass_engine::api::{Profile, RangeRequest, Request, RequestOp, TxnRequest};
use watchglass_engine::base::ids::{Caller, NodeId};
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::{SimDuration, SimTime};
use watchglass_engine::etcd::qos::operations;
use watchglass_engine::latency::accuracy::{Accuracy, AccuracySetting};
use watchglass_engine::qos::limiter::{Admission, Limiter};
use watchglass_engine::qos::metrics::QosOutcome;
use watchglass_engine::qos::{
    Arrival, ClassKind, Decision, Finish, GroupBy, Identity, OpKind, Operation, Qos, QosClass,
    QosName, QosRule,
};
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::SeekTo;

/// The rate of each limit in these tests, in requests per second.
const QPS: u64 = 10;

/// The number of one-second intervals in which the started requests are counted.
const BINS: u64 = 300;

const SECOND: u64 = 1_000_000;

fn tbf(burst: u64) -> ClassKind {
    let (mqps, max_wait) = (QPS * 1_000, SimDuration(0));
    ClassKind::Tbf {
        mqps,
        burst,
        max_wait,
    }
}

fn lbf(queue: u64) -> ClassKind {
    let mqps = QPS * 1_000;
    ClassKind::Lbf { mqps, queue }
}

/// Returns Poisson arrivals for a number of seconds, in microseconds.
fn arrivals(seed: u64, per_second: f64, seconds: u64) -> Vec<u64> {
    let mut rng = Rng::stream(seed, "arrivals");
    let (mut now, mut all) = (0.0, Vec::new());
    loop {
        let uniform = (rng.below(1 << 53) + 1) as f64 / (1_u64 << 53) as f64;
        now -= uniform.ln() / per_second * SECOND as f64;
        if now as u64 >= seconds * SECOND {
            return all;
        }
        all.push(now as u64);
    }
}

/// Returns the arrival and the start of each request that a limiter admits.
fn admitted(kind: ClassKind, arrivals: &[u64]) -> Vec<(u64, u64)> {
    let mut limiter = Limiter::new(SimTime(0), kind);
    let decide = |at: &u64| match limiter.admit(SimTime(*at), 1) {
        Admission::At(start) => Some((*at, start.0)),
        Admission::Refused(_) | Admission::Queued => None,
    };
    arrivals.iter().filter_map(decide).collect()
}

/// Returns the mean and the variance of the starts per second, without the first second.
fn mean_and_variance(admitted: &[(u64, u64)]) -> (f64, f64) {
    let mut bins = vec![0_u32; BINS as usize];
    for (_, start) in admitted {
        if let Some(bin) = bins.get_mut((start / SECOND).wrapping_sub(1) as usize) {
            *bin += 1;
        }
    }
    let mean = f64::from(bins.iter().sum::<u32>()) / BINS as f64;
    let squares = bins.iter().map(|n| (f64::from(*n) - mean).powi(2));
    (mean, squares.sum::<f64>() / BINS as f64)
}

#[test]
fn a_token_bucket_stays_in_its_envelope() {
    for seed in 0..5 {
        let found = admitted(tbf(12), &arrivals(seed, 40.0, 1_000));
        // In any span of time, the number of admitted requests is at most `burst` plus the number of tokens added in
        // the span. The unit is a millionth of a request.
        let (mut low, mut worst) = (0_i64, 0_i64);
        for (n, (at, _)) in found.iter().enumerate() {
            let earned = (*at * QPS) as i64;
            let before = n as i64 * SECOND as i64 - earned;
            low = low.min(before);
            worst = worst.max(before + SECOND as i64 - low);
        }
        assert!(worst <= 12 * SECOND as i64, "{worst}");
        assert!(worst > 11 * SECOND as i64, "the bound is reached: {worst}");
    }
}

#[test]
fn a_leaky_bucket_spaces_its_starts() {
    let found = admitted(lbf(10), &arrivals(1, 40.0, 1_000));
    assert!(found.len() > 9_900);
    for pair in found.windows(2) {
        assert!(pair[1].1 - pair[0].1 >= SECOND / QPS, "{pair:?}");
    }
}

/// A token bucket of `b` tokens and a leaky bucket with a queue of `b - 1` admit the same requests.
#[test]
fn shaping_and_policing_admit_the_same_requests() {
    for burst in [1, 2, 5, 12] {
        let arrivals = arrivals(burst, 15.0, 2_000);
        let at = |found: Vec<(u64, u64)>| -> Vec<u64> { found.iter().map(|f| f.0).collect() };
        let policed = at(admitted(tbf(burst), &arrivals));
        let shaped = at(admitted(lbf(burst - 1), &arrivals));
        assert_eq!(policed, shaped, "burst {burst}");
        assert!(policed.len() < arrivals.len());
    }
}

/// The table of the accuracy: the mean and the variance of the requests per second for each discipline.
#[test]
fn the_achieved_rate_is_accurate() {
    for seed in 0..4 {
        let overload = arrivals(seed, 2.0 * QPS as f64, BINS + 2);
        let (mean, variance) = mean_and_variance(&admitted(tbf(12), &overload));
        let (rate, bound) = (QPS as f64, 12.0 / (QPS * BINS) as f64 + 0.005);
        assert!((mean / rate - 1.0).abs() <= bound, "tbf: {mean}");
        assert!(variance <= 1.5, "tbf: {variance}");

        let (mean, variance) = mean_and_variance(&admitted(lbf(10), &overload));
        assert!(
            (mean - rate).abs() <= 2.0 / BINS as f64 + 0.01,
            "lbf: {mean}"
        );
        assert!(variance <= 0.1, "lbf: {variance}");

        // A bucket of one token serves rho / (1 + rho) of its rate, two thirds at twice the rate.
        let (mean, _) = mean_and_variance(&admitted(tbf(1), &overload));
        assert!((mean / rate - 2.0 / 3.0).abs() < 0.03, "burst 1: {mean}");

        // At half of the rate, almost nothing is refused.
        let idle = arrivals(seed, QPS as f64 / 2.0, BINS + 2);
        let served = admitted(tbf(12), &idle).len();
        assert!(
            served * 100 >= idle.len() * 99,
            "{served} of {}",
            idle.len()
        );
    }
}

/// The Lab's table of accuracy: each mean agrees with queueing theory. With a bucket of 12 tokens or a queue of 11
/// requests, the number of requests per second varies little.
#[test]
fn the_table_of_accuracy_agrees_with_the_theory() {
    for qps in [2, 10] {
        let mut accuracy = Accuracy::new(AccuracySetting { qps, runs: 5 });
        while accuracy.advance(777) {}
        assert_eq!(accuracy.runs_done(), accuracy.runs());
        let rows = accuracy.into_rows();
        assert_eq!(rows.len(), 36);
        for row in &rows {
            assert_ne!(row.is_accurate(), Some(false), "{row:?}");
            assert!(row.mean <= qps as f64 + 12.0 / BINS as f64, "{row:?}");
        }
        let at_twice = |discipline: &str| {
            let twice = rows.iter().filter(|row| row.offered == 2.0 * qps as f64);
            let mut found = twice.filter(|row| row.discipline.starts_with(discipline));
            found.find(|row| row.discipline.contains("12") || row.discipline.contains("queue 11"))
        };
        let bound = 12.0 / (qps * BINS) as f64 + 0.005;
        let tbf = at_twice("tbf").expect("a row");
        assert!(
            tbf.variance <= 1.5 && (tbf.mean / qps as f64 - 1.0).abs() <= bound,
            "{tbf:?}"
        );
        let lbf = at_twice("lbf").expect("a row");
        assert!(lbf.variance <= 0.1, "{lbf:?}");
    }
}

#[test]
fn the_table_does_not_depend_on_the_pieces() {
    let table = |arrivals| {
        let mut accuracy = Accuracy::new(AccuracySetting { qps: 3, runs: 2 });
        while accuracy.advance(arrivals) {}
        accuracy.into_rows()
    };
    assert_eq!(table(100), table(u32::MAX));
}

#[test]
fn a_window_never_contains_more_than_its_limit() {
    let (window, limit) = (SimDuration(10 * SECOND), 50);
    let found = admitted(ClassKind::Window { window, limit }, &arrivals(3, 20.0, 500));
    for from in 0..found.len() {
        if let Some(later) = found.get(from + limit as usize) {
            assert!(later.0 - found[from].0 >= window.0);
        }
    }
    assert!(found.len() > 2_000);
}

/// etcdctl gives up after 5 s. The member immediately refuses a request that could not start within this time.
#[test]
fn a_hopeless_request_is_refused_at_once() {
    let mut session = session_after(
        Profile::V3_6,
        &[
            "set experimental-enable-qos 1",
            "qos class add slow --qdisc-kind lbf --qps 0.1 --queue 5",
            "qos rule add slow --class slow --priority 9 --ops Put",
            "put a 1",
        ],
    );
    let done = session.exec("put a 2");
    assert!(
        done.stderr.contains("rate limited by qos rule slow"),
        "{}",
        done.stderr
    );
    let shown = session.exec("show qos").stdout;
    assert!(
        shown.contains("1 admitted, 0 delayed, 1 limited"),
        "{shown}"
    );
    assert!(shown.contains("1 of 6 requests in the bucket"), "{shown}");
}

/// A client that waits at most 1 s for each response sends this limit with each request. The member refuses a request
/// that could not start within the limit, so no request waits for a client that gave up.
#[test]
fn a_request_does_not_wait_longer_than_its_client() {
    let session = session_after(
        Profile::V3_6,
        &[
            "set experimental-enable-qos 1",
            "qos class add slow --qdisc-kind lbf --qps 4 --queue 50",
            "qos rule add slow --class slow --priority 9 --ops Put --prefix /a/",
            "load writer /a/ --puts=10 --clients=20 --timeout=1s",
            "run 10s",
            "show clients",
        ],
    );
    let qos = session.world().at_endpoint().qos().expect("QoS is on");
    assert!((1..=4).contains(&qos.delayed().count()));
    let metrics = qos.state().metrics();
    let (delayed, limited) = (
        metrics.total(QosOutcome::Delayed),
        metrics.total(QosOutcome::Limited),
    );
    assert!((36..=44).contains(&delayed), "{delayed}");
    assert!(limited > 10, "{limited}");
}

/// When QoS is turned off, the member executes the delayed writes and notifies the watchers of these writes.
#[test]
fn delayed_writes_run_when_qos_is_turned_off() {
    let mut session = session_after(
        Profile::V3_6,
        &[
            "watch /a/ --prefix as w1",
            "set experimental-enable-qos 1",
            "qos class add slow --qdisc-kind lbf --qps 1 --queue 50",
            "qos rule add slow --class slow --priority 9 --ops Put --prefix /a/",
            "load writer /a/ --puts=20",
            "run 1s",
        ],
    );
    let events = |session: &mut Session| {
        let shown = session.exec("recv w1").stdout;
        shown.matches("PUT").count()
    };
    let before = events(&mut session);
    assert_eq!(session.exec("set experimental-enable-qos 0").exit, 0);
    assert_eq!(session.exec("run 1ms").exit, 0);
    let after = events(&mut session);
    assert!(after > before + 5, "{before} {after}");
}

/// For the tracker, a read in a transaction is the same request as this read outside a transaction.
#[test]
fn a_read_in_a_transaction_keeps_its_options() {
    let read = RangeRequest {
        key: "/a/".into(),
        range_end: "/a0".into(),
        limit: 7,
        keys_only: true,
        ..RangeRequest::default()
    };
    let txn = TxnRequest {
        success: vec![RequestOp::Range(read.clone())],
        ..TxnRequest::default()
    };
    let of_txn = operations(&Request::Txn(txn));
    assert_eq!(of_txn, operations(&Request::Range(read)));
}

/// The limiter of a group is dropped while a request of the group runs. The end of this request does not change the
/// count of running requests in the group's next limiter.
#[test]
fn a_dropped_limiter_frees_no_place_in_the_next_one() {
    let name = |text| QosName::new(text).expect("a name");
    let mut qos = Qos::default();
    let kind = ClassKind::MaxInflight { num: 1 };
    let class = QosClass {
        name: name("c"),
        kind,
    };
    qos.add_class(class).expect("a valid class");
    let mut rule = QosRule::new(name("r"), name("c"), 9);
    rule.group_by = GroupBy::User;
    qos.add_rule(rule, false).expect("a valid rule");
    let mut calls = 0;
    let mut arrive = |qos: &mut Qos, user: &str| {
        let caller = Identity {
            user: Some(user.into()),
            ..Identity::default()
        };
        let arrival = Arrival::new("Put", vec![Operation::new(OpKind::Put, None)], caller);
        calls += 1;
        let caller = Caller {
            node: NodeId::Etcdctl,
            call: calls,
        };
        let decision = qos.arrive(SimTime(0), caller, arrival);
        (caller, matches!(decision, Decision::Admitted { .. }))
    };
    let (first, _) = arrive(&mut qos, "alice");
    for other in 0..4_096 {
        assert!(arrive(&mut qos, &other.to_string()).1);
    }
    let (second, is_admitted) = arrive(&mut qos, "alice");
    assert!(is_admitted, "a new limiter");
    qos.finish(SimTime(0), first, Finish::default());
    assert!(!arrive(&mut qos, "alice").1, "the second request runs");
    qos.finish(SimTime(0), second, Finish::default());
    assert!(arrive(&mut qos, "alice").1);
}

/// If a client's connection breaks, etcd drops the delayed requests of this client.
#[test]
fn delayed_requests_end_with_their_connection() {
    let mut session = session_after(
        Profile::V3_6,
        &[
            "set experimental-enable-qos 1",
            "qos class add slow --qdisc-kind lbf --qps 1 --queue 50",
            "qos rule add slow --class slow --priority 9 --ops Put --prefix /a/",
            "load writer /a/ --puts=20",
            "run 2s",
        ],
    );
    let delayed = |session: &Session| {
        let qos = session.world().at_endpoint().qos();
        qos.map_or(0, |qos| qos.delayed().count())
    };
    assert!(delayed(&session) > 20);
    let revision = session.world().at_endpoint().store().current_rev();
    assert_eq!(session.exec("disconnect writer-1").exit, 0);
    assert_eq!(delayed(&session), 0);
    assert_eq!(session.exec("run 10s").exit, 0);
    let store = session.world().at_endpoint().store();
    assert_eq!(store.current_rev(), revision, "nothing runs later");
}

/// A rule can select retries only: the member discards requests that the client sends again, but not first attempts.
#[test]
fn a_rule_can_select_retries() {
    let session = session_after(
        Profile::V3_6,
        &[
            "set experimental-enable-qos 1",
            "qos class add few --qdisc-kind tbf --qps 0.001 --burst 3",
            "qos class add none --qdisc-kind discard",
            "qos rule add first --class few --priority 9 --ops Put --prefix /a/",
            "qos rule add again --class none --priority 10 --prefix /a/ --ops Put --retry 1",
            "load writer /a/ --puts=10 --timeout=1s",
            "run 10s",
        ],
    );
    let qos = session.world().at_endpoint().qos().expect("QoS is on");
    let count = |name: &str, outcome| {
        let name = QosName::new(name).expect("a name");
        qos.state().metrics().of_rule(name, outcome)
    };
    assert_eq!(count("first", QosOutcome::Admitted), 3);
    assert_eq!(count("first", QosOutcome::Limited), 1);
    assert!(count("again", QosOutcome::Limited) > 1);
}

#[test]
fn a_run_with_limits_can_be_replayed() {
    let session = session_after(
        Profile::V3_6,
        &[
            "set experimental-enable-qos 1",
            "qos class add c --qdisc-kind tbf --qps 20 --burst 5 --max-wait 500ms",
            "qos rule add r --class c --priority 9 --ops Put --group-by key:2",
            "load writer /a/ --puts=100 --clients=3",
            "run 1s",
            "qos rule update r --class c --priority 9 --ops Put --group-by ip",
            "run 1s",
            "stop etcd",
            "start etcd",
            "run 1s",
            "qos rule del r",
            "run 1s",
        ],
    );
    let digest = session.world().digest();
    assert_eq!(session.run().replayed().digest(), digest);
}

/// Without rules, a member with QoS reaches the same state of the store as a member without QoS, and counts no
/// requests.
#[test]
fn without_rules_nothing_is_recorded() {
    let mut session = session_after(
        Profile::V3_6,
        &[
            "set experimental-enable-qos 1",
            "qos rule del rule-slowlog",
            "put a 1",
        ],
    );
    let qos = session.world().at_endpoint().qos().expect("QoS is on");
    assert!(qos.state().is_idle());
    assert_eq!(qos.state().metrics().bypassed, 0);
    assert_eq!(session.exec("get a").exit, 0);
    let off = session_after(Profile::V3_6, &["put a 1"]);
    assert!(off.world().at_endpoint().qos().is_none());
}

/// A class of the kind `prio` starts waiting requests in the order of the priorities of their rules. In this test,
/// logins of important clients start before other waiting logins.
#[test]
fn waiting_requests_start_in_the_order_of_priority() {
    let session = session_after(
        Profile::V3_6,
        &[
            "set experimental-enable-qos 1",
            "cost kep-2340",
            "set auth 1",
            "qos class add logins --qdisc-kind prio --num 1 --queue 20",
            "qos rule add low --class logins --priority 5 --ops Authenticate",
            "qos rule add high --class logins --priority 50 --ops Authenticate --user admin",
            "load many /a/ --logins=40 --user=guest",
            "load admin /a/ --logins=2 --user=admin",
            "run 10s",
        ],
    );
    let qos = session.world().at_endpoint().qos().expect("QoS is on");
    let count = |name: &str, outcome| {
        let name = QosName::new(name).expect("a name");
        qos.state().metrics().of_rule(name, outcome)
    };
    assert!(count("low", QosOutcome::Delayed) > 50);
    assert!(count("high", QosOutcome::Delayed) > 5);
    let rows = || qos.state().monitor().rows().filter(|row| !row.is_limited);
    let waits = |user: &str| -> Vec<u64> {
        let of_user = rows().filter(|row| row.caller.user.as_deref() == Some(user));
        of_user.map(|row| row.wait.0).collect()
    };
    let (low, high) = (waits("guest"), waits("admin"));
    let longest = high.iter().max().expect("a login of the admin");
    assert!(
        *longest <= 2 * 40_000 + 1_000,
        "at most the running login: {longest}"
    );
    assert!(low.iter().max().expect("a login") > &(5 * longest));
    let digest = session.world().digest();
    assert_eq!(session.run().replayed().digest(), digest);
}

/// 100 rules, 1,000 accounting groups, and seeks backwards: every request is counted once, and replayed steps have the
/// same digests.
#[test]
fn a_run_with_100_rules_and_1000_groups_can_be_replayed() {
    let mut session = session_after(
        Profile::V3_6,
        &[
            "set experimental-enable-qos 1",
            "qos class add c --qdisc-kind tbf --qps 1 --burst 1",
            "for i in {1..98}; do qos rule add r$i --class c --priority $i --ops Put --prefix /p$i/; done",
            "qos rule add groups --class c --priority 99 --ops Put --prefix /a/ --group-by key:2",
            "load groups /a/ --puts=400 --keys=1000",
            "load other /p98/ --puts=100",
            "load none /b/ --puts=100",
            "run 4s",
        ],
    );
    let head = session.world().digest();
    let steps = session.world().steps();
    let check = |session: &Session| {
        let qos = session.world().at_endpoint().qos().expect("QoS is on");
        let metrics = qos.state().metrics();
        let decided = metrics.total(QosOutcome::Admitted) + metrics.total(QosOutcome::Limited);
        let groups = qos.state().groups(name("c"), session.world().now()).len();
        (metrics.bypassed + decided, groups)
    };
    let (decided, groups) = check(&session);
    assert_eq!(
        session
            .world()
            .at_endpoint()
            .qos()
            .map_or(0, |q| q.state().definitions().rules().len()),
        100
    );
    assert!(groups >= 1_000, "{groups}");
    let clients = session.exec("show clients").stdout;
    let requests = clients
        .split(" requests")
        .filter_map(|part| part.rsplit(", ").next()?.parse::<u64>().ok());
    let sent: u64 = requests.sum();
    // The newest requests are still in flight.
    assert!(
        decided <= sent && sent - decided <= 3,
        "{decided} of {sent}"
    );
    let mut found = Vec::new();
    for step in [steps / 2, steps / 3, steps - 1, steps / 2, 7] {
        session.seek(SeekTo::Step(step));
        found.push((session.world().digest(), check(&session)));
    }
    assert_eq!(found[0], found[3]);
    assert!(found[1].1.0 < found[0].1.0 && found[0].1.0 < decided);
    session.seek(SeekTo::End);
    assert_eq!(
        (session.world().digest(), check(&session)),
        (head, (decided, groups))
    );
    assert_eq!(session.run().replayed().digest(), head);
}

fn name(text: &str) -> QosName {
    QosName::new(text).expect("a valid name")
}
