//! The engine as a wasm module without a single import, to prove that it needs nothing from
//! outside and ends in the same world there. `e2e/wasm-behaviour.mjs` drives it.
//!
//! `wg_alloc(len)` gives room for a behaviour file, `wg_run(ptr, len)` runs it and returns where
//! its answer is: pointer in the upper 32 bits, length in the lower. The answer is text; its first
//! line is `digest <hex>` or `error <why>`, then each output that differs from what the file says.

#![allow(
    unsafe_code,
    reason = "bytes cross the border to the host by address, and exported names must be fixed"
)]

use watchglass_engine::session::script;

/// Room for `len` bytes, the caller's to fill; given back by [`wg_run`].
#[unsafe(no_mangle)]
pub extern "C" fn wg_alloc(len: u32) -> u32 {
    let room = vec![0_u8; len as usize].into_boxed_slice();
    Box::into_raw(room).cast::<u8>() as usize as u32
}

/// Runs the file in the `len` bytes at `ptr`, which [`wg_alloc`] gave, and takes them back. The
/// answer is never freed: an instance runs one file.
///
/// # Safety
/// `ptr` and `len` are those of one call of [`wg_alloc`], used once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wg_run(ptr: u32, len: u32) -> u64 {
    let room = std::ptr::slice_from_raw_parts_mut(ptr as usize as *mut u8, len as usize);
    // SAFETY: the caller's promise: it is the box that `wg_alloc` let go of.
    let file = unsafe { Box::from_raw(room) };
    let answer = answer(&file).into_bytes().leak();
    let at = answer.as_ptr() as usize as u64;
    (at << 32) | answer.len() as u64
}

fn answer(file: &[u8]) -> String {
    let text = match std::str::from_utf8(file) {
        Ok(text) => text,
        Err(e) => return format!("error not UTF-8: {e}\n"),
    };
    match script::run_file(text) {
        Ok(report) => {
            let mut answer = format!("digest {:016x}\n", report.digest);
            for d in &report.differences {
                answer += &format!("line {}: {}\nexpected:\n{}\n", d.line, d.input, d.expected);
                answer += &format!("but it prints:\n{}\n", d.actual);
            }
            answer
        }
        Err(e) => format!("error {e}\n"),
    }
}
