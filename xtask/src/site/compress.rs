//! Writes a `.br` and a `.gz` beside each file, for hosts that send precompressed files.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};

use crate::project;

/// Brotli's highest quality and a window that covers every file here.
const BROTLI_QUALITY: u32 = 11;
const BROTLI_WINDOW_BITS: u32 = 22;
const BROTLI_BUFFER_BYTES: usize = 1 << 16;

/// Formats that are compressed already.
const INCOMPRESSIBLE: [&str; 5] = ["png", "jpg", "woff2", "br", "gz"];

/// Compresses every file of a folder, on all processors: Brotli's best takes seconds per megabyte.
pub(super) fn folder(folder: &Path) -> Result<()> {
    let mut files = project::files_below(folder, &[])?;
    files.retain(|file| {
        !INCOMPRESSIBLE
            .iter()
            .any(|&end| file.extension().is_some_and(|found| found == end))
    });
    println!("· brotli and gzip over {} files", files.len());
    let queue = std::sync::Mutex::new(files);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| work_off(&queue)))
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| match worker.join() {
                Ok(result) => result,
                Err(_) => Err(anyhow!("a thread that compresses files panicked")),
            })
    })
}

fn work_off(queue: &std::sync::Mutex<Vec<PathBuf>>) -> Result<()> {
    loop {
        let next = queue
            .lock()
            .map_err(|_| anyhow!("another compressing thread panicked"))?
            .pop();
        let Some(file) = next else { return Ok(()) };
        compress(&file).with_context(|| format!("compressing {}", project::relative(&file)))?;
    }
}

fn compress(file: &Path) -> Result<()> {
    let raw = std::fs::read(file)?;
    std::fs::write(with_suffix(file, "br"), brotli(&raw)?)?;
    std::fs::write(with_suffix(file, "gz"), gzip(&raw)?)?;
    Ok(())
}

/// The path of a file's compressed form.
pub(super) fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

fn brotli(raw: &[u8]) -> Result<Vec<u8>> {
    let mut compressed = Vec::new();
    let mut writer = brotli::CompressorWriter::new(
        &mut compressed,
        BROTLI_BUFFER_BYTES,
        BROTLI_QUALITY,
        BROTLI_WINDOW_BITS,
    );
    writer.write_all(raw)?;
    writer.flush()?;
    drop(writer);
    Ok(compressed)
}

fn gzip(raw: &[u8]) -> Result<Vec<u8>> {
    // The header carries no time of day, so the same file compresses to the same bytes.
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(raw)?;
    Ok(writer.finish()?)
}
