//! The methods of etcd's services, by which a rule can select requests (generalised rule).
//!
//! The basic rule of the proposal selects operations, not methods: a put in a transaction is a put. A method selects
//! requests that have no operation, such as a compaction.

use super::operation::OpKind;

/// etcd's services and their methods (`api/etcdserverpb/rpc.proto`). No rule selects the QoS API itself, because a
/// member that refuses its requests could not delete the rule.
pub const SERVICES: [(&str, &[&str]); 6] = [
    (
        "KV",
        &[
            "Range",
            "RangeStream",
            "Put",
            "DeleteRange",
            "Txn",
            "Compact",
        ],
    ),
    ("Watch", &["Watch"]),
    (
        "Lease",
        &[
            "LeaseGrant",
            "LeaseRevoke",
            "LeaseKeepAlive",
            "LeaseTimeToLive",
            "LeaseLeases",
        ],
    ),
    (
        "Cluster",
        &[
            "MemberAdd",
            "MemberRemove",
            "MemberUpdate",
            "MemberList",
            "MemberPromote",
        ],
    ),
    (
        "Maintenance",
        &[
            "Alarm",
            "Status",
            "Defragment",
            "HashKV",
            "Snapshot",
            "MoveLeader",
        ],
    ),
    (
        "Auth",
        &[
            "AuthEnable",
            "AuthDisable",
            "AuthStatus",
            "Authenticate",
            "UserAdd",
            "UserGet",
            "UserList",
            "UserDelete",
            "UserChangePassword",
            "UserGrantRole",
            "UserRevokeRole",
            "RoleAdd",
            "RoleGet",
            "RoleList",
            "RoleDelete",
            "RoleGrantPermission",
            "RoleRevokePermission",
        ],
    ),
];

pub fn methods() -> impl Iterator<Item = &'static str> {
    SERVICES
        .iter()
        .flat_map(|(_, methods)| methods.iter().copied())
}

pub fn parse_method(text: &str) -> Option<&'static str> {
    methods().find(|method| *method == text)
}

pub fn parse_service(text: &str) -> Option<&'static [&'static str]> {
    let service = SERVICES.iter().find(|(name, _)| *name == text);
    service.map(|(_, methods)| *methods)
}

/// Returns the kinds of operations that a request of this method can have.
pub fn kinds_of(method: &str) -> &'static [OpKind] {
    match method {
        "RangeStream" => &[OpKind::Range],
        "Txn" => &[OpKind::Range, OpKind::Put, OpKind::DeleteRange],
        _ => {
            let kind = OpKind::ALL.iter().position(|kind| kind.name() == method);
            kind.map_or(&[], |at| &OpKind::ALL[at..=at])
        }
    }
}

/// Formats methods as the flags that select them.
pub fn flags(selected: &[&'static str]) -> String {
    let is_whole =
        |methods: &[&'static str]| methods.iter().all(|method| selected.contains(method));
    let mut text = String::new();
    let mut single: Vec<&str> = Vec::new();
    for (service, methods) in SERVICES {
        if is_whole(methods) {
            text.push_str(" --service ");
            text.push_str(service);
        } else {
            let of_service = methods.iter().copied();
            single.extend(of_service.filter(|method| selected.contains(method)));
        }
    }
    if !single.is_empty() {
        text.push_str(" --method ");
        text.push_str(&single.join(","));
    }
    text
}
