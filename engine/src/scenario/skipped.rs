//! The lines of a loaded text that the simulator does not run, with the reasons.

use serde::{Deserialize, Serialize};

use crate::transcript::kubectl_verb;

/// A line of a text that the simulator does not run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedLine {
    /// The line number, from 1.
    pub line: u32,
    /// The start of the line, as typed.
    pub text: String,
    /// The reason why the line does not run.
    pub why: String,
}

/// The lines of a loaded text that the simulator does not run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedLines {
    pub count: u64,
    /// The number of skipped lines that would change the store.
    pub writes: u64,
    /// The first skipped lines, with the reasons.
    pub first: Vec<SkippedLine>,
}

/// The maximum number of skipped lines that are stored with their reasons.
const KEPT: usize = 50;

/// The maximum length of a stored line, in characters.
const TEXT_CHARS_MAX: usize = 200;
/// The maximum length of a stored reason, in characters. A longer reason ends with an ellipsis.
const WHY_CHARS_MAX: usize = 400;

/// Returns true if a line that the parser could not read seems to contain a command of etcdctl or kubectl that changes
/// the store. The function searches the words of the line. The first word can be an alias of etcdctl.
fn is_write(line: &str) -> bool {
    let words = line.split(|c: char| c.is_whitespace() || "()`'\"".contains(c));
    let mut words = words.filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let changes = |word: &&str| {
        matches!(
            *word,
            "put" | "del" | "txn" | "compact" | "compaction" | "grant" | "revoke"
        )
    };
    let is_etcdctl = |word: &&str| word.rsplit(['/', '=']).next() == Some("etcdctl");
    kubectl_verb(line).is_some_and(|verb| KUBECTL_WRITES.contains(&verb))
        || words.first().is_some_and(changes) && first != "kubectl"
        || (is_etcdctl(&first) || words.iter().any(is_etcdctl)) && words.iter().any(changes)
}

/// The verbs of kubectl that write objects.
const KUBECTL_WRITES: [&str; 15] = [
    "annotate", "apply", "cordon", "create", "delete", "drain", "edit", "expose", "label", "patch",
    "replace", "run", "scale", "taint", "uncordon",
];

impl SkippedLines {
    /// Adds a skipped command. `text` can have several lines; only the first line is stored.
    pub fn push(&mut self, line: u32, text: &str, why: &str) {
        self.count += 1;
        self.writes += u64::from(is_write(text));
        if self.first.len() < KEPT {
            let start = |text: &str, chars| text.chars().take(chars).collect::<String>();
            let mut shown = start(why, WHY_CHARS_MAX);
            if shown.len() < why.len() {
                shown.push('…');
            }
            self.first.push(SkippedLine {
                line,
                text: start(text.lines().next().unwrap_or_default(), TEXT_CHARS_MAX),
                why: shown,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_ends_with_an_ellipsis() {
        let mut skipped = SkippedLines::default();
        skipped.push(1, "kubectl get pdos", &"é".repeat(500));
        skipped.push(2, "lst", "unknown");
        let whys: Vec<&str> = skipped.first.iter().map(|line| line.why.as_str()).collect();
        assert_eq!(
            whys,
            [&*["é".repeat(400), "…".to_owned()].concat(), "unknown"]
        );
    }

    #[test]
    fn skipped_writes_of_kubectl_are_counted() {
        for line in [
            "kubectl apply -f web.yaml",
            "kubectl -n web run nginx --image=nginx",
            "sudo /usr/bin/kubectl --context a scale deploy web --replicas=3",
            "kubectl label node n1 a=b",
            "kubectl delete pod x --force",
        ] {
            assert!(is_write(line), "{line}");
        }
        for line in [
            "kubectl get pods",
            "kubectl -n create get pods",
            "kubectl exec etcd-0 -- etcdctl get a",
            "kubectl logs run",
        ] {
            assert!(!is_write(line), "{line}");
        }
    }
}
