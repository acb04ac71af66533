//! The connection to a program: a worker, or a port into this page's own thread.
//!
//! `gloo-worker` is not used, because it does not report `error` and `messageerror` of a single worker and cannot end a
//! worker. A replaced worker must release its memory, and its late errors must not reach the next worker.

use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{EventTarget, MessageChannel, MessagePort, Worker, WorkerOptions, WorkerType};

use super::beside;

const INLINE_SCRIPT: &str = "static/inline_host.js";
/// The name of the `window` function that `static/inline_host.js` defines.
const SERVE: &str = "watchglassServe";
/// The name of the `window` function that returns the worker started by `static/page.js`.
const EARLY: &str = "watchglassWorker";
/// The event that announces that the inline script's function is available.
pub(super) const SERVING: &str = "watchglass-engine";

/// A program that runs separately from the page's own program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Engine,
    Lab,
}

impl Program {
    /// Returns the file name of the program without its extension.
    fn name(self) -> &'static str {
        match self {
            Program::Engine => "worker",
            Program::Lab => "lab",
        }
    }

    fn worker_script(self) -> &'static str {
        match self {
            Program::Engine => "static/worker_boot.js",
            Program::Lab => "static/lab_boot.js",
        }
    }
}

/// A worker or a port. Dropping a port ends its program.
pub(super) enum Port {
    Worker {
        program: Program,
        worker: Worker,
    },
    Inline {
        program: Program,
        page: MessagePort,
        engine: MessagePort,
        script: EventTarget,
    },
}

impl Port {
    pub(super) fn worker(program: Program) -> Result<Port, JsValue> {
        if program == Program::Engine
            && let Some(worker) = early_worker()
        {
            return Ok(Port::Worker { program, worker });
        }
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&beside(program.worker_script()), &options)?;
        Ok(Port::Worker { program, worker })
    }

    pub(super) fn inline(program: Program) -> Result<Port, JsValue> {
        let channel = MessageChannel::new()?;
        let document = gloo::utils::document();
        let script = document.create_element("script")?;
        if serve_function().is_none() {
            script.set_attribute("type", "module")?;
            script.set_attribute("src", &beside(INLINE_SCRIPT))?;
            gloo::utils::body().append_child(&script)?;
        }
        let port = Port::Inline {
            program,
            page: channel.port1(),
            engine: channel.port2(),
            script: script.into(),
        };
        port.serve();
        Ok(port)
    }

    /// Hands the program's port to the inline script if the script is loaded.
    pub(super) fn serve(&self) {
        if let (
            Port::Inline {
                engine, program, ..
            },
            Some(serve),
        ) = (self, serve_function())
        {
            let name = program.name().into();
            serve.call2(&JsValue::UNDEFINED, engine, &name).ok();
        }
    }

    pub(super) fn post(&self, message: &JsValue) -> Result<(), JsValue> {
        match self {
            Port::Worker { worker, .. } => worker.post_message(message),
            Port::Inline { page, .. } => page.post_message(message),
        }
    }

    pub(super) fn messages(&self) -> &EventTarget {
        match self {
            Port::Worker { worker, .. } => worker,
            Port::Inline { page, .. } => page,
        }
    }

    /// Returns the source of error events of a script that failed to load.
    pub(super) fn errors(&self) -> &EventTarget {
        match self {
            Port::Worker { worker, .. } => worker,
            Port::Inline { script, .. } => script,
        }
    }

    /// Starts the delivery of the program's messages.
    pub(super) fn open(&self) {
        if let Port::Inline { page, .. } = self {
            page.start();
        }
    }

    /// Returns the address of the script that runs the program.
    pub(super) fn address(&self) -> String {
        beside(match self {
            Port::Worker { program, .. } => program.worker_script(),
            Port::Inline { .. } => INLINE_SCRIPT,
        })
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        match self {
            Port::Worker { worker, .. } => worker.terminate(),
            Port::Inline { page, .. } => page.close(),
        }
    }
}

/// Returns the worker that `static/page.js` started before this program was loaded. Only the first engine of the page
/// receives this worker.
fn early_worker() -> Option<Worker> {
    let take = Reflect::get(&gloo::utils::window(), &EARLY.into()).ok()?;
    let take: Function = take.dyn_into().ok()?;
    take.call0(&JsValue::UNDEFINED).ok()?.dyn_into().ok()
}

fn serve_function() -> Option<Function> {
    let function = Reflect::get(&gloo::utils::window(), &SERVE.into()).ok()?;
    function.dyn_into().ok()
}
