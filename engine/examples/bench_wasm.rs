//! The workloads of the benchmark as a wasm module without imports. `e2e/wasm-bench.mjs` measures the workloads, and
//! `cargo xtask bench wasm` compares the times with the native times.

#![allow(
    unsafe_code,
    reason = "exported names must be fixed for the host to find them"
)]

#[path = "bench/workloads.rs"]
mod workloads;

use watchglass_engine::session::{Limits, Notification, SeekTo, Session, ToEngine};
use workloads::WORKLOADS;

#[unsafe(no_mangle)]
pub extern "C" fn wg_workloads() -> u32 {
    WORKLOADS.len() as u32
}

/// Runs the workload with this number; returns the number of delivered events, which proves that the work was done.
#[unsafe(no_mangle)]
pub extern "C" fn wg_work(number: u32) -> u64 {
    let workload = WORKLOADS[number as usize];
    let events = (workload.run)();
    assert_eq!(events, workload.events, "{}", workload.name);
    events
}

/// Creates a run with `thousands` × 1,000 puts to 1,000 keys. [`wg_seek`] moves the cursor of this run. The host
/// measures how much the memory of the module grows, and reports this growth as the memory of the run.
#[unsafe(no_mangle)]
pub extern "C" fn wg_session(thousands: u32) -> *mut Session {
    let mut session = Session::default();
    let limits = Limits {
        memory_bytes: u64::MAX,
        ..Limits::APP
    };
    session.handle(
        ToEngine::Notification(Notification::Limit(limits)),
        &mut Vec::new(),
    );
    for number in 0..thousands {
        session.exec(&format!(
            "for i in {{1..1000}}; do put /registry/pods/default/pod-$i value-{number}; done"
        ));
    }
    Box::into_raw(Box::new(session))
}

/// Moves the cursor of a run to a step.
///
/// # Safety
/// The run comes from [`wg_session`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wg_seek(session: *mut Session, step: u32) {
    // SAFETY: the host passes the pointer from `wg_session`, in one call at a time.
    let session = unsafe { &mut *session };
    session.seek(SeekTo::Step(step.into()));
}
