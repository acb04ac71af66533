//! A picture: a view and the object that the view highlights. Scenarios and lessons name a picture in a header line,
//! such as `#! picture: watch w1`.

use crate::words::scenario as words;

/// A view and the object that the view highlights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub view: NamedView,
    /// The highlighted key, watcher or node.
    pub target: Option<Box<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedView {
    /// The Index view: keys and their revisions.
    Index,
    /// The Watch view: watchers and their progress.
    Watch,
    /// The Cache view: API servers and their watch caches.
    Cache,
    /// The Messages view: the messages between the nodes.
    Messages,
    /// The Storage view: the database file, page by page.
    Storage,
    /// The Cluster view: the members, their logs, and the operations of clients.
    Cluster,
    /// The QoS view: the classes and rules of etcd QoS.
    Qos,
}

impl NamedView {
    const ALL: [Self; 7] = [
        Self::Index,
        Self::Watch,
        Self::Cache,
        Self::Messages,
        Self::Storage,
        Self::Cluster,
        Self::Qos,
    ];

    /// Returns the name of the view in header lines and in the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Watch => "watch",
            Self::Cache => "cache",
            Self::Messages => "messages",
            Self::Storage => "storage",
            Self::Cluster => "cluster",
            Self::Qos => "qos",
        }
    }
}

impl Picture {
    /// Parses the value of a header line.
    ///
    /// ```
    /// use watchglass_engine::scenario::picture::{Picture, NamedView};
    /// let picture = Picture::parse("index /key1").unwrap();
    /// assert_eq!((picture.view, picture.target.as_deref()), (NamedView::Index, Some("/key1")));
    /// let wrong = Picture::parse("tree").unwrap_err();
    /// assert!(wrong.starts_with("there is no picture `tree`; the pictures are index, watch, cache, messages"));
    /// ```
    ///
    /// # Errors
    /// Returns an error message if there is no view with this name.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, target) = text.split_once(' ').unwrap_or((text, ""));
        let view = NamedView::ALL.into_iter().find(|view| view.name() == name);
        let view =
            view.ok_or_else(|| words::no_such_picture(name, &NamedView::ALL.map(NamedView::name)))?;
        let target = target.trim();
        let target = (!target.is_empty()).then(|| target.into());
        Ok(Self { view, target })
    }
}
