//! Reads the `qos` commands of the QoS proposal.
//!
//! The proposal spells its flags and constants in several ways; all of its spellings are accepted, so that its examples
//! work as written. An update replaces the whole definition.

use super::Stop;
use super::flags::Parsed;
use super::operation::{EXIT_BAD_ARGS, EXIT_ERROR};
use crate::api::QosRequest;
use crate::base::Bytes;
use crate::base::bytes::escape;
use crate::base::time::SimDuration;
use crate::qos::condition::{MILLION, parse_millionths};
use crate::qos::method::{SERVICES, methods, parse_method, parse_service};
use crate::qos::monitor::{LIMIT_MAX, MonitorQuery, MonitorType};
use crate::qos::{
    AddressRange, ClassKind, ConditionKind, Cost, GroupBy, OpKind, QosClass, QosCondition, QosName,
    QosRule, QosSubject,
};
use crate::shell::names::name;
use crate::shell::{Output, Verb};
use crate::transcript::for_loop::Arg;

type Parse<T> = Result<T, Output>;

/// Reads a `qos` command. `name` is its full name, such as `qos rule add`.
pub(in crate::shell) fn read(name: &str, parsed: &Parsed) -> Parse<Verb> {
    let words: Vec<&str> = name.split(' ').collect();
    let request = match words.as_slice() {
        [_, "class", "add"] => QosRequest::AddClass(class(parsed)?),
        [_, "class", "update"] => QosRequest::UpdateClass(class(parsed)?),
        [_, "class", "del"] => QosRequest::DeleteClass(the_name(parsed)?),
        [_, "class", "get"] => QosRequest::GetClasses(Some(the_name(parsed)?)),
        [_, "class", _] => QosRequest::GetClasses(None),
        [_, "rule", "add"] => QosRequest::AddRule {
            rule: rule(parsed)?.into(),
            strict: parsed.on("strict"),
        },
        [_, "rule", "update"] => QosRequest::UpdateRule {
            rule: rule(parsed)?.into(),
            strict: parsed.on("strict"),
        },
        [_, "rule", "del"] => QosRequest::DeleteRule(the_name(parsed)?),
        [_, "rule", "get"] => QosRequest::GetRules(Some(the_name(parsed)?)),
        [_, "rule", _] => QosRequest::GetRules(None),
        _ => QosRequest::Doctor {
            apply: parsed.on("apply"),
        },
    };
    Ok(Verb::Qos(request))
}

fn bad(text: &str) -> Output {
    Output::error(text, EXIT_BAD_ARGS)
}

fn name_of(text: &[u8]) -> Parse<QosName> {
    let name = std::str::from_utf8(text).ok().and_then(QosName::new);
    name.ok_or_else(|| bad("a QoS name has 1 to 32 visible ASCII characters"))
}

fn the_name(parsed: &Parsed) -> Parse<QosName> {
    match parsed.args.as_slice() {
        [name] => name_of(name),
        _ => Err(bad("qos command needs a name as its argument")),
    }
}

fn text(parsed: &Parsed, flag: &str) -> Option<String> {
    parsed
        .text(flag)
        .map(escape)
        .filter(|text| !text.is_empty())
}

fn count(parsed: &Parsed, flag: &str) -> u64 {
    u64::try_from(parsed.int(flag)).unwrap_or(0)
}

fn duration(parsed: &Parsed, flag: &str) -> SimDuration {
    let text = text(parsed, flag);
    text.and_then(|text| SimDuration::parse(&text))
        .unwrap_or(SimDuration(0))
}

fn class(parsed: &Parsed) -> Parse<QosClass> {
    let name = the_name(parsed)?;
    let rate = || {
        let text = text(parsed, "qps").unwrap_or_default();
        let millionths = parse_millionths(&text).filter(|rate| *rate >= 0);
        let millionths =
            millionths.ok_or_else(|| bad("--qps needs a number of requests per second"))?;
        Ok(millionths as u64 / 1_000)
    };
    let queue = || match parsed.has("queue") {
        true => count(parsed, "queue"),
        false => 2,
    };
    let kind = match text(parsed, "qdisc-kind").as_deref() {
        Some("tbf") => ClassKind::Tbf {
            mqps: rate()?,
            burst: count(parsed, "burst"),
            max_wait: duration(parsed, "max-wait"),
        },
        Some("lbf") => ClassKind::Lbf {
            mqps: rate()?,
            queue: queue(),
        },
        Some("maxinflight") => ClassKind::MaxInflight {
            num: count(parsed, "num"),
        },
        Some("window") => ClassKind::Window {
            window: duration(parsed, "window"),
            limit: count(parsed, "limit"),
        },
        Some("prio") => ClassKind::Prio {
            num: count(parsed, "num"),
            queue: queue(),
        },
        Some("discard") => ClassKind::Discard,
        _ => {
            return Err(bad(
                "--qdisc-kind must be tbf, lbf, maxinflight, window, prio or discard",
            ));
        }
    };
    Ok(QosClass { name, kind })
}

fn rule(parsed: &Parsed) -> Parse<QosRule> {
    let name = the_name(parsed)?;
    let class = parsed.text("class").or(parsed.text("qclassName"));
    let class = class.ok_or_else(|| bad("--class needs the name of a class"))?;
    let priority = u32::try_from(parsed.int("priority")).unwrap_or(0);
    let mut rule = QosRule::new(name, name_of(class)?, priority);
    for op in listed(parsed, &["ops"]) {
        match OpKind::parse(&op) {
            None => {
                let text = format!(
                    "unknown operation {op}: use Range, Put, DeleteRange, Authenticate or Watch"
                );
                return Err(bad(&text));
            }
            Some(kind) => rule.ops.push(kind),
        }
    }
    for service in listed(parsed, &["service"]) {
        let methods = parse_service(&service).ok_or_else(|| {
            let names: Vec<&str> = SERVICES.iter().map(|(name, _)| *name).collect();
            bad(&format!(
                "unknown service {service}: use {}",
                names.join(", ")
            ))
        })?;
        rule.methods.extend(methods);
    }
    for method in listed(parsed, &["method"]) {
        let known = parse_method(&method).ok_or_else(|| {
            let names: Vec<&str> = methods().collect();
            bad(&format!(
                "unknown method {method}: use {}",
                names.join(", ")
            ))
        })?;
        rule.methods.push(known);
    }
    let prefixes = ["prefix", "prefixPaths"].map(|flag| parsed.list(flag));
    rule.prefixes = prefixes.into_iter().flatten().map(Bytes::from).collect();
    let users = listed(parsed, &["user"]);
    let addresses = listed(parsed, &["client-ip"]);
    let addresses: Option<Vec<AddressRange>> = addresses
        .iter()
        .map(|text| AddressRange::parse(text))
        .collect();
    let addresses = addresses
        .ok_or_else(|| bad("--client-ip needs an address such as 10.0.0.7 or 10.0.0.0/8"))?;
    let with = |user: Option<&String>, addresses| QosSubject {
        user: user.map(|user| user.as_str().into()),
        addresses,
    };
    // Both flags together select these users at these addresses.
    rule.subjects = match (users.as_slice(), addresses.as_slice()) {
        ([], addresses) => addresses.iter().map(|a| with(None, Some(*a))).collect(),
        (users, []) => users.iter().map(|user| with(Some(user), None)).collect(),
        (users, addresses) => {
            let pairs = users
                .iter()
                .flat_map(|user| addresses.iter().map(move |a| (user, a)));
            pairs.map(|(user, a)| with(Some(user), Some(*a))).collect()
        }
    };
    rule.conditions = conditions(parsed)?;
    rule.min_retry = u32::try_from(parsed.int("retry")).unwrap_or(0);
    if let Some(text) = text(parsed, "group-by") {
        let group = GroupBy::parse(&text);
        rule.group_by = group.ok_or_else(|| bad("--group-by must be user, ip or key:N"))?;
    }
    if let Some(text) = text(parsed, "cost") {
        let cost = Cost::parse(&text);
        rule.cost = cost.ok_or_else(|| {
            bad("--cost must be 1, failed, scan_keys, req_bytes, traffic, resp_bytes, wall_ms or cpu_ms")
        })?;
    }
    Ok(rule)
}

/// Returns the elements of the lists of flags, as text.
fn listed(parsed: &Parsed, flags: &[&'static str]) -> Vec<String> {
    let elements = flags.iter().flat_map(|flag| parsed.list(flag));
    elements
        .map(|element| escape(&element).trim().to_owned())
        .filter(|element| !element.is_empty())
        .collect()
}

fn conditions(parsed: &Parsed) -> Parse<Vec<QosCondition>> {
    let mut conditions = Vec::new();
    for text in listed(parsed, &["condition"]) {
        let Some((kind, threshold)) = text.split_once('>') else {
            return Err(bad(
                "--condition needs a kind and a threshold, such as 'ScanKeyNum>1000'",
            ));
        };
        conditions.push(condition(kind.trim(), threshold.trim())?);
    }
    match (
        text(parsed, "condition-kind"),
        text(parsed, "condition-threshold"),
    ) {
        (Some(kind), Some(threshold)) => conditions.push(condition(&kind, &threshold)?),
        (None, None) => {}
        _ => {
            return Err(bad(
                "use --condition-kind and --condition-threshold together",
            ));
        }
    }
    Ok(conditions)
}

fn condition(kind: &str, threshold: &str) -> Parse<QosCondition> {
    let Some(kind) = ConditionKind::parse(kind) else {
        let names: Vec<&str> = ConditionKind::ALL.iter().map(|kind| kind.name()).collect();
        let text = format!("unknown condition kind {kind}: use {}", names.join(", "));
        return Err(bad(&text));
    };
    let Some(millionths) = parse_millionths(threshold) else {
        return Err(bad(&format!(
            "{threshold} is not a threshold: use a number such as 1000 or 0.9"
        )));
    };
    let is_percent = kind == ConditionKind::PercentOfStorageQuotaUsed;
    if is_percent && millionths >= MILLION && !threshold.ends_with('%') {
        let text =
            format!("a fraction is at most 1, so {threshold} is never exceeded: write 0.9 or 90%");
        return Err(Output::error(&text, EXIT_ERROR));
    }
    Ok(QosCondition {
        kind,
        threshold: millionths,
    })
}

/// Reads the name and the flags of `qos monitor [as NAME]`.
pub(in crate::shell) fn monitor(
    parsed: &Parsed,
    span: (usize, usize),
) -> Result<(Option<String>, MonitorQuery), Stop> {
    let name = match parsed.args.as_slice() {
        [] => None,
        [word, given] if word == b"as" => {
            let given = Arg {
                bytes: given.clone(),
                span,
                quoted: false,
            };
            Some(name(&given).map_err(Stop::Unreadable)?)
        }
        _ => return Err(bad("qos monitor command accepts no argument except `as NAME`").into()),
    };
    Ok((name, query(parsed)?))
}

fn query(parsed: &Parsed) -> Parse<MonitorQuery> {
    let kind = text(parsed, "type").unwrap_or_else(|| "scanKeyNum".into());
    let kind = MonitorType::parse(&kind);
    let kind = kind.ok_or_else(|| bad("--type must be scanKeyNum, latency or traffic"))?;
    let threshold = text(parsed, "threshold").unwrap_or_else(|| "0".into());
    let threshold = match kind {
        MonitorType::Latency => SimDuration::parse(&threshold).map(|span| span.0),
        _ => threshold.parse().ok(),
    };
    let threshold =
        threshold.ok_or_else(|| bad("--threshold needs a number, or a duration such as 10ms"))?;
    let limit = match parsed.has("limit") {
        true => count(parsed, "limit"),
        false => LIMIT_MAX,
    };
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(bad("--limit must be between 1 and 100"));
    }
    Ok(MonitorQuery {
        kind,
        threshold,
        limit,
    })
}
