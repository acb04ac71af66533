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
    let folder = out.with_extension(name);
    let main = folder.join("main.wasm");
    let script = format!("./{name}_parts.js");
    let mut options = Options::new(&bytes);
    options.output_dir = &folder;
    options.main_out_path = &main;
    options.main_module = "./static/start.js";
    options.link_name = &script;
    let parts = transform(options)
        .map_err(|error| anyhow!("{error:#}"))
        .with_context(|| format!("splitting {}", project::relative(wasm)))?
        .split_modules;
    // The programs share a folder, so each part's file begins with the name of its program.
    let mut text = std::fs::read_to_string(folder.join(&script)).context("no script of parts")?;
    let mut files = Vec::new();
    std::fs::create_dir_all(out).context("cannot create the folder of the programs")?;
    for part in parts {
        let file = part.file_name().unwrap_or_default().to_string_lossy();
        let named = format!("{name}_{file}");
        text = text.replace(&format!("./{file}"), &format!("./{named}"));
        let target = out.join(named);
        std::fs::rename(&part, &target).context("cannot move a part of a program")?;
        files.push(target);
    }
    std::fs::write(out.join(&script), text).context("cannot write the script of the parts")?;
    Ok((main, files))
}

/// Returns true if the linker kept the relocations of a program, as `frontend/build.rs` asks for the page's programs.
fn has_relocations(wasm: &[u8]) -> bool {
    const NAME: &[u8] = b"reloc.CODE";
    wasm.windows(NAME.len()).any(|window| window == NAME)
}
