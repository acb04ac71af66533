//! A client of API servers: kubectl, `kubectl get -w`, an informer, a load generator, or a simulation of many kubelets.

use std::collections::VecDeque;
use std::sync::Arc;

use super::load::Load;
use super::stateful_set::AfterCreate;
use crate::api::message::{Body, KubeMessage};
use crate::base::ids::NodeId;
use crate::base::ordered::OrdMap;
use crate::base::rng::Rng;
use crate::base::time::SimDuration;
use crate::client::kube::ReflectorAct;
use crate::client::kube::reflector::Reflector;
use crate::client::load_calls::{AfterCall, CallOutcome, LoadPace};
use crate::kube::list_options::{ListOptions, ResourceVersion};
use crate::kube::{KubeAnswer, KubeRequest, KubeResponse, KubeVerb, KubeWatchEvent, ObjectList};
use crate::sim::Outbox;
use crate::sim::outbox::{KubectlReply, RequestId};
use crate::trace::{ClientTrace, KubeTrace, RetryReason, TraceEvent};

use super::controller::Controller;
use super::kubelets::Kubelets;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KubeClientTimer {
    /// The client has processed a message, and reads the next message.
    Read,
    /// The reflector's back-off delay is over.
    Backoff,
    /// The next request of the load or of the kubelets is due.
    Request,
    /// The load generator gives up the request that still has no response.
    Timeout,
    /// The control loop acts again after an error.
    Reconcile,
}

#[derive(Clone, Debug, Hash)]
pub enum KubeApp {
    /// Sends each request that the user types to the API server that the user names.
    Kubectl,
    /// `kubectl get -w`: lists and then watches. If the user wants only the watch, the client does not list.
    Watch {
        /// The watch request. If the client lists first, it sends this request after the list.
        request: Box<KubeRequest>,
        /// Whether the client still has to list.
        lists: bool,
    },
    /// Lists and watches objects, and keeps a copy of them.
    Informer(Box<Reflector>),
    /// Creates, deletes and lists objects at specified rates.
    Load(Box<Load>),
    /// Simulates many kubelets, which list the pods of their nodes.
    Kubelets(Box<Kubelets>),
}

/// A request that the user typed and that has no response yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TypedCall {
    id: RequestId,
    server: NodeId,
    /// The list request, if the client requests the list in chunks.
    list: Option<Arc<KubeRequest>>,
    /// The merged pages that the client has received.
    pages: ObjectList,
}

/// A program that uses API servers through the client library.
#[derive(Clone, Debug, Hash)]
pub struct KubeClient {
    node: NodeId,
    name: Arc<str>,
    server: NodeId,
    app: KubeApp,
    running: bool,
    connected: bool,
    per_response: SimDuration,
    calls: u64,
    /// The call number of the current request or watch, if the client is `kubectl get -w` or an informer. The client
    /// ignores responses with other call numbers.
    current: Option<u64>,
    /// The requests that the user typed, by call number.
    typed: OrdMap<u64, TypedCall>,
    inbox: VecDeque<(NodeId, Arc<Body>, u64)>,
    reading: bool,
    ended: bool,
    rng: Rng,
    /// The control loop of an informer; `None` without a control loop.
    controller: Option<Controller>,
}

impl KubeClient {
    /// Creates a connected client that has not started.
    pub fn new(node: NodeId, name: Arc<str>, server: NodeId, app: KubeApp, seed: u64) -> Self {
        let rng = Rng::stream(seed, &format!("kube client {name}"));
        Self {
            node,
            name,
            server,
            app,
            running: true,
            connected: true,
            per_response: SimDuration(0),
            calls: 0,
            current: None,
            typed: OrdMap::new(),
            inbox: VecDeque::new(),
            reading: false,
            ended: false,
            rng,
            controller: None,
        }
    }

    /// Replaces the random numbers of the client from now on.
    pub fn reseed(&mut self, seed: u64) {
        self.rng.reseed(seed);
    }

    // Getters.

    pub fn controller(&self) -> Option<&Controller> {
        self.controller.as_ref()
    }

    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the API server that the client sends requests to. kubectl sends each request to the server that the user
    /// names.
    pub fn server(&self) -> NodeId {
        self.server
    }

    pub fn app(&self) -> &KubeApp {
        &self.app
    }

    /// Returns the reflector of the client, if the client is an informer.
    pub fn reflector(&self) -> Option<&Reflector> {
        match &self.app {
            KubeApp::Informer(reflector) => Some(reflector),
            KubeApp::Kubectl | KubeApp::Watch { .. } | KubeApp::Load(_) | KubeApp::Kubelets(_) => {
                None
            }
        }
    }

    /// Returns the load, if the client generates load.
    pub fn load(&self) -> Option<&Load> {
        match &self.app {
            KubeApp::Load(load) => Some(load),
            _ => None,
        }
    }

    /// Returns true if the client simulates many kubelets or is a load that waits for its responses. The simulator does
    /// not store the lists of such a client.
    pub fn is_many(&self) -> bool {
        let is_closed = |load: &Load| matches!(load.spec().pace, LoadPace::Closed(_));
        self.kubelets().is_some() || self.load().is_some_and(is_closed)
    }

    pub fn kubelets(&self) -> Option<&Kubelets> {
        match &self.app {
            KubeApp::Kubelets(kubelets) => Some(kubelets),
            KubeApp::Kubectl | KubeApp::Watch { .. } | KubeApp::Load(_) | KubeApp::Informer(_) => {
                None
            }
        }
    }

    pub fn is_running(&self) -> bool {
        self.running
    }

    pub fn is_connected(&self) -> bool {
        self.connected
    }

    /// Returns the time that the client takes to process each message.
    pub fn per_response(&self) -> SimDuration {
        self.per_response
    }

    /// Returns the number of received messages that the client has not read yet.
    pub fn unread(&self) -> u64 {
        self.inbox.len() as u64
    }

    /// Returns true if the watch has ended and the client will not start another watch.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns true if a timer is stale: the work of the timer is no longer needed.
    pub fn is_void(&self, timer: KubeClientTimer) -> bool {
        match timer {
            KubeClientTimer::Read => !self.reading,
            KubeClientTimer::Backoff => !self.reflector().is_some_and(Reflector::is_waiting),
            KubeClientTimer::Request => !self.running,
            KubeClientTimer::Timeout => self.load().is_none_or(|load| load.calls().open() == 0),
            KubeClientTimer::Reconcile => self.controller.is_none() || !self.connected,
        }
    }

    // Commands of the user.

    /// Sets the control loop of an informer.
    pub fn set_controller(&mut self, controller: Option<Controller>) {
        self.controller = controller;
    }

    pub fn start(&mut self, out: &mut Outbox<KubeClientTimer>) {
        self.running = true;
        self.connected = true;
        self.begin(out);
    }

    fn begin(&mut self, out: &mut Outbox<KubeClientTimer>) {
        match &mut self.app {
            KubeApp::Kubectl => {}
            KubeApp::Watch { request, lists } => {
                let request = if *lists {
                    list_of(request)
                } else {
                    KubeRequest::clone(request)
                };
                self.send(request, out);
            }
            KubeApp::Load(load) => {
                out.timer(load.gap(&mut self.rng), KubeClientTimer::Request);
            }
            KubeApp::Informer(reflector) => {
                let acts = reflector.start(out.now, &mut self.rng);
                self.follow(acts, out);
            }
            KubeApp::Kubelets(kubelets) => {
                out.timer(kubelets.spec().interval(), KubeClientTimer::Request);
            }
        }
    }

    pub fn stop(&mut self, out: &mut Outbox<KubeClientTimer>) {
        self.running = false;
        self.lose(out);
        if let Some(Controller::StatefulSet(set)) = &mut self.controller {
            set.forget_writes();
        }
        match &mut self.app {
            KubeApp::Informer(reflector) => reflector.stop(),
            KubeApp::Load(load) => load.calls.stop(),
            KubeApp::Kubectl | KubeApp::Watch { .. } | KubeApp::Kubelets(_) => {}
        }
    }

    /// Sends a typed request to the given server. With `in_chunks`, the client requests the pages of a list one after
    /// the other, up to the last page.
    pub fn ask(
        &mut self,
        id: RequestId,
        server: NodeId,
        request: Arc<KubeRequest>,
        in_chunks: bool,
        out: &mut Outbox<KubeClientTimer>,
    ) {
        let call = TypedCall {
            id,
            server,
            list: in_chunks.then(|| request.clone()),
            pages: ObjectList::default(),
        };
        self.send_typed(call, request, out);
    }

    fn send_typed(
        &mut self,
        call: TypedCall,
        request: Arc<KubeRequest>,
        out: &mut Outbox<KubeClientTimer>,
    ) {
        self.calls += 1;
        let server = call.server;
        self.typed.insert(self.calls, call);
        self.send_to(server, request, out);
    }

    /// Handles the response to a request that the user typed: requests the next page of a list, or delivers the
    /// complete response.
    fn typed_answered(
        &mut self,
        mut call: TypedCall,
        answer: &Arc<KubeAnswer>,
        out: &mut Outbox<KubeClientTimer>,
    ) {
        let mut answer = answer.clone();
        if let (Some(first), Ok(KubeResponse::List(page))) = (&call.list, &*answer) {
            let mut all = std::mem::take(&mut call.pages);
            all.items.extend(page.items.iter().cloned());
            all.not_kept += page.not_kept;
            all.resource_version = page.resource_version;
            if let Some(next) = next_page(first, page) {
                call.pages = all;
                self.send_typed(call, Arc::new(next), out);
                return;
            }
            answer = Arc::new(Ok(KubeResponse::List(Arc::new(all))));
        }
        out.kubectl.push((call.id, KubectlReply::Answer(answer)));
    }

    /// Drops a request that the user typed, after its timeout.
    pub fn forget(&mut self, id: RequestId) {
        let found = self.typed.iter().find(|(_, typed)| typed.id == id);
        if let Some(call) = found.map(|(call, _)| *call) {
            self.typed.remove(&call);
        }
    }

    /// Sets the time that the client takes to process each message.
    pub fn slow(&mut self, per_response: SimDuration, out: &mut Outbox<KubeClientTimer>) {
        self.per_response = per_response;
        if per_response.0 == 0 {
            while self.read_one(out) {}
        }
    }

    /// Disconnects the client until [`connected`](Self::connected) is called.
    pub fn disconnected(&mut self, out: &mut Outbox<KubeClientTimer>) {
        self.connected = false;
        self.cut_off(out);
    }

    /// Restores the connection. An informer reconnects only when its current back-off delay is over.
    pub fn connected(&mut self) {
        self.connected = true;
    }

    /// Moves the client to another API server. The open requests and watches at the old server end.
    pub fn move_to(&mut self, server: NodeId, out: &mut Outbox<KubeClientTimer>) {
        self.cut_off(out);
        self.server = server;
    }

    /// Handles the loss of the server or of the connection.
    pub fn cut_off(&mut self, out: &mut Outbox<KubeClientTimer>) {
        let is_waiting = self.load().is_some_and(|load| load.calls().open() > 0);
        self.lose(out);
        if !self.running {
            return;
        }
        match &mut self.app {
            KubeApp::Kubectl | KubeApp::Kubelets(_) => {}
            KubeApp::Load(load) => {
                let delay = load.calls.next_delay(out.now, &mut self.rng);
                if let Some(delay) = delay.filter(|_| is_waiting) {
                    self.repeat(RetryReason::ConnectionBroke, delay, out);
                }
            }
            KubeApp::Watch { .. } => self.ended = true,
            KubeApp::Informer(reflector) => {
                let acts = reflector.unreachable(out.now, &mut self.rng);
                self.follow(acts, out);
            }
        }
    }

    fn lose(&mut self, out: &mut Outbox<KubeClientTimer>) {
        for call in self.typed.values() {
            out.kubectl.push((call.id, KubectlReply::ConnectionLost));
        }
        self.typed = OrdMap::new();
        match &mut self.controller {
            Some(Controller::StatefulSet(set)) => set.lose(),
            Some(Controller::Kubelet(containers)) => containers.lose(),
            None => {}
        }
        match &mut self.app {
            KubeApp::Kubelets(kubelets) => kubelets.calls.drop_open(),
            KubeApp::Load(load) => load.calls.drop_open(),
            KubeApp::Kubectl | KubeApp::Watch { .. } | KubeApp::Informer(_) => {}
        }
        self.inbox.clear();
        self.reading = false;
        if let Some(call) = self.current.take() {
            out.trace(TraceEvent::Kube(KubeTrace::StreamEnds {
                client: self.node,
                call,
                clean: false,
            }));
        }
    }

    // Messages and timers.

    /// Handles a call that failed because the API server is not running.
    pub fn refused(&mut self, server: NodeId, call: u64, out: &mut Outbox<KubeClientTimer>) {
        if self
            .typed
            .get(&call)
            .is_some_and(|typed| typed.server == server)
            && let Some(typed) = self.typed.remove(&call)
        {
            out.kubectl
                .push((typed.id, KubectlReply::ConnectionRefused));
        }
        let is_of_load = self.load().is_some_and(|load| load.calls().open() > 0);
        if self.current == Some(call) || is_of_load {
            self.cut_off(out);
        }
    }

    pub fn handle(
        &mut self,
        from: NodeId,
        body: &Arc<Body>,
        bytes: u64,
        out: &mut Outbox<KubeClientTimer>,
    ) {
        self.inbox.push_back((from, body.clone(), bytes));
        if self.per_response.0 == 0 {
            while self.read_one(out) {}
        } else if !self.reading {
            self.reading = true;
            out.timer(self.per_response, KubeClientTimer::Read);
        }
    }

    pub fn wake(&mut self, timer: KubeClientTimer, out: &mut Outbox<KubeClientTimer>) {
        if self.is_void(timer) {
            return;
        }
        match timer {
            KubeClientTimer::Read => {
                self.reading = false;
                self.read_one(out);
                if !self.inbox.is_empty() {
                    self.reading = true;
                    out.timer(self.per_response, KubeClientTimer::Read);
                }
            }
            KubeClientTimer::Request => self.next_request(out),
            KubeClientTimer::Timeout => self.give_up(out),
            KubeClientTimer::Reconcile => self.reconcile(out),
            KubeClientTimer::Backoff => {
                let KubeApp::Informer(reflector) = &mut self.app else {
                    return;
                };
                let acts = if self.connected {
                    reflector.wake(out.now, &mut self.rng)
                } else {
                    reflector.unreachable(out.now, &mut self.rng)
                };
                self.follow(acts, out);
            }
        }
    }

    /// Sends the next request of the load or of the kubelets, and sets the timer for the following request. Sends
    /// nothing while the client is disconnected.
    fn next_request(&mut self, out: &mut Outbox<KubeClientTimer>) {
        let call = self.calls + 1;
        let (request, after) = match &mut self.app {
            // A closed loop sends nothing until the client is connected again.
            KubeApp::Load(load) if load.spec().pace != LoadPace::Open && !self.connected => {
                (None, load.gap(&mut self.rng))
            }
            KubeApp::Load(load) => {
                let request = load.next(&self.name, &mut self.rng);
                let sent = self.connected.then(|| request.clone());
                if let Some(timeout) = sent.and_then(|sent| load.calls.sent(out.now, call, sent)) {
                    out.timer(timeout, KubeClientTimer::Timeout);
                    self.calls = call;
                    return self.send_to(self.server, Arc::new(request), out);
                }
                (Some(request), load.gap(&mut self.rng))
            }
            KubeApp::Kubelets(kubelets) => {
                let request = self.connected.then(|| kubelets.next(out.now, call));
                (request, kubelets.spec().interval())
            }
            KubeApp::Kubectl | KubeApp::Watch { .. } | KubeApp::Informer(_) => return,
        };
        out.timer(after, KubeClientTimer::Request);
        if let Some(request) = request.filter(|_| self.connected) {
            self.calls = call;
            self.send_to(self.server, Arc::new(request), out);
        }
    }

    /// Gives up the load generator's request that still has no response.
    fn give_up(&mut self, out: &mut Outbox<KubeClientTimer>) {
        let KubeApp::Load(load) = &mut self.app else {
            return;
        };
        let LoadPace::Closed(timeout) = load.spec().pace else {
            return;
        };
        out.abandoned.extend(load.calls.open_calls());
        if let Some(delay) = load.calls.gives_up(out.now, &mut self.rng) {
            self.repeat(RetryReason::NoResponse(timeout), delay, out);
        }
    }

    /// Schedules a retry of the load generator's last request.
    fn repeat(&self, why: RetryReason, delay: SimDuration, out: &mut Outbox<KubeClientTimer>) {
        out.timer(delay, KubeClientTimer::Request);
        out.trace(TraceEvent::Client(ClientTrace::Retries {
            node: self.node,
            why,
            delay,
        }));
    }

    fn load_answered(&mut self, call: u64, answer: &KubeAnswer, out: &mut Outbox<KubeClientTimer>) {
        let outcome = match answer {
            Ok(_) => CallOutcome::Succeeded,
            // The server is overloaded or has failed.
            Err(error) if error.code() == 429 || error.code() >= 500 => CallOutcome::MayRepeat,
            Err(_) => CallOutcome::Failed,
        };
        if let KubeApp::Kubelets(kubelets) = &mut self.app {
            kubelets
                .calls
                .answered(out.now, call, outcome, &mut self.rng);
        }
        let KubeApp::Load(load) = &mut self.app else {
            return;
        };
        match (
            load.calls.answered(out.now, call, outcome, &mut self.rng),
            answer,
        ) {
            (AfterCall::Nothing, _) => {}
            (AfterCall::Repeats(delay), Err(error)) => {
                self.repeat(RetryReason::Error(error.to_string().into()), delay, out)
            }
            (AfterCall::Continues | AfterCall::Repeats(_), _) => {
                out.timer(load.gap(&mut self.rng), KubeClientTimer::Request);
            }
        }
    }

    fn read_one(&mut self, out: &mut Outbox<KubeClientTimer>) -> bool {
        let Some((from, body, bytes)) = self.inbox.pop_front() else {
            return false;
        };
        match &*body {
            Body::Kube(KubeMessage::Answer { call, answer }) => {
                self.answered(from, *call, answer, out)
            }
            Body::Kube(KubeMessage::Events { call, events }) => {
                out.kube_credits.push((from, *call, bytes));
                self.heard(from, *call, events, out);
            }
            Body::Kube(KubeMessage::End { call }) => self.stream_ended(*call, out),
            Body::Etcd(_) | Body::Kube(KubeMessage::Call { .. }) => {}
        }
        true
    }

    fn answered(
        &mut self,
        from: NodeId,
        call: u64,
        answer: &Arc<KubeAnswer>,
        out: &mut Outbox<KubeClientTimer>,
    ) {
        let typed = self.typed.remove(&call);
        let of_set = match &mut self.controller {
            Some(Controller::StatefulSet(set)) => {
                let written = match &**answer {
                    Ok(KubeResponse::Object(object)) => Some(object.resource_version),
                    _ => None,
                };
                set.answered(call, written)
            }
            _ => None,
        };
        let of_containers = match &mut self.controller {
            Some(Controller::Kubelet(containers)) => containers.answered(call, answer),
            _ => None,
        };
        let is_load = match &self.app {
            KubeApp::Load(load) => load.calls().is_open(call),
            KubeApp::Kubelets(kubelets) => kubelets.calls().is_open(call),
            _ => false,
        };
        if typed.is_none()
            && self.current != Some(call)
            && !is_load
            && of_set.is_none()
            && of_containers.is_none()
        {
            return;
        }
        out.trace(TraceEvent::Kube(KubeTrace::Hears {
            client: self.node,
            server: from,
            call,
            is_typed: typed.is_some(),
            answer: answer.clone(),
        }));
        if let Some(call) = typed {
            self.typed_answered(call, answer, out);
            return;
        }
        if is_load {
            self.load_answered(call, answer, out);
            return;
        }
        if let Some(retry) = of_containers {
            if let Some(delay) = retry {
                out.timer(delay, KubeClientTimer::Reconcile);
            }
            return;
        }
        if let Some(after) = of_set {
            return match after {
                AfterCreate::Waits => {}
                AfterCreate::Compares => self.reconcile(out),
                AfterCreate::Retries(delay) => out.timer(delay, KubeClientTimer::Reconcile),
            };
        }
        match &mut self.app {
            KubeApp::Kubectl | KubeApp::Load(_) | KubeApp::Kubelets(_) => {}
            KubeApp::Watch { request, lists } => match &**answer {
                Ok(KubeResponse::List(list)) if *lists => {
                    *lists = false;
                    let request = watch_after(request, list.resource_version);
                    self.send(request, out);
                }
                Ok(_) => {}
                Err(_) => {
                    self.ended = true;
                    self.current = None;
                }
            },
            KubeApp::Informer(reflector) => {
                let acts = reflector.answered(out.now, answer, &mut self.rng);
                self.follow(acts, out);
            }
        }
    }

    fn heard(
        &mut self,
        from: NodeId,
        call: u64,
        events: &Arc<Vec<KubeWatchEvent>>,
        out: &mut Outbox<KubeClientTimer>,
    ) {
        if self.current != Some(call) {
            return;
        }
        out.trace(TraceEvent::Kube(KubeTrace::Events {
            client: self.node,
            server: from,
            call,
            events: events.clone(),
        }));
        if let KubeApp::Informer(reflector) = &mut self.app {
            let acts = reflector.events(out.now, events, &mut self.rng);
            self.follow(acts, out);
        }
    }

    fn stream_ended(&mut self, call: u64, out: &mut Outbox<KubeClientTimer>) {
        if self.current != Some(call) {
            return;
        }
        self.current = None;
        out.trace(TraceEvent::Kube(KubeTrace::StreamEnds {
            client: self.node,
            call,
            clean: true,
        }));
        match &mut self.app {
            KubeApp::Kubectl | KubeApp::Load(_) | KubeApp::Kubelets(_) => {}
            // kubectl exits when its watch ends.
            KubeApp::Watch { .. } => self.ended = true,
            KubeApp::Informer(reflector) => {
                let acts = reflector.ended(out.now, &mut self.rng);
                self.follow(acts, out);
            }
        }
    }

    fn follow(&mut self, acts: Vec<ReflectorAct>, out: &mut Outbox<KubeClientTimer>) {
        let mut has_changed = false;
        for act in acts {
            has_changed |= matches!(act, ReflectorAct::Replaced { .. } | ReflectorAct::Notify(_));
            match act {
                ReflectorAct::Send(request) => self.send(request, out),
                ReflectorAct::Wait { delay, why } => {
                    out.timer(delay, KubeClientTimer::Backoff);
                    out.trace(TraceEvent::Kube(KubeTrace::BacksOff {
                        client: self.node,
                        delay,
                        why,
                    }));
                }
                ReflectorAct::Replaced {
                    revision,
                    objects,
                    gone,
                } => out.trace(TraceEvent::Kube(KubeTrace::Replaced {
                    client: self.node,
                    revision,
                    objects,
                    gone: Arc::new(gone),
                })),
                ReflectorAct::Notify(what) => out.trace(TraceEvent::Kube(KubeTrace::Notified {
                    client: self.node,
                    what,
                })),
            }
        }
        if has_changed {
            self.reconcile(out);
        }
    }

    /// Lets the control loop compare the informer's copy of the objects with the desired state, and act on the
    /// difference.
    fn reconcile(&mut self, out: &mut Outbox<KubeClientTimer>) {
        let KubeApp::Informer(reflector) = &self.app else {
            return;
        };
        if !reflector.has_synced() {
            return;
        }
        match &mut self.controller {
            None => {}
            Some(Controller::Kubelet(containers)) => {
                for change in containers.sync(reflector.store()) {
                    out.trace(TraceEvent::Kube(KubeTrace::Container {
                        client: self.node,
                        change,
                    }));
                }
                let mut requests = Vec::new();
                let known = reflector.store();
                while let Some(request) =
                    containers.next_request(self.calls + 1 + requests.len() as u64, known)
                {
                    requests.push(request);
                }
                for request in requests {
                    self.calls += 1;
                    self.send_to(self.server, Arc::new(request), out);
                }
            }
            Some(Controller::StatefulSet(set)) => {
                let version = reflector.last().unwrap_or(0);
                if let Some(request) = set.sync(self.calls + 1, reflector.store(), version) {
                    self.calls += 1;
                    self.send_to(self.server, Arc::new(request), out);
                }
            }
        }
    }

    fn send(&mut self, request: KubeRequest, out: &mut Outbox<KubeClientTimer>) {
        self.calls += 1;
        self.current = Some(self.calls);
        self.send_to(self.server, Arc::new(request), out);
    }

    fn send_to(
        &self,
        server: NodeId,
        request: Arc<KubeRequest>,
        out: &mut Outbox<KubeClientTimer>,
    ) {
        let call = self.calls;
        out.trace(TraceEvent::Kube(KubeTrace::Sends {
            client: self.node,
            server,
            call,
            request: request.clone(),
        }));
        out.send(server, Body::Kube(KubeMessage::Call { call, request }));
    }
}

/// Returns the list request that precedes a watch.
fn list_of(watch: &KubeRequest) -> KubeRequest {
    let KubeVerb::Watch { target, .. } = &watch.verb else {
        return watch.clone();
    };
    KubeRequest {
        resource: watch.resource,
        verb: KubeVerb::List {
            target: target.clone(),
            options: ListOptions {
                limit: 500,
                ..ListOptions::default()
            },
        },
    }
}

/// Returns the request for the page after `page`, or `None` after the last page.
fn next_page(list: &KubeRequest, page: &ObjectList) -> Option<KubeRequest> {
    let token = page.continue_token.clone()?;
    let mut next = list.clone();
    let KubeVerb::List { options, .. } = &mut next.verb else {
        return None;
    };
    options.continue_token = Some(token);
    Some(next)
}

/// Returns the watch request that starts at the resource version of a list.
fn watch_after(watch: &KubeRequest, resource_version: u64) -> KubeRequest {
    let mut watch = watch.clone();
    if let KubeVerb::Watch { options, .. } = &mut watch.verb {
        options.resource_version = ResourceVersion::At(resource_version);
    }
    watch
}
