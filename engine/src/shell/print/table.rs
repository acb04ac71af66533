//! `--write-out=table`: tables drawn with `+`, `-` and `|`.
//!
//! Mirrors `github.com/olekukonko/tablewriter` 0.0.x with the settings in `printer_table.go`: headings are centred and
//! in capitals, cells are right-aligned, and texts wider than 30 characters are wrapped. Upstream balances the lengths
//! of the wrapped lines; this module fills each line before the next. With both methods, the text of one alarm takes
//! two lines.

/// The maximum width of a line in a cell (`MAX_ROW_WIDTH`).
const CELL_WIDTH_MAX: usize = 30;

/// Appends a table.
pub(super) fn table(out: &mut Vec<u8>, headings: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let cells = cells.map(|cell| {
            let lines = wrapped(cell).into_iter();
            let longest = lines.map(|line| line.chars().count()).max().unwrap_or(0);
            longest.max(cell.chars().count().min(CELL_WIDTH_MAX))
        });
        cells.max().unwrap_or(0).max(headings[column].len())
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    rule(out, &widths);
    let centred = headings.iter().zip(&widths).map(|(heading, width)| {
        let gap = width - heading.len();
        (heading.to_uppercase(), gap / 2, gap - gap / 2)
    });
    line(out, centred);
    rule(out, &widths);
    for row in rows {
        let cells: Vec<Vec<String>> = row.iter().map(|cell| wrapped(cell)).collect();
        let lines = cells.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..lines {
            let to_the_right = cells.iter().zip(&widths).map(|(cell, width)| {
                let text = cell.get(number).cloned().unwrap_or_default();
                let gap = width - text.chars().count();
                (text, gap, 0)
            });
            line(out, to_the_right);
        }
    }
    // Like upstream, this draws the last rule even if the table has no rows.
    rule(out, &widths);
}

/// Splits the text of a cell into lines.
fn wrapped(cell: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in cell.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= CELL_WIDTH_MAX => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn rule(out: &mut Vec<u8>, widths: &[usize]) {
    for width in widths {
        out.push(b'+');
        out.extend(std::iter::repeat_n(b'-', width + 2));
    }
    out.extend_from_slice(b"+\n");
}

fn line(out: &mut Vec<u8>, cells: impl Iterator<Item = (String, usize, usize)>) {
    for (text, left, right) in cells {
        out.push(b'|');
        out.extend(std::iter::repeat_n(b' ', left + 1));
        out.extend_from_slice(text.as_bytes());
        out.extend(std::iter::repeat_n(b' ', right + 1));
    }
    out.extend_from_slice(b"|\n");
}
