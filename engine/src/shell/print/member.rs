//! Prints the output of `member list` and of changes of the membership, and the error of the member list in commands
//! with `--cluster`.
//!
//! Mirrors `makeMemberListTable` in `printer.go`, and `endpointsFromCluster` in `ep_command.go`.

use super::fields::Fields;
use super::json::{self, header};
use super::table::table;
use super::{push_hex, unsupported};
use crate::api::{
    Difference, EtcdError, ListedMember, MemberChangeRequest, MemberChangeResponse,
    MemberListResponse, Profile, ResponseHeader,
};
use crate::base::go;
use crate::base::json::{Json, push_string};
use crate::base::proto::ProtoMessage;
use crate::shell::etcdctl::operation::EXIT_ERROR;
use crate::shell::{Etcdctl, Format, Output};

/// Prints the error of a command with `--cluster` whose request for the member list failed.
pub fn no_members(error: EtcdError) -> Output {
    let text = format!("failed to fetch endpoints from etcd cluster member list: {error}");
    Output::error(&text, EXIT_ERROR)
}

/// Prints the members in the order of the response.
pub(super) fn member_list(
    response: &MemberListResponse,
    command: &Etcdctl,
    profile: Profile,
    output: &mut Output,
) {
    let format = command.format;
    let is_hex = command.hex && profile.has(Difference::PrintsMemberIdsInHex);
    let MemberListResponse {
        header: head,
        members,
    } = response;
    let cells = |member: &ListedMember| {
        let mut id = Vec::new();
        push_hex(&mut id, member.id, 0);
        vec![
            String::from_utf8_lossy(&id).into_owned(),
            match member.is_started() {
                true => "started".to_owned(),
                false => "unstarted".to_owned(),
            },
            member.name.clone(),
            member.peer_urls.join(","),
            member.client_urls.join(","),
            member.is_learner.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = members.iter().map(cells).collect();
    let out = &mut output.stdout;
    match format {
        Format::Simple => {
            for row in rows {
                out.extend_from_slice(row.join(", ").as_bytes());
                out.push(b'\n');
            }
        }
        Format::Table => {
            const HEADINGS: [&str; 6] = [
                "ID",
                "Status",
                "Name",
                "Peer Addrs",
                "Client Addrs",
                "Is Learner",
            ];
            table(out, &HEADINGS, &rows, profile);
        }
        Format::Json => json::line(out, |out| {
            let mut json = Json::object(out);
            push_header(&mut json, head, is_hex);
            let mut list = Json::array(json.key("members"));
            for member in members {
                match is_hex && !profile.has(Difference::HexMemberChanges) {
                    true => push_hex_member(list.item(), member, profile),
                    false => push_member(list.item(), member, is_hex),
                }
            }
        }),
        Format::Fields => {
            let fields = Fields::new(command.hex, profile);
            fields.header(out, head);
            for member in members {
                fields.id(out, "ID", member.id);
                let mut text = format!("\"Name\" : \"{}\"\n", member.name);
                for url in &member.peer_urls {
                    text.push_str(&format!("\"PeerURL\" : \"{url}\"\n"));
                }
                for url in &member.client_urls {
                    text.push_str(&format!("\"ClientURL\" : \"{url}\"\n"));
                }
                text.push_str(&format!("\"IsLearner\" : {}\n\n", member.is_learner));
                out.extend_from_slice(text.as_bytes());
            }
        }
        Format::Protobuf => response.write(out),
    }
}

fn push_header(json: &mut Json<'_>, head: &ResponseHeader, is_hex: bool) {
    if !is_hex {
        return header(json, head);
    }
    let mut json = Json::object(json.key("header"));
    json.string("cluster_id", &format!("{:x}", head.cluster_id));
    json.string("member_id", &format!("{:x}", head.member_id));
    json.value("raft_term", head.raft_term);
}

/// Appends a member as a JSON object. As in Go, empty fields are omitted.
fn push_member(out: &mut String, member: &ListedMember, is_hex: bool) {
    let mut json = Json::object(out);
    match is_hex {
        true => json.string("ID", &format!("{:x}", member.id)),
        false => json.value("ID", member.id),
    }
    if member.is_started() {
        json.string("name", &member.name);
    }
    for (name, urls) in [
        ("peerURLs", &member.peer_urls),
        ("clientURLs", &member.client_urls),
    ] {
        if urls.is_empty() {
            continue;
        }
        let mut array = Json::array(json.key(name));
        for url in urls {
            push_string(array.item(), url);
        }
    }
    if member.is_learner {
        json.value("isLearner", true);
    }
}

/// Appends a member as a JSON object with a hexadecimal id, as in the member list of 3.5 and 3.6
/// (`printMemberListWithHexJSON`): empty fields are kept, and a learner is not marked.
fn push_hex_member(out: &mut String, member: &ListedMember, profile: Profile) {
    let client_urls = match profile.has(Difference::CapitalizesClientUrls) {
        true => "clientURLs",
        false => "clientURLS",
    };
    let mut json = Json::object(out);
    json.string("ID", &format!("{:x}", member.id));
    json.string("name", &member.name);
    for (name, urls) in [
        ("peerURLs", &member.peer_urls),
        (client_urls, &member.client_urls),
    ] {
        if urls.is_empty() {
            json.value(name, "null");
            continue;
        }
        let mut array = Json::array(json.key(name));
        for url in urls {
            push_string(array.item(), url);
        }
    }
}

/// Prints the response to a change of the membership. `name` is the name of an added member.
pub(super) fn changed(
    (request, name): (&MemberChangeRequest, &str),
    response: &MemberChangeResponse,
    (command, profile): (&Etcdctl, Profile),
    output: &mut Output,
) {
    let format = command.format;
    let is_hex = command.hex && profile.has(Difference::HexMemberChanges);
    let out = &mut output.stdout;
    match format {
        Format::Simple => {
            let text = match request {
                MemberChangeRequest::Add { .. } => added(name, response, profile),
                MemberChangeRequest::Remove { id } => sentence(*id, "removed from", response),
                MemberChangeRequest::Update { id, .. } => sentence(*id, "updated in", response),
                MemberChangeRequest::Promote { id } => sentence(*id, "promoted in", response),
            };
            out.extend_from_slice(text.as_bytes());
        }
        Format::Json => json::line(out, |out| {
            let mut json = Json::object(out);
            push_header(&mut json, &response.header, is_hex);
            if let Some(member) = &response.member {
                push_member(json.key("member"), member, is_hex);
            }
            let mut list = Json::array(json.key("members"));
            for member in &response.members {
                push_member(list.item(), member, is_hex);
            }
        }),
        Format::Protobuf => response.write(out),
        Format::Fields | Format::Table => unsupported(format, output),
    }
}

fn sentence(id: u64, what: &str, response: &MemberChangeResponse) -> String {
    let cluster = response.header.cluster_id;
    format!("Member {id:16x} {what} cluster {cluster:16x}\n")
}

/// Returns the text about an added member: its id, and the environment variables with which it starts.
fn added(name: &str, response: &MemberChangeResponse, profile: Profile) -> String {
    let added = response.member.clone().unwrap_or_default();
    let what = match added.is_learner && profile.has(Difference::NamesLearner) {
        true => "added as learner to",
        false => "added to",
    };
    let mut cluster = Vec::new();
    for member in &response.members {
        let name = match member.id == added.id {
            true => name,
            false => &member.name,
        };
        let urls = member.peer_urls.iter();
        cluster.extend(urls.map(|url| format!("{name}={url}")));
    }
    let quoted = |text: &str| go::quote::quoted(text.as_bytes());
    format!(
        "{}\nETCD_NAME={}\nETCD_INITIAL_CLUSTER={}\nETCD_INITIAL_ADVERTISE_PEER_URLS={}\n\
         ETCD_INITIAL_CLUSTER_STATE=\"existing\"\n",
        sentence(added.id, what, response),
        quoted(name),
        quoted(&cluster.join(",")),
        quoted(&added.peer_urls.join(",")),
    )
}
