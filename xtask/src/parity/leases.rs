//! Lease ids: the server picks them, so a real etcd has others than the simulator. They are made the simulator's in
//! what is typed there and in what is compared.

use anyhow::Result;

use super::etcd::Server;
use super::{Answer, Case};

/// What the simulator's ids begin with: the low bits of its member's id.
const OURS: u64 = 0x694d << 48;

/// The ids of the real etcd, and what the simulator has in their place.
#[derive(Default)]
pub(super) struct Leases {
    known: Vec<(u64, u64)>,
    /// Ids that the simulator has given.
    given: u64,
}

impl Leases {
    /// Takes note of a lease that this command has granted, and returns its id. The server is asked, because not every
    /// format tells it.
    pub(super) fn learn(
        &mut self,
        server: &Server,
        case: &Case,
        answer: &Answer,
    ) -> Result<Option<u64>> {
        if !case.args.iter().any(|word| word == b"grant") {
            return Ok(None);
        }
        if String::from_utf8_lossy(&answer.stderr).contains("failed to grant lease") {
            // The id of a lease that is then refused is used up.
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

    /// The command as the simulator gets it.
    pub(super) fn ours_in_case(&self, case: &Case) -> Case {
        let line =
            |line: &String| String::from_utf8_lossy(&self.ours_in(line.as_bytes())).into_owned();
        Case {
            args: case.args.iter().map(|word| self.ours_in(word)).collect(),
            stdin: case.stdin.iter().map(line).collect(),
        }
    }

    /// The answer as the simulator should give it.
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

/// As a row in protobuf has it; both kinds of ids take nine bytes.
fn varint(mut id: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while id >= 0x80 {
        out.push(id as u8 | 0x80);
        id >>= 7;
    }
    out.push(id as u8);
    out
}
