//! Saves a table as a CSV or JSON file.

use watchglass_engine::view::file::csv;
use yew::prelude::*;

use crate::browser::file;
use crate::state::Action;
use crate::state::action::LayoutAct;
use crate::state::choices::Tone;
use crate::state::ui::Notice;
use crate::store::StoreHandle;
use crate::words::state as words;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Text(String),
    Number(i64),
}

/// A table with the names of its columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileTable {
    /// The first part of the name of the exported file.
    pub(super) name: String,
    pub(super) columns: &'static [&'static str],
    pub(super) rows: Vec<Vec<Cell>>,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl Cell {
    /// Returns the content of a cell in a table of comma-separated values.
    fn to_text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => csv::safe(text).into_owned(),
        }
    }
}

impl FileTable {
    /// Returns the table as comma-separated values.
    pub(super) fn to_csv(&self) -> String {
        let mut out = csv::line(self.columns.iter().copied());
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(Cell::to_text).collect();
            out.push_str(&csv::line(cells.iter().map(String::as_str)));
        }
        out
    }

    /// Returns the table as a JSON list of objects.
    pub(super) fn to_json(&self) -> String {
        let object = |row: &Vec<Cell>| {
            let fields = self.columns.iter().zip(row).map(|(name, cell)| {
                let value = match cell {
                    Cell::Text(text) => json_text(text),
                    Cell::Number(number) => number.to_string(),
                };
                format!("\"{name}\": {value}")
            });
            format!("  {{{}}}", fields.collect::<Vec<_>>().join(", "))
        };
        let rows: Vec<String> = self.rows.iter().map(object).collect();
        format!("[\n{}\n]\n", rows.join(",\n"))
    }
}

fn json_text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Saves a text as a file.
pub(super) fn save(store: &StoreHandle, name: &str, text: &str) {
    if file::save_text(name, text).is_none() {
        store.dispatch(Action::Layout(LayoutAct::Tell(Notice {
            tone: Tone::Bad,
            text: words::CANNOT_SAVE_FILES.to_owned(),
            offers: Vec::new(),
        })));
    }
}

/// Returns buttons that save a table as CSV or JSON.
pub(super) fn buttons(
    store: &StoreHandle,
    table: impl Fn() -> FileTable + Clone + 'static,
) -> Html {
    let button = |kind: &'static str, text: fn(&FileTable) -> String| {
        let (store, table) = (store.clone(), table.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            let table = table();
            let name = [&table.name, ".", &kind.to_ascii_lowercase()].concat();
            save(&store, &name, &text(&table));
        });
        html! { <button type="button" class="wg-button is-small" {onclick}>{ kind }</button> }
    };
    html! {
        <span class="file-save">{ button("CSV", FileTable::to_csv) }{ button("JSON", FileTable::to_json) }</span>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> FileTable {
        FileTable {
            name: "t".to_owned(),
            columns: &["key", "rows"],
            rows: vec![
                vec!["/a,\"b\"".into(), 3u64.into()],
                vec!["=1+1".into(), (-2i64).into()],
                vec!["\\n\n".into(), 0u64.into()],
            ],
        }
    }

    #[test]
    fn csv_quotes_what_needs_it_and_disarms_formulas() {
        assert_eq!(
            table().to_csv(),
            "key,rows\r\n\"/a,\"\"b\"\"\",3\r\n'=1+1,-2\r\n\"\\n\n\",0\r\n"
        );
    }

    #[test]
    fn json_is_json() {
        assert_eq!(
            table().to_json(),
            "[\n  {\"key\": \"/a,\\\"b\\\"\", \"rows\": 3},\n  {\"key\": \"=1+1\", \"rows\": -2},\n  \
             {\"key\": \"\\\\n\\u000a\", \"rows\": 0}\n]\n"
        );
    }
}
