//! The notes about a typed line, for example about a part of the line that has no effect.

use super::grammar::whole_list;

pub const NOTHING_REMOVED: &str = "No earlier line has set this name.";
pub const SERIALIZABLE: &str =
    "With one member, serializable and linearizable reads return the same response.";
pub const SHELL: &str =
    "Watchglass has only this terminal. Type the commands for every machine here.";
pub const STAR: &str = "`*` is an ordinary character in etcd; use --prefix.";

/// Returns the note that a pipe or redirection was ignored.
pub fn output_target(target: &str) -> String {
    format!("Watchglass ignored `{target}` and printed the whole output.")
}

/// Returns the note that flags for connections were ignored. The flags have dashes and backticks.
pub fn connection(flags: &[String]) -> String {
    let verb = if flags.len() == 1 { "is" } else { "are" };
    format!(
        "{} {verb} not needed here: there is one member.",
        whole_list(flags)
    )
}

/// Returns the note that later commands use these variables or aliases.
pub fn used(names: &[String]) -> String {
    format!("Later commands use {}.", whole_list(names))
}

/// Returns the note that later commands do not use these variables or aliases.
pub fn not_used(names: &[String]) -> String {
    if names.is_empty() {
        return NOTHING_REMOVED.to_owned();
    }
    format!("Later commands do not use {}.", whole_list(names))
}

/// Returns the note that these variables have no effect.
pub fn unused(variables: &[String]) -> String {
    format!("Watchglass ignores {}.", whole_list(variables))
}

/// Returns the note that a compare needs double quotes.
pub fn compare_quotes(compare: &str) -> String {
    format!("The key and the value need double quotes: `{compare}`.")
}

/// Returns the note that the second argument of a read is the end of a range.
pub fn range_end(key: &str, end: &str) -> String {
    format!(
        "The second argument is the end of a range: the command reads the keys from {key} up to, but not including, \
         {end}."
    )
}

/// Returns the note that etcdctl ignores arguments of `put`.
pub fn ignored_arguments(arguments: &str) -> String {
    format!("etcdctl ignores `{arguments}`; quote a value with spaces.")
}

/// Returns the note that no command has this name.
pub fn unknown(word: &str) -> String {
    format!(
        "`{word}` is not a command here, so Watchglass ran `etcdctl {word}`, which printed this error. Type `help` \
         for a list of commands."
    )
}
