//! Notes that the simulator adds to the output of a command, for example about a part of the line that has no effect.

/// A note that the simulator adds to the output of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A pipe or redirection was ignored, for example `| jq .`.
    OutputTarget(String),
    /// These flags for connections were ignored. The names have no dashes.
    Connection(Vec<String>),
    /// These variables were set. Empty if variables were removed with `unset`.
    Variables(Vec<String>),
    /// The line would open a shell on another machine or in a container.
    Shell,
    /// The read is serializable. With only one member, the result is the same as for a linearizable read.
    Serializable,
    /// A compare of a transaction lacks double quotes. The text is the compare with the quotes.
    CompareQuotes(String),
    /// No command has this name. etcdctl prints the error.
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
            Self::CompareQuotes(compare) => {
                format!("The key and the value need double quotes: `{compare}`.")
            }
            Self::Unknown(word) => {
                format!(
                    "`{word}` is not a command here, so etcdctl prints the error. Type `help` for a list of commands."
                )
            }
            Self::Serializable => {
                "With one member, serializable and linearizable reads return the same response."
                    .to_owned()
            }
            Self::Shell => "Type the commands here: one terminal serves all machines.".to_owned(),
        }
    }

    /// Returns true if the note is wrong in a world with several members.
    pub fn needs_one_member(&self) -> bool {
        matches!(self, Self::Serializable | Self::Connection(_))
    }

    /// Returns true if the shown output differs from the output that a real shell would show for the whole line.
    pub fn changes_output(&self) -> bool {
        matches!(self, Self::OutputTarget(_))
    }
}

/// Joins words to a list in a sentence: `a, b and c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
