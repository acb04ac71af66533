//! Comma-separated values (RFC 4180) that a spreadsheet does not interpret as formulas.

use std::borrow::Cow;

/// Returns a text as a cell. A text that a spreadsheet would interpret as a formula gets the prefix `'`.
///
/// ```
/// use watchglass_engine::view::file::csv;
/// assert_eq!(csv::safe("=1+1"), "'=1+1");
/// assert_eq!(csv::line(["a,\"b\"", "-2", "x"]), "\"a,\"\"b\"\"\",-2,x\r\n");
/// ```
pub fn safe(text: &str) -> Cow<'_, str> {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

/// Returns the cells as one line. Pass texts through [`safe`] first; numbers can start with `-`.
pub fn line<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for (place, cell) in cells.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        if cell.contains(['"', ',', '\n', '\r']) {
            out.push('"');
            out.push_str(&cell.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(cell);
        }
    }
    out.push_str("\r\n");
    out
}
