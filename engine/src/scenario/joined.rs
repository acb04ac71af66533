//! Joins the lines of a transcript that the shell reads as one command: loops, and quoted words with line breaks.
//!
//! Functions and `case` are not supported. The line reader itself reads the lines of here documents.

use std::collections::BTreeSet;

use crate::shell::is_flag_line;
use crate::transcript::prompt::{Prompts, after_continuation, begins_with_tool};
use crate::transcript::unfinished::{Missing, join, missing_part};

pub use crate::transcript::prompt::INTERRUPT;

/// The maximum number of lines of one shell loop, if the text has no shell prompts.
const LOOP_LINES_MAX: usize = 100;

/// The maximum number of different prompts that the parser searches for inside lines. A prompt can contain the time, so
/// each line can have another prompt.
const PROMPTS_MAX: usize = 16;

/// Returns true if a line of a transcript is `^C`. zsh prints `%` after a line without a newline.
pub(super) fn is_interrupt(line: &str) -> bool {
    matches!(line.trim(), INTERRUPT | "^C%")
}

/// A line of a transcript, or several lines that are one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JoinedLine {
    pub(super) text: String,
    /// The number of the first line, from 1.
    pub(super) number: u32,
}

/// Returns the lines of a text, with the lines of each command joined. The further lines of an unfinished command must
/// begin with continuation prompts, except the lines of a loop in a text without prompts. If an output does not end
/// with a newline, the next prompt follows on the same line of the text. The function then returns the output and the
/// prompt as two lines with the same number. The same applies to a prompt that follows `^C` on the same line.
pub(super) fn joined(text: &str, prompts: &Prompts) -> Vec<JoinedLine> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    let mut seen = BTreeSet::new();
    while at < lines.len() {
        let mut line = lines[at];
        if let Some(prompted) = line.strip_prefix(INTERRUPT)
            && prompts.command(prompted).is_some()
        {
            found.push(JoinedLine {
                text: INTERRUPT.into(),
                number: at as u32 + 1,
            });
            line = prompted;
        }
        if let Some(start) = prompts.inside(line, &seen) {
            let (output, prompted) = line.split_at(start);
            found.push(JoinedLine {
                text: output.into(),
                number: at as u32 + 1,
            });
            line = prompted;
        } else if seen.len() < PROMPTS_MAX
            && let Some(prompt) = prompts.named(line)
        {
            seen.insert(prompt);
        }
        let command = match prompts.is_empty() {
            true => Some(line).filter(|line| !line.starts_with('#')),
            false => prompts.command(line),
        };
        let whole = command.and_then(|command| {
            let next = lines.get(at + 1..).unwrap_or_default();
            whole_command(line, command, next, prompts)
        });
        let (text, count) = match whole {
            Some(whole) => whole,
            None => (line.into(), 1),
        };
        found.push(JoinedLine {
            text,
            number: at as u32 + 1,
        });
        at += count;
    }
    found
}

/// Returns a command with its continuation lines, and the number of lines. Returns `None` if the first line is a whole
/// command, or if the end of the command is missing.
fn whole_command(
    line: &str,
    command: &str,
    next: &[&str],
    prompts: &Prompts,
) -> Option<(String, usize)> {
    if prompts.is_empty() && begins_with_tool(command) && missing_part(command).is_none() {
        let flags = next.iter().take_while(|line| is_flag_line(line)).count();
        let joined = next[..flags].iter().map(|line| line.trim());
        let whole: Vec<&str> = [line.trim_end()].into_iter().chain(joined).collect();
        return (flags > 0).then(|| (whole.join(" "), flags + 1));
    }
    let mut missing = missing_part(command)?;
    let is_free_loop = prompts.is_empty() && matches!(missing, Missing::Command { .. });
    let mut whole = command.to_owned();
    for (count, next) in next.iter().enumerate() {
        let rest = match after_continuation(next) {
            Some(rest) => rest,
            None if is_free_loop && count < LOOP_LINES_MAX => next,
            None => return None,
        };
        join(&mut whole, missing, rest);
        match missing_part(&whole) {
            Some(still) => missing = still,
            None => {
                let prompt = &line[..line.len() - command.len()];
                return Some(([prompt, &whole].concat(), count + 2));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(String, u32)> {
        let lines = joined(text, &Prompts::of(text, crate::shell::is_command)).into_iter();
        lines.map(|line| (line.text, line.number)).collect()
    }

    #[test]
    fn a_loop_and_a_quoted_word_are_one_command() {
        assert_eq!(
            lines("$ for k in x y; do\n> etcdctl put $k 1\n>\n> done\nOK\nOK\n$ etcdctl get x\n"),
            [
                ("$ for k in x y; do etcdctl put $k 1; done".to_owned(), 1),
                ("OK".to_owned(), 5),
                ("OK".to_owned(), 6),
                ("$ etcdctl get x".to_owned(), 7),
            ]
        );
        assert_eq!(
            lines(
                "h % for k in x\nfor> do etcdctl get $k\nfor> done\nh % etcdctl put a 'b\nquote> c'\n"
            ),
            [
                ("h % for k in x; do etcdctl get $k; done".to_owned(), 1),
                ("h % etcdctl put a 'b'$'\\n''c'".to_owned(), 4),
            ]
        );
        assert_eq!(
            lines("etcdctl put a 1\nfor i in 1 2\ndo\n  # two\n  etcdctl put $i\ndone\n"),
            [
                ("etcdctl put a 1".to_owned(), 1),
                ("for i in 1 2; do etcdctl put $i; done".to_owned(), 2),
            ]
        );
        for list in [
            "$ etcdctl get a ||\n> etcdctl get b\n",
            "$ etcdctl get a || \\\n> etcdctl get b\n",
            "$ etcdctl get a |\\\n> | etcdctl get b\n",
        ] {
            assert_eq!(
                lines(list),
                [("$ etcdctl get a || etcdctl get b".to_owned(), 1)],
                "{list}"
            );
        }
    }

    #[test]
    fn a_prompt_after_an_output_without_a_newline_starts_a_line() {
        assert_eq!(
            lines("e@h:~$ etcdctl get a | head -c 1\nae@h:~$ etcdctl put b 1\nOK\n[1]e@h:~$ \n"),
            [
                ("e@h:~$ etcdctl get a | head -c 1".to_owned(), 1),
                ("a".to_owned(), 2),
                ("e@h:~$ etcdctl put b 1".to_owned(), 2),
                ("OK".to_owned(), 3),
                ("[1]".to_owned(), 4),
                ("e@h:~$ ".to_owned(), 4),
            ]
        );
        assert_eq!(
            lines("$ etcdctl watch a\n^C$ etcdctl get a\n^Cx\n")[1..],
            [
                ("^C".to_owned(), 2),
                ("$ etcdctl get a".to_owned(), 2),
                ("^Cx".to_owned(), 3),
            ]
        );
        assert_eq!(
            lines("[e@h ~]# etcdctl get a\n{}[e@h ~]# etcdctl get b\n")[1..],
            [
                ("{}".to_owned(), 2),
                ("[e@h ~]# etcdctl get b".to_owned(), 2)
            ]
        );
    }

    #[test]
    fn other_lines_stay() {
        for text in [
            "$ etcdctl put a 'b\nc'",
            "$ etcdctl put for do\n> x",
            "$ etcdctl get a # for 'b\n> x",
            "$ for k in a; do get $k; done\n> x",
            "for k in a; do\nget b",
            "it's",
            // A prompt inside a line counts only if an earlier line starts with the same prompt.
            "e@h:~$ etcdctl get a\n1 f@h:~$ etcdctl get b",
            "1 e@h:~$ etcdctl get a\ne@h:~$ etcdctl get b",
            "e@h:~$ etcdctl get a\nlog in as e@h:~$ then type",
            "e@h:~$ etcdctl get a\ne@h:~$ etcdctl put a 'e@h:~$ etcdctl get a'",
            "$ etcdctl get a\n1$ etcdctl get b",
        ] {
            let whole: Vec<String> = lines(text).into_iter().map(|(line, _)| line).collect();
            assert_eq!(whole.join("\n"), text);
        }
    }
}
