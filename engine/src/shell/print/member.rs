//! Prints the output of `member list`, and its error in commands with `--cluster`.
//!
//! Mirrors `makeMemberListTable` in `printer.go`, and `endpointsFromCluster` in `ep_command.go`.

use super::fields::Fields;
use super::json::{self, header};
use super::push_hex;
use super::table::table;
use crate::api::{Difference, EtcdError, ListedMember, MemberListResponse, Profile};
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
            "started".to_owned(),
            member.name.clone(),
            member.peer_url.clone(),
            member.client_url.clone(),
            "false".to_owned(),
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
            match is_hex {
                true => {
                    let mut json = Json::object(json.key("header"));
                    json.string("cluster_id", &format!("{:x}", head.cluster_id));
                    json.string("member_id", &format!("{:x}", head.member_id));
                    json.value("raft_term", head.raft_term);
                }
                false => header(&mut json, head),
            }
            let mut list = Json::array(json.key("members"));
            for member in members {
                let mut json = Json::object(list.item());
                match is_hex {
                    true => json.string("ID", &format!("{:x}", member.id)),
                    false => json.value("ID", member.id),
                }
                json.string("name", &member.name);
                push_string(Json::array(json.key("peerURLs")).item(), &member.peer_url);
                push_string(
                    Json::array(json.key("clientURLs")).item(),
                    &member.client_url,
                );
            }
        }),
        Format::Fields => {
            let fields = Fields::new(command.hex, profile);
            fields.header(out, head);
            for member in members {
                fields.id(out, "ID", member.id);
                let (name, peer, client) = (&member.name, &member.peer_url, &member.client_url);
                let text = format!(
                    "\"Name\" : \"{name}\"\n\"PeerURL\" : \"{peer}\"\n\
                     \"ClientURL\" : \"{client}\"\n\"IsLearner\" : false\n\n"
                );
                out.extend_from_slice(text.as_bytes());
            }
        }
        Format::Protobuf => response.write(out),
    }
}
