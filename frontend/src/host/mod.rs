//! Where the engine runs: in a worker, or in this thread where there can be no worker.
//!
//! Both hosts carry the same messages, and neither links the engine into the page: its code is one
//! WebAssembly module, `worker_bg.wasm`, that a worker or this thread loads.

mod codec;
pub mod engine;
mod inline;
mod worker;

use wasm_bindgen::prelude::wasm_bindgen;
use watchglass_engine::session::protocol::{FromEngine, ToEngine};
use yew::Callback;

pub use codec::Postcard;
pub use engine::Pump;
pub use worker::EngineWorker;

/// An engine that can be spoken to. Dropping it ends it.
pub trait Host {
    /// Tells it something. What it says comes as events.
    fn send(&self, message: ToEngine);
}

/// What a host reports.
#[derive(Debug)]
pub enum HostEvent {
    /// The engine said something.
    Said(FromEngine),
    /// The engine stopped; why.
    Died(String),
    /// It did not start, so another kind of host should be tried.
    Unusable,
}

/// Where to run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKind {
    /// In a worker.
    Worker,
    /// In this thread.
    Inline,
}

/// Starts an engine.
pub fn start(kind: HostKind, events: Callback<HostEvent>) -> Box<dyn Host> {
    match kind {
        HostKind::Worker => Box::new(worker::WorkerHost::start(events)),
        HostKind::Inline => Box::new(inline::InlineHost::start(events)),
    }
}

/// Where it can run here: `?host=inline` asks for this thread, and a page from a file or from an
/// opaque origin (a sandboxed frame) is not given workers.
pub fn choose() -> HostKind {
    let window = gloo::utils::window();
    let location = window.location();
    let asked = location
        .search()
        .is_ok_and(|query| query.contains("host=inline"));
    // The location's own origin is that of its address, sandboxed or not; the window's is the real one.
    let origin = js_sys::Reflect::get(&window, &"origin".into());
    let opaque = origin.is_ok_and(|origin| origin.as_string().as_deref() == Some("null"))
        || location
            .protocol()
            .is_ok_and(|protocol| protocol == "file:");
    let known = js_sys::Reflect::has(&window, &"Worker".into()).unwrap_or(false);
    if asked || opaque || !known {
        HostKind::Inline
    } else {
        HostKind::Worker
    }
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static MODULE_URL: String;
}

/// The address of a file that lies beside the page's own module, wherever the page itself lies.
fn beside(name: &str) -> String {
    MODULE_URL.with(|url| {
        web_sys::Url::new_with_base(name, url).map_or_else(|_| name.to_owned(), |url| url.href())
    })
}
