//! The table of contents: every lesson, story and run that the page publishes, every term of the glossary, and every
//! entry of `docs/fidelity.md`.
//!
//! `frontend/examples/posters` writes the table at build time, from the published files, `docs/glossary.md` and
//! `docs/fidelity.md`; the page fetches the table when a dialog or a text needs it.

use crate::words::state as words;

/// The name under which the page fetches the table of contents.
pub const NAME: &str = "contents";
/// The first line of the table. The page rejects a text with another first line.
pub const HEAD: &str = "#! contents";

/// The kinds of entries in the table of contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentsKind {
    Lesson,
    Story,
    /// A behaviour file, `folder/name`.
    Run,
    Term,
    /// A simplification of the model; [`ContentsEntry::target`] is the view that contains the simplification.
    Simplified,
    /// A difference between two versions of etcd.
    Version,
    /// A behaviour that matches the real system.
    Same,
    /// A paragraph of a further section of `docs/fidelity.md`; [`ContentsEntry::title`] is the heading of the section.
    Note,
}

impl ContentsKind {
    /// All kinds, in the order of the table of contents.
    pub const ALL: [ContentsKind; 8] = [
        ContentsKind::Lesson,
        ContentsKind::Story,
        ContentsKind::Run,
        ContentsKind::Term,
        ContentsKind::Simplified,
        ContentsKind::Version,
        ContentsKind::Same,
        ContentsKind::Note,
    ];

    /// Returns the name of the kind in the text of the table of contents.
    fn name(self) -> &'static str {
        match self {
            ContentsKind::Lesson => "lesson",
            ContentsKind::Story => "story",
            ContentsKind::Run => "run",
            ContentsKind::Term => "term",
            ContentsKind::Simplified => "simplified",
            ContentsKind::Version => "version",
            ContentsKind::Same => "modelled",
            ContentsKind::Note => "note",
        }
    }

    /// Returns the word for the kind in lists of entries.
    pub fn label(self) -> &'static str {
        match self {
            ContentsKind::Lesson => words::LESSON,
            ContentsKind::Story => words::STORY,
            ContentsKind::Run => words::RUN,
            ContentsKind::Term => words::TERM,
            ContentsKind::Simplified => words::SIMPLIFIED,
            ContentsKind::Version => words::VERSION,
            ContentsKind::Same => words::MODELLED,
            ContentsKind::Note => words::NOTE,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentsEntry {
    pub kind: ContentsKind,
    /// The name in addresses. For a term: the lesson that teaches the term, or an empty text.
    pub target: String,
    /// The title of a run or lesson, or the term of the glossary.
    pub title: String,
    /// A sentence that summarizes the run or explains the term.
    pub about: String,
    /// Further words for the search. For a run: its topic and the sections of documents that it shows. For a term that
    /// is a plain word and also has other meanings: the forms in which texts use the term, separated by commas.
    pub keywords: String,
}

impl ContentsEntry {
    /// Returns the entry as a line of the table of contents.
    ///
    /// ```
    /// use watchglass_frontend::state::contents::{ContentsEntry, ContentsKind, read};
    /// let entry = ContentsEntry {
    ///     kind: ContentsKind::Lesson,
    ///     target: "L01".to_owned(),
    ///     title: "Keys are bytes".to_owned(),
    ///     about: "Put and get.".to_owned(),
    ///     keywords: String::new(),
    /// };
    /// assert_eq!(read(&entry.line()), [entry]);
    /// ```
    pub fn line(&self) -> String {
        let Self {
            kind,
            target,
            title,
            about,
            keywords,
        } = self;
        [kind.name(), target, title, about, keywords].join("\t")
    }

    /// Returns the forms by which a text mentions the term.
    pub fn forms(&self) -> impl Iterator<Item = &str> {
        let forms = match self.keywords.as_str() {
            "" => &self.title,
            forms => forms,
        };
        forms.split(',').map(str::trim)
    }
}

/// Parses the table of contents. Skips lines that are not entries, such as the first line, and entries of unknown
/// kinds.
pub fn read(text: &str) -> Vec<ContentsEntry> {
    text.lines().filter_map(listed).collect()
}

fn listed(line: &str) -> Option<ContentsEntry> {
    let mut fields = line.split('\t');
    let mut field = || fields.next();
    let kind = field()?;
    Some(ContentsEntry {
        kind: ContentsKind::ALL
            .into_iter()
            .find(|known| known.name() == kind)?,
        target: field()?.to_owned(),
        title: field()?.to_owned(),
        about: field()?.to_owned(),
        keywords: field().unwrap_or_default().to_owned(),
    })
}

/// Returns the rank of an entry for the typed text: lower is better, and `None` means no match. Every typed word must
/// occur in the title or in one of the other texts; a title that begins with the typed text ranks first.
pub fn rank(typed: &str, title: &str, others: &[&str]) -> Option<u8> {
    // A user does not type the backticks that mark code in a text.
    let plain = |text: &str| text.replace('`', "").to_lowercase();
    let (typed, title) = (plain(typed.trim()), plain(title));
    let others: Vec<_> = others.iter().map(|text| plain(text)).collect();
    let occurs = |word: &str| title.contains(word) || others.iter().any(|text| text.contains(word));
    if !typed.split_whitespace().all(occurs) {
        return None;
    }
    let begins_word = || {
        title
            .split([' ', '-', '/'])
            .any(|word| word.starts_with(&typed))
    };
    Some(match () {
        () if title == typed => 0,
        () if title.starts_with(&typed) => 1,
        () if begins_word() => 2,
        () if title.contains(&typed) => 3,
        () => 4,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_entry_is_left_out() {
        let text = [
            HEAD,
            "story\tslow\tA slow client\tA full channel.",
            "quiz\ta\tb\tc",
            "run\tx",
            "term\tL06\tpage\tA unit.\tleaf page, meta page",
            "",
        ];
        let read = read(&text.join("\n"));
        assert_eq!(read.len(), 2);
        let forms = |entry: &ContentsEntry| entry.forms().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(forms(&read[0]), ["A slow client"]);
        assert_eq!(forms(&read[1]), ["leaf page", "meta page"]);
        assert_eq!(
            (read[0].kind, &*read[0].target),
            (ContentsKind::Story, "slow")
        );
    }

    #[test]
    fn every_word_must_occur_and_titles_come_first() {
        let others = ["A read below it fails.", "Compaction"];
        let rank = |typed| rank(typed, "Compact `revision`", &others);
        assert_eq!(rank("compact revision"), Some(0));
        assert_eq!(rank("Comp"), Some(1));
        assert_eq!(rank("revision"), Some(2));
        assert_eq!(rank("visio"), Some(3));
        assert_eq!(rank("fails revision"), Some(4));
        assert_eq!(rank("compaction"), Some(4));
        assert_eq!(rank("fails lease"), None);
        assert_eq!(rank(""), Some(1));
    }
}
