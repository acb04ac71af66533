//! The workloads of the benchmark as a wasm module without a single import; `e2e/wasm-bench.mjs`
//! times them, and `cargo xtask bench wasm` puts them beside the native ones.

#![allow(
    unsafe_code,
    reason = "exported names must be fixed for the host to find them"
)]

#[path = "bench/workloads.rs"]
mod workloads;

use workloads::WORKLOADS;

/// How many there are.
#[unsafe(no_mangle)]
pub extern "C" fn wg_workloads() -> u32 {
    WORKLOADS.len() as u32
}

/// Does the one of this number; how many events came out, which tells that it was done.
#[unsafe(no_mangle)]
pub extern "C" fn wg_work(number: u32) -> u64 {
    let workload = WORKLOADS[number as usize];
    let events = (workload.run)();
    assert_eq!(events, workload.events, "{}", workload.name);
    events
}
