//! Drives a session as the page does. Counts every response and measures the time of every slice.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::Duration;

use watchglass_engine::session::{
    Done, FromEngine, Limits, Notification, Read, Request, SeekTo, Session, Source, ToEngine,
};
use watchglass_engine::view::Views;

use crate::acts::Act;
use crate::meter::{self, Watch};

/// The processor time after which a case is interrupted, as a person would interrupt a long command.
const CASE_MAX: Duration = Duration::from_millis(400);

/// The maximum processor time of a case that is replayed for a comparison.
const AGAIN_MAX: Duration = Duration::from_millis(100);

/// The maximum number of slices that a session may need to end after an interrupt.
const SLICES_AFTER_INTERRUPT: u32 = 200_000;

/// The maximum number of bytes that one step may add to a run. The session checks its limit only between steps.
const STEP_BYTES_MAX: u64 = 16 << 20;

/// The maximum number of bytes that a session may use in addition to the bytes that it counts: for pending commands,
/// for views, and for a run that will replace the current run.
const UNCOUNTED_BYTES_MAX: u64 = 96 << 20;

thread_local! {
    /// The longest slice of the case, and the work that was done in this slice.
    static LONGEST: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    static DOING: RefCell<String> = const { RefCell::new(String::new()) };
}

pub(crate) fn begin_slices() {
    LONGEST.set(Duration::ZERO);
    DOING.take();
}

pub(crate) fn longest_slice() -> (Duration, String) {
    (LONGEST.get(), DOING.with_borrow(Clone::clone))
}

/// Runs work as one slice, and measures the time of the slice.
pub(crate) fn slice<T>(doing: &str, work: impl FnOnce() -> T) -> T {
    let watch = Watch::start();
    let done = work();
    let passed = watch.passed();
    if passed > LONGEST.get() {
        LONGEST.set(passed);
        DOING.set(doing.to_owned());
    }
    done
}

/// The page's side of a session.
pub(crate) struct Drive {
    pub(crate) session: Session,
    /// The number of responses to each message, by the id of the message.
    asked: BTreeMap<u32, u32>,
    next: u32,
    worked: Duration,
    /// The id of the load that is paused; `None` if no load is paused.
    paused: Option<u32>,
    wants_file: bool,
    /// The command that was running before the slice.
    running: String,
    texts: Vec<String>,
    /// The limit of the session's memory, and the bytes in use before the session was created.
    memory_limit: u64,
    bytes_before: u64,
}

impl Drive {
    pub(crate) fn new() -> Self {
        Self {
            session: Session::default(),
            asked: BTreeMap::new(),
            next: 1,
            worked: Duration::ZERO,
            paused: None,
            wants_file: false,
            running: String::new(),
            texts: Vec::new(),
            memory_limit: Limits::default().memory_bytes,
            bytes_before: meter::live_bytes(),
        }
    }

    pub(crate) fn act(&mut self, act: &Act) -> Result<(), String> {
        match act {
            Act::Send(message) => self.send((**message).clone()),
            Act::Pump(slices) => {
                for _ in 0..*slices {
                    if !self.pump()? {
                        break;
                    }
                }
                Ok(())
            }
        }
    }

    /// Sends a message and processes the immediate responses.
    pub(crate) fn send(&mut self, mut message: ToEngine) -> Result<(), String> {
        if let ToEngine::Request(id, _) = &mut message {
            *id = self.next;
            self.asked.insert(self.next, 0);
            self.next += 1;
        }
        if let ToEngine::Notification(Notification::Limit(limits)) = &message {
            self.memory_limit = limits.memory_bytes;
        }
        if let ToEngine::Notification(Notification::Continue) = &message {
            self.paused = None;
        }
        let name = format!("{message:?}");
        let name = name.split([' ', '(']).next().unwrap_or_default().to_owned();
        let mut out = Vec::new();
        let watch = Watch::start();
        self.session.handle(message, &mut out);
        self.slice(watch.passed(), || name);
        self.take(out)?;
        match std::mem::take(&mut self.wants_file) {
            true => self.send(ToEngine::Notification(Notification::Interrupt)),
            false => Ok(()),
        }
    }

    /// Runs one slice; returns false when no work is left, or when a load waits for permission to continue.
    pub(crate) fn pump(&mut self) -> Result<bool, String> {
        let mut out = Vec::new();
        let before = self.made();
        let watch = Watch::start();
        let more = self.session.pump(1, &mut out);
        let passed = watch.passed();
        let doing = match (&*self.running, self.made() == before) {
            ("", true) => "something that leaves nothing".into(),
            ("", false) => self.last_command(),
            (running, _) => beginning(running),
        };
        self.slice(passed, || doing);
        self.take(out)?;
        Ok(more && self.paused.is_none())
    }

    /// Returns the number of steps and the number of commands of the run.
    fn made(&self) -> (u64, usize) {
        let run = self.session.run();
        (run.len(), run.scrollback().at(run.len()).len())
    }

    /// Returns the name of the command that printed last.
    fn last_command(&self) -> String {
        let run = self.session.run();
        let last = run.scrollback().at(run.len()).next_back();
        last.map_or_else(String::new, |entry| {
            beginning(&run.scrollback().line(entry.line).text)
        })
    }

    fn slice(&mut self, passed: Duration, doing: impl FnOnce() -> String) {
        self.worked += passed;
        if passed > LONGEST.get() {
            LONGEST.set(passed);
            DOING.set(doing());
        }
    }

    fn take(&mut self, out: Vec<FromEngine>) -> Result<(), String> {
        self.running.clear();
        let mut wanted = Vec::new();
        for message in out {
            match message {
                FromEngine::Done { id, done } => {
                    self.paused = self.paused.filter(|paused| *paused != id);
                    let count = self.asked.get_mut(&id);
                    let count = count
                        .ok_or_else(|| format!("an answer to a message {id} that was not sent"))?;
                    *count += 1;
                    if *count > 1 {
                        return Err("a message was answered twice".into());
                    }
                    if let Done::Text(text) = done {
                        self.texts.push(text);
                    }
                }
                FromEngine::Paused { id, .. } => self.paused = Some(id),
                FromEngine::Wants { name } => wanted.push(name),
                // The load waits for the file until it is interrupted.
                FromEngine::WantsFile { .. } => self.wants_file = true,
                FromEngine::FileProgress { .. } => {}
                FromEngine::Views(views) => self.check_counted(&views)?,
                FromEngine::Progress { running, .. } => {
                    self.running = running.map_or_else(String::new, |running| running.text);
                }
            }
        }
        // The program has the texts of all published lessons, so the site has none of those that it wants.
        for name in wanted {
            let text = Notification::Text { name, text: None };
            let mut out = Vec::new();
            self.session.handle(ToEngine::Notification(text), &mut out);
            self.take(out)?;
        }
        self.check_taken()
    }

    /// Checks the memory that the session counts. The maximum is the sum of the limit, an eighth of the limit (a load
    /// may exceed the limit by an eighth), and the maximum memory of one step.
    fn check_counted(&self, views: &Views) -> Result<(), String> {
        let Some(memory) = &views.status.memory else {
            return Ok(());
        };
        let most = memory.limit + memory.limit / 8 + STEP_BYTES_MAX;
        match memory.used > most {
            true => Err("the run counts more memory than its limit".into()),
            false => Ok(()),
        }
    }

    /// Checks that the memory in use is close to the memory that the session counts.
    fn check_taken(&self) -> Result<(), String> {
        let taken = meter::live_bytes().saturating_sub(self.bytes_before);
        match taken > self.memory_limit * 2 + UNCOUNTED_BYTES_MAX {
            true => Err("the session takes more memory than its limit allows".into()),
            false => Ok(()),
        }
    }

    /// Runs the session until no work is left. Interrupts the session if the work takes too long.
    pub(crate) fn finish(&mut self) -> Result<(), String> {
        loop {
            while self.worked < CASE_MAX && self.pump()? {}
            if self.worked >= CASE_MAX || self.paused.is_none() {
                break;
            }
            self.send(ToEngine::Notification(Notification::Continue))?;
        }
        if self.worked >= CASE_MAX {
            self.send(ToEngine::Notification(Notification::Interrupt))?;
            let mut left = SLICES_AFTER_INTERRUPT;
            while self.pump()? {
                left -= 1;
                if left == 0 {
                    return Err("an interrupted session is still busy".into());
                }
            }
        }
        match self.asked.values().all(|count| *count == 1) {
            true => Ok(()),
            false => Err("a message was never answered".into()),
        }
    }

    /// Checks that a replay of the inputs leads to the same world, and that the saved run opens as the same run.
    pub(crate) fn compare(&mut self) -> Result<(), String> {
        if self.worked > AGAIN_MAX {
            return Ok(());
        }
        let run = self.session.run();
        if run.replayed().digest() != run.head().digest() {
            return Err("the run made again has another digest".into());
        }
        self.texts.clear();
        self.send(ToEngine::Request(0, Request::Read(Read::Save)))?;
        while self.pump()? {}
        let Some(saved) = self.texts.pop() else {
            return Err("nothing was saved".into());
        };
        let mut again = Self::new();
        again.send(ToEngine::Request(
            0,
            Request::Load {
                source: Source::Saved(saved),
                at: SeekTo::Default,
            },
        ))?;
        let longest = longest_slice();
        again.finish()?;
        LONGEST.set(longest.0);
        DOING.set(longest.1);
        if again.worked < CASE_MAX
            && again.session.world().digest() != self.session.world().digest()
        {
            return Err("what was saved opens as another run".into());
        }
        Ok(())
    }
}

/// Returns the first words of a command, without the parts that differ from case to case.
fn beginning(text: &str) -> String {
    let words = text.split_whitespace().take(2).map(|word| {
        let plain = word
            .chars()
            .take(16)
            .filter(|c| c.is_ascii_alphabetic() || *c == '-');
        plain.collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}
