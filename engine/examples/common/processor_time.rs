//! The processor time of this thread, if the system reports this time. It does not include the work of other programs.

use std::time::Duration;

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) fn processor_time() -> Option<Duration> {
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanos: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
    }
    const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
    let mut time = Timespec {
        seconds: 0,
        nanos: 0,
    };
    // SAFETY: the call writes one `struct timespec`, which on 64 bits is two 64-bit numbers.
    let failed = unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &raw mut time) } != 0;
    (!failed).then(|| Duration::new(time.seconds as u64, time.nanos as u32))
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub(crate) fn processor_time() -> Option<Duration> {
    None
}
