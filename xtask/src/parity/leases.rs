//! Replaces lease IDs. The server chooses lease IDs, so the IDs of a real etcd differ from the simulator's IDs. Before
//! the comparison, the simulator's IDs replace the real IDs in commands and outputs.

use anyhow::Result;

use super::etcd::Server;
use super::{Answer, Case};

/// The first bits of the simulator's lease IDs, which are the low bits of its member ID.
const OURS: u64 = 0x694d << 48;

/// The lease IDs of the real etcd, each with the simulator's lease ID that replaces it.
#[derive(Default)]
pub(super) struct Leases {
    known: Vec<(u64, u64)>,
    /// The number of IDs that the simulator has assigned.
    given: u64,
}

impl Leases {
    /// Records the lease that this command has granted, and returns its ID. The ID comes from a request to the server,
    /// because some output formats do not contain the ID.
    pub(super) fn learn(
        &mut self,
        server: &Server,
        case: &Case,
        answer: &Answer,
    ) -> Result<Option<u64>> {
        if !case
            .args
            .iter()
            .any(|word| word == b"grant" || word == b"lock")
        {
            return Ok(None);
        }
        if String::from_utf8_lossy(&answer.stderr).contains("failed to grant lease") {
            // A refused lease uses up an ID, too.
            self.given += 1;
            return Ok(None);
        }
        let list = Case {
            args: ["lease", "list", "-w", "json"]
                .map(|word| word.as_bytes().to_vec())
                .to_vec(),
            stdin: Vec::new(),
        };
        let listed = server.run(&list)?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let ids = listed.split("\"id\":").skip(1);
        let new = ids
            .filter_map(|rest| rest.split('}').next()?.parse().ok())
            .find(|id| self.known.iter().all(|(real, _)| real != id));
        if let Some(real) = new {
            self.given += 1;
            self.known.push((real, OURS | self.given));
        }
        Ok(new)
    }

    /// Returns a copy of the command in which the simulator's lease IDs replace the real lease IDs.
    pub(super) fn ours_in_case(&self, case: &Case) -> Case {
        let line =
            |line: &String| String::from_utf8_lossy(&self.ours_in(line.as_bytes())).into_owned();
        Case {
            args: case.args.iter().map(|word| self.ours_in(word)).collect(),
            stdin: case.stdin.iter().map(line).collect(),
        }
    }

    /// Returns a copy of the output in which the simulator's lease IDs replace the real lease IDs.
    pub(super) fn ours_in_answer(&self, answer: &Answer) -> Answer {
        Answer {
            stdout: self.ours_in(&answer.stdout),
            stderr: self.ours_in(&answer.stderr),
            exit: answer.exit,
        }
    }

    fn ours_in(&self, text: &[u8]) -> Vec<u8> {
        let mut text = text.to_vec();
        for (real, ours) in &self.known {
            let forms: [fn(u64) -> Vec<u8>; 3] = [
                |id| format!("{id:016x}").into_bytes(),
                |id| id.to_string().into_bytes(),
                varint,
            ];
            for form in forms {
                text = super::etcd::replace(&text, &form(*real), &form(*ours));
            }
        }
        text
    }
}

/// Encodes an ID as a protobuf varint. Real IDs and the simulator's IDs both take nine bytes.
fn varint(mut id: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while id >= 0x80 {
        out.push(id as u8 | 0x80);
        id >>= 7;
    }
    out.push(id as u8);
    out
}
