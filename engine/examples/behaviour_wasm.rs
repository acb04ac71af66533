//! The engine as a wasm module without imports, to prove that the engine needs nothing from its host and computes the
//! same world in wasm. `e2e/wasm-behaviour.mjs` drives the module.
//!
//! `wg_alloc(len)` allocates room for a behaviour file. `wg_run(ptr, len)` runs the file and returns the location of
//! the result: the pointer in the upper 32 bits, and the length in the lower 32 bits. The result is a text. Its first
//! line is `digest <hex>` or `error <why>`. After this line, the text contains each output that differs from the file.

#![allow(
    unsafe_code,
    reason = "bytes cross the border to the host by address, and exported names must be fixed"
)]

use watchglass_engine::session::script;

/// Allocates `len` bytes for the caller to fill; [`wg_run`] frees them.
#[unsafe(no_mangle)]
pub extern "C" fn wg_alloc(len: u32) -> u32 {
    let room = vec![0_u8; len as usize].into_boxed_slice();
    Box::into_raw(room).cast::<u8>() as usize as u32
}

/// Runs the file in the `len` bytes at `ptr` and frees these bytes. The result is never freed, because an instance runs
/// only one file.
///
/// # Safety
/// `ptr` and `len` must come from one call of [`wg_alloc`], and each pair may be passed only once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wg_run(ptr: u32, len: u32) -> u64 {
    let room = std::ptr::slice_from_raw_parts_mut(ptr as usize as *mut u8, len as usize);
    // SAFETY: as the caller guarantees, this is the box that `wg_alloc` released.
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
