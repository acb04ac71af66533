//! `--write-out=table`: drawn with `+`, `-` and `|`.
//!
//! Mirrors what `github.com/olekukonko/tablewriter` 0.0.x draws with the settings of
//! `printer_table.go`: headings in capitals and centred, cells to the right. Left out: the wrapping
//! of cells wider than 30 characters, which only a list of errors would reach.

/// Adds a table.
pub(super) fn table(out: &mut Vec<u8>, headings: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|c| c.chars().count());
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
        let to_the_right = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| (cell.clone(), width - cell.chars().count(), 0));
        line(out, to_the_right);
    }
    // Upstream closes a table without rows with a second rule all the same.
    rule(out, &widths);
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
