//! Commands that a real etcd executes as well as the run: the request for its JSON gateway, its output as etcdctl
//! prints it, and the differences between its response and that of the run.
//!
//! Left out: the IDs of cluster and members and the raft term, which are different in each cluster.

use crate::api::{EtcdError, Profile, Reply, Response, gateway};
use crate::base::base64;
use crate::base::json::{Json, Raw};
use crate::scenario::expr::Exchange;
use crate::shell::print::PrintContext;
use crate::shell::{CommandKind, ENDPOINT, Etcdctl, Format, LineReader, Output, print};
use crate::words::real_etcd as words;

/// The fields that are different in each cluster.
const IDS: [&str; 3] = ["cluster_id", "member_id", "raft_term"];
/// The fields that contain bytes.
const BYTES: [&str; 3] = ["key", "value", "keys"];

/// Returns the request of an etcdctl command for the gateway, as a JSON object with `path` and `body`.
///
/// # Errors
/// Returns an error message if the text is not a single command, or if the gateway has no counterpart.
pub(super) fn request(text: &str, profile: Profile) -> Result<String, String> {
    let request = etcdctl(text, profile)?.request();
    let call = gateway::call(&request).ok_or(words::NO_COUNTERPART)?;
    let mut out = String::new();
    let mut json = Json::object(&mut out);
    json.string("path", call.path);
    json.value("body", call.body);
    drop(json);
    Ok(out)
}

/// Reads the response of etcd to a command. `copy` is the last exchange of the run, which executed the same command.
///
/// Returns a JSON object: the `output` and the `error` that etcdctl prints, the `differences` between the responses as
/// `{field, etcd, copy, why}`, and the IDs of a granted lease in both, as `leases`.
///
/// # Errors
/// Returns an error message if `response` is not readable, or if the run has not executed the command.
pub(super) fn response(
    text: &str,
    response: &str,
    copy: Option<&Exchange>,
    profile: Profile,
) -> Result<String, String> {
    let command = etcdctl(text, profile)?;
    let request = command.request();
    let copy = copy
        .filter(|copy| copy.request.method() == request.method())
        .ok_or(words::NOT_EXECUTED)?;
    let etcd = match Raw::new(response).member("message") {
        Some(message) => Err(message.text().unwrap_or_default().into_owned()),
        None => Ok(gateway::response(&request, response).ok_or(words::NOT_READABLE)?),
    };
    let context = PrintContext::new(profile);
    let printed = match (&etcd, &copy.reply) {
        (Ok(etcd), _) => print::reply(&command, &Ok(etcd.clone()), &context),
        (Err(message), Err(error)) if *message == message_of(*error) => {
            print::reply(&command, &Err(*error), &context)
        }
        (Err(message), _) => Output::error(message, 1),
    };
    let etcd_fields = match &etcd {
        Ok(etcd) => fields(&command, etcd, profile),
        Err(message) => vec![("error".to_owned(), message.clone())],
    };
    let copy_fields = match &copy.reply {
        Ok(response) => fields(&command, response, profile),
        Err(error) => vec![("error".to_owned(), message_of(*error))],
    };
    let mut out = String::new();
    let mut json = Json::object(&mut out);
    json.string("output", &String::from_utf8_lossy(&printed.stdout));
    json.string("error", &String::from_utf8_lossy(&printed.stderr));
    let mut list = Json::array(json.key("differences"));
    for difference in differences(&etcd_fields, &copy_fields) {
        let mut json = Json::object(list.item());
        json.string("field", difference.field);
        json.string("etcd", difference.etcd);
        json.string("copy", difference.copy);
        json.string("why", difference.why());
    }
    drop(list);
    if let (Ok(Response::LeaseGrant(etcd)), Ok(Response::LeaseGrant(copy))) = (&etcd, &copy.reply) {
        let mut leases = Json::array(json.key("leases"));
        for id in [etcd.id, copy.id] {
            leases.item().push_str(&format!("\"{id:x}\""));
        }
    }
    drop(json);
    Ok(out)
}

/// Reads a text that is one etcdctl command with one request.
fn etcdctl(text: &str, profile: Profile) -> Result<Etcdctl, String> {
    let commands = LineReader::new(profile).text(text);
    let mut commands = commands.map_err(|error| error.to_string())?;
    if commands.len() != 1 {
        return Err(words::ONE_COMMAND.to_owned());
    }
    match commands.remove(0).kind {
        CommandKind::Etcdctl(command)
            if command.user.is_some() || command.cluster || command.endpoints != [ENDPOINT] =>
        {
            Err(words::LEAVE_OUT_FLAGS.to_owned())
        }
        CommandKind::Etcdctl(command) => Ok(command),
        CommandKind::Refused(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        _ => Err(words::ONE_COMMAND.to_owned()),
    }
}

/// Returns the message of an error without its code, as the gateway sends it.
fn message_of(error: EtcdError) -> String {
    let text = error.to_string();
    match text.split_once(" desc = ") {
        Some((code, message)) if code.starts_with("rpc error: ") => message.to_owned(),
        _ => text,
    }
}

/// Returns the fields of a response that are comparable between clusters, in the order in which etcdctl prints them.
fn fields(command: &Etcdctl, response: &Response, profile: Profile) -> Vec<(String, String)> {
    let command = Etcdctl {
        format: Format::Json,
        ..command.clone()
    };
    let reply: Reply = Ok(response.clone());
    let printed = print::reply(&command, &reply, &PrintContext::new(profile));
    let text = String::from_utf8_lossy(&printed.stdout);
    let mut fields = Vec::new();
    match response {
        // `-w json` prints a text.
        Response::Compact(response) => {
            fields.push(("revision".to_owned(), response.header.revision.to_string()));
        }
        // The prompts of `txn -i` are on the lines before.
        _ => add_fields(
            "",
            Raw::new(text.lines().last().unwrap_or_default()),
            &mut fields,
        ),
    }
    fields
}

fn add_fields(name: &str, value: Raw<'_>, fields: &mut Vec<(String, String)>) {
    let last = name.rsplit('.').next().unwrap_or_default();
    let last = last.split('[').next().unwrap_or_default();
    // A cluster chooses the ID of a granted lease.
    if IDS.contains(&last) || name == "ID" {
        return;
    }
    match value.as_str().as_bytes().first() {
        Some(b'{') => {
            for (member, value) in value.members() {
                let name = match (name, &*member) {
                    // The header, and the wrapper of the response to an operation.
                    (name, "header" | "Response") => name.to_owned(),
                    ("", member) => member.to_owned(),
                    (name, member) => format!("{name}.{member}"),
                };
                add_fields(&name, value, fields);
            }
        }
        Some(b'[') => {
            for (place, item) in value.items().enumerate() {
                add_fields(&format!("{name}[{place}]"), item, fields);
            }
        }
        _ => {
            let text = value.text().unwrap_or(value.as_str().into());
            let bytes = BYTES
                .contains(&last)
                .then(|| base64::decode_padded(&text))
                .flatten();
            let text = bytes.map_or_else(
                || text.into_owned(),
                |bytes| String::from_utf8_lossy(&bytes).into_owned(),
            );
            fields.push((name.to_owned(), text));
        }
    }
}

/// A field that is different in the two responses. An absent field has an empty text.
struct FieldDifference<'a> {
    field: &'a str,
    etcd: &'a str,
    copy: &'a str,
}

impl FieldDifference<'_> {
    /// Returns the reason of the difference, if it is known.
    fn why(&self) -> &'static str {
        let later = |texts: [&str; 2]| match texts.map(str::parse::<i64>) {
            [Ok(etcd), Ok(copy)] => etcd > copy,
            _ => false,
        };
        match self.field.rsplit('.').next().unwrap_or_default() {
            "ttl" => words::TIME_STANDS_STILL,
            "revision" | "create_revision" | "mod_revision" if later([self.etcd, self.copy]) => {
                words::OTHER_WRITER
            }
            _ => "",
        }
    }
}

fn differences<'a>(
    etcd: &'a [(String, String)],
    copy: &'a [(String, String)],
) -> impl Iterator<Item = FieldDifference<'a>> {
    let value = |fields: &'a [(String, String)], name: &str| {
        let found = fields.iter().find(|(field, _)| field == name);
        found.map_or("", |(_, value)| value.as_str())
    };
    let only_in_copy = copy
        .iter()
        .filter(|(name, _)| etcd.iter().all(|(field, _)| field != name));
    let names = etcd.iter().chain(only_in_copy).map(|(name, _)| name);
    names
        .map(move |field| FieldDifference {
            field,
            etcd: value(etcd, field),
            copy: value(copy, field),
        })
        .filter(|difference| difference.etcd != difference.copy)
}
