//! The engine in the page's own thread: for `?host=inline`, for files and sandboxed frames, and
//! where a worker does not start.
//!
//! The engine's code is not part of the page. A small module, `inline_host.js`, loads the worker's
//! module here instead of in a worker and says so with an event; its two functions take and give
//! the same bytes that would go through a worker's mail.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use js_sys::{Array, Function, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use watchglass_engine::session::protocol::ToEngine;
use yew::Callback;

use super::{Host, HostEvent, beside};

const SCRIPT: &str = "static/inline_host.js";
const EVENT: &str = "watchglass-engine";
/// Where the script puts the functions.
const GLOBAL: &str = "__watchglassEngine";

pub(super) struct InlineHost {
    inner: Rc<Inner>,
    _loaded: EventListener,
}

struct Inner {
    events: Callback<HostEvent>,
    mail: RefCell<VecDeque<ToEngine>>,
    slice: RefCell<Option<Timeout>>,
    functions: RefCell<Option<(Function, Function)>>,
    over: Cell<bool>,
}

impl InlineHost {
    pub(super) fn start(events: Callback<HostEvent>) -> Self {
        let inner = Rc::new(Inner {
            events,
            mail: RefCell::new(VecDeque::new()),
            slice: RefCell::new(None),
            functions: RefCell::new(None),
            over: Cell::new(false),
        });
        let window = gloo::utils::window();
        let loaded =
            EventListener::new_with_options(&window, EVENT, EventListenerOptions::default(), {
                let inner = inner.clone();
                move |_| inner.loaded()
            });
        if Reflect::has(&window, &GLOBAL.into()).unwrap_or(false) {
            inner.loaded();
        } else if append_script().is_err() {
            inner.die("The page could not load the engine.".to_owned());
        }
        InlineHost {
            inner,
            _loaded: loaded,
        }
    }
}

impl Host for InlineHost {
    fn send(&self, message: ToEngine) {
        self.inner.mail.borrow_mut().push_back(message);
        self.inner.soon();
    }
}

impl Drop for InlineHost {
    fn drop(&mut self) {
        self.inner.over.set(true);
        self.inner.slice.replace(None);
    }
}

impl Inner {
    fn loaded(self: &Rc<Self>) {
        let engine = Reflect::get(&gloo::utils::window(), &GLOBAL.into()).unwrap_or(JsValue::NULL);
        if let Some(error) = property(&engine, "error").and_then(|error| error.as_string()) {
            return self.die(error);
        }
        let function = |name: &str| property(&engine, name)?.dyn_into::<Function>().ok();
        match (function("begin"), function("hear"), function("run")) {
            (Some(begin), Some(hear), Some(run)) => {
                begin.call0(&engine).ok();
                self.functions.replace(Some((hear, run)));
                self.soon();
            }
            _ => self.die("The engine that was loaded is of another version.".to_owned()),
        }
    }

    /// Runs a slice when the browser has drawn and heard what it had to.
    fn soon(self: &Rc<Self>) {
        if self.slice.borrow().is_some() || self.functions.borrow().is_none() {
            return;
        }
        let inner = self.clone();
        let timer = Timeout::new(0, move || {
            inner.slice.replace(None);
            inner.work();
        });
        self.slice.replace(Some(timer));
    }

    fn work(self: &Rc<Self>) {
        let Some((hear, run)) = self.functions.borrow().clone() else {
            return;
        };
        loop {
            let next = self.mail.borrow_mut().pop_front();
            let Some(message) = next else { break };
            let Ok(bytes) = postcard::to_allocvec(&message) else {
                continue;
            };
            let bytes = Uint8Array::from(bytes.as_slice());
            if self.call(&hear, &bytes).is_none() {
                return;
            }
        }
        match self.call(&run, &JsValue::UNDEFINED) {
            Some(more) if more.is_truthy() => self.soon(),
            _ => {}
        }
    }

    /// Calls one of the engine's functions and reports what it says: `[more, message, …]`.
    fn call(&self, function: &Function, argument: &JsValue) -> Option<JsValue> {
        match function.call1(&JsValue::UNDEFINED, argument) {
            Ok(answer) => {
                let answer: Array = answer.unchecked_into();
                for bytes in answer.iter().skip(1) {
                    let bytes = Uint8Array::from(bytes).to_vec();
                    if self.over.get() {
                        return None;
                    }
                    match postcard::from_bytes(&bytes) {
                        Ok(message) => self.events.emit(HostEvent::Said(message)),
                        Err(_) => self.die("The engine is of another version.".to_owned()),
                    }
                }
                Some(answer.get(0))
            }
            Err(error) => {
                let text = property(&error, "message").and_then(|message| message.as_string());
                self.die(text.unwrap_or_else(|| "The engine stopped.".to_owned()));
                None
            }
        }
    }

    fn die(&self, why: String) {
        if !self.over.replace(true) {
            self.functions.replace(None);
            self.events.emit(HostEvent::Died(why));
        }
    }
}

fn property(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &name.into()).ok()
}

fn append_script() -> Result<(), JsValue> {
    let document = gloo::utils::document();
    let script = document.create_element("script")?;
    script.set_attribute("type", "module")?;
    script.set_attribute("src", &beside(SCRIPT))?;
    gloo::utils::body().append_child(&script)?;
    Ok(())
}
