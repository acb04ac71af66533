//! Finds here-documents: `txn <<EOF`, `cat <<EOF | etcdctl txn`.

use super::prompt::{self, IsCommand};

/// Returns the command and the delimiter, if the line ends in a delimiter such as `<<EOF` or `<<'EOF'`, or has the form
/// `cat <<EOF | COMMAND`.
pub(crate) fn heredoc(line: &[u8], is_command: IsCommand) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_end();
    let at = line.windows(2).rposition(|bytes| bytes == b"<<")?;
    if prompt::blanked(&line[..at], is_command).trim_ascii() == b"cat" {
        let pipe = at + line[at..].iter().position(|b| *b == b'|')?;
        let before_pipe = [b"txn ".as_slice(), &line[at..pipe]].concat();
        let (_, delimiter) = heredoc(&before_pipe, is_command)?;
        let start = at
            + line[at..]
                .windows(delimiter.len())
                .position(|bytes| bytes == delimiter)?;
        return Some((&line[pipe + 1..], &line[start..start + delimiter.len()]));
    }
    let head = line[..at]
        .strip_suffix(b"<")
        .is_none()
        .then_some(&line[..at])?;
    let delimiter = line[at + 2..].trim_ascii_start();
    let delimiter = delimiter.strip_prefix(b"-").unwrap_or(delimiter);
    let quote = delimiter.first().filter(|b| matches!(b, b'\'' | b'"'));
    let delimiter = match quote {
        Some(quote) => delimiter[1..].strip_suffix(std::slice::from_ref(quote))?,
        None => delimiter,
    };
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    (!delimiter.is_empty() && delimiter.iter().all(is_word)).then_some((head, delimiter))
}

/// Returns the delimiter of a here-document that starts anywhere in the line, as in `cat <<EOF > file`.
pub(crate) fn delimiter_inside(line: &[u8]) -> Option<Vec<u8>> {
    let (mut at, mut quote) = (0, None);
    while let Some(byte) = line.get(at) {
        match (quote, byte) {
            (None | Some(b'"'), b'\\') => at += 1,
            (None, b'\'' | b'"') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            (None, b'#') if at == 0 || line[at - 1].is_ascii_whitespace() => return None,
            (None, b'<') if line[at..].starts_with(b"<<<") => at += 2,
            (None, b'<') if line[at..].starts_with(b"<<") => {
                let rest = line[at + 2..].strip_prefix(b"-").unwrap_or(&line[at + 2..]);
                let rest = rest.trim_ascii_start();
                let rest = rest.strip_prefix(b"\\").unwrap_or(rest);
                let quote = rest.first().filter(|byte| matches!(byte, b'\'' | b'"'));
                let rest = &rest[usize::from(quote.is_some())..];
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.!".contains(byte);
                let length = rest.iter().take_while(|byte| is_part(byte)).count();
                let is_closed = quote.is_none_or(|quote| rest.get(length) == Some(quote));
                return (length > 0 && is_closed).then(|| rest[..length].to_vec());
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns true if a command before a here-document is `etcdctl put KEY`.
pub(crate) fn is_put(head: &[u8], is_command: IsCommand) -> bool {
    let head = prompt::blanked(head, is_command);
    let head = String::from_utf8_lossy(&head);
    let words = head
        .split_whitespace()
        .filter(|word| !word.starts_with('-'));
    let words: Vec<&str> = words.collect();
    let at = words
        .iter()
        .position(|word| prompt::is_tool(word.as_bytes()));
    let rest = &words[at.map_or(0, |at| at + 1)..];
    at.is_some() && rest.first() == Some(&"put")
}
