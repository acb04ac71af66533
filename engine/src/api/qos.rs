//! The API of etcd QoS, a proposal that etcd never merged, and the caller of a request.
//!
//! The proposal describes commands of etcdctl but no messages. The simulator derives the messages from the commands.

use std::sync::Arc;

use crate::base::digest::Sparse;
use crate::base::proto::{ProtoMessage, Sink};
use crate::base::time::SimDuration;
use crate::qos::doctor::Advice;
use crate::qos::error::QosWarning;
use crate::qos::monitor::{MonitorQuery, MonitorRow};
use crate::qos::{Identity, QosClass, QosName, QosRule};

use super::{Request, ResponseHeader};

/// A request with the identity of its caller, which gRPC sends as metadata. A request without an identity has no
/// user, and its address is the loopback address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestAs {
    pub identity: Identity,
    /// The number of times that the client has sent this request before. Real clients do not send this number.
    pub retry: u32,
    /// The time that the client waits for the response. gRPC sends this time with the request (`grpc-timeout`).
    pub timeout: Option<SimDuration>,
    /// The request itself, without the identity.
    pub request: Arc<Request>,
    pub credential: Sparse<Option<Credential>>,
}

/// The proof of a caller's identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Credential {
    /// The password, which the client library exchanges for a token before it sends the request. No such request
    /// reaches a member.
    Password(Arc<str>),
    Token(Arc<str>),
}

impl RequestAs {
    pub fn token(&self) -> Option<&Arc<str>> {
        match &*self.credential {
            Some(Credential::Token(token)) => Some(token),
            Some(Credential::Password(_)) | None => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QosRequest {
    /// Adds a class, which defines a limit.
    AddClass(QosClass),
    UpdateClass(QosClass),
    DeleteClass(QosName),
    GetClasses(Option<QosName>),
    /// Adds a rule, which assigns matching requests to a class.
    AddRule {
        rule: Box<QosRule>,
        /// Whether the member refuses the rule if a transaction could match both this rule and another rule of the same
        /// priority.
        strict: bool,
    },
    UpdateRule {
        rule: Box<QosRule>,
        /// Whether the member refuses the rule if a transaction could match both this rule and another rule of the same
        /// priority.
        strict: bool,
    },
    DeleteRule(QosName),
    GetRules(Option<QosName>),
    /// Opens a stream on which the member reports requests above a threshold. Each response reports one request.
    Monitor(MonitorQuery),
    /// Runs the doctor of etcd QoS, which examines the member's newest requests and proposes classes and rules.
    Doctor {
        /// Whether the member also adds the proposed classes and rules.
        apply: bool,
    },
    /// Adds the classes and rules that the doctor of etcd QoS proposed on a member. Only the member itself creates this
    /// request. The doctor reads the member's own monitor, whose content differs between members, so the log entry must
    /// contain the proposed classes and rules.
    AddAdvised(Vec<Advice>),
}

impl QosRequest {
    /// Returns true if the request may change classes or rules and therefore needs a log entry.
    pub fn is_write(&self) -> bool {
        match self {
            Self::AddClass(_)
            | Self::UpdateClass(_)
            | Self::DeleteClass(_)
            | Self::AddRule { .. }
            | Self::UpdateRule { .. }
            | Self::DeleteRule(_)
            | Self::AddAdvised(_) => true,
            Self::Doctor { apply } => *apply,
            Self::GetClasses(_) | Self::GetRules(_) | Self::Monitor(_) => false,
        }
    }

    /// Returns the name of the request's method, such as `QoSClassAdd`.
    pub fn method(&self) -> &'static str {
        match self {
            Self::AddClass(_) => "QoSClassAdd",
            Self::UpdateClass(_) => "QoSClassUpdate",
            Self::DeleteClass(_) => "QoSClassDelete",
            Self::GetClasses(_) => "QoSClassGet",
            Self::AddRule { .. } => "QoSRuleAdd",
            Self::UpdateRule { .. } => "QoSRuleUpdate",
            Self::DeleteRule(_) => "QoSRuleDelete",
            Self::GetRules(_) => "QoSRuleGet",
            Self::Monitor(_) => "QoSMonitor",
            Self::Doctor { .. } | Self::AddAdvised(_) => "QoSDoctor",
        }
    }
}

/// Encodes only the class or rule in the request. The proposal describes no encoding for the other fields.
impl ProtoMessage for QosRequest {
    fn write(&self, to: &mut impl Sink) {
        match self {
            Self::AddClass(class) | Self::UpdateClass(class) => to.bytes(&class.encode()),
            Self::AddRule { rule, .. } | Self::UpdateRule { rule, .. } => to.bytes(&rule.encode()),
            Self::DeleteClass(name) | Self::DeleteRule(name) => to.bytes(name.as_str().as_bytes()),
            Self::AddAdvised(advices) => {
                for (class, rule) in advices.iter().filter_map(|a| a.proposal.as_ref()) {
                    to.bytes(&class.encode());
                    to.bytes(&rule.encode());
                }
            }
            Self::GetClasses(_) | Self::GetRules(_) | Self::Monitor(_) | Self::Doctor { .. } => {}
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QosResponse {
    pub header: ResponseHeader,
    pub content: QosContent,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QosContent {
    /// A class or rule was added, replaced or deleted.
    Changed { warnings: Vec<QosWarning> },
    /// Classes, ordered by name.
    Classes(Vec<QosClass>),
    /// Rules, in the order in which they are compared with a request.
    Rules(Vec<QosRule>),
    /// A request above the threshold, reported on a monitor stream.
    Request(Box<MonitorRow>),
    /// The findings of the doctor of etcd QoS, and whether the member has added the proposed classes and rules.
    Advice(Vec<Advice>, bool),
}

impl From<QosContent> for QosResponse {
    fn from(content: QosContent) -> Self {
        let header = ResponseHeader::default();
        Self { header, content }
    }
}
