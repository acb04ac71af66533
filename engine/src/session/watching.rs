//! Watches that are typed: what the world is asked to do, and what `recv` prints.

use std::sync::Arc;

use crate::api::WatchResponse;
use crate::shell::print::watch as print;
use crate::shell::{Output, WatchCommand, WatchLine};
use crate::view::EntryKind;
use crate::world::op::{StartWatch, WorldOp};

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
        let asked = watch
            .starts
            .iter()
            .filter(|line| matches!(line, WatchLine::Watch(_)));
        let several = asked.count() > 1;
        let mut output = Output::default();
        let mut kind = EntryKind::Local;
        let mut begun: Vec<String> = Vec::new();
        for line in &watch.starts {
            let op = match line {
                WatchLine::Watch(create) => {
                    let own = match several {
                        true => format!("{name}.{}", begun.len() + 1),
                        false => name.clone(),
                    };
                    let client = match several {
                        true => Some(name.clone()),
                        false => watch.client.clone(),
                    };
                    begun.push(own.clone());
                    WorldOp::Watch(StartWatch {
                        name: own,
                        client,
                        create: create.clone(),
                    })
                }
                WatchLine::Progress => match begun.last() {
                    Some(name) => WorldOp::Progress { name: name.clone() },
                    // The library has no stream to ask on, and asks nobody.
                    None => continue,
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
        let run = &mut self.branches[self.current].run;
        run.print_as(&name, watch.print);
        for own in begun {
            run.print_as(&own, watch.print);
        }
        (output, kind)
    }

    /// The first of w1, w2, … that neither a watch nor a client has.
    fn free_name(&self) -> String {
        let world = self.run().head();
        let free =
            |name: &String| world.holder(name).is_none() && world.client_named(name).is_none();
        let mut names = (1..).map(|n: u32| format!("w{n}"));
        names
            .find(free)
            .expect("there are more numbers than watches")
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
        let Some(unread) = run.unread(name, step) else {
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
        (Output::default(), EntryKind::Step)
    }
}
