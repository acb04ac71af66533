//! Executes writes: creates, updates, patches and deletes.
//!
//! Mirrors `Store.Create`, `Update` and `Delete` of `registry/generic/registry/store.go`, `rest/create.go`,
//! `rest/delete.go`, the strategy of pods, the admission plug-in `NamespaceLifecycle`, and `Create`, `GuaranteedUpdate`
//! and `Delete` of `storage/etcd3/store.go`. Left out: finalizers, other admission plug-ins, the retry of a patch after
//! a conflict, and a retry with another generated name.
//!
//! A deletion of a pod has two steps. The first step stores the end of the grace period in the pod. The last step
//! removes the pod: at once if the grace period is 0, otherwise when the kubelet deletes the pod with grace period 0.
//!
//! Runs of old format versions have no registry (`ApiServer::has_registry`): their writes are not checked, an update
//! without a change is written, and a deletion has one step.

use std::hash::Hasher;
use std::sync::Arc;

use crate::api::{RangeResponse, ResponseOp, TxnResponse};
use crate::base::digest::Digest;
use crate::base::time::{SimDuration, SimTime};
use crate::kube::codec;
use crate::kube::feature::Feature;
use crate::kube::object::{
    CREATION_TIMESTAMP, DELETION_GRACE_PERIOD, DELETION_TIMESTAMP, Key, Object,
};
use crate::kube::object_rules::{self, GENERATE_NAME};
use crate::kube::resource::{NAMESPACES, PODS, Resource};
use crate::kube::status::StatusError;
use crate::kube::timestamp;
use crate::kube::{DeleteOptions, KubeRequest, KubeResponse, KubeVerb};
use crate::sim::Outbox;

use super::event_rate_limit;
use super::request::{CallReason, WritePhase};
use super::serve::{Figures, key_of, not_found};
use super::server::{ApiServer, ApiServerTimer};
use super::storage;

/// The namespaces that exist in each cluster. The simulator does not store their objects.
const INITIAL_NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// The default of a pod's `spec.terminationGracePeriodSeconds`, in seconds.
const GRACE_PERIOD_S: u64 = 30;

/// The characters of generated names, which contain no vowels and no digits that look like letters.
const NAME_ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// The number of random characters of a generated name.
const NAME_RANDOM: usize = 5;

/// The maximum length of a generated name, in bytes.
const NAME_LENGTH_MAX: usize = 63;

/// The first step of a deletion.
enum Deletion {
    /// Store this state of the object, which has the end of the grace period.
    Terminate(Object),
    /// The grace period has begun earlier, and the request does not shorten the period.
    Pending,
    Remove,
}

impl ApiServer {
    pub(super) fn write(&mut self, id: u64, out: &mut Outbox<ApiServerTimer>) {
        let in_flight = self.requests.get_mut(&id).expect("it has just come");
        in_flight.etcd_since = Some(out.now);
        let request = in_flight.request.clone();
        let (limits, buckets) = (&self.config.event_limits, &mut self.event_buckets);
        if let Err(error) = event_rate_limit::admit(limits, buckets, out.now, &request) {
            return self.answer(id, Err(error), Figures::default(), out);
        }
        let resource = request.resource;
        match &request.verb {
            KubeVerb::Create(object) => {
                let namespace = &*object.namespace;
                if self.has_registry.0
                    && resource.is_namespaced
                    && !INITIAL_NAMESPACES.contains(&namespace)
                {
                    let key = key_of(&NAMESPACES, "", namespace);
                    return self.read(id, &key, WritePhase::FindNamespace, out);
                }
                self.create(id, object, out);
            }
            KubeVerb::Update { object, .. } => {
                self.begin_change(id, &object.key(resource.prefix), out);
            }
            KubeVerb::Patch {
                namespace, name, ..
            } => self.begin_change(id, &key_of(resource, namespace, name), out),
            KubeVerb::Delete {
                namespace,
                name,
                options,
            } => {
                let key = key_of(resource, namespace, name);
                // Without the gate, the server ignores the option.
                if *options.ignores_read_error && self.deletes_corrupt_objects() {
                    return self.read(id, &key, WritePhase::RemoveCorrupt, out);
                }
                match self.has_registry.0 {
                    true => self.read(id, &key, WritePhase::FindObject, out),
                    false => self.begin_change(id, &key, out),
                }
            }
            KubeVerb::Get { .. }
            | KubeVerb::List { .. }
            | KubeVerb::Watch { .. }
            | KubeVerb::Raw(_) => {}
        }
    }

    fn deletes_corrupt_objects(&self) -> bool {
        self.config()
            .is_on(Feature::AllowUnsafeMalformedObjectDeletion)
    }

    /// Reads an object from etcd in a phase of a write.
    fn read(&mut self, id: u64, key: &str, phase: WritePhase, out: &mut Outbox<ApiServerTimer>) {
        let in_flight = self.requests.get_mut(&id).expect("it is served");
        in_flight.write.phase = phase;
        self.ask(CallReason::Request(id), storage::one(key, 0), out);
    }

    fn create(&mut self, id: u64, object: &Object, out: &mut Outbox<ApiServerTimer>) {
        let resource = self.requests[&id].request.resource;
        let mut object = object.clone();
        if self.has_registry.0 {
            let prefix = object.field(GENERATE_NAME).to_owned();
            if object.name.is_empty() && !prefix.is_empty() {
                object = self.named(&object, &prefix);
            }
            let causes = object_rules::create_errors(resource, &object);
            if !causes.is_empty() {
                return self.refuse_object(id, &object, causes, out);
            }
            if object.resource_version != 0 {
                let error = StatusError::ResourceVersionOnCreate;
                return self.answer(id, Err(error), Figures::default(), out);
            }
            object = object.with_field(CREATION_TIMESTAMP, &timestamp::date(out.now));
        }
        let object = object.with_uid(self.new_uid());
        self.set_written(id, object.clone());
        let question = storage::create(resource, &object);
        let in_flight = self.requests.get_mut(&id).expect("it is served");
        in_flight.write.phase = WritePhase::Change;
        self.ask(CallReason::Request(id), question, out);
    }

    fn named(&mut self, object: &Object, prefix: &str) -> Object {
        let kept = prefix.len().min(NAME_LENGTH_MAX - NAME_RANDOM);
        let mut name = String::from_utf8_lossy(&prefix.as_bytes()[..kept]).into_owned();
        for _ in 0..NAME_RANDOM {
            let drawn = self.rng.below(NAME_ALPHABET.len() as u64);
            name.push(char::from(NAME_ALPHABET[drawn as usize]));
        }
        let mut named = Object::new(&object.kind, &object.namespace, &name);
        named.labels = object.labels.clone();
        for (field, value) in object.fields.iter() {
            if !matches!(&**field, "metadata.name" | "metadata.namespace") {
                named.fields.insert(field.clone(), value.clone());
            }
        }
        named.size_bytes = object.size_bytes;
        named.at(object.resource_version)
    }

    fn refuse_object(
        &mut self,
        id: u64,
        object: &Object,
        causes: Vec<crate::kube::status::FieldCause>,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let error = StatusError::InvalidObject {
            kind: self.requests[&id].request.resource.kind,
            name: object.name.clone(),
            causes,
        };
        self.answer(id, Err(error), Figures::default(), out);
    }

    fn set_written(&mut self, id: u64, object: Object) {
        if self.has_registry.0 {
            let in_flight = self.requests.get_mut(&id).expect("it is served");
            in_flight.write.written = Some(Arc::new(object));
        }
    }

    /// Starts an update or a delete, which needs the current object. The first attempt uses the cached object, if there
    /// is one (`GuaranteedUpdate` with a cached object).
    fn begin_change(&mut self, id: u64, key: &Key, out: &mut Outbox<ApiServerTimer>) {
        let resource = self.requests[&id].request.resource;
        let cached = self
            .cacher(resource.name)
            .filter(|cacher| cacher.ready().state() == super::ready::ReadyState::Ready)
            .and_then(|cacher| cacher.cache().store().get(key).cloned());
        let in_flight = self.requests.get_mut(&id).expect("it is served");
        in_flight.write.is_current = false;
        match cached {
            Some(object) => self.change(id, &object, out),
            None => self.ask(CallReason::Request(id), storage::one(key, 0), out),
        }
    }

    /// Handles etcd's response to a read of one object's current state.
    pub(super) fn state_read(
        &mut self,
        id: u64,
        range: &RangeResponse,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let has_gate = self.deletes_corrupt_objects();
        let in_flight = self.requests.get_mut(&id).expect("it is served");
        let (phase, request) = (in_flight.write.phase, in_flight.request.clone());
        let resource = request.resource;
        let Some(kv) = range.kvs.first() else {
            let error = match &request.verb {
                KubeVerb::Create(object) => not_found(&NAMESPACES, &object.namespace),
                verb => not_found(resource, name_of(verb)),
            };
            return match (phase, in_flight.write.written.clone()) {
                // Another client removed the object between the two steps of the deletion.
                (WritePhase::Remove, Some(object)) => self.answer_written(id, object, out),
                _ => self.answer(id, Err(error), Figures::default(), out),
            };
        };
        if let KubeVerb::Create(object) = &request.verb {
            return self.create(id, object, out);
        }
        let corruption = match phase {
            WritePhase::FindObject => storage::undecodable_object(kv, has_gate),
            _ => {
                let why = storage::decode_error(kv, has_gate);
                why.map(|why| StatusError::Storage(why.into()))
            }
        };
        match (phase, corruption) {
            (WritePhase::RemoveCorrupt, Some(_)) => {
                let key = String::from_utf8_lossy(&kv.key);
                let question = storage::delete(&key, kv.mod_revision as u64);
                return self.ask(CallReason::Request(id), question, out);
            }
            (WritePhase::RemoveCorrupt, None) => {
                let key = String::from_utf8_lossy(&kv.key);
                let error = StatusError::Precondition {
                    kind: resource.name,
                    name: name_of(&request.verb).into(),
                    detail: format!(
                        "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: \
                         unsafe deletion is not allowed because the object is decodable from storage"
                    ),
                };
                return self.answer(id, Err(error), Figures::default(), out);
            }
            (_, Some(error)) => return self.answer(id, Err(error), Figures::default(), out),
            (_, None) => {}
        }
        let object = storage::object(resource, kv);
        if self.has_registry.0 {
            in_flight.write.is_current = true;
        } else if let KubeVerb::Update {
            resource_version, ..
        } = &request.verb
            && required_version(resource_version).is_some_and(|rv| rv != object.resource_version)
        {
            let error = conflict(resource, &object);
            return self.answer(id, Err(error), Figures::default(), out);
        }
        self.change(id, &object, out);
    }

    /// Sends a transaction that changes or removes the object, unless the object has changed in the meantime.
    fn change(&mut self, id: u64, current: &Object, out: &mut Outbox<ApiServerTimer>) {
        let request = self.requests[&id].request.clone();
        match &request.verb {
            KubeVerb::Update { .. } | KubeVerb::Patch { .. } => {
                self.update(id, &request, current, out);
            }
            KubeVerb::Delete { options, .. } => self.delete(id, options, current, out),
            KubeVerb::Create(_)
            | KubeVerb::Get { .. }
            | KubeVerb::List { .. }
            | KubeVerb::Watch { .. }
            | KubeVerb::Raw(_) => {}
        }
    }

    fn update(
        &mut self,
        id: u64,
        request: &KubeRequest,
        current: &Object,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let resource = request.resource;
        if !self.has_registry.0 {
            let (object, required) = match &request.verb {
                KubeVerb::Update {
                    object,
                    resource_version,
                } => (object.clone(), required_version(resource_version)),
                KubeVerb::Patch { patch, .. } => (patch.applied(current), None),
                _ => return,
            };
            let object = object.with_uid(current.uid);
            let revision = required.unwrap_or(current.resource_version);
            let question = storage::update(resource, &object, revision);
            return self.ask(CallReason::Request(id), question, out);
        }
        let is_current = self.requests[&id].write.is_current;
        let object = updated(request, current);
        let has_change = object
            .as_ref()
            .is_ok_and(|object| !is_same(object, current));
        // An error, or an update without a change, may be due to a cached object that is out of date.
        if !has_change && !is_current {
            return self.read(id, &current.key(resource.prefix), WritePhase::Change, out);
        }
        match object {
            Err(error) => self.answer(id, Err(error), Figures::default(), out),
            Ok(_) if !has_change => self.answer_written(id, Arc::new(current.clone()), out),
            Ok(object) => {
                let question = storage::update(resource, &object, current.resource_version);
                self.set_written(id, object);
                self.ask(CallReason::Request(id), question, out);
            }
        }
    }

    fn delete(
        &mut self,
        id: u64,
        options: &DeleteOptions,
        current: &Object,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let resource = self.requests[&id].request.resource;
        let key = current.key(resource.prefix);
        let phase = self.requests[&id].write.phase;
        if !self.has_registry.0 || phase == WritePhase::Remove {
            let question = storage::delete(&key, current.resource_version);
            self.set_written(id, current.clone());
            return self.ask(CallReason::Request(id), question, out);
        }
        let deletion = match before_delete(out.now, resource, current, options) {
            Ok(deletion) => deletion,
            Err(error) => return self.answer(id, Err(error), Figures::default(), out),
        };
        match deletion {
            Deletion::Pending => self.answer_written(id, Arc::new(current.clone()), out),
            Deletion::Remove => self.begin_phase(id, WritePhase::Remove, &key, out),
            Deletion::Terminate(object) if phase == WritePhase::Terminate => {
                let question = storage::update(resource, &object, current.resource_version);
                self.set_written(id, object);
                self.ask(CallReason::Request(id), question, out);
            }
            Deletion::Terminate(_) => self.begin_phase(id, WritePhase::Terminate, &key, out),
        }
    }

    /// Starts the next phase of a deletion, which uses the cached object first.
    fn begin_phase(
        &mut self,
        id: u64,
        phase: WritePhase,
        key: &Key,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let in_flight = self.requests.get_mut(&id).expect("it is served");
        in_flight.write.phase = phase;
        self.begin_change(id, key, out);
    }

    /// Handles etcd's response to a transaction of a write.
    pub(super) fn written(&mut self, id: u64, txn: &TxnResponse, out: &mut Outbox<ApiServerTimer>) {
        let request = self.requests[&id].request.clone();
        let resource = request.resource;
        let revision = txn.header.revision as u64;
        if !txn.succeeded {
            if let KubeVerb::Create(object) = &request.verb {
                let created = self.requests[&id].write.written.clone();
                let error = StatusError::AlreadyExists {
                    resource: resource.name.into(),
                    name: created.map_or(object.name.clone(), |created| created.name.clone()),
                };
                return self.answer(id, Err(error), Figures::default(), out);
            }
            if let Some(ResponseOp::Range(range)) = txn.responses.first() {
                self.state_read(id, range, out);
            }
            return;
        }
        let write = &self.requests[&id].write;
        if write.phase == WritePhase::RemoveCorrupt {
            let (name, kind) = (name_of(&request.verb), resource.kind);
            let status = format!(
                "{{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{{}},\"status\":\"Success\",\
                 \"details\":{{\"name\":\"{name}\",\"kind\":\"{kind}\"}},\"code\":200}}\n"
            );
            let answer = Ok(KubeResponse::Text(status.into()));
            return self.answer(id, answer, Figures::default(), out);
        }
        let (phase, stored) = (write.phase, write.written.clone());
        let object = match (stored, &request.verb) {
            (Some(object), _) => Object::clone(&object),
            (None, KubeVerb::Create(object) | KubeVerb::Update { object, .. }) => object.clone(),
            (
                None,
                KubeVerb::Delete {
                    namespace, name, ..
                }
                | KubeVerb::Patch {
                    namespace, name, ..
                },
            ) => Object::new(resource.kind, namespace, name),
            (None, _) => return,
        };
        let object = match request.verb {
            KubeVerb::Delete { .. } => object,
            _ => {
                let size = object.size_bytes.max(codec::encode(&object).len() as u64);
                object.with_size(size)
            }
        };
        let object = object.at(revision);
        if phase == WritePhase::Terminate && object.deletion_grace_period_s() == Some(0) {
            let key = object.key(resource.prefix);
            return self.begin_phase(id, WritePhase::Remove, &key, out);
        }
        self.answer_written(id, Arc::new(object), out);
    }

    fn answer_written(&mut self, id: u64, object: Arc<Object>, out: &mut Outbox<ApiServerTimer>) {
        let figures = Figures {
            revision: Some(object.resource_version),
            items: 1,
            ..Figures::default()
        };
        self.answer(id, Ok(KubeResponse::Object(object)), figures, out);
    }

    fn new_uid(&mut self) -> u64 {
        self.uids += 1;
        let mut d = Digest::default();
        d.u64(self.seed);
        d.bytes(self.name().as_bytes());
        d.u64(self.uids);
        d.finish()
    }
}

/// Returns the resource version that the update requires, if the update names one.
fn required_version(text: &str) -> Option<u64> {
    object_rules::resource_version(text)
        .ok()
        .filter(|_| !text.is_empty())
}

fn name_of(verb: &KubeVerb) -> &str {
    match verb {
        KubeVerb::Create(object) | KubeVerb::Update { object, .. } => &object.name,
        KubeVerb::Get { name, .. }
        | KubeVerb::Patch { name, .. }
        | KubeVerb::Delete { name, .. } => name,
        KubeVerb::List { .. } | KubeVerb::Watch { .. } | KubeVerb::Raw(_) => "",
    }
}

fn conflict(resource: &Resource, object: &Object) -> StatusError {
    StatusError::Conflict {
        resource: resource.name.into(),
        name: object.name.clone(),
    }
}

/// Returns the new state of an object, or the reason why the server refuses the change.
fn updated(request: &KubeRequest, current: &Object) -> Result<Object, StatusError> {
    let resource = request.resource;
    let object = match &request.verb {
        KubeVerb::Update {
            object,
            resource_version,
        } => {
            let required = object_rules::resource_version(resource_version)
                .map_err(|why| StatusError::Storage(why.into()))?;
            if required != 0 && required != current.resource_version {
                return Err(conflict(resource, current));
            }
            replaced(object, current)
        }
        KubeVerb::Patch { patch, .. } => patch.applied(current).with_size(assumed_size(current)),
        _ => return Ok(current.clone()),
    };
    let causes = object_rules::update_errors(resource, current, &object);
    match causes.is_empty() {
        true => Ok(object.with_uid(current.uid)),
        false => Err(StatusError::InvalidObject {
            kind: resource.kind,
            name: current.name.clone(),
            causes,
        }),
    }
}

/// Returns the object of an update with the parts that an update cannot change. A replacement without a node keeps its
/// node, without a status its status, and without a size its size, because a command of the simulator names only what
/// it changes.
fn replaced(object: &Object, current: &Object) -> Object {
    let mut object = object.clone();
    for (name, value) in current.fields.iter() {
        let is_kept = name.starts_with("metadata.") && !name.starts_with("metadata.annotations")
            || name.starts_with("status.")
            || &**name == "spec.nodeName";
        if is_kept && (object.fields.get(name).is_none() || name.starts_with("metadata.")) {
            object.fields.insert(name.clone(), value.clone());
        }
    }
    if object.size_bytes == 0 {
        object.size_bytes = assumed_size(current);
    }
    object
}

/// Returns the size that the annotation of the object names, or 0 if the object has no such annotation.
fn assumed_size(object: &Object) -> u64 {
    let plain = codec::encode(&object.clone().with_size(0)).len() as u64;
    match object.size_bytes == plain {
        true => 0,
        false => object.size_bytes,
    }
}

/// Returns true if both objects have the same encoding.
fn is_same(a: &Object, b: &Object) -> bool {
    let encoding = |object: &Object| codec::encode(&object.clone().with_size(assumed_size(object)));
    encoding(a) == encoding(b)
}

/// Decides the first step of a deletion (`rest.BeforeDelete` with the strategy of pods).
fn before_delete(
    now: SimTime,
    resource: &Resource,
    object: &Object,
    options: &DeleteOptions,
) -> Result<Deletion, StatusError> {
    let refused = |detail: String| StatusError::Precondition {
        kind: resource.kind,
        name: object.name.clone(),
        detail,
    };
    if let Some(uid) = options.uid.filter(|uid| *uid != object.uid) {
        let (asked, own) = (codec::uid_text(uid), codec::uid_text(object.uid));
        return Err(refused(format!(
            "the UID in the precondition ({asked}) does not match the UID in record ({own}). The object might have \
             been deleted and then recreated"
        )));
    }
    let own = object.resource_version;
    if let Some(asked) = options.resource_version.filter(|rv| *rv != own) {
        return Err(refused(format!(
            "the ResourceVersion in the precondition ({asked}) does not match the ResourceVersion in record ({own}). \
             The object might have been modified"
        )));
    }
    if resource.name != PODS.name {
        return Ok(Deletion::Remove);
    }
    let period = match (object.is_in_deletion(), object.deletion_grace_period_s()) {
        (false, _) => grace_period_s(object, options),
        (true, None | Some(0)) => return Ok(Deletion::Remove),
        (true, Some(period)) => match options.grace_period_s.filter(|asked| *asked < period) {
            Some(shorter) => shorter,
            None => return Ok(Deletion::Pending),
        },
    };
    let end = SimTime(now.0) + SimDuration(period.saturating_mul(1_000_000));
    let ends = object.clone().with_size(assumed_size(object));
    let ends = ends.with_field(DELETION_TIMESTAMP, &timestamp::date(end));
    let ends = ends.with_field(DELETION_GRACE_PERIOD, &period.to_string());
    Ok(Deletion::Terminate(ends))
}

/// Returns the grace period of a pod: 0 for a pod without a node or with a final phase.
fn grace_period_s(pod: &Object, options: &DeleteOptions) -> u64 {
    let is_final = matches!(pod.field("status.phase"), "Failed" | "Succeeded");
    if pod.field("spec.nodeName").is_empty() || is_final {
        return 0;
    }
    let own = pod.field("spec.terminationGracePeriodSeconds").parse();
    options
        .grace_period_s
        .unwrap_or(own.unwrap_or(GRACE_PERIOD_S))
}
