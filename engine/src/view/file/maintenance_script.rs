//! The commands of a maintenance plan for a real cluster: a shell script with a comment above each step.

use super::maintenance::{CompactAt, MaintenanceQuery};
use super::put_script::quoted;
use crate::api::{Difference, Profile};
use crate::words::maintenance as words;

/// The time that a command may take. With etcdctl's default of 5 seconds, the defragmentation of a large database
/// fails.
const TIMEOUT: &str = "--command-timeout=10m";

/// Returns the script.
pub(super) fn maintenance_script(query: &MaintenanceQuery, file: &str, profile: Profile) -> String {
    let mut script = Script::new(&words::script_head(file, &profile.to_string()));
    script.step(
        words::LOOK,
        &[
            "etcdctl alarm list",
            "etcdctl endpoint status --cluster -w table",
        ],
    );
    if !query.delete.is_empty() {
        let prefix = quoted(&String::from_utf8_lossy(&query.delete));
        script.step(
            words::DELETE,
            &[&format!("etcdctl del {TIMEOUT} --prefix -- {prefix}")],
        );
    }
    let read = "revision=$(etcdctl endpoint status -w json | grep -o '\"revision\":[0-9]*' | head -n 1 | cut -d: -f2)";
    match query.compact {
        CompactAt::Never => {}
        CompactAt::Newest => script.step(words::COMPACT_NEWEST, &[read, &compact("\"$revision\"")]),
        CompactAt::KeepLast(count) => {
            let revision = format!("$((revision - {count}))");
            script.step(&words::compact_keep(count), &[read, &compact(&revision)]);
        }
        CompactAt::Revision(revision) => {
            script.step(words::COMPACT_AT, &[&compact(&revision.to_string())]);
        }
    }
    // The column of `endpoint status` that says whether the member is the leader.
    let leader = match profile.has(Difference::ReportsStorage) {
        true => 9,
        false => 5,
    };
    script.step(
        words::DEFRAGMENT,
        &[
            &format!(
                "for endpoint in $(etcdctl endpoint status --cluster | sort -t , -k {leader},{leader} \
                 | cut -d , -f 1); do"
            ),
            &format!("  ETCDCTL_ENDPOINTS=\"$endpoint\" etcdctl defrag {TIMEOUT}"),
            "  ETCDCTL_ENDPOINTS=\"$endpoint\" etcdctl endpoint health",
            "done",
        ],
    );
    script.step(
        words::DISARM,
        &[
            "if etcdctl alarm list | grep -q NOSPACE; then etcdctl alarm disarm; fi",
            "etcdctl endpoint status --cluster -w table",
        ],
    );
    script.text
}

/// Returns the command that compacts and waits until the rows are removed.
fn compact(revision: &str) -> String {
    format!("etcdctl compact {TIMEOUT} --physical {revision}")
}

struct Script {
    text: String,
    steps: u32,
}

impl Script {
    fn new(head: &[String]) -> Self {
        let mut script = Self {
            text: "#!/bin/sh\n".to_owned(),
            steps: 0,
        };
        for line in head {
            script.comment(line);
        }
        script.text.push_str("set -eu\nexport ETCDCTL_API=3\n");
        script
    }

    fn comment(&mut self, line: &str) {
        self.text.push_str("# ");
        // A name with a line break must not become a command.
        self.text.extend(line.chars().filter(|c| !c.is_control()));
        self.text.push('\n');
    }

    fn step(&mut self, comment: &str, commands: &[&str]) {
        self.steps += 1;
        self.text.push('\n');
        self.comment(&format!("{}. {comment}", self.steps));
        for command in commands {
            self.text.push_str(command);
            self.text.push('\n');
        }
    }
}
