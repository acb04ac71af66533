//! The tokens of logins.
//!
//! Mirrors `simple_token.go`. Every member assigns the same token when it applies the entry of a login, and each member
//! counts the lifetime of the token on its own. A token is lost when the process ends. etcd removes expired tokens once
//! per second; the simulator refuses a token from its deadline on.

use std::sync::Arc;

use crate::base::ordered::OrdMap;
use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};

/// The time after which an unused token becomes invalid (`--auth-token-ttl`).
pub const TOKEN_TTL: SimDuration = SimDuration::from_millis(300_000);

/// The number of random letters in a token.
const LETTERS: u32 = 16;

/// The tokens that a member knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SimpleTokens(OrdMap<Arc<str>, Token>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Token {
    user: Arc<str>,
    expires: SimTime,
}

/// Returns the random letters of the token for a login. The numbers that identify the login determine the letters.
pub(super) fn random_letters(member: u64, index: u64, auth_revision: u64) -> Arc<str> {
    let mut rng = Rng::stream(member ^ index.rotate_left(32) ^ auth_revision, "auth token");
    let letter = |_| {
        let place = rng.below(52) as u8;
        char::from(match place {
            0..26 => b'a' + place,
            _ => b'A' + place - 26,
        })
    };
    (0..LETTERS).map(letter).collect::<String>().into()
}

/// Returns the raft index in a token; `None` if the text is not a token.
pub(super) fn index_of(token: &str) -> Option<u64> {
    let (_, index) = token.split_once('.')?;
    index.parse().ok()
}

impl SimpleTokens {
    pub(super) fn assign(&mut self, token: Arc<str>, user: Arc<str>, now: SimTime) {
        let expires = now + TOKEN_TTL;
        self.0.insert(token, Token { user, expires });
    }

    /// Returns the user of a token, and extends the lifetime of the token.
    pub(super) fn user_of(&mut self, token: &str, now: SimTime) -> Option<Arc<str>> {
        if self.0.get(token)?.expires < now {
            self.0.remove(token);
            return None;
        }
        let found = self.0.get_mut(token)?;
        found.expires = now + TOKEN_TTL;
        Some(found.user.clone())
    }

    pub(super) fn invalidate_user(&mut self, name: &str) {
        let tokens = self.0.iter().filter(|(_, token)| &*token.user == name);
        let tokens: Vec<Arc<str>> = tokens.map(|(text, _)| text.clone()).collect();
        for token in tokens {
            self.0.remove(&token);
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_use_extends_a_token() {
        let mut tokens = SimpleTokens::default();
        tokens.assign("a.1".into(), "alice".into(), SimTime(0));
        let at = |seconds: u64| SimTime(seconds * 1_000_000);
        assert!(tokens.user_of("a.1", at(299)).is_some());
        assert!(tokens.user_of("a.1", at(598)).is_some());
        assert!(tokens.user_of("a.1", at(899)).is_none());
        assert!(tokens.is_empty());
    }

    #[test]
    fn a_deleted_user_loses_all_tokens() {
        let mut tokens = SimpleTokens::default();
        tokens.assign("a.1".into(), "alice".into(), SimTime(0));
        tokens.assign("b.2".into(), "bob".into(), SimTime(0));
        tokens.assign("c.3".into(), "alice".into(), SimTime(0));
        tokens.invalidate_user("alice");
        assert_eq!(tokens.len(), 1);
        assert_eq!(tokens.user_of("b.2", SimTime(0)).as_deref(), Some("bob"));
    }
}
