//! What the shell adds to a command that runs otherwise than it is written. No part of what etcdctl prints.

/// What is left out of a command, or what a command that prints nothing did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A pipe or a redirection: `| jq .`.
    OutputTarget(String),
    /// Flags that say how to reach a member.
    Connection(Vec<String>),
    /// Variables are set, by name.
    Variables(Vec<String>),
    /// A shell on another machine or in a container.
    Shell,
    /// A serializable read, which one member serves as any other.
    Serializable,
    /// A word that is no command, which etcdctl answers.
    Unknown(String),
}

impl Note {
    /// The note as one sentence.
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
                [] => "No variable changed.".to_owned(),
                names => format!("Later commands use {}.", listed(names)),
            },
            Self::Unknown(word) => {
                format!(
                    "`{word}` is not a command here, so etcdctl answers. Type help for the list."
                )
            }
            Self::Serializable => {
                "With one member, a serializable read returns what a linearizable read returns."
                    .to_owned()
            }
            Self::Shell => {
                "Type the commands here: there is one terminal for all machines.".to_owned()
            }
        }
    }

    /// Whether the command's output is not what the whole line prints.
    pub fn changes_output(&self) -> bool {
        matches!(self, Self::OutputTarget(_))
    }
}

/// `a, b and c`
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
