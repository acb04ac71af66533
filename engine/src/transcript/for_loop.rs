//! Splits a line into commands, and expands `for` loops, variables and substitutions.
//!
//! Supports the POSIX shell's `for NAME in WORDS; do LIST; done` on one line, with nested loops, and bash's brace
//! ranges and lists in WORDS (`{1..4}`, `{01..10..3}`, `{a,b}`). Outside WORDS, `{` is an ordinary character, as in
//! `put /key{$i}`, and `if COMMAND; then COMMAND; fi`, which is `COMMAND && COMMAND`. Not supported: `while`, `else`,
//! and several commands in an `if`.
//!
//! The expansion itself knows the output of `seq`, `echo` and `printf`. If a line needs the output of another command,
//! the expansion ends before the command that needs it, see [`Expanded::wanted`]; the caller runs the command and
//! expands the line again with its output.

use std::borrow::Cow;

use super::alias::replace_aliases;
use super::invocation::is_before_container;
use super::lexer::{RunIf, Substitution, Token, Word, WordPiece, lex};
use super::{ParseError, arithmetic, text_tools};

/// The shell variable with the exit code of the last command. Only `echo` expands this variable.
pub const EXIT_CODE: &str = "$?";

/// The maximum number of commands to which a line can expand.
pub(crate) const COMMANDS_MAX: usize = 100_000;

/// The maximum size of the expanded line, in bytes. The words of all commands and the values of all loops count.
const EXPANDED_BYTES_MAX: usize = 64 << 20;

/// The number of bytes that a word adds to the size of the expanded line, besides the bytes of its text. This limits
/// the number of empty words. Unlike the size of an [`Arg`], this constant is the same on all platforms.
const WORD_BYTES: usize = 64;

/// The number of bytes that a variable adds to the size of the expanded line, besides the bytes of its value. This
/// limits the number of empty variables, whose lookup takes time, too.
const VARIABLE_BYTES: usize = 8;

/// The maximum number of rounds of all loops in a line. A loop without values counts as one round. A round takes time
/// even if it produces no command, so rounds are limited separately.
const ROUNDS_MAX: usize = 250_000;

/// The maximum depth of nested loops. The parser is recursive, so the depth must be limited.
const NESTED_LOOPS_MAX: usize = 32;

/// The reason why the shell does not run a construct of shell scripts.
const NO_SCRIPTS: &str = "Watchglass does not run shell scripts. Write a loop as `for i in {1..4}; do put /key$i \
    value$i; done`";

type Span = (usize, usize);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arg {
    /// The bytes of the word, with variables expanded.
    pub(crate) bytes: Vec<u8>,
    /// The byte range in the typed line.
    pub(crate) span: (usize, usize),
    /// Whether a part of the word was quoted.
    pub(crate) quoted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) args: Vec<Arg>,
    /// The pipe and the redirections after the command, as typed; empty if the command has none.
    pub(crate) output_target: String,
    /// The condition under which the command runs. `&&` or `||` before the command sets this condition.
    pub(crate) run_if: RunIf,
}

pub(crate) type Variable = (String, Vec<u8>);

/// The variables and aliases that earlier lines have set.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShellNames {
    /// The variables set with `NAME=value`, in the order of first use.
    pub(crate) variables: Vec<Variable>,
    /// The variables that are not set because their command substitution was refused, as in `NAME=$(…)`.
    pub(crate) without_value: Vec<String>,
    /// The aliases set with `alias NAME=VALUE`.
    pub(crate) aliases: Vec<Variable>,
}

/// Returns the commands of a line, with aliases replaced and loops expanded.
pub(crate) fn expand(line: &[u8], names: &ShellNames) -> Result<Vec<Statement>, ParseError> {
    expand_first(line, names, usize::MAX)
}

/// Returns the first `most` commands of a line, with loops expanded. The rest of the line is not expanded or checked.
pub(crate) fn expand_first(
    line: &[u8],
    names: &ShellNames,
    most: usize,
) -> Result<Vec<Statement>, ParseError> {
    let expanded = expand_with(line, names, &[], most)?;
    match expanded.wanted {
        Some(wanted) => Err(wanted.refusal()),
        None => Ok(expanded.statements),
    }
}

/// The commands of a line, up to the command that needs an output which is not known yet.
#[derive(Debug)]
pub(crate) struct Expanded {
    pub(crate) statements: Vec<Statement>,
    /// The command whose output the rest of the line needs.
    pub(crate) wanted: Option<Wanted>,
}

/// A command inside a substitution, whose output is not known yet.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The command. It runs under the condition of the command that contains the substitution.
    pub(crate) statement: Statement,
    /// The substitution as typed.
    text: String,
    span: Span,
    /// The variable that the substitution sets, as in `NAME=$(…)`.
    assigned: Option<String>,
}

impl Wanted {
    pub(crate) fn is_in_backquotes(&self) -> bool {
        self.text.starts_with('`')
    }

    /// Returns the error for a command that cannot run here.
    pub(crate) fn refusal(&self) -> ParseError {
        let span = self.span;
        ParseError {
            without_value: self.assigned.clone(),
            ..ParseError::new(
                span.0,
                span.1,
                "plain text, or a command of etcdctl or kubectl in $( )",
                format!(
                    "Watchglass does not run `{}`; write the result instead, or put single quotes around it to use it \
                     as text",
                    self.text
                ),
            )
        }
    }
}

/// Returns the first `most` commands of a line. `outputs` are the outputs of the substituted commands that are known,
/// in the order in which the line needs them.
pub(crate) fn expand_with(
    line: &[u8],
    names: &ShellNames,
    outputs: &[Vec<u8>],
    most: usize,
) -> Result<Expanded, ParseError> {
    let tokens = replace_aliases(lex(line)?, names)?;
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        end: line.len(),
        loops: 0,
    };
    let nodes = parser.list(None)?;
    let mut expansion = Expansion {
        most,
        commands: Vec::new(),
        bytes: 0,
        rounds: 0,
        innermost: None,
        without_value: &names.without_value,
        outputs,
        wanted: None,
    };
    if most == usize::MAX {
        nodes
            .iter()
            .try_for_each(|node| expansion.check_size(node))?;
    }
    let variables = names.variables.iter();
    let mut variables = variables
        .map(|(name, value)| (Cow::from(name.as_str()), value.clone()))
        .collect();
    run(&nodes, &mut variables, &mut expansion)?;
    Ok(Expanded {
        statements: expansion.commands,
        wanted: expansion.wanted,
    })
}

/// Returns the number of commands and the number of loop rounds to which a node expands.
fn size(node: &Node<'_>) -> (u64, u64) {
    let Node::For { items, body, .. } = node else {
        return (1, 0);
    };
    let values = items.iter().map(|item| match item.keyword() {
        Some(word) => Braces::of(word).len(),
        None => 1,
    });
    let values = values.fold(0, u64::saturating_add);
    let inside = body.iter().map(size);
    let inside = inside.fold((0, 1), |(commands, rounds): (u64, u64), one| {
        let rounds = rounds.saturating_add(one.1);
        (commands.saturating_add(one.0), rounds)
    });
    let rounds = values.saturating_mul(inside.1).max(1);
    (values.saturating_mul(inside.0), rounds)
}

/// The expansion of a line into commands. Limits are checked before memory is allocated.
struct Expansion<'a> {
    most: usize,
    commands: Vec<Statement>,
    bytes: usize,
    rounds: usize,
    /// The byte range, in the line, of the innermost loop that is being expanded.
    innermost: Option<Span>,
    /// The variables that are not set because their command substitution was refused.
    without_value: &'a [String],
    /// The outputs that are known and not used yet.
    outputs: &'a [Vec<u8>],
    /// The command whose output is needed next.
    wanted: Option<Wanted>,
}

impl Expansion<'_> {
    fn not_set(&self, name: &str, span: Span) -> ParseError {
        let hint = match self.without_value.iter().any(|refused| refused == name) {
            true => format!(
                "the variable `{name}` is not set because Watchglass skipped its command substitution; set the \
                 variable with `{name}=VALUE`"
            ),
            false => format!(
                "the variable `{name}` is not set; for the character $, write \\$ or use single quotes"
            ),
        };
        ParseError::new(span.0, span.1, "the name of a variable that is set", hint)
    }

    fn is_full(&self) -> bool {
        self.commands.len() >= self.most || self.wanted.is_some()
    }

    fn take_bytes(&mut self, bytes: usize, span: Span) -> Result<(), ParseError> {
        if bytes > EXPANDED_BYTES_MAX - self.bytes {
            return Err(self.too_many(span));
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Returns an error for a loop that exceeds the limits by far, before the first command of the loop is expanded.
    fn check_size(&mut self, node: &Node<'_>) -> Result<(), ParseError> {
        let Node::For { span, .. } = node else {
            return Ok(());
        };
        let (commands, rounds) = size(node);
        if commands > COMMANDS_MAX as u64 {
            self.innermost = Some(*span);
            return Err(self.too_many(*span));
        }
        match rounds > ROUNDS_MAX as u64 {
            true => Err(too_many_rounds(*span)),
            false => Ok(()),
        }
    }

    fn take_round(&mut self, span: Span) -> Result<(), ParseError> {
        if self.rounds == ROUNDS_MAX {
            return Err(too_many_rounds(span));
        }
        self.rounds += 1;
        Ok(())
    }

    fn check_command(&self, span: Span) -> Result<(), ParseError> {
        if self.commands.len() == COMMANDS_MAX {
            return Err(self.too_many(span));
        }
        Ok(())
    }

    fn too_many(&self, span: Span) -> ParseError {
        let (span, what, hint) = match self.innermost {
            Some(span) => (span, "loop", "use a smaller range or fewer values"),
            None => (span, "line", "split the line into several lines"),
        };
        let mib = EXPANDED_BYTES_MAX >> 20;
        ParseError::new(
            span.0,
            span.1,
            format!("a {what} of at most {COMMANDS_MAX} commands and {mib} MiB"),
            hint,
        )
    }
}

fn too_many_rounds(span: Span) -> ParseError {
    ParseError::new(
        span.0,
        span.1,
        format!("at most {ROUNDS_MAX} iterations of all loops together"),
        "use smaller ranges or fewer values in these loops",
    )
}

enum Node<'a> {
    Command {
        words: Vec<&'a Word>,
        output_target: String,
        run_if: RunIf,
    },
    For {
        name: String,
        items: Vec<&'a Word>,
        body: Vec<Node<'a>>,
        span: Span,
    },
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    end: usize,
    /// The number of loops that contain the current position.
    loops: usize,
}

impl<'a> Parser<'a> {
    fn keyword(&self) -> Option<&'a [u8]> {
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) => word.keyword(),
            _ => None,
        }
    }

    fn word(&mut self) -> Option<&'a Word> {
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) => {
                self.at += 1;
                Some(word)
            }
            _ => None,
        }
    }

    fn here(&self) -> (usize, usize) {
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) => word.span,
            Some(Token::Separator(at, _)) => (*at, at + 1),
            Some(Token::OutputTarget { span, .. }) => *span,
            None => (self.end, self.end),
        }
    }

    fn expected(&self, what: &str, open: (usize, usize)) -> ParseError {
        let (start, end) = if self.at < self.tokens.len() {
            self.here()
        } else {
            open
        };
        ParseError::new(
            start,
            end,
            what,
            "write a loop as `for i in {1..4}; do put /key$i value$i; done`",
        )
    }

    /// Reads commands up to the end of the line or, inside a loop, up to `done`.
    fn list(&mut self, open: Option<(usize, usize)>) -> Result<Vec<Node<'a>>, ParseError> {
        let mut nodes = Vec::new();
        let mut run_if = RunIf::Always;
        loop {
            match (self.keyword(), open) {
                (Some(b"for"), _) if run_if != RunIf::Always => {
                    return Err(ParseError::new(
                        self.here().0,
                        self.here().1,
                        "a command, not a loop, after `&&` or `||`",
                        "type the loop on a separate line",
                    ));
                }
                (Some(b"done"), Some(span)) if nodes.is_empty() => {
                    return Err(self.expected("a command between `do` and `done`", span));
                }
                (Some(b"done"), Some(_)) => {
                    self.at += 1;
                    return Ok(nodes);
                }
                (Some(b"done" | b"do"), None) => {
                    return Err(
                        self.expected("a command, or a `for` before this word", self.here())
                    );
                }
                (Some(b"for"), _) => nodes.push(self.for_loop()?),
                (Some(b"if"), _) if run_if == RunIf::Always => nodes.extend(self.condition()?),
                (Some(b"if" | b"while" | b"until" | b"case"), _) => {
                    return Err(ParseError::help(self.here(), NO_SCRIPTS));
                }
                _ => {
                    let (words, output_target) = self.command();
                    match (words.is_empty(), self.tokens.get(self.at)) {
                        (true, Some(_)) => {
                            return Err(ParseError::new(
                                self.here().0,
                                self.here().1,
                                "a command before this `;`",
                                "remove the `;`",
                            ));
                        }
                        (true, None) if run_if != RunIf::Always => {
                            return Err(ParseError::new(
                                self.end,
                                self.end,
                                "a command after `&&` or `||`",
                                "type a command, or remove the operator",
                            ));
                        }
                        (true, None) => {}
                        (false, _) => nodes.push(Node::Command {
                            words,
                            output_target,
                            run_if,
                        }),
                    }
                }
            }
            match (self.tokens.get(self.at), open) {
                (Some(Token::Separator(_, RunIf::Always)), _) => {
                    run_if = RunIf::Always;
                    self.at += 1;
                }
                (Some(Token::Separator(_, next)), _)
                    if matches!(nodes.last(), Some(Node::Command { .. })) =>
                {
                    run_if = *next;
                    self.at += 1;
                }
                (None, Some(span)) => {
                    return Err(
                        self.expected("`done` at the end of the loop that starts here", span)
                    );
                }
                (None, None) => return Ok(nodes),
                (Some(_), _) => {
                    return Err(ParseError::new(
                        self.here().0,
                        self.here().1,
                        "`;` or the end of the line after `done`",
                        "put a `;` before this word",
                    ));
                }
            }
        }
    }

    /// Reads one command. Returns its words and its output redirection.
    fn command(&mut self) -> (Vec<&'a Word>, String) {
        let (mut words, mut targets) = (Vec::new(), Vec::new());
        loop {
            match self.tokens.get(self.at) {
                Some(Token::Word(word)) => words.push(word),
                Some(Token::OutputTarget { text, .. }) if !words.is_empty() => {
                    targets.push(text.as_str());
                }
                _ => return (words, targets.join(" ")),
            }
            self.at += 1;
        }
    }

    /// Reads `if COMMAND; then COMMAND; fi`.
    fn condition(&mut self) -> Result<[Node<'a>; 2], ParseError> {
        let refused = ParseError::help(self.here(), NO_SCRIPTS);
        let tested = self.part(b"if", RunIf::Always);
        let command = self.part(b"then", RunIf::Success);
        let is_end = self.keyword() == Some(b"fi");
        self.at += 1;
        match (tested, command) {
            (Some(tested), Some(command)) if is_end => Ok([tested, command]),
            _ => Err(refused),
        }
    }

    /// Reads a keyword, a command, and the `;` after it.
    fn part(&mut self, keyword: &[u8], run_if: RunIf) -> Option<Node<'a>> {
        (self.keyword()? == keyword).then(|| self.at += 1)?;
        let (words, output_target) = self.command();
        // `test` and the negation are not supported.
        let first = words.first().and_then(|word| word.keyword());
        if matches!(first, Some(b"[" | b"[[" | b"test" | b"!")) {
            return None;
        }
        let end = self.tokens.get(self.at)?;
        self.at += 1;
        let is_whole = matches!(end, Token::Separator(_, RunIf::Always)) && !words.is_empty();
        is_whole.then_some(Node::Command {
            words,
            output_target,
            run_if,
        })
    }

    fn for_loop(&mut self) -> Result<Node<'a>, ParseError> {
        let open = self.here();
        if self.loops == NESTED_LOOPS_MAX {
            return Err(ParseError::new(
                open.0,
                open.1,
                format!("at most {NESTED_LOOPS_MAX} nested loops"),
                "use fewer nested loops",
            ));
        }
        self.at += 1;
        let name = match self.word().and_then(Word::keyword) {
            Some(name) if is_name(name) => String::from_utf8_lossy(name).into_owned(),
            _ => {
                self.at = self.at.saturating_sub(1);
                return Err(self.expected("the name of a variable after `for`", open));
            }
        };
        if self.keyword() != Some(b"in") {
            return Err(self.expected("`in` after the variable of the loop", open));
        }
        self.at += 1;
        let mut items = Vec::new();
        while let Some(word) = self.word() {
            items.push(word);
        }
        let separator = self.tokens.get(self.at);
        if !matches!(separator, Some(Token::Separator(_, RunIf::Always))) {
            return Err(self.expected("`; do` after the values of the loop", open));
        }
        self.at += 1;
        if self.keyword() != Some(b"do") {
            return Err(self.expected("`do` before the commands of the loop", open));
        }
        self.at += 1;
        self.loops += 1;
        let body = self.list(Some(open))?;
        self.loops -= 1;
        Ok(Node::For {
            name,
            items,
            body,
            span: open,
        })
    }
}

pub(crate) fn is_assignment(word: &[u8]) -> bool {
    let name = word.split(|b| *b == b'=').next().unwrap_or_default();
    name.len() < word.len() && is_name(name)
}

fn is_name(name: &[u8]) -> bool {
    name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
        && name.first().is_some_and(|b| !b.is_ascii_digit())
}

/// The variables of the shell and of all loops around a command. The last entry is the variable of the innermost loop.
type Variables<'a> = Vec<(Cow<'a, str>, Vec<u8>)>;

fn run<'a>(
    nodes: &'a [Node<'_>],
    variables: &mut Variables<'a>,
    out: &mut Expansion<'_>,
) -> Result<(), ParseError> {
    for node in nodes {
        if out.is_full() {
            return Ok(());
        }
        match node {
            Node::Command {
                words,
                output_target,
                run_if,
            } => {
                out.check_command(words.first().map_or((0, 0), |word| word.span))?;
                let mut args: Vec<Arg> = Vec::with_capacity(words.len());
                for word in words {
                    let unset = match is_ignored(word, &args) {
                        true => Unset::Kept,
                        false => Unset::Refused,
                    };
                    match parts_of_output(word, variables, unset, out)? {
                        Some(parts) => args.extend(parts),
                        None => args.push(fill(word, variables, unset, out)?),
                    }
                    if let Some(wanted) = &mut out.wanted {
                        wanted.statement.run_if = *run_if;
                        wanted.assigned = assigned(word, &args);
                        return Ok(());
                    }
                }
                if args.is_empty() {
                    continue;
                }
                assign(&args, variables).ok_or_else(|| out.too_many(words[0].span))?;
                out.take_bytes(output_target.len(), (0, 0))?;
                out.commands.push(Statement {
                    args,
                    output_target: output_target.clone(),
                    run_if: *run_if,
                });
            }
            Node::For {
                name,
                items,
                body,
                span,
            } => {
                let around = out.innermost.replace(*span);
                if items.is_empty() {
                    out.take_round(*span)?;
                }
                for item in items {
                    let parts = match parts_of_variable(item, variables, out)? {
                        Some(parts) => Some(parts),
                        None => parts_of_output(item, variables, Unset::Refused, out)?,
                    };
                    if let Some(parts) = parts {
                        if out.wanted.is_some() {
                            return Ok(());
                        }
                        for part in parts {
                            if out.is_full() {
                                return Ok(());
                            }
                            out.take_round(*span)?;
                            variables.push((name.as_str().into(), part.bytes));
                            let result = run(body, variables, out);
                            variables.pop();
                            result?;
                        }
                        continue;
                    }
                    let braces = item.keyword().map(Braces::of);
                    for i in 0..braces.as_ref().map_or(1, Braces::len) {
                        if out.is_full() {
                            return Ok(());
                        }
                        out.take_round(*span)?;
                        let value = match &braces {
                            Some(braces) => {
                                let value = braces.word(i);
                                out.take_bytes(value.len(), *span)?;
                                value
                            }
                            None => fill(item, variables, Unset::Refused, out)?.bytes,
                        };
                        if out.wanted.is_some() {
                            return Ok(());
                        }
                        variables.push((name.as_str().into(), value));
                        let result = run(body, variables, out);
                        variables.pop();
                        result?;
                    }
                }
                out.innermost = around;
            }
        }
    }
    Ok(())
}

/// The maximum number of variables that a line can know.
const VARIABLES_MAX: usize = 1_000;

/// Sets the variables of a command that consists of assignments, so that the next commands of the line can use them.
/// Returns `None` if there are too many variables.
fn assign(args: &[Arg], variables: &mut Variables<'_>) -> Option<()> {
    let words = match args {
        [export, words @ ..] if export.bytes == b"export" && !export.quoted => words,
        words => words,
    };
    let is_set = |arg: &Arg| !arg.quoted && is_assignment(&arg.bytes);
    if !words.iter().all(is_set) {
        return Some(());
    }
    for word in words {
        let at = word.bytes.iter().position(|b| *b == b'=').unwrap_or(0);
        let (name, value) = (
            String::from_utf8_lossy(&word.bytes[..at]),
            &word.bytes[at + 1..],
        );
        let is_full = variables.len() >= VARIABLES_MAX;
        match variables.iter_mut().rev().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value.to_vec(),
            None if is_full => return None,
            // The variables of loops stay at the end of the list.
            None => variables.insert(0, (name.into_owned().into(), value.to_vec())),
        }
    }
    Some(())
}

/// Returns the words to which an item of a loop expands that is a variable without quotes.
fn parts_of_variable(
    item: &Word,
    variables: &Variables<'_>,
    out: &mut Expansion<'_>,
) -> Result<Option<Vec<Arg>>, ParseError> {
    let is_variable = matches!(item.pieces.as_slice(), [WordPiece::Variable { .. }]);
    if !is_variable || item.quoted {
        return Ok(None);
    }
    let value = fill(item, variables, Unset::Refused, out)?.bytes;
    split(&value, item.span, out).map(Some)
}

/// Splits an output into words at its white space.
fn split(output: &[u8], span: Span, out: &mut Expansion<'_>) -> Result<Vec<Arg>, ParseError> {
    let parts = output.split(u8::is_ascii_whitespace);
    let parts: Vec<&[u8]> = parts.filter(|part| !part.is_empty()).collect();
    out.take_bytes(output.len() + parts.len().saturating_mul(WORD_BYTES), span)?;
    let arg = |part: &&[u8]| Arg {
        bytes: part.to_vec(),
        span,
        quoted: true,
    };
    Ok(parts.iter().map(arg).collect())
}

/// Returns the words to which a word expands that consists of a command substitution without quotes.
fn parts_of_output(
    word: &Word,
    variables: &Variables<'_>,
    unset: Unset,
    out: &mut Expansion<'_>,
) -> Result<Option<Vec<Arg>>, ParseError> {
    let [WordPiece::Output(substitution)] = word.pieces.as_slice() else {
        return Ok(None);
    };
    if substitution.is_quoted || unset == Unset::Kept {
        return Ok(None);
    }
    let output = output_of(substitution, variables, out)?;
    split(&output, word.span, out).map(Some)
}

/// Returns the output of a substituted command, without the newlines at its end. If the output is not known, sets
/// [`Expansion::wanted`] and returns nothing.
fn output_of(
    substitution: &Substitution,
    variables: &Variables<'_>,
    out: &mut Expansion<'_>,
) -> Result<Vec<u8>, ParseError> {
    let span = substitution.span;
    let mut args = Vec::with_capacity(substitution.command.len());
    for word in &substitution.command {
        let unset = match is_ignored(word, &args) {
            true => Unset::Kept,
            false => Unset::Refused,
        };
        args.push(fill(word, variables, unset, out)?);
    }
    let words = || args[1..].iter().map(|arg| arg.bytes.clone());
    let printed = match (
        args[0].bytes.as_slice(),
        substitution.output_target.as_str(),
    ) {
        (b"seq", "") => text_tools::seq(&words().collect::<Vec<_>>()).ok_or_else(|| {
            ParseError::new(
                span.0,
                span.1,
                "one to three whole numbers after seq",
                "write it as `$(seq 1 3)`",
            )
        })?,
        (b"printf", "") => text_tools::printf(&words().collect::<Vec<_>>()),
        (b"echo", "") => text_tools::echo(&words().collect::<Vec<_>>()),
        _ => {
            let Some((known, rest)) = out.outputs.split_first() else {
                out.wanted.get_or_insert_with(|| Wanted {
                    statement: Statement {
                        args,
                        output_target: substitution.output_target.clone(),
                        run_if: RunIf::Always,
                    },
                    text: substitution.text.clone(),
                    span,
                    assigned: None,
                });
                return Ok(Vec::new());
            };
            out.outputs = rest;
            known.clone()
        }
    };
    out.take_bytes(printed.len(), span)?;
    let end = printed.iter().rposition(|b| *b != b'\n');
    Ok(printed[..end.map_or(0, |end| end + 1)].to_vec())
}

/// Returns the variable that a word sets at the start of a command or after `export`.
fn assigned(word: &Word, args: &[Arg]) -> Option<String> {
    let [WordPiece::Text(text), WordPiece::Output(_), ..] = word.pieces.as_slice() else {
        return None;
    };
    let name = text.split(|byte| *byte == b'=').next()?;
    let may_precede = |arg: &Arg| arg.bytes == b"export" || is_assignment(&arg.bytes);
    // The last argument is the word itself.
    let before = args.split_last().map_or(&[][..], |(_, before)| before);
    (is_assignment(text) && before.iter().all(may_precede))
        .then(|| String::from_utf8_lossy(name).into_owned())
}

/// The treatment of a variable that is not set, and of a command substitution.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unset {
    Refused,
    /// The word keeps the text `$NAME` or `$(COMMAND)`. This applies to words that have no effect in the simulator,
    /// such as addresses in flags for connections.
    Kept,
}

/// etcdctl's flags about connections to members.
pub(crate) const CONNECTION_FLAGS: &[&str] = &[
    "endpoints",
    "cacert",
    "cert",
    "key",
    "user",
    "password",
    "insecure-skip-tls-verify",
    "insecure-transport",
    "dial-timeout",
    "command-timeout",
    "keepalive-time",
    "keepalive-timeout",
];

/// Returns true if a word has no effect in the simulator: it belongs to a flag for connections, or names the container
/// or pod of an `exec`. In a pasted command, such a word can contain an unset variable or a command of another program,
/// for example `$ENDPOINTS` or `$(crictl ps -q --name etcd)`.
fn is_ignored(word: &Word, before: &[Arg]) -> bool {
    let is_text = |piece: &WordPiece| matches!(piece, WordPiece::Text(_));
    if word.pieces.iter().all(is_text) {
        return false;
    }
    let literal = match word.pieces.first() {
        Some(WordPiece::Text(text)) => text.as_slice(),
        _ => &[],
    };
    let by_flag = |text: &[u8]| match text.strip_prefix(b"--") {
        Some(name) => CONNECTION_FLAGS.iter().any(|flag| flag.as_bytes() == name),
        None => false,
    };
    let is_of_a_flag = match literal.iter().position(|b| *b == b'=') {
        Some(at) => by_flag(&literal[..at]),
        None => before.last().is_some_and(|arg| by_flag(&arg.bytes)),
    };
    is_of_a_flag || is_before_container(before)
}

fn fill(
    word: &Word,
    variables: &Variables<'_>,
    unset: Unset,
    out: &mut Expansion<'_>,
) -> Result<Arg, ParseError> {
    let mut bytes = Vec::new();
    out.take_bytes(WORD_BYTES, word.span)?;
    for piece in &word.pieces {
        match piece {
            WordPiece::Text(text) => {
                out.take_bytes(text.len(), word.span)?;
                bytes.extend_from_slice(text);
            }
            WordPiece::Variable { name, span } => {
                let Some((_, value)) = variables.iter().rev().find(|(n, _)| n == name) else {
                    if unset == Unset::Kept {
                        out.take_bytes(1 + name.len(), word.span)?;
                        bytes.push(b'$');
                        bytes.extend_from_slice(name.as_bytes());
                        continue;
                    }
                    return Err(out.not_set(name, *span));
                };
                out.take_bytes(VARIABLE_BYTES + value.len(), word.span)?;
                bytes.extend_from_slice(value);
            }
            WordPiece::Output(substitution) => match unset {
                Unset::Kept => {
                    out.take_bytes(substitution.text.len(), word.span)?;
                    bytes.extend_from_slice(substitution.text.as_bytes());
                }
                Unset::Refused => bytes.extend(output_of(substitution, variables, out)?),
            },
            WordPiece::Number { expression, span } => {
                let value_of = |name: &str| {
                    let found = variables.iter().rev().find(|(known, _)| known == name);
                    std::str::from_utf8(&found?.1).ok()?.trim().parse().ok()
                };
                let value = arithmetic::value(expression, &value_of).ok_or_else(|| {
                    ParseError::new(
                        span.0,
                        span.1,
                        "whole numbers and variables that are set, with + - * / % and parentheses",
                        format!("`$(({expression}))` has no value"),
                    )
                })?;
                let value = value.to_string();
                out.take_bytes(value.len() + VARIABLE_BYTES, *span)?;
                bytes.extend_from_slice(value.as_bytes());
            }
        }
    }
    Ok(Arg {
        bytes,
        span: word.span,
        quoted: word.quoted,
    })
}

/// A word with one pair of braces, such as `key{1..4}`, and its expansions. Expansions are created one at a time,
/// because even a short range can have more expansions than fit into memory.
struct Braces<'a> {
    before: &'a [u8],
    inside: Inside<'a>,
    after: &'a [u8],
}

enum Inside<'a> {
    /// The word has no braces, or the braces contain no range and no list.
    Nothing,
    List(Vec<&'a str>),
    Range(Range),
}

impl<'a> Braces<'a> {
    fn of(word: &'a [u8]) -> Self {
        Self::find(word).unwrap_or(Self {
            before: word,
            inside: Inside::Nothing,
            after: &[],
        })
    }

    fn find(word: &'a [u8]) -> Option<Self> {
        let open = word.iter().position(|b| *b == b'{')?;
        let close = open + word[open..].iter().position(|b| *b == b'}')?;
        let inside = std::str::from_utf8(&word[open + 1..close]).ok()?;
        let inside = if inside.contains(',') {
            Inside::List(inside.split(',').collect())
        } else {
            Inside::Range(Range::parse(inside)?)
        };
        Some(Self {
            before: &word[..open],
            inside,
            after: &word[close + 1..],
        })
    }

    /// Returns the number of words to which the braces expand.
    fn len(&self) -> u64 {
        match &self.inside {
            Inside::Nothing => 1,
            Inside::List(parts) => parts.len() as u64,
            Inside::Range(range) => range.last_index.saturating_add(1),
        }
    }

    /// Returns one of the words to which the braces expand: the word with index `i`, counted from 0.
    fn word(&self, i: u64) -> Vec<u8> {
        match &self.inside {
            Inside::Nothing => self.before.to_vec(),
            Inside::List(parts) => self.around(parts[i as usize]),
            Inside::Range(range) => self.around(&range.part(i)),
        }
    }

    fn around(&self, part: &str) -> Vec<u8> {
        [self.before, part.as_bytes(), self.after].concat()
    }
}

/// A brace range: `1..4`, `4..1`, `01..10`, `0..20..5`, `a..e`.
struct Range {
    first: i64,
    down: bool,
    step: u64,
    last_index: u64,
    letters: bool,
    /// The minimum number of characters of each number, including the sign. Shorter numbers are padded with zeros.
    width: usize,
}

impl Range {
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.split("..").collect();
        let (from, to, step) = match fields.as_slice() {
            [from, to] => (*from, *to, "1"),
            [from, to, step] => (*from, *to, *step),
            _ => return None,
        };
        let step = step.parse::<i64>().ok()?.unsigned_abs().max(1);
        let letter = |text: &str| match text.as_bytes() {
            [b] if b.is_ascii_alphabetic() => Some(i64::from(*b)),
            _ => None,
        };
        let (first, last, letters) = match (from.parse::<i64>(), to.parse::<i64>()) {
            (Ok(first), Ok(last)) => (first, last, false),
            _ => (letter(from)?, letter(to)?, true),
        };
        let padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
        let width = if padded(from) || padded(to) {
            from.len().max(to.len())
        } else {
            0
        };
        Some(Self {
            first,
            down: first > last,
            step,
            last_index: first.abs_diff(last) / step,
            letters,
            width,
        })
    }

    fn part(&self, i: u64) -> String {
        assert!(
            i <= self.last_index,
            "the number of a word is at most the number of the last word"
        );
        let offset = i * self.step;
        let value = if self.down {
            self.first.wrapping_sub_unsigned(offset)
        } else {
            self.first.wrapping_add_unsigned(offset)
        };
        if self.letters {
            return char::from(value as u8).to_string();
        }
        let digits = value.unsigned_abs().to_string();
        let sign = if value < 0 { "-" } else { "" };
        let zeros = self.width.saturating_sub(sign.len() + digits.len());
        [sign, &"0".repeat(zeros), &digits].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(line: &str) -> Vec<String> {
        expand(line.as_bytes(), &ShellNames::default())
            .unwrap()
            .iter()
            .map(|statement| {
                let words: Vec<_> = statement
                    .args
                    .iter()
                    .map(|a| String::from_utf8_lossy(&a.bytes))
                    .collect();
                words.join(" ")
            })
            .collect()
    }

    fn error(line: &str) -> String {
        expand(line.as_bytes(), &ShellNames::default())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn the_loops_of_the_blog() {
        assert_eq!(
            expanded("for i in {1..4}; do etcdctl put /key{$i} value{$i}; done"),
            [
                "etcdctl put /key{1} value{1}",
                "etcdctl put /key{2} value{2}",
                "etcdctl put /key{3} value{3}",
                "etcdctl put /key{4} value{4}",
            ]
        );
        assert_eq!(
            expanded("for i in {1..10}; do e put /key-$i val-$i; done").len(),
            10
        );
    }

    #[test]
    fn loops_nest_and_lists_follow() {
        assert_eq!(
            expanded(
                "for a in x 'y z'; do for b in {2..1}; do put $a$b \"$a\"; get ${b}; done; done; del q"
            ),
            [
                "put x2 x",
                "get 2",
                "put x1 x",
                "get 1",
                "put y z2 y z",
                "get 2",
                "put y z1 y z",
                "get 1",
                "del q",
            ]
        );
        assert_eq!(
            expanded("for i in {08..10} {a,b} {c..d}; do get $i; done"),
            [
                "get 08", "get 09", "get 10", "get a", "get b", "get c", "get d",
            ]
        );
        assert_eq!(expanded("for i in; do get $i; done"), Vec::<String>::new());
        assert_eq!(expanded("a; b;"), ["a", "b"]);
        assert_eq!(expanded("put k {1..3}"), ["put k {1..3}"]);
    }

    #[test]
    fn mistakes_are_placed_and_explained() {
        assert!(
            error("for i in 1 2; do get $i")
                .contains("Column 1: expected `done` at the end of the loop that starts here")
        );
        assert!(error("for i in 1 2 do get $i; done").contains("expected `do`"));
        assert!(error("for 1 in 2; do get; done").contains("name of a variable"));
        assert!(error("for i in 1; do done").contains("a command between `do` and `done`"));
        assert!(error("get $x").contains("Column 5: expected the name of a variable that is set"));
        assert!(error("; get").contains("Remove the `;`"));
        assert!(error("done").contains("a `for` before this word"));
        assert!(error("for i in {1..100001}; do get $i; done").contains("at most 100000"));
        assert!(
            error("for i in {1..1000}; do for j in {1..1000}; do get $j; done; done")
                .contains("at most 100000")
        );
    }

    #[test]
    fn loops_nest_so_deep_and_no_deeper() {
        let nested = |depth: usize| {
            let (open, close) = ("for a in b; do ".repeat(depth), "; done".repeat(depth));
            format!("{open}get a{close}")
        };
        assert_eq!(expanded(&nested(NESTED_LOOPS_MAX)), ["get a"]);
        let beside = [nested(20), nested(20)].join("; ");
        assert_eq!(expanded(&beside), ["get a", "get a"]);
        for depth in [NESTED_LOOPS_MAX + 1, 5_000] {
            let error = expand(nested(depth).as_bytes(), &ShellNames::default()).unwrap_err();
            let at = NESTED_LOOPS_MAX * "for a in b; do ".len();
            assert_eq!(error.span, (at as u32, at as u32 + 3));
            assert!(
                error.to_string().contains("at most 32 nested loops"),
                "{error}"
            );
        }
    }

    #[test]
    fn rounds_count_even_if_no_command_comes_of_them() {
        let inner = "for i in {1..100000}; do for j in {1..100000}; do";
        for line in [
            format!("{inner} for k in; do get k; done; done; done"),
            format!(
                "{inner} for k in {{1..100000}}; do for l in; do get l; done; done; done; done"
            ),
            format!(
                "for i in {{1..100}}; do {}done",
                "for k in; do a; done; ".repeat(10_001)
            ),
        ] {
            assert!(
                error(&line).contains("at most 250000 iterations"),
                "{}",
                &line[..60]
            );
        }
        let few =
            "for i in {1..1000}; do for j in {1..900}; do for k in; do get k; done; done; done";
        assert!(error(few).contains("iterations"));
        assert!(expanded("for i in {1..120000}; do for k in; do get k; done; done").is_empty());
        let ends = "{-9223372036854775808..9223372036854775807..9223372036854775807}";
        assert_eq!(
            expanded(&format!("for i in {ends}; do get $i; done")),
            [
                "get -9223372036854775808",
                "get -1",
                "get 9223372036854775806",
            ]
        );
    }

    #[test]
    fn commands_are_counted_before_they_are_made() {
        assert_eq!(
            expanded(&"version;".repeat(COMMANDS_MAX)).len(),
            COMMANDS_MAX
        );
        assert_eq!(
            error(&"version;".repeat(150_000)),
            "Split the line into several lines. Column 800001: expected a line of at most 100000 commands and \
             64 MiB."
        );
        let long = "x".repeat(64 << 10);
        for line in [
            // Each of these lines would need much more memory than allowed: in one word, in one command, or in one
            // list.
            format!("for a in {long}; do put k {}; done", "$a".repeat(100_000)),
            format!("for a in {long}; do put k {}; done", "$a ".repeat(100_000)),
            format!("for a in {{{}}}{long}; do get k; done", ",".repeat(90_000)),
            format!(
                "for a in {{{}..90000}}; do get k; done",
                "0".repeat(64 << 10)
            ),
            format!(
                "for i in {{1..90000}}; do get {}; done",
                "'' ".repeat(5_000)
            ),
            format!(
                "for e in ''; do for i in {{1..90000}}; do get {}; done; done",
                "$e".repeat(5_000)
            ),
        ] {
            assert!(
                error(&line).contains("a loop of at most 100000"),
                "{}",
                &line[..60]
            );
        }
    }

    #[test]
    fn of_a_huge_loop_the_first_commands_are_made_at_once() {
        let line = "for i in {1..1000000000000}; do put a$i; done; put b";
        let first = expand_first(line.as_bytes(), &ShellNames::default(), 2).unwrap();
        assert_eq!(first.len(), 2);
        assert_eq!(first[1].args[1].bytes, b"a2");
        assert_eq!(
            expand_first(b"put b", &ShellNames::default(), 2)
                .unwrap()
                .len(),
            1
        );
    }
}
