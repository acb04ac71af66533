//! Prints the output of `member list`.
//!
//! Mirrors `makeMemberListTable` in `printer.go`.

use super::fields::number;
use super::json::{self, header};
use super::table::table;
use super::{push_hex, unsupported};
use crate::api::ResponseHeader;
use crate::base::json::{Json, push_string};
use crate::shell::{Format, Output};

/// A member in the list.
#[derive(Clone, Debug)]
pub struct MemberRow {
    /// The id.
    pub id: u64,
    /// The name (`--name`).
    pub name: String,
    /// The peer URL (`--initial-advertise-peer-urls`).
    pub peer_url: String,
    /// The client URL (`--advertise-client-urls`).
    pub client_url: String,
}

/// Prints the members, sorted by id.
pub fn member_list(head: &ResponseHeader, members: &[MemberRow], format: Format) -> Output {
    let mut output = Output::default();
    let mut members = members.to_vec();
    members.sort_by_key(|member| member.id);
    let cells = |member: &MemberRow| {
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
            table(out, &HEADINGS, &rows);
        }
        Format::Json => json::line(out, |out| {
            let mut json = Json::object(out);
            header(&mut json, head);
            let mut list = Json::array(json.key("members"));
            for member in &members {
                let mut json = Json::object(list.item());
                json.value("ID", member.id);
                json.string("name", &member.name);
                push_string(Json::array(json.key("peerURLs")).item(), &member.peer_url);
                push_string(
                    Json::array(json.key("clientURLs")).item(),
                    &member.client_url,
                );
            }
        }),
        Format::Fields => {
            number(out, "", "ClusterID", head.cluster_id);
            number(out, "", "MemberID", head.member_id);
            number(out, "", "Revision", head.revision);
            number(out, "", "RaftTerm", head.raft_term);
            for member in &members {
                number(out, "", "ID", member.id);
                let (name, peer, client) = (&member.name, &member.peer_url, &member.client_url);
                let text = format!(
                    "\"Name\" : \"{name}\"\n\"PeerURL\" : \"{peer}\"\n\
                     \"ClientURL\" : \"{client}\"\n\"IsLearner\" : false\n\n"
                );
                out.extend_from_slice(text.as_bytes());
            }
        }
        Format::Protobuf => unsupported(format, &mut output),
    }
    output
}
