//! The place where the state lives, and where effects are carried out.
//!
//! One [`Store`] per page. Components get a [`StoreHandle`] from [`use_store`]: the state as of this
//! rendering, and `dispatch`. The handle of one rendering equals the next one's exactly when
//! nothing has changed, so that Yew renders nothing needlessly.

pub mod api;
mod keeper;
pub mod local;
pub mod share;
pub mod theme;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::Timeout;
use js_sys::Date;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use watchglass_engine::session::latency::LabSetting;
use watchglass_engine::session::protocol::ToEngine;
use watchglass_engine::view::Views;
use web_sys::{File, HtmlElement};
use yew::prelude::*;

use crate::browser::file;
use crate::host::{self, Failure, Host, HostEvent, HostKind, Program};
use crate::keep::Keep;
use crate::state::action::Action;
use crate::state::effect::Effect;
use crate::state::file::FileAct;
use crate::state::flow::State;
use crate::state::line::PromptLine;
use crate::state::prefs::Prefs;
use crate::state::reduce::reduce;
use crate::state::ui::{Figure, Ui, View};
use crate::widgets::Shared;

pub use keeper::Keeper;

/// A reader who points or types is waited for until this long afterwards.
const READER_MS: f64 = 1500.0;
/// Quiet time after which the run is kept.
const SAVE_AFTER_MS: u32 = 300;
/// The prompt's element, which an effect puts the keyboard into.
pub const PROMPT_ID: &str = "wg-prompt";

/// What keeps runs over a reload. A figure has none, and its program does not hold the code.
pub trait KeepRuns {
    /// Executes the operation; actions deliver the result.
    fn carry_out(&self, store: &Rc<Store>, keep: Keep);
    /// Handles a message of the engine.
    fn heard(&self);
}

/// The state, the engine's host, and timers.
pub struct Store {
    state: RefCell<State>,
    host: RefCell<Option<Host>>,
    /// The lab's program, once the lab was opened.
    lab: RefCell<Option<Host>>,
    keeper: RefCell<Option<Box<dyn KeepRuns>>>,
    kind: HostKind,
    listener: RefCell<Option<Callback<()>>>,
    queue: RefCell<VecDeque<Action>>,
    draining: Cell<bool>,
    /// The file from outside that is read piece by piece.
    file: RefCell<Option<File>>,
    tick: RefCell<Option<Timeout>>,
    /// The time of the last pointer or keyboard input.
    touched_at: Cell<f64>,
    save: RefCell<Option<Timeout>>,
    frame: RefCell<Option<AnimationFrame>>,
}

impl Store {
    /// A store without an engine; [`Action::Begin`] starts one.
    pub fn new(prefs: Prefs, kind: HostKind) -> Rc<Self> {
        Rc::new(Store {
            state: RefCell::new(State::new(prefs)),
            host: RefCell::new(None),
            lab: RefCell::new(None),
            keeper: RefCell::new(None),
            kind,
            listener: RefCell::new(None),
            queue: RefCell::new(VecDeque::new()),
            draining: Cell::new(false),
            file: RefCell::new(None),
            tick: RefCell::new(None),
            touched_at: Cell::new(0.0),
            save: RefCell::new(None),
            frame: RefCell::new(None),
        })
    }

    /// Calls this after every change.
    pub fn listen(&self, listener: Callback<()>) {
        self.listener.replace(Some(listener));
    }

    /// Runs are kept from now on; the ids of new ones begin with that.
    pub fn keep_with(&self, keeper: Box<dyn KeepRuns>, ids: String) {
        self.keeper.replace(Some(keeper));
        self.state.borrow_mut().flow.runs.ids = ids;
    }

    /// The half-typed line of the last visit.
    pub fn take_up_draft(&self, draft: String) {
        self.state.borrow_mut().line_mut().draft = draft;
    }

    /// Applies the learner's progress of the last visit.
    pub fn take_up_progress(&self, progress: String) {
        self.state.borrow_mut().flow.progress = progress;
    }

    /// The lab's settings at the last visit.
    pub fn take_up_lab(&self, settings: [LabSetting; 2]) {
        self.state.borrow_mut().ui_mut().lab.settings = settings;
    }

    /// Turns this page into an embedded figure.
    pub fn be_figure(&self, figure: Figure) {
        self.state.borrow_mut().ui_mut().figure = Some(figure);
    }

    /// That picture is on the stage at first, whatever is preferred.
    pub fn show_first(&self, view: View) {
        let mut state = self.state.borrow_mut();
        let ui = state.ui_mut();
        ui.prefs.view = view;
        ui.subject = view.subject();
    }

    /// The pictures that the run names are shown.
    pub fn follow_beats(&self) {
        self.state.borrow_mut().flow.follows_beats = true;
    }

    /// Plays as soon as there is something to be seen.
    pub fn play_when_seen(&self) {
        self.state.borrow_mut().flow.play_when_seen = true;
    }

    /// Opens a database file from outside, which is read piece by piece.
    pub fn open_file(self: &Rc<Self>, file: File) {
        let (name, bytes) = (file.name(), file.size() as u64);
        self.file.replace(Some(file));
        self.dispatch(Action::File(FileAct::Open { name, bytes }));
    }

    /// The handle for components.
    pub fn handle(self: &Rc<Self>) -> StoreHandle {
        let state = self.state.borrow();
        StoreHandle {
            views: state.views.clone(),
            ui: state.ui.clone(),
            store: self.clone(),
        }
    }

    /// The line at the prompt.
    pub fn line(&self) -> Shared<PromptLine> {
        Shared(self.state.borrow().line.clone())
    }

    /// Does it. An action dispatched while another is carried out waits for its turn.
    pub fn dispatch(self: &Rc<Self>, action: Action) {
        self.queue.borrow_mut().push_back(action);
        if self.draining.replace(true) {
            return;
        }
        loop {
            let next = self.queue.borrow_mut().pop_front();
            let Some(action) = next else { break };
            let effects = reduce(&mut self.state.borrow_mut(), action);
            for effect in effects {
                self.carry_out(effect);
            }
        }
        if let Some(host) = &*self.host.borrow() {
            host.expect(self.state.borrow().pending().next().is_some());
        }
        if let Some(lab) = &*self.lab.borrow() {
            lab.expect(self.state.borrow().ui.lab.running.is_some());
        }
        self.draining.set(false);
        let listener = self.listener.borrow().clone();
        if let Some(listener) = listener {
            listener.emit(());
        }
    }

    fn carry_out(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::Send(message) => {
                if let Some(host) = &*self.host.borrow() {
                    host.send(&message);
                }
            }
            Effect::ReadFile { id, from } => {
                let (store, file) = (self.clone(), self.file.borrow().clone());
                spawn_local(async move {
                    let bytes = match file {
                        Some(file) => file::read(&file, from).await,
                        None => Err("The file is no longer open. Choose it again.".to_owned()),
                    };
                    store.dispatch(Action::File(FileAct::Read { id, bytes }));
                });
            }
            Effect::SayWhenDrawn { goes_on: false } => {
                self.carry_out(Effect::Send(ToEngine::Drawn));
            }
            Effect::SayWhenDrawn { goes_on: true } => self.say_when_drawn(),
            Effect::Fetch(name) => {
                let store = self.clone();
                spawn_local(async move {
                    let text = host::fetch(&name).await;
                    store.dispatch(Action::Fetched { name, text });
                });
            }
            Effect::RestartHost => self.start_host(),
            Effect::SendLab(message) => {
                let is_new = self.lab.borrow().is_none();
                if is_new {
                    self.start_lab();
                }
                if let Some(lab) = &*self.lab.borrow() {
                    lab.send(&message);
                }
            }
            Effect::EndLab => drop(self.lab.take()),
            Effect::TickIn {
                number,
                ms,
                is_rest,
            } => self.tick_in(number, ms, is_rest),
            Effect::SaveSoon => {
                let store = self.clone();
                let timer = Timeout::new(SAVE_AFTER_MS, move || store.dispatch(Action::SaveNow));
                self.save.replace(Some(timer));
            }
            Effect::Keep(keep) => {
                if let Some(keeper) = &*self.keeper.borrow() {
                    keeper.carry_out(self, keep);
                }
            }
            Effect::WriteDraft(text) => local::write_draft(&text),
            Effect::WriteLab(text) => local::write_lab(&text),
            Effect::WriteProgress(text) => {
                if !local::write_progress(&text) {
                    self.dispatch(Action::ProgressNotKept);
                }
            }
            Effect::WritePrefs(prefs) => local::write_prefs(&prefs.to_line()),
            Effect::ApplyTheme(chosen) => theme::apply(chosen),
            Effect::CopyLink(link) => share::copy_link(self, &link),
            Effect::Download(link) => share::download(self, &link),
            Effect::SaveFile { name, bytes } => share::save_file(self, &name, &bytes),
            Effect::FocusPrompt => focus_prompt(),
            Effect::Emit(event) => api::emit(&event),
            Effect::Reply { ticket, reply } => api::reply(ticket, reply),
        }
    }

    /// Rings after so many milliseconds; from a rest, only after the reader has not pointed or typed for a moment.
    fn tick_in(self: &Rc<Self>, number: u32, ms: u32, is_rest: bool) {
        let store = self.clone();
        let timer = Timeout::new(ms, move || {
            let quiet_ms = Date::now() - store.touched_at.get();
            if is_rest && quiet_ms < READER_MS {
                store.tick_in(number, (READER_MS - quiet_ms) as u32 + 1, true);
            } else {
                store.dispatch(Action::Tick(number));
            }
        });
        self.tick.replace(Some(timer));
    }

    /// The reader points at something or types.
    pub fn touched(&self) {
        self.touched_at.set(Date::now());
    }

    /// Asks for the next picture once this one is on the screen: the first frame draws it, and the second begins after
    /// that. A figure that is scrolled out of sight has no frames, and gets no pictures but those that belong to an
    /// answer.
    fn say_when_drawn(self: &Rc<Self>) {
        let store = self.clone();
        let draws = request_animation_frame(move |_| {
            let next = store.clone();
            let shows = request_animation_frame(move |_| {
                next.carry_out(Effect::Send(ToEngine::Drawn));
            });
            store.frame.replace(Some(shows));
        });
        self.frame.replace(Some(draws));
    }

    /// Ends the current engine, if any, and starts another engine.
    fn start_host(self: &Rc<Self>) {
        self.end_host();
        let store = self.clone();
        let events = Callback::from(move |event| match event {
            HostEvent::Said(bytes) => {
                let Ok(message) = postcard::from_bytes(&bytes) else {
                    store.end_host();
                    store.dispatch(Action::HostFailed(Failure::other_release()));
                    return;
                };
                if let Some(keeper) = &*store.keeper.borrow() {
                    keeper.heard();
                }
                store.dispatch(Action::Engine(message));
            }
            HostEvent::Silent(is_silent) => store.dispatch(Action::HostSilent(is_silent)),
            HostEvent::Failed(failure) => {
                store.end_host();
                store.dispatch(Action::HostFailed(failure));
            }
        });
        let host = Host::start(self.kind, Program::Engine, events);
        self.host.replace(Some(host));
    }

    /// Starts the lab's program, beside the engine.
    fn start_lab(self: &Rc<Self>) {
        let store = self.clone();
        let failed = move |failure| {
            drop(store.lab.take());
            store.dispatch(Action::LabFailed(failure));
        };
        let store = self.clone();
        let events = Callback::from(move |event| match event {
            HostEvent::Said(bytes) => match postcard::from_bytes(&bytes) {
                Ok(message) => store.dispatch(Action::LabSaid(message)),
                Err(_) => failed(Failure::other_release()),
            },
            HostEvent::Silent(is_silent) => store.dispatch(Action::LabSilent(is_silent)),
            HostEvent::Failed(failure) => failed(failure),
        });
        self.lab
            .replace(Some(Host::start(self.kind, Program::Lab, events)));
    }

    fn end_host(&self) {
        // Taken out first: nothing may be borrowed while a worker is ended.
        let ended = self.host.take();
        drop(ended);
    }
}

/// Focuses the prompt at once, so that no typed letter is lost; or, when the terminal is just
/// opening, after the next rendering.
fn focus_prompt() {
    if !try_focus_prompt() {
        Timeout::new(0, || {
            try_focus_prompt();
        })
        .forget();
    }
}

fn try_focus_prompt() -> bool {
    let document = gloo::utils::document();
    let prompt = document.get_element_by_id(PROMPT_ID);
    let Some(prompt) = prompt.and_then(|element| element.dyn_into::<HtmlElement>().ok()) else {
        return false;
    };
    prompt.focus().ok();
    document
        .active_element()
        .is_some_and(|active| active.id() == PROMPT_ID)
}

/// The state as of one rendering, and the way to change it.
#[derive(Clone)]
pub struct StoreHandle {
    /// The last views from the engine.
    pub views: Rc<Views>,
    /// The user's choices on this page.
    pub ui: Rc<Ui>,
    store: Rc<Store>,
}

impl StoreHandle {
    /// What stands at the prompt now, for what does not draw it.
    pub fn draft(&self) -> String {
        self.store.line().draft.clone()
    }

    /// Dispatches an action.
    pub fn dispatch(&self, action: Action) {
        self.store.dispatch(action);
    }

    /// The reader points at something or types.
    pub fn touched(&self) {
        self.store.touched();
    }

    /// Opens a database file from outside.
    pub fn open_file(&self, file: File) {
        self.store.open_file(file);
    }

    /// A callback that dispatches the action made from its event.
    pub fn on<E: 'static>(&self, action: impl Fn(E) -> Action + 'static) -> Callback<E> {
        let store = self.store.clone();
        Callback::from(move |event| store.dispatch(action(event)))
    }

    /// A callback that dispatches this whatever the event is.
    pub fn on_click(&self, action: Action) -> Callback<MouseEvent> {
        self.on(move |_| action.clone())
    }
}

impl PartialEq for StoreHandle {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.views, &other.views)
            && Rc::ptr_eq(&self.ui, &other.ui)
            && Rc::ptr_eq(&self.store, &other.store)
    }
}

/// The context that carries it.
pub type StoreContext = StoreHandle;

/// The state and the way to change it. Outside of the page's provider it is a store without an
/// engine, so that a panel can be rendered alone.
#[hook]
pub fn use_store() -> StoreHandle {
    let context = use_context::<StoreContext>();
    context.unwrap_or_else(|| Store::new(Prefs::default(), HostKind::Inline).handle())
}

/// The line at the prompt as of this rendering. It is a context of its own, so that a key press renders only what
/// shows the line.
#[hook]
pub fn use_line() -> Shared<PromptLine> {
    use_context::<Shared<PromptLine>>().unwrap_or_default()
}
