//! The engine in a worker of its own: long runs never block typing, and when it stops the page stands.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use gloo_worker::{HandlerId, Spawnable, Worker, WorkerBridge, WorkerScope};
use wasm_bindgen::JsCast;
use watchglass_engine::session::protocol::{FromEngine, ToEngine};
use yew::Callback;

use super::engine::Pump;
use super::{Host, HostEvent, Postcard, beside};

/// Without a word from the worker in this time the engine is started in the page's thread.
const START_WITHIN_MS: u32 = 8_000;
/// The worker looks at its mail this often.
const SLICE_MS: f64 = 12.0;

/// What runs inside the worker.
#[derive(Debug)]
pub struct EngineWorker {
    pump: Pump,
    page: Option<HandlerId>,
    running: bool,
}

/// Time to run a slice.
#[derive(Debug)]
pub struct Slice;

impl Worker for EngineWorker {
    type Message = Slice;
    type Input = ToEngine;
    type Output = FromEngine;

    fn create(_scope: &WorkerScope<Self>) -> Self {
        EngineWorker {
            pump: Pump::default(),
            page: None,
            running: false,
        }
    }

    fn update(&mut self, scope: &WorkerScope<Self>, _slice: Slice) {
        self.running = false;
        self.work(scope);
    }

    fn received(&mut self, scope: &WorkerScope<Self>, message: ToEngine, id: HandlerId) {
        self.page = Some(id);
        let mut out = Vec::new();
        self.pump.hear(message, &mut out);
        self.say(scope, out);
        if !self.running {
            self.work(scope);
        }
    }
}

impl EngineWorker {
    fn work(&mut self, scope: &WorkerScope<Self>) {
        let mut out = Vec::new();
        let more = self.pump.run_for(SLICE_MS, &mut out);
        self.say(scope, out);
        if more {
            self.running = true;
            let scope = scope.clone();
            // A timer, not a promise: messages from the page get their turn in between.
            Timeout::new(0, move || scope.send_message(Slice)).forget();
        }
    }

    fn say(&self, scope: &WorkerScope<Self>, out: Vec<FromEngine>) {
        if let Some(page) = self.page {
            for message in out {
                scope.respond(page, message);
            }
        }
    }
}

/// The page's end of it.
pub(super) struct WorkerHost {
    bridge: RefCell<Option<WorkerBridge<EngineWorker>>>,
    dead: Rc<Cell<bool>>,
    _errors: EventListener,
    _patience: Timeout,
}

impl WorkerHost {
    pub(super) fn start(events: Callback<HostEvent>) -> Self {
        let heard = Rc::new(Cell::new(false));
        let dead = Rc::new(Cell::new(false));
        let bridge = EngineWorker::spawner()
            .callback({
                let heard = heard.clone();
                let dead = dead.clone();
                let events = events.clone();
                move |message| {
                    heard.set(true);
                    if !dead.get() {
                        events.emit(HostEvent::Said(message));
                    }
                }
            })
            .with_loader(true)
            .encoding::<Postcard>()
            .spawn(&beside("static/worker_boot.js"));
        // An error that the worker does not catch is reported to the window that owns it.
        let errors = EventListener::new(&gloo::utils::window(), "error", {
            let heard = heard.clone();
            let dead = dead.clone();
            let events = events.clone();
            move |event| {
                let Some(error) = event.dyn_ref::<web_sys::ErrorEvent>() else {
                    return;
                };
                if error.filename().contains("worker") && !dead.replace(true) {
                    events.emit(if heard.get() {
                        let message = error.message();
                        let text = message.strip_prefix("Uncaught Error: ").unwrap_or(&message);
                        HostEvent::Died(text.to_owned())
                    } else {
                        HostEvent::Unusable
                    });
                }
            }
        });
        let patience = Timeout::new(START_WITHIN_MS, {
            let dead = dead.clone();
            move || {
                if !heard.get() && !dead.replace(true) {
                    events.emit(HostEvent::Unusable);
                }
            }
        });
        WorkerHost {
            bridge: RefCell::new(Some(bridge)),
            dead,
            _errors: errors,
            _patience: patience,
        }
    }
}

impl Host for WorkerHost {
    fn send(&self, message: ToEngine) {
        if let Some(bridge) = &*self.bridge.borrow() {
            bridge.send(message);
        }
    }
}

impl Drop for WorkerHost {
    fn drop(&mut self) {
        self.dead.set(true);
    }
}
