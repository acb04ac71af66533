//! The tables of all commands: names, flags, usage, descriptions and examples.
//!
//! The command readers, the help pages, etcdctl's usage pages and the completion use these tables. The texts in
//! [`ETCDCTL`] are etcdctl's own and are printed unchanged, except `gloss` and `example`. The texts in [`SIMULATOR`]
//! and [`WORLD`] belong to the simulator.

mod etcdctl;
mod kube;
mod qos;
pub(super) mod world;

use super::ParseError;
use crate::api::Profile;
use crate::transcript::for_loop::Arg;
pub(super) use etcdctl::ETCDCTL;
use kube::{KUBE, SHOW_APISERVER, SHOW_CACHE, SHOW_REQUESTS};
use world::{
    SHOW_CLIENTS, SHOW_CLUSTER, SHOW_CONTAINERS, SHOW_COST, SHOW_METRICS, SHOW_PROCESSES, SHOW_QOS,
    SHOW_SETTINGS, SHOW_SLOW, SHOW_WATCHERS, WORLD,
};

/// A command or a group of commands.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) name: &'static str,
    /// The name and the arguments, in the form that etcdctl's usage page prints.
    pub(super) usage: &'static str,
    /// etcdctl's one-line description.
    pub(super) short: &'static str,
    /// The paragraphs that etcdctl's page prints as a description.
    pub(super) long: &'static str,
    /// The examples that etcdctl's page prints since 3.6.
    pub(super) manual: &'static str,
    /// The versions of etcdctl that have the command with these texts.
    pub(super) versions: Versions,
    /// The group in which the page of etcdctl 3.7 lists the command.
    pub(super) group: Option<Group>,
    /// Whether the usage line does not end in `[flags]`.
    pub(super) is_usage_complete: bool,
    /// The command's own flags, sorted by name.
    pub(super) flags: &'static [Flag],
    /// The flags that the command shares with its subcommands.
    pub(super) shared: &'static [Flag],
    /// Additional flags that the command has in the simulator but not in etcdctl.
    pub(super) extra: &'static [Flag],
    /// The simulator's one-line description, for help and completion. Empty if the command is not simulated.
    pub(super) gloss: &'static str,
    pub(super) example: &'static str,
    pub(super) children: &'static [Spec],
}

#[derive(Debug)]
pub(super) struct Flag {
    /// The name, without the leading dashes.
    pub(super) name: &'static str,
    /// The short form of the flag, which is a single letter; 0 if there is none.
    pub(super) letter: u8,
    pub(super) kind: FlagKind,
    /// The default value, in the form that the usage page prints.
    pub(super) default: &'static str,
    /// etcdctl's description of the flag.
    pub(super) usage: &'static str,
    /// The values that completion suggests.
    pub(super) values: &'static [&'static str],
    /// The versions of etcdctl that have the flag with this text.
    pub(super) versions: Versions,
}

/// The versions of etcdctl that have a command or a flag. If a text differs between versions, the table has one row for
/// each text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Versions {
    All,
    /// This version and all later versions.
    Since(Profile),
    /// This version and all earlier versions.
    Until(Profile),
    Only(Profile),
}

impl Versions {
    /// Returns true if the newest version is one of these versions.
    pub(super) fn is_current(self) -> bool {
        matches!(self, Self::All | Self::Since(_))
    }

    pub(super) fn include(self, profile: Profile) -> bool {
        match self {
            Self::All => true,
            Self::Since(first) => profile >= first,
            Self::Until(last) => profile <= last,
            Self::Only(only) => profile == only,
        }
    }
}

/// A heading under which the page of etcdctl 3.7 lists commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    KeyValue,
    Cluster,
    Concurrency,
    Authentication,
    Utility,
}

impl Group {
    /// All groups, in the order of the page.
    pub(super) const ALL: [Self; 5] = [
        Self::KeyValue,
        Self::Cluster,
        Self::Concurrency,
        Self::Authentication,
        Self::Utility,
    ];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::KeyValue => "Key-value commands",
            Self::Cluster => "Cluster maintenance commands",
            Self::Concurrency => "Concurrency commands",
            Self::Authentication => "Authentication commands",
            Self::Utility => "Utility commands",
        }
    }
}

impl Spec {
    pub(super) fn children(&self, profile: Profile) -> impl Iterator<Item = &'static Spec> {
        let all = self.children.iter();
        all.filter(move |child| child.versions.include(profile))
    }

    pub(super) fn is_simulated(&self) -> bool {
        !self.gloss.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlagKind {
    /// A boolean: the flag alone, or with `=true` or `=false`.
    Bool,
    /// A whole number in any base that Go accepts.
    Int,
    Uint,
    Text,
    Duration,
    /// A comma-separated list.
    List,
}

impl Flag {
    pub(super) fn exists(&self, profile: Profile) -> bool {
        self.versions.include(profile)
    }
}

pub(super) const fn flag(
    name: &'static str,
    kind: FlagKind,
    default: &'static str,
    usage: &'static str,
) -> Flag {
    Flag {
        name,
        letter: 0,
        kind,
        default,
        usage,
        values: &[],
        versions: Versions::All,
    }
}

pub(super) const fn flag_of(versions: Versions, flag: Flag) -> Flag {
    Flag { versions, ..flag }
}

pub(super) const fn short_flag(letter: u8, flag: Flag) -> Flag {
    Flag { letter, ..flag }
}

/// The flag that selects the output format. All tools have this flag.
const WRITE_OUT: Flag = short_flag(
    b'w',
    flag(
        "write-out",
        FlagKind::Text,
        "simple",
        "set the output format (fields, json, protobuf, simple, table)",
    ),
);

pub(super) const fn choice(values: &'static [&'static str], flag: Flag) -> Flag {
    Flag { values, ..flag }
}

/// A command whose fields are all empty. Other commands take their empty fields from this command by struct update
/// syntax.
pub(super) const LEAF: Spec = Spec {
    name: "",
    usage: "",
    short: "",
    long: "",
    manual: "",
    versions: Versions::All,
    group: None,
    is_usage_complete: false,
    flags: &[],
    shared: &[],
    extra: &[],
    gloss: "",
    example: "",
    children: &[],
};

pub(super) const fn command(name: &'static str, usage: &'static str, short: &'static str) -> Spec {
    Spec {
        name,
        usage,
        short,
        ..LEAF
    }
}

/// The flag `help`, which every etcdctl command has.
pub(super) const HELP_FLAG: Flag = short_flag(b'h', flag("help", FlagKind::Bool, "false", ""));

/// The simulator's own commands, except the commands in [`WORLD`] and [`KUBE`].
pub(super) static SIMULATOR: &[Spec] = &[
    Spec {
        name: "show",
        usage: "show key-index KEY | bucket NAME | store | storage | watchers | clients | cost | processes | \
                containers | settings | apiserver | cache | requests | qos | metrics | slow | cluster",
        gloss: "show the internal state of members, API servers and clients; some commands accept --json",
        example: "show key-index /key1",
        children: &[
            Spec {
                name: "key-index",
                usage: "show key-index KEY [--json]",
                gloss: "show the generations of one key",
                example: "show key-index /key1 --json",
                ..LEAF
            },
            Spec {
                name: "bucket",
                usage: "show bucket NAME [--decode] [--limit N] [--json]",
                gloss: "show the rows of a backend bucket, newest first",
                example: "show bucket key --decode",
                ..LEAF
            },
            Spec {
                name: "store",
                usage: "show store [--json]",
                gloss: "show a summary of revisions, keys and sizes",
                example: "show store",
                ..LEAF
            },
            Spec {
                name: "storage",
                usage: "show storage [--json]",
                gloss: "show the pages of the database file, and the open snapshots that prevent the reuse of free \
                pages",
                example: "show storage",
                ..LEAF
            },
            SHOW_WATCHERS,
            SHOW_CLIENTS,
            SHOW_COST,
            SHOW_PROCESSES,
            SHOW_CONTAINERS,
            SHOW_SETTINGS,
            SHOW_APISERVER,
            SHOW_CACHE,
            SHOW_REQUESTS,
            SHOW_QOS,
            SHOW_METRICS,
            SHOW_SLOW,
            SHOW_CLUSTER,
        ],
        ..LEAF
    },
    Spec {
        name: "etcd-dump-db",
        usage: "etcd-dump-db list-bucket FILE | etcd-dump-db iterate-bucket FILE BUCKET [--decode] [--limit N]",
        gloss: "print the buckets of a database file, or the rows of one bucket",
        example: "etcd-dump-db iterate-bucket db key --decode",
        children: &[
            Spec {
                name: "list-bucket",
                usage: "etcd-dump-db list-bucket FILE",
                gloss: "print the names of all buckets",
                example: "etcd-dump-db list-bucket db",
                ..LEAF
            },
            Spec {
                name: "iterate-bucket",
                usage: "etcd-dump-db iterate-bucket FILE BUCKET [--decode] [--limit N]",
                gloss: "print the rows of a bucket, newest first; FILE is a saved snapshot or the member's database",
                example: "etcd-dump-db iterate-bucket db key --decode",
                ..LEAF
            },
        ],
        ..LEAF
    },
    Spec {
        name: "run",
        usage: "run DURATION",
        gloss: "let simulated time pass",
        example: "run 5s",
        ..LEAF
    },
    Spec {
        name: "step",
        usage: "step [N]",
        gloss: "run one simulation step, or N steps",
        example: "step 10",
        ..LEAF
    },
    Spec {
        name: "fork",
        usage: "fork",
        gloss: "start a new branch at the current step",
        example: "fork",
        ..LEAF
    },
    Spec {
        name: "world",
        usage: "world [profile=3.4|3.5|3.6|3.7] [bug=ISSUE|fix=ISSUE] [seed=N] [members=N]",
        gloss: "start a new run with an empty store",
        example: "world profile=3.4 seed=1",
        ..LEAF
    },
    Spec {
        name: "help",
        usage: "help [COMMAND]",
        gloss: "list the commands, or explain one command",
        example: "help put",
        ..LEAF
    },
];

pub(super) fn own_verbs() -> impl Iterator<Item = &'static Spec> {
    SIMULATOR.iter().chain(WORLD).chain(KUBE)
}

/// Returns the simulated commands of etcdctl and all of the simulator's own commands.
pub(super) fn all_verbs() -> impl Iterator<Item = &'static Spec> {
    etcdctl_verbs().chain(own_verbs())
}

pub(super) fn etcdctl_verbs() -> impl Iterator<Item = &'static Spec> {
    let all = ETCDCTL.children.iter();
    all.filter(|spec| spec.versions.is_current() && spec.is_simulated())
}

/// Returns the names of etcdctl's commands, in the order in which etcdctl suggests them.
pub(super) fn etcdctl_names(profile: Profile) -> Vec<&'static str> {
    ETCDCTL.children(profile).map(|spec| spec.name).collect()
}

/// Creates an error at the word `arg` or, without `arg`, at the start of the line. The hint is the usage of the command
/// and an example.
pub(super) fn wrong(spec: &Spec, arg: Option<&Arg>, expected: &str) -> ParseError {
    let (start, end) = arg.map_or((0, 0), |a| a.span);
    ParseError::new(
        start,
        end,
        expected,
        format!("write `{}`, for example `{}`", spec.usage, spec.example),
    )
}
