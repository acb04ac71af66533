//! Notes that the simulator adds to a command's output, for example about an ignored part of the line.

/// An ignored part of a command, or the effect of a command that prints nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The ignored pipe or redirection, for example `| jq .`.
    OutputTarget(String),
    /// The names of ignored flags about connections to members, without dashes.
    Connection(Vec<String>),
    /// The names of the changed variables; empty after `unset`.
    Variables(Vec<String>),
    /// The line opens a shell on another machine or in a container.
    Shell,
    /// A serializable read. With one member, it returns the same as a linearizable read.
    Serializable,
    /// The word in place of a command, when no command has this name. etcdctl prints the error.
    Unknown(String),
}

impl Note {
    /// Returns the note as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::OutputTarget(text) => {
                format!("Watchglass left out `{text}`; this is the whole output.")
            }
            Self::Connection(flags) => {
                let flags: Vec<String> = flags.iter().map(|flag| format!("`--{flag}`")).collect();
                let verb = if flags.len() == 1 { "is" } else { "are" };
                format!(
                    "{} {verb} not needed here: there is one member.",
                    listed(&flags)
                )
            }
            Self::Variables(names) => match names.as_slice() {
                [] => "No variable has a new value.".to_owned(),
                names => format!("Later commands use {}.", listed(names)),
            },
            Self::Unknown(word) => {
                format!(
                    "`{word}` is not a command here, so etcdctl prints the error. Type `help` for a list of commands."
                )
            }
            Self::Serializable => {
                "With one member, a serializable read returns what a linearizable read returns."
                    .to_owned()
            }
            Self::Shell => "Type the commands here: one terminal serves all machines.".to_owned(),
        }
    }

    /// Returns true if the shown output differs from the output of the complete line.
    pub fn changes_output(&self) -> bool {
        matches!(self, Self::OutputTarget(_))
    }
}

/// Joins words to a list: `a, b and c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
