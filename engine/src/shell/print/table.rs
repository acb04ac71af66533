//! `--write-out=table`: tables of cells with borders. Headings are centred and in capitals, cells are right-aligned.
//!
//! Mirrors `github.com/olekukonko/tablewriter` with the settings in `printer_table.go`: version 0.0.x, which wraps
//! texts wider than 30 characters, and since 3.7 version 1, which draws lines and wraps nothing. Upstream balances the
//! lengths of the wrapped lines; this module fills each line before the next. With both methods, the text of one alarm
//! takes two lines.

use crate::api::{Difference, Profile};

/// The maximum width of a line in a cell (`MAX_ROW_WIDTH`).
const CELL_WIDTH_MAX: usize = 30;

struct Borders {
    dash: char,
    bar: char,
    /// The left, inner and right corners of the rules above the headings, below the headings, and below the rows.
    corners: [[char; 3]; 3],
}

const ASCII: Borders = Borders {
    dash: '-',
    bar: '|',
    corners: [['+'; 3]; 3],
};

const LINES: Borders = Borders {
    dash: '─',
    bar: '│',
    corners: [['┌', '┬', '┐'], ['├', '┼', '┤'], ['└', '┴', '┘']],
};

pub(super) fn table(out: &mut Vec<u8>, headings: &[&str], rows: &[Vec<String>], profile: Profile) {
    let (borders, is_wrapped) = match profile.has(Difference::DrawsLines) {
        true => (LINES, false),
        false => (ASCII, true),
    };
    let lines_of = |cell: &String| match is_wrapped {
        true => wrapped(cell),
        false => vec![cell.clone()],
    };
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let cells = cells.map(|cell| {
            let lines = lines_of(cell).into_iter();
            let longest = lines.map(|line| line.chars().count()).max().unwrap_or(0);
            longest.max(cell.chars().count().min(CELL_WIDTH_MAX))
        });
        cells.max().unwrap_or(0).max(headings[column].len())
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let mut text = String::new();
    let [above, between, below] = &borders.corners;
    rule(&mut text, &widths, borders.dash, above);
    let centred = headings.iter().zip(&widths).map(|(heading, width)| {
        let gap = width - heading.len();
        (heading.to_uppercase(), gap / 2, gap - gap / 2)
    });
    line(&mut text, borders.bar, centred);
    rule(&mut text, &widths, borders.dash, between);
    for row in rows {
        let cells: Vec<Vec<String>> = row.iter().map(lines_of).collect();
        let lines = cells.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..lines {
            let to_the_right = cells.iter().zip(&widths).map(|(cell, width)| {
                let text = cell.get(number).cloned().unwrap_or_default();
                let gap = width - text.chars().count();
                (text, gap, 0)
            });
            line(&mut text, borders.bar, to_the_right);
        }
    }
    // Like upstream, this draws the last rule even if the table has no rows.
    rule(&mut text, &widths, borders.dash, below);
    out.extend_from_slice(text.as_bytes());
}

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

fn rule(out: &mut String, widths: &[usize], dash: char, [left, inner, right]: &[char; 3]) {
    for (column, width) in widths.iter().enumerate() {
        out.push(if column == 0 { *left } else { *inner });
        out.extend(std::iter::repeat_n(dash, width + 2));
    }
    out.push(*right);
    out.push('\n');
}

fn line(out: &mut String, bar: char, cells: impl Iterator<Item = (String, usize, usize)>) {
    for (text, left, right) in cells {
        out.push(bar);
        out.extend(std::iter::repeat_n(' ', left + 1));
        out.push_str(&text);
        out.extend(std::iter::repeat_n(' ', right + 1));
    }
    out.push(bar);
    out.push('\n');
}
