//! Runs the engine and the Lab in workers, or in this thread if the browser allows the page no workers.
//!
//! Both kinds of host carry the same messages, encoded with postcard. The page does not link the programs: each program
//! is a WebAssembly module that `static/engine.js` runs in a worker or in this thread. One [`Host`] is one instance of
//! a program; dropping the host ends the instance, and no later event of the instance is reported.

mod failure;
mod port;
mod pulse;
mod text;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::{Interval, Timeout};
use js_sys::{Reflect, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, Event, MessageEvent};
use yew::Callback;

pub use failure::{Failure, FailureKind};
use port::Port;
pub use port::Program;
use pulse::{BEAT_MS, Pulse, PulseAction};
pub use text::fetch;

use crate::words::host as words;

const PING: &str = "ping";

/// An event of a host, which runs the engine or the Lab.
#[derive(Debug)]
pub enum HostEvent {
    /// The program sent a message. The event contains the bytes of the message.
    Said(Vec<u8>),
    /// The program failed or could not start.
    Failed(Failure),
    /// Whether the program is silent. True: a response is due, and the program has been silent for too long. False: the
    /// program sends messages again.
    Silent(bool),
}

/// The place where a program (the engine or the Lab) runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKind {
    Worker,
    /// The program runs in this thread.
    Inline,
    /// The program cannot run: the browser allows no worker, and this thread also runs the page around the frame.
    Nowhere,
}

/// One instance of a program. Dropping it ends the instance.
pub struct Host {
    inner: Rc<Inner>,
    _listeners: Vec<EventListener>,
    beats: RefCell<Option<Interval>>,
}

struct Inner {
    port: Option<Port>,
    events: Callback<HostEvent>,
    pulse: RefCell<Pulse>,
    is_over: Cell<bool>,
}

impl Host {
    pub fn start(kind: HostKind, program: Program, events: Callback<HostEvent>) -> Host {
        let port = match kind {
            HostKind::Worker => Port::worker(program).map_err(not_loaded),
            HostKind::Inline => Port::inline(program).map_err(not_loaded),
            HostKind::Nowhere => Err(Failure::new(
                FailureKind::NoWorker,
                words::NO_WORKERS_IN_FRAME,
            )),
        };
        let (port, failure) = match port {
            Ok(port) => (Some(port), None),
            Err(failure) => (None, Some(failure)),
        };
        let inner = Rc::new(Inner {
            port,
            events,
            pulse: RefCell::default(),
            is_over: Cell::new(false),
        });
        if let Some(failure) = failure {
            inner.fail_soon(failure);
        }
        Host {
            _listeners: inner.listeners(),
            inner,
            beats: RefCell::new(None),
        }
    }

    /// Sends a message to the program. The program's own messages arrive as events.
    pub fn send(&self, message: &impl Serialize) {
        if let Ok(bytes) = postcard::to_allocvec(message) {
            self.inner.post(&Uint8Array::from(bytes.as_slice()));
        }
    }

    /// Hands a file over to the program, before the message that opens the file. The bytes of a `Blob` are not copied.
    pub fn offer(&self, file: &JsValue) {
        let data = js_sys::Object::new();
        if Reflect::set(&data, &"file".into(), file).is_ok() {
            self.inner.post(&data);
        }
    }

    /// Tells the host whether a response is due. While a response is due, the host reports silence.
    pub fn expect(&self, is_due: bool) {
        let mut beats = self.beats.borrow_mut();
        if is_due == beats.is_some() {
            return;
        }
        self.inner.pulse.borrow_mut().rest();
        *beats = is_due.then(|| {
            let inner = self.inner.clone();
            Interval::new(BEAT_MS, move || inner.beat())
        });
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.inner.is_over.set(true);
    }
}

impl Inner {
    fn listeners(self: &Rc<Self>) -> Vec<EventListener> {
        let Some(port) = &self.port else {
            return Vec::new();
        };
        let on = |target: &web_sys::EventTarget, name: &'static str, act: fn(&Inner, &Event)| {
            let inner = self.clone();
            EventListener::new(target, name, move |event| act(&inner, event))
        };
        let listeners = vec![
            on(port.messages(), "message", Inner::receive),
            on(port.messages(), "messageerror", |inner, _| {
                inner.fail(Failure::new(FailureKind::OtherRelease, "messageerror"));
            }),
            on(port.errors(), "error", Inner::script_failed),
            on(&gloo::utils::window(), port::SERVING, |inner, _| {
                inner.port.iter().for_each(Port::serve);
            }),
        ];
        port.open();
        listeners
    }

    fn post(self: &Rc<Self>, message: &JsValue) {
        if let Some(Err(error)) = self.port.as_ref().map(|port| port.post(message)) {
            self.fail_soon(Failure::new(FailureKind::Stopped, text_of(&error)));
        }
    }

    /// Reports the failure in a later task, after the caller has stopped using the host.
    fn fail_soon(self: &Rc<Self>, failure: Failure) {
        let inner = self.clone();
        Timeout::new(0, move || inner.fail(failure)).forget();
    }

    fn emit(&self, event: HostEvent) {
        if !self.is_over.get() {
            self.events.emit(event);
        }
    }

    fn fail(&self, failure: Failure) {
        self.emit(HostEvent::Failed(failure));
        self.is_over.set(true);
    }

    fn beat(self: &Rc<Self>) {
        let is_visible = !gloo::utils::document().hidden();
        let beat = self.pulse.borrow_mut().beat(is_visible);
        if beat != PulseAction::Rest {
            self.post(&PING.into());
        }
        if beat == PulseAction::FellSilent {
            self.emit(HostEvent::Silent(true));
        }
    }

    fn receive(&self, event: &Event) {
        let Some(event) = event.dyn_ref::<MessageEvent>() else {
            return;
        };
        let was_silent = self.pulse.borrow_mut().received();
        if was_silent {
            self.emit(HostEvent::Silent(false));
        }
        let data = event.data();
        let Some(bytes) = data.dyn_ref::<Uint8Array>() else {
            return self.receive_word(&data);
        };
        self.emit(HostEvent::Said(bytes.to_vec()));
    }

    /// Handles a control message of `static/engine.js`. Only `failed` needs an action; the others just show that the
    /// engine is alive.
    fn receive_word(&self, data: &JsValue) {
        if property(data, "word") != "failed" {
            return;
        }
        let kind = match property(data, "failure").as_str() {
            "load" => FailureKind::NotLoaded,
            "memory" => FailureKind::OutOfMemory,
            _ => FailureKind::Stopped,
        };
        self.fail(Failure::new(kind, property(data, "details")));
    }

    fn script_failed(&self, event: &Event) {
        // The page shows the error, so the browser need not report an uncaught error.
        event.prevent_default();
        let address = self.port.as_ref().map(Port::address).unwrap_or_default();
        let message = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message);
        let details = match message.filter(|message| !message.is_empty()) {
            Some(message) => format!("{address}: {message}"),
            None => words::file_not_loaded(&address),
        };
        let has_begun = self.pulse.borrow().has_begun();
        let kind = if has_begun {
            FailureKind::Stopped
        } else {
            FailureKind::NotLoaded
        };
        self.fail(Failure::new(kind, details));
    }
}

fn not_loaded(error: JsValue) -> Failure {
    Failure::new(FailureKind::NotLoaded, text_of(&error))
}

fn text_of(error: &JsValue) -> String {
    [property(error, "name"), property(error, "message")].join(": ")
}

/// Returns the text of a property, or an empty text.
fn property(object: &JsValue, name: &str) -> String {
    let value = Reflect::get(object, &name.into()).ok();
    value
        .and_then(|value| value.as_string())
        .unwrap_or_default()
}

/// Returns the place where the engine of the app runs: a worker, unless the address contains `?host=inline` or the page
/// cannot have workers (its origin is opaque, as in a sandboxed frame).
pub fn choose() -> HostKind {
    if is_inline_asked() || !has_workers() {
        HostKind::Inline
    } else {
        HostKind::Worker
    }
}

/// Returns the place where the engine of a figure runs. A framed figure runs in the thread of the surrounding page only
/// if the author requests this with `?host=inline`.
pub fn choose_for_figure() -> HostKind {
    let window = gloo::utils::window();
    // Any page may read `parent`; only the content of the parent is protected.
    let is_framed = window
        .parent()
        .ok()
        .flatten()
        .is_some_and(|parent| !js_sys::Object::is(&parent, &window));
    if is_framed && !has_workers() && !is_inline_asked() {
        HostKind::Nowhere
    } else {
        choose()
    }
}

fn is_inline_asked() -> bool {
    let query = gloo::utils::window().location().search();
    query.is_ok_and(|query| query.contains("host=inline"))
}

fn has_workers() -> bool {
    let window = gloo::utils::window();
    // `location.origin` is computed from the address and ignores the sandbox; `window.origin` is the real origin.
    let origin = Reflect::get(&window, &"origin".into());
    let is_opaque = origin.is_ok_and(|origin| origin.as_string().as_deref() == Some("null"));
    let has = |name: &str| Reflect::has(&window, &name.into()).unwrap_or(false);
    // The page in a single file has its worker's texts (xtask/src/site/offline/single.js).
    has("Worker") && (!is_opaque || has("watchglassSingleFile"))
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static MODULE_URL: String;
}

/// Returns the address of a file in the folder of the page's WebAssembly module. The address of the page is irrelevant.
fn beside(name: &str) -> String {
    MODULE_URL.with(|url| {
        web_sys::Url::new_with_base(name, url).map_or_else(|_| name.to_owned(), |url| url.href())
    })
}
