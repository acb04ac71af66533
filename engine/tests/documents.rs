//! The documents and the runs that show their sections.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use watchglass_engine::scenario::document::{DOCUMENTS, DocumentSection};
use watchglass_engine::scenario::lessons;

fn published() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour");
    let mut texts: Vec<_> = lessons::ALL
        .iter()
        .map(|lesson| (lesson.name.to_owned(), lesson.text.to_owned()))
        .collect();
    for folder in fs::read_dir(folder).unwrap() {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            texts.push((path.display().to_string(), text));
        }
    }
    texts
}

#[test]
fn every_source_is_a_section_and_every_section_has_a_run() {
    let mut shown = BTreeSet::new();
    for (name, text) in published() {
        let head = text.lines().take_while(|line| line.starts_with("#!"));
        for source in head.filter_map(|line| line.strip_prefix("#! source: ")) {
            let section = DocumentSection::of(source);
            let section =
                section.unwrap_or_else(|| panic!("{name}: no section is called {source:?}"));
            shown.insert((section.document.title, section.name));
        }
    }
    for document in &DOCUMENTS {
        for section in document.sections {
            assert!(
                shown.contains(&(document.title, *section)),
                "no run shows {section:?} of {:?}",
                document.title
            );
        }
    }
}
