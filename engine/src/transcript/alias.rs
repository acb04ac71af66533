//! Replaces the aliases of a line, as bash does: the first word of a command, if no part of the word is quoted, becomes
//! the text of the alias.
//!
//! An alias applies to later lines only, because the shell reads a whole line before it runs the line's first command.

use super::ParseError;
use super::for_loop::{ShellNames, Variable, is_assignment};
use super::lexer::{Token, Word, lex};

/// The maximum number of words that the aliases of a line add. Alias texts can be long, and a line can have many
/// commands.
const ALIAS_TOKENS_MAX: usize = 50_000;

pub(crate) fn replace_aliases(
    tokens: Vec<Token>,
    names: &ShellNames,
) -> Result<Vec<Token>, ParseError> {
    if names.aliases.is_empty() {
        return Ok(tokens);
    }
    let mut replaced = Vec::with_capacity(tokens.len());
    let (mut is_first, mut added) = (true, 0);
    for token in tokens {
        let Token::Word(word) = token else {
            is_first |= matches!(token, Token::Separator(..));
            replaced.push(token);
            continue;
        };
        let tokens = match is_first {
            true => replace_word(&word, &names.aliases, &mut Vec::new())?,
            false => None,
        };
        if let Some(tokens) = tokens {
            added += tokens.len();
            if added > ALIAS_TOKENS_MAX {
                return Err(ParseError::new(
                    word.span.0,
                    word.span.1,
                    format!("at most {ALIAS_TOKENS_MAX} words from the aliases of a line"),
                    "split the line into several lines",
                ));
            }
            replaced.extend(tokens);
            is_first = false;
            continue;
        }
        // A command also begins after `do` and after the variables that are set for one command.
        is_first &= word
            .keyword()
            .is_some_and(|text| text == b"do" || is_assignment(text));
        replaced.push(Token::Word(word));
    }
    Ok(replaced)
}

/// Returns the tokens of the alias that this word names. `used` contains the aliases that are being replaced: an alias
/// can contain its own name, as in `alias etcdctl='etcdctl -w table'`.
fn replace_word<'a>(
    word: &Word,
    aliases: &'a [Variable],
    used: &mut Vec<&'a str>,
) -> Result<Option<Vec<Token>>, ParseError> {
    let found = word.keyword().and_then(|text| {
        let mut aliases = aliases.iter();
        aliases.find(|(name, _)| name.as_bytes() == text && !used.contains(&name.as_str()))
    });
    let Some((name, value)) = found else {
        return Ok(None);
    };
    let (start, end) = word.span;
    let mut tokens = lex(value).map_err(|error| ParseError {
        span: (start as u32, end as u32),
        ..error
    })?;
    tokens.iter_mut().for_each(|token| place(token, word.span));
    used.push(name);
    if let Some(Token::Word(first)) = tokens.first()
        && let Some(inner) = replace_word(first, aliases, used)?
    {
        tokens.splice(..1, inner);
    }
    Ok(Some(tokens))
}

/// Sets the position of a token from an alias's text to the position of the alias in the typed line.
fn place(token: &mut Token, at: (usize, usize)) {
    match token {
        Token::Word(word) => {
            word.span = at;
            for piece in &mut word.pieces {
                if let Some(span) = piece.span_mut() {
                    *span = at;
                }
            }
        }
        Token::Separator(start, _) => *start = at.0,
        Token::OutputTarget { span, .. } => *span = at,
    }
}
