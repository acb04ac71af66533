//! The trace: all events of a run in order, each with its cause. Nodes write to the trace and never read it: if the
//! trace is turned off, every state of the run is the same.

pub mod event;
pub mod kube;
pub mod lease;
pub mod printed;
pub mod qos;
pub mod tape;
pub mod watch;

pub use event::{ChangeKind, Event, EventId, FirstRead, TraceEvent};
pub use kube::{
    Answered, BackOffReason, Container, ContainerChange, KubeNotice, KubeTrace, WatchEnd,
};
pub use lease::LeaseTrace;
pub use printed::{Printed, ProcessError};
pub use qos::{Defined, DefinitionChange, QosTrace};
pub use tape::Tape;
pub use watch::{ClientTrace, NetTrace, PollOutcome, RetryReason, WatchOptions, WatchTrace};
