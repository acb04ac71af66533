//! The cost of a case: bytes in use, and processor time, so that the load of the machine does not matter.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::processor_time::processor_time;

/// The system's allocator with a counter of the bytes in use.
struct Counting;

static LIVE_BYTES: AtomicU64 = AtomicU64::new(0);
static PEAK_BYTES: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator unchanged; the counters are separate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = layout.size() as u64;
        let live = LIVE_BYTES
            .fetch_add(size, Ordering::Relaxed)
            .wrapping_add(size);
        PEAK_BYTES.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller guarantees what `System` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

pub(crate) fn live_bytes() -> u64 {
    LIVE_BYTES.load(Ordering::Relaxed)
}

/// Resets the peak; returns the number of bytes in use now.
pub(crate) fn begin_peak() -> u64 {
    let live = live_bytes();
    PEAK_BYTES.store(live, Ordering::Relaxed);
    live
}

/// Returns the largest number of bytes in use since [`begin_peak`].
pub(crate) fn peak_bytes() -> u64 {
    PEAK_BYTES.load(Ordering::Relaxed)
}

/// A stopwatch for the processor time of this thread, or for elapsed time if the system does not report it.
pub(crate) struct Watch {
    processor: Option<Duration>,
    clock: Instant,
}

impl Watch {
    pub(crate) fn start() -> Self {
        Self {
            processor: processor_time(),
            clock: Instant::now(),
        }
    }

    pub(crate) fn passed(&self) -> Duration {
        match (self.processor, processor_time()) {
            (Some(from), Some(to)) => to.saturating_sub(from),
            _ => self.clock.elapsed(),
        }
    }
}
