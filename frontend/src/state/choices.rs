//! The closed lists from which the user chooses: views, subjects of the inspector, panels, axes and themes.

use crate::words::state as words;

/// A view of the run. The page shows one view at a time, and requests only the data of this view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The Index view: keys by revision.
    #[default]
    Index,
    /// The Watch view: watchers by their next revision.
    Watch,
    /// The Cache view: the caches of API servers and their lag behind etcd.
    Cache,
    /// The Messages view: messages between nodes over time.
    Messages,
    /// The Storage view: the database file, page by page.
    Storage,
    /// The Cluster view: the members, their logs, and the operations of clients.
    Cluster,
    /// The QoS view: the classes and rules of etcd QoS, a proposal.
    Qos,
    /// The Lab: the waiting times of consistent lists. The Lab does not depend on the run.
    Lab,
}

impl View {
    /// All views, in the order of the tabs.
    pub const ALL: [View; 8] = [
        View::Index,
        View::Watch,
        View::Cache,
        View::Messages,
        View::Storage,
        View::Cluster,
        View::Qos,
        View::Lab,
    ];

    pub const fn title(self) -> &'static str {
        match self {
            View::Index => words::INDEX,
            View::Watch => words::WATCH,
            View::Cache => words::CACHE,
            View::Messages => words::MESSAGES,
            View::Storage => words::STORAGE,
            View::Cluster => words::CLUSTER,
            View::Qos => words::QOS,
            View::Lab => words::LAB,
        }
    }

    /// Returns the name of the view in storage and in links.
    pub fn name(self) -> &'static str {
        match self {
            View::Index => "index",
            View::Watch => "watch",
            View::Cache => "cache",
            View::Messages => "messages",
            View::Storage => "storage",
            View::Cluster => "cluster",
            View::Qos => "qos",
            View::Lab => "lab",
        }
    }

    /// Returns true if `docs/fidelity.md` contains simplifications of this view. A test compares the document with this
    /// function.
    pub fn is_simplified(self) -> bool {
        !matches!(self, View::Index)
    }

    pub fn from_name(name: &str) -> Option<View> {
        View::ALL.into_iter().find(|view| view.name() == name)
    }

    /// Returns the subject of the inspector after a selection in the view.
    pub fn subject(self) -> Subject {
        match self {
            View::Index | View::Cluster | View::Qos | View::Lab => Subject::Key,
            View::Storage => Subject::Page,
            View::Watch => Subject::Watcher,
            View::Cache => Subject::Cache,
            View::Messages => Subject::Message,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Key,
    Watcher,
    Message,
    Cache,
    /// A page of the database file.
    Page,
}

/// The inspector's tabs for caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheTab {
    /// The sources that serve reads.
    Routes,
    Request,
    /// The API servers and their caches.
    Servers,
}

impl CacheTab {
    /// All tabs, in the order in which the inspector shows them.
    pub const ALL: [CacheTab; 3] = [CacheTab::Routes, CacheTab::Request, CacheTab::Servers];
}

/// A panel that shares the phone's bottom sheet with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    Story,
    Inspect,
    Terminal,
}

/// The quantities on the timeline's x axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    Step,
    /// Simulated time.
    Time,
    Revision,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Same as the system setting.
    #[default]
    Auto,
    Light,
    Dark,
    /// Maximum contrast and thick lines, for a projector.
    Projector,
}

impl Theme {
    /// All themes, in the order of the switch.
    pub const ALL: [Theme; 4] = [Theme::Auto, Theme::Light, Theme::Dark, Theme::Projector];

    /// Returns the name of the theme in links and in storage.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
            Theme::Projector => "projector",
        }
    }

    pub fn from_name(name: &str) -> Option<Theme> {
        Theme::ALL.into_iter().find(|theme| theme.name() == name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Confirms an action of the user, and disappears after some seconds.
    Brief,
    Quiet,
    /// An error or a refusal.
    Bad,
}

/// How the reader passes on the current step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// A link, in the address bar and on the clipboard.
    Link,
    /// The HTML that shows the step as a figure on another page.
    EmbedCode,
    /// A QR code of the link, for the phones of an audience.
    QrCode,
}

/// A picture of the page that readers can save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// The picture of the current view.
    View,
    /// A picture of the Lab, by its name.
    Lab(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    Svg,
    Png,
}

impl PictureFormat {
    /// Returns the name of the format, which is also the ending of its files.
    pub fn name(self) -> &'static str {
        match self {
            PictureFormat::Svg => "svg",
            PictureFormat::Png => "png",
        }
    }
}
