//! The limits of the proposal etcd QoS, compared with cases that were written by hand (`data/qos_vectors.json`).

use std::collections::BTreeMap;

use crate::support::{int, list, load, text};
use serde_json::Value;
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::base::ids::{Caller, NodeId};
use watchglass_engine::base::time::{SimDuration, SimTime};
use watchglass_engine::qos::condition::parse_millionths;
use watchglass_engine::qos::gap::exceeds_request_limit;
use watchglass_engine::qos::metrics::QosOutcome;
use watchglass_engine::qos::overlap::overlaps;
use watchglass_engine::qos::{
    AddressRange, Arrival, ClassKind, ConditionKind, Cost, Decision, Estimator, Finish, GroupBy,
    Identity, OpKind, Operation, Qos, QosClass, QosCondition, QosError, QosName, QosRule,
    QosSubject,
};

fn name(text: &str) -> QosName {
    QosName::new(text).expect("a valid name")
}

fn class(v: &Value) -> QosClass {
    let number = |field: &str| v.get(field).map_or(0, int) as u64;
    let kind = match text(&v["kind"]) {
        "tbf" => ClassKind::Tbf {
            mqps: number("mqps"),
            burst: number("burst"),
            max_wait: SimDuration(number("max_wait_us")),
        },
        "lbf" => ClassKind::Lbf {
            mqps: number("mqps"),
            queue: number("queue"),
        },
        "maxinflight" => ClassKind::MaxInflight { num: number("num") },
        "window" => ClassKind::Window {
            window: SimDuration(number("window_us")),
            limit: number("limit"),
        },
        other => panic!("unknown kind {other}"),
    };
    QosClass {
        name: name(text(&v["name"])),
        kind,
    }
}

fn items<'a>(v: &'a Value, field: &str) -> &'a [Value] {
    v.get(field)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Reads a rule, or returns the code of the first name that the parser refuses.
fn rule(v: &Value) -> Result<QosRule, String> {
    let priority = u32::try_from(int(&v["priority"])).unwrap_or(0);
    let mut rule = QosRule::new(name(text(&v["name"])), name(text(&v["class"])), priority);
    for subject in items(v, "subjects") {
        let string = |field: &str| subject.get(field).and_then(Value::as_str);
        rule.subjects.push(QosSubject {
            user: string("user").map(Into::into),
            addresses: string("ip").map(|ip| AddressRange::parse(ip).expect("an address")),
        });
    }
    rule.prefixes = items(v, "prefixes")
        .iter()
        .map(|p| text(p).into())
        .collect();
    for op in items(v, "ops") {
        let kind = OpKind::parse(text(op)).ok_or(format!("unknown-op:{}", text(op)))?;
        rule.ops.push(kind);
    }
    for condition in items(v, "conditions") {
        let kind = text(&condition["kind"]);
        let threshold = parse_millionths(&condition["threshold"].to_string());
        rule.conditions.push(QosCondition {
            kind: ConditionKind::parse(kind).ok_or(format!("unknown-condition:{kind}"))?,
            threshold: threshold.expect("a decimal number"),
        });
    }
    rule.cost = v.get("cost").map_or(Cost::Requests, |cost| {
        Cost::parse(text(cost)).expect("a cost")
    });
    rule.group_by = v.get("group_by").map_or(GroupBy::Rule, |group| {
        GroupBy::parse(text(group)).expect("a group")
    });
    Ok(rule)
}

fn operation(v: &Value) -> Option<Operation> {
    let kind = OpKind::parse(text(&v["op"]))?;
    let end = v.get("end").map_or("", text);
    let keys = KeyRange::new(&text(&v["key"]).into(), &end.into());
    Some(Operation::new(kind, Some(keys)))
}

fn operations(v: &Value) -> Vec<Operation> {
    if text(&v["op"]) != "Txn" {
        return operation(v).into_iter().collect();
    }
    let both = items(v, "success").iter().chain(items(v, "failure"));
    both.filter_map(operation).collect()
}

/// Runs the events of a scenario in the order that the data file describes, and records the outcome of each request.
struct Runner {
    qos: Qos,
    committed: u64,
    applied: u64,
    gives_priority: bool,
    /// The times at which running requests end.
    ends: BTreeMap<(u64, u64), u64>,
    outcomes: BTreeMap<String, Value>,
    calls: u64,
    too_many: u64,
}

impl Runner {
    fn new(scenario: &Value) -> Self {
        let config = &scenario["config"];
        let mut qos = Qos::default();
        for v in list(config, "classes") {
            qos.add_class(class(v)).expect("a valid class");
        }
        for v in list(config, "rules") {
            qos.add_rule(rule(v).expect("known names"), false)
                .expect("a valid rule");
        }
        if config.get("estimator").and_then(Value::as_str) == Some("lru") {
            qos.set_estimator(Estimator::Lru);
        }
        if let Some(size) = config.get("lru_size") {
            qos.resize_tracker(int(size) as u64);
        }
        let mut runner = Self {
            qos,
            committed: 0,
            applied: 0,
            gives_priority: config["priority_lease_revoke"].as_bool() == Some(true),
            ends: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            calls: 0,
            too_many: 0,
        };
        runner.set(&scenario["state"]);
        runner
    }

    fn set(&mut self, state: &Value) {
        for (field, value) in state.as_object().into_iter().flatten() {
            match field.as_str() {
                "committed" => self.committed = int(value) as u64,
                "applied" => self.applied = int(value) as u64,
                other => panic!("unknown state {other}"),
            }
        }
    }

    fn run(&mut self, events: &[Value]) {
        let is_request = |event: &&Value| text(&event["type"]) == "req";
        let mut order: Vec<&Value> = events.iter().collect();
        order.sort_by_key(|event| (int(&event["t"]), is_request(event)));
        for event in order {
            let now = int(&event["t"]) as u64;
            // At the same moment, changes come first, then ends, then requests.
            self.end_until(now + u64::from(is_request(&event)));
            let now = SimTime(now);
            match text(&event["type"]) {
                "req" => self.request(now, event),
                "state" => self.set(&event["set"]),
                "class_update" => {
                    let class = class(&event["class"]);
                    self.qos.update_class(now, class).expect("a valid class");
                }
                "rule_del" => {
                    let name = name(text(&event["name"]));
                    self.qos.delete_rule(name).expect("a rule that exists");
                }
                other => panic!("unknown event {other}"),
            }
        }
    }

    fn end_until(&mut self, before: u64) {
        while let Some((&(at, call), _)) = self.ends.range(..(before, 0)).next() {
            self.ends.remove(&(at, call));
            let finish = Finish::default();
            self.qos.finish(SimTime(at), caller(call), finish);
        }
    }

    fn request(&mut self, now: SimTime, event: &Value) {
        let request = &event["req"];
        self.calls += 1;
        let call = self.calls;
        let string = |field: &str| request.get(field).and_then(Value::as_str);
        let address = string("ip").map_or(Identity::LOOPBACK, |ip| {
            AddressRange::parse(ip).expect("an address").first
        });
        let identity = Identity {
            user: string("user").map(Into::into),
            address,
        };
        let operations = operations(request);
        let method = match text(&request["op"]) {
            "Txn" => "Txn",
            _ => operations.first().map_or("", |op| op.kind.name()),
        };
        let mut arrival = Arrival::new(method, operations, identity);
        arrival.scan = request.get("scan_keys").map_or(0, int) as u64;
        let decision = self.qos.arrive(now, caller(call), arrival);
        let (outcome, start, rule) = match decision {
            Decision::Bypass => ("bypass", now, None),
            Decision::Admitted { rule } => ("admitted", now, Some(rule)),
            Decision::Delayed { rule, until } => ("delayed", until, Some(rule)),
            Decision::Queued { rule } => ("queued", now, Some(rule)),
            Decision::Limited { rule, .. } => ("limited", now, Some(rule)),
        };
        let mut result = serde_json::json!({ "id": event["id"], "outcome": outcome });
        if let Some(rule) = rule {
            result["rule"] = rule.as_str().into();
        }
        let service = request.get("svc_us").map_or(0, int) as u64;
        let is_proposal = !matches!(text(&request["op"]), "Range" | "Watch");
        let is_prior = self.gives_priority && text(&request["op"]) == "LeaseRevoke";
        if outcome == "limited" {
            result["error"] = "ErrLimitRequest".into();
        } else if is_proposal && exceeds_request_limit(self.committed, self.applied, is_prior) {
            self.too_many += 1;
            self.qos.cancel(now, caller(call));
            result["outcome"] = "too_many_requests".into();
            result["error"] = "ErrTooManyRequests".into();
        } else {
            let finish = start.0 + service;
            result["start"] = start.0.into();
            result["finish"] = finish.into();
            self.ends.insert((finish, call), call);
        }
        self.outcomes.insert(text(&event["id"]).to_owned(), result);
    }
}

fn caller(call: u64) -> Caller {
    Caller {
        node: NodeId::Etcdctl,
        call,
    }
}

#[test]
fn scenarios() {
    let file = load("qos_vectors.json");
    let mut checked = 0;
    for scenario in list(&file, "scenarios") {
        let mut runner = Runner::new(scenario);
        runner.run(list(scenario, "events"));
        for expected in list(scenario, "expect") {
            let found = &runner.outcomes[text(&expected["id"])];
            assert_eq!(found, expected, "{}", scenario["id"]);
            checked += 1;
        }
        let metrics = runner.qos.metrics();
        let of = |rule: &str, outcome| metrics.of_rule(name(rule), outcome);
        for (key, count) in scenario["expect_metrics"].as_object().into_iter().flatten() {
            let found = match key.split_once('/') {
                Some(("admitted", rule)) => of(rule, QosOutcome::Admitted),
                Some(("limited", rule)) => of(rule, QosOutcome::Limited),
                None if key == "bypass" => metrics.bypassed,
                _ => panic!("unknown metric {key}"),
            };
            assert_eq!(found, int(count) as u64, "{} {key}", scenario["id"]);
        }
        // Every arrival has exactly one outcome.
        let decided = [
            QosOutcome::Admitted,
            QosOutcome::Delayed,
            QosOutcome::Limited,
        ];
        let decided = decided.map(|outcome| metrics.total(outcome));
        let sum = metrics.bypassed + decided.iter().sum::<u64>();
        assert_eq!(sum, runner.calls, "{}", scenario["id"]);
    }
    assert_eq!(checked, 122);
}

#[test]
fn overlaps_of_ranges() {
    let file = load("qos_vectors.json");
    for case in list(&file, "overlap_cases") {
        let ends = &case["rule_range"];
        let range = KeyRange::new(&text(&ends[0]).into(), &text(&ends[1]).into());
        let of_request = list(case, "request").iter().filter_map(operation);
        let matches = of_request
            .filter_map(|op| op.keys)
            .any(|keys| overlaps(&keys, &range));
        assert_eq!(Some(matches), case["match"].as_bool(), "{case}");
    }
    assert_eq!(list(&file, "overlap_cases").len(), 6);
}

/// Returns the errors and the warnings about a rule, by the names that the data file uses for them.
fn verdict(case: &Value) -> (Vec<String>, Vec<String>) {
    let mut qos = Qos::default();
    for class in list(case, "classes") {
        let kind = ClassKind::MaxInflight { num: 1 };
        let name = name(text(class));
        qos.add_class(QosClass { name, kind }).expect("a class");
    }
    for existing in list(case, "existing") {
        let existing = rule(existing).expect("known names");
        qos.add_rule(existing, false).expect("a valid rule");
    }
    let rule = match rule(&case["rule"]) {
        Ok(rule) => rule,
        Err(code) => return (vec![code], Vec::new()),
    };
    let strict = case["strict"].as_bool() == Some(true);
    match qos.definitions().check_rule(&rule, strict) {
        Ok(warnings) => (Vec::new(), warnings.iter().map(warning_code).collect()),
        Err(error) => (vec![error_code(error)], Vec::new()),
    }
}

fn error_code(error: QosError) -> String {
    match error {
        QosError::Overlap(rule) => format!("same-priority-overlap:{rule}"),
        QosError::TxnOverlap(rule) => format!("same-priority-txn-overlap:{rule}"),
        QosError::PriorityRange => "priority-range".into(),
        other => other.to_string(),
    }
}

fn warning_code(warning: &watchglass_engine::qos::error::QosWarning) -> String {
    use watchglass_engine::qos::error::QosWarning;
    match warning {
        QosWarning::PrefixWithoutSlash(prefix) => format!("prefix-without-leading-slash:{prefix}"),
        QosWarning::ScanWithoutRange => "scan-condition-without-range".into(),
        other => other.to_string(),
    }
}

#[test]
fn checks_of_rules() {
    let file = load("qos_vectors.json");
    let texts = |v: &Value| -> Vec<String> {
        let all = v.as_array().expect("a list").iter();
        all.map(|v| text(v).to_owned()).collect()
    };
    for case in list(&file, "validation_cases") {
        let (errors, warnings) = verdict(case);
        assert_eq!(errors, texts(&case["errors"]), "{case}");
        assert_eq!(warnings, texts(&case["warnings"]), "{case}");
    }
    assert_eq!(list(&file, "validation_cases").len(), 9);
}
