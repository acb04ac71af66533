//! Watches that are typed: what the world is asked to do, and what `recv` prints.

use std::sync::Arc;

use crate::api::WatchResponse;
use crate::shell::print::watch as print;
use crate::shell::{Output, WatchCommand, WatchLine};
use crate::view::EntryKind;
use crate::world::op::{StartWatch, WorldOp};

use super::local;
use super::session::Session;

impl Session {
    /// Begins what a `watch` process asks for.
    pub(super) fn watch(
        &mut self,
        watch: &WatchCommand,
        text: &Arc<str>,
        remark: &Arc<str>,
    ) -> (Output, EntryKind) {
        let name = watch.name.clone().unwrap_or_else(|| self.free_name());
        let mut output = Output::default();
        let mut kind = EntryKind::Local;
        let mut begun = 0;
        let run = &mut self.branches[self.current].run;
        run.print_as(&name, watch.print);
        for line in &watch.starts {
            let op = match line {
                WatchLine::Watch(create) => {
                    begun += 1;
                    let (own, client) = match watch.print.interactive {
                        false => (name.clone(), watch.client.clone()),
                        // One process with several watches is a client of its own.
                        true => {
                            let client = watch.client.clone().unwrap_or_else(|| name.clone());
                            (format!("{name}.{begun}"), Some(client))
                        }
                    };
                    self.branches[self.current].run.print_as(&own, watch.print);
                    WorldOp::Watch(StartWatch {
                        name: own,
                        client,
                        create: create.clone(),
                    })
                }
                // Without a stream the library has nobody to ask, and asks nobody.
                WatchLine::Progress if begun == 0 => continue,
                WatchLine::Progress => WorldOp::Progress {
                    name: format!("{name}.{begun}"),
                },
                WatchLine::Bad(complaint) => {
                    output.stderr.extend_from_slice(complaint.as_bytes());
                    continue;
                }
            };
            let (done, entry) = self.op(&op, text, remark);
            kind = entry;
            if done.exit != 0 {
                return (done, entry);
            }
        }
        (output, kind)
    }

    /// Ends a watch, or all watches of an interactive process.
    pub(super) fn unwatch(
        &mut self,
        name: &str,
        text: &Arc<str>,
        remark: &Arc<str>,
    ) -> (Output, EntryKind) {
        let mut names = self.watches_named(name);
        if names.is_empty() {
            names.push(name.to_owned());
        }
        let mut last = (Output::default(), EntryKind::Local);
        for name in names {
            last = self.op(&WorldOp::Unwatch { name }, text, remark);
        }
        last
    }

    /// The watches that a person's name stands for: itself, or those of an interactive process.
    fn watches_named(&self, name: &str) -> Vec<String> {
        let world = self.run().head();
        if world.holder(name).is_some() {
            return vec![name.to_owned()];
        }
        let own = |n: u32| format!("{name}.{n}");
        let several = (1..).map(own).take_while(|own| world.holder(own).is_some());
        several.filter(|own| world.has_watch(own)).collect()
    }

    /// The first of w1, w2, … that neither a watch nor a client has.
    pub(super) fn free_name(&self) -> String {
        self.run().head().free_watch_name()
    }

    /// Prints what has reached a watch since it was last asked. At the end of the run time runs on
    /// while something is on its way.
    pub(super) fn recv(
        &mut self,
        name: &str,
        text: &Arc<str>,
        remark: &Arc<str>,
    ) -> (Output, EntryKind) {
        let at_the_end = self.cursor == self.run().len();
        let run = &mut self.branches[self.current].run;
        if at_the_end {
            run.wait_for(name, text, remark);
        }
        let step = if at_the_end { run.len() } else { self.cursor };
        if let Some(kept) = run.unread_kept(name, step) {
            let output = print::kept_alive(kept.iter().map(|(_, lease, ttl)| (*lease, *ttl)));
            if at_the_end {
                run.mark_read(name);
                self.go_to_head();
            }
            return (output, EntryKind::Peek);
        }
        if let Some(output) = self.recv_heard(name, step) {
            let kind = match at_the_end {
                true => EntryKind::Step,
                false => EntryKind::Peek,
            };
            return (output, kind);
        }
        let run = &mut self.branches[self.current].run;
        let Some(unread) = run.unread(name, step) else {
            if run.prints(name) {
                return (Output::default(), EntryKind::Local); // It asked for no watch.
            }
            let why = format!("there is no watch {name}; `watch KEY as {name}` begins one");
            return (Output::error(&why, 1), EntryKind::Local);
        };
        let responses: Vec<Arc<WatchResponse>> =
            unread.into_iter().map(|d| d.response.clone()).collect();
        let profile = run.head().config().profile;
        let heard = responses.iter().map(|response| &**response);
        let output = print::responses(heard, &run.print_of(name), profile);
        if at_the_end {
            run.mark_read(name);
            self.go_to_head();
            return (output, EntryKind::Step);
        }
        (output, EntryKind::Peek)
    }

    /// Does something to the world.
    pub(super) fn op(
        &mut self,
        op: &WorldOp,
        text: &Arc<str>,
        remark: &Arc<str>,
    ) -> (Output, EntryKind) {
        let run = &mut self.branches[self.current].run;
        if let Err(why) = run.head().check(op) {
            return (Output::error(&why, 1), EntryKind::Local);
        }
        run.op(op.clone(), text, remark);
        self.go_to_head();
        (local::done(self.world(), op), EntryKind::Step)
    }
}
