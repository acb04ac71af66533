//! The store: holds the page's state and carries out effects.
//!
//! There is one [`Store`] per page. Components get a [`StoreHandle`] from [`use_store`]: the state at the time of the
//! rendering, and the method `dispatch`. Two handles are equal if and only if nothing has changed between their
//! renderings, so Yew skips unnecessary renderings.

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
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use watchglass_engine::session::foreign::{ForeignFile, START_BYTES, foreign_file};
use watchglass_engine::session::latency::LabSetting;
use watchglass_engine::session::protocol::{Move, Notification, Request, ToEngine};
use watchglass_engine::view::Views;
use web_sys::{Blob, File, HtmlElement};
use yew::prelude::*;

use crate::browser::file;
use crate::host::{self, Failure, Host, HostEvent, HostKind, Program};
use crate::state::action::Action;
use crate::state::action::PlaybackAct;
use crate::state::action::RunAct;
use crate::state::choices::{Sharing, View};
use crate::state::effect::{Effect, ScriptReply};
use crate::state::file_panel::{ComparisonAct, FileAct};
use crate::state::flow::State;
use crate::state::line::PromptLine;
use crate::state::practice::Practice;
use crate::state::prefs::Prefs;
use crate::state::reduce::reduce;
use crate::state::ui::{Figure, Ui};
use crate::widgets::Shared;
use crate::words::{file as file_words, state as words};

pub use keeper::Keeper;

/// The minimum delay of playback after the reader has pointed or typed, in milliseconds.
const READER_MS: f64 = 1500.0;
/// The time without changes after which the run is saved.
const SAVE_AFTER_MS: u32 = 300;
/// The time between two reports of the progress of unpacking a file, in milliseconds.
const PROGRESS_MS: f64 = 100.0;
/// The maximum size of a database file that an engine in this thread reads, in bytes. The whole file is in memory.
const INLINE_BYTES_MAX: u64 = 1 << 30;
pub const PROMPT_ID: &str = "wg-prompt";

/// The store: the page's state, the host of the engine, and timers.
pub struct Store {
    state: RefCell<State>,
    host: RefCell<Option<Host>>,
    /// The Lab's program; started when the reader opens the Lab.
    lab: RefCell<Option<Host>>,
    /// Saves runs. A figure has no keeper, because it saves no runs.
    keeper: RefCell<Option<Rc<Keeper>>>,
    kind: HostKind,
    listener: RefCell<Option<Callback<()>>>,
    /// The replies to scripts that wait for the rendering.
    replies: RefCell<Vec<(u32, ScriptReply)>>,
    queue: RefCell<VecDeque<Action>>,
    draining: Cell<bool>,
    /// The database file that the engine gets next: a `File`, or its bytes for an engine in this thread.
    file: RefCell<Option<JsValue>>,
    tick: RefCell<Option<Timeout>>,
    /// The time of the last move of playback.
    played_at: Cell<f64>,
    /// The time of the last pointer or keyboard input.
    touched_at: Cell<f64>,
    save: RefCell<Option<Timeout>>,
    frame: RefCell<Option<AnimationFrame>>,
}

impl Store {
    /// Creates a store without an engine; [`RunAct::Begin`] starts the engine.
    pub fn new(prefs: Prefs, kind: HostKind) -> Rc<Self> {
        Rc::new(Store {
            state: RefCell::new(State::new(prefs)),
            host: RefCell::new(None),
            lab: RefCell::new(None),
            keeper: RefCell::new(None),
            kind,
            listener: RefCell::new(None),
            replies: RefCell::new(Vec::new()),
            queue: RefCell::new(VecDeque::new()),
            draining: Cell::new(false),
            file: RefCell::new(None),
            tick: RefCell::new(None),
            played_at: Cell::new(0.0),
            touched_at: Cell::new(0.0),
            save: RefCell::new(None),
            frame: RefCell::new(None),
        })
    }

    /// Sets the function that is called after every change.
    pub fn listen(&self, listener: Callback<()>) {
        self.listener.replace(Some(listener));
    }

    /// Starts saving runs; the ids of new runs begin with `ids`.
    pub fn keep_with(&self, keeper: Rc<Keeper>, ids: String) {
        self.keeper.replace(Some(keeper));
        self.state.borrow_mut().flow.runs.ids = ids;
    }

    /// Restores the half-typed line of the last visit.
    pub fn take_up_draft(&self, draft: String) {
        self.state.borrow_mut().line_mut().draft = draft;
    }

    /// Restores the learner's progress of the last visit.
    pub fn take_up_progress(&self, progress: String) {
        self.state.borrow_mut().flow.progress = progress;
    }

    /// Restores the results of practice of the last visit.
    pub fn take_up_practice(&self, practice: Practice) {
        self.state.borrow_mut().ui_mut().practice = practice;
    }

    /// Restores the Lab's settings of the last visit.
    pub fn take_up_lab(&self, settings: [LabSetting; 2]) {
        self.state.borrow_mut().ui_mut().lab.settings = settings;
    }

    pub fn be_figure(&self, figure: Figure) {
        self.state.borrow_mut().ui_mut().figure = Some(figure);
    }

    /// Shows this view first, regardless of the preferences.
    pub fn show_first(&self, view: View) {
        let mut state = self.state.borrow_mut();
        let ui = state.ui_mut();
        ui.prefs.view = view;
        ui.subject = view.subject();
    }

    /// Starts following the beats: the page switches to the view that each beat names.
    pub fn follow_beats(&self) {
        self.state.borrow_mut().flow.follows_beats = true;
    }

    /// Lays out the page for a reader of a story until the first views arrive.
    pub fn begin_with_story(&self) {
        self.state.borrow_mut().ui_mut().begins_with_story = true;
    }

    pub fn play_when_seen(&self) {
        self.state.borrow_mut().flow.play_when_seen = true;
    }

    /// Opens a database file, which is unpacked first if it is compressed with gzip. `open` is the action that opens
    /// the file.
    pub fn open_file(self: &Rc<Self>, file: File, open: FileAct) {
        let store = self.clone();
        spawn_local(async move {
            let start = file::start(&file, START_BYTES as u32).await;
            let format = start.and_then(|start| foreign_file(&start));
            let act = match format {
                Some(ForeignFile::Gzip) => store.unpack(&file, open).await,
                _ => Some(store.hand_over(&file, open).await),
            };
            if let Some(act) = act {
                store.dispatch(Action::File(act));
            }
        });
    }

    /// Unpacks a gzip file, and hands the content over to the engine. Returns the action that follows; `None` if the
    /// user cancelled.
    async fn unpack(self: &Rc<Self>, file: &File, open: FileAct) -> Option<FileAct> {
        let total = file.size() as u64;
        let (store, shown) = (self.clone(), Rc::new(Cell::new(0.0)));
        let opening = open.clone();
        // Returns true if the user has not cancelled.
        let progress = move |done: f64| {
            let now = Date::now();
            let is_first = shown.get() == 0.0;
            if is_first || now - shown.get() >= PROGRESS_MS {
                if !is_first && !store.state.borrow().ui.file.is_unpacking() {
                    return false;
                }
                shown.set(now);
                let (open, done) = (Box::new(opening.clone()), done as u64);
                store.dispatch(Action::File(FileAct::Unpack { open, done, total }));
            }
            true
        };
        let unpacked = file::unpacked(file, progress).await;
        if !self.state.borrow().ui.file.is_unpacking() {
            return None;
        }
        match unpacked {
            Some(content) => {
                let open = open.unpacked(content.size() as u64);
                Some(self.hand_over(&content, open).await)
            }
            None => Some(FileAct::Refuse {
                open: Box::new(open),
                why: file_words::damaged_gzip(&file.name()),
            }),
        }
    }

    /// Hands a file over to the engine. A worker reads the file itself; for an engine in this thread, the page reads
    /// the file first. Returns the action that follows.
    async fn hand_over(&self, content: &Blob, open: FileAct) -> FileAct {
        let content = match self.kind {
            HostKind::Inline if content.size() as u64 > INLINE_BYTES_MAX => {
                Err(words::FILE_TOO_LARGE)
            }
            HostKind::Inline => file::whole(content).await.ok_or(words::FILE_CHANGED),
            _ => Ok(content.into()),
        };
        match content {
            Ok(content) => {
                self.file.replace(Some(content));
                open
            }
            Err(why) => FileAct::Refuse {
                open: Box::new(open),
                why: why.to_owned(),
            },
        }
    }

    /// Returns the handle with which components read the state and dispatch actions.
    pub fn handle(self: &Rc<Self>) -> StoreHandle {
        let state = self.state.borrow();
        StoreHandle {
            views: state.views.clone(),
            ui: state.ui.clone(),
            store: self.clone(),
        }
    }

    pub fn line(&self) -> Shared<PromptLine> {
        Shared(self.state.borrow().line.clone())
    }

    /// Executes an action. If another action is being executed, the new action waits until that action is finished.
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

    /// Returns true if the browser certainly draws this page, so that the page gets animation frames. A page in the
    /// background gets no frames. A figure gets no frames while it is outside the visible area, so this method returns
    /// false for every figure.
    pub fn has_frames(&self) -> bool {
        !gloo::utils::document().hidden() && self.state.borrow().ui.figure.is_none()
    }

    /// Returns true if scripts wait for replies that the engine has given.
    pub fn has_replies(&self) -> bool {
        !self.replies.borrow().is_empty()
    }

    /// Gives the scripts their replies. The page calls this method after a rendering, so that the page already shows
    /// the state that the replies describe.
    pub fn give_replies(&self) {
        for (ticket, reply) in self.replies.take() {
            api::reply(ticket, reply);
        }
    }

    fn carry_out(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::Send(message) => {
                if matches!(
                    message,
                    ToEngine::Request(_, Request::Move(Move::PlayOn(_)))
                ) {
                    self.played_at.set(Date::now());
                }
                if let Some(host) = &*self.host.borrow() {
                    host.send(&message);
                }
            }
            Effect::OfferFile => {
                if let (Some(host), Some(file)) = (&*self.host.borrow(), self.file.take()) {
                    host.offer(&file);
                }
            }
            Effect::SayWhenDrawn { goes_on: false } => {
                self.carry_out(Effect::Send(Notification::Drawn.into()));
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
                let timer = Timeout::new(SAVE_AFTER_MS, move || {
                    store.dispatch(Action::Run(RunAct::SaveNow))
                });
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
            Effect::WritePractice(text) => local::write_practice(&text),
            Effect::WritePrefs(prefs) => local::write_prefs(&prefs.to_line()),
            Effect::ApplyTheme(chosen) => theme::apply(chosen),
            Effect::Share(Sharing::Link, link) => share::copy_link(self, &link),
            Effect::Share(Sharing::EmbedCode, link) => share::copy_embed_code(self, &link),
            Effect::Share(Sharing::QrCode, link) => share::show_qr_code(self, &link),
            Effect::SavePicture(picture, format) => share::save_picture(self, picture, format),
            Effect::Download(link) => share::download(self, &link),
            Effect::SaveFile { name, bytes } => share::save_file(self, &name, &bytes),
            Effect::FocusPrompt => focus_prompt(),
            Effect::Emit(event) => api::emit(&event),
            Effect::Reply { ticket, reply } => self.replies.borrow_mut().push((ticket, reply)),
        }
    }

    /// Dispatches a tick after `ms` milliseconds. If the delay is reading time, also waits until the reader has stopped
    /// pointing and typing for a moment. Otherwise, the time that the engine took for the picture counts as a part of
    /// the delay, so that playback is not slower in runs whose pictures take long.
    fn tick_in(self: &Rc<Self>, number: u32, ms: u32, is_rest: bool) {
        let store = self.clone();
        let elapsed_ms = Date::now() - self.played_at.get();
        let ms = match is_rest {
            true => ms,
            false => ms.saturating_sub(elapsed_ms as u32),
        };
        let timer = Timeout::new(ms, move || {
            let quiet_ms = Date::now() - store.touched_at.get();
            if is_rest && quiet_ms < READER_MS {
                store.tick_in(number, (READER_MS - quiet_ms) as u32 + 1, true);
            } else {
                store.dispatch(Action::Playback(PlaybackAct::Tick(number)));
            }
        });
        self.tick.replace(Some(timer));
    }

    /// Records that the reader points at something or types.
    pub fn touched(&self) {
        self.touched_at.set(Date::now());
    }

    /// Notifies the engine once the current picture is on the screen. The first frame draws the picture; when the
    /// second frame begins, the picture is on the screen. A figure outside the visible area gets no frames, so it
    /// receives only the pictures that the engine sends together with a response.
    fn say_when_drawn(self: &Rc<Self>) {
        let store = self.clone();
        let draws = request_animation_frame(move |_| {
            let next = store.clone();
            let shows = request_animation_frame(move |_| {
                next.carry_out(Effect::Send(Notification::Drawn.into()));
            });
            store.frame.replace(Some(shows));
        });
        self.frame.replace(Some(draws));
    }

    /// Ends the current engine, if any, and starts a new engine.
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

    /// Starts the Lab's program, which runs beside the engine.
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
        // Take the host out first: no borrow may be active while a worker ends.
        let ended = self.host.take();
        drop(ended);
    }
}

/// Focuses the prompt: immediately, so that no typed letter is lost, or after the next rendering if the terminal is
/// about to open.
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

/// The state at the time of one rendering, and `dispatch`.
#[derive(Clone)]
pub struct StoreHandle {
    pub views: Rc<Views>,
    /// The user's choices on this page.
    pub ui: Rc<Ui>,
    store: Rc<Store>,
}

impl StoreHandle {
    /// Returns the current text of the prompt. A component that reads the text with this method is not rendered again
    /// when the text changes.
    pub fn draft(&self) -> String {
        self.store.line().draft.clone()
    }

    pub fn dispatch(&self, action: Action) {
        self.store.dispatch(action);
    }

    /// Records that the reader points at something or types.
    pub fn touched(&self) {
        self.store.touched();
    }

    pub fn open_file(&self, file: File) {
        self.store.open_file(
            file.clone(),
            FileAct::Open {
                name: file.name(),
                bytes: file.size() as u64,
                script: None,
            },
        );
    }

    /// Opens a database file to compare it with the open file.
    pub fn open_other_file(&self, file: File) {
        let open = ComparisonAct::Open {
            name: file.name(),
            bytes: file.size() as u64,
        };
        self.store.open_file(file, FileAct::Comparison(open));
    }

    /// Returns a callback that makes an action from the event, and dispatches the action.
    pub fn on<E: 'static>(&self, action: impl Fn(E) -> Action + 'static) -> Callback<E> {
        let store = self.store.clone();
        Callback::from(move |event| store.dispatch(action(event)))
    }

    /// Returns a callback that dispatches `action` for every event.
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

pub type StoreContext = StoreHandle;

/// Returns the handle of the store. Outside of the page's provider, the handle belongs to a store without an engine,
/// so that a panel can be rendered alone.
#[hook]
pub fn use_store() -> StoreHandle {
    let context = use_context::<StoreContext>();
    context.unwrap_or_else(|| Store::new(Prefs::default(), HostKind::Inline).handle())
}

/// Returns the state of the prompt at the time of this rendering. The prompt has a context of its own, so that a key
/// press renders only the components that show the prompt.
#[hook]
pub fn use_line() -> Shared<PromptLine> {
    use_context::<Shared<PromptLine>>().unwrap_or_default()
}
