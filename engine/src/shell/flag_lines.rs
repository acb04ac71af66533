//! Commands of etcdctl that are printed with each flag on a line of its own, as in the examples of the QoS proposal.

use super::etcdctl::find::{FoundCommand, find};
use crate::api::Profile;
use crate::transcript::prompt::begins_with_tool;

/// Returns true if a line consists of flags of the command on the line before. `-w json get a` is a command of its own.
pub fn is_flag_line(line: &str) -> bool {
    let words: Vec<Vec<u8>> = line
        .split_whitespace()
        .map(|word| word.as_bytes().to_vec())
        .collect();
    let is_flag = words.first().is_some_and(|word| {
        word.strip_prefix(b"--")
            .is_some_and(|name| name.first().is_some_and(u8::is_ascii_alphabetic))
    });
    let has_command = || {
        let found = find(&words, Profile::default());
        !matches!(found, FoundCommand::Command(path, _) if path.name().is_empty())
    };
    is_flag && !has_command()
}

/// Returns the lines of a text. Lines of flags are joined with the command of etcdctl before them.
pub fn with_flags_joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        match lines.last_mut() {
            Some(last) if begins_with_tool(last) && is_flag_line(line) && !last.ends_with('\\') => {
                last.truncate(last.trim_end().len());
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_on_lines_of_their_own_belong_to_the_command_before() {
        let text = "// a rule\netcdctl qos rule add r\n--priority 9\n --ops Range \nget a\n--hex get b\n--help";
        assert_eq!(
            with_flags_joined(text),
            [
                "// a rule",
                "etcdctl qos rule add r --priority 9 --ops Range",
                "get a",
                "--hex get b",
                "--help"
            ]
        );
    }
}
