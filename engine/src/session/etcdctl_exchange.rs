//! The requests of a running `etcdctl` command.
//!
//! With `--cluster`, etcdctl requests the member list first, and then sends its own request to each of these members.
//! Some commands send several requests in turn.

use std::sync::Arc;

use crate::api::{EtcdError, Reply, Response};
use crate::base::time::{SimDuration, SimTime};
use crate::scenario::expr::Exchange;
use crate::shell::print::PrintContext;
use crate::shell::{Etcdctl, print};
use crate::sim::outbox::RequestId;
use crate::world::Destination;

use super::place::Place;
use super::report::CommandReport;
use super::run::Run;
use super::started;

/// The requests of an `etcdctl` command, with the times of their replies.
#[derive(Debug)]
pub(super) struct EtcdctlExchange {
    pub(super) place: Place,
    etcdctl: Etcdctl,
    /// Whether the only request so far is the request for the member list (`--cluster`).
    finds_members: bool,
    /// The requests, each with the time of its reply.
    requests: Vec<(RequestId, Option<SimTime>)>,
    /// The time at which the first of these requests was sent.
    sent: SimTime,
}

impl EtcdctlExchange {
    /// Sends the first requests of a command.
    ///
    /// # Errors
    /// Returns an error message if no member has one of the addresses.
    pub(super) fn begin(
        mut etcdctl: Etcdctl,
        mut place: Place,
        run: &mut Run,
    ) -> Result<Self, String> {
        let world = place.world(run);
        let config = world.config();
        let finds_members = etcdctl.cluster && config.format.requests_member_list();
        let first = match finds_members {
            true => etcdctl.member_list(config.profile),
            false => {
                if etcdctl.cluster {
                    etcdctl.endpoints = world.client_urls();
                }
                etcdctl.clone()
            }
        };
        let (to, sent) = (first.destinations(world)?, world.now());
        Ok(Self {
            requests: send(&first, &mut place, to, run),
            place,
            etcdctl,
            finds_members,
            sent,
        })
    }

    /// Records the times of new replies. Returns true if a request has no reply.
    pub(super) fn is_waiting(&mut self, run: &Run) -> bool {
        let world = self.place.world(run);
        for (id, arrived) in &mut self.requests {
            if arrived.is_none() && world.reply(*id).is_some() {
                *arrived = Some(world.now());
            }
        }
        self.requests.iter().any(|(_, arrived)| arrived.is_none())
    }

    /// Sends the requests that follow the replies so far. Returns false if no request follows.
    pub(super) fn send_next(&mut self, run: &mut Run) -> bool {
        if self.finds_members {
            return self.ask_members(run);
        }
        let world = self.place.world(run);
        let replies = self.requests.iter().map(|(id, _)| world.reply(*id));
        let replies: Option<Vec<&Reply>> = replies.collect();
        let next = replies.and_then(|replies| self.etcdctl.next_request(&replies));
        let (Some(next), Ok(mut to)) = (next, self.etcdctl.destinations(world)) else {
            return false;
        };
        let id = self.place.submit(run, to.remove(0), Arc::new(next));
        self.requests.push((id, None));
        true
    }

    /// Sends the command's own request to each member of the list that has arrived.
    fn ask_members(&mut self, run: &mut Run) -> bool {
        let (id, _) = self.requests[0];
        let world = self.place.world(run);
        let Some(Ok(Response::MemberList(list))) = world.reply(id) else {
            return false;
        };
        let members = list.members.iter();
        let urls = members.flat_map(|member| member.client_urls.clone());
        self.etcdctl.endpoints = urls.collect();
        let Ok(to) = self.etcdctl.destinations(world) else {
            return false;
        };
        self.sent = world.now();
        self.place.take_reply(run, id);
        self.requests = send(&self.etcdctl, &mut self.place, to, run);
        self.finds_members = false;
        true
    }

    /// Returns the output of the command, whose requests all have replies.
    pub(super) fn report(&mut self, run: &mut Run) -> CommandReport {
        let ids: Vec<RequestId> = self.requests.iter().map(|(id, _)| *id).collect();
        let replies = ids.into_iter().map(|id| self.place.take_reply(run, id));
        let replies: Option<Vec<Reply>> = replies.collect();
        let mut replies = replies.expect("every request of the terminal has a timeout");
        let kind = self.place.entry_kind();
        if self.finds_members {
            let error = replies.remove(0).err();
            let error = error.unwrap_or(EtcdError::DeadlineExceeded);
            return CommandReport::new(print::no_members(error), kind);
        }
        let world = self.place.world(run);
        let times = self.requests.iter().filter_map(|(_, arrived)| *arrived);
        let took_each: Vec<SimDuration> = times.map(|at| at - self.sent).collect();
        let context = PrintContext {
            took: world.now() - self.sent,
            took_each: &took_each,
            ..PrintContext::new(world.config().profile)
        };
        let output = print::replies(&self.etcdctl, &replies, &context);
        let note = match self.place {
            Place::Run => started::note_of_request(&self.etcdctl.verb, &replies[0], &output),
            Place::Aside(_) => None,
        };
        let exchange = Exchange {
            request: self.etcdctl.request(),
            reply: replies.swap_remove(0),
        };
        CommandReport {
            exchange: Some(exchange.into()),
            note,
            ..CommandReport::new(output, kind)
        }
    }
}

/// Sends the request of a command to each destination.
fn send(
    etcdctl: &Etcdctl,
    place: &mut Place,
    to: Vec<Destination>,
    run: &mut Run,
) -> Vec<(RequestId, Option<SimTime>)> {
    let request = Arc::new(etcdctl.request());
    let ids = to
        .into_iter()
        .map(|to| place.submit(run, to, request.clone()));
    ids.map(|id| (id, None)).collect()
}
