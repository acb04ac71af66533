//! Splits a compiled program into its main module and the parts that the page fetches later, with the library of
//! `#[wasm_split]`.
//!
//! A part contains what only the functions with its name use. What several parts share, and the main module does not
//! use, becomes a chunk. `NAME_parts.js`, which the main module imports, fetches both.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use wasm_split_cli_support::{Options, transform};

use crate::project;

/// Writes the parts of a program and their script into `out`. Returns the files of the main module, which is the input
/// of wasm-bindgen, and of the parts.
pub(super) fn split(wasm: &Path, name: &str, out: &Path) -> Result<(PathBuf, Vec<PathBuf>)> {
    let bytes =
        std::fs::read(wasm).with_context(|| format!("cannot read {}", project::relative(wasm)))?;
    if !has_relocations(&bytes) {
        return Ok((wasm.to_owned(), Vec::new()));
    }
    // Beside the folder, because only the main module from wasm-bindgen belongs into it.
    let main = out.with_extension("wasm");
    let script = format!("./{name}_parts.js");
    let mut options = Options::new(&bytes);
    options.output_dir = out;
    options.main_out_path = &main;
    options.main_module = "./static/start.js";
    options.link_name = &script;
    let parts = transform(options)
        .map_err(|error| anyhow!("{error:#}"))
        .with_context(|| format!("splitting {}", project::relative(wasm)))?
        .split_modules;
    Ok((main, parts))
}

/// Returns true if the linker kept the relocations of a program, as `frontend/build.rs` asks for the page's program.
fn has_relocations(wasm: &[u8]) -> bool {
    const NAME: &[u8] = b"reloc.CODE";
    wasm.windows(NAME.len()).any(|window| window == NAME)
}
