//! The documents whose statements the published texts show. A header line `#! source: DOCUMENT, SECTION` names the
//! section of a document that a run or a lesson shows; a line `#! mirrors:` names upstream's source code instead.

/// A document about etcd or Kubernetes.
#[derive(Debug)]
pub struct Document {
    /// The title, as header lines write it.
    pub title: &'static str,
    pub about: &'static str,
    /// The sections that runs or lessons show, in the order of the document.
    pub sections: &'static [&'static str],
}

#[derive(Clone, Copy, Debug)]
pub struct DocumentSection {
    pub document: &'static Document,
    pub name: &'static str,
}

impl DocumentSection {
    /// Returns the section that the value of a line `#! source:` names.
    ///
    /// ```
    /// use watchglass_engine::scenario::document::DocumentSection;
    /// let section = DocumentSection::of("Onwards to the Core: etcd, Caveats").unwrap();
    /// assert_eq!((section.document.title, section.name), ("Onwards to the Core: etcd", "Caveats"));
    /// assert!(DocumentSection::of("Onwards to the Core: etcd, Elsewhere").is_none());
    /// ```
    pub fn of(header: &str) -> Option<Self> {
        DOCUMENTS.iter().find_map(|document| {
            let name = header.strip_prefix(document.title)?.strip_prefix(", ")?;
            let name = document.sections.iter().find(|known| **known == name)?;
            Some(Self { document, name })
        })
    }
}

/// The documents, oldest last.
pub static DOCUMENTS: [Document; 4] = [
    Document {
        title: "Onwards to the Core: etcd",
        about: "An article of 2021 about etcd's storage and watches, for readers who know Kubernetes.",
        sections: &[
            "Kubernetes in a Nutshell",
            "Why etcd?",
            "Key-Value…what?",
            "The Etcd Server",
            "All I see is Trees",
            "Physical Backend",
            "Caveats",
            "The Key Index",
            "A concrete Example",
            "Retrieving Data",
            "Sequential + Sequential",
            "E = MVCC²",
            "A Note about Compaction",
            "Watches, finally!",
            "Watches and Streams",
            "Who watches the Watcher?",
            "Synchronizing Watchers",
            "Watch Flow",
            "The List & Watch Pattern",
        ],
    },
    Document {
        title: "KEP-2340: Consistent Reads from Cache",
        about: "The enhancement proposal of Kubernetes for lists that an API server serves from its watch cache.",
        sections: &[
            "Summary",
            "Motivation",
            "Proposal",
            "Risks and Mitigations",
            "Progress notify interval selection",
            "Pagination",
            "What if the watch cache is stale?",
            "Ability to Opt-out",
            "Test Plan",
            "Rollout Plan",
            "Alternatives",
            "Potential Future Improvements",
        ],
    },
    Document {
        title: "etcd QoS Feature Design",
        about: "A proposal of 2020 for limits on expensive requests in etcd. It was never merged.",
        sections: &[
            "Background",
            "Goals",
            "Non-Goals",
            "Alternative Solution",
            "Identify Expensive Request",
            "Queue Discipline Kind",
            "QoS Class",
            "QoS Rule",
            "Track Expensive Request",
            "QoS monitor",
            "Thoughts on decomposing the rules",
            "FAQ",
            "Future Work",
        ],
    },
    Document {
        title: "Watch in apiserver",
        about: "The proposal of 2015 for the watch cache of Kubernetes' API server.",
        sections: &[
            "Problem",
            "High level design",
            "Proposal details",
            "Future optimizations",
        ],
    },
];
