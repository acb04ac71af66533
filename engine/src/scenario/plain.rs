//! Removes the control characters of a terminal from a text that `script` or a similar program recorded: colours, the
//! marks around pasted text, and deleted characters.
//!
//! Movements of the cursor inside a line, which line editors use for changes in the middle of a line, are not
//! supported.

use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';
const BACKSPACE: char = '\u{8}';

/// Returns the text as the terminal showed it.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !matches!(c, ESCAPE | BELL | BACKSPACE | '\r');
    if text.chars().all(is_plain) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ESCAPE => skip_sequence(&mut rest),
            BELL => {}
            BACKSPACE => {
                if !shown.ends_with('\n') {
                    shown.pop();
                }
            }
            '\r' => {
                // Text after a carriage return overwrites the line.
                if !matches!(rest.peek(), None | Some('\r' | '\n')) {
                    let line = shown.rfind('\n').map_or(0, |at| at + 1);
                    shown.truncate(line);
                }
            }
            c => shown.push(c),
        }
    }
    shown.into()
}

/// Skips the rest of an escape sequence (ECMA-48).
fn skip_sequence(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.next() {
        // A control sequence ends with a letter or a similar character.
        Some('[') => {
            while rest
                .next_if(|c| *c != '\n')
                .is_some_and(|c| !('@'..='~').contains(&c))
            {}
        }
        // A text for the terminal, such as the title of the window, ends with a bell or with `ESC \`. If the end is
        // missing, the text ends with the line.
        Some(']' | 'P' | '^' | '_' | 'X') => {
            while let Some(c) = rest.next_if(|c| *c != '\n') {
                if c == ESCAPE {
                    rest.next_if(|c| *c != '\n');
                }
                if matches!(c, BELL | ESCAPE) {
                    break;
                }
            }
        }
        Some('(' | ')') => {
            rest.next_if(|c| *c != '\n');
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_becomes_the_text_that_was_shown() {
        for (recorded, shown) in [
            ("$ get a\na\n", "$ get a\na\n"),
            (
                "\u{1b}[?2004hroot@e:/# get a\r\n\u{1b}[?2004l\ra\r\n",
                "root@e:/# get a\na\n",
            ),
            (
                "\u{1b}]0;root@e: /\u{7}\u{1b}[01;32mroot@e\u{1b}[0m:/# ls\n",
                "root@e:/# ls\n",
            ),
            ("\u{1b}]0;x\u{1b}\\$ ls\u{1b}(B\u{1b}=\n", "$ ls\n"),
            ("\u{1b}]0;x\n$ ls\u{1b}[\n$ pwd\n", "\n$ ls\n$ pwd\n"),
            ("\u{1b}Ptmux;x\u{1b}\\$ ls\u{1b}_a\u{7}\n", "$ ls\n"),
            ("$ gett\u{8}\u{1b}[K a\n", "$ get a\n"),
            ("%      \r \r~ % get a\r\r\n", "~ % get a\n"),
            ("\u{8}\n\u{8}a\u{1b}", "\na"),
        ] {
            assert_eq!(plain(recorded), shown, "{recorded:?}");
        }
    }
}
