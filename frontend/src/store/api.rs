//! `window.watchglass`: the actions of a user as functions for scripts. Every function returns a promise. A function
//! that moves the cursor settles its promise when the page shows the step.
//!
//! The functions are `ready`, `exec(line)`, `state()`, `step(n)`,
//! `seek({beat} | {step} | {time_us} | {revision} | {branch})`, `play()`, `pause()`, `load(name, text or link)`,
//! `explore({file, profile})`, `fork()`, `permalink()`, for figures `theme(name)`, and for the page that is attached to
//! an etcd `etcdRequest(line)` and `etcdResponse({line, response})`.
//!
//! Scripts receive events with the name `watchglass` on the window. The `detail` of an event contains a `type`
//! (`step`, `statechange`, `paused`, `error` or `linkcopied`) and the fields of that type.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use js_sys::{Array, Error, Function, JSON, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use watchglass_engine::session::permalink::is_link;
use watchglass_engine::session::protocol::{Move, Read, SeekTo, Source};
use web_sys::{CustomEvent, CustomEventInit, File};

use crate::address;
use crate::state::action::LayoutAct;
use crate::state::action::PlaybackAct;
use crate::state::action::{Action, Ask};
use crate::state::choices::Theme;
use crate::state::effect::Happened;
use crate::state::effect::ScriptReply;
use crate::state::file_panel::{FileAct, FileScript};
use crate::store::Store;

/// The name of the events on the window.
const EVENT: &str = "watchglass";

thread_local! {
    static WAITING: RefCell<BTreeMap<u32, (Function, Function)>> =
        const { RefCell::new(BTreeMap::new()) };
    static TICKET: Cell<u32> = const { Cell::new(0) };
}

/// Puts the `watchglass` object on the window.
pub fn offer(store: &Rc<Store>) {
    let api = Object::new();
    add_ready(&api, store);
    add(&api, "exec", store, |store, line| {
        ask(store, Ask::Exec(line.as_string().unwrap_or_default()))
    });
    add(&api, "permalink", store, |store, _| {
        ask(store, Ask::Permalink)
    });
    // `fork` runs as a typed command, so it can be undone and appears in links.
    add(&api, "fork", store, |store, _| {
        ask(store, Ask::Exec("fork".to_owned()))
    });
    add(&api, "theme", store, |store, name| {
        let name = name.as_string().unwrap_or_default();
        match Theme::from_name(&name) {
            Some(theme) => act(store, Action::Layout(LayoutAct::Theme(theme))),
            None => Promise::reject(&Error::new("theme takes auto, light, dark or projector")),
        }
    });
    add(&api, "state", store, |store, _| {
        ask(store, Ask::Read(Read::State))
    });
    add(&api, "etcdRequest", store, |store, line| {
        let line = line.as_string().unwrap_or_default();
        ask(store, Ask::Read(Read::EtcdRequest { line }))
    });
    add(&api, "etcdResponse", store, |store, what| {
        let field = |name: &str| Reflect::get(&what, &name.into()).unwrap_or_default();
        let text = |name: &str| field(name).as_string().unwrap_or_default();
        let (line, response) = (text("line"), text("response"));
        ask(store, Ask::Read(Read::EtcdResponse { line, response }))
    });
    add(&api, "step", store, |store, by| {
        ask(
            store,
            Ask::Move(Move::BySteps(by.as_f64().map_or(1, |by| by as i64))),
        )
    });
    add(&api, "seek", store, |store, to| match seek_from(&to) {
        Some(to) => ask(store, Ask::Move(to)),
        None => Promise::reject(&Error::new(
            "seek takes {beat}, {step}, {time_us}, {revision} or {branch}",
        )),
    });
    add(&api, "play", store, |store, _| {
        act(store, Action::Playback(PlaybackAct::Play))
    });
    add(&api, "pause", store, |store, _| {
        act(store, Action::Playback(PlaybackAct::Pause))
    });
    add(&api, "explore", store, |store, what| {
        let field = |name: &str| Reflect::get(&what, &name.into()).unwrap_or_default();
        match field("file").dyn_into::<File>() {
            Ok(file) => promise(|ticket| {
                let profile = field("profile").as_string().unwrap_or_default();
                let open = FileAct::Open {
                    name: file.name(),
                    bytes: file.size() as u64,
                    script: Some(FileScript { ticket, profile }),
                };
                store.open_file(file, open);
            }),
            Err(_) => Promise::reject(&Error::new("explore takes {file, profile}")),
        }
    });
    add(&api, "load", store, |store, what| {
        let text = what.as_string().unwrap_or_default();
        ask(store, Ask::Load(source_of(text)))
    });
    Reflect::set(&gloo::utils::window(), &"watchglass".into(), &api).ok();
}

/// Settles the promise that belongs to this ticket.
pub fn reply(ticket: u32, reply: ScriptReply) {
    let Some((resolve, reject)) = WAITING.with_borrow_mut(|waiting| waiting.remove(&ticket)) else {
        return;
    };
    let (function, value) = match reply {
        ScriptReply::Done => (resolve, JsValue::UNDEFINED),
        ScriptReply::Number(number) => (resolve, number.into()),
        ScriptReply::Link(text) => (resolve, format!("#{text}").into()),
        ScriptReply::Json(text) => match JSON::parse(&text) {
            Ok(value) => (resolve, value),
            Err(error) => (reject, error),
        },
        ScriptReply::Executed {
            output,
            error,
            exit,
        } => (
            resolve,
            object(&[
                ("output", output.into()),
                ("error", error.into()),
                ("exit", exit.into()),
            ]),
        ),
        ScriptReply::Loaded(text) => (
            resolve,
            object(&[
                ("differences", (text.differences as f64).into()),
                ("uncompared", (text.uncompared as f64).into()),
                ("skipped", (text.skipped as f64).into()),
            ]),
        ),
        ScriptReply::Refused(why) => (reject, Error::new(&why).into()),
    };
    function.call1(&JsValue::UNDEFINED, &value).ok();
}

fn ask(store: &Rc<Store>, ask: Ask) -> Promise {
    promise(|ticket| store.dispatch(Action::Ask { ticket, ask }))
}

/// Returns a promise that the reply to its ticket settles. `begin` starts the work.
fn promise(begin: impl FnOnce(u32)) -> Promise {
    let ticket = TICKET.with(|ticket| {
        ticket.set(ticket.get().wrapping_add(1));
        ticket.get()
    });
    let promise = Promise::new(&mut |resolve, reject| {
        WAITING.with_borrow_mut(|waiting| waiting.insert(ticket, (resolve, reject)));
    });
    begin(ticket);
    promise
}

fn act(store: &Rc<Store>, action: Action) -> Promise {
    store.dispatch(action);
    Promise::resolve(&JsValue::UNDEFINED)
}

fn add(
    api: &Object,
    name: &str,
    store: &Rc<Store>,
    function: impl Fn(&Rc<Store>, JsValue) -> Promise + 'static,
) {
    let store = store.clone();
    let closure =
        Closure::<dyn Fn(JsValue) -> Promise>::new(move |argument| function(&store, argument));
    Reflect::set(api, &name.into(), &closure.into_js_value()).ok();
}

/// Adds `ready` to the object. `ready` is a promise, and also a function that returns the same promise.
fn add_ready(api: &Object, store: &Rc<Store>) {
    add(api, "ready", store, |store, _| ask(store, Ask::Ready));
    let Ok(ready) = Reflect::get(api, &"ready".into()) else {
        return;
    };
    let store = store.clone();
    let then = Closure::<dyn Fn(JsValue, JsValue) -> JsValue>::new(move |done, failed| {
        let promise = ask(&store, Ask::Ready);
        Reflect::get(&promise, &"then".into())
            .ok()
            .and_then(|then| then.dyn_into::<Function>().ok())
            .and_then(|then| Reflect::apply(&then, &promise, &Array::of2(&done, &failed)).ok())
            .unwrap_or(JsValue::UNDEFINED)
    });
    Reflect::set(&ready, &"then".into(), &then.into_js_value()).ok();
}

fn seek_from(to: &JsValue) -> Option<Move> {
    let number = |name: &str| {
        let value = Reflect::get(to, &name.into()).ok()?;
        value.as_f64().filter(|number| number.is_finite())
    };
    if let Some(branch) = number("branch") {
        return Some(Move::ToBranch(branch as u32));
    }
    let to = if let Some(step) = number("step") {
        SeekTo::Step(step as u64)
    } else if let Some(beat) = number("beat") {
        SeekTo::Beat(beat as u64)
    } else if let Some(time_us) = number("time_us") {
        SeekTo::TimeUs(time_us as u64)
    } else {
        SeekTo::Revision(number("revision")? as i64)
    };
    Some(Move::To(to))
}

/// Returns the source that a text describes: a link, the name of a run (lowercase letters, digits, `-` and `.`), or a
/// lesson such as `lesson/L01`. Any other text is a transcript.
fn source_of(text: String) -> Source {
    if let Some(name) = text.strip_prefix("lesson/") {
        return Source::Lesson(name.trim().to_owned());
    }
    let is_link = is_link(text.trim_start_matches('#'));
    let is_name =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    if is_link || (!text.is_empty() && text.bytes().all(is_name)) {
        address::source(&text)
    } else {
        Source::Text(text)
    }
}

/// Sends an event to scripts.
pub fn emit(event: &Happened) {
    let (name, fields) = match event {
        Happened::Step {
            step,
            steps,
            beat,
            beats,
            revision,
            time_us,
        } => (
            "step",
            vec![
                ("step", (*step as f64).into()),
                ("steps", (*steps as f64).into()),
                ("beat", (*beat as f64).into()),
                ("beats", (*beats as f64).into()),
                ("revision", (*revision as f64).into()),
                ("time_us", (*time_us as f64).into()),
            ],
        ),
        Happened::Change {
            title,
            branch,
            steps,
            view,
            playing,
        } => (
            "statechange",
            vec![
                ("title", title.as_str().into()),
                ("branch", (*branch).into()),
                ("steps", (*steps as f64).into()),
                ("view", (*view).into()),
                ("playing", (*playing).into()),
            ],
        ),
        Happened::Paused(steps) => ("paused", vec![("steps", (*steps as f64).into())]),
        Happened::Error(message) => ("error", vec![("message", message.as_str().into())]),
        Happened::LinkCopied(link) => ("linkcopied", vec![("link", link.as_str().into())]),
    };
    let detail = object(&fields);
    Reflect::set(&detail, &"type".into(), &name.into()).ok();
    let init = CustomEventInit::new();
    init.set_detail(&detail);
    if let Ok(event) = CustomEvent::new_with_event_init_dict(EVENT, &init) {
        gloo::utils::window().dispatch_event(&event).ok();
    }
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        Reflect::set(&object, &(*name).into(), value).ok();
    }
    object.into()
}
