//! The facts about etcd QoS: the rules and the classes of the member that the terminal uses.

use crate::qos::metrics::{QosMetrics, QosOutcome};
use crate::qos::{QosClass, QosName, QosRule};

use super::facts::Facts;
use super::record::{Record, one};
use super::value::Value;

/// Returns all rules, in the order in which they are compared with a request.
pub(super) fn rules(facts: &Facts<'_>) -> Value {
    let member = facts.past.world.at_endpoint().qos();
    let rules = member.map_or(&[][..], |qos| qos.state().definitions().rules());
    let rule = |rule: &QosRule| one(Record::QosRule(rule.name));
    Value::List(rules.iter().map(rule).collect())
}

/// Returns the rule with this name, or nothing if there is no such rule.
pub(super) fn rule(facts: &Facts<'_>, name: &str) -> Value {
    let name = QosName::new(name).filter(|name| find_rule(facts, *name).is_some());
    name.map_or(Value::Nothing, |name| one(Record::QosRule(name)))
}

/// Returns the class with this name, or nothing if there is no such class.
pub(super) fn class(facts: &Facts<'_>, name: &str) -> Value {
    let name = QosName::new(name).filter(|name| find_class(facts, *name).is_some());
    name.map_or(Value::Nothing, |name| one(Record::QosClass(name)))
}

fn find_rule<'a>(facts: &'a Facts<'_>, name: QosName) -> Option<&'a QosRule> {
    let qos = facts.past.world.at_endpoint().qos()?.state();
    qos.definitions().rule(name).ok()
}

fn find_class<'a>(facts: &'a Facts<'_>, name: QosName) -> Option<&'a QosClass> {
    let qos = facts.past.world.at_endpoint().qos()?.state();
    qos.definitions().class(name).ok()
}

pub(super) fn rule_field(facts: &Facts<'_>, rule: QosName, name: &str) -> Value {
    let Some(rule) = find_rule(facts, rule) else {
        return Value::Nothing;
    };
    let count = |outcome| {
        let member = facts.past.world.at_endpoint().qos();
        let of_rule = |metrics: &QosMetrics| metrics.of_rule(rule.name, outcome);
        Value::Int(member.map_or(0, |qos| of_rule(qos.state().metrics())) as i64)
    };
    match name {
        "name" => Value::text(rule.name.as_str()),
        "class" => Value::text(rule.class.as_str()),
        "priority" => Value::Int(rule.priority.into()),
        "prefix" => rule
            .prefixes
            .first()
            .map_or(Value::Nothing, |prefix| Value::Text(prefix.clone())),
        "condition" => rule.conditions.first().map_or(Value::Nothing, |condition| {
            Value::text(condition.to_string())
        }),
        "admitted" => count(QosOutcome::Admitted),
        "delayed" => count(QosOutcome::Delayed),
        "limited" => count(QosOutcome::Limited),
        _ => Value::Nothing,
    }
}

pub(super) fn class_field(facts: &Facts<'_>, class: QosName, name: &str) -> Value {
    let (Some(class), Some(member)) = (
        find_class(facts, class),
        facts.past.world.at_endpoint().qos(),
    ) else {
        return Value::Nothing;
    };
    let (level, max) = member.state().level(class, facts.past.world.now());
    match name {
        "kind" => Value::text(class.kind.name()),
        "level" => Value::Int(level),
        "max" => Value::Int(max as i64),
        _ => Value::Nothing,
    }
}
