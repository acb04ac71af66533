//! Joins the style sheets of a page into one file. The file contains all sheets that the page names, in the same order.
//!
//! In the sources, each sheet has the name of the components that it styles. With so many files, a visitor would wait:
//! an HTTP/1.1 server sends six files at a time, and on a slow network this causes a second round trip before the first
//! paint.

use anyhow::{Context, Result, ensure};

use super::layout::without;

/// A web page, and the one style sheet that replaces all style sheets that the web page named.
#[derive(Debug, PartialEq)]
pub(super) struct Joined {
    pub(super) html: String,
    pub(super) sheet: String,
}

/// Replaces all sheets of the page with one sheet, `name`. `read` takes the name of a sheet and returns its text.
/// Returns `None` if the page names no sheets.
pub(super) fn join(
    html: &str,
    name: &str,
    read: impl Fn(&str) -> Result<String>,
) -> Result<Option<Joined>> {
    const OPEN: &str = "<link rel=\"stylesheet\" href=\"./";
    let mut sheets = Vec::new();
    let mut pieces = html.split(OPEN);
    let mut joined = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (href, after) = piece
            .split_once("\">")
            .context("the link of a style sheet is not closed")?;
        // Only space is allowed between two sheets: other content could depend on their order.
        if sheets.is_empty() {
            joined.push_str(&format!("{OPEN}{name}\">"));
            joined.push_str(after);
        } else {
            let between = joined.rsplit("\">").next().unwrap_or_default();
            ensure!(
                between.trim().is_empty(),
                "{href} does not follow the style sheet before it: put it beside the others"
            );
            joined.truncate(joined.trim_end().len());
            joined.push_str(after);
        }
        sheets.push(plain(&read(href)?).with_context(|| href.to_owned())?);
    }
    Ok((!sheets.is_empty()).then(|| Joined {
        html: joined,
        sheet: sheets.concat(),
    }))
}

/// Returns a style sheet without comments, indentation and the line breaks after punctuation.
fn plain(sheet: &str) -> Result<String> {
    let sheet = without(sheet, "/*", "*/")?;
    let lines = sheet.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut plain = String::with_capacity(sheet.len());
    for line in lines {
        plain.push_str(line);
        if !line.ends_with(['{', '}', ';', ',']) {
            plain.push('\n');
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_loses_what_only_its_readers_need() {
        let sheet = "/* why */\n.a {\n  color: red; /* so */\n\n  top: 0;\n}\n";
        assert_eq!(plain(sheet).unwrap(), ".a {color: red;top: 0;}");
        assert!(plain("/* open").is_err());
    }

    #[test]
    fn the_sheets_of_a_page_become_one_in_their_order() {
        let read = |name: &str| Ok(format!("{name} {{}}"));
        let page = "<head>\n<link rel=\"stylesheet\" href=\"./a.css\">\n\
            <link rel=\"stylesheet\" href=\"./b.css\">\n</head>";
        assert_eq!(
            join(page, "p.css", read).unwrap(),
            Some(Joined {
                html: "<head>\n<link rel=\"stylesheet\" href=\"./p.css\">\n</head>".to_owned(),
                sheet: "a.css {}b.css {}".to_owned(),
            })
        );
        assert_eq!(join("<p>", "p.css", read).unwrap(), None);
    }

    #[test]
    fn a_sheet_apart_from_the_others_is_refused() {
        let read = |_: &str| Ok(String::new());
        let page = "<link rel=\"stylesheet\" href=\"./a.css\"><p></p><link rel=\"stylesheet\" href=\"./b.css\">";
        assert!(join(page, "p.css", read).is_err());
    }
}
