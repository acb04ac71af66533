//! A kubectl command: its requests to an API server, and the format of its output.
//!
//! kubectl decides about each request from the earlier responses, so the next request is a function of these responses
//! ([`KubectlCommand::next`]). kubectl reads each object before it labels, patches or applies the object, and lists
//! objects before it deletes them by a selector.

use crate::kube::list_options::ListOptions;
use crate::kube::object_rules::GENERATE_NAME;
use crate::kube::{
    DeleteOptions, KubeRequest, KubeResponse, KubeVerb, Object, ObjectPatch, Resource, codec,
};
use crate::sim::outbox::KubectlReply;

use super::jsonpath::JsonPath;

/// A kubectl command: the requests to an API server, and how kubectl prints the responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubectlCommand {
    /// The name of the API server. `None` selects the first API server.
    pub server: Option<String>,
    /// The first requests, which do not depend on responses. A watch has one request.
    pub requests: Vec<KubectlRequest>,
    /// What kubectl does with the responses to these requests.
    pub follow_up: FollowUp,
    /// For a watch, the name given with `as`, and a flag that is true if the watch starts with a list. `None` for other
    /// commands.
    pub watch: Option<(Option<String>, bool)>,
    pub output: KubectlOutput,
    pub table: TableFlags,
    /// Whether kubectl reports no error for an object that does not exist (`--ignore-not-found`).
    pub ignores_not_found: bool,
    /// Whether the objects come from a manifest (`-f -`). kubectl's error messages name the file.
    pub has_manifest: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubectlRequest {
    pub request: KubeRequest,
    /// Whether kubectl requests further chunks of the list until the list is complete.
    pub in_chunks: bool,
}

/// What kubectl does with the responses to the first requests of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FollowUp {
    Print,
    Describe,
    /// Deletes each object of the lists.
    Delete(DeleteOptions),
    /// Changes labels of each object.
    Label(LabelChange),
    /// Changes each object.
    Patch(ObjectPatch),
    /// Creates the objects that do not exist, and changes the others (`kubectl apply`).
    Apply(Vec<Object>),
    /// Prints the versions of kubectl and of the API server.
    Version,
    /// Prints the resources. kubectl knows them without a request here.
    ApiResources,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelChange {
    pub set: Vec<(String, String)>,
    pub removed: Vec<String>,
    /// Whether a label that exists gets another value (`--overwrite`).
    pub overwrites: bool,
}

/// The flags for the columns and rows of tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableFlags {
    /// `--all-namespaces`: whether each row starts with the namespace of the object.
    pub all_namespaces: bool,
    /// `--show-labels`: whether each row ends with the labels of the object.
    pub show_labels: bool,
    /// `--no-headers`: whether the first line is missing.
    pub no_headers: bool,
    /// `--label-columns`: the labels that have a column.
    pub label_columns: Vec<String>,
    /// `--sort-by`: the value by which the objects are sorted.
    pub sort_by: Option<JsonPath>,
}

/// The output formats of kubectl (`-o`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KubectlOutput {
    /// A table, the default.
    #[default]
    Table,
    /// A table with additional columns.
    Wide,
    /// For each object: the resource and the name, for example `pod/web-1`.
    Name,
    /// The objects as indented JSON.
    Json,
    Yaml,
    /// The values that a template selects.
    JsonPath(JsonPath),
    /// A table with the given columns: a heading, and the path of the value.
    CustomColumns(Vec<(String, JsonPath)>),
    /// The response of the API server, on one line.
    Raw,
}

impl LabelChange {
    /// Returns the difference between an object and the object with the changed labels.
    ///
    /// # Errors
    /// Returns kubectl's message if a label has another value and must not be overwritten.
    pub fn patch(&self, object: &Object) -> Result<ObjectPatch, String> {
        let mut patch = ObjectPatch::default();
        for (name, value) in &self.set {
            match object.labels.get(name) {
                Some(own) if **own == **value => {}
                Some(own) if !self.overwrites => {
                    return Err(format!(
                        "'{name}' already has a value ({own}), and --overwrite is false"
                    ));
                }
                _ => patch.labels.push((name.clone(), Some(value.clone()))),
            }
        }
        let removed = self.removed.iter();
        let removed = removed.filter(|name| object.labels.get(name).is_some());
        patch
            .labels
            .extend(removed.map(|name| (name.clone(), None)));
        Ok(patch)
    }
}

impl KubectlRequest {
    /// Creates a request whose response is complete.
    pub fn one(request: KubeRequest) -> Self {
        Self {
            request,
            in_chunks: false,
        }
    }
}

impl KubectlCommand {
    /// Creates a command that sends one request and prints the response.
    pub fn one(request: KubeRequest) -> Self {
        Self::new(vec![KubectlRequest::one(request)], FollowUp::Print)
    }

    /// Creates a command for the first API server, with the default output.
    pub fn new(requests: Vec<KubectlRequest>, follow_up: FollowUp) -> Self {
        Self {
            server: None,
            requests,
            follow_up,
            watch: None,
            output: KubectlOutput::Table,
            table: TableFlags::default(),
            ignores_not_found: false,
            has_manifest: false,
        }
    }

    pub fn is_write(&self) -> bool {
        let is_write = match self.follow_up {
            FollowUp::Print | FollowUp::Describe | FollowUp::Version | FollowUp::ApiResources => {
                false
            }
            FollowUp::Delete(_) | FollowUp::Label(_) | FollowUp::Patch(_) | FollowUp::Apply(_) => {
                true
            }
        };
        is_write || self.requests.iter().any(|one| one.request.verb.is_write())
    }

    /// Returns the request that follows these replies, or `None` after the last request. kubectl sends no further
    /// requests if the API server does not respond.
    pub fn next(&self, replies: &[KubectlReply]) -> Option<KubectlRequest> {
        let is_answer = |reply: &KubectlReply| matches!(reply, KubectlReply::Answer(_));
        if !replies.iter().all(is_answer) {
            return None;
        }
        if let Some(request) = self.requests.get(replies.len()) {
            return Some(request.clone());
        }
        let (read, done) = replies.split_at(self.requests.len());
        let mut later = self.follow_ups(read).into_iter();
        later.nth(done.len()).map(KubectlRequest::one)
    }

    /// Returns the requests that follow the replies to the first requests.
    pub fn follow_ups(&self, read: &[KubectlReply]) -> Vec<KubeRequest> {
        let found = |reply: &KubectlReply| match reply {
            KubectlReply::Answer(answer) => match &**answer {
                Ok(KubeResponse::Object(object)) => vec![object.clone()],
                Ok(KubeResponse::List(list)) => list.items.clone(),
                Ok(KubeResponse::WatchBegun | KubeResponse::Text(_)) | Err(_) => Vec::new(),
            },
            _ => Vec::new(),
        };
        let mut later = Vec::new();
        for (at, (asked, reply)) in self.requests.iter().zip(read).enumerate() {
            let resource = asked.request.resource;
            let objects = found(reply);
            let of = |verb: KubeVerb| KubeRequest { resource, verb };
            match &self.follow_up {
                FollowUp::Print
                | FollowUp::Describe
                | FollowUp::Version
                | FollowUp::ApiResources => {}
                FollowUp::Delete(options) => later.extend(objects.iter().map(|object| {
                    of(KubeVerb::Delete {
                        namespace: object.namespace.to_string(),
                        name: object.name.to_string(),
                        options: options.clone(),
                    })
                })),
                FollowUp::Label(change) => later.extend(objects.iter().filter_map(|object| {
                    let patch = change.patch(object).ok()?;
                    (!patch.is_empty()).then(|| of(patched(object, patch)))
                })),
                FollowUp::Patch(patch) => {
                    let patches = objects.iter();
                    later.extend(patches.map(|object| of(patched(object, patch.clone()))));
                }
                FollowUp::Apply(all) => match (objects.first(), is_missing(reply), &all[at]) {
                    (Some(object), _, new) => {
                        let patch = apply_patch(object, new);
                        later.extend((!patch.is_empty()).then(|| of(patched(object, patch))));
                    }
                    (None, true, new) => {
                        later.push(of(KubeVerb::Create(with_last_applied(new.clone()))));
                    }
                    (None, false, _) => {}
                },
            }
        }
        later
    }
}

fn patched(object: &Object, patch: ObjectPatch) -> KubeVerb {
    KubeVerb::Patch {
        namespace: object.namespace.to_string(),
        name: object.name.to_string(),
        patch,
    }
}

pub fn is_missing(reply: &KubectlReply) -> bool {
    let KubectlReply::Answer(answer) = reply else {
        return false;
    };
    matches!(&**answer, Err(error) if error.code() == 404)
}

pub fn get(resource: &'static Resource, namespace: &str, name: &str) -> KubeRequest {
    KubeRequest {
        resource,
        verb: KubeVerb::Get {
            namespace: namespace.into(),
            name: name.into(),
            options: ListOptions::default(),
        },
    }
}

/// Returns true if an object has no record of the last manifest, because `kubectl apply` did not create or change it.
pub fn lacks_last_applied(object: &Object) -> bool {
    object.field(LAST_APPLIED).is_empty()
}

/// The field of the annotation in which `kubectl apply` stores the manifest.
const LAST_APPLIED: &str = "metadata.annotations/kubectl.kubernetes.io/last-applied-configuration";

/// Returns the object with the annotation that contains its manifest.
fn with_last_applied(object: Object) -> Object {
    let manifest = manifest_of(&object);
    object.with_field(LAST_APPLIED, &manifest)
}

fn manifest_of(object: &Object) -> String {
    let plain = object.clone().with_size(0).with_uid(0);
    let uid = format!(",\"uid\":\"{}\"", codec::uid_text(0));
    format!("{}\n", codec::encode(&plain).replacen(&uid, "", 1))
}

/// Returns the changes that make an object match a manifest: values of the manifest that differ, and no value for what
/// only the last manifest contains (the three-way merge of `kubectl apply`).
fn apply_patch(object: &Object, new: &Object) -> ObjectPatch {
    let new = with_last_applied(new.clone());
    let last = object.field(LAST_APPLIED).to_owned();
    let resource = crate::kube::resource::RESOURCES;
    let resource = resource.into_iter().find(|one| *one.kind == *object.kind);
    let key = resource.map(|one| object.key(one.prefix));
    let last = match (resource, key) {
        (Some(resource), Some(key)) if !last.is_empty() => {
            codec::decode(resource, &key, last.trim_end().as_bytes(), 0)
        }
        _ => Object::new(&object.kind, &object.namespace, &object.name),
    };
    let changes = |own: &crate::kube::Set, old: &crate::kube::Set, new: &crate::kube::Set| {
        let set = new
            .iter()
            .filter(|(name, value)| own.get(name) != Some(value));
        let set = set.map(|(name, value)| (name.to_string(), Some(value.to_string())));
        let gone = old.iter().filter(|(name, _)| {
            new.get(name).is_none() && own.get(name).is_some() && **name != *GENERATE_NAME
        });
        let gone = gone.map(|(name, _)| (name.to_string(), None));
        set.chain(gone).collect()
    };
    ObjectPatch {
        labels: changes(&object.labels, &last.labels, &new.labels),
        fields: changes(&object.fields, &last.fields, &new.fields),
    }
}
