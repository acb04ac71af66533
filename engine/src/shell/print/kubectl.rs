//! Prints responses from API servers in kubectl's format.
//!
//! Mirrors the output and the errors of `k8s.io/kubectl/pkg/cmd`: `get`, `create`, `replace`, `delete`, `label`,
//! `patch` and `apply`, and `checkErr` in `util/helpers.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::kubectl_describe;
use super::kubectl_json;
use super::kubectl_jsonpath;
use super::kubectl_table::{self, kind_name};
use super::kubectl_tree::Tree;
use super::kubectl_yaml;
use crate::base::json::{Json, Leaf, read_object};
use crate::base::small_sort::SmallSort;
use crate::base::time::SimTime;
use crate::kube::resource::RESOURCES;
use crate::kube::status::StatusReason;
use crate::kube::{
    DeleteOptions, KubeRequest, KubeResponse, KubeVerb, Object, ObjectList, Resource, StatusError,
    codec,
};
use crate::shell::Output;
use crate::shell::kubectl::short_name;
use crate::shell::kubectl_command::{
    FollowUp, KubectlCommand, KubectlOutput, is_missing, lacks_last_applied,
};
use crate::sim::outbox::KubectlReply;

const CLIENT_MINOR: u32 = 36;

/// The warning of a delete that does not wait for the kubelet.
const FORCED: &str = "Warning: Immediate deletion does not wait for confirmation that the running resource has been \
    terminated. The resource may continue to run on the cluster indefinitely.\n";

/// Returns kubectl's output for a command and the replies to its requests. `server` is the API server that received the
/// requests.
pub fn kubectl(
    command: &KubectlCommand,
    replies: &[KubectlReply],
    server: &str,
    now: SimTime,
) -> Output {
    let mut printer = Printer {
        command,
        now,
        out: String::new(),
        warnings: String::new(),
        errors: Vec::new(),
    };
    printer.print(replies);
    let broken = replies
        .iter()
        .find_map(|reply| no_connection(reply, server));
    let mut stderr = String::new();
    if printer.is_forced() {
        stderr.push_str(FORCED);
    }
    stderr.push_str(&printer.warnings);
    printer.errors.extend(broken);
    if printer.errors.is_empty() && printer.is_without_results(replies) {
        stderr.push_str(&printer.no_results());
    }
    let is_one = printer.errors.len() == 1;
    for error in &printer.errors {
        // kubectl omits the prefix if several errors occurred.
        let error = if is_one {
            error
        } else {
            error.strip_prefix("error: ").unwrap_or(error)
        };
        stderr.push_str(error);
        stderr.push('\n');
    }
    Output {
        exit: u8::from(!printer.errors.is_empty()),
        stderr: stderr.into_bytes(),
        ..Output::ok(printer.out)
    }
}

/// Returns kubectl's message if the API server did not respond.
fn no_connection(reply: &KubectlReply, server: &str) -> Option<String> {
    Some(match reply {
        KubectlReply::Answer(_) => return None,
        KubectlReply::ConnectionRefused => format!(
            "The connection to the server {server} was refused - did you specify the right \
             host or port?"
        ),
        KubectlReply::ConnectionLost => "Unable to connect to the server: EOF".into(),
        KubectlReply::TimedOut => "Unable to connect to the server: net/http: request canceled \
             (Client.Timeout exceeded while awaiting headers)"
            .into(),
    })
}

/// Returns an error as kubectl prints it.
pub fn refusal(error: &StatusError) -> String {
    error_during("", error)
}

/// Returns an error as kubectl prints it. `context` is the text that kubectl adds before the message of the API server.
fn error_during(context: &str, error: &StatusError) -> String {
    let (subject, causes): (String, Vec<String>) = match error {
        StatusError::InvalidObject { kind, name, causes } => (
            format!("{kind} \"{name}\""),
            causes.iter().map(ToString::to_string).collect(),
        ),
        StatusError::Invalid(causes) => (
            "ListOptions \"\"".into(),
            causes.iter().map(ToString::to_string).collect(),
        ),
        error if error.reason() == StatusReason::Unknown => {
            return format!("Error from server: {context}{error}");
        }
        error => return format!("Error from server ({}): {context}{error}", error.reason()),
    };
    let mut different: Vec<String> = Vec::new();
    for cause in causes {
        if !different.contains(&cause) {
            different.push(cause);
        }
    }
    match different.as_slice() {
        [one] => format!("The {subject} is invalid: {one}"),
        several => {
            let lines: Vec<String> = several.iter().map(|cause| format!("* {cause}")).collect();
            format!("The {subject} is invalid: \n{}", lines.join("\n"))
        }
    }
}

/// The output of a command, as far as it is printed.
struct Printer<'a> {
    command: &'a KubectlCommand,
    now: SimTime,
    out: String,
    warnings: String,
    errors: Vec<String>,
}

/// The objects of a resource that a command reads.
type Found = (&'static Resource, Vec<Arc<Object>>);

impl Printer<'_> {
    fn print(&mut self, replies: &[KubectlReply]) {
        let (read, later) = replies.split_at(self.command.requests.len().min(replies.len()));
        let requests = self.command.requests.iter().map(|one| &one.request);
        match &self.command.follow_up {
            FollowUp::Print => self.print_first(requests.zip(read).collect()),
            FollowUp::Describe => {
                let found = self.found(requests.zip(read).collect());
                let texts = found.iter().flat_map(|(resource, objects)| {
                    let one = |object: &Arc<Object>| kubectl_describe::printed(resource, object);
                    objects.iter().map(one)
                });
                self.out = texts.collect::<Vec<String>>().join("\n\n");
            }
            FollowUp::Version => self.print_version(read.first()),
            FollowUp::ApiResources => self.out = api_resources(),
            FollowUp::Delete(_) | FollowUp::Label(_) | FollowUp::Patch(_) | FollowUp::Apply(_) => {
                let read: Vec<(&KubeRequest, &KubectlReply)> = requests.zip(read).collect();
                self.print_changes(&read, later);
            }
        }
    }

    /// Prints the version of kubectl and, from the page `/version`, the version of the API server.
    fn print_version(&mut self, reply: Option<&KubectlReply>) {
        self.out = format!("Client Version: v1.{CLIENT_MINOR}.0\n");
        let Some(KubectlReply::Answer(answer)) = reply else {
            return;
        };
        match &**answer {
            Ok(KubeResponse::Text(text)) => {
                read_object(text, &mut |path, leaf| {
                    if let ([name], Leaf::Text(version)) = (path, leaf)
                        && name == "gitVersion"
                    {
                        self.out.push_str(&format!("Server Version: {version}\n"));
                    }
                });
            }
            Ok(_) => {}
            Err(error) => self.errors.push(refusal(error)),
        }
    }

    /// Prints the replies to the requests of a command without follow-ups.
    fn print_first(&mut self, replies: Vec<(&KubeRequest, &KubectlReply)>) {
        if self.command.output == KubectlOutput::Raw {
            return self.print_raw(&replies);
        }
        let mut reads = Vec::new();
        for (request, reply) in replies {
            match request.verb.is_write() {
                true => self.print_write(request, reply),
                false => reads.push((request, reply)),
            }
        }
        if reads.is_empty() {
            return;
        }
        let is_single = matches!(reads.as_slice(), [(request, _)] if matches!(request.verb, KubeVerb::Get { .. }));
        let found = self.found(reads);
        if let Err(why) = self.print_objects(found, is_single) {
            self.errors.push(format!("error: {why}"));
        }
    }

    fn print_raw(&mut self, replies: &[(&KubeRequest, &KubectlReply)]) {
        for (request, reply) in replies {
            let KubectlReply::Answer(answer) = reply else {
                continue;
            };
            match &**answer {
                Ok(KubeResponse::Object(object)) => {
                    self.out.push_str(&codec::encode_for_clients(object));
                    self.out.push('\n');
                }
                Ok(KubeResponse::List(list)) => {
                    self.out.push_str(&raw_list(request.resource, list))
                }
                Ok(KubeResponse::Text(text)) => self.out.push_str(text),
                Ok(KubeResponse::WatchBegun) => {}
                Err(error) => self.errors.push(refusal(error)),
            }
        }
    }

    /// Returns the objects of the replies, and stores the errors.
    fn found(&mut self, replies: Vec<(&KubeRequest, &KubectlReply)>) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for (request, reply) in replies {
            let KubectlReply::Answer(answer) = reply else {
                continue;
            };
            let objects = match &**answer {
                Ok(KubeResponse::Object(object)) => vec![object.clone()],
                Ok(KubeResponse::List(list)) => list.items.clone(),
                Ok(KubeResponse::WatchBegun | KubeResponse::Text(_)) => continue,
                Err(_) if self.command.ignores_not_found && is_missing(reply) => continue,
                Err(error) => {
                    self.errors.push(read_error(request, error));
                    continue;
                }
            };
            match found
                .last_mut()
                .filter(|(resource, _)| *resource == request.resource)
            {
                Some((_, all)) => all.extend(objects),
                None => found.push((request.resource, objects)),
            }
        }
        found
    }

    fn print_objects(&mut self, mut found: Vec<Found>, is_single: bool) -> Result<(), String> {
        let flags = &self.command.table;
        if let Some(path) = &flags.sort_by {
            for (_, objects) in &mut found {
                kubectl_table::sort(objects, path)?;
            }
        }
        let all = || {
            found
                .iter()
                .flat_map(|(_, objects)| objects.iter().cloned())
        };
        let tree = || match (is_single, all().next()) {
            (true, Some(object)) => Some(Tree::object(&object)),
            (true, None) => None,
            (false, _) => Some(Tree::list(&all().collect::<Vec<_>>())),
        };
        match &self.command.output {
            KubectlOutput::Json => {
                self.out = tree()
                    .map(|tree| kubectl_json::printed(&tree))
                    .unwrap_or_default();
            }
            KubectlOutput::Yaml => {
                self.out = tree()
                    .map(|tree| kubectl_yaml::printed(&tree))
                    .unwrap_or_default();
            }
            KubectlOutput::JsonPath(path) => {
                if let Some(tree) = tree() {
                    let text = kubectl_jsonpath::printed(path, &tree).map_err(|why| {
                        let text = &path.text;
                        format!(
                            "error executing jsonpath {text:?}: Error executing template: {why}. Printing more \
                             information for debugging the template:\n\ttemplate was:\n\t\t{text}"
                        )
                    })?;
                    self.out = text;
                }
            }
            KubectlOutput::CustomColumns(columns) => {
                let objects: Vec<Arc<Object>> = all().collect();
                self.out = kubectl_table::custom(columns, &objects, flags)?;
            }
            KubectlOutput::Name => {
                for (resource, objects) in &found {
                    for object in objects {
                        self.out.push_str(&name_line(resource, object, ""));
                    }
                }
            }
            KubectlOutput::Table | KubectlOutput::Wide => {
                let is_wide = self.command.output == KubectlOutput::Wide;
                found.retain(|(_, objects)| !objects.is_empty());
                let kinds: BTreeMap<&str, ()> = found
                    .iter()
                    .map(|(resource, _)| (resource.name, ()))
                    .collect();
                for (resource, objects) in &found {
                    if !self.out.is_empty() && !flags.no_headers {
                        self.out.push('\n');
                    }
                    let style = (flags, is_wide, kinds.len() > 1);
                    self.out
                        .push_str(&kubectl_table::table(resource, objects, style, self.now));
                }
            }
            KubectlOutput::Raw => {}
        }
        Ok(())
    }

    /// Prints the reply to a create, a replacement or a delete.
    fn print_write(&mut self, request: &KubeRequest, reply: &KubectlReply) {
        let KubectlReply::Answer(answer) = reply else {
            return;
        };
        let resource = request.resource;
        let object = match &**answer {
            Ok(KubeResponse::Object(object)) => object,
            Ok(_) => return,
            Err(error) => {
                if !(self.command.ignores_not_found && is_missing(reply)) {
                    self.errors.push(self.write_error(request, error));
                }
                return;
            }
        };
        let done = match &request.verb {
            KubeVerb::Create(_) => " created",
            KubeVerb::Update { .. } => " replaced",
            KubeVerb::Delete { options, .. } => {
                return self.print_deleted(resource, object, options);
            }
            _ => return,
        };
        self.print_done(resource, object, done);
    }

    /// Prints the outcome of a write. With an output format, kubectl prints the object instead.
    fn print_done(&mut self, resource: &'static Resource, object: &Arc<Object>, done: &str) {
        if self.command.output == KubectlOutput::Table {
            self.out.push_str(&name_line(resource, object, done));
            return;
        }
        let before = std::mem::take(&mut self.out);
        if let Err(why) = self.print_objects(vec![(resource, vec![object.clone()])], true) {
            self.errors.push(format!("error: {why}"));
        }
        self.out.insert_str(0, &before);
    }

    fn print_deleted(&mut self, resource: &Resource, object: &Object, options: &DeleteOptions) {
        if self.command.output == KubectlOutput::Name {
            self.out.push_str(&name_line(resource, object, ""));
            return;
        }
        let force = match options.grace_period_s {
            Some(0) => "force ",
            _ => "",
        };
        let place = match resource.is_namespaced {
            true => format!(" from {} namespace", object.namespace),
            false => String::new(),
        };
        let (kind, name) = (kind_name(resource), &object.name);
        self.out
            .push_str(&format!("{kind} \"{name}\" {force}deleted{place}\n"));
    }

    /// Prints the outcome for each object that a command reads and then changes.
    fn print_changes(&mut self, read: &[(&KubeRequest, &KubectlReply)], later: &[KubectlReply]) {
        let replies: Vec<KubectlReply> = read.iter().map(|(_, reply)| (*reply).clone()).collect();
        let requests = match replies.len() == self.command.requests.len() {
            true => self.command.follow_ups(&replies),
            false => Vec::new(),
        };
        if let FollowUp::Delete(options) = &self.command.follow_up {
            let found = self.found(read.to_vec());
            let is_empty = found.iter().all(|(_, objects)| objects.is_empty());
            if is_empty && self.errors.is_empty() && !replies.is_empty() {
                self.out.push_str("No resources found\n");
            }
            for (request, reply) in requests.iter().zip(later) {
                match reply {
                    KubectlReply::Answer(answer) => match &**answer {
                        Ok(KubeResponse::Object(object)) => {
                            self.print_deleted(request.resource, object, options);
                        }
                        Ok(_) => {}
                        Err(error) => self.errors.push(self.write_error(request, error)),
                    },
                    _ => return,
                }
            }
            return;
        }
        let replies = later.iter().map(Some).chain(std::iter::repeat(None));
        let mut changes = requests.iter().zip(replies).peekable();
        for (request, reply) in read {
            let resource = request.resource;
            let found = match &self.command.follow_up {
                // kubectl creates the object, so its absence is no error.
                FollowUp::Apply(_) if is_missing(reply) => {
                    if let Some((request, Some(reply))) = changes.next() {
                        self.print_write(request, reply);
                    }
                    continue;
                }
                _ => self.found(vec![(request, reply)]),
            };
            for object in found.into_iter().flat_map(|(_, objects)| objects) {
                let (has_request, done, not_done) = match &self.command.follow_up {
                    FollowUp::Label(change) => match change.patch(&object) {
                        Ok(patch) => {
                            let adds = patch.labels.iter().any(|(_, value)| value.is_some());
                            let removes = patch.labels.iter().any(|(_, value)| value.is_none());
                            for name in &change.removed {
                                if object.labels.get(name).is_none() {
                                    self.out.push_str(&format!("label {name:?} not found.\n"));
                                }
                            }
                            let done = match (adds, removes) {
                                (true, true) => " modified",
                                (false, true) => " unlabeled",
                                _ => " labeled",
                            };
                            (!patch.is_empty(), done, " not labeled")
                        }
                        Err(why) => {
                            self.errors.push(format!("error: {why}"));
                            continue;
                        }
                    },
                    FollowUp::Apply(_) => {
                        if lacks_last_applied(&object) {
                            self.warnings.push_str(&no_last_applied(resource, &object));
                        }
                        let has_request = changes.peek().is_some_and(|(change, _)| {
                            change.resource == resource
                                && matches!(&change.verb, KubeVerb::Patch { namespace, name, .. }
                                    if **namespace == *object.namespace && **name == *object.name)
                        });
                        (has_request, " configured", " unchanged")
                    }
                    _ => (true, " patched", ""),
                };
                if !has_request {
                    self.print_done(resource, &object, not_done);
                    continue;
                }
                let Some((request, Some(reply))) = changes.next() else {
                    return;
                };
                let KubectlReply::Answer(answer) = reply else {
                    return;
                };
                match &**answer {
                    Ok(KubeResponse::Object(new)) => {
                        let is_patch = matches!(self.command.follow_up, FollowUp::Patch(_));
                        let is_same = new.resource_version == object.resource_version;
                        let done = if is_patch && is_same {
                            " patched (no change)"
                        } else {
                            done
                        };
                        self.print_done(resource, new, done);
                    }
                    Ok(_) => {}
                    Err(error) => self.errors.push(self.write_error(request, error)),
                }
            }
        }
    }

    fn write_error(&self, request: &KubeRequest, error: &StatusError) -> String {
        write_error(request, error, self.command.has_manifest)
    }

    /// Returns true if the command deletes without a grace period, so that kubectl prints a warning.
    fn is_forced(&self) -> bool {
        let is_forced = |options: &DeleteOptions| options.grace_period_s == Some(0);
        let requests = &self.command.requests;
        matches!(&self.command.follow_up, FollowUp::Delete(options) if is_forced(options))
            || requests.iter().any(
                |one| matches!(&one.request.verb, KubeVerb::Delete { options, .. } if is_forced(options)),
            )
    }

    /// Returns true if the command lists objects in a table, and finds none.
    fn is_without_results(&self, replies: &[KubectlReply]) -> bool {
        let is_table = matches!(
            self.command.output,
            KubectlOutput::Table | KubectlOutput::Wide
        );
        let lists = |one: &KubeRequest| matches!(one.verb, KubeVerb::List { .. });
        let is_read = matches!(self.command.follow_up, FollowUp::Print | FollowUp::Describe);
        is_read
            && is_table
            && !self.command.ignores_not_found
            && self.out.is_empty()
            && !replies.is_empty()
            && self.command.requests.iter().any(|one| lists(&one.request))
    }

    /// Returns the message of kubectl for an empty list.
    fn no_results(&self) -> String {
        let requests = self.command.requests.iter();
        let namespaces = requests.map(|one| match &one.request.verb {
            KubeVerb::List { target, .. } if one.request.resource.is_namespaced => {
                Some(&target.namespace)
            }
            _ => None,
        });
        let namespaces: Option<Vec<&String>> = namespaces.collect();
        match namespaces.as_deref() {
            Some([namespace, ..]) if !namespace.is_empty() => {
                format!("No resources found in {namespace} namespace.\n")
            }
            _ => "No resources found\n".into(),
        }
    }
}

/// Returns the error of a read. kubectl describes the list that the API server refuses, and replaces the server's text
/// after a timeout (`NewGenericServerResponse`).
fn read_error(request: &KubeRequest, error: &StatusError) -> String {
    if matches!(error, StatusError::ReadTimeout) {
        let mut target = match request.resource.group() {
            "" => request.resource.name.to_owned(),
            group => format!("{}.{group}", request.resource.name),
        };
        if let KubeVerb::Get { name, .. } = &request.verb {
            target = format!("{target} {name}");
        }
        return format!(
            "Error from server (Timeout): the server was unable to return a response in the time allotted, but may \
             still be processing the request (get {target})"
        );
    }
    let KubeVerb::List { target, .. } = &request.verb else {
        return refusal(error);
    };
    if !matches!(error.code(), 400 | 404) {
        return refusal(error);
    }
    let resource = request.resource;
    let kind = format!("{}, Resource={}", group_version(resource), resource.name);
    let (labels, fields) = (&target.predicate.labels, &target.predicate.fields);
    let context = match (labels.is_empty(), fields.to_string().as_str()) {
        (true, "") => format!("Unable to list {kind:?}: "),
        (_, fields) => {
            let labels = labels.to_string();
            format!(
                "Unable to find {kind:?} that match label selector {labels:?}, field selector {fields:?}: "
            )
        }
    };
    error_during(&context, error)
}

fn group_version(resource: &Resource) -> String {
    match resource.group() {
        "" => "/v1".into(),
        _ => resource.api_version.into(),
    }
}

/// Returns the warning of `kubectl apply` about an object that another command created.
fn no_last_applied(resource: &Resource, object: &Object) -> String {
    format!(
        "Warning: resource {}/{} is missing the kubectl.kubernetes.io/last-applied-configuration annotation which is \
         required by kubectl apply. kubectl apply should only be used on resources created declaratively by either \
         kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.\n",
        resource.name, object.name
    )
}

/// Returns the error of a write. Some commands of kubectl create objects without a file, and have their own texts.
fn write_error(request: &KubeRequest, error: &StatusError, has_manifest: bool) -> String {
    match (&request.verb, request.resource.name) {
        (KubeVerb::Create(_), _) if has_manifest => {
            error_during("error when creating \"STDIN\": ", error)
        }
        (KubeVerb::Delete { .. }, _) if has_manifest => {
            error_during("error when deleting \"STDIN\": ", error)
        }
        (KubeVerb::Create(_), name @ ("configmaps" | "secrets" | "deployments")) => {
            let singular = name.trim_end_matches('s');
            format!("error: failed to create {singular}: {error}")
        }
        (KubeVerb::Create(_), "namespaces") => refusal(error),
        (KubeVerb::Create(_), _) => error_during("error when creating \"STDIN\": ", error),
        (KubeVerb::Update { .. }, _) => error_during("error when replacing \"STDIN\": ", error),
        _ => refusal(error),
    }
}

/// Returns the table of the resources, sorted by group and name.
fn api_resources() -> String {
    let head = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let mut all = RESOURCES.to_vec();
    all.small_sort_by_key(|resource| (resource.group(), resource.name));
    rows.extend(all.iter().map(|resource| {
        let short = short_name(resource.name).unwrap_or_default();
        vec![
            resource.name.to_owned(),
            short.to_owned(),
            resource.api_version.to_owned(),
            resource.is_namespaced.to_string(),
            resource.kind.to_owned(),
        ]
    }));
    columns(&rows)
}

/// Returns the resource, the name and the outcome, for example `pod/web-1 created`.
fn name_line(resource: &Resource, object: &Object, done: &str) -> String {
    format!("{}/{}{done}\n", kind_name(resource), object.name)
}

/// Returns a list as the API server sends it.
fn raw_list(resource: &Resource, list: &ObjectList) -> String {
    let mut out = String::new();
    {
        let mut json = Json::object(&mut out);
        json.string("kind", &format!("{}List", resource.kind));
        json.string("apiVersion", resource.api_version);
        {
            let mut meta = Json::object(json.key("metadata"));
            meta.string("resourceVersion", &list.resource_version.to_string());
            if let Some(token) = &list.continue_token {
                meta.string("continue", token);
            }
            if let Some(remaining) = list.remaining {
                meta.value("remainingItemCount", remaining);
            }
        }
        let mut items = Json::array(json.key("items"));
        for object in &list.items {
            items.item().push_str(&codec::encode_for_clients(object));
        }
    }
    out.push('\n');
    out
}

/// Formats the rows as columns. Each column is aligned, and three spaces separate the columns.
pub fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| rows.iter().filter_map(|r| r.get(i)).map(String::len).max();
    let widths: Vec<usize> = (0..count).map(|i| width(i).unwrap_or(0)).collect();
    let mut out = String::new();
    for row in rows {
        for (i, word) in row.iter().enumerate() {
            out.push_str(word);
            if i + 1 < row.len() {
                out.push_str(&" ".repeat(widths[i] - word.len() + 3));
            }
        }
        out.push('\n');
    }
    out
}

/// Returns an object in JSON as `kubectl get -o yaml` prints it; `None` if the text is not valid JSON.
///
/// ```
/// use watchglass_engine::shell::print::kubectl::yaml_of_json;
/// let yaml = yaml_of_json(r#"{"kind":"Pod","spec":{"replicas":2,"on":"true"}}"#);
/// assert_eq!(yaml.unwrap(), "kind: Pod\nspec:\n  \"on\": \"true\"\n  replicas: 2\n");
/// assert_eq!(yaml_of_json("{"), None);
/// ```
pub fn yaml_of_json(text: &str) -> Option<String> {
    Tree::of_json(text).map(|tree| kubectl_yaml::printed(&tree))
}
