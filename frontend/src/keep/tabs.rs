//! Records which runs are open in this tab, with one Web Lock for each run.
//!
//! The tab holds a lock until the page is closed or releases the lock. Without Web Locks (in an old browser or without
//! HTTPS), any tab can open a run. A token in localStorage then names the tab that opened the run last, and each tab
//! checks the token before it writes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use gloo::timers::future::TimeoutFuture;
use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::RunId;

/// The maximum number of attempts to get a lock. After a reload, the old page releases its locks shortly after the new
/// page starts.
const TRIES: u32 = 8;
const BETWEEN_TRIES_MS: u32 = 60;

/// The runs that are open in this tab, with the function that releases the lock of each run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tabs {
    held: Rc<RefCell<BTreeMap<RunId, Function>>>,
}

#[wasm_bindgen]
extern "C" {
    type LockManager;
    #[wasm_bindgen(method, catch)]
    fn request(
        this: &LockManager,
        name: &str,
        options: &JsValue,
        callback: &JsValue,
    ) -> Result<Promise, JsValue>;
}

impl Tabs {
    /// Takes the lock of a run; returns false if another tab holds the lock.
    pub(crate) async fn take(&self, id: &str) -> bool {
        for attempt in 0..TRIES {
            if attempt > 0 {
                TimeoutFuture::new(BETWEEN_TRIES_MS).await;
            }
            if self.held.borrow().contains_key(id) || self.try_take(id).await {
                return true;
            }
        }
        false
    }

    /// Takes the lock of a new run. No other tab can know the run yet, so no other tab has the lock.
    pub(crate) fn take_new(&self, id: &str) {
        if !self.held.borrow().contains_key(id) {
            drop(self.request(id));
        }
    }

    pub(crate) fn leave(&self, id: &str) {
        if let Some(release) = self.held.borrow_mut().remove(id) {
            release.call0(&JsValue::UNDEFINED).ok();
        }
    }

    async fn try_take(&self, id: &str) -> bool {
        match self.request(id) {
            Some(granted) => JsFuture::from(granted)
                .await
                .is_ok_and(|granted| granted.is_truthy()),
            None => true,
        }
    }

    /// Returns a promise that resolves to true if the lock is granted; `None` if the browser has no Web Locks.
    fn request(&self, id: &str) -> Option<Promise> {
        let window = gloo::utils::window();
        let navigator = Reflect::get(&window, &"navigator".into()).ok()?;
        let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
        if locks.is_falsy() {
            return None;
        }
        let locks: LockManager = locks.unchecked_into();
        let options = Object::new();
        Reflect::set(&options, &"ifAvailable".into(), &JsValue::TRUE).ok()?;
        let name = format!("watchglass.run.{id}");
        let (held, id) = (self.held.clone(), id.to_owned());
        let mut failed = false;
        let granted = Promise::new(&mut |answer, _| {
            let (held, id) = (held.clone(), id.clone());
            // The lock is held until the promise that this callback returns is resolved.
            let callback = Closure::once_into_js(move |lock: JsValue| {
                if lock.is_falsy() {
                    answer.call1(&JsValue::UNDEFINED, &JsValue::FALSE).ok();
                    return JsValue::UNDEFINED;
                }
                let until = Promise::new(&mut |release, _| {
                    held.borrow_mut().insert(id.clone(), release);
                });
                answer.call1(&JsValue::UNDEFINED, &JsValue::TRUE).ok();
                until.into()
            });
            failed = locks.request(&name, &options, &callback).is_err();
        });
        (!failed).then_some(granted)
    }
}
