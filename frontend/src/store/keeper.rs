//! Carries out the operations on saved runs. Writes to the journal are synchronous; writes to the database are
//! asynchronous.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use js_sys::{Date, Math};
use rexie::Rexie;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use watchglass_engine::session::protocol::{SeekTo, Source};
use web_sys::{Storage, window};

use crate::address::link;
use crate::keep::journal;
use crate::keep::journal::{Attempt, Head, Shelf};
use crate::keep::opening::OPENING_STORY;
use crate::keep::tabs::Tabs;
use crate::keep::{Found, Keep, KeptRun, Meta, RunCard, RunId, Wanted, database};
use crate::state::Action;
use crate::state::action::RunAct;
use crate::store::Store;
use crate::store::local;
use crate::words::state as words;

/// If the engine has been silent for this duration when the user leaves the page, the engine counts as stuck. Slices of
/// work are far shorter than this duration.
const SILENT_MS: f64 = 5_000.0;

/// Saves the runs of this page.
pub struct Keeper {
    local: Option<Local>,
    database: RefCell<Database>,
    tabs: Tabs,
    /// The token that identifies this page as the owner of its runs.
    token: String,
    /// The run that is being replayed.
    attempt: RefCell<Option<RunId>>,
    /// The time of the engine's last message.
    heard_ms: Cell<f64>,
    journal_failed: Cell<bool>,
}

#[derive(Clone)]
enum Database {
    Unknown,
    Refused,
    Open(Rc<Rexie>),
}

/// The browser's `localStorage`.
struct Local(Storage);

impl Shelf for Local {
    fn get(&self, key: &str) -> Option<String> {
        self.0.get_item(key).ok().flatten()
    }

    fn set(&self, key: &str, value: &str) -> bool {
        self.0.set_item(key, value).is_ok()
    }

    fn remove(&self, key: &str) {
        self.0.remove_item(key).ok();
    }

    fn keys(&self) -> Vec<String> {
        let length = self.0.length().unwrap_or_default();
        (0..length)
            .filter_map(|place| self.0.key(place).ok().flatten())
            .collect()
    }
}

/// Read-only access to the storage, for a run that another page owns.
struct ReadOnly<'a>(&'a Local);

impl Shelf for ReadOnly<'_> {
    fn get(&self, key: &str) -> Option<String> {
        self.0.get(key)
    }

    fn set(&self, _key: &str, _value: &str) -> bool {
        false
    }

    fn remove(&self, _key: &str) {}

    fn keys(&self) -> Vec<String> {
        self.0.keys()
    }
}

impl Keeper {
    /// Creates the keeper for this page, and converts the run that an earlier version of the page stored in another
    /// format. Also returns an error message if the keeper could not read the earlier run.
    pub fn start() -> (Rc<Keeper>, Option<&'static str>) {
        remember_opened();
        let local = window().and_then(|window| window.local_storage().ok().flatten());
        let keeper = Rc::new(Keeper {
            local: local.map(Local),
            database: RefCell::new(Database::Unknown),
            tabs: Tabs::default(),
            token: fresh_token(),
            attempt: RefCell::new(None),
            heard_ms: Cell::new(Date::now()),
            journal_failed: Cell::new(false),
        });
        let was_readable = keeper.local.as_ref().is_none_or(|local| {
            journal::migrate(local, &fresh_token(), Date::now() as u64, OPENING_STORY)
        });
        let leaving = keeper.clone();
        EventListener::new(&gloo::utils::window(), "pagehide", move |_| {
            leaving.leaving()
        })
        .forget();
        (
            keeper,
            (!was_readable).then_some(words::EARLIER_RUN_NOT_READABLE),
        )
    }

    /// Returns a random prefix for the ids of this page's runs.
    pub fn fresh_ids() -> String {
        fresh_token()
    }

    /// Handles the moment when the user leaves the page: removes the mark of the replay in progress, unless the engine
    /// is silent.
    fn leaving(&self) {
        let Some(local) = &self.local else { return };
        if let Some(id) = self.attempt.borrow().as_ref()
            && Date::now() - self.heard_ms.get() < SILENT_MS
            && self.is_ours(local, id)
        {
            journal::attempt_done(local, id);
        }
    }

    fn is_ours(&self, local: &Local, id: &str) -> bool {
        !journal::is_taken(local, id, &self.token)
    }

    async fn database(&self) -> Option<Rc<Rexie>> {
        let known = self.database.borrow().clone();
        match known {
            Database::Open(database) => Some(database),
            Database::Refused => None,
            Database::Unknown => {
                let opened = database::open().await.map(Rc::new);
                let known = opened.clone().map_or(Database::Refused, Database::Open);
                self.database.replace(known);
                opened
            }
        }
    }

    /// Returns the id of the saved run that is wanted, if this id is known.
    fn id_of(&self, wanted: &Wanted) -> Option<RunId> {
        let local = self.local.as_ref()?;
        match wanted {
            Wanted::Last => journal::last(local),
            Wanted::Source { source, .. } => {
                let slot = crate::keep::slot::of(source)?;
                journal::slot_leads_to(local, &slot)
            }
            Wanted::Run(id) => Some(id.clone()),
        }
    }

    async fn find(&self, id: RunId) -> Found {
        let Some(local) = &self.local else {
            return Found::Nothing;
        };
        let is_free = self.tabs.take(&id).await;
        if is_free {
            journal::own(local, &id, &self.token);
        }
        let database = self.database().await;
        let stored = match &database {
            Some(database) => database::read(database, &id).await,
            None => None,
        };
        let covers = stored.as_ref().map_or(0, |(meta, _)| meta.covers);
        let recovered = if is_free {
            journal::recover(local, &id, covers)
        } else {
            journal::recover(&ReadOnly(local), &id, covers)
        };
        let (meta, base, at) = match (stored, recovered.head) {
            (Some((meta, text)), _) => (meta, Source::Saved(text), SeekTo::Default),
            (None, Some(head)) => (head.meta, head.base, head.at),
            (None, None) => {
                self.tabs.leave(&id);
                if database.is_none() {
                    return Found::Unreadable;
                }
                // The run was deleted, but an address or a bookmark still names it.
                journal::forget(local, &id, "");
                return Found::Nothing;
            }
        };
        Found::Kept(Box::new(KeptRun {
            id,
            meta,
            base,
            at,
            entries: recovered.entries,
            asides: recovered.asides,
            attempts: recovered.attempts,
            is_elsewhere: !is_free,
        }))
    }

    async fn base(&self, id: &str, meta: Meta, text: &str) -> bool {
        let meta = Meta {
            when_ms: Date::now() as u64,
            ..meta
        };
        let Some(local) = &self.local else {
            return false;
        };
        let Some(database) = self.database().await else {
            return !self.journal_failed.get();
        };
        if !self.is_ours(local, id) {
            return true;
        }
        let is_committed = database::write(&database, id, &meta, Some(text)).await;
        if is_committed {
            journal::committed(local, id, meta.covers);
        }
        is_committed || !self.journal_failed.get()
    }

    async fn cards(&self) -> Vec<RunCard> {
        let mut all = match self.database().await {
            Some(database) => database::list(&database).await,
            None => Vec::new(),
        };
        if let Some(local) = &self.local {
            for (id, meta) in journal::heads(local) {
                if all.iter().all(|(known, _)| *known != id) {
                    all.push((id, meta));
                }
            }
        }
        all.sort_by_key(|(_, meta)| std::cmp::Reverse(meta.when_ms));
        all.into_iter()
            .map(|(id, meta)| RunCard {
                when: date(meta.when_ms),
                id,
                meta,
            })
            .collect()
    }

    async fn name(&self, id: &str, name: String) {
        if let Some(database) = self.database().await
            && let Some((meta, _)) = database::read(&database, id).await
        {
            database::write(&database, id, &Meta { name, ..meta }, None).await;
        } else if let Some(local) = &self.local
            && let Some(head) = journal::read_head(local, id)
        {
            let meta = Meta { name, ..head.meta };
            journal::write_head(local, id, &Head { meta, ..head });
        }
    }

    /// Deletes a run and returns true. Returns false if the run is open in another tab or the browser has no storage.
    async fn delete(&self, id: &str) -> bool {
        let Some(local) = &self.local else {
            return false;
        };
        if !self.tabs.take(id).await {
            return false;
        }
        let mut slot = journal::read_head(local, id).map(|head| head.meta.slot);
        if let Some(database) = self.database().await {
            let stored = database::read(&database, id).await;
            slot = slot.or(stored.map(|(meta, _)| meta.slot));
            database::delete(&database, id).await;
        }
        journal::forget(local, id, &slot.unwrap_or_default());
        self.tabs.leave(id);
        true
    }

    /// Carries out the synchronous part of an operation; returns false if the journal refuses a write.
    fn at_once(&self, local: &Local, keep: &Keep) -> bool {
        match keep {
            Keep::Begin { id, meta, base, at } => {
                self.tabs.take_new(id);
                journal::own(local, id, &self.token);
                let head = Head {
                    meta: Meta {
                        when_ms: Date::now() as u64,
                        ..meta.clone()
                    },
                    base: base.clone(),
                    at: *at,
                };
                return journal::write_head(local, id, &head);
            }
            Keep::Write { id, entries } => {
                return entries.iter().all(|entry| journal::write(local, id, entry));
            }
            Keep::Drop { id, numbers } => {
                for number in numbers {
                    journal::remove(local, id, *number);
                }
            }
            Keep::SetAside { id, aside } => return journal::set_aside(local, id, aside),
            Keep::Attempt { id, attempt } => {
                self.heard_ms.set(Date::now());
                self.attempt.replace(Some(id.clone()));
                journal::begin_attempt(local, id, *attempt);
            }
            Keep::AttemptDone { id } => {
                let mut attempt = self.attempt.borrow_mut();
                attempt.take_if(|known| known == id);
                journal::attempt_done(local, id);
            }
            Keep::Opened {
                id,
                meta,
                label,
                is_chosen,
            } => {
                journal::write_last(local, id, label);
                let is_attached = journal::attach(local, &meta.slot, id);
                let slot = is_attached.then_some(meta.slot.as_str());
                link::name_run(slot, id, *is_chosen);
                remember_opened();
            }
            Keep::Label { id, label } => journal::write_last(local, id, label),
            Keep::Detach { slot } => journal::detach(local, slot),
            Keep::OpenedFresh { .. }
            | Keep::Find { .. }
            | Keep::Base { .. }
            | Keep::Leave { .. }
            | Keep::List
            | Keep::Name { .. }
            | Keep::Delete { .. } => {}
        }
        true
    }
}

/// Returns the id of the run that an operation writes, so that the caller can check whether another page owns the run.
fn written(keep: &Keep) -> Option<&RunId> {
    match keep {
        Keep::Write { id, .. }
        | Keep::Drop { id, .. }
        | Keep::SetAside { id, .. }
        | Keep::Attempt {
            id,
            attempt: Attempt::Entry(_),
        }
        | Keep::Base { id, .. } => Some(id),
        _ => None,
    }
}

impl Keeper {
    /// Executes an operation on saved runs; later actions deliver the result.
    pub fn carry_out(self: &Rc<Self>, store: &Rc<Store>, keep: Keep) {
        if let (Some(local), Some(id)) = (&self.local, written(&keep))
            && !self.is_ours(local, id)
        {
            self.tabs.leave(id);
            store.dispatch(Action::Run(RunAct::Taken(id.clone())));
            return;
        }
        if let Some(local) = &self.local
            && !self.at_once(local, &keep)
        {
            self.journal_failed.set(true);
        }
        let (keeper, store) = (self.clone(), store.clone());
        match keep {
            Keep::Find { number, wanted } => match self.id_of(&wanted) {
                None => store.dispatch(Action::Run(RunAct::Found {
                    number,
                    found: Found::Nothing,
                })),
                Some(id) => spawn_local(async move {
                    let found = keeper.find(id).await;
                    store.dispatch(Action::Run(RunAct::Found { number, found }));
                }),
            },
            Keep::OpenedFresh { slot, is_chosen } => {
                link::name_source(slot.as_deref(), is_chosen);
                remember_opened();
            }
            Keep::Base { id, meta, text } => spawn_local(async move {
                if !keeper.base(&id, meta, &text).await {
                    store.dispatch(Action::Run(RunAct::SaveFailed(words::NOT_SAVED.to_owned())));
                }
            }),
            Keep::Leave { id } => self.tabs.leave(&id),
            Keep::List => spawn_local(async move {
                store.dispatch(Action::Run(RunAct::Listed(keeper.cards().await)));
            }),
            Keep::Name { id, name } => spawn_local(async move {
                keeper.name(&id, name).await;
                store.dispatch(Action::Run(RunAct::Listed(keeper.cards().await)));
            }),
            Keep::Delete { id } => spawn_local(async move {
                if !keeper.delete(&id).await {
                    store.dispatch(Action::Run(RunAct::NotDeleted));
                }
                store.dispatch(Action::Run(RunAct::Listed(keeper.cards().await)));
            }),
            Keep::Begin { .. }
            | Keep::Opened { .. }
            | Keep::Label { .. }
            | Keep::Write { .. }
            | Keep::Drop { .. }
            | Keep::SetAside { .. }
            | Keep::Attempt { .. }
            | Keep::AttemptDone { .. }
            | Keep::Detach { .. } => {}
        }
    }

    /// Records that the engine has sent a message.
    pub fn heard(&self) {
        self.heard_ms.set(Date::now());
    }
}

/// Adds the published run or lesson that the page's address names to the list of opened ones.
fn remember_opened() {
    if let Some(query) = link::published() {
        local::remember_opened(&query);
    }
}

/// Returns a token that consists of the time and a random number, so that no two pages have the same token.
fn fresh_token() -> String {
    let time = Date::now() as u64;
    let chance = (Math::random() * f64::from(u32::MAX)) as u32;
    format!("{time}-{chance}")
}

/// Formats a time in the reader's locale.
fn date(when_ms: u64) -> String {
    let date = Date::new(&JsValue::from_f64(when_ms as f64));
    String::from(date.to_locale_string("default", &JsValue::UNDEFINED))
}
