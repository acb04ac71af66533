//! A database file that the page has handed over. The engine reads the file in pieces, when it needs them.
//!
//! In a worker, the file is a `File`, which stays on the disk. In the page's own thread, a `File` cannot be read
//! without waiting, so the page hands over the bytes of the whole file.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use watchglass_engine::bbolt::Source;
use watchglass_engine::bbolt::blocks::{BlockSizes, Blocks};
use watchglass_engine::bbolt::source::ReadAt;
use web_sys::{Blob, FileReaderSync, MessageChannel, MessagePort};

/// The content of a file.
enum Content {
    File {
        blob: Blob,
        reader: FileReaderSync,
        /// A port whose other end is closed. The browser frees a buffer as soon as the buffer is sent to this port;
        /// otherwise, the browser keeps more than 100 MB of old buffers until it collects garbage.
        drain: MessagePort,
    },
    Bytes(Uint8Array),
}

thread_local! {
    static FILES: RefCell<BTreeMap<u32, Content>> = const { RefCell::new(BTreeMap::new()) };
    static NEXT: Cell<u32> = const { Cell::new(0) };
}

/// A file by its number, because the engine's types contain no JavaScript objects.
#[derive(Debug)]
struct HostFile {
    number: u32,
    bytes: u64,
}

/// Returns the file as a source of bytes; `None` if it is neither a `Blob` nor an `ArrayBuffer`.
pub fn source(file: &JsValue) -> Option<Source> {
    let (content, bytes) = if let Some(blob) = file.dyn_ref::<Blob>() {
        let content = Content::File {
            blob: blob.clone(),
            reader: FileReaderSync::new().ok()?,
            drain: drain()?,
        };
        (content, blob.size() as u64)
    } else {
        let bytes = Uint8Array::new(file.dyn_ref::<ArrayBuffer>()?);
        let length = bytes.length();
        (Content::Bytes(bytes), u64::from(length))
    };
    // Bytes from the page are in memory already.
    let sizes = match content {
        Content::File { .. } => BlockSizes::of_file(bytes),
        Content::Bytes(_) => BlockSizes::LARGE_FILE,
    };
    let number = NEXT.replace(NEXT.get() + 1);
    FILES.with_borrow_mut(|files| files.insert(number, content));
    let file = Box::new(HostFile { number, bytes });
    Some(Source::Blocks(Blocks::new(file, sizes).into()))
}

/// Returns a port whose other end is closed.
fn drain() -> Option<MessagePort> {
    let channel = MessageChannel::new().ok()?;
    channel.port2().close();
    Some(channel.port1())
}

impl ReadAt for HostFile {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, at: u64, length: usize) -> Option<Vec<u8>> {
        FILES.with_borrow(|files| match files.get(&self.number)? {
            Content::File {
                blob,
                reader,
                drain,
            } => {
                let end = at + length as u64;
                let piece = blob.slice_with_f64_and_f64(at as f64, end as f64).ok()?;
                let read = reader.read_as_array_buffer(&piece).ok()?;
                let bytes = Uint8Array::new(&read).to_vec();
                let sent = drain.post_message_with_transferable(&JsValue::NULL, &Array::of1(&read));
                sent.ok().map(|()| bytes)
            }
            Content::Bytes(bytes) => {
                let at = u32::try_from(at).ok()?;
                Some(bytes.subarray(at, at + length as u32).to_vec())
            }
        })
    }
}

impl Drop for HostFile {
    fn drop(&mut self) {
        FILES.with_borrow_mut(|files| files.remove(&self.number));
    }
}
